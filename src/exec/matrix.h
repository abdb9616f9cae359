/* Matrices between registers and memory. */
#ifndef WEIR_EXEC_MATRIX_H
#define WEIR_EXEC_MATRIX_H

#include "ptx/matrix.h"

/* Between a fragment's registers and the matrix as it lies in memory (ptx_matrix_lines). */
void ptx_matrix_take(const struct ptx_matrix *x, const struct ptx_frag *f, uint8_t *reg,
                     uint32_t mask, const uint8_t *bytes);
void ptx_matrix_give(const struct ptx_matrix *x, const struct ptx_frag *f, const uint8_t *reg,
                     uint8_t *bytes);

#endif
