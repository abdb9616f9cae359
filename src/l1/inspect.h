/* What tests look at inside parts; nothing else uses it. */
#ifndef WEIR_L1_INSPECT_H
#define WEIR_L1_INSPECT_H

#include "weir/policy.h"

/* ccws: the score of a warp slot in a cycle of the kernel, not before the last change. */
uint64_t weir_ccws_score(const struct weir_policy *p, uint32_t warp, uint64_t now);
/* pc-bypass: the counter of an instruction. */
uint32_t weir_pc_bypass_counter(const struct weir_policy *p, uint64_t pc);

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

#endif
