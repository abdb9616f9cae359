/* Loads bypass the L1 if their instruction has missed far more often than it has hit.
 *
 *   cc -O2 -shared -fPIC -I include -o pc_streak.so examples/own-policy/pc_streak.c
 *   weir run spmv --plugin ./pc_streak.so */
#include <string.h>
#include <weir/policy.h>

struct cfg {
  int64_t threshold;
};
static const struct weir_param params[] = {
    WEIR_PARAM(cfg, threshold, "64", .min = 1, .max = 255, .help = "bypass from this count on"),
    WEIR_PARAM_END};
struct stats {
  uint64_t bypasses;
};
static const struct weir_stat stats[] = {
    WEIR_STAT(stats, bypasses, "request", "loads that it let bypass the L1"), WEIR_STAT_END};
struct state {
  uint8_t count[256]; /* for each instruction: a miss adds 1, a hit takes 4 */
};

/* Decides: changes nothing. One load in 32 is cached all the same, to learn whether that pays. */
static enum weir_answer admit(const struct weir_policy *p, const struct weir_access *a,
                              struct weir_set set) {
  const struct cfg *c = weir_cfg(p);
  const struct state *s = weir_state_peek(p);
  (void)set;
  return s->count[a->pc / 8 % 256] < c->threshold || weir_pick(p, 32, 0) == 0 ? WEIR_PASS
                                                                              : WEIR_BYPASS;
}
/* Observes: a request was accepted. */
static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  uint8_t *count = &((struct state *)weir_state_edit(p))->count[a->pc / 8 % 256];
  (void)set, (void)way;
  if (outcome == WEIR_MISS && *count < 255) ++*count;
  if (outcome == WEIR_HIT) *count = (uint8_t)(*count > 4 ? *count - 4 : 0);
}
static void bypass(struct weir_policy *p, const struct weir_access *a) {
  (void)a;
  ((struct stats *)weir_stats_edit(p))->bypasses++;
}
static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k; /* another kernel has other instructions */
  memset(weir_state_edit(p), 0, sizeof(struct state));
}
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  (void)cfg, (void)g; /* the hardware that it adds, here the counters */
  return 8 * sizeof(struct state);
}
const struct weir_policy_ops weir_policy_pc_streak = {
    .part = {WEIR_PART("pc-streak", "loads bypass if their instruction keeps missing"),
             WEIR_PART_PARAMS(params, cfg), WEIR_PART_STATS(stats, stats),
             .state_bytes = sizeof(struct state), .storage_bits = storage_bits,
             .kernel_begin = kernel_begin},
    .reason = WEIR_R_PREDICTOR,
    .admit = admit,
    .lookup = lookup,
    .bypass = bypass};
