/* A compiler has put each global load into one of three classes: those with good locality use the
 * L1 (ca), those without bypass it (cg), and for the others (cm) it is better that some blocks use
 * the L1 and the rest do not. How many of the blocks of an SM should bypass it (the target) is
 * learned: the life of one block is a period, at whose end the target gets a score, and the next
 * target is the best of its neighbours. A block keeps what it was when it came, so a new target
 * takes hold as blocks come and go.
 *
 * A period begins with the block whose arrival brings the number of blocks that bypass (cur) to
 * the target, and lasts as long as that block. The score (CHSS) is the time that hits save over the
 * time that the L1's shortages cost all running warps. */
#include <string.h>

#include "l1/inspect.h"
#include "l1/parts.h"

#define INITS(X) X(INIT_OPTIMISTIC, "optimistic") X(INIT_SLOPE, "slope")
enum start { INITS(WEIR_CHOICE_ID) };
#define CMS(X) X(CM_DYNAMIC, "dynamic") X(CM_CA, "ca") X(CM_CG, "cg")
enum cm { CMS(WEIR_CHOICE_ID) };
struct coordinated_cfg {
  enum cm cm;
  enum start init;
  bool all_cm, central;
  int64_t l2_latency;
};

enum { LAST_AT = 8 };

struct coordinated_stats {
  uint64_t blocks, blocks_bg, target, bypassing;
  uint64_t periods, lowered, raised, kept, at[LAST_AT + 1];
  uint64_t sampled_cycles, sampled_hits, sampled_stall;
  uint64_t cycles, target_cycles, last_target, learners;
  uint64_t ca_loads, ca_hits, cm_loads, cm_hits, cg_bypassed, cm_bypassed, untagged;
};

#define PAPER                     "X. Xie et al., Coordinated static and dynamic cache bypassing for GPUs, HPCA 2015"
#define CFG(f, default_text, ...) WEIR_PARAM(coordinated_cfg, f, default_text, __VA_ARGS__)

static const struct weir_param params[] = {
    CFG(cm, "dynamic", .choices = WEIR_CHOICES(CMS),
        .help = "what cm loads do: as their block says, or all the same (static alone: ca)",
        .source = PAPER),
    CFG(all_cm, "false", .help = "every global load is cm, whatever its tag (dynamic alone)",
        .source = PAPER),
    CFG(central, "true",
        .help = "SM 0 learns and tells the others its targets; false: each learns for itself",
        .source = PAPER, .when = "cm=dynamic and sm.count>1"),
    CFG(init, "optimistic", .choices = WEIR_CHOICES(INITS),
        .help =
            "targets without a score: optimistic, better than all others; slope, tried on the way "
            "down while scores improve",
        .source = "guess", .when = "cm=dynamic"),
    CFG(l2_latency, "200", .unit = "cycle", .min = 1, .max = 100000,
        .help = "what a hit saves; a factor of all scores", .source = "guess",
        .when = "never (a factor of all scores, which are compared with one another only)"),
    WEIR_PARAM_END};

#define S(f, u, h)               WEIR_STAT(coordinated_stats, f, u, h)
#define RATIO(n, num, den, u, h) WEIR_STAT_RATIO(coordinated_stats, n, num, den, u, h)
#define AT(i, n, h)                                                                                \
  {                                                                                                \
    .name = n, .unit = "event", .help = h,                                                         \
    .offset = offsetof(struct coordinated_stats, at) + sizeof(uint64_t) * (i)                      \
  }
