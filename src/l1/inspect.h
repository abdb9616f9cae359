/* What tests look at inside parts; nothing else uses it. */
#ifndef WEIR_L1_INSPECT_H
#define WEIR_L1_INSPECT_H

#include "weir/policy.h"

/* ccws: the score of a warp slot in a cycle of the kernel, not before the last change. */
uint64_t weir_ccws_score(const struct weir_policy *p, uint32_t warp, uint64_t now);
/* pc-bypass: the counter of an instruction. */
uint32_t weir_pc_bypass_counter(const struct weir_policy *p, uint64_t pc);

/* pdp: what is left of a line's protection, and the distance that the model chooses: of n counters
 * of reuses, each of `step` distances, the last of which ends at `most`. 0: nothing to go by. */
uint32_t weir_pdp_left(const struct weir_policy *p, uint32_t set, int way);
uint32_t weir_pdp_best(const uint32_t *counter, uint32_t n, uint32_t step, uint32_t most,
                       uint64_t total, uint32_t ways);

/* aip: a line, and what the table says of an instruction and the line of a number. */
struct weir_aip {
  uint32_t count, past, most;
  bool is_sure, is_expired;
};
struct weir_aip weir_aip_line(const struct weir_policy *p, uint32_t set, int way);
struct weir_aip weir_aip_entry(const struct weir_policy *p, uint64_t pc, uint64_t line);

/* sdbp: the sum of an instruction's counters. */
uint32_t weir_sdbp_sum(const struct weir_policy *p, uint64_t pc);

/* decoupled: an entry of the tag store. */
struct weir_dec_tag {
  uint64_t key;      /* line number + 1; 0: free */
  uint32_t inserted; /* when, counted in insertions; compared as a difference */
  uint16_t way;      /* data line + 1; 0: a candidate, which has none */
  uint8_t rc;        /* references, aged */
};
/* The entries of a set, free ones included, in no order. */
const struct weir_dec_tag *weir_decoupled_tags(const struct weir_policy *p, uint32_t set,
                                               uint32_t *n);
/* False: it behaves as the original L1. */
bool weir_decoupled_is_on(const struct weir_policy *p);

/* tsc-plus: what a set is, and what the policy knows. */
enum weir_tsc_role { WEIR_TSC_FOLLOWER, WEIR_TSC_FINE, WEIR_TSC_COARSE };

struct weir_tsc_plus_state {
  uint32_t misses[2], traffic[2]; /* of the sampler sets: fine, coarse */
  bool is_coarse;                 /* what followers do */
  uint64_t last_end;              /* cycle in which the SM's last block ended; 0: it had none */
};

/* coordinated: what the policy of an SM knows, and the score of a period. */
enum { WEIR_COORDINATED_BLOCKS = 64 };
struct weir_coordinated {
  uint64_t resident, bg;         /* slots of blocks; of these, those whose cm loads bypass the L1 */
  uint32_t cur, target, max;     /* blocks in bg; how many there should be; the most there can be */
  uint32_t sampler;              /* slot + 1 of the block that is the period; 0: none */
  bool has_dropped;              /* init=slope: the first way down has ended */
  uint64_t active;               /* slots of warps that run */
  uint64_t counted_to;           /* cycle */
  uint64_t began, hits0, stall0; /* of the period */
  uint64_t warp_cycles;          /* of the period: active warps summed over its cycles */
  double chss[WEIR_COORDINATED_BLOCKS + 1]; /* by target; below 0: not seen yet */
};
double weir_chss(int64_t l2_latency, uint64_t hits, uint64_t stall, uint64_t warp_cycles,
                 uint64_t cycles);

#endif
