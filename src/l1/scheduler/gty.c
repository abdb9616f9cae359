/* Greedy, then youngest: a warp issues until it cannot; then the youngest one that can. */
#include "l1/scheduler/order.h"

static int pick_warp(const struct weir_policy *p, const struct weir_sched_view *v, uint64_t ready) {
  (void)p;
  return ready >> v->last & 1 ? (int)v->last : weir_youngest(v, ready);
}

const struct weir_policy_ops weir_policy_gty = {
    .part = {WEIR_PART("gty", "a warp issues until it cannot, then the youngest one that can"),
             .reference = "R. Huerta et al., Analyzing Modern NVIDIA GPU cores, 2025",
             .storage_bits = weir_no_storage},
    .pick_warp = pick_warp};
