/* Dead blocks, predicted from a sample: a small array of tags, beside some of the sets, sees their
 * loads. When a tag is loaded again, the instruction that touched it before was not the last one to
 * do so; when a tag goes, it was. Three tables of counters, each found by its own hash of the
 * instruction, learn from that. If the three counters of an instruction together say so, what it
 * touches is dead: a load that misses bypasses the L1, a line that is hit is the next to go.
 *
 * The array keeps its tags whether the L1 caches their lines or not, so that what bypasses can be
 * learnt anew. */
#include <string.h>

#include "l1/inspect.h"
#include "l1/parts.h"
#include "l1/predictor.h"
#include "l1/replacement/recency.h"

#define PAPER "Sampling Dead Block Prediction for Last-Level Caches (MICRO 2010)"

struct sdbp_cfg {
  int64_t table_bits, counter_bits, threshold, sampled_sets, sampler_ways;
  bool reset;
};

struct sdbp_stats {
  uint64_t predictions, dead_predictions, bypasses;
  uint64_t replaced, dead_replaced, marked, false_dead;
  uint64_t sampled, sampler_hits, sampler_dead;
};

enum { TABLES = 3, PARTIAL_BITS = 16 };

/* A tag of the sampler. */
struct tag {
  uint16_t tag, signature; /* in part; of the last instruction that touched it */
  bool is_there, is_dead;
  uint32_t used; /* when, by the clock of the sampler; compared as a difference */
};

/* Behind the tags of all watched sets lie the counters. */
struct sdbp {
  uint32_t clock;
  struct tag tag[];
};

struct line {
  struct weir_link link; /* first: see recency.h */
  bool is_dead;
};

static const struct sdbp_cfg *cfg_of(const struct weir_policy *p) {
  return weir_cfg(p);
}

/* ---- the tables ---- */

static size_t n_tags(const struct sdbp_cfg *c, const struct weir_geometry *g) {
  return weir_n_watched(g->sets, c->sampled_sets) * (size_t)c->sampler_ways;
}
static size_t n_counters(const struct sdbp_cfg *c) {
  return (size_t)TABLES << c->table_bits;
}
static size_t state_size(const void *cfg, const struct weir_geometry *g) {
  return sizeof(struct sdbp) + n_tags(cfg, g) * sizeof(struct tag) + n_counters(cfg);
}

static uint16_t signature(uint64_t pc) {
  return (uint16_t)weir_fold_pc(pc, PARTIAL_BITS);
}

/* One hash for each table: instructions that meet in one should not meet in the others. */
static size_t index_of(const struct sdbp_cfg *c, unsigned table, uint16_t of) {
  static const uint32_t factor[TABLES] = {0x9e3779b1, 0x85ebca77, 0xc2b2ae3d};
  uint32_t h = (of + 1u) * factor[table];
  return ((size_t)table << c->table_bits) + (h >> (32 - c->table_bits));
}

/* Callers that only look take it as const. */
static uint8_t *counters(const struct weir_policy *p) {
  return (uint8_t *)p->state + sizeof(struct sdbp) +
         n_tags(cfg_of(p), weir_geometry(p)) * sizeof(struct tag);
}

static uint32_t sum_of(const struct weir_policy *p, uint16_t of) {
  uint32_t sum = 0;
  for (unsigned i = 0; i < TABLES; i++)
    sum += counters(p)[index_of(cfg_of(p), i, of)];
  return sum;
}
static bool is_dead(const struct weir_policy *p, uint16_t of) {
  return sum_of(p, of) >= cfg_of(p)->threshold;
}

uint32_t weir_sdbp_sum(const struct weir_policy *p, uint64_t pc) {
  return sum_of(p, signature(pc));
}

/* Was it the last to touch a tag? */
static void train(struct weir_policy *p, uint16_t of, bool was_last) {
  uint8_t most = (uint8_t)((1u << cfg_of(p)->counter_bits) - 1);
  for (unsigned i = 0; i < TABLES; i++) {
    uint8_t *v = &counters(p)[index_of(cfg_of(p), i, of)];
    if (was_last && *v < most) ++*v;
    if (!was_last && *v > 0) --*v;
  }
}

/* ---- the sampler ---- */

static struct tag *find(struct tag *t, int64_t n, uint16_t tag) {
  for (int64_t i = 0; i < n; i++)
    if (t[i].is_there && t[i].tag == tag) return &t[i];
  return NULL;
}

