/* A coin is thrown for every load that misses; a hit is a hit, and a load whose line is on its way
 * joins it. It knows nothing of the program: what a design gains that this one gains too does not
 * come from what it learns. */
#include "l1/parts.h"

struct random_bypass_cfg {
  double p;
  int64_t seed;
};

static const struct weir_param params[] = {
    WEIR_PARAM(random_bypass_cfg, p, "0.5", .min = 0, .max = 1,
               .help = "probability that a load that misses bypasses the L1", .source = "guess"),
    WEIR_PARAM(random_bypass_cfg, seed, "0", .min = 0, .max = UINT32_MAX,
               .help = "of the choices; each SM makes its own", .when = "p>0 and p<1"),
    WEIR_PARAM_END};

static enum weir_answer admit(const struct weir_policy *p, const struct weir_access *a,
                              struct weir_set set) {
  (void)a, (void)set;
  const struct random_bypass_cfg *cfg = weir_cfg(p);
  const double n = UINT32_MAX;
  return weir_pick(p, UINT32_MAX, (uint32_t)cfg->seed) < cfg->p * n ? WEIR_BYPASS : WEIR_PASS;
}

const struct weir_policy_ops weir_policy_random_bypass = {
    .part = {WEIR_PART("random-bypass", "loads that miss bypass the L1 by chance: a control"),
             WEIR_PART_PARAMS(params, random_bypass_cfg), .storage_bits = weir_no_storage},
    .reason = WEIR_R_PREDICTOR,
    .admit = admit};
