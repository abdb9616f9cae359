/* Rates and shares, each defined once, from the counters of a result. */
#ifndef WEIR_SIM_DERIVED_H
#define WEIR_SIM_DERIVED_H

#include "sim/engine.h"

struct weir_derived { /* numerators and denominators */
  uint64_t cycles, sm_cycles, warp_insns, thread_insns;
  uint64_t loads, load_hits, load_misses, probed_loads, found_loads;
  uint64_t accesses, access_hits, bypassed;
  uint64_t load_insns, load_insns_missed;
  uint64_t l2_accesses, l2_read_sectors, l2_read_sectors_hit, dram_accesses;
  uint64_t l1_sectors, l1_sectors_found, l2_load_sectors, l2_load_sectors_found;
  uint64_t stalls, resv_stalls, mshr_cycles, evictions, evictions_unused;
};
extern const struct weir_stat weir_derived_stat_table[];
extern const struct weir_stat_group weir_derived_stat_group;

void weir_derive(const struct weir_sim_result *r, uint32_t n_sms, struct weir_derived *d);

#endif
