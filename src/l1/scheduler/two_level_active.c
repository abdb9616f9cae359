/* Two levels: a few warps are active and issue in turn. One that waits for memory, cannot run or is
 * held back by a gate leaves its place to the oldest other one. */
#include "l1/scheduler/order.h"

static const struct weir_param params[] = {WEIR_PARAM(weir_two_level_active_cfg, warps, "8",
                                                      .unit = "warp", .min = 1, .max = 64,
                                                      .help = "of a scheduler's active set"),
                                           WEIR_PARAM_END};

struct two_level {
  uint64_t active[WEIR_MAX_SCHEDULERS];
};

static void sched_update(struct weir_policy *p, const struct weir_sched_view *v) {
  const struct weir_two_level_active_cfg *cfg = weir_cfg(p);
  uint64_t *active = &((struct two_level *)weir_state_edit(p))->active[v->scheduler];
  uint64_t able = v->warps & ~v->waits_memory & ~v->held;
  *active &= able;
  for (int64_t room = cfg->warps - __builtin_popcountll(*active); room > 0 && able != *active;
       room--)
    *active |= UINT64_C(1) << weir_oldest(v, able & ~*active);
}

static int pick_warp(const struct weir_policy *p, const struct weir_sched_view *v, uint64_t ready) {
  const struct two_level *s = weir_state_peek(p);
  uint64_t can = ready & s->active[v->scheduler];
  return can != 0 ? weir_first_from(can, v->last + 1) : WEIR_WARP_NONE;
}

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  *(struct two_level *)weir_state_edit(p) = (struct two_level){0};
}

/* A bit says of each slot whether it is active. */
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  (void)cfg;
  return g->warps;
}

const struct weir_policy_ops weir_policy_two_level_active = {
    .part = {WEIR_PART("two-level-active", "a few active warps issue in turn; those that wait for "
                                           "memory give up their places"),
             .reference = "M. Gebhart et al., Energy-Efficient Mechanisms for Managing Thread "
                          "Context in Throughput Processors, ISCA 2011",
             WEIR_PART_PARAMS(params, weir_two_level_active_cfg),
             .state_bytes = sizeof(struct two_level), .storage_bits = storage_bits,
             .kernel_begin = kernel_begin},
    .pick_warp = pick_warp,
    .sched_update = sched_update};
