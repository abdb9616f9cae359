/* Which runs of a table may be averaged, and which is compared with which. */
#ifndef WEIR_REPORT_PIVOT_BASE_H
#define WEIR_REPORT_PIVOT_BASE_H

#include "report/pivot.h"

#define WEIR_NO_POINT UINT32_MAX

/* Into p->base. */
enum weir_status weir_pivot_read_baseline(struct weir_pivot *p, struct weir_err *err);
/* Runs of a cell differ in the seed alone? */
enum weir_status weir_pivot_check_cells(const struct weir_pivot *p, struct weir_err *err);
/* The run that each is compared with, or WEIR_NO_POINT: the same but for the keys of the baseline.
 * A setting that one of the two does not have at all does not count. In p's arena. */
enum weir_status weir_pivot_find_baselines(struct weir_pivot *p, const uint32_t **out,
                                           struct weir_err *err);

#endif
