/* A stand-in for CARB, of which nothing but the name and the family is known to us: bypassing that
 * a bottleneck turns on. It is not that design and says nothing about how good that one is.
 *
 * At the end of each interval the SM is asked for how much of it the LD/ST unit waited for the L1:
 * for a line, an MSHR, a merge or the miss queue. If that was much, the misses of those warps that
 * had the fewest hits bypass until the next interval ends; hits are hits. */
#include "l1/parts.h"

struct carb_cfg {
  int64_t interval;
  double stall, share;
};

struct carb_stats {
  uint64_t intervals, stalled, cycles, stall_cycles, warps, chosen, misses, bypassed;
};

#define CFG(f, default_text, ...)                                                                  \
  WEIR_PARAM(carb_cfg, f, default_text, __VA_ARGS__, .source = "guess")

static const struct weir_param params[] = {
    CFG(interval, "1000", .unit = "cycle", .min = 1, .max = 1e9,
        .help = "from one decision to the next; the first comes so long after a kernel's begin"),
    CFG(stall, "0.3", .min = 0, .max = 1,
        .help = "bypassing is on after an interval in which the LD/ST unit waited for the L1 for "
                "more than this share of the time"),
    CFG(share, "0.5", .min = 0, .max = 1,
        .help = "of the warps that loaded in the interval, so many bypass, rounded up: those with "
                "the fewest hits, of equals those in lower slots"),
    WEIR_PARAM_END};

#define S(f, u, h)            WEIR_STAT(carb_stats, f, u, h)
#define RATIO(n, num, den, h) WEIR_STAT_RATIO(carb_stats, n, num, den, "1", h)
static const struct weir_stat stats[] = {
    S(intervals, "event", "intervals that came to their end"),
    S(stalled, "event", "of these, those after which bypassing was on"),
    S(cycles, "cycle", "of these intervals, summed over SMs"),
    S(stall_cycles, "cycle", "of these, those in which the LD/ST unit waited for the L1"),
    S(warps, "warp", "warps that had loaded, summed over the intervals after which it was on"),
    S(chosen, "warp", "of these, those whose misses bypass"),
    S(misses, "request", "loads that missed, while bypassing was on"),
    S(bypassed, "request", "of these, those that bypassed the L1"),
    RATIO("on_share", stalled, intervals, "intervals after which bypassing was on, of all"),
    RATIO("stall_share", stall_cycles, cycles, "share of the time that the LD/ST unit waited"),
    RATIO("bypassed_share", bypassed, misses, "bypassed misses, of those while it was on"),
    WEIR_STAT_END};

struct carb {
  uint64_t bypasses;                                    /* slots of warps */
  uint64_t stall0;                                      /* of the SM, when the interval began */
  uint32_t loads[WEIR_MAX_WARPS], hits[WEIR_MAX_WARPS]; /* in the interval, by slot */
};

/* ---- the decision ---- */

static uint64_t that_loaded(const struct carb *s) {
  uint64_t slots = 0;
  for (uint32_t w = 0; w < WEIR_MAX_WARPS; w++)
    if (s->loads[w] > 0) slots |= UINT64_C(1) << w;
  return slots;
}

static uint64_t fewest_hits(const struct carb *s, uint64_t among) {
  uint32_t best = WEIR_MAX_WARPS;
  for (uint32_t w = 0; w < WEIR_MAX_WARPS; w++)
    if (among >> w & 1 && (best == WEIR_MAX_WARPS || s->hits[w] < s->hits[best])) best = w;
  return UINT64_C(1) << best;
}

static uint64_t choose(struct weir_policy *p) {
  const struct carb_cfg *cfg = weir_cfg(p);
  struct carb_stats *st = weir_stats_edit(p);
  const struct carb *s = weir_state_peek(p);
  uint64_t left = that_loaded(s), chosen = 0;
  double n = __builtin_popcountll(left), wanted = cfg->share * n;
  st->warps += (uint64_t)n;
  for (uint32_t i = 0; i < wanted; i++) {
    uint64_t next = fewest_hits(s, left);
    chosen |= next;
    left &= ~next;
    st->chosen++;
  }
  return chosen;
}

