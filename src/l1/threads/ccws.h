/* Warps that lose their lines to others may load; for that, others may not. */
#ifndef WEIR_L1_THREADS_CCWS_H
#define WEIR_L1_THREADS_CCWS_H

#include "l1/parts.h"

struct weir_ccws_cfg {
  int64_t k, base, vta_entries, vta_ways, watchdog;
};

struct weir_ccws_stats {
  uint64_t vta_probes, vta_hits, vta_pushes, raised, forced;
  uint64_t cycles, warp_cycles, allowed_warp_cycles, held_warp_cycles;
};

/* The score of a warp slot in a cycle of the kernel, not before the last change. */
uint64_t weir_ccws_score(const struct weir_policy *p, uint32_t warp, uint64_t now);

#endif
