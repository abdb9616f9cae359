/* Counters that tell when a line has been used for the last time. An access interval is the number
 * of accesses to a set between two uses of a line. What was the longest one of a line is kept, when
 * it goes, in a table by the instruction that brought it and by the line. If a stay was as the
 * table had said, then the next time the line is given up as soon as it has not been used for
 * longer than that. With the mode lvp it is the number of uses that is learnt.
 *
 * A line that was not used, as the table had said, need not come at all: its load bypasses the L1,
 * but for one of several, so that it can be learnt anew. The table begins with zeros, so that one
 * stay without a use is enough. */
#include <string.h>

#include "l1/inspect.h"
#include "l1/parts.h"
#include "l1/predictor.h"
#include "l1/replacement/recency.h"

#define PAPER                                                                                      \
  "Counter-Based Cache Replacement and Bypassing Algorithms (IEEE Trans. Computers 2008)"
#define SLIDES "Adaptive GPU Cache Bypassing"

#define MODES(X) X(MODE_AIP, "aip") X(MODE_LVP, "lvp")
enum mode { MODES(WEIR_CHOICE_ID) };

struct aip_cfg {
  enum mode mode;
  int64_t hash_bits, counter_bits, sample;
  bool reset;
};

struct aip_stats {
  uint64_t predictions, bypass_predictions, sampled, bypasses;
  uint64_t replaced, expired, premature, confirmed;
};

/* Of the table, which has a row for each hash of an instruction and a column for each of a line:
 * SURE and the threshold. */
struct aip {
  uint64_t candidates; /* loads that were to bypass and were taken, bypassed or sampled */
  uint8_t entry[];
};
enum { SURE = 1 << 7 };

struct set {
  struct weir_recency recency;
  uint32_t next_gone; /* in the ring of lines that were given up */
};

/* A line that was given up as expired, for statistics: how early was that? The ring of a set has
 * GONE of them in each way, as many as there can be in the time that counts. */
enum { GONE = 4 };
struct gone {
  uint64_t line; /* its number + 1 */
  uint64_t at;   /* accesses to the set until then; 0: never used */
};

enum { NO_ROW = UINT16_MAX };
struct line {
  struct weir_link link; /* first: see recency.h */
  uint16_t row;          /* of the instruction that brought it; NO_ROW: none did */
  uint8_t past, most;    /* its threshold; aip: the longest interval of this stay */
  uint8_t uses;          /* lvp */
  bool is_sure, has_joined;
  uint64_t since; /* accesses to the set until it came or was used */
  struct gone gone[GONE];
};

static const struct aip_cfg *cfg_of(const struct weir_policy *p) {
  return weir_cfg(p);
}
static bool by_uses(const struct weir_policy *p) {
  return cfg_of(p)->mode == MODE_LVP;
}
static uint8_t most_of(const struct weir_policy *p) {
  return (uint8_t)((1u << cfg_of(p)->counter_bits) - 1);
}

/* ---- the table ---- */

static size_t n_entries(const struct aip_cfg *c) {
  return (size_t)1 << 2 * c->hash_bits;
}
static size_t state_size(const void *cfg, const struct weir_geometry *g) {
  (void)g;
  return sizeof(struct aip) + n_entries(cfg);
}

static uint16_t row_of(const struct weir_policy *p, uint64_t pc) {
  return (uint16_t)weir_fold_pc(pc, cfg_of(p)->hash_bits);
}
/* `line`: its number. */
static size_t index_of(const struct weir_policy *p, uint16_t row, uint64_t line) {
  int64_t bits = cfg_of(p)->hash_bits;
  return (size_t)row << bits | weir_fold(line, bits);
}
static uint64_t line_of(const struct weir_policy *p, const struct weir_access *a) {
  return a->addr / weir_geometry(p)->line_bytes;
}
static uint8_t entry_for(const struct weir_policy *p, uint64_t pc, uint64_t line) {
  return ((const struct aip *)weir_state_peek(p))->entry[index_of(p, row_of(p, pc), line)];
}

