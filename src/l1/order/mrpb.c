/* Requests wait in queues by warp (or block) in front of the L1, and leave queue by queue, so that
 * the lines of a few warps are used before those of others push them out; a load that finds no
 * resource bypasses the L1. Stores wait with the loads of their warp, which keeps them in order.
 */
#include "base/ring.h"
#include "l1/parts.h"

#define BYPASSES(X) X(ON_NOTHING, "none") X(ON_ASSOC, "assoc") X(ON_ANY, "any")
enum bypass_on { BYPASSES(WEIR_CHOICE_ID) };
#define DRAINS(X)                                                                                  \
  X(FIXED, "fixed")                                                                                \
  X(GREEDY, "greedy") X(LONGEST, "longest") X(RR, "rr")
enum drain { DRAINS(WEIR_CHOICE_ID) };
#define SIGS(X) X(BY_WARP, "warp") X(BY_CTA, "cta")
enum sig { SIGS(WEIR_CHOICE_ID) };
struct mrpb_cfg {
  enum sig sig;
  enum drain drain;
  enum bypass_on bypass_on;
  bool reorder;
  int64_t nq, depth;
};

#define PAPER "W. Jia et al., MRPB, HPCA 2014"
#define FIT   "fitted to the 1.21 KB that a later paper reports"

static const struct weir_param params[] = {
    WEIR_PARAM(mrpb_cfg, sig, "warp", .choices = WEIR_CHOICES(SIGS),
               .help = "requests are put into queues by warp or by block", .source = PAPER,
               .when = "reorder=true and nq>1"),
    WEIR_PARAM(mrpb_cfg, nq, "8", .min = 1, .max = WEIR_MAX_QUEUES, .help = "queues", .source = FIT,
               .when = "reorder=true"),
    WEIR_PARAM(mrpb_cfg, depth, "32", .min = 1, .max = WEIR_MAX_DEPTH, .unit = "request",
               .help = "places of a queue", .source = FIT, .when = "reorder=true"),
    WEIR_PARAM(mrpb_cfg, drain, "fixed", .choices = WEIR_CHOICES(DRAINS),
               .help = "which queue is next: the first that is not empty; the same until it is "
                       "empty; the longest; in turn",
               .source = PAPER, .when = "reorder=true and nq>1"),
    WEIR_PARAM(mrpb_cfg, bypass_on, "any", .choices = WEIR_CHOICES(BYPASSES),
               .help = "loads bypass the L1 if all ways are reserved (assoc), or if a way, an "
                       "MSHR, a merge or the miss queue is missing (any)",
               .source = PAPER, .when = "l1.enabled=true and l1.perfect=false"),
    WEIR_PARAM(mrpb_cfg, reorder, "true", .help = "false: no queues, only the bypass",
               .source = PAPER),
    WEIR_PARAM_END};

struct stats {
  uint64_t queued, wait_cycles, reordered, reorder_places;
  uint64_t bypassed_line, bypassed_queue, bypassed_merge, bypassed_mshr, bypassed_reused;
};
#define S(f, u, h) WEIR_STAT(stats, f, u, h)
static const struct weir_stat stat_table[] = {
    S(queued, "request", "requests that went into a queue"),
    S(wait_cycles, "cycle", "requests in the queues, summed over cycles"),
    WEIR_STAT_RATIO(stats, "wait", wait_cycles, queued, "cycle", "time in a queue"),
    S(reordered, "request", "requests that left earlier than they would have in order"),
    S(reorder_places, "request", "places by which they did"),
    WEIR_STAT_RATIO(stats, "reorder_distance", reorder_places, reordered, "request",
                    "places by which a request that left earlier did"),
    S(bypassed_line, "request", "loads that bypassed because all ways of their set were reserved"),
    S(bypassed_queue, "request", "... because the miss queue was full"),
    S(bypassed_merge, "request", "... because their line had too many waiters"),
    S(bypassed_mshr, "request", "... because there was no MSHR"),
    S(bypassed_reused, "request",
      "of these, those whose line another of the next 256 requests asked for"),
    WEIR_STAT_END};

