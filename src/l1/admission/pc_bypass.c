/* A table of counters, found by a hash of the instruction's address, says whether a missing load
 * bypasses the L1. Each line remembers the last instruction that touched it: a hit shows that this
 * was not its last use, a replacement that it was. A bypass cannot be judged in the L1, so the L2
 * marks the line, and a later read that finds the mark takes the prediction back.
 *
 * Now and then a load is cached against its prediction, so that an instruction whose lines have
 * become useful can be learnt anew. With a duel some sets always predict and some never do; if
 * predicting misses clearly more often, all others stop. That is off by default: a bypass counts as
 * a miss whether it freed an MSHR or not, and strides of a power of two fall into leaders alone. */
#include <string.h>

#include "l1/duel.h"
#include "l1/inspect.h"
#include "l1/parts.h"
#include "l1/predictor.h"

struct pc_bypass_cfg {
  int64_t hash_bits, counter_bits, threshold, correct_step, sample, duel_period, psel_off;
  bool duel, fill_on_mispredict, reset;
};

struct pc_bypass_stats {
  uint64_t predictions, bypass_predictions, duelled, sampled, bypasses, false_positives;
  uint64_t feedback_bypass, feedback_fill, xcu_feedback, trained_up, trained_down;
  uint64_t selector;
};

#define PAPER "Adaptive GPU Cache Bypassing"
#define CFG(f, default_text, ...)                                                                  \
  WEIR_PARAM(pc_bypass_cfg, f, default_text, __VA_ARGS__, .source = "guess")

static const struct weir_param params[] = {
    WEIR_PARAM(pc_bypass_cfg, hash_bits, "7", .unit = "bit", .min = 1, .max = 16,
               .help = "of a hashed instruction address; the table has 2 to the power of this",
               .source = PAPER),
    WEIR_PARAM(pc_bypass_cfg, counter_bits, "4", .unit = "bit", .min = 1, .max = 8,
               .help = "of a counter of the table", .source = PAPER),
    CFG(threshold, "8", .min = 1, .max = 256,
        .help = "a counter that has reached this predicts that the line will not be used again"),
    CFG(correct_step, "1", .min = 0, .max = 255,
        .help = "what a reply with the L2's mark takes from the counter"),
    CFG(fill_on_mispredict, "false",
        .help = "after such a reply to a bypassed load, fetch its line into the L1: one further "
                "request"),
    CFG(sample, "32", .min = 0, .max = 1 << 20,
        .help = "one in so many loads that should bypass is cached; 0: none is"),
    CFG(duel, "false", .help = "let some sets show whether predicting pays"),
    CFG(duel_period, "8", .unit = "set", .min = 2, .max = 4096,
        .help = "of so many sets one never bypasses and one always does as predicted",
        .when = "duel=true"),
    CFG(psel_off, "768", .min = 0, .max = 1023,
        .help =
            "the others stop bypassing while the 10-bit selector, which begins at 512, is above "
            "this",
        .when = "duel=true"),
    CFG(reset, "false", .help = "forget everything when a kernel begins"),
    WEIR_PARAM_END};

#define S(f, u, h)            WEIR_STAT(pc_bypass_stats, f, u, h)
#define RATIO(n, num, den, h) WEIR_STAT_RATIO(pc_bypass_stats, n, num, den, "1", h)
static const struct weir_stat stats[] = {
    S(predictions, "request", "loads that missed, and for which the table was read"),
    S(bypass_predictions, "request", "of these, those that it would bypass"),
    S(duelled, "request", "... that were cached because of the duel of the sets"),
    S(sampled, "request", "... that were cached to learn"),
    S(bypasses, "request", "... that bypassed the L1"),
    S(false_positives, "request",
      "bypasses whose line was loaded again before an L1 that caches every load (LRU, ended by "
      "stores) would have lost it"),
    S(feedback_bypass, "request",
      "bypassed loads whose reply said that the bypass before was wrong"),
    S(feedback_fill, "request", "cached loads whose reply said so"),
    S(xcu_feedback, "request", "of both, those that were told of another SM's bypass"),
    S(trained_up, "event",
      "lines replaced: their last instruction is one step nearer to bypassing"),
    S(trained_down, "event",
      "lines used again: their last instruction is one step further from it"),
    WEIR_STAT_LEVEL(pc_bypass_stats, selector, "1",
                    "of the duel: the larger, the more misses of sets that predict"),
    RATIO("coverage", bypass_predictions, predictions, "predictions to bypass of all"),
    RATIO("fills_prevented", bypasses, predictions, "missing loads that filled nothing"),
    RATIO("false_of_bypass_predictions", false_positives, bypass_predictions,
          "false positives of the predictions to bypass"),
    RATIO("false_of_predictions", false_positives, predictions,
          "false positives of all predictions"),
    WEIR_STAT_END};