struct weir_aip weir_aip_entry(const struct weir_policy *p, uint64_t pc, uint64_t line) {
  uint8_t e = entry_for(p, pc, line);
  return (struct weir_aip){.past = e & (SURE - 1), .is_sure = (e & SURE) != 0};
}

/* ---- a line's counter ---- */

/* When the set has had n accesses. */
static uint8_t counter_at(const struct weir_policy *p, const struct line *l, uint64_t n) {
  uint64_t apart = n - l->since;
  return by_uses(p) ? l->uses : apart < most_of(p) ? (uint8_t)apart : most_of(p);
}

static bool is_expired(const struct weir_policy *p, uint32_t set, int way) {
  const struct line *l = weir_line_peek(p, set, way);
  uint8_t c = counter_at(p, l, weir_recency_before(p, set));
  if (!l->is_sure || way + 1 == weir_recency(p, set)->order.last) return false;
  return by_uses(p) ? c >= l->past : c > l->most && c > l->past;
}

struct weir_aip weir_aip_line(const struct weir_policy *p, uint32_t set, int way) {
  const struct line *l = weir_line_peek(p, set, way);
  return (struct weir_aip){.count = counter_at(p, l, weir_recency(p, set)->n),
                           .past = l->past,
                           .most = l->most,
                           .is_sure = l->is_sure,
                           .is_expired = is_expired(p, set, way)};
}

static void use(struct weir_policy *p, uint32_t set, int way) {
  struct line *l = weir_line_edit(p, set, way);
  uint64_t n = weir_recency(p, set)->n;
  uint8_t c = counter_at(p, l, n);
  if (by_uses(p))
    l->uses = c < most_of(p) ? c + 1 : c;
  else if (c > l->most)
    l->most = c;
  l->since = n;
}

/* What the table will say of it from now on. */
static void learn(struct weir_policy *p, uint64_t line, const struct line *l) {
  struct aip *s = weir_state_edit(p);
  uint8_t seen = by_uses(p) ? l->uses : l->most;
  if (l->row == NO_ROW) return;
  s->entry[index_of(p, l->row, line)] = (uint8_t)(seen | (seen == l->past ? SURE : 0));
  ((struct aip_stats *)weir_stats_edit(p))->confirmed += seen == l->past;
}

/* ---- lines that were given up ---- */

static struct gone *gone_at(struct weir_policy *p, uint32_t set, uint32_t i) {
  return &((struct line *)weir_line_edit(p, set, (int)(i / GONE)))->gone[i % GONE];
}

static void give_up(struct weir_policy *p, uint32_t set, uint64_t line) {
  struct set *s = weir_set_edit(p, set);
  *gone_at(p, set, s->next_gone) = (struct gone){line + 1, s->recency.n};
  s->next_gone = (s->next_gone + 1) % (GONE * weir_geometry(p)->ways);
}

/* A miss of a line that was, four times as many accesses ago as there are ways or fewer. */
static bool was_premature(struct weir_policy *p, struct weir_set set, uint64_t line) {
  const struct set *s = weir_set_peek(p, set.index);
  uint32_t n = GONE * weir_geometry(p)->ways;
  for (uint32_t i = 1; i <= n; i++) {
    struct gone *x = gone_at(p, set.index, (s->next_gone + n - i) % n);
    if (x->at == 0 || s->recency.n - x->at > (uint64_t)GONE * set.ways) return false;
    if (x->line != line + 1) continue;
    x->line = 0;
    return true;
  }
  return false;
}

/* ---- deciding ---- */

enum choice { INSERT, SAMPLED, BYPASS };

