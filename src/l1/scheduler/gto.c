/* Greedy, then oldest: a warp issues until it cannot; then the oldest one that can. */
#include "l1/scheduler/order.h"

static int pick_warp(const struct weir_policy *p, const struct weir_sched_view *v, uint64_t ready) {
  (void)p;
  return ready >> v->last & 1 ? (int)v->last : weir_oldest(v, ready);
}

const struct weir_policy_ops weir_policy_gto = {
    .part = {WEIR_PART("gto", "a warp issues until it cannot, then the oldest one that can"),
             .reference = "T. Rogers et al., Cache-Conscious Wavefront Scheduling, MICRO 2012",
             .storage_bits = weir_no_storage},
    .pick_warp = pick_warp};
