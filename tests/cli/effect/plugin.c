/* A policy with a parameter that another one governs. */
#include "weir/policy.h"

#ifndef WHEN
#define WHEN "mode=some and l1.sets>1"
#endif

struct cfg {
  const char *mode;
  int64_t every;
};

static const struct weir_param params[] = {
    WEIR_PARAM(cfg, mode, "none", .choices = "none|some", .help = "which loads bypass"),
    WEIR_PARAM(cfg, every, "4", .min = 1, .max = 99, .help = "one in so many", .when = WHEN),
    WEIR_PARAM_END};

static enum weir_answer route(const struct weir_policy *p, const struct weir_access *a) {
  const struct cfg *c = weir_cfg(p);
  return c->mode[0] == 's' && a->set % (uint32_t)c->every == 0 ? WEIR_BYPASS : WEIR_PASS;
}

const struct weir_policy_ops weir_policy_mine = {.part = {.abi = WEIR_POLICY_ABI,
                                                          .name = "mine",
                                                          .help = "a test",
                                                          .params = params,
                                                          .cfg_bytes = sizeof(struct cfg)},
                                                 .route = route};
