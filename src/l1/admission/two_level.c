/* For a while every load uses the L1, and its misses are counted. A clear miss rate decides whether
 * loads use it for the much longer time that follows (C mode) or bypass it (B mode). Where it is
 * not clear, the number of warps decides: many warps hide what misses cost, few do not.
 *
 * A kernel that is launched again begins anew, or, with `persist`, where its last launch on the SM
 * ended: a sample can then be longer than a launch.
 *
 * Loads that bypass see no tags, so a line that only the L1 knows of would be overlooked: stores
 * to local memory write through, as those to global memory do. */
#include "l1/parts.h"

struct two_level_cfg {
  int64_t levels, sample, hold, warps, min_accesses, persist_kernels;
  double low, high;
  bool count_stores, persist;
};

struct two_level_stats {
  uint64_t samples, few, code_low, code_high, code_between, to_cache, to_bypass;
  uint64_t accesses, misses, warps;
  uint64_t cycles, sample_cycles, cache_cycles, bypass_cycles, mode;
};

#define PAPER "New Two-Level L1 Data Cache Bypassing Technique for High Performance GPUs"
#define CFG(f, default_text, ...)                                                                  \
  WEIR_PARAM(two_level_cfg, f, default_text, __VA_ARGS__, .source = "guess")

enum {
  COUNT_BITS = 13, /* accesses, misses */
  WARP_BITS = 5,
  COUNT_MAX = (1 << COUNT_BITS) - 1,
  WARP_MAX = (1 << WARP_BITS) - 1
};

static const struct weir_param params[] = {
    WEIR_PARAM(two_level_cfg, levels, "2", .min = 1, .max = 2,
               .help = "1: the miss rate alone decides, against `high`; 2: warps where it is "
                       "between `low` and `high`",
               .source = PAPER),
    WEIR_PARAM(two_level_cfg, sample, "5000", .unit = "cycle", .min = 1, .max = 1e9,
               .help = "length of a sample; the first begins with an SM's first block",
               .source = PAPER),
    CFG(hold, "95000", .unit = "cycle", .min = 0, .max = 1e12,
        .help = "how long a decision lasts until the next sample; 0: until the kernel ends"),
    CFG(low, "0.5", .min = 0, .max = 1, .help = "a lower miss rate: cache", .when = "levels=2"),
    CFG(high, "0.9", .min = 0, .max = 1, .help = "a higher miss rate: bypass"),
    CFG(warps, "16", .unit = "warp", .min = 0, .max = WARP_MAX,
        .help = "between these: cache if an SM had at least so many unfinished warps on average "
                "(more than 31 count as 31)",
        .when = "levels=2"),
    CFG(min_accesses, "32", .unit = "request", .min = 0, .max = COUNT_MAX,
        .help = "a sample with fewer says nothing: bypass"),
    CFG(persist, "false",
        .help =
            "a kernel that is launched again goes on with the sample or the decision in which its "
            "last launch on the SM ended"),
    CFG(persist_kernels, "16", .unit = "kernel", .min = 1, .max = 1024,
        .help = "that an SM remembers; the one that ran longest ago is forgotten first",
        .when = "persist=true"),
    CFG(count_stores, "false", .help = "stores and atomics are accesses of a sample too"),
    WEIR_PARAM_END};