static enum choice choose(const struct weir_policy *p, const struct weir_access *a) {
  const struct aip *s = weir_state_peek(p);
  uint64_t one_in = (uint64_t)cfg_of(p)->sample;
  if (entry_for(p, a->pc, line_of(p, a)) != SURE) return INSERT;
  return one_in > 0 && (s->candidates + 1) % one_in == 0 ? SAMPLED : BYPASS;
}

static enum weir_answer admit(const struct weir_policy *p, const struct weir_access *a,
                              struct weir_set set) {
  (void)set;
  return choose(p, a) == BYPASS ? WEIR_BYPASS : WEIR_PASS;
}

static int victim(const struct weir_policy *p, const struct weir_access *a, struct weir_set set) {
  (void)a;
  int oldest = WEIR_WAY_STALL;
  WEIR_EACH_BY_RECENCY(p, set.index, w) {
    if (!weir_can_go(set, (uint32_t)w)) continue;
    if (is_expired(p, set.index, w)) return w;
    if (oldest < 0) oldest = w;
  }
  return oldest;
}

/* ---- what happens ---- */

static void miss(struct weir_policy *p, const struct weir_access *a, struct weir_set set) {
  struct aip *s = weir_state_edit(p);
  struct aip_stats *st = weir_stats_edit(p);
  enum choice c = choose(p, a);
  st->predictions++;
  st->bypass_predictions += c != INSERT;
  st->sampled += c == SAMPLED;
  st->bypasses += c == BYPASS;
  s->candidates += c != INSERT;
  st->premature += was_premature(p, set, line_of(p, a));
}

static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  if (a->op == WEIR_PREFETCH) return;
  weir_recency_count(p, set.index);
  if (a->op == WEIR_LOAD && outcome == WEIR_MISS) miss(p, a, set);
  if (way < 0) return;
  struct line *l = weir_line_edit(p, set.index, way);
  if (weir_is_new_use(&l->has_joined, a, outcome)) use(p, set.index, way);
  weir_recency_use(p, set.index, way);
}

static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  struct line *l = weir_line_edit(p, set.index, way);
  bool is_asked_for = a->op != WEIR_PREFETCH;
  struct weir_aip e = {0};
  if (is_asked_for) e = weir_aip_entry(p, a->pc, line_of(p, a));
  l->row = is_asked_for ? row_of(p, a->pc) : NO_ROW;
  l->past = (uint8_t)e.past;
  l->is_sure = e.is_sure;
  l->most = l->uses = 0;
  l->has_joined = false;
  l->since = weir_recency(p, set.index)->n;
  weir_recency_add(p, set.index, way);
}

static void evict(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                  enum weir_cause cause) {
  (void)a;
  struct aip_stats *st = weir_stats_edit(p);
  uint64_t line = set.line[way].tag - 1;
  if (cause == WEIR_BY_REPLACEMENT) {
    st->replaced++;
    if (is_expired(p, set.index, way)) {
      st->expired++;
      give_up(p, set.index, line);
    }
    learn(p, line, weir_line_peek(p, set.index, way));
  }
  weir_recency_remove(p, set.index, way);
}

/* What comes after an L1 was emptied says nothing about lines that were given up before. */
static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  const struct weir_geometry *g = weir_geometry(p);
  struct aip *s = weir_state_edit(p);
  if (cfg_of(p)->reset) memset(s, 0, sizeof *s + n_entries(cfg_of(p)));
  for (uint32_t i = 0; k->is_flushed && i < g->sets; i++)
    for (uint32_t w = 0; w < GONE * g->ways; w++)
      *gone_at(p, i, w) = (struct gone){0};
}

/* ---- reports ---- */

/* Table; in each line its row, what is counted and learnt, and one bit; lru's order. */
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  const struct aip_cfg *c = cfg;
  uint64_t counters = c->mode == MODE_LVP ? 2 : 3;
  return n_entries(c) * ((uint64_t)c->counter_bits + 1) + weir_recency_bits(g) +
         weir_bits_of_lines(g, (uint64_t)c->hash_bits + counters * (uint64_t)c->counter_bits + 1);
}

