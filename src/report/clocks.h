/* Cycles between the clock reads of kernels: weir run --clocks. */
#ifndef WEIR_REPORT_CLOCKS_H
#define WEIR_REPORT_CLOCKS_H

#include <jansson.h>

#include "base/text.h"
#include "session/timing.h"

/* A row for each pair of reads; and why there is none, where a reader may wonder. */
enum weir_status weir_clocks_text(const struct weir_timing *t, struct weir_text *out,
                                  struct weir_err *err);
/* [{"from": {"pc": ...}, "to": {...}, "count": ..., "min": ..., "mean": ..., "max": ...}, ...] of
 * the kernel's launch; NULL: no memory. */
json_t *weir_clocks_json(const struct weir_clock_pairs *p, const struct weir_kernel_info *k);

#endif