enum { PSEL_START = 512, PSEL_MAX = 1023, NO_PC = UINT16_MAX + 1 };

struct predictor {
  uint64_t candidates;   /* loads that were to bypass and were taken, bypassed or sampled */
  uint64_t shadow_clock; /* of the L1 without bypassing */
  uint32_t psel;
  uint8_t counter[]; /* 2 to the power of hash_bits */
};

/* What is kept for a way: the last instruction; and a way of an L1 that caches every load, which
 * only statistics read. */
struct way {
  uint32_t hash;                /* of the last instruction that touched it; NO_PC: none did */
  bool has_joined;              /* since its MSHR entry was opened a load joined it */
  bool is_bypassed;             /* of the shadow: the last load of it was bypassed */
  uint64_t shadow, shadow_used; /* line number + 1; when it was used last */
};

static size_t state_size(const void *cfg, const struct weir_geometry *g) {
  (void)g;
  const struct pc_bypass_cfg *c = cfg;
  return sizeof(struct predictor) + ((size_t)1 << c->hash_bits);
}

static enum weir_status init(struct weir_policy *p, struct weir_err *err) {
  (void)err;
  ((struct predictor *)weir_state_edit(p))->psel = PSEL_START;
  return WEIR_OK;
}

/* ---- the table ---- */

static uint32_t hash_of(const struct weir_policy *p, uint64_t pc) {
  return weir_fold_pc(pc, ((const struct pc_bypass_cfg *)weir_cfg(p))->hash_bits);
}

uint32_t weir_pc_bypass_counter(const struct weir_policy *p, uint64_t pc) {
  return ((const struct predictor *)weir_state_peek(p))->counter[hash_of(p, pc)];
}

static uint8_t most(const struct weir_policy *p) {
  const struct pc_bypass_cfg *cfg = weir_cfg(p);
  return (uint8_t)((1u << cfg->counter_bits) - 1);
}

static void train_up(struct weir_policy *p, uint32_t hash) {
  uint8_t *v = &((struct predictor *)weir_state_edit(p))->counter[hash];
  if (*v < most(p)) ++*v;
}

static void train_down(struct weir_policy *p, uint32_t hash, uint32_t step) {
  uint8_t *v = &((struct predictor *)weir_state_edit(p))->counter[hash];
  *v = (uint8_t)(*v > step ? *v - step : 0);
}

/* ---- the duel ---- */

static const enum weir_side CACHES = WEIR_LEADS_ONE, PREDICTS = WEIR_LEADS_OTHER;

static enum weir_side side_of(const struct weir_policy *p, uint32_t set) {
  const struct pc_bypass_cfg *cfg = weir_cfg(p);
  uint32_t sets = weir_geometry(p)->sets;
  return cfg->duel && sets > 1 ? weir_duel_side(set, sets, cfg->duel_period) : WEIR_FOLLOWS;
}

static void count_miss(struct weir_policy *p, uint32_t set) {
  struct predictor *s = weir_state_edit(p);
  enum weir_side side = side_of(p, set);
  if (side != WEIR_FOLLOWS) weir_duel_step(&s->psel, side == PREDICTS, PSEL_MAX);
  ((struct pc_bypass_stats *)weir_stats_edit(p))->selector = s->psel;
}

/* ---- the decision ---- */