/* An empty one; else the one that was not used for longest of the dead ones; else of all. */
static struct tag *oldest(struct tag *t, int64_t n, uint32_t now) {
  struct tag *best = &t[0];
  for (int64_t i = 0; i < n; i++) {
    if (!t[i].is_there) return &t[i];
    if (t[i].is_dead != best->is_dead ? t[i].is_dead : now - t[i].used > now - best->used)
      best = &t[i];
  }
  return best;
}

static void sample(struct weir_policy *p, const struct weir_access *a) {
  const struct sdbp_cfg *c = cfg_of(p);
  struct sdbp *s = weir_state_edit(p);
  struct sdbp_stats *st = weir_stats_edit(p);
  int64_t i = weir_watched(a->set, weir_geometry(p)->sets, c->sampled_sets);
  if (i < 0) return;
  struct tag *set = &s->tag[i * c->sampler_ways];
  uint16_t of = (uint16_t)weir_tag_of(p, a);
  struct tag *t = find(set, c->sampler_ways, of);
  st->sampled++;
  if (t != NULL) {
    st->sampler_hits++;
    train(p, t->signature, false);
  } else {
    t = oldest(set, c->sampler_ways, s->clock);
    st->sampler_dead += t->is_there && t->is_dead;
    if (t->is_there) train(p, t->signature, true);
  }
  *t = (struct tag){.tag = of, .signature = signature(a->pc), .is_there = true, .used = ++s->clock};
  t->is_dead = is_dead(p, t->signature);
}

/* ---- deciding ---- */

static enum weir_answer admit(const struct weir_policy *p, const struct weir_access *a,
                              struct weir_set set) {
  (void)set;
  return is_dead(p, signature(a->pc)) ? WEIR_BYPASS : WEIR_PASS;
}

static int victim(const struct weir_policy *p, const struct weir_access *a, struct weir_set set) {
  (void)a;
  int first = WEIR_WAY_STALL;
  WEIR_EACH_BY_RECENCY(p, set.index, w) {
    const struct line *l = weir_line_peek(p, set.index, w);
    if (!weir_can_go(set, (uint32_t)w)) continue;
    if (l->is_dead) return w;
    if (first < 0) first = w;
  }
  return first;
}

/* ---- what happens ---- */

/* A miss was predicted before its load taught anything, a hit is afterwards. */
static void count(struct weir_policy *p, bool dead, bool is_miss) {
  struct sdbp_stats *st = weir_stats_edit(p);
  st->predictions++;
  st->dead_predictions += dead;
  st->bypasses += dead && is_miss;
}

static void mark(struct weir_policy *p, const struct weir_access *a, uint32_t set, int way,
                 bool is_hit) {
  struct sdbp_stats *st = weir_stats_edit(p);
  struct line *l = weir_line_edit(p, set, way);
  st->false_dead += is_hit && l->is_dead;
  l->is_dead = is_dead(p, signature(a->pc));
  st->marked += l->is_dead;
  count(p, l->is_dead, false);
}

/* Loads that wait for a line under way say whether it is dead, but are no further use of it. */
static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  if (a->op == WEIR_PREFETCH) return;
  if (a->op == WEIR_LOAD) {
    bool waits = outcome == WEIR_HIT_PENDING;
    if (outcome == WEIR_MISS) count(p, is_dead(p, signature(a->pc)), true);
    if (!waits) sample(p, a);
    if (way >= 0) mark(p, a, set.index, way, !waits);
  }
  if (way >= 0) weir_recency_use(p, set.index, way);
}

static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  (void)a;
  ((struct line *)weir_line_edit(p, set.index, way))->is_dead = false;
  weir_recency_add(p, set.index, way);
}

static void evict(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                  enum weir_cause cause) {
  (void)a;
  struct sdbp_stats *st = weir_stats_edit(p);
  const struct line *l = weir_line_peek(p, set.index, way);
  st->replaced += cause == WEIR_BY_REPLACEMENT;
  st->dead_replaced += cause == WEIR_BY_REPLACEMENT && l->is_dead;
  weir_recency_remove(p, set.index, way);
}

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  if (cfg_of(p)->reset) memset(weir_state_edit(p), 0, p->state_bytes);
}

/* ---- reports ---- */