static const struct weir_stat stats[] = {
    S(blocks, "block", "blocks that came"),
    S(blocks_bg, "block", "of these, those whose cm loads bypassed the L1"),
    WEIR_STAT_LEVEL(coordinated_stats, target, "block",
                    "how many blocks' cm loads should bypass the L1"),
    WEIR_STAT_LEVEL(coordinated_stats, bypassing, "block", "of how many they do"),
    S(periods, "event", "periods that led to a target"),
    S(lowered, "event", "of these, those after which fewer blocks should bypass"),
    S(raised, "event", "... more blocks"),
    S(kept, "event", "... as many as before"),
    AT(0, "at_0", "periods in which no block should bypass"),
    AT(1, "at_1", "... one block"),
    AT(2, "at_2", "... two blocks"),
    AT(3, "at_3", "... three"),
    AT(4, "at_4", "... four"),
    AT(5, "at_5", "... five"),
    AT(6, "at_6", "... six"),
    AT(7, "at_7", "... seven"),
    AT(8, "at_8_up", "... eight or more"),
    S(sampled_cycles, "cycle", "length of all periods"),
    S(sampled_hits, "request", "loads that hit the L1 of a learning SM in its periods"),
    S(sampled_stall, "cycle", "cycles in which its LD/ST head waited for line, MSHR or miss queue"),
    S(cycles, "cycle", "cycles from an SM's first block to the kernel's end, summed over SMs"),
    S(target_cycles, "cycle", "targets summed over these"),
    S(last_target, "block", "targets at the ends of kernels, of SMs that learn"),
    S(learners, "event", "how many these are"),
    S(ca_loads, "request", "ca loads that looked for their line in the L1"),
    S(ca_hits, "request", "of these, hits"),
    S(cm_loads, "request", "cm loads that did so"),
    S(cm_hits, "request", "of these, hits"),
    S(cg_bypassed, "request", "cg loads, which bypass the L1"),
    S(cm_bypassed, "request", "cm loads that bypassed it"),
    S(untagged, "request", "global loads without a tag that looked for their line"),
    RATIO("mean_target", target_cycles, cycles, "block", "blocks that should bypass, over time"),
    RATIO("mean_last_target", last_target, learners, "block", "the same, at the ends of kernels"),
    WEIR_STAT_END};
_Static_assert(sizeof(struct coordinated_stats) <= WEIR_MAX_PART_STATS * sizeof(uint64_t),
               "more counters than a part may have");

static const double UNSEEN = -1;

static bool is_dynamic(const struct coordinated_cfg *cfg) {
  return cfg->cm == CM_DYNAMIC;
}

static bool needs_tags(const void *cfg) {
  return !((const struct coordinated_cfg *)cfg)->all_cm;
}

static bool learns(const struct weir_policy *p) {
  const struct coordinated_cfg *cfg = weir_cfg(p);
  return is_dynamic(cfg) && (!cfg->central || weir_geometry(p)->sm == 0);
}

/* ---- loads ---- */

static enum weir_tag class_of(const struct weir_policy *p, const struct weir_access *a) {
  const struct coordinated_cfg *cfg = weir_cfg(p);
  if (a->is_local || a->op != WEIR_LOAD) return WEIR_TAG_NONE;
  return cfg->all_cm ? WEIR_TAG_CM : (enum weir_tag)a->tag;
}

static bool is_bypassed(const struct weir_policy *p, const struct weir_access *a) {
  const struct coordinated_cfg *cfg = weir_cfg(p);
  const struct weir_coordinated *s = weir_state_peek(p);
  enum weir_tag class = class_of(p, a);
  if (class != WEIR_TAG_CM) return class == WEIR_TAG_CG;
  return is_dynamic(cfg) ? s->bg >> a->cta & 1 : cfg->cm == CM_CG;
}

static enum weir_answer route(const struct weir_policy *p, const struct weir_access *a) {
  return is_bypassed(p, a) ? WEIR_BYPASS : WEIR_PASS;
}

static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  (void)set, (void)way;
  struct coordinated_stats *st = weir_stats_edit(p);
  bool is_hit = outcome == WEIR_HIT;
  switch (class_of(p, a)) {
  case WEIR_TAG_CA:
    st->ca_loads++;
    st->ca_hits += is_hit;
    break;
  case WEIR_TAG_CM:
    st->cm_loads++;
    st->cm_hits += is_hit;
    break;
  default: /* a cg load has not come so far */
    st->untagged += a->op == WEIR_LOAD && !a->is_local;
  }
}

/* Of loads that others let bypass the L1 (an operator, a predictor) only those count that would
 * have bypassed anyway. */
static void bypass(struct weir_policy *p, const struct weir_access *a) {
  struct coordinated_stats *st = weir_stats_edit(p);
  if (!is_bypassed(p, a)) return;
  st->cg_bypassed += class_of(p, a) == WEIR_TAG_CG;
  st->cm_bypassed += class_of(p, a) == WEIR_TAG_CM;
}

/* ---- scores ---- */

double weir_chss(int64_t l2_latency, uint64_t hits, uint64_t stall, uint64_t warp_cycles,
                 uint64_t cycles) {
  double saved = (double)hits * (double)l2_latency;
  double warps = (double)(warp_cycles > 0 ? warp_cycles : 1) / (double)(cycles > 0 ? cycles : 1);
  return saved / ((double)(stall > 0 ? stall : 1) * warps);
}

/* What a target that was not seen yet is worth. */
static double worth(const struct weir_coordinated *s, uint32_t target, double unseen) {
  return s->chss[target] >= 0 ? s->chss[target] : unseen;
}

