/* Protecting distance: a line that came or was used is protected for so many accesses to its set,
 * and cannot be replaced until then. A load that misses where every line is protected bypasses the
 * L1.
 *
 * The distance is fixed, or found while the program runs: in some sets a sampler measures how far
 * apart accesses to the same line are, and now and then a model chooses the distance that should
 * give the most hits for the time that lines are kept. */
#include <inttypes.h>
#include <string.h>

#include "l1/inspect.h"
#include "l1/parts.h"
#include "l1/predictor.h"
#include "l1/replacement/recency.h"

#define PAPER "Improving Cache Management Policies Using Dynamic Reuse Distances (MICRO 2012)"

#define TOTALS(X) X(TOTAL_SAMPLED, "sampled") X(TOTAL_ALL, "all")
enum total { TOTALS(WEIR_CHOICE_ID) };
#define AGES(X) X(AGE_CLEAR, "clear") X(AGE_HALVE, "halve")
enum age { AGES(WEIR_CHOICE_ID) };

struct pdp_cfg {
  int64_t distance, max_distance, bits, period, sampled_sets, sample_every, step;
  bool dynamic, reset;
  enum total total;
  enum age age;
};

struct pdp_stats {
  uint64_t misses, bypasses, replaced, replaced_protected;
  uint64_t protected_but_dead, ended_protected, ended_unused;
  uint64_t occupancy, occupancy_used, occupancy_short, occupancy_long;
  uint64_t distances, distance_sum, distance_changes, distance, protects, sampled, reuses, frozen;
};

/* What the sampler and the model know. Behind it lie the counters of distances, then for each
 * watched set a struct sampler; all of it only where the distance is found. */
struct pdp {
  uint64_t accesses, total; /* of the L1; that the counters are about */
  uint32_t distance;        /* that was found; 0: none yet */
  uint32_t ways;            /* in force */
  bool is_frozen;           /* a counter is full */
  uint32_t counter[];
};

/* The last tags of a set, one in `sample_every`, as a ring. A number is a tag + 1; 0: none. */
struct sampler {
  uint32_t since; /* accesses since the newest came */
  uint32_t newest;
  uint32_t tag[];
};

enum { TAG_BITS = 16, COUNTER_MOST = UINT16_MAX, LONG_STAY = 16 };
static const uint64_t TOTAL_MOST = UINT32_MAX;

struct line {
  struct weir_link link; /* first: see recency.h */
  bool was_hit;
  uint64_t used;  /* accesses to the set until it came or was loaded */
  uint64_t until; /* the step of the set's count up to which it is protected */
};

static const struct pdp_cfg *cfg_of(const struct weir_policy *p) {
  return weir_cfg(p);
}
static uint32_t up(int64_t a, int64_t b) {
  return (uint32_t)((a + b - 1) / b);
}

/* ---- protection ---- */

/* Accesses by which what is left of a protection becomes 1 less. */
static uint32_t step_of(const struct pdp_cfg *c) {
  return up(c->max_distance, (int64_t)1 << c->bits);
}
static uint32_t most_left(const struct pdp_cfg *c) {
  return (1u << c->bits) - 1;
}

static uint32_t distance(const struct weir_policy *p, uint32_t ways) {
  const struct pdp_cfg *c = cfg_of(p);
  const struct pdp *s = weir_state_peek(p);
  int64_t d = s->distance > 0 ? s->distance : c->distance > 0 ? c->distance : (int64_t)ways;
  return (uint32_t)(d < c->max_distance ? d : c->max_distance);
}

static uint32_t left_at(const struct weir_policy *p, uint32_t set, int way, uint64_t n) {
  const struct line *l = weir_line_peek(p, set, way);
  uint64_t now = n / step_of(cfg_of(p));
  return l->until > now ? (uint32_t)(l->until - now) : 0;
}

uint32_t weir_pdp_left(const struct weir_policy *p, uint32_t set, int way) {
  return left_at(p, set, way, weir_recency(p, set)->n);
}

/* By the accesses before the one that is asked about. */
static bool is_protected(const struct weir_policy *p, uint32_t set, int way) {
  return left_at(p, set, way, weir_recency_before(p, set)) > 0;
}

/* From an access on, which was counted and is itself the first of them. */
static void protect(struct weir_policy *p, struct weir_set set, int way) {
  const struct pdp_cfg *c = cfg_of(p);
  struct line *l = weir_line_edit(p, set.index, way);
  uint32_t step = step_of(c), left = up(distance(p, set.ways), step);
  uint64_t n = weir_recency(p, set.index)->n;
  if (n % step == 0) left--;
  if (left > most_left(c)) left = most_left(c);
  l->until = n / step + left;
}

