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
  bool all, per_sm, per_load, clocks;
};

/* What was prepared for workloads before they ran. */
struct weir_timed_profiles {
  struct weir_timed_profile {
    char *workload;
    const struct weir_preparation *found[WEIR_MAX_PARTS];
    uint32_t n_found;
  } * v;
  size_t n, cap;
  struct weir_preparations all;
};
void weir_timed_profiles_free(struct weir_timed_profiles *p);

/* "spmv.cu:12"; without .loc "PTX line 40"; "-" if nothing is known. Returns `text`. */
const char *weir_insn_source(const struct weir_timed_kernel *k, const struct weir_static *s,
                             char *text, size_t len);

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
/* {"input": ..., "is_timed_input": ..., "prepared_by": [...]}: what else than 'classify', if
 * anything did. NULL: no memory. */
json_t *weir_profile_json(const struct weir_preparation *const *made, uint32_t n);
/* The same of the workload that runs; NULL: nothing was prepared for it, or no memory. */
json_t *weir_timing_profile_json(const struct weir_timing *t,
                                 const struct weir_timed_profiles *profiles);

#endif