/* The best of the target and its neighbours; of equals it stays, else goes down. */
static uint32_t best_neighbour(const struct weir_coordinated *s, double unseen) {
  uint32_t best = s->target;
  if (s->target > 0 && worth(s, s->target - 1, unseen) > worth(s, best, unseen))
    best = s->target - 1;
  if (s->target < s->max && worth(s, s->target + 1, unseen) > worth(s, best, unseen))
    best = s->target + 1;
  return best;
}

static uint32_t next_target(struct weir_policy *p) {
  const struct coordinated_cfg *cfg = weir_cfg(p);
  struct weir_coordinated *s = weir_state_edit(p);
  if (cfg->init == INIT_OPTIMISTIC) return best_neighbour(s, __builtin_inf());
  bool improves = s->target == s->max || s->chss[s->target] > s->chss[s->target + 1];
  s->has_dropped |= !improves || s->target == 0;
  return s->has_dropped ? best_neighbour(s, UNSEEN) : s->target - 1;
}

/* ---- periods ---- */

static void count_to(struct weir_policy *p, uint64_t now) {
  struct weir_coordinated *s = weir_state_edit(p);
  struct coordinated_stats *st = weir_stats_edit(p);
  const struct coordinated_cfg *cfg = weir_cfg(p);
  uint64_t d = s->counted_to != WEIR_NEVER ? now - s->counted_to : 0;
  s->counted_to = now;
  if (!is_dynamic(cfg)) return;
  st->cycles += d;
  st->target_cycles += d * s->target;
  s->warp_cycles += d * (uint64_t)__builtin_popcountll(s->active);
}

static void begin_period(struct weir_policy *p, uint32_t slot, uint64_t cycle) {
  struct weir_coordinated *s = weir_state_edit(p);
  struct weir_sm_view v = weir_sm_view(p);
  s->sampler = slot + 1;
  s->began = cycle;
  s->hits0 = v.l1_hits;
  s->stall0 = v.resv_stall_cycles;
  s->warp_cycles = 0;
}

static void count_period(struct weir_policy *p, uint32_t next, uint64_t hits, uint64_t stall,
                         uint64_t cycles) {
  const struct weir_coordinated *s = weir_state_peek(p);
  struct coordinated_stats *st = weir_stats_edit(p);
  st->periods++;
  st->at[s->target < LAST_AT ? s->target : LAST_AT]++;
  st->lowered += next < s->target;
  st->raised += next > s->target;
  st->kept += next == s->target;
  st->sampled_cycles += cycles;
  st->sampled_hits += hits;
  st->sampled_stall += stall;
}

static void end_period(struct weir_policy *p, uint64_t cycle) {
  const struct coordinated_cfg *cfg = weir_cfg(p);
  struct weir_coordinated *s = weir_state_edit(p);
  struct weir_sm_view v = weir_sm_view(p);
  uint64_t hits = v.l1_hits - s->hits0, stall = v.resv_stall_cycles - s->stall0;
  s->sampler = 0;
  s->chss[s->target] = weir_chss(cfg->l2_latency, hits, stall, s->warp_cycles, cycle - s->began);
  uint32_t next = next_target(p);
  count_period(p, next, hits, stall, cycle - s->began);
  if (next == s->target) return;
  s->target = next;
  const uint64_t said[4] = {next};
  if (cfg->central) weir_ask_broadcast(p, said);
}

static void broadcast_received(struct weir_policy *p, uint32_t from, const uint64_t v[4],
                               uint64_t cycle) {
  const struct coordinated_cfg *cfg = weir_cfg(p);
  struct weir_coordinated *s = weir_state_edit(p);
  if (!cfg->central || from != 0) return;
  if (s->counted_to != WEIR_NEVER) count_to(p, cycle);
  s->target = v[0] < s->max ? (uint32_t)v[0] : s->max;
  ((struct coordinated_stats *)weir_stats_edit(p))->target = s->target;
}

/* ---- blocks and warps ---- */

static void show_levels(struct weir_policy *p) {
  const struct weir_coordinated *s = weir_state_peek(p);
  struct coordinated_stats *st = weir_stats_edit(p);
  st->target = s->target;
  st->bypassing = s->cur;
}

static void cta_begin(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  const struct coordinated_cfg *cfg = weir_cfg(p);
  struct weir_coordinated *s = weir_state_edit(p);
  struct coordinated_stats *st = weir_stats_edit(p);
  if (!is_dynamic(cfg)) return;
  count_to(p, cycle);
  bool is_bg = s->cur < s->target;
  s->resident |= UINT64_C(1) << c->slot;
  s->bg |= (uint64_t)is_bg << c->slot;
  s->cur += is_bg;
  s->active |= c->warps;
  st->blocks++;
  st->blocks_bg += is_bg;
  if (learns(p) && s->sampler == 0 && s->cur == s->target) begin_period(p, c->slot, cycle);
  show_levels(p);
}