#define S(f, u, h)               WEIR_STAT(two_level_stats, f, u, h)
#define RATIO(n, num, den, u, h) WEIR_STAT_RATIO(two_level_stats, n, num, den, u, h)
static const struct weir_stat stats[] = {
    S(samples, "event", "samples that led to a decision"),
    S(few, "event", "of these, those with too few accesses"),
    S(code_low, "event", "... with a low miss rate (code 0)"),
    S(code_high, "event", "... with a high one (code 1)"),
    S(code_between, "event", "... for which the warps decided (code 2)"),
    S(to_cache, "event", "decisions to use the L1"),
    S(to_bypass, "event", "decisions to bypass it"),
    S(accesses, "request", "accesses of these samples, as far as counters of 13 bits can count"),
    S(misses, "request", "of these, misses and partial misses"),
    S(warps, "warp", "mean unfinished warps of each sample, summed over samples"),
    S(cycles, "cycle", "cycles from an SM's first block to the kernel's end, summed over SMs"),
    S(sample_cycles, "cycle", "of these, in samples"),
    S(cache_cycles, "cycle", "... in C mode"),
    S(bypass_cycles, "cycle", "... in B mode"),
    WEIR_STAT_LEVEL(two_level_stats, mode, "1", "0: no block, 1: samples, 2: C mode, 3: B mode"),
    RATIO("sampled_miss_rate", misses, accesses, "1", "misses of the sampled accesses"),
    RATIO("mean_warps", warps, samples, "warp", "unfinished warps, mean of all samples"),
    RATIO("bypass_time", bypass_cycles, cycles, "1", "share of the time in B mode"),
    WEIR_STAT_END};

enum phase { WAITS, SAMPLES, CACHES, BYPASSES }; /* WAITS: for the SM's first block */

/* A sample, or what it led to. */
struct decision {
  uint64_t warp_cycles; /* of the sample: unfinished warps summed over its cycles */
  uint32_t accesses, misses;
  uint32_t phase; /* enum phase */
};

/* Of a kernel that has ended. */
struct kept {
  uint64_t kernel; /* 0: none */
  uint64_t ended;  /* number of the launch */
  uint64_t left;   /* cycles of its phase; WEIR_NEVER: it has no end */
  struct decision at;
};

struct two_level {
  uint64_t present;    /* slots of unfinished warps */
  uint64_t counted_to; /* cycle */
  struct decision is;
  uint64_t edge; /* cycle in which the phase ends */
  uint64_t kernel, launches;
  struct kept kept[]; /* persist_kernels, with `persist` */
};

static uint32_t n_kept(const struct two_level_cfg *cfg) {
  return cfg->persist ? (uint32_t)cfg->persist_kernels : 0;
}

static size_t state_size(const void *cfg, const struct weir_geometry *g) {
  (void)g;
  return sizeof(struct two_level) + n_kept(cfg) * sizeof(struct kept);
}

static void show_mode(struct weir_policy *p) {
  const struct two_level *s = weir_state_peek(p);
  ((struct two_level_stats *)weir_stats_edit(p))->mode = s->is.phase;
}

static enum weir_status init(struct weir_policy *p, struct weir_err *err) {
  const struct two_level_cfg *cfg = weir_cfg(p);
  if (cfg->levels == 2 && cfg->low > cfg->high)
    return weir_fail(err, WEIR_EINVAL, "two-level.low (%g) is above two-level.high (%g)", cfg->low,
                     cfg->high);
  return WEIR_OK;
}

static void count_to(struct weir_policy *p, uint64_t now) {
  struct two_level *s = weir_state_edit(p);
  struct two_level_stats *st = weir_stats_edit(p);
  uint64_t d = now - s->counted_to;
  s->counted_to = now;
  if (s->is.phase == WAITS) return;
  st->cycles += d;
  st->sample_cycles += s->is.phase == SAMPLES ? d : 0;
  st->cache_cycles += s->is.phase == CACHES ? d : 0;
  st->bypass_cycles += s->is.phase == BYPASSES ? d : 0;
  s->is.warp_cycles += d * (uint64_t)__builtin_popcountll(s->present);
}

/* ---- the decision ---- */

static uint64_t mean_warps(const struct weir_policy *p) {
  const struct two_level_cfg *cfg = weir_cfg(p);
  const struct two_level *s = weir_state_peek(p);
  uint64_t sample = (uint64_t)cfg->sample, mean = (s->is.warp_cycles + sample / 2) / sample;
  return mean < WARP_MAX ? mean : WARP_MAX;
}

