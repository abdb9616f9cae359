/* A fixed number of warps may issue. */
#ifndef WEIR_L1_THREADS_SWL_H
#define WEIR_L1_THREADS_SWL_H

#include "l1/parts.h"

#define WEIR_SWL_PERS(X) X(WEIR_SWL_SCHEDULER, "scheduler") X(WEIR_SWL_SM, "sm")
enum weir_swl_per { WEIR_SWL_PERS(WEIR_CHOICE_ID) };
struct weir_swl_cfg {
  int64_t warps;
  enum weir_swl_per per;
};

struct weir_swl_stats {
  uint64_t warp_cycles, held_warp_cycles;
};

#endif