static void begin_interval(struct weir_policy *p, uint64_t bypasses, uint64_t now) {
  const struct carb_cfg *cfg = weir_cfg(p);
  *(struct carb *)weir_state_edit(p) =
      (struct carb){.bypasses = bypasses, .stall0 = weir_sm_view(p).resv_stall_cycles};
  weir_ask_wake(p, now + (uint64_t)cfg->interval);
}

static void tick(struct weir_policy *p, uint64_t now) {
  const struct carb_cfg *cfg = weir_cfg(p);
  const struct carb *s = weir_state_peek(p);
  struct carb_stats *st = weir_stats_edit(p);
  uint64_t stalled = weir_sm_view(p).resv_stall_cycles - s->stall0;
  /* A quotient, because 300 / 1000 is exactly what "0.3" is read as. */
  bool is_much = (double)stalled / (double)cfg->interval > cfg->stall;
  st->intervals++;
  st->stalled += is_much;
  st->cycles += (uint64_t)cfg->interval;
  st->stall_cycles += stalled;
  begin_interval(p, is_much ? choose(p) : 0, now);
}

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  begin_interval(p, 0, 0);
}

/* Other warps are in these slots now. */
static void cta_begin(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  (void)cycle;
  struct carb *s = weir_state_edit(p);
  s->bypasses &= ~c->warps;
  for (uint64_t left = c->warps; left != 0; left &= left - 1)
    s->loads[__builtin_ctzll(left)] = s->hits[__builtin_ctzll(left)] = 0;
}

/* ---- requests ---- */

static bool bypasses(const struct weir_policy *p, const struct weir_access *a) {
  return ((const struct carb *)weir_state_peek(p))->bypasses >> a->warp & 1;
}

static enum weir_answer admit(const struct weir_policy *p, const struct weir_access *a,
                              struct weir_set set) {
  (void)set;
  return bypasses(p, a) ? WEIR_BYPASS : WEIR_PASS;
}

/* What admit said holds: nothing has changed since. */
static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  (void)set, (void)way;
  struct carb *s = weir_state_edit(p);
  struct carb_stats *st = weir_stats_edit(p);
  if (a->op != WEIR_LOAD) return;
  s->loads[a->warp]++;
  s->hits[a->warp] += outcome == WEIR_HIT;
  if (s->bypasses == 0 || outcome != WEIR_MISS) return;
  st->misses++;
  st->bypassed += bypasses(p, a);
}

/* ---- reports ---- */

/* Of each warp its hits, whether it loaded, whether it bypasses; of the SM the cycles it waited. */
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  const struct carb_cfg *c = cfg;
  uint64_t counter = weir_bits((uint64_t)c->interval + 1);
  return g->warps * (counter + 2) + counter;
}

static const char *verify(const struct weir_policy *p) {
  const struct carb *s = weir_state_peek(p);
  const struct carb_stats *st = p->stats;
  for (uint32_t w = 0; w < WEIR_MAX_WARPS; w++)
    if (s->hits[w] > s->loads[w]) return "a warp has more hits than loads";
  if (st->stalled > st->intervals || st->chosen > st->warps || st->bypassed > st->misses)
    return "a part is more than the whole";
  return NULL;
}

const struct weir_policy_ops weir_policy_carb_standin = {
    .part = {WEIR_PART("carb-standin", "while the L1 holds the LD/ST unit up, misses of the warps "
                                       "with the fewest hits bypass it: in place of CARB, which "
                                       "it is not"),
             WEIR_PART_PARAMS(params, carb_cfg), WEIR_PART_STATS(stats, carb_stats),
             .state_bytes = sizeof(struct carb), .storage_bits = storage_bits, .verify = verify,
             .kernel_begin = kernel_begin, .cta_begin = cta_begin, .tick = tick},
    .reason = WEIR_R_MODE,
    .admit = admit,
    .lookup = lookup};
