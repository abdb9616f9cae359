/* What tests look at inside policies; nothing else uses it. */
#ifndef WEIR_L1_INSPECT_H
#define WEIR_L1_INSPECT_H

#include "weir/policy.h"

/* ccws: the score of a warp slot in a cycle of the kernel, not before the last change. */
uint64_t weir_ccws_score(const struct weir_policy *p, uint32_t warp, uint64_t now);
/* pc-bypass: the counter of an instruction. */
uint32_t weir_pc_bypass_counter(const struct weir_policy *p, uint64_t pc);

#endif
