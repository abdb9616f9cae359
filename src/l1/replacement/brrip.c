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
  if (weir_rrip_cfg(p)->reset) *(struct count *)weir_state_edit(p) = (struct count){0};
}

static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  const struct weir_rrip_cfg *c = cfg;
  return weir_rrip_storage(c, g) + weir_bits((uint64_t)c->long_every);
}

static const char *verify(const struct weir_policy *p) {
  const struct count *c = weir_state_peek(p);
  return c->n >= weir_rrip_cfg(p)->long_every ? "its counter went past its end"
                                              : weir_rrip_verify(p);
}

static const struct weir_param params[] = {
    WEIR_RRIP_PARAMS, WEIR_BRRIP_PARAM,
    WEIR_RRIP_PARAM(reset, "false", .source = "guess",
                    .help = "begin to count anew when a kernel begins"),
    WEIR_PARAM_END};
static const struct weir_stat stats[] = {WEIR_RRIP_STATS, WEIR_STAT_END};

const struct weir_policy_ops weir_policy_brrip = {
    .part = {WEIR_PART("brrip", "as srrip, but most new lines come as the next ones to go"),
             WEIR_PART_PARAMS(params, weir_rrip_cfg), WEIR_PART_STATS(stats, weir_rrip_stats),
             .reference = WEIR_RRIP_PAPER, .state_bytes = sizeof(struct count),
             .line_bytes = sizeof(uint8_t), .storage_bits = storage_bits, .verify = verify,
             .kernel_begin = kernel_begin},
    .victim = weir_rrip_victim,
    .lookup = weir_rrip_lookup,
    .alloc = alloc,
    .evict = weir_rrip_evict};