enum { NEAR = 256, KEPT = NEAR + 1 };

struct state {
  uint64_t arrived, left; /* requests, since the simulation began */
  uint64_t since;         /* cycle to which wait_cycles is counted */
  uint32_t last;          /* queue that a request left last */
  uint64_t seen;          /* requests that read the tags */
  /* A ring of the loads that bypassed among the last NEAR of these. */
  struct bypassed {
    uint64_t line, at;
  } bypassed[KEPT];
  uint32_t first, n;
  uint32_t waiting[]; /* of each queue a struct waiting */
};

/* A ring: of each request in the queue, the lower half of its number in the order of arrival. */
struct waiting {
  uint32_t head, n, place[];
};

static size_t state_size(const void *cfg, const struct weir_geometry *g) {
  const struct mrpb_cfg *c = cfg;
  (void)g;
  return sizeof(struct state) + sizeof(uint32_t) * (size_t)(c->nq * (c->depth + 2));
}

static struct waiting *waiting(struct state *s, const struct mrpb_cfg *c, uint32_t queue) {
  return (struct waiting *)(s->waiting + (size_t)queue * (size_t)(c->depth + 2));
}

/* ---- which queue ---- */

static struct weir_order order(const struct weir_policy *p) {
  const struct mrpb_cfg *c = weir_cfg(p);
  if (!c->reorder) return (struct weir_order){0};
  return (struct weir_order){.queues = (uint32_t)c->nq, .depth = (uint32_t)c->depth};
}

static uint32_t queue(const struct weir_policy *p, const struct weir_access *a) {
  const struct mrpb_cfg *c = weir_cfg(p);
  return (c->sig == BY_WARP ? a->warp : a->cta) % (uint32_t)c->nq;
}

static uint32_t longest(const uint32_t *n, uint32_t nq) {
  uint32_t most = 0;
  for (uint32_t i = 1; i < nq; i++)
    if (n[i] > n[most]) most = i;
  return most;
}

static uint32_t next_queue(const struct weir_policy *p, const uint32_t *n) {
  const struct mrpb_cfg *c = weir_cfg(p);
  const struct state *s = weir_state_peek(p);
  uint32_t nq = (uint32_t)c->nq, i = 0;
  if (c->drain == LONGEST) return longest(n, nq);
  if (c->drain == GREEDY && n[s->last] > 0) return s->last;
  if (c->drain == RR) i = (s->last + 1) % nq;
  while (n[i] == 0)
    i = (i + 1) % nq;
  return i;
}

/* ---- bypass ---- */

static enum weir_answer blocked(const struct weir_policy *p, const struct weir_access *a,
                                enum weir_shortage why) {
  const struct mrpb_cfg *c = weir_cfg(p);
  (void)a;
  if (c->bypass_on == ON_NOTHING) return WEIR_PASS;
  if (why == WEIR_NO_LINE) return WEIR_BYPASS;
  bool is_meant = why == WEIR_NO_QUEUE || why == WEIR_NO_MERGE || why == WEIR_NO_MSHR;
  return is_meant && c->bypass_on == ON_ANY ? WEIR_BYPASS : WEIR_PASS;
}

/* ---- what has happened ---- */

static void settle(struct weir_policy *p, uint64_t cycle) {
  struct state *s = weir_state_edit(p);
  struct stats *st = weir_stats_edit(p);
  st->wait_cycles += (s->arrived - s->left) * (cycle - s->since);
  s->since = cycle;
}