static bool must_bypass(const struct weir_policy *p, struct weir_set set) {
  for (uint32_t w = 0; w < set.ways; w++)
    if (set.line[w].tag == 0 || (weir_can_go(set, w) && !is_protected(p, set.index, (int)w)))
      return false;
  return true;
}

static enum weir_answer admit(const struct weir_policy *p, const struct weir_access *a,
                              struct weir_set set) {
  (void)a;
  return must_bypass(p, set) ? WEIR_BYPASS : WEIR_PASS;
}

/* A line that gets its way when it arrives, and finds all others protected by now, is not kept; nor
 * is one that was only wanted in advance. Whoever else needs a way without having been asked (a
 * store that allocates) gets the oldest. */
static bool can_do_without(const struct weir_policy *p, const struct weir_access *a) {
  bool arrives = a->fetch != 0 && !weir_recency_is_counted(p, a->set);
  return a->op == WEIR_PREFETCH || (a->op == WEIR_LOAD && arrives);
}

static int victim(const struct weir_policy *p, const struct weir_access *a, struct weir_set set) {
  int oldest = WEIR_WAY_STALL;
  WEIR_EACH_BY_RECENCY(p, set.index, w) {
    if (!weir_can_go(set, (uint32_t)w)) continue;
    if (!is_protected(p, set.index, w)) return w;
    if (oldest < 0) oldest = w;
  }
  return can_do_without(p, a) ? WEIR_WAY_STALL : oldest;
}

/* ---- the sampler ---- */

static uint32_t n_counters(const struct pdp_cfg *c) {
  return up(c->max_distance, c->step);
}
static uint32_t n_tags(const struct pdp_cfg *c) {
  return up(c->max_distance, c->sample_every);
}
static size_t sampler_bytes(const struct pdp_cfg *c) {
  return sizeof(struct sampler) + n_tags(c) * sizeof(uint32_t);
}

static size_t state_size(const void *cfg, const struct weir_geometry *g) {
  const struct pdp_cfg *c = cfg;
  if (!c->dynamic) return sizeof(struct pdp);
  return sizeof(struct pdp) + n_counters(c) * sizeof(uint32_t) +
         weir_n_watched(g->sets, c->sampled_sets) * sampler_bytes(c);
}

static struct sampler *sampler_of(const struct weir_policy *p, uint64_t i) {
  const struct pdp_cfg *c = cfg_of(p);
  return (struct sampler *)((char *)p->state + sizeof(struct pdp) +
                            n_counters(c) * sizeof(uint32_t) + i * sampler_bytes(c));
}

/* The distance from the last access to the tag that the sampler knows, which it forgets; 0: none.
 */
static uint32_t find(struct sampler *m, const struct pdp_cfg *c, uint32_t tag) {
  uint32_t n = n_tags(c);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t *t = &m->tag[(m->newest + n - i) % n];
    if (*t != tag + 1) continue;
    *t = 0;
    return i * (uint32_t)c->sample_every + m->since;
  }
  return 0;
}

/* True: it was due, and the tag is the newest. */
static bool insert(struct sampler *m, const struct pdp_cfg *c, uint32_t tag) {
  if (m->since < c->sample_every) return false;
  m->since = 0;
  m->newest = (m->newest + 1) % n_tags(c);
  m->tag[m->newest] = tag + 1;
  return true;
}

/* All counters stop when one is full. */
static void count(struct weir_policy *p, uint32_t apart, bool in_total) {
  const struct pdp_cfg *c = cfg_of(p);
  struct pdp *s = weir_state_edit(p);
  struct pdp_stats *st = weir_stats_edit(p);
  if (s->is_frozen) return;
  if (apart > 0 && apart <= c->max_distance) {
    uint32_t *n = &s->counter[up(apart, c->step) - 1];
    st->reuses++;
    s->is_frozen |= ++*n == COUNTER_MOST;
  }
  if (in_total) s->is_frozen |= ++s->total == TOTAL_MOST;
  st->frozen += s->is_frozen;
}

static void sample(struct weir_policy *p, const struct weir_access *a, struct weir_set set) {
  const struct pdp_cfg *c = cfg_of(p);
  int64_t i = weir_watched(set.index, weir_geometry(p)->sets, c->sampled_sets);
  if (i < 0) return;
  struct sampler *m = sampler_of(p, (uint64_t)i);
  struct pdp_stats *st = weir_stats_edit(p);
  uint32_t tag = (uint32_t)(weir_tag_of(p, a) & ((1u << TAG_BITS) - 1));
  m->since++;
  uint32_t apart = find(m, c, tag);
  bool is_sampled = insert(m, c, tag);
  st->sampled += is_sampled;
  count(p, apart, is_sampled || c->total == TOTAL_ALL);
}

