/* Loose round robin: the next warp, by slot, that can issue. */
#include "l1/scheduler/order.h"

static int pick_warp(const struct weir_policy *p, const struct weir_sched_view *v, uint64_t ready) {
  (void)p;
  return weir_first_from(ready, v->last + 1);
}

const struct weir_policy_ops weir_policy_lrr = {
    .part = {WEIR_PART("lrr", "warps issue in turn, by slot"), .storage_bits = weir_no_storage},
    .pick_warp = pick_warp};
