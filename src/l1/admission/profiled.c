/* A filter from a profile: in a run before this one the references to each line were counted, by SM
 * and launch. Lines with few of them bypass the L1: few by this SM (`local`), by few SMs
 * (`global`), or both together, where each other SM that touches the line counts like one reference
 * of our own, since its blocks might have come here.
 *
 * Addresses mean something with the same data only, so the run before is made on the input that is
 * timed, and what comes of it is a bound for filters that cannot know the future. A launch that the
 * profile does not have uses the L1 for everything.
 *
 * Rows, by launch and line: one for each four SMs with the references of each, and one for all,
 * with the number of SMs and the references of all of them. */
#include "l1/parts.h"

#define PAPER "Locality-Driven Dynamic GPU Cache Bypassing"

#define FILTERS(X) X(LOCAL, "local") X(GLOBAL, "global") X(BOTH, "both")
enum filter { FILTERS(WEIR_CHOICE_ID) };
#define GLOBALS(X) X(SM_COUNT, "sm_count") X(TOTAL, "total")
enum global { GLOBALS(WEIR_CHOICE_ID) };

struct profiled_cfg {
  enum filter filter;
  enum global global;
  int64_t threshold;
  bool count_stores;
};

struct profiled_stats {
  uint64_t loads, admitted, hits, bypassed, only_local, only_global, unprofiled;
};

static const struct weir_param params[] = {
    WEIR_PARAM(profiled_cfg, filter, "both", .choices = WEIR_CHOICES(FILTERS), .source = PAPER,
               .help = "what decides: references by the SM itself, by all SMs, or both"),
    WEIR_PARAM(profiled_cfg, threshold, "2", .min = 1, .max = 1e9, .source = "guess",
               .help = "lines with fewer references bypass the L1"),
    WEIR_PARAM(profiled_cfg, global, "sm_count", .choices = WEIR_CHOICES(GLOBALS),
               .source = "guess", .when = "filter=global|both",
               .help = "what counts of all SMs: how many of them have a reference, or the total of "
                       "their references"),
    WEIR_PARAM(profiled_cfg, count_stores, "false", .source = "guess",
               .help = "stores and atomics are references, too"),
    WEIR_PARAM_END};

#define S(f, u, h) WEIR_STAT(profiled_stats, f, u, h)
static const struct weir_stat stats[] = {
    S(loads, "request", "loads that the profile decided about"),
    S(admitted, "request", "of these, those that used the L1"),
    S(hits, "request", "... and hit"),
    S(bypassed, "request", "of these, those that bypassed it"),
    S(only_local, "request", "loads that `local` would admit and `global` would not"),
    S(only_global, "request", "loads that `global` would admit and `local` would not"),
    S(unprofiled, "request", "loads of launches that the profile does not have"),
    WEIR_STAT_RATIO(profiled_stats, "admitted_share", admitted, loads, "1",
                    "loads that used the L1, of all that were decided about"),
    WEIR_STAT_RATIO(profiled_stats, "admitted_hit_rate", hits, admitted, "1",
                    "hits of those that used it"),
    WEIR_STAT_END};

struct profiled {
  uint64_t launch;  /* number of the launch + 1 */
  bool is_known;    /* the profile has it */
  bool has_counted; /* in the run before: a reference of this launch */
};

/* ---- keys ---- */

enum { SMS = 4 };                          /* of a row */
static const uint64_t LAUNCH = UINT64_MAX; /* says that there was this launch; no line has it */

static unsigned shift_of(const struct weir_geometry *g) {
  return weir_bits((g->n_sms + SMS - 1) / SMS + 2);
}
static uint64_t key_of_all(const struct weir_policy *p, const struct weir_access *a) {
  const struct weir_geometry *g = weir_geometry(p);
  return a->addr / g->line_bytes << shift_of(g);
}
static uint64_t key_of_sm(const struct weir_policy *p, const struct weir_access *a) {
  return key_of_all(p, a) + weir_geometry(p)->sm / SMS + 1;
}

/* Every line of every address must have a key of its own. */
static enum weir_status init(struct weir_policy *p, struct weir_err *err) {
  const struct weir_geometry *g = weir_geometry(p);
  if (shift_of(g) > weir_bits(g->line_bytes))
    return weir_fail(err, WEIR_EINVAL,
                     "profiled cannot tell the lines of %u SMs apart by keys of 64 bits: lines of "
                     "%u bytes are too small (l1.line) for so many (sm.count)",
                     g->n_sms, g->line_bytes);
  return WEIR_OK;
}

/* ---- the run before ---- */

static void count_reference(struct weir_policy *p, const struct weir_access *a) {
  struct profiled *s = weir_state_edit(p);
  struct weir_row row = {.kernel = s->launch, .key = key_of_all(p, a), .v = {[1] = 1}};
  s->has_counted = weir_note(p, &row);
  if (!s->has_counted) return;
  row = (struct weir_row){.kernel = s->launch, .key = key_of_sm(p, a)};
  row.v[weir_geometry(p)->sm % SMS] = 1;
  weir_note(p, &row);
}

