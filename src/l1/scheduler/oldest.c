/* The oldest warp that can issue. */
#include "l1/scheduler/order.h"

static int pick_warp(const struct weir_policy *p, const struct weir_sched_view *v, uint64_t ready) {
  (void)p;
  return weir_oldest(v, ready);
}

const struct weir_policy_ops weir_policy_oldest = {
    .part = {WEIR_PART("oldest", "the oldest warp that can issue does"),
             .storage_bits = weir_no_storage},
    .pick_warp = pick_warp};