enum choice { INSERT, DUELLED, SAMPLED, BYPASS };

static enum choice choose(const struct weir_policy *p, const struct weir_access *a) {
  const struct pc_bypass_cfg *cfg = weir_cfg(p);
  const struct predictor *s = weir_state_peek(p);
  if (weir_pc_bypass_counter(p, a->pc) < cfg->threshold) return INSERT;
  enum weir_side side = side_of(p, a->set);
  if (side == CACHES || (side == WEIR_FOLLOWS && cfg->duel && s->psel > cfg->psel_off))
    return DUELLED;
  if (cfg->sample > 0 && (s->candidates + 1) % (uint64_t)cfg->sample == 0) return SAMPLED;
  return BYPASS;
}

static enum weir_answer admit(const struct weir_policy *p, const struct weir_access *a,
                              struct weir_set set) {
  (void)set;
  return choose(p, a) == BYPASS ? WEIR_BYPASS_MARKED : WEIR_PASS;
}

/* ---- the shadow ---- */

static uint64_t line_of(const struct weir_policy *p, const struct weir_access *a) {
  return a->addr / weir_geometry(p)->line_bytes + 1;
}

/* The way of the shadow that holds the line; else the one that it would replace. */
static struct way *shadow_way(struct weir_policy *p, uint64_t line, struct weir_set set) {
  struct way *oldest = NULL;
  for (uint32_t w = 0; w < set.ways; w++) {
    struct way *l = weir_line_edit(p, set.index, (int)w);
    if (l->shadow == line) return l;
    if (oldest == NULL || l->shadow_used < oldest->shadow_used) oldest = l;
  }
  return oldest;
}

static void shadow_load(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                        bool is_bypassed) {
  struct predictor *s = weir_state_edit(p);
  struct pc_bypass_stats *st = weir_stats_edit(p);
  uint64_t line = line_of(p, a);
  struct way *l = shadow_way(p, line, set);
  if (l->shadow == line && l->is_bypassed) st->false_positives++;
  l->shadow = line;
  l->shadow_used = ++s->shadow_clock;
  l->is_bypassed = is_bypassed;
}

static void shadow_end(struct weir_policy *p, const struct weir_access *a, struct weir_set set) {
  uint64_t line = line_of(p, a);
  struct way *l = shadow_way(p, line, set);
  if (l->shadow == line) l->shadow = l->shadow_used = 0, l->is_bypassed = false;
}

/* ---- what happens ---- */

static void use_again(struct weir_policy *p, const struct weir_access *a, struct way *l) {
  struct pc_bypass_stats *st = weir_stats_edit(p);
  if (l->hash != NO_PC) {
    train_down(p, l->hash, 1);
    st->trained_down++;
  }
  l->hash = hash_of(p, a->pc);
}

/* A choice is asked for again here: nothing has changed since admit was asked. */
static void miss(struct weir_policy *p, const struct weir_access *a, struct weir_set set) {
  struct predictor *s = weir_state_edit(p);
  struct pc_bypass_stats *st = weir_stats_edit(p);
  enum choice c = choose(p, a);
  st->predictions++;
  st->bypass_predictions += c != INSERT;
  st->duelled += c == DUELLED;
  st->sampled += c == SAMPLED;
  st->bypasses += c == BYPASS;
  s->candidates += c == SAMPLED || c == BYPASS;
  count_miss(p, a->set);
  shadow_load(p, a, set, c == BYPASS);
}

static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  if (a->op == WEIR_PREFETCH) return;
  if (a->op != WEIR_LOAD) {
    shadow_end(p, a, set);
    return;
  }
  if (outcome == WEIR_MISS) {
    miss(p, a, set);
    return;
  }
  shadow_load(p, a, set, false);
  if (way < 0) return;
  struct way *l = weir_line_edit(p, set.index, way);
  if (weir_is_new_use(&l->has_joined, a, outcome)) use_again(p, a, l);
}

static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  struct way *l = weir_line_edit(p, set.index, way);
  l->hash = a->op == WEIR_PREFETCH ? NO_PC : hash_of(p, a->pc);
  l->has_joined = false;
}