static enum phase decide(struct weir_policy *p) {
  const struct two_level_cfg *cfg = weir_cfg(p);
  const struct two_level *s = weir_state_peek(p);
  struct two_level_stats *st = weir_stats_edit(p);
  if (s->is.accesses == 0 || s->is.accesses < cfg->min_accesses) {
    st->few++;
    return BYPASSES;
  }
  /* A quotient, because 900 / 1000 is exactly what "0.9" is read as. */
  double miss_rate = (double)s->is.misses / (double)s->is.accesses;
  if (miss_rate > cfg->high) {
    st->code_high++;
    return BYPASSES;
  }
  if (cfg->levels == 1 || miss_rate < cfg->low) {
    st->code_low++;
    return CACHES;
  }
  st->code_between++;
  return mean_warps(p) >= (uint64_t)cfg->warps ? CACHES : BYPASSES;
}

static void end_sample(struct weir_policy *p) {
  struct two_level *s = weir_state_edit(p);
  struct two_level_stats *st = weir_stats_edit(p);
  s->is.phase = decide(p);
  show_mode(p);
  st->samples++;
  st->to_cache += s->is.phase == CACHES;
  st->to_bypass += s->is.phase == BYPASSES;
  st->accesses += s->is.accesses;
  st->misses += s->is.misses;
  st->warps += mean_warps(p);
}

static void wake_at(struct weir_policy *p, uint64_t cycle) {
  ((struct two_level *)weir_state_edit(p))->edge = cycle;
  if (cycle != WEIR_NEVER) weir_ask_wake(p, cycle);
}

static void begin_sample(struct weir_policy *p, uint64_t now) {
  const struct two_level_cfg *cfg = weir_cfg(p);
  ((struct two_level *)weir_state_edit(p))->is = (struct decision){.phase = SAMPLES};
  show_mode(p);
  wake_at(p, now + (uint64_t)cfg->sample);
}

static void tick(struct weir_policy *p, uint64_t now) {
  const struct two_level_cfg *cfg = weir_cfg(p);
  const struct two_level *s = weir_state_peek(p);
  count_to(p, now);
  if (s->is.phase != SAMPLES) {
    begin_sample(p, now);
    return;
  }
  end_sample(p);
  wake_at(p, cfg->hold > 0 ? now + (uint64_t)cfg->hold : WEIR_NEVER);
}

/* ---- launches of the same kernel ---- */

/* The kernel's entry; if it has none, the one that it may take: the oldest. NULL: none is kept. */
static struct kept *entry_of(struct weir_policy *p, uint64_t kernel) {
  struct two_level *s = weir_state_edit(p);
  struct kept *oldest = NULL;
  for (uint32_t i = 0; i < n_kept(weir_cfg(p)); i++) {
    struct kept *k = &s->kept[i];
    if (k->kernel == kernel) return k;
    if (oldest == NULL || k->ended < oldest->ended) oldest = k;
  }
  return oldest;
}

static void keep(struct weir_policy *p, uint64_t cycle) {
  const struct two_level *s = weir_state_peek(p);
  struct kept *k = entry_of(p, s->kernel);
  if (k == NULL || s->is.phase == WAITS) return;
  *k = (struct kept){.kernel = s->kernel, .ended = s->launches, .left = WEIR_NEVER, .at = s->is};
  if (s->edge != WEIR_NEVER) k->left = s->edge > cycle ? s->edge - cycle : 1;
}

static void begin(struct weir_policy *p, uint64_t cycle) {
  struct two_level *s = weir_state_edit(p);
  const struct kept *k = entry_of(p, s->kernel);
  if (k == NULL || k->kernel != s->kernel) {
    begin_sample(p, cycle);
    return;
  }
  s->is = k->at;
  show_mode(p);
  wake_at(p, k->left != WEIR_NEVER ? cycle + k->left : WEIR_NEVER);
}

/* ---- requests ---- */

static enum weir_answer route(const struct weir_policy *p, const struct weir_access *a) {
  (void)a;
  return ((const struct two_level *)weir_state_peek(p))->is.phase == BYPASSES ? WEIR_BYPASS
                                                                              : WEIR_PASS;
}

