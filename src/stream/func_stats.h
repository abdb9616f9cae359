/* Functional statistics of a launch: what was executed, before any timing. */
#ifndef WEIR_STREAM_FUNC_STATS_H
#define WEIR_STREAM_FUNC_STATS_H

#include "base/registry.h"
#include "stream/coalesce.h"
#include "weir/stat.h"

enum weir_mem_dir { WEIR_DIR_LOAD, WEIR_DIR_STORE, WEIR_DIR_ATOM, WEIR_N_DIRS };

struct weir_func_stats {
  uint64_t warp_insns, thread_insns;
  uint64_t by_class[WEIR_N_CLASSES];
  uint64_t mem_insns, mem_lanes;
  uint64_t mem[WEIR_N_SPACES][WEIR_N_DIRS]; /* of those the table has rows for */
  uint64_t global_requests[WEIR_N_DIRS], global_sectors[WEIR_N_DIRS];
  uint64_t local_requests, local_sectors;
  uint64_t shared_insns, shared_passes;
  uint64_t global_insns, all_global_requests, all_global_sectors;
  uint64_t branches, divergent_branches, barriers;
};

/* Ends with WEIR_STAT_END. */
extern const struct weir_stat weir_func_stat_table[];
/* Ends with a NULL rule. */
extern const struct weir_check weir_func_checks[];
extern const struct weir_stat_group weir_func_stat_group;

/* Most masks are full. For the others sums of bit pairs, nibbles and bytes: a program for any
 * x86-64 may not use its popcount instruction, and the compiler would call a function. */
static inline uint64_t weir_mask_lanes(uint32_t mask) {
  if (mask == UINT32_MAX) return WEIR_LANES;
  mask -= mask >> 1 & 0x55555555u;
  mask = (mask & 0x33333333u) + (mask >> 2 & 0x33333333u);
  return ((mask + (mask >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

/* Every executed warp instruction, memory or not. */
static inline void weir_count_insn(struct weir_func_stats *s, enum weir_class cls, uint32_t mask) {
  s->warp_insns++;
  s->thread_insns += weir_mask_lanes(mask);
  s->by_class[cls]++;
}

/* A memory instruction, besides weir_count_insn. `a->space` is resolved; parameter reads are moves
 * and do not come here. */
void weir_count_mem(struct weir_func_stats *s, struct weir_line_counter *c, enum weir_mem_dir dir,
                    const struct weir_addrs *a, uint32_t mask, unsigned width);

static inline void weir_count_branch(struct weir_func_stats *s, bool diverges) {
  s->branches++;
  s->divergent_branches += diverges;
}

static inline void weir_count_barrier(struct weir_func_stats *s) {
  s->barriers++;
}

#endif