static void queued(struct weir_policy *p, const struct weir_access *a, uint32_t q) {
  const struct mrpb_cfg *c = weir_cfg(p);
  struct state *s = weir_state_edit(p);
  struct stats *st = weir_stats_edit(p);
  struct waiting *w = waiting(s, c, q);
  settle(p, a->cycle);
  w->place[weir_ring_at(w->head, w->n++, (uint32_t)c->depth)] = (uint32_t)s->arrived++;
  st->queued++;
}

static void left_queue(struct weir_policy *p, const struct weir_access *a, uint32_t q) {
  const struct mrpb_cfg *c = weir_cfg(p);
  struct state *s = weir_state_edit(p);
  struct stats *st = weir_stats_edit(p);
  struct waiting *w = waiting(s, c, q);
  settle(p, a->cycle);
  int32_t earlier = (int32_t)(w->place[w->head] - (uint32_t)s->left);
  w->head = weir_ring_at(w->head, 1, (uint32_t)c->depth);
  w->n--;
  if (earlier > 0) {
    st->reordered++;
    st->reorder_places += (uint32_t)earlier;
  }
  s->left++;
  s->last = q;
}

/* A request that read the tags: is it for a line that bypassed a short while ago? */
static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  struct state *s = weir_state_edit(p);
  struct stats *st = weir_stats_edit(p);
  (void)set, (void)way, (void)outcome;
  s->seen++;
  for (; s->n > 0 && s->bypassed[s->first].at + NEAR < s->seen; s->n--)
    s->first = weir_ring_at(s->first, 1, KEPT);
  for (uint32_t i = 0; i < s->n; i++) {
    struct bypassed *l = &s->bypassed[weir_ring_at(s->first, i, KEPT)];
    if (l->line != a->addr) continue;
    l->line = UINT64_MAX; /* counted */
    st->bypassed_reused++;
  }
}

static void bypass(struct weir_policy *p, const struct weir_access *a) {
  struct state *s = weir_state_edit(p);
  struct stats *st = weir_stats_edit(p);
  if (a->shortage == WEIR_N_SHORTAGES) return;
  st->bypassed_line += a->shortage == WEIR_NO_LINE;
  st->bypassed_queue += a->shortage == WEIR_NO_QUEUE;
  st->bypassed_merge += a->shortage == WEIR_NO_MERGE;
  st->bypassed_mshr += a->shortage == WEIR_NO_MSHR;
  /* One for each request at most: there is room. */
  s->bypassed[weir_ring_at(s->first, s->n++, KEPT)] =
      (struct bypassed){.line = a->addr, .at = s->seen};
}

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  struct state *s = weir_state_edit(p);
  (void)k;
  s->since = 0; /* cycles count from here; the queues are empty */
}

/* ---- size, soundness ---- */

static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  (void)g;
  const struct mrpb_cfg *c = cfg;
  enum { ADDRESS = 25, WARP = 6, OTHER = 7, POINTERS = 23 };
  if (!c->reorder) return 0;
  return (uint64_t)(c->nq * c->depth) * (ADDRESS + WARP + OTHER) + (uint64_t)c->nq * POINTERS;
}

static const char *verify(const struct weir_policy *p) {
  const struct state *s = weir_state_peek(p);
  if (s->left > s->arrived) return "more requests left the queues than came";
  return s->n > KEPT ? "more bypasses than requests" : NULL;
}

const struct weir_policy_ops weir_policy_mrpb = {
    .part = {WEIR_PART(
                 "mrpb",
                 "requests wait in queues by warp and leave queue by queue; loads that find no "
                 "resource bypass"),
             .reference = PAPER, WEIR_PART_PARAMS(params, mrpb_cfg),
             WEIR_PART_STATS(stat_table, stats), .state_size = state_size,
             .storage_bits = storage_bits, .verify = verify, .kernel_begin = kernel_begin},
    .reason = WEIR_R_STALL,
    .blocked = blocked,
    .lookup = lookup,
    .bypass = bypass,
    .order = order,
    .queue = queue,
    .next_queue = next_queue,
    .queued = queued,
    .left_queue = left_queue};
