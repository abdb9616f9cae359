/* What was timed, as tables and as JSON: the second half of what weir run shows, and all of what
 * weir replay does. */
#ifndef WEIR_REPORT_TIMING_H
#define WEIR_REPORT_TIMING_H

#include <jansson.h>

#include "base/text.h"
#include "session/timing.h"
#include "study/prepare.h"

/* What to print besides the table of kernels. */
struct weir_timing_views {
  bool all, per_sm, per_load;
};

/* Workloads whose loads were classified before they ran. */
struct weir_timed_profiles {
  struct weir_timed_profile {
    char *workload;
    struct weir_preparation found;
  } * v;
  size_t n, cap;
};
void weir_timed_profiles_free(struct weir_timed_profiles *p);

/* Bits of hardware; null where they are not declared. */
json_t *weir_storage_json(uint64_t bits);

/* `profiles` may be NULL. */
enum weir_status weir_timing_text(const struct weir_timing *t,
                                  const struct weir_timed_profiles *profiles,
                                  const struct weir_timing_views *v, struct weir_text *out,
                                  struct weir_err *err);
/* {"cycles": ..., "sm": {...}, ...} of the last launch; NULL: no memory. */
json_t *weir_timing_json(const struct weir_timing *t, const struct weir_kernel_info *k,
                         bool per_sm);
/* What the loads of the workload that runs were classified on; NULL: they were not, or no memory.
 */
json_t *weir_timing_profile_json(const struct weir_timing *t,
                                 const struct weir_timed_profiles *profiles);

#endif
