/* Loads that a compiler sends to the L1 or past it, and blocks that decide for the others. */
#ifndef WEIR_L1_ADMISSION_COORDINATED_H
#define WEIR_L1_ADMISSION_COORDINATED_H

#include "l1/parts.h"

#define WEIR_COORDINATED_INITS(X) X(WEIR_INIT_OPTIMISTIC, "optimistic") X(WEIR_INIT_SLOPE, "slope")
enum weir_coordinated_init { WEIR_COORDINATED_INITS(WEIR_CHOICE_ID) };
#define WEIR_CMS(X) X(WEIR_CM_DYNAMIC, "dynamic") X(WEIR_CM_CA, "ca") X(WEIR_CM_CG, "cg")
enum weir_cm { WEIR_CMS(WEIR_CHOICE_ID) };
struct weir_coordinated_cfg {
  enum weir_cm cm;
  enum weir_coordinated_init init;
  bool all_cm, central;
  int64_t l2_latency;
};

enum { WEIR_COORDINATED_AT = 9, WEIR_COORDINATED_BLOCKS = 64 };

struct weir_coordinated_stats {
  uint64_t blocks, blocks_bg;
  uint64_t periods, lowered, raised, kept, at[WEIR_COORDINATED_AT];
  uint64_t sampled_cycles, sampled_hits, sampled_stall;
  uint64_t cycles, target_cycles, last_target, learners;
  uint64_t ca_loads, ca_hits, cm_loads, cm_hits, cg_bypassed, cm_bypassed, untagged;
};

/* Of one SM. */
struct weir_coordinated {
  uint64_t resident, bg;     /* slots of blocks; of these, those whose cm loads go past the L1 */
  uint32_t cur, target, max; /* blocks in bg; how many there should be; the most there can be */
  uint32_t sampler;          /* slot + 1 of the block that is the period; 0: none */
  bool has_dropped;          /* init=slope: the first way down has ended */
  uint64_t active;           /* slots of warps that run */
  uint64_t counted_to;       /* cycle */
  uint64_t began, hits0, stall0;            /* of the period */
  uint64_t warp_cycles;                     /* of the period: active warps summed over its cycles */
  double chss[WEIR_COORDINATED_BLOCKS + 1]; /* by target; below 0: not seen yet */
};

/* The score of a period. */
double weir_chss(const struct weir_coordinated_cfg *cfg, uint64_t hits, uint64_t stall,
                 uint64_t warp_cycles, uint64_t cycles);

#endif