static void cta_end(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  const struct coordinated_cfg *cfg = weir_cfg(p);
  struct weir_coordinated *s = weir_state_edit(p);
  if (!is_dynamic(cfg)) return;
  count_to(p, cycle);
  s->active &= ~c->warps;
  s->cur -= (uint32_t)(s->bg >> c->slot & 1);
  s->bg &= ~(UINT64_C(1) << c->slot);
  s->resident &= ~(UINT64_C(1) << c->slot);
  if (s->sampler == c->slot + 1) end_period(p, cycle);
  show_levels(p);
}

static void warp(struct weir_policy *p, uint32_t slot, enum weir_warp_event e, uint64_t cycle) {
  struct weir_coordinated *s = weir_state_edit(p);
  count_to(p, cycle);
  s->active &= ~(UINT64_C(1) << slot);
  s->active |= (uint64_t)(e == WEIR_WARP_RUNS) << slot;
}

/* Blocks of the first wave, which go to the SMs in turn. A grid with fewer than fit would otherwise
 * never bring an SM to its first target. */
static uint32_t first_blocks(const struct weir_policy *p, const struct weir_kernel *k) {
  const struct weir_geometry *g = weir_geometry(p);
  uint32_t share = k->n_ctas / g->n_sms + (g->sm < k->n_ctas % g->n_sms);
  uint32_t fit = k->ctas_per_sm < g->ctas ? k->ctas_per_sm : g->ctas;
  return share < fit ? share : fit;
}

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  struct weir_coordinated *s = weir_state_edit(p);
  *s = (struct weir_coordinated){.counted_to = WEIR_NEVER};
  s->max = s->target = first_blocks(p, k);
  for (uint32_t i = 0; i <= WEIR_COORDINATED_BLOCKS; i++)
    s->chss[i] = UNSEEN;
  show_levels(p);
}

static void kernel_end(struct weir_policy *p, const struct weir_kernel *k, uint64_t cycle) {
  (void)k;
  struct weir_coordinated *s = weir_state_edit(p);
  struct coordinated_stats *st = weir_stats_edit(p);
  if (s->counted_to == WEIR_NEVER) return; /* no block has come */
  count_to(p, cycle);
  st->learners += learns(p);
  st->last_target += learns(p) ? s->target : 0;
}

/* ---- reports ---- */

/* A score of 64 bits for each target, a bit for each block, the target and the count. */
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  uint32_t blocks = g->ctas;
  return is_dynamic(cfg)
             ? (blocks + 1) * UINT64_C(64) + blocks + 2 * weir_bits(blocks + UINT64_C(1))
             : 0;
}

static const char *verify(const struct weir_policy *p) {
  const struct weir_coordinated *s = weir_state_peek(p);
  const struct coordinated_stats *st = p->stats;
  uint64_t at = 0;
  for (uint32_t i = 0; i <= LAST_AT; i++)
    at += st->at[i];
  if (s->target > s->max) return "its target is above the number of blocks";
  if (s->cur != (uint32_t)__builtin_popcountll(s->bg) || (s->bg & ~s->resident) != 0)
    return "its count of blocks that bypass is wrong";
  if (s->sampler > 0 && !(s->resident >> (s->sampler - 1) & 1))
    return "its period has outlived its block";
  return st->periods != st->lowered + st->raised + st->kept || st->periods != at
             ? "its periods do not add up"
             : NULL;
}

const struct weir_policy_ops weir_policy_coordinated = {
    .part = {WEIR_PART("coordinated",
                       "loads bypass the L1 by their tag, those tagged cm by that of their block; "
                       "how many blocks bypass is learned"),
             .reference = PAPER, WEIR_PART_PARAMS(params, coordinated_cfg),
             WEIR_PART_STATS(stats, coordinated_stats),
             .state_bytes = sizeof(struct weir_coordinated), .storage_bits = storage_bits,
             .verify = verify, .kernel_begin = kernel_begin, .kernel_end = kernel_end,
             .cta_begin = cta_begin, .cta_end = cta_end, .warp = warp,
             .broadcast_received = broadcast_received},
    .reason = WEIR_R_STATIC,
    .needs_tags = needs_tags,
    .route = route,
    .lookup = lookup,
    .bypass = bypass};
