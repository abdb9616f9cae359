#include "sim/derived.h"

#define R(n, num, den, f, u, h)                                                                    \
  {                                                                                                \
    .name = n, .unit = u, .help = h, .kind = WEIR_RATIO,                                           \
    .offset = offsetof(struct weir_derived, num),                                                  \
    .den_offset = offsetof(struct weir_derived, den), .scale = f                                   \
  }
const struct weir_stat weir_derived_stat_table[] = {
    R("ipc", thread_insns, cycles, 1, "insn/cycle", "thread instructions per cycle of the GPU"),
    R("warp_ipc", warp_insns, cycles, 1, "insn/cycle", "warp instructions per cycle of the GPU"),
    R("hit_rate_all", access_hits, accesses, 1, "1",
      "load and store hits of all loads and stores; a bypassed load is no hit"),
    R("hit_rate_ld", load_hits, loads, 1, "1", "load hits of all loads"),
    R("hit_rate_l1", found_loads, probed_loads, 1, "1",
      "hits and joins of a pending line, of the loads that did not bypass"),
    R("hit_rate_stream", found_loads, loads, 1, "1",
      "hits and joins of a pending line, of all loads: bypassed ones count as misses"),
    R("bypass_rate", bypassed, loads, 1, "1", "loads that bypassed the L1, of all loads"),
    R("miss_rate_inst", load_insns_missed, load_insns, 1, "1",
      "load instructions with a request that sent for something, of all load instructions"),
    R("mpki", load_misses, thread_insns, 1000, "1/1000 insn",
      "L1 load misses, partial ones included, per 1000 thread instructions"),
    R("mpki_warp", load_misses, warp_insns, 1000, "1/1000 insn",
      "the same per 1000 warp instructions"),
    R("l2_apki", l2_accesses, thread_insns, 1000, "1/1000 insn",
      "L2 reads, writes and atomics per 1000 thread instructions"),
    R("dram_apki", dram_accesses, thread_insns, 1000, "1/1000 insn",
      "DRAM column accesses per 1000 thread instructions"),
    R("l2_hit_rate", l2_read_sectors_hit, l2_read_sectors, 1, "1",
      "sectors that reads found in the L2, of those they asked for"),
    R("ncu_l1_hit_rate", l1_sectors_found, l1_sectors, 1, "1",
      "sectors that were in the L1, or on their way to it for a load, of all that loads, stores "
      "and atomics touched: Nsight Compute's l1tex__t_sector_hit_rate"),
    R("ncu_l2_hit_rate", l2_load_sectors_found, l2_load_sectors, 1, "1",
      "sectors that were in the L2 or on their way to it, of all that loads asked it for: Nsight "
      "Compute's lookup hits of lts__t_sectors_srcunit_tex_op_read"),
    R("stall_frac", stalls, sm_cycles, 1, "1",
      "cycles in which the head of an SM's LD/ST queue could not advance, of all cycles"),
    R("l1_resv_stall_frac", resv_stalls, sm_cycles, 1, "1",
      "the same for lines, MSHRs, merges and the miss queue alone"),
    R("mshr_average", mshr_cycles, sm_cycles, 1, "entry", "MSHR entries in use on an SM"),
    R("evictions_unused_rate", evictions_unused, evictions, 1, "1",
      "lines replaced that were never hit, of all lines replaced"),
    WEIR_STAT_END};
const struct weir_stat_group weir_derived_stat_group = {
    "derived", "Rates and shares, from the counters.", weir_derived_stat_table, NULL};

void weir_derive(const struct weir_sim_result *r, uint32_t n_sms, struct weir_derived *d) {
  const struct weir_l1_stats *l1 = &r->l1;
  *d = (struct weir_derived){.cycles = r->cycles,
                             .sm_cycles = r->cycles * n_sms,
                             .warp_insns = r->sm.warp_insns,
                             .thread_insns = r->sm.thread_insns,
                             .loads = l1->loads,
                             .load_hits = l1->hits,
                             .load_misses = l1->misses + l1->partial_misses,
                             .probed_loads = l1->loads - l1->bypassed,
                             .found_loads = l1->hits + l1->hit_reserved,
                             .accesses = l1->loads + l1->stores,
                             .access_hits = l1->hits + l1->store_hits,
                             .bypassed = l1->bypassed,
                             .load_insns = r->sm.load_insns,
                             .load_insns_missed = r->sm.load_insns_missed,
                             .l2_accesses = r->l2.reads + r->l2.writes + r->l2.atomics,
                             .l2_read_sectors = r->l2.read_sectors,
                             .l2_read_sectors_hit = r->l2.read_sectors - r->l2.read_sectors_missed,
                             .dram_accesses = r->dram.reads + r->dram.writes,
                             .mshr_cycles = l1->mshr_cycles,
                             .evictions = l1->evictions[WEIR_BY_REPLACEMENT],
                             .evictions_unused = l1->evictions_unused};
  /* Results of before these were counted have 0 for them: no rate is better than a wrong one. */
  uint64_t load_sectors = l1->global_load_sectors + l1->local_load_sectors + l1->texture_sectors;
  if (load_sectors == l1->sectors + l1->sectors_bypassed)
    d->l1_sectors = load_sectors + l1->store_sectors + l1->atomic_sectors;
  d->l1_sectors_found =
      l1->sectors - l1->sectors_missed + l1->store_sectors - l1->store_sectors_missed;
  d->l2_load_sectors = r->l2.load_sectors;
  d->l2_load_sectors_found = r->l2.load_sectors - r->l2.load_sectors_missed;
  for (unsigned i = 0; i < WEIR_N_SHORTAGES; i++)
    d->stalls += r->sm.stall[i];
  d->resv_stalls = r->sm.stall[WEIR_NO_LINE] + r->sm.stall[WEIR_NO_QUEUE] +
                   r->sm.stall[WEIR_NO_MERGE] + r->sm.stall[WEIR_NO_MSHR];
}
