/* What an L1 counts. */
#include "l1/l1.h"

#define S(f, u, h) WEIR_STAT(weir_l1_stats, f, u, h)
#define AT(f, i, n, u, h)                                                                          \
  {                                                                                                \
    .name = n, .unit = u, .help = h,                                                               \
    .offset = offsetof(struct weir_l1_stats, f) + sizeof(uint64_t) * (i)                           \
  }
const struct weir_stat weir_l1_stat_table[] = {
    S(loads, "request", "load requests taken"),
    S(hits, "request", "loads that found all their sectors"),
    S(hit_reserved, "request", "loads that joined a pending line and sent nothing"),
    S(misses, "request", "loads whose line was not there"),
    S(partial_misses, "request",
      "loads that sent for further sectors of a line that was there or pending"),
    S(bypassed, "request", "loads that bypassed the L1"),
    S(local_loads, "request", "of the loads, those from local memory"),
    S(local_hits, "request", "of these, hits"),
    S(local_hit_reserved, "request", "... joined a pending line"),
    S(local_misses, "request", "... misses"),
    S(local_partial_misses, "request", "... partial misses"),
    S(local_bypassed, "request", "... bypassed the L1"),
    AT(bypass_reason, WEIR_R_STATIC, "bypassed_static", "request",
       "bypassed because the instruction says so"),
    AT(bypass_reason, WEIR_R_PREDICTOR, "bypassed_predictor", "request", "... by a prediction"),
    AT(bypass_reason, WEIR_R_STALL, "bypassed_stall", "request",
       "... because a resource was missing"),
    AT(bypass_reason, WEIR_R_MODE, "bypassed_mode", "request", "... the cache was switched off"),
    AT(bypass_reason, WEIR_R_THRESHOLD, "bypassed_threshold", "request",
       "... the line had not shown enough reuse"),
    AT(bypass_reason, WEIR_R_PROFILE, "bypassed_profile", "request", "... by a profile"),
    S(stores, "request", "store requests taken"),
    S(store_hits, "request", "stores whose line was there"),
    S(local_stores, "request", "of the stores, those to local memory"),
    S(local_store_hits, "request", "of these, hits"),
    S(atomics, "request", "atomic requests taken"),
    S(atomic_hits, "request", "of these, those whose line was there"),
    S(probes, "request", "requests for which tags were read"),
    S(data_reads, "request", "loads that found something and read it"),
    S(data_writes, "request", "stores that wrote into the L1"),
    S(prefetches, "request", "requests that policies made"),
    S(prefetches_dropped, "request", "... and that were dropped, for lack of a resource or of use"),
    S(sectors, "sector", "sectors that loads asked for"),
    S(sectors_hit, "sector", "of these, there"),
    S(sectors_hit_stored, "sector", "of these, known by a store of words alone (l1.store_words)"),
    S(sectors_missed, "sector", "of those asked for, neither there nor on their way"),
    S(sectors_bypassed, "sector", "sectors of bypassed loads"),
    S(store_sectors, "sector", "sectors that stores wrote"),
    S(store_sectors_missed, "sector", "of these, not there"),
    S(global_load_sectors, "sector",
      "sectors that loads from global memory asked for, bypassed ones too"),
    S(local_load_sectors, "sector", "... loads from local memory"),
    S(texture_sectors, "sector", "... texture reads"),
    S(texture_sectors_missed, "sector", "of these, neither there nor on their way, or bypassed"),
    S(atomic_sectors, "sector", "sectors that atomics touched"),
    S(fills, "request",
      "answers to misses that arrived at the L1: each has all that was asked for"),
    S(fill_sectors, "sector", "sectors that arrived with them"),
    S(allocations, "line", "ways that were given to a line"),
    AT(evictions, WEIR_BY_REPLACEMENT, "evictions", "line", "lines replaced"),
    AT(evictions, WEIR_BY_STORE, "evictions_store", "line", "lines ended by a store"),
    AT(evictions, WEIR_BY_FLUSH, "evictions_flush", "line", "lines ended by the next kernel"),
    AT(evictions, WEIR_BY_COLLATERAL, "evictions_collateral", "line",
       "lines that something else took along"),
    S(evictions_unused, "line", "lines replaced that were never hit after they came"),
    S(store_evictions, "request", "stores that invalidated a line or sectors of it"),
    S(mshr_merges, "request", "requests that joined an MSHR entry"),
    S(mshr_cycles, "cycle", "MSHR entries in use, summed over cycles"),
    WEIR_STAT_MAXIMUM(weir_l1_stats, mshr_most, "entry", "the most MSHR entries in use at once"),
    WEIR_STAT_MAXIMUM(weir_l1_stats, bytes, "byte",
                      "data that an SM's L1 has room for in this launch: on a unified array what "
                      "shared memory leaves"),
    S(requests, "packet",
      "packets sent to the L2: one for each of its lines that a request touches"),
    S(request_flits, "flit", "flits of these"),
    S(reply_flits, "flit", "flits of data that came from the L2"),
    S(writebacks, "line", "dirty lines sent to the L2"),
    WEIR_STAT_END};
static const struct weir_check l1_checks[] = {
    {"loads == hits + hit_reserved + misses + partial_misses + bypassed",
     "every load has one class"},
    {"local_loads == local_hits + local_hit_reserved + local_misses + local_partial_misses + "
     "local_bypassed",
     "every load of local memory has one class"},
    {"bypassed == bypassed_static + bypassed_predictor + bypassed_stall + bypassed_mode + "
     "bypassed_threshold + bypassed_profile",
     "every bypass has one reason"},
    {"sectors + sectors_bypassed == global_load_sectors + local_load_sectors + texture_sectors",
     "every sector of a load has one space"},
    {"data_reads >= hits", "a hit reads"},
    {"data_writes <= stores", "a store writes once at most"},
    {NULL, NULL}};
const struct weir_stat_group weir_l1_stat_group = {"l1", "What the L1 caches did.",
                                                   weir_l1_stat_table, l1_checks};

#define P(f, u, h) WEIR_STAT(weir_pc_stats, f, u, h)
const struct weir_stat weir_pc_stat_table[] = {
    P(requests, "request", "requests of this instruction that the L1 took"),
    P(hits, "request", "hits"),
    P(hit_reserved, "request", "joined a pending line"),
    P(misses, "request", "misses"),
    P(partial_misses, "request", "partial misses"),
    P(bypassed, "request", "bypassed the L1"),
    P(sectors, "sector", "sectors touched"),
    P(sectors_missed, "sector", "of these, sent for (by a bypass or a miss)"),
    P(sectors_fetched, "sector",
      "sectors that were sent for, touched or not: what its loads ask of the memory"),
    WEIR_STAT_END};
const struct weir_stat_group weir_pc_stat_group = {
    "pc", "What one memory instruction did, summed over SMs.", weir_pc_stat_table, NULL};
