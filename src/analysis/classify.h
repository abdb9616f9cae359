/* From what loads did in profiling runs to their classes: ca (use the L1), cg (bypass it) or cm
 * (decided while the kernel runs). */
#ifndef WEIR_ANALYSIS_CLASSIFY_H
#define WEIR_ANALYSIS_CLASSIFY_H

#include "analysis/loads.h"
#include "base/registry.h"
#include "weir/policy.h"

struct weir_cls_cfg {
  double high, low;
  bool hr_is_hit, go_round;
};
extern const struct weir_param_group weir_cls_params;
/* Are the thresholds in order? */
enum weir_status weir_cls_check(const struct weir_cls_cfg *cfg, struct weir_err *err);

/* Of one load; all counts are requests. */
struct weir_load_counts {
  uint64_t accesses;
  uint64_t alone;    /* hits when it is the only load that uses the L1 */
  uint64_t together; /* hits when its whole group does; of a load that has no other: alone */
};

/* A load of a group of `n_group` loads, to whose hits being together adds `extra`: they share it
 * evenly. A load that did nothing is cm. */
enum weir_tag weir_classify_load(const struct weir_cls_cfg *cfg, uint32_t n_group, int64_t extra,
                                 const struct weir_load_counts *c);
/* What being together adds to the hits of a group, or takes away. */
int64_t weir_group_extra(const struct weir_loads *l, const struct weir_load_counts *c,
                         uint32_t group);
/* The class of every load; of one that is fixed none. */
void weir_classify(const struct weir_cls_cfg *cfg, const struct weir_loads *l,
                   const struct weir_load_counts *c, enum weir_tag *out);

#endif
