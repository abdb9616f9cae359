/* Bimodal re-reference interval prediction: nearly all lines come as the next ones to go, so that
 * a part of a working set that is too large stays. Now and then one gets the chance of srrip's. */
#include "l1/replacement/rrip.h"

struct count {
  uint32_t n; /* lines since one was not distant */
};

static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  (void)a;
  struct count *c = weir_state_edit(p);
  weir_rrip_insert(p, set.index, way, weir_rrip_is_distant(p, &c->n));
}

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  const struct weir_rrip_cfg *cfg = weir_cfg(p);
  if (cfg->reset) *(struct count *)weir_state_edit(p) = (struct count){0};
}

static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  const struct weir_rrip_cfg *c = cfg;
  return weir_rrip_bits(c, g) + weir_rrip_counter_bits(c->long_every);
}

static const char *verify(const struct weir_policy *p) {
  const struct count *c = weir_state_peek(p);
  const struct weir_rrip_cfg *cfg = weir_cfg(p);
  return c->n >= cfg->long_every ? "its counter went past its end" : weir_rrip_verify(p);
}

static const struct weir_param params[] = {
    WEIR_RRIP_PARAMS, WEIR_BRRIP_PARAM,
    WEIR_PARAM(weir_rrip_cfg, reset, "false", .source = "guess",
               .help = "begin to count anew when a kernel begins"),
    WEIR_PARAM_END};
static const struct weir_stat stats[] = {WEIR_RRIP_STATS, WEIR_STAT_END};

const struct weir_policy_ops weir_policy_brrip = {
    .part = {.abi = WEIR_POLICY_ABI,
             .name = "brrip",
             .help = "as srrip, but most new lines come as the next ones to go",
             .reference = WEIR_RRIP_PAPER,
             .params = params,
             .stats = stats,
             .cfg_bytes = sizeof(struct weir_rrip_cfg),
             .state_bytes = sizeof(struct count),
             .line_bytes = sizeof(uint8_t),
             .stats_bytes = sizeof(struct weir_rrip_stats),
             .storage_bits = storage_bits,
             .verify = verify,
             .kernel_begin = kernel_begin},
    .victim = weir_rrip_victim,
    .lookup = weir_rrip_lookup,
    .alloc = alloc,
    .evict = weir_rrip_evict};