/* A launch in which nobody was told of a load, as with l1.perfect, says nothing about lines. */
static bool row(const struct weir_policy *p, uint32_t i, struct weir_row *r) {
  const struct profiled *s = weir_state_peek(p);
  r->kernel = s->launch;
  r->key = LAUNCH;
  return i == 0 && s->has_counted;
}

/* The row of a line for all SMs comes before those of the SMs. */
static size_t digest(const struct weir_policy *p, struct weir_row *rows, size_t n) {
  unsigned shift = shift_of(weir_geometry(p));
  struct weir_row *all = NULL;
  for (size_t i = 0; i < n; i++) {
    struct weir_row *r = &rows[i];
    if (r->key == LAUNCH) continue;
    if (r->key >> shift << shift == r->key) all = r;
    for (unsigned k = 0; all != NULL && all != r && k < SMS; k++)
      all->v[0] += r->v[k] > 0;
  }
  return n;
}

/* ---- this run ---- */

static const struct weir_row *find(const struct weir_policy *p, uint64_t key) {
  const struct profiled *s = weir_state_peek(p);
  return weir_find_row(p->rows, p->n_rows, s->launch, key);
}

struct counts {
  uint64_t own, sms, total; /* references of this SM; SMs that have some; references of all */
};

static struct counts counts_of(const struct weir_policy *p, const struct weir_access *a) {
  const struct weir_row *all = find(p, key_of_all(p, a)), *end = p->rows + p->n_rows;
  if (all == NULL) return (struct counts){0};
  struct counts c = {.sms = all->v[0], .total = all->v[1]};
  uint64_t key = key_of_sm(p, a);
  for (const struct weir_row *r = all + 1; r < end && r->kernel == all->kernel && r->key <= key;
       r++)
    if (r->key == key) c.own = r->v[weir_geometry(p)->sm % SMS];
  return c;
}

static bool admits(const struct profiled_cfg *cfg, enum filter filter, const struct counts *c) {
  uint64_t least = (uint64_t)cfg->threshold;
  uint64_t of_all = cfg->global == TOTAL ? c->total : c->sms;
  switch (filter) {
  case LOCAL:
    return c->own >= least;
  case GLOBAL:
    return of_all >= least;
  default: /* the total has our own in it */
    return cfg->global == TOTAL ? of_all >= least : c->own + (c->sms - (c->own > 0)) >= least;
  }
}

static enum weir_answer route(const struct weir_policy *p, const struct weir_access *a) {
  const struct profiled_cfg *cfg = weir_cfg(p);
  if (!((const struct profiled *)weir_state_peek(p))->is_known) return WEIR_PASS;
  struct counts c = counts_of(p, a);
  return admits(cfg, cfg->filter, &c) ? WEIR_PASS : WEIR_BYPASS;
}

static void decided(struct weir_policy *p, const struct weir_access *a) {
  const struct profiled_cfg *cfg = weir_cfg(p);
  struct profiled_stats *st = weir_stats_edit(p);
  struct counts c = counts_of(p, a);
  bool local = admits(cfg, LOCAL, &c), global = admits(cfg, GLOBAL, &c);
  st->loads++;
  st->only_local += local && !global;
  st->only_global += global && !local;
}

static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  (void)set, (void)way;
  const struct profiled_cfg *cfg = weir_cfg(p);
  struct profiled_stats *st = weir_stats_edit(p);
  bool is_load = a->op == WEIR_LOAD, is_store = a->op == WEIR_STORE || a->op == WEIR_ATOMIC;
  if (is_load || (cfg->count_stores && is_store)) count_reference(p, a);
  if (!is_load) return;
  if (!((const struct profiled *)weir_state_peek(p))->is_known) {
    st->unprofiled++;
    return;
  }
  decided(p, a);
  st->admitted++;
  st->hits += outcome == WEIR_HIT;
}

/* Of loads that others let bypass the L1 only those count that would have bypassed anyway. */
static void bypass(struct weir_policy *p, const struct weir_access *a) {
  if (route(p, a) != WEIR_BYPASS) return;
  decided(p, a);
  ((struct profiled_stats *)weir_stats_edit(p))->bypassed++;
}

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  struct profiled *s = weir_state_edit(p);
  *s = (struct profiled){.launch = (uint64_t)k->uid + 1};
  s->is_known = find(p, LAUNCH) != NULL;
}

static const char *verify(const struct weir_policy *p) {
  const struct profiled_stats *st = p->stats;
  if (st->hits > st->admitted || st->only_local + st->only_global > st->loads)
    return "a part is more than the whole";
  return st->loads != st->admitted + st->bypassed ? "its decisions do not add up" : NULL;
}

const struct weir_policy_ops weir_policy_profiled = {
    .part = {WEIR_PART("profiled", "loads of lines with few references in a run before bypass the "
                                   "L1"),
             .reference = PAPER, WEIR_PART_PARAMS(params, profiled_cfg),
             WEIR_PART_STATS(stats, profiled_stats), .state_bytes = sizeof(struct profiled),
             .init = init, .storage_bits = weir_no_storage, .verify = verify,
             .kernel_begin = kernel_begin},
    .reason = WEIR_R_PROFILE,
    .prepare = "profiled",
    .prepares_on_timed = true,
    .row_params = "count_stores",
    .route = route,
    .lookup = lookup,
    .bypass = bypass,
    .row = row,
    .digest = digest};
