/* Early miss prediction in periods: after a sample in which most loads missed, a filter is armed.
 * While it is, a copy of the L1's tags is asked before the L1 is: a load whose line the copy does
 * not have bypasses, without waiting for the tags or for an MSHR. The copy learns of a change one
 * cycle later, so it may say hit where there is a miss by now; that is a miss like any other.
 *
 * The paper's abstract is all that this is made from: the periods, the threshold and what a filter
 * does with a load are ours. Where lines are allocated on fill, one that is on its way is not in
 * the tags, and the copy predicts a miss. */
#include "l1/parts.h"

struct pemp_cfg {
  int64_t sample, filter;
  double threshold;
};

struct pemp_stats {
  uint64_t samples, armed, accesses, misses, cycles, armed_cycles, mode;
  uint64_t predictions, predicted_hits, false_hits, bypassed, false_misses, right;
};

#define PAPER                                                                                      \
  "C. T. Do, J. M. Kim and C. H. Kim, Early miss prediction based periodic cache bypassing for "   \
  "high performance GPUs, Microprocessors and Microsystems 55, 2017"
#define CFG(f, default_text, ...)                                                                  \
  WEIR_PARAM(pemp_cfg, f, default_text, __VA_ARGS__, .source = "guess")

static const struct weir_param params[] = {
    CFG(sample, "2000", .unit = "cycle", .min = 1, .max = 1e9,
        .help = "length of a sample; the first begins with the kernel"),
    CFG(filter, "8000", .unit = "cycle", .min = 1, .max = 1e12,
        .help = "from a sample to the next: how long the filter is armed, if it is"),
    CFG(threshold, "0.7", .min = 0, .max = 1,
        .help = "a higher miss rate of the sample arms the filter"),
    WEIR_PARAM_END};

#define S(f, u, h)            WEIR_STAT(pemp_stats, f, u, h)
#define RATIO(n, num, den, h) WEIR_STAT_RATIO(pemp_stats, n, num, den, "1", h)
static const struct weir_stat stats[] = {
    S(samples, "event", "samples that came to their end"),
    S(armed, "event", "of these, those after which the filter was armed"),
    S(accesses, "request", "loads of these samples"),
    S(misses, "request", "of these, misses and partial misses"),
    S(cycles, "cycle", "cycles of the kernels, summed over SMs"),
    S(armed_cycles, "cycle", "of these, with an armed filter"),
    WEIR_STAT_LEVEL(pemp_stats, mode, "1", "1: the filter is armed"),
    S(predictions, "request", "loads that came while the filter was armed"),
    S(predicted_hits, "request", "of these, those that went to the L1's tags"),
    S(false_hits, "request", "... of which not all was there or on its way"),
    S(bypassed, "request", "predictions of a miss: loads that bypassed the L1"),
    S(false_misses, "request", "... though the L1 had the line, or a way for it"),
    S(right, "request", "predictions that were right"),
    RATIO("armed_share", armed, samples, "filters that were armed, of all"),
    RATIO("armed_time", armed_cycles, cycles, "share of the time with an armed filter"),
    RATIO("accuracy", right, predictions, "predictions that were right, of all"),
    WEIR_STAT_END};

struct pemp {
  uint64_t accesses, misses; /* of the sample */
  uint64_t edge;             /* cycle in which it, or the filter, ends */
  uint64_t counted_to;       /* cycle */
  uint32_t changed;          /* number + 1 of a way that the copy is behind of; 0: of none */
  bool is_filter, is_armed;
};

struct way {
  uint64_t line, copy;   /* line number + 1, 0: none; what the tags have, what the copy says */
  uint64_t since;        /* cycle in which they came to differ */
  uint32_t next_changed; /* as in struct pemp */
  bool is_changed;       /* it is in that list */
};

static uint64_t line_of(const struct weir_policy *p, const struct weir_access *a) {
  return a->addr / weir_geometry(p)->line_bytes + 1;
}

/* ---- the copy ---- */

static struct way *way_number(struct weir_policy *p, uint32_t number) {
  return (struct way *)weir_line_edit(p, 0, 0) + (number - 1);
}

enum whose { TAGS, COPY };

static bool has_line(const struct weir_policy *p, const struct weir_access *a, enum whose whose) {
  const struct way *w = weir_line_peek(p, a->set, 0);
  uint64_t line = line_of(p, a);
  for (uint32_t i = 0; i < weir_geometry(p)->ways; i++)
    if ((whose == COPY ? w[i].copy : w[i].line) == line) return true;
  return false;
}

/* Nobody looks at the copy unless the filter is armed: only then it is kept up every cycle. */
static void change(struct weir_policy *p, uint32_t set, int way, uint64_t line, uint64_t cycle) {
  struct pemp *s = weir_state_edit(p);
  struct way *w = weir_line_edit(p, set, way);
  w->line = line;
  w->since = cycle;
  if (!w->is_changed) {
    w->is_changed = true;
    w->next_changed = s->changed;
    s->changed = set * weir_geometry(p)->ways + (uint32_t)way + 1;
  }
  if (s->is_armed) weir_ask_wake(p, cycle + 1);
}

/* The copy hears of what changed before this cycle. */
static void catch_up(struct weir_policy *p, uint64_t now) {
  struct pemp *s = weir_state_edit(p);
  uint32_t next, left = 0;
  for (uint32_t n = s->changed; n != 0; n = next) {
    struct way *w = way_number(p, n);
    next = w->next_changed;
    if (w->since < now) {
      w->copy = w->line;
      w->is_changed = false;
    } else {
      w->next_changed = left;
      left = n;
    }
  }
  s->changed = left;
}

static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  change(p, set.index, way, line_of(p, a), a->cycle);
}

