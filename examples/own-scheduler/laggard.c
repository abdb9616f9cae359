/* A scheduler: a warp issues until it is far ahead of the slowest of those that can issue; then it
 * is that one's turn. Warps of a block so come to its barriers together.
 *
 *   cc -O2 -shared -fPIC -I include -o laggard.so examples/own-scheduler/laggard.c
 *   weir run reduction --plugin ./laggard.so */
#include <weir/policy.h>

struct cfg {
  int64_t lead;
};
static const struct weir_param params[] = {
    WEIR_PARAM(cfg, lead, "4", .unit = "insn", .min = 0, .max = 1e6,
               .help = "of the warp that issues before another one does"),
    WEIR_PARAM_END};
struct stats {
  uint64_t changes;
};
static const struct weir_stat stats[] = {
    WEIR_STAT(stats, changes, "event", "another warp than before issued"), WEIR_STAT_END};
struct state {
  uint64_t issued[WEIR_MAX_WARPS]; /* instructions, since the warp's block came */
  uint32_t last[WEIR_MAX_SCHEDULERS];
};

/* Decides: changes nothing. `ready` has the slots that can issue now, one bit each. */
static int pick_warp(const struct weir_policy *p, const struct weir_sched_view *v, uint64_t ready) {
  const struct cfg *c = weir_cfg(p);
  const struct state *s = weir_state_peek(p);
  int slowest = __builtin_ctzll(ready);
  for (uint64_t left = ready; left != 0; left &= left - 1)
    if (s->issued[__builtin_ctzll(left)] < s->issued[slowest]) slowest = __builtin_ctzll(left);
  bool goes_on =
      (ready >> v->last & 1) && s->issued[v->last] < s->issued[slowest] + (uint64_t)c->lead;
  return goes_on ? (int)v->last : slowest;
}
/* Observes: that warp has issued. */
static void issued(struct weir_policy *p, uint32_t scheduler, uint32_t warp, uint64_t cycle) {
  struct state *s = weir_state_edit(p);
  (void)cycle;
  s->issued[warp]++;
  ((struct stats *)weir_stats_edit(p))->changes += s->last[scheduler] != warp;
  s->last[scheduler] = warp;
}
static void cta_begin(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  (void)cycle;
  for (uint64_t left = c->warps; left != 0; left &= left - 1)
    ((struct state *)weir_state_edit(p))->issued[__builtin_ctzll(left)] = 0;
}
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  (void)cfg; /* hardware can count to 2^16 and then halve all counters */
  return UINT64_C(16) * g->warps;
}
const struct weir_policy_ops weir_policy_laggard = {
    .part = {WEIR_PART("laggard", "the warp that has issued the least issues next"),
             WEIR_PART_PARAMS(params, cfg), WEIR_PART_STATS(stats, stats),
             .state_bytes = sizeof(struct state), .storage_bits = storage_bits,
             .cta_begin = cta_begin},
    .pick_warp = pick_warp,
    .issued = issued};
