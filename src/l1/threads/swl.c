/* The oldest warps of each scheduler may issue, so many and no more. One that waits at a barrier or
 * has ended leaves its place to the next: else those it waits for could be held back for ever. */
#include "l1/parts.h"
#include "l1/threads/warps.h"

#define PERS(X) X(PER_SCHEDULER, "scheduler") X(PER_SM, "sm")
enum per { PERS(WEIR_CHOICE_ID) };
struct swl_cfg {
  int64_t warps;
  enum per per;
};

struct swl_stats {
  uint64_t warp_cycles, held_warp_cycles;
};

#define PAPER "Coordinated Static and Dynamic Cache Bypassing for GPUs"

static const struct weir_param params[] = {
    WEIR_PARAM(swl_cfg, warps, "64", .unit = "warp", .min = 1, .max = 64,
               .help = "that may issue; 64 is more than there can be: no limit"),
    WEIR_PARAM(swl_cfg, per, "scheduler", .choices = WEIR_CHOICES(PERS),
               .help = "whose warps are counted", .source = PAPER,
               .when = "warps<64 and sm.schedulers>1"),
    WEIR_PARAM_END};

#define S(f, u, h) WEIR_STAT(swl_stats, f, u, h)
static const struct weir_stat stats[] = {
    S(warp_cycles, "cycle", "warps neither ended nor at a barrier, summed over cycles"),
    S(held_warp_cycles, "cycle", "of these, warps that might not issue"),
    WEIR_STAT_RATIO(swl_stats, "held", held_warp_cycles, warp_cycles, "1",
                    "warps that might not issue"),
    WEIR_STAT_END};

struct swl {
  struct weir_warps warps;
  uint64_t allowed; /* slots */
  uint64_t counted_to;
};

static void count_to(struct weir_policy *p, uint64_t now) {
  struct swl *s = weir_state_edit(p);
  struct swl_stats *st = weir_stats_edit(p);
  uint64_t d = now - s->counted_to;
  st->warp_cycles += d * (uint64_t)__builtin_popcountll(s->warps.running);
  st->held_warp_cycles += d * (uint64_t)__builtin_popcountll(s->warps.running & ~s->allowed);
  s->counted_to = now;
}

static void decide(struct weir_policy *p) {
  const struct swl_cfg *cfg = weir_cfg(p);
  struct swl *s = weir_state_edit(p);
  uint32_t groups = cfg->per == PER_SM ? 1 : weir_geometry(p)->schedulers;
  int64_t left[WEIR_MAX_SCHEDULERS];
  for (uint32_t i = 0; i < groups; i++)
    left[i] = cfg->warps;
  s->allowed = 0;
  for (uint32_t i = 0; i < s->warps.n; i++) {
    uint32_t w = s->warps.by_age[i];
    // NOLINTNEXTLINE(*DivideZero): an SM has schedulers
    if ((s->warps.running >> w & 1) && left[w % groups]-- > 0) s->allowed |= UINT64_C(1) << w;
  }
}

static bool gate(const struct weir_policy *p, uint32_t slot, enum weir_op op) {
  (void)op;
  return ((const struct swl *)weir_state_peek(p))->allowed >> slot & 1;
}

static void warp(struct weir_policy *p, uint32_t slot, enum weir_warp_event e, uint64_t cycle) {
  struct swl *s = weir_state_edit(p);
  count_to(p, cycle);
  weir_warps_event(&s->warps, slot, e);
  decide(p);
}

static void cta_begin(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  struct swl *s = weir_state_edit(p);
  count_to(p, cycle);
  weir_warps_come(&s->warps, c->warps);
  decide(p);
}

static void cta_end(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  struct swl *s = weir_state_edit(p);
  count_to(p, cycle);
  weir_warps_leave(&s->warps, c->warps);
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
  if (s->allowed & ~s->warps.running) return "a warp that does not run may issue";
  return s->warps.running != 0 && s->allowed == 0 ? "warps run and none may issue"
                                                  : weir_warps_verify(&s->warps);
}

const struct weir_policy_ops weir_policy_swl = {
    .part = {WEIR_PART("swl", "a fixed number of warps may issue, the oldest"), .reference = PAPER,
             WEIR_PART_PARAMS(params, swl_cfg), WEIR_PART_STATS(stats, swl_stats),
             .state_bytes = sizeof(struct swl),
             .storage_bits = weir_no_storage, /* a limit of the scheduler's own */
             .verify = verify, .kernel_begin = kernel_begin, .kernel_end = kernel_end,
             .cta_begin = cta_begin, .cta_end = cta_end, .warp = warp},
    .gate = gate};
