/* Mode selection of the tag-split cache. */
#ifndef WEIR_L1_FETCH_TSC_PLUS_H
#define WEIR_L1_FETCH_TSC_PLUS_H

#include "l1/parts.h"

#define WEIR_TSC_PLUS_MODES(X)                                                                     \
  X(WEIR_TSC_BY_SAMPLES, "sampled")                                                                \
  X(WEIR_TSC_ALWAYS_FINE, "fine") X(WEIR_TSC_ALWAYS_COARSE, "coarse")
enum weir_tsc_plus_mode { WEIR_TSC_PLUS_MODES(WEIR_CHOICE_ID) };
struct weir_tsc_plus_cfg {
  enum weir_tsc_plus_mode mode;
  int64_t samplers, halve_above;
};

enum weir_tsc_role { WEIR_TSC_FOLLOWER, WEIR_TSC_FINE, WEIR_TSC_COARSE };

struct weir_tsc_plus_state {
  uint32_t misses[2], traffic[2]; /* of the sampler sets: fine, coarse */
  bool is_coarse;                 /* what followers do */
};

struct weir_tsc_plus_stats {
  uint64_t fine, coarse, sampled_misses_fine, sampled_misses_coarse, sampled_traffic_fine,
      sampled_traffic_coarse, halvings, changes;
};

#endif