static enum weir_write store(const struct weir_policy *p, const struct weir_access *a,
                             struct weir_set set, int way) {
  (void)p, (void)set, (void)way;
  return a->is_local ? WEIR_WRITE_THROUGH : WEIR_WRITE_PASS;
}

/* When the counter of accesses is full, both stop: their quotient remains one. */
static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  (void)set, (void)way;
  const struct two_level_cfg *cfg = weir_cfg(p);
  struct two_level *s = weir_state_edit(p);
  bool is_counted =
      a->op == WEIR_LOAD || (cfg->count_stores && (a->op == WEIR_STORE || a->op == WEIR_ATOMIC));
  if (s->is.phase != SAMPLES || !is_counted || s->is.accesses == COUNT_MAX) return;
  s->is.accesses++;
  s->is.misses += outcome == WEIR_MISS || outcome == WEIR_PARTIAL;
}

/* ---- warps and kernels ---- */

static void cta_begin(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  struct two_level *s = weir_state_edit(p);
  count_to(p, cycle);
  s->present |= c->warps;
  if (s->is.phase == WAITS) begin(p, cycle);
}

static void leave(struct weir_policy *p, uint64_t warps, uint64_t cycle) {
  struct two_level *s = weir_state_edit(p);
  count_to(p, cycle);
  s->present &= ~warps;
}

static void cta_end(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  leave(p, c->warps, cycle);
}

static void warp(struct weir_policy *p, uint32_t slot, enum weir_warp_event e, uint64_t cycle) {
  if (e == WEIR_WARP_ENDS) leave(p, UINT64_C(1) << slot, cycle);
}

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  struct two_level *s = weir_state_edit(p);
  s->present = s->counted_to = 0;
  s->is = (struct decision){.phase = WAITS};
  show_mode(p);
  s->kernel = k->id;
  s->launches++;
}

static void kernel_end(struct weir_policy *p, const struct weir_kernel *k, uint64_t cycle) {
  (void)k;
  count_to(p, cycle);
  keep(p, cycle);
}

/* ---- reports ---- */

static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  (void)g;
  const struct two_level_cfg *c = cfg;
  enum { COUNTERS = 2 * COUNT_BITS + WARP_BITS, ADDRESS = 32, PHASE = 2 };
  uint64_t longest = (uint64_t)(c->hold > c->sample ? c->hold : c->sample);
  return COUNTERS + (uint64_t)n_kept(c) * (ADDRESS + PHASE + COUNTERS + weir_bits(longest + 1));
}

static const char *verify(const struct weir_policy *p) {
  const struct two_level *s = weir_state_peek(p);
  const struct two_level_stats *st = p->stats;
  if (s->is.accesses > COUNT_MAX || s->is.misses > s->is.accesses)
    return "a counter is outside its range";
  if (st->samples != st->few + st->code_low + st->code_high + st->code_between ||
      st->samples != st->to_cache + st->to_bypass)
    return "its decisions do not add up";
  return st->cycles != st->sample_cycles + st->cache_cycles + st->bypass_cycles
             ? "its modes do not fill the time"
             : NULL;
}

const struct weir_policy_ops weir_policy_two_level = {
    .part = {WEIR_PART("two-level",
                       "a sample of the miss rate and the number of warps decide whether loads use "
                       "the L1 until the next sample"),
             .reference = PAPER, WEIR_PART_PARAMS(params, two_level_cfg),
             WEIR_PART_STATS(stats, two_level_stats), .state_size = state_size, .init = init,
             .storage_bits = storage_bits, .verify = verify, .kernel_begin = kernel_begin,
             .kernel_end = kernel_end, .cta_begin = cta_begin, .cta_end = cta_end, .warp = warp,
             .tick = tick},
    .reason = WEIR_R_MODE,
    .route = route,
    .store = store,
    .lookup = lookup};
