/* No load enters the L1. Stores take no line either, so that nothing is ever in it. */
#include "l1/parts.h"

struct bypass_all_cfg {
  bool keep_local; /* local memory stays cached */
};

#define PAPER "Locality-Driven Dynamic GPU Cache Bypassing"

static const struct weir_param params[] = {
    WEIR_PARAM(bypass_all_cfg, keep_local, "false",
               .help = "loads and stores of local memory use the L1 as usual", .source = PAPER),
    WEIR_PARAM_END};

static bool is_kept(const struct weir_policy *p, const struct weir_access *a) {
  const struct bypass_all_cfg *cfg = weir_cfg(p);
  return a->is_local && cfg->keep_local;
}

static enum weir_answer route(const struct weir_policy *p, const struct weir_access *a) {
  return is_kept(p, a) ? WEIR_PASS : WEIR_BYPASS;
}

static enum weir_write store(const struct weir_policy *p, const struct weir_access *a,
                             struct weir_set set, int way) {
  (void)set, (void)way;
  return is_kept(p, a) ? WEIR_WRITE_PASS : WEIR_WRITE_EVICT;
}

const struct weir_policy_ops weir_policy_bypass_all = {
    .part = {WEIR_PART("bypass-all", "all loads bypass the L1"), .reference = PAPER,
             WEIR_PART_PARAMS(params, bypass_all_cfg), .storage_bits = weir_no_storage},
    .reason = WEIR_R_MODE,
    .route = route,
    .store = store};