/* ---- the model ---- */

/* For a distance d: hits are the reuses up to d. Those keep a line for as long as they are apart,
 * all others for d accesses, and for as many more as it takes until it is the one to go. */
uint32_t weir_pdp_best(const uint32_t *counter, uint32_t n, uint32_t step, uint32_t most,
                       uint64_t total, uint32_t ways) {
  uint64_t hits = 0, kept = 0;
  uint32_t best = 0;
  double most_hits = -1;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t d = (i + 1) * step < most ? (i + 1) * step : most;
    hits += counter[i];
    kept += (uint64_t)counter[i] * d;
    uint64_t others = total > hits ? total - hits : 0;
    if (kept + others == 0) continue;
    double e = (double)hits / (double)(kept + others * ((uint64_t)d + ways));
    if (e <= most_hits) continue;
    most_hits = e;
    best = d;
  }
  return best;
}

static void forget_counts(struct pdp *s, const struct pdp_cfg *c) {
  bool halves = c->age == AGE_HALVE;
  for (uint32_t i = 0; i < n_counters(c); i++)
    s->counter[i] = halves ? s->counter[i] / 2 : 0;
  s->total = halves ? s->total / 2 : 0;
  s->is_frozen = false;
}

/* Without an access to a watched set there is nothing to go by. */
static void find_distance(struct weir_policy *p) {
  const struct pdp_cfg *c = cfg_of(p);
  struct pdp *s = weir_state_edit(p);
  struct pdp_stats *st = weir_stats_edit(p);
  uint32_t was = distance(p, s->ways);
  uint32_t best = weir_pdp_best(s->counter, n_counters(c), (uint32_t)c->step,
                                (uint32_t)c->max_distance, s->total, s->ways);
  if (best == 0) return;
  s->distance = best;
  st->protects = best;
  forget_counts(s, c);
  st->distances++;
  st->distance_sum += best;
  st->distance_changes += best != was;
}

/* ---- what happens ---- */

/* Only loads count as uses: a store that hits may be what ends the line. */
static void count_use(struct weir_policy *p, uint32_t set, int way, enum weir_outcome outcome) {
  struct pdp_stats *st = weir_stats_edit(p);
  struct line *l = weir_line_edit(p, set, way);
  uint64_t n = weir_recency(p, set)->n;
  st->occupancy += n - l->used;
  st->occupancy_used += n - l->used;
  l->used = n;
  l->was_hit |= outcome != WEIR_HIT_PENDING;
}

static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  const struct pdp_cfg *c = cfg_of(p);
  struct pdp *s = weir_state_edit(p);
  struct pdp_stats *st = weir_stats_edit(p);
  if (a->op == WEIR_PREFETCH) return;
  if (a->op == WEIR_LOAD && outcome == WEIR_MISS) {
    st->misses++;
    st->bypasses += must_bypass(p, set);
  }
  weir_recency_count(p, set.index);
  if (s->ways != set.ways) {
    s->ways = set.ways;
    st->protects = distance(p, s->ways);
  }
  s->accesses++;
  if (c->dynamic) {
    sample(p, a, set);
    if (s->accesses % (uint64_t)c->period == 0) find_distance(p);
  }
  if (way < 0) return;
  if (a->op == WEIR_LOAD) count_use(p, set.index, way, outcome);
  protect(p, set, way);
  weir_recency_use(p, set.index, way);
}

static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  (void)a;
  struct line *l = weir_line_edit(p, set.index, way);
  l->was_hit = false;
  l->used = weir_recency(p, set.index)->n;
  protect(p, set, way);
  weir_recency_add(p, set.index, way);
}

static void count_end(struct weir_policy *p, uint32_t set, int way, enum weir_cause cause) {
  struct pdp_stats *st = weir_stats_edit(p);
  const struct line *l = weir_line_peek(p, set, way);
  uint64_t stayed = weir_recency(p, set)->n - l->used;
  bool is_kept = is_protected(p, set, way);
  bool is_given_up = cause == WEIR_BY_REPLACEMENT || cause == WEIR_BY_FLUSH;
  st->occupancy += stayed;
  *(stayed < LONG_STAY ? &st->occupancy_short : &st->occupancy_long) += stayed;
  st->replaced += cause == WEIR_BY_REPLACEMENT;
  st->replaced_protected += cause == WEIR_BY_REPLACEMENT && is_kept;
  if (cause == WEIR_BY_FLUSH && is_kept)
    st->ended_protected++;
  else if (is_given_up && !l->was_hit)
    st->ended_unused++;
  else
    return;
  st->protected_but_dead++;
}