/* Tables; in the sampler tag, signature, two bits and an order; a bit in each line, beside lru's
 * order. */
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  const struct sdbp_cfg *c = cfg;
  uint64_t each = 2 * PARTIAL_BITS + 2 + weir_bits((uint64_t)c->sampler_ways);
  return n_counters(c) * (uint64_t)c->counter_bits + n_tags(c, g) * each + weir_recency_bits(g) +
         weir_bits_of_lines(g, 1);
}

static const char *verify(const struct weir_policy *p) {
  const struct sdbp_cfg *c = cfg_of(p);
  const struct sdbp *s = weir_state_peek(p);
  const struct sdbp_stats *st = p->stats;
  for (size_t i = 0; i < n_counters(c); i++)
    if (counters(p)[i] >> c->counter_bits != 0) return "a counter is larger than its bits hold";
  for (size_t i = 0; i < n_tags(c, weir_geometry(p)); i++) {
    size_t set = i - i % (size_t)c->sampler_ways;
    for (size_t k = set; k < i; k++)
      if (s->tag[i].is_there && s->tag[k].is_there && s->tag[k].tag == s->tag[i].tag)
        return "a tag is twice in its sampler";
  }
  if (st->dead_predictions != st->bypasses + st->marked) return "its predictions do not add up";
  if (st->dead_replaced > st->replaced) return "more dead lines than lines replaced";
  return st->false_dead > st->marked ? "more dead lines were hit than there were" : NULL;
}

#define P(f, def, ...) WEIR_PARAM(sdbp_cfg, f, def, __VA_ARGS__)
static const struct weir_param params[] = {
    P(table_bits, "8", .unit = "bit", .min = 1, .max = 16, .source = "guess",
      .help = "each of the three tables has 2 to the power of this counters (12 for the last-level "
              "cache of the paper)"),
    P(counter_bits, "2", .unit = "bit", .min = 1, .max = 8, .help = "of a counter",
      .source = PAPER),
    P(threshold, "8", .min = 1, .max = 768, .source = PAPER,
      .help = "three counters whose sum has reached this predict that a line is dead"),
    P(sampled_sets, "4", .unit = "set", .min = 1, .max = 4096, .source = "guess",
      .help = "whose loads the sampler sees"),
    P(sampler_ways, "12", .unit = "line", .min = 1, .max = 512, .source = PAPER,
      .help = "that the sampler remembers of such a set"),
    P(reset, "false", .source = "guess",
      .help = "forget the tables and the sampler when a kernel begins"),
    WEIR_PARAM_END};

#define S(f, u, h)            WEIR_STAT(sdbp_stats, f, u, h)
#define RATIO(n, num, den, h) WEIR_STAT_RATIO(sdbp_stats, n, num, den, "1", h)
static const struct weir_stat stats[] = {
    S(predictions, "request", "loads for which the tables were read, hits and misses"),
    S(dead_predictions, "request", "of these, those whose line was said to be dead"),
    RATIO("coverage", dead_predictions, predictions, "dead_predictions / predictions"),
    S(bypasses, "request", "of these, misses, which bypass the L1"),
    S(marked, "request", "... loads whose line was there or on its way; it is the next to go"),
    S(false_dead, "request", "lines that were hit although they had been said to be dead"),
    RATIO("false_of_marked", false_dead, marked, "false_dead / marked"),
    S(replaced, "line", "lines replaced"),
    S(dead_replaced, "line", "of these, dead ones"),
    RATIO("dead_share", dead_replaced, replaced, "dead_replaced / replaced"),
    S(sampled, "request", "loads that the sampler saw"),
    S(sampler_hits, "request", "of these, those whose tag it knew"),
    S(sampler_dead, "request", "... others, for which it gave up a dead tag"),
    WEIR_STAT_END};

const struct weir_policy_ops weir_policy_sdbp = {
    .part = {WEIR_PART("sdbp", "replace a line that was touched last by an instruction which is "
                               "mostly the last; loads of such instructions bypass the L1"),
             WEIR_PART_PARAMS(params, sdbp_cfg), WEIR_PART_STATS(stats, sdbp_stats),
             .reference = PAPER, .set_bytes = sizeof(struct weir_recency),
             .line_bytes = sizeof(struct line), .state_size = state_size,
             .storage_bits = storage_bits, .verify = verify, .kernel_begin = kernel_begin},
    .reason = WEIR_R_PREDICTOR,
    .organisations = "conventional|sectored",
    .admit = admit,
    .victim = victim,
    .lookup = lookup,
    .alloc = alloc,
    .evict = evict};
