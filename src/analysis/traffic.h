/* From what loads ask of the memory in profiling runs to which of them use the L1 (ca) while all
 * others bypass it (cg): a choice that a compiler can make. */
#ifndef WEIR_ANALYSIS_TRAFFIC_H
#define WEIR_ANALYSIS_TRAFFIC_H

#include "analysis/loads.h"
#include "weir/policy.h"

/* Two loads of one group, and what both ask for when they are the only ones that use the L1. */
struct weir_load_pair {
  uint32_t a, b;
  uint64_t together;
};

/* More of a kernel are not timed: those of loads that stand close to each other come first. */
enum { WEIR_MOST_PAIRS = 64 };
/* The pairs of a kernel, at most WEIR_MOST_PAIRS, in the order of their distance. */
uint32_t weir_load_pairs(const struct weir_loads *l, struct weir_load_pair *out);

/* A set of loads has a bit for each; the 64th and all behind it share one. */
static inline uint64_t weir_load_bit(uint32_t load) {
  return UINT64_C(1) << (load < 63 ? load : 63);
}

/* Lines that are touched by exactly these loads. */
struct weir_line_use {
  uint64_t loads, lines;
};

/* Of the loads of one kernel; what they ask for is in sectors. */
struct weir_traffic {
  uint64_t *bypassed; /* of each load, when all bypass the L1 */
  uint64_t *alone;    /* when it is the only one that uses the L1 */
  struct weir_load_pair *pairs;
  uint32_t n_pairs;
  struct weir_line_use *uses; /* of all blocks that are on an SM at once, */
  size_t n_uses;
  uint64_t room; /* which is how many the L1 has: both in the same measure */
};

/* What a load saves when it joins those that are ca; negative: it costs. */
int64_t weir_traffic_saved(const struct weir_traffic *t, const enum weir_tag *tags, uint32_t load);
/* ca or cg for every load; of one that is fixed none. From all cg on, the load that saves most
 * becomes ca, as long as it saves anything, of those with which the lines of all that are ca have
 * room; of equals the first. */
void weir_traffic_choose(const struct weir_loads *l, const struct weir_traffic *t,
                         enum weir_tag *out);

#endif
