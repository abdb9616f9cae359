/* All parts that an L1 can be put together from; design.c lists them. */
#ifndef WEIR_L1_PARTS_H
#define WEIR_L1_PARTS_H

#include "l1/core.h"

extern const struct weir_org_ops weir_org_conventional, weir_org_sectored;
extern const struct weir_org_ops weir_org_decoupled, weir_org_tagsplit;
extern const struct weir_policy_ops weir_policy_lru, weir_policy_nru;
extern const struct weir_policy_ops weir_policy_fifo, weir_policy_random;
extern const struct weir_policy_ops weir_policy_srrip, weir_policy_brrip, weir_policy_drrip;
extern const struct weir_policy_ops weir_policy_ship;
extern const struct weir_policy_ops weir_policy_tsc_plus;
extern const struct weir_policy_ops weir_policy_bypass_all, weir_policy_pc_bypass;
extern const struct weir_policy_ops weir_policy_two_level, weir_policy_coordinated;
extern const struct weir_policy_ops weir_policy_mrpb;
extern const struct weir_policy_ops weir_policy_ccws, weir_policy_swl;

#endif