static void evict(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                  enum weir_cause cause) {
  (void)a;
  const struct way *l = weir_line_peek(p, set.index, way);
  if (cause != WEIR_BY_REPLACEMENT || l->hash == NO_PC) return;
  train_up(p, l->hash);
  ((struct pc_bypass_stats *)weir_stats_edit(p))->trained_up++;
}

static bool correct(struct weir_policy *p, const struct weir_access *a, uint32_t flags) {
  const struct pc_bypass_cfg *cfg = weir_cfg(p);
  if (!(flags & WEIR_REPLY_MARKED) || a->op != WEIR_LOAD) return false;
  train_down(p, hash_of(p, a->pc), (uint32_t)cfg->correct_step);
  ((struct pc_bypass_stats *)weir_stats_edit(p))->xcu_feedback +=
      (flags & WEIR_REPLY_OTHER_SM) != 0;
  return true;
}

static void fill(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                 uint32_t flags) {
  (void)set, (void)way;
  struct pc_bypass_stats *st = weir_stats_edit(p);
  st->feedback_fill += correct(p, a, flags);
}

static void bypass_return(struct weir_policy *p, const struct weir_access *a, uint32_t flags) {
  const struct pc_bypass_cfg *cfg = weir_cfg(p);
  struct pc_bypass_stats *st = weir_stats_edit(p);
  if (!correct(p, a, flags)) return;
  st->feedback_bypass++;
  if (cfg->fill_on_mispredict) weir_ask_prefetch(p, a->addr, a->sectors);
}

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  const struct pc_bypass_cfg *cfg = weir_cfg(p);
  const struct weir_geometry *g = weir_geometry(p);
  struct predictor *s = weir_state_edit(p);
  if (cfg->reset) {
    memset(s->counter, 0, (size_t)1 << cfg->hash_bits);
    s->psel = PSEL_START;
    s->candidates = 0;
  }
  for (uint32_t i = 0; k->is_flushed && i < g->sets; i++)
    for (uint32_t w = 0; w < g->ways; w++)
      memset(weir_line_edit(p, i, (int)w), 0, sizeof(struct way));
}

/* ---- reports ---- */

/* Counters and the labels of the lines. The paper's sum is that of the labels alone. */
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  const struct pc_bypass_cfg *c = cfg;
  return ((uint64_t)c->counter_bits << c->hash_bits) +
         weir_bits_of_lines(g, (uint64_t)c->hash_bits);
}

static const char *verify(const struct weir_policy *p) {
  const struct pc_bypass_cfg *cfg = weir_cfg(p);
  const struct predictor *s = weir_state_peek(p);
  const struct pc_bypass_stats *st = p->stats;
  if (s->psel > PSEL_MAX) return "its selector is outside its range";
  for (uint32_t i = 0; i < 1u << cfg->hash_bits; i++)
    if (s->counter[i] > most(p)) return "a counter is outside its range";
  if (st->bypass_predictions != st->duelled + st->sampled + st->bypasses)
    return "its predictions do not add up";
  if (st->xcu_feedback > st->feedback_bypass + st->feedback_fill)
    return "more feedback of other SMs than feedback";
  return st->false_positives > st->bypasses ? "more false bypasses than bypasses" : NULL;
}

const struct weir_policy_ops weir_policy_pc_bypass = {
    .part = {WEIR_PART("pc-bypass",
                       "loads bypass the L1 whose instruction has brought lines that were not used "
                       "again; the L2 tells of mistakes"),
             .reference = PAPER, WEIR_PART_PARAMS(params, pc_bypass_cfg),
             WEIR_PART_STATS(stats, pc_bypass_stats), .line_bytes = sizeof(struct way),
             .state_size = state_size, .init = init, .storage_bits = storage_bits,
             .l2_line_bits = 1, .verify = verify, .kernel_begin = kernel_begin},
    .reason = WEIR_R_PREDICTOR,
    .admit = admit,
    .lookup = lookup,
    .alloc = alloc,
    .fill = fill,
    .evict = evict,
    .bypass_return = bypass_return};
