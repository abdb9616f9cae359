/* How many registers of a GPU a kernel takes: an estimate, for kernels of which ptxas has not been
 * asked (docs/timing.md). */
#ifndef WEIR_PTX_REGISTERS_H
#define WEIR_PTX_REGISTERS_H

#include "ptx/liveness.h"

/* Most 32-bit registers that hold needed values at once; a 64-bit one counts twice, a predicate not
 * at all, nor what machine code has as an operand: constants, parameters of an entry. In the order
 * of the text; or with loads moved up as a compiler for sm_`sm` does, those of several iterations
 * where a loop is unrolled, if that takes more. `l` is of ptx_liveness_find(f, NULL). False: out of
 * memory. */
bool ptx_peak_registers(const struct ptx_func *f, const struct ptx_liveness *l, unsigned sm,
                        uint32_t *peak);

/* Before each instruction what holds needed values in the order of the text, operands included, as
 * far as 255. False: out of memory. */
bool ptx_live_counts(const struct ptx_func *f, const struct ptx_liveness *l, uint8_t *live);

/* Registers per thread of a kernel whose functions need `peak` at most: with those that every
 * kernel has, within the limits of its directives and of its target. */
uint32_t ptx_estimate_registers(const struct ptx_func *kernel, unsigned sm, uint32_t peak);

#endif
