/* The L1 is sampled, and then used or left alone for a long time. */
#ifndef WEIR_L1_ADMISSION_TWO_LEVEL_H
#define WEIR_L1_ADMISSION_TWO_LEVEL_H

#include "l1/parts.h"

struct weir_two_level_cfg {
  int64_t levels, sample, hold, warps, min_accesses;
  double low, high;
  bool count_stores;
};

struct weir_two_level_stats {
  uint64_t samples, few, code_low, code_high, code_between, to_cache, to_bypass;
  uint64_t accesses, misses, warps;
  uint64_t cycles, sample_cycles, cache_cycles, bypass_cycles;
};

#endif
