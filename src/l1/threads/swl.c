/* The oldest warps of each scheduler may issue, so many and no more. One that waits at a barrier or
 * has ended leaves its place to the next: else those it waits for could be held back for ever. */
#include "l1/threads/swl.h"

#define PAPER "Coordinated Static and Dynamic Cache Bypassing for GPUs"

static const struct weir_param params[] = {
    WEIR_PARAM(weir_swl_cfg, warps, "64", .unit = "warp", .min = 1, .max = 64,
               .help = "that may issue; 64 is more than there can be: no limit"),
    WEIR_PARAM(weir_swl_cfg, per, "scheduler", .choices = WEIR_CHOICES(WEIR_SWL_PERS),
               .help = "whose warps are counted", .source = PAPER,
               .when = "warps<64 and sm.schedulers>1"),
    WEIR_PARAM_END};

#define S(f, u, h) WEIR_STAT(weir_swl_stats, f, u, h)
static const struct weir_stat stats[] = {
    S(warp_cycles, "cycle", "warps neither ended nor at a barrier, summed over cycles"),
    S(held_warp_cycles, "cycle", "of these, warps that might not issue"),
    WEIR_STAT_RATIO(weir_swl_stats, "held", held_warp_cycles, warp_cycles, "1",
                    "warps that might not issue"),
    WEIR_STAT_END};

enum { MAX_WARPS = 64, MAX_SCHEDULERS = 4 };

struct swl {
  uint64_t present, running, allowed; /* slots; running: not at a barrier */
  uint64_t counted_to;
  uint32_t n;
  uint8_t by_age[MAX_WARPS]; /* slots of warps that have not ended, the oldest first */
};

static void count_to(struct weir_policy *p, uint64_t now) {
  struct swl *s = weir_state_edit(p);
  struct weir_swl_stats *st = weir_stats_edit(p);
  uint64_t d = now - s->counted_to;
  st->warp_cycles += d * (uint64_t)__builtin_popcountll(s->running);
  st->held_warp_cycles += d * (uint64_t)__builtin_popcountll(s->running & ~s->allowed);
  s->counted_to = now;
}

static void decide(struct weir_policy *p) {
  const struct weir_swl_cfg *cfg = weir_cfg(p);
  struct swl *s = weir_state_edit(p);
  uint32_t groups = cfg->per == WEIR_SWL_SM ? 1 : weir_geometry(p)->schedulers;
  int64_t left[MAX_SCHEDULERS];
  for (uint32_t i = 0; i < groups; i++)
    left[i] = cfg->warps;
  s->allowed = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    uint32_t w = s->by_age[i];
    // NOLINTNEXTLINE(*DivideZero): an SM has schedulers
    if ((s->running >> w & 1) && left[w % groups]-- > 0) s->allowed |= UINT64_C(1) << w;
  }
}

static void remove_warp(struct swl *s, uint32_t slot) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < s->n; i++)
    if (s->by_age[i] != slot) s->by_age[kept++] = s->by_age[i];
  s->n = kept;
  s->present &= ~(UINT64_C(1) << slot);
  s->running &= ~(UINT64_C(1) << slot);
}

static bool gate(const struct weir_policy *p, uint32_t slot, enum weir_op op) {
  (void)op;
  return ((const struct swl *)weir_state_peek(p))->allowed >> slot & 1;
}

static void warp(struct weir_policy *p, uint32_t slot, enum weir_warp_event e, uint64_t cycle) {
  struct swl *s = weir_state_edit(p);
  uint64_t bit = UINT64_C(1) << slot;
  count_to(p, cycle);
  if (e == WEIR_WARP_ENDS)
    remove_warp(s, slot);
  else if (e == WEIR_WARP_WAITS)
    s->running &= ~bit;
  else
    s->running |= bit & s->present;
  decide(p);
}

static void cta_begin(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  struct swl *s = weir_state_edit(p);
  count_to(p, cycle);
  for (uint64_t left = c->warps; left != 0; left &= left - 1)
    s->by_age[s->n++] = (uint8_t)__builtin_ctzll(left);
  s->present |= c->warps;
  s->running |= c->warps;
  decide(p);
}

static void cta_end(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  struct swl *s = weir_state_edit(p);
  count_to(p, cycle);
  for (uint64_t left = c->warps & s->present; left != 0; left &= left - 1)
    remove_warp(s, (uint32_t)__builtin_ctzll(left));
  decide(p);
}

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  *(struct swl *)weir_state_edit(p) = (struct swl){0};
}

static void kernel_end(struct weir_policy *p, const struct weir_kernel *k, uint64_t cycle) {
  (void)k;
  count_to(p, cycle);
}

static const char *verify(const struct weir_policy *p) {
  const struct swl *s = weir_state_peek(p);
  if (s->n != (uint32_t)__builtin_popcountll(s->present)) return "a warp is there twice";
  if (s->allowed & ~s->running) return "a warp that does not run may issue";
  return s->running != 0 && s->allowed == 0 ? "warps run and none may issue" : NULL;
}

const struct weir_policy_ops weir_policy_swl = {
    .part = {.abi = WEIR_POLICY_ABI,
             .name = "swl",
             .help = "a fixed number of warps may issue, the oldest",
             .reference = PAPER,
             .params = params,
             .stats = stats,
             .cfg_bytes = sizeof(struct weir_swl_cfg),
             .state_bytes = sizeof(struct swl),
             .stats_bytes = sizeof(struct weir_swl_stats),
             .storage_bits = weir_no_storage, /* a limit of the scheduler's own */
             .verify = verify,
             .kernel_begin = kernel_begin,
             .kernel_end = kernel_end,
             .cta_begin = cta_begin,
             .cta_end = cta_end,
             .warp = warp},
    .gate = gate};
