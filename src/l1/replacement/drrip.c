/* Dynamic re-reference interval prediction: some sets always insert as srrip, some as brrip, and a
 * counter of their misses says what all others do. */
#include "l1/duel.h"
#include "l1/replacement/rrip.h"

struct duel {
  uint32_t psel; /* grows with the misses of srrip's sets; from half its range on brrip is better */
  uint32_t n;    /* lines that came by brrip's rule since one was not distant */
};

static uint32_t half(const struct weir_policy *p) {
  return 1u << (weir_rrip_cfg(p)->psel_bits - 1);
}

static const enum weir_side SRRIP = WEIR_LEADS_ONE, BRRIP = WEIR_LEADS_OTHER;

static enum weir_side side_of(const struct weir_policy *p, uint32_t set) {
  return weir_duel_side(set, weir_geometry(p)->sets, weir_rrip_cfg(p)->duel_period);
}

static bool brrip_wins(const struct weir_policy *p) {
  return ((const struct duel *)weir_state_peek(p))->psel >= half(p);
}

static void begin(struct weir_policy *p) {
  bool is_brrip = weir_rrip_cfg(p)->start == WEIR_START_BRRIP;
  *(struct duel *)weir_state_edit(p) = (struct duel){.psel = half(p) - !is_brrip};
  weir_rrip_stats(p)->selector = half(p) - !is_brrip;
}

static enum weir_status init(struct weir_policy *p, struct weir_err *err) {
  (void)err;
  begin(p);
  return WEIR_OK;
}

/* Loads that the cache could not serve count, also if they then bypass it. */
static void train(struct weir_policy *p, uint32_t set) {
  struct duel *d = weir_state_edit(p);
  enum weir_side side = side_of(p, set);
  bool was = brrip_wins(p);
  if (side == WEIR_FOLLOWS) return;
  weir_rrip_stats(p)->misses_srrip += side == SRRIP;
  weir_rrip_stats(p)->misses_brrip += side == BRRIP;
  weir_duel_step(&d->psel, side == SRRIP, 2 * half(p) - 1);
  weir_rrip_stats(p)->switches += brrip_wins(p) != was;
  weir_rrip_stats(p)->selector = d->psel;
}

static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  if (outcome == WEIR_MISS && a->op == WEIR_LOAD) train(p, set.index);
  weir_rrip_lookup(p, a, set, way, outcome);
}

static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  (void)a;
  struct duel *d = weir_state_edit(p);
  enum weir_side side = side_of(p, set.index);
  bool follows = side == WEIR_FOLLOWS, is_brrip = follows ? brrip_wins(p) : side == BRRIP;
  weir_rrip_stats(p)->follower_inserts += follows;
  weir_rrip_stats(p)->follower_brrip += follows && is_brrip;
  weir_rrip_insert(p, set.index, way, is_brrip && weir_rrip_is_distant(p, &d->n));
}

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  if (weir_rrip_cfg(p)->reset) begin(p);
}

static void kernel_end(struct weir_policy *p, const struct weir_kernel *k, uint64_t cycle) {
  (void)k, (void)cycle;
  weir_rrip_stats(p)->psel = ((const struct duel *)weir_state_peek(p))->psel;
}

static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  const struct weir_rrip_cfg *c = cfg;
  return weir_rrip_storage(c, g) + (uint64_t)c->psel_bits + weir_bits((uint64_t)c->long_every);
}

static const char *verify(const struct weir_policy *p) {
  const struct duel *d = weir_state_peek(p);
  if (d->psel >= 2 * half(p)) return "the selector is out of its range";
  return d->n >= weir_rrip_cfg(p)->long_every ? "its counter went past its end"
                                              : weir_rrip_verify(p);
}

static const struct weir_param params[] = {
    WEIR_RRIP_PARAMS,
    WEIR_BRRIP_PARAM,
    WEIR_RRIP_PARAM(psel_bits, "10", .unit = "bit", .min = 1, .max = 24, .help = "of the selector",
                    .source = WEIR_RRIP_PAPER),
    WEIR_RRIP_PARAM(
        duel_period, "8", .unit = "set", .min = 2, .max = 4096,
        .help = "of so many sets (or of all, if they are fewer) one is always srrip and one "
                "always brrip",
        .source = "guess"),
    WEIR_RRIP_PARAM(start, "srrip", .choices = WEIR_CHOICES(WEIR_RRIP_STARTS), .source = "guess",
                    .help = "what the others begin with; the first miss can change it"),
    WEIR_RRIP_PARAM(reset, "false", .source = "guess",
                    .help = "forget the selector and the counter of lines when a kernel begins"),
    WEIR_PARAM_END};

static const struct weir_stat stats[] = {
    WEIR_RRIP_STATS,
    WEIR_RRIP_STAT(misses_srrip, "request", "loads that missed in sets that are always srrip"),
    WEIR_RRIP_STAT(misses_brrip, "request", "... always brrip"),
    WEIR_RRIP_STAT(follower_inserts, "line", "lines that came to other sets"),
    WEIR_RRIP_STAT(follower_brrip, "line", "of these, by brrip's rule"),
    WEIR_RRIP_RATIO("brrip_share", follower_brrip, follower_inserts, "1",
                    "follower_brrip / follower_inserts"),
    WEIR_RRIP_STAT(switches, "event", "changes of the rule of these sets"),
    WEIR_STAT_MAXIMUM(weir_rrip_stats, psel, "1",
                      "the selector when the kernel ended, the largest of all SMs"),
    WEIR_STAT_LEVEL(weir_rrip_stats, selector, "1",
                    "the selector: from half its range on other sets are brrip"),
    WEIR_STAT_END};

const struct weir_policy_ops weir_policy_drrip = {
    .part = {WEIR_PART("drrip", "srrip or brrip, whichever misses less in some sets"),
             WEIR_PART_PARAMS(params, weir_rrip_cfg), WEIR_PART_STATS(stats, weir_rrip_stats),
             .reference = WEIR_RRIP_PAPER, .state_bytes = sizeof(struct duel),
             .line_bytes = sizeof(uint8_t), .init = init, .storage_bits = storage_bits,
             .verify = verify, .kernel_begin = kernel_begin, .kernel_end = kernel_end},
    .victim = weir_rrip_victim,
    .lookup = lookup,
    .alloc = alloc,
    .evict = weir_rrip_evict};