static void evict(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                  enum weir_cause cause) {
  (void)cause;
  change(p, set.index, way, 0, a->cycle);
}

/* ---- periods ---- */

static void count_to(struct weir_policy *p, uint64_t now) {
  struct pemp *s = weir_state_edit(p);
  struct pemp_stats *st = weir_stats_edit(p);
  st->cycles += now - s->counted_to;
  st->armed_cycles += s->is_armed ? now - s->counted_to : 0;
  s->counted_to = now;
}

static void begin_sample(struct weir_policy *p, uint64_t now) {
  const struct pemp_cfg *cfg = weir_cfg(p);
  struct pemp *s = weir_state_edit(p);
  s->accesses = s->misses = 0;
  s->is_filter = s->is_armed = false;
  ((struct pemp_stats *)weir_stats_edit(p))->mode = 0;
  s->edge = now + (uint64_t)cfg->sample;
}

static void begin_filter(struct weir_policy *p, uint64_t now) {
  const struct pemp_cfg *cfg = weir_cfg(p);
  struct pemp *s = weir_state_edit(p);
  struct pemp_stats *st = weir_stats_edit(p);
  /* A quotient, because 700 / 1000 is exactly what "0.7" is read as. */
  s->is_armed = s->accesses > 0 && (double)s->misses / (double)s->accesses > cfg->threshold;
  s->is_filter = true;
  s->edge = now + (uint64_t)cfg->filter;
  st->samples++;
  st->armed += s->is_armed;
  st->mode = s->is_armed;
  st->accesses += s->accesses;
  st->misses += s->misses;
}

static void tick(struct weir_policy *p, uint64_t now) {
  const struct pemp *s = weir_state_peek(p);
  catch_up(p, now);
  if (now >= s->edge) {
    count_to(p, now);
    if (s->is_filter)
      begin_sample(p, now);
    else
      begin_filter(p, now);
  }
  weir_ask_wake(p, s->is_armed && s->changed != 0 ? now + 1 : s->edge);
}

/* Lines that stay over a kernel's end are in the copy, too. */
static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  struct pemp *s = weir_state_edit(p);
  catch_up(p, WEIR_NEVER);
  s->counted_to = 0;
  begin_sample(p, 0);
  weir_ask_wake(p, s->edge);
}

static void kernel_end(struct weir_policy *p, const struct weir_kernel *k, uint64_t cycle) {
  (void)k;
  count_to(p, cycle);
}

/* ---- requests ---- */

static enum weir_answer route(const struct weir_policy *p, const struct weir_access *a) {
  const struct pemp *s = weir_state_peek(p);
  return s->is_armed && !has_line(p, a, COPY) ? WEIR_BYPASS : WEIR_PASS;
}

static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  (void)set, (void)way;
  struct pemp *s = weir_state_edit(p);
  struct pemp_stats *st = weir_stats_edit(p);
  bool is_miss = outcome == WEIR_MISS || outcome == WEIR_PARTIAL;
  if (a->op != WEIR_LOAD) return;
  if (!s->is_filter) {
    s->accesses++;
    s->misses += is_miss;
  }
  if (!s->is_armed) return;
  st->predictions++;
  st->predicted_hits++;
  st->false_hits += is_miss;
  st->right += !is_miss;
}

/* Of loads that others let bypass the L1 only those count that would have bypassed anyway. */
static void bypass(struct weir_policy *p, const struct weir_access *a) {
  struct pemp_stats *st = weir_stats_edit(p);
  if (route(p, a) != WEIR_BYPASS) return;
  bool is_there = has_line(p, a, TAGS);
  st->predictions++;
  st->bypassed++;
  st->false_misses += is_there;
  st->right += !is_there;
}

/* ---- reports ---- */

/* The copy: a tag of a 32-bit address and a valid bit for each line. */
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  (void)cfg;
  enum { ADDRESS = 32, VALID = 1 };
  uint32_t known = weir_bits(g->line_bytes) + weir_bits(g->sets);
  return weir_bits_of_lines(g, (known < ADDRESS ? ADDRESS - known : 0) + VALID);
}

static const char *verify(const struct weir_policy *p) {
  const struct weir_geometry *g = weir_geometry(p);
  const struct pemp *s = weir_state_peek(p);
  const struct pemp_stats *st = p->stats;
  const struct way *w = weir_line_peek(p, 0, 0);
  for (size_t i = 0; i < (size_t)g->sets * g->ways; i++)
    if (w[i].copy != w[i].line && !w[i].is_changed) return "the copy of a tag was forgotten";
  if (s->misses > s->accesses) return "more misses than accesses";
  if (s->is_armed && !s->is_filter) return "a sample is filtered";
  if (st->predictions != st->predicted_hits + st->bypassed ||
      st->predictions != st->right + st->false_hits + st->false_misses)
    return "its predictions do not add up";
  return st->armed > st->samples || st->armed_cycles > st->cycles ? "it was armed for too long"
                                                                  : NULL;
}

const struct weir_policy_ops weir_policy_pemp = {
    .part = {WEIR_PART("pemp", "after a sample with many misses, loads bypass the L1 whose line is "
                               "not in a copy of its tags"),
             .reference = PAPER, WEIR_PART_PARAMS(params, pemp_cfg),
             WEIR_PART_STATS(stats, pemp_stats), .state_bytes = sizeof(struct pemp),
             .line_bytes = sizeof(struct way), .storage_bits = storage_bits, .verify = verify,
             .kernel_begin = kernel_begin, .kernel_end = kernel_end, .tick = tick},
    .reason = WEIR_R_PREDICTOR,
    .route = route,
    .lookup = lookup,
    .alloc = alloc,
    .evict = evict,
    .bypass = bypass};
