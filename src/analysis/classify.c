#include "analysis/classify.h"

#include <math.h>

#define PAPER "Coordinated Static and Dynamic Cache Bypassing for GPUs, HPCA 2015"

static const struct weir_param params[] = {
    WEIR_PARAM(weir_cls_cfg, high, "0.7", .min = 0, .max = 1,
               .help = "a load with at least this hit rate uses the L1 (ca)", .source = PAPER),
    WEIR_PARAM(weir_cls_cfg, low, "0.3", .min = 0, .max = 1,
               .help = "one with at most this hit rate bypasses it (cg); between the two: cm",
               .source = PAPER),
    WEIR_PARAM(weir_cls_cfg, hr_is_hit, "true",
               .help = "a request that joins one under way is a hit too",
               .source = PAPER ", Table 3 (GEM: all loads ca)"),
    WEIR_PARAM(weir_cls_cfg, go_round, "true",
               .help = "a branch that skips a loop passes it, as far as locality is concerned",
               .source = "guess", .when = "classified; or chosen"),
    WEIR_PARAM_END};

const struct weir_param_group weir_cls_params = {"cls", "Classification of loads (weir classify).",
                                                 params, sizeof(struct weir_cls_cfg), "classified"};

enum weir_status weir_cls_check(const struct weir_cls_cfg *cfg, struct weir_err *err) {
  if (cfg->low <= cfg->high) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL, "cls.low is %g, above cls.high, which is %g", cfg->low, cfg->high);
  weir_err_add(err, "loads between the two are cm: lower cls.low or raise cls.high");
  return WEIR_EINVAL;
}

/* Rates are compared as whole numbers, in thousandths: no rounding decides about a load. */
enum weir_tag weir_classify_load(const struct weir_cls_cfg *cfg, uint32_t n_group, int64_t extra,
                                 const struct weir_load_counts *c) {
  enum { UNIT = 1000 };
  int64_t n = n_group, accesses = (int64_t)c->accesses;
  int64_t hits = UNIT * (n * (int64_t)c->alone + extra);
  if (accesses == 0) return WEIR_TAG_CM;
  if (hits >= llround(cfg->high * UNIT) * n * accesses) return WEIR_TAG_CA;
  return hits <= llround(cfg->low * UNIT) * n * accesses ? WEIR_TAG_CG : WEIR_TAG_CM;
}

int64_t weir_group_extra(const struct weir_loads *l, const struct weir_load_counts *c,
                         uint32_t group) {
  int64_t extra = 0;
  for (uint32_t i = 0; i < l->n; i++)
    if (l->v[i].group == group) extra += (int64_t)c[i].together - (int64_t)c[i].alone;
  return extra;
}

void weir_classify(const struct weir_cls_cfg *cfg, const struct weir_loads *l,
                   const struct weir_load_counts *c, enum weir_tag *out) {
  for (uint32_t i = 0; i < l->n; i++) {
    uint32_t group = l->v[i].group;
    out[i] = l->v[i].is_fixed ? WEIR_TAG_NONE
                              : weir_classify_load(cfg, weir_loads_in_group(l, group),
                                                   weir_group_extra(l, c, group), &c[i]);
  }
}