static void evict(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                  enum weir_cause cause) {
  (void)a;
  count_end(p, set.index, way, cause);
  weir_recency_remove(p, set.index, way);
}

/* Protections went with their lines. */
static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  const struct pdp_cfg *c = cfg_of(p);
  struct pdp *s = weir_state_edit(p);
  if (!c->dynamic) return;
  if (k->is_flushed || c->reset)
    memset(sampler_of(p, 0), 0,
           weir_n_watched(weir_geometry(p)->sets, c->sampled_sets) * sampler_bytes(c));
  if (c->reset) memset(s, 0, sizeof *s + n_counters(c) * sizeof(uint32_t));
}

static void kernel_end(struct weir_policy *p, const struct weir_kernel *k, uint64_t cycle) {
  (void)k, (void)cycle;
  const struct pdp *s = weir_state_peek(p);
  if (s->ways > 0) ((struct pdp_stats *)weir_stats_edit(p))->distance = distance(p, s->ways);
}

/* ---- reports ---- */

static enum weir_status init(struct weir_policy *p, struct weir_err *err) {
  const struct pdp_cfg *c = cfg_of(p);
  if (c->distance > c->max_distance)
    return weir_fail(err, WEIR_EINVAL,
                     "pdp.distance %" PRId64 " is more than pdp.max_distance %" PRId64, c->distance,
                     c->max_distance);
  return WEIR_OK;
}

/* What is left of each protection, beside lru's order; where that counts in steps, how far a set is
 * within one. */
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  const struct pdp_cfg *c = cfg;
  uint64_t bits = weir_recency_bits(g) + weir_bits_of_lines(g, (uint64_t)c->bits) +
                  weir_bits_of_sets(g, weir_bits(step_of(c)));
  if (!c->dynamic) return bits;
  return bits +
         weir_n_watched(g->sets, c->sampled_sets) *
             (n_tags(c) * (uint64_t)TAG_BITS + weir_bits((uint64_t)c->sample_every)) +
         n_counters(c) * (uint64_t)weir_bits(COUNTER_MOST) + weir_bits(TOTAL_MOST);
}

static const char *verify_sampler(const struct weir_policy *p) {
  const struct pdp_cfg *c = cfg_of(p);
  const struct pdp *s = weir_state_peek(p);
  for (uint32_t i = 0; i < n_counters(c); i++)
    if (s->counter[i] > COUNTER_MOST) return "a counter is larger than its bits hold";
  for (uint64_t i = 0; i < weir_n_watched(weir_geometry(p)->sets, c->sampled_sets); i++)
    if (sampler_of(p, i)->since >= c->sample_every || sampler_of(p, i)->newest >= n_tags(c))
      return "its sampler is outside its range";
  return s->distance > c->max_distance ? "its distance is larger than the largest" : NULL;
}

/* A distance that became shorter leaves older lines above it. */
static const char *verify(const struct weir_policy *p) {
  const struct pdp_cfg *c = cfg_of(p);
  const struct weir_geometry *g = weir_geometry(p);
  const struct pdp_stats *st = p->stats;
  uint32_t most = c->dynamic ? most_left(c) : up(distance(p, g->ways), step_of(c));
  for (uint32_t set = 0; set < g->sets; set++)
    WEIR_EACH_BY_RECENCY(p, set, w)
  if (weir_pdp_left(p, set, w) > most || weir_pdp_left(p, set, w) > most_left(c))
    return "a line is protected for longer than the distance";
  if (st->occupancy != st->occupancy_used + st->occupancy_short + st->occupancy_long ||
      st->protected_but_dead != st->ended_protected + st->ended_unused)
    return "its counts do not add up";
  if (st->bypasses > st->misses) return "more bypasses than misses";
  return c->dynamic ? verify_sampler(p) : NULL;
}

