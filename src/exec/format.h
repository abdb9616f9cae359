/* Formatted output of device code. */
#ifndef WEIR_EXEC_FORMAT_H
#define WEIR_EXEC_FORMAT_H

#include "base/text.h"
#include "exec/core.h"

/* vprintf of one lane: appends to `out` and returns what the program gets, the number of
 * conversions. *cost: bytes that CUDA's buffer needs for it, which holds format, arguments and
 * strings, not the text. A fault while these are read is noted in the warp. */
int32_t ptx_format(struct ptx_warp *w, uint32_t lane, uint64_t format, uint64_t args,
                   struct weir_text *out, size_t *cost);
/* A string of the device, up to its NUL, at most `max` bytes. */
void ptx_format_string(struct ptx_warp *w, uint32_t lane, uint64_t addr, size_t max,
                       struct weir_text *out);

#endif
