/* A plug-in for the tests; macros make it break the rules. */
#include "weir/policy.h"

#ifndef NAME
#define NAME "mine"
#endif
#ifndef ABI
#define ABI WEIR_POLICY_ABI
#endif
#ifndef REASON
#define REASON WEIR_R_PROFILE
#endif
#ifndef SYMBOL
#define SYMBOL weir_policy_mine
#endif

struct cfg {
  int64_t every;
};
static const struct weir_param params[] = {
    WEIR_PARAM(cfg, every, "2", .min = 1, .max = 100, .help = "one load in so many bypasses"),
    WEIR_PARAM_END};

struct stats {
  uint64_t bypasses;
};
static const struct weir_stat stats[] = {
    WEIR_STAT(stats, bypasses, "request", "loads sent past the L1"), WEIR_STAT_END};

static enum weir_answer route(const struct weir_policy *p, const struct weir_access *a) {
  const struct cfg *c = weir_cfg(p);
#ifdef CRASH_DECIDING
  CRASH_DECIDING;
#endif
#ifdef CHEAT
  ((struct stats *)p->stats)->bypasses++;
#endif
#ifdef ANSWER
  return (enum weir_answer)ANSWER;
#endif
  return a->warp % (uint32_t)c->every == 0 ? WEIR_BYPASS : WEIR_PASS;
}

static void bypass(struct weir_policy *p, const struct weir_access *a) {
  (void)a;
#ifdef CRASH_OBSERVING
  CRASH_OBSERVING;
#endif
  ((struct stats *)weir_stats_edit(p))->bypasses++;
}

#ifdef SIZE
static size_t state_size(const void *cfg, const struct weir_geometry *g) {
  (void)cfg, (void)g;
  return SIZE;
}
#endif

#ifdef STORAGE
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  (void)cfg, (void)g;
  return STORAGE;
}
#endif

#ifdef VERIFY
static const char *verify(const struct weir_policy *p) {
  (void)p;
  return VERIFY;
}
#endif

#ifdef STALL
static bool gate(const struct weir_policy *p, uint32_t warp, enum weir_op op) {
  (void)p, (void)op;
  return warp == 77;
}
static int victim(const struct weir_policy *p, const struct weir_access *a, struct weir_set set) {
  (void)p, (void)a, (void)set;
  return WEIR_WAY_STALL;
}
static int pick_warp(const struct weir_policy *p, const struct weir_sched_view *v, uint64_t ready) {
  (void)p, (void)v, (void)ready;
  return WEIR_WARP_NONE;
}
#endif

#ifdef REFUSE
static enum weir_status init(struct weir_policy *p, struct weir_err *err) {
  (void)p;
  return REFUSE(err, "mine.every does not go with this machine");
}
#endif

#ifdef TAGS
static bool needs_tags(const void *cfg) {
  (void)cfg;
  return TAGS;
}
#endif

const struct weir_policy_ops SYMBOL = {.part = {.abi = ABI,
                                                .name = NAME,
                                                .help = "for tests",
                                                .params = params,
                                                .stats = stats,
#ifdef SIZE
                                                .state_size = state_size,
#endif
#ifdef STORAGE
                                                .storage_bits = storage_bits,
#endif
#ifdef REFUSE
                                                .init = init,
#endif
#ifdef VERIFY
                                                .verify = verify,
#endif
                                                .cfg_bytes = sizeof(struct cfg),
                                                .stats_bytes = sizeof(struct stats)},
#ifdef STALL
                                       .STALL = STALL,
#endif
#ifdef TAGS
                                       .needs_tags = needs_tags,
#endif
                                       .reason = REASON,
                                       .route = route,
                                       .bypass = bypass};
