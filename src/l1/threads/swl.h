/* A fixed number of warps may issue. */
#ifndef WEIR_L1_THREADS_SWL_H
#define WEIR_L1_THREADS_SWL_H

#include "l1/parts.h"

struct weir_swl_cfg {
  int64_t warps;
  const char *per;
};

struct weir_swl_stats {
  uint64_t warp_cycles, held_warp_cycles;
};

#endif