static const char *verify(const struct weir_policy *p) {
  const struct weir_geometry *g = weir_geometry(p);
  const struct aip *s = weir_state_peek(p);
  const struct aip_stats *st = p->stats;
  uint8_t most = most_of(p);
  for (size_t i = 0; i < n_entries(cfg_of(p)); i++)
    if ((s->entry[i] & (SURE - 1)) > most) return "a threshold is larger than its bits hold";
  for (uint32_t set = 0; set < g->sets; set++) {
    WEIR_EACH_BY_RECENCY(p, set, w) {
      const struct line *l = weir_line_peek(p, set, w);
      if (l->past > most || l->most > most || l->uses > most)
        return "a counter is larger than its bits hold";
    }
  }
  if (st->bypass_predictions != st->sampled + st->bypasses) return "its predictions do not add up";
  if (st->expired > st->replaced) return "more expired lines than lines replaced";
  return st->premature > st->expired ? "more lines too early than lines given up" : NULL;
}

#define P(f, def, ...) WEIR_PARAM(aip_cfg, f, def, __VA_ARGS__)
static const struct weir_param params[] = {
    P(mode, "aip", .choices = WEIR_CHOICES(MODES),
      .help = "what is learnt: the longest interval between uses of a line (aip), or how often it "
              "is used (lvp)"),
    P(hash_bits, "7", .unit = "bit", .min = 1, .max = 9, .source = SLIDES,
      .help = "of an instruction's address and of a line's; the table has 2 to the power of this "
              "rows and columns"),
    P(counter_bits, "4", .unit = "bit", .min = 1, .max = 7, .source = "guess",
      .help = "of a counter; the slides give 20 bits for each line, of which hash_bits and three "
              "counters make 19"),
    P(sample, "16", .min = 0, .max = 1 << 20, .source = "guess",
      .help = "one in so many loads that should bypass is cached; 0: none is"),
    P(reset, "false", .source = "guess", .help = "forget the table when a kernel begins"),
    WEIR_PARAM_END};

#define S(f, u, h)            WEIR_STAT(aip_stats, f, u, h)
#define RATIO(n, num, den, h) WEIR_STAT_RATIO(aip_stats, n, num, den, "1", h)
static const struct weir_stat stats[] = {
    S(predictions, "request", "loads that missed, and for which the table was read"),
    S(bypass_predictions, "request", "of these, those that it would bypass"),
    S(sampled, "request", "... that were cached to learn"),
    S(bypasses, "request", "... that bypassed the L1"),
    RATIO("bypass_coverage", bypass_predictions, predictions, "predictions to bypass of all"),
    S(replaced, "line", "lines replaced"),
    S(expired, "line", "of these, those that were given up as used for the last time"),
    RATIO("coverage", expired, replaced, "expired / replaced"),
    S(premature, "line",
      "of these, those that were loaded again within as many accesses to the set as four times its "
      "ways"),
    RATIO("premature_rate", premature, expired, "premature / expired"),
    S(confirmed, "line", "lines replaced that were used as the table had said"),
    WEIR_STAT_END};

const struct weir_policy_ops weir_policy_aip = {
    .part = {WEIR_PART("aip", "replace a line that has not been used for longer than ever before; "
                              "loads of lines that are never used again bypass the L1"),
             WEIR_PART_PARAMS(params, aip_cfg), WEIR_PART_STATS(stats, aip_stats),
             .reference = PAPER, .set_bytes = sizeof(struct set), .line_bytes = sizeof(struct line),
             .state_size = state_size, .storage_bits = storage_bits, .verify = verify,
             .kernel_begin = kernel_begin},
    .reason = WEIR_R_PREDICTOR,
    .organisations = "conventional|sectored",
    .admit = admit,
    .victim = victim,
    .lookup = lookup,
    .alloc = alloc,
    .evict = evict};
