/* Static re-reference interval prediction: every line comes as one that is used again in a long
 * time, and must be hit to stay longer than others. A scan cannot push out what is hit. */
#include "l1/replacement/rrip.h"

static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  (void)a;
  weir_rrip_insert(p, set.index, way, false);
}

static const struct weir_param params[] = {WEIR_RRIP_PARAMS, WEIR_PARAM_END};
static const struct weir_stat stats[] = {WEIR_RRIP_STATS, WEIR_STAT_END};

const struct weir_policy_ops weir_policy_srrip = {
    .part = {WEIR_PART("srrip", "replace a line whose next use is thought to be far away; new "
                                "lines come as fairly far"),
             WEIR_PART_PARAMS(params, weir_rrip_cfg), WEIR_PART_STATS(stats, weir_rrip_stats),
             .reference = WEIR_RRIP_PAPER, .line_bytes = sizeof(uint8_t),
             .storage_bits = weir_rrip_storage, .verify = weir_rrip_verify},
    .victim = weir_rrip_victim,
    .lookup = weir_rrip_lookup,
    .alloc = alloc,
    .evict = weir_rrip_evict};