#define P(f, def, ...) WEIR_PARAM(pdp_cfg, f, def, __VA_ARGS__)
static const struct weir_param params[] = {
    P(distance, "0", .unit = "access", .min = 0, .max = 4096, .source = "guess",
      .help = "to its set, for which a line is protected; with dynamic the one to begin with; 0: "
              "as many as the set has ways"),
    P(dynamic, "false", .help = "find the distance while the program runs"),
    P(max_distance, "256", .unit = "access", .min = 1, .max = 4096, .source = PAPER,
      .help = "the longest distance that there can be"),
    P(bits, "8", .unit = "bit", .min = 1, .max = 16, .source = PAPER,
      .help = "in each line for what is left of its protection; with too few for max_distance it "
              "counts in steps of several accesses"),
    P(period, "8192", .unit = "access", .min = 1, .max = 1 << 30, .source = "guess",
      .help = "to the L1 of an SM, after which the distance is found anew", .when = "dynamic=true"),
    P(sampled_sets, "4", .unit = "set", .min = 1, .max = 4096, .source = "guess",
      .help = "in which the sampler measures", .when = "dynamic=true"),
    P(sample_every, "8", .unit = "access", .min = 1, .max = 4096, .source = PAPER,
      .help = "to such a set, of which the sampler remembers one", .when = "dynamic=true"),
    P(step, "4", .unit = "access", .min = 1, .max = 4096, .source = PAPER,
      .help = "distances are counted and compared in steps of this", .when = "dynamic=true"),
    P(total, "sampled", .choices = WEIR_CHOICES(TOTALS), .source = "guess",
      .help = "what the reuses are a part of: accesses that the sampler remembered, or all to its "
              "sets",
      .when = "dynamic=true"),
    P(age, "clear", .choices = WEIR_CHOICES(AGES), .source = "guess",
      .help = "what becomes of the counts when the distance was found", .when = "dynamic=true"),
    P(reset, "false", .source = "guess",
      .help = "forget the distance and the counts when a kernel begins", .when = "dynamic=true"),
    WEIR_PARAM_END};

#define S(f, u, h)               WEIR_STAT(pdp_stats, f, u, h)
#define RATIO(n, num, den, u, h) WEIR_STAT_RATIO(pdp_stats, n, num, den, u, h)
static const struct weir_stat stats[] = {
    S(misses, "request", "loads that missed"),
    S(bypasses, "request",
      "of these, those that found every line of their set protected, and bypass"),
    RATIO("bypass_share", bypasses, misses, "1", "bypasses / misses"),
    S(replaced, "line", "lines replaced"),
    S(replaced_protected, "line",
      "of these, protected ones, for those that cannot bypass (stores that allocate)"),
    S(protected_but_dead, "line", "lines whose protection was in vain, by either of the next two"),
    S(ended_protected, "line", "lines that were protected when a kernel's beginning ended them"),
    S(ended_unused, "line", "others, replaced or ended so, that were never hit"),
    S(occupancy, "access",
      "accesses to sets, summed over their lines, from a line's coming or a load of it to its next "
      "load or its end"),
    S(occupancy_used, "access", "of these, those that ended with a load"),
    S(occupancy_short, "access", "... with the line's end, after fewer than 16"),
    S(occupancy_long, "access", "... with the line's end, after 16 or more"),
    RATIO("occupancy_used_share", occupancy_used, occupancy, "1", "occupancy_used / occupancy"),
    RATIO("occupancy_short_share", occupancy_short, occupancy, "1", "occupancy_short / occupancy"),
    RATIO("occupancy_long_share", occupancy_long, occupancy, "1", "occupancy_long / occupancy"),
    S(distances, "event", "times that a distance was found"),
    S(distance_sum, "access", "all that were found, added"),
    RATIO("distance_mean", distance_sum, distances, "access", "distance_sum / distances"),
    S(distance_changes, "event", "times that it was another than before"),
    WEIR_STAT_MAXIMUM(pdp_stats, distance, "access",
                      "the distance when the kernel ended, the longest of all SMs"),
    WEIR_STAT_LEVEL(pdp_stats, protects, "access", "the distance"),
    S(sampled, "access", "accesses that the sampler remembered"),
    S(reuses, "access", "accesses to a line that it still knew"),
    S(frozen, "event", "times that a counter was full, and all stopped"),
    WEIR_STAT_END};

const struct weir_policy_ops weir_policy_pdp = {
    .part = {WEIR_PART("pdp", "a line is protected for a number of accesses to its set; loads that "
                              "find no other bypass the L1"),
             WEIR_PART_PARAMS(params, pdp_cfg), WEIR_PART_STATS(stats, pdp_stats),
             .reference = PAPER, .set_bytes = sizeof(struct weir_recency),
             .line_bytes = sizeof(struct line), .state_size = state_size, .init = init,
             .storage_bits = storage_bits, .verify = verify, .kernel_begin = kernel_begin,
             .kernel_end = kernel_end},
    .reason = WEIR_R_PREDICTOR,
    .organisations = "conventional|sectored",
    .admit = admit,
    .victim = victim,
    .lookup = lookup,
    .alloc = alloc,
    .evict = evict};
