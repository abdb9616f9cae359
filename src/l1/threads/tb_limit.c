/* Fewer blocks on an SM than would fit: their lines have more of the L1 to themselves. */
#include "l1/parts.h"

struct tb_limit_cfg {
  int64_t blocks;
};

static const struct weir_param params[] = {
    WEIR_PARAM(tb_limit_cfg, blocks, "64", .unit = "block", .min = 1, .max = 64,
               .help = "on an SM at most; 64 is more than there can be: no limit"),
    WEIR_PARAM_END};

static uint32_t max_ctas(const struct weir_policy *p, const struct weir_kernel *k) {
  const struct tb_limit_cfg *cfg = weir_cfg(p);
  return (uint32_t)cfg->blocks < k->ctas_per_sm ? (uint32_t)cfg->blocks : k->ctas_per_sm;
}

const struct weir_policy_ops weir_policy_tb_limit = {
    .part = {WEIR_PART("tb-limit", "a fixed number of blocks may be on an SM"),
             WEIR_PART_PARAMS(params, tb_limit_cfg),
             .reference = "O. Kayiran et al., Neither More Nor Less: Optimizing Thread-Level "
                          "Parallelism for GPGPUs, PACT 2013",
             .storage_bits = weir_no_storage}, /* a limit of the dispatcher's own */
    .max_ctas = max_ctas};
