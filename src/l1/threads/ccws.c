/* Each warp has a small table of the lines that it brought and lost to replacement (VTA). A miss on
 * one of these raises the warp's score, which then falls by one per cycle to a base. The scores of
 * all warps, the highest first, share a budget that is just enough when all are at the base: where
 * it is used up, the remaining warps may not load.
 *
 * Nothing is done per cycle. A score is kept as the cycle in which it will be back at the base; the
 * next cycle in which a warp changes its place or its right to load follows from these, and the
 * policy sleeps until then. */
#include <string.h>

#include "l1/inspect.h"
#include "l1/parts.h"
#include "l1/threads/warps.h"

struct ccws_cfg {
  int64_t k, base, vta_entries, vta_ways, watchdog;
};

struct ccws_stats {
  uint64_t vta_probes, vta_hits, vta_pushes, raised, forced;
  uint64_t cycles, warp_cycles, allowed_warp_cycles, held_warp_cycles;
};

#define PAPER "Cache-Conscious Wavefront Scheduling"
#define NOTES PAPER " (as notes on it quote)"

static const struct weir_param params[] = {
    WEIR_PARAM(ccws_cfg, k, "8", .min = 0, .max = 1024,
               .help = "how far lost locality raises a score (K_THROTTLE)", .source = NOTES,
               .when = "l1.enabled=true and l1.perfect=false"),
    WEIR_PARAM(ccws_cfg, base, "100", .min = 1, .max = 4096,
               .help = "score of a warp that has lost nothing, and its share of the budget",
               .source = NOTES, .when = "l1.enabled=true and l1.perfect=false and k>0"),
    WEIR_PARAM(ccws_cfg, vta_entries, "16", .unit = "line", .min = 1, .max = 256,
               .help = "lost lines that are remembered for a warp", .source = NOTES,
               .when = "l1.enabled=true and l1.perfect=false"),
    WEIR_PARAM(ccws_cfg, vta_ways, "8", .unit = "way", .min = 1, .max = 256,
               .help = "of that table; vta_entries is a multiple of it", .source = NOTES,
               .when = "l1.enabled=true and l1.perfect=false"),
    WEIR_PARAM(ccws_cfg, watchdog, "10000", .unit = "cycle", .min = 1, .max = 1e9,
               .help = "if none that runs may load for so long, one more may", .source = "guess",
               .when = "l1.enabled=true and l1.perfect=false and k>0"),
    WEIR_PARAM_END};

#define S(f, u, h) WEIR_STAT(ccws_stats, f, u, h)
static const struct weir_stat stats[] = {
    S(vta_probes, "request", "loads that missed, and for which the lost lines were searched"),
    S(vta_hits, "request", "of these, those whose warp had lost the line"),
    S(vta_pushes, "line", "lines replaced and remembered for their warp"),
    S(raised, "event", "hits that raised a score"),
    S(forced, "event", "warps that were let load because none might"),
    S(cycles, "cycle", "cycles in which an SM had warps"),
    S(warp_cycles, "cycle", "warps that had not ended, summed over cycles"),
    S(allowed_warp_cycles, "cycle", "of these, warps that might load"),
    S(held_warp_cycles, "cycle", "of these, warps that might not"),
    WEIR_STAT_RATIO(ccws_stats, "mean_allowed", allowed_warp_cycles, cycles, "warp",
                    "warps of an SM that might load, on average"),
    WEIR_STAT_END};

enum { MAX_SCORE = UINT16_MAX };

struct lost { /* line number + 1, 0: empty; when it was pushed */
  uint64_t line, when;
};

struct ccws {
  struct weir_warps warps;
  uint64_t allowed;              /* slots that may load */
  uint64_t back[WEIR_MAX_WARPS]; /* the cycle in which the score is at the base again */
  uint64_t hits, issued_before;
  uint64_t closed_since; /* none that runs may load since then; WEIR_NEVER: one may */
  uint64_t counted_to, clock;
  struct lost lost[]; /* of each warp vta_entries */
};

struct line {
  uint32_t owner; /* warp slot + 1 */
};

static size_t state_size(const void *cfg, const struct weir_geometry *g) {
  const struct ccws_cfg *c = cfg;
  return sizeof(struct ccws) + (size_t)c->vta_entries * g->warps * sizeof(struct lost);
}

static enum weir_status init(struct weir_policy *p, struct weir_err *err) {
  const struct ccws_cfg *cfg = weir_cfg(p);
  if (cfg->vta_entries % cfg->vta_ways != 0)
    return weir_fail(err, WEIR_EINVAL, "ccws.vta_entries is not a multiple of ccws.vta_ways");
  return WEIR_OK;
}

/* ---- lost lines ---- */

/* The ways in which a line can lie. */
static struct lost *vta_set(struct weir_policy *p, uint32_t warp, uint64_t line) {
  const struct ccws_cfg *cfg = weir_cfg(p);
  struct ccws *s = weir_state_edit(p);
  uint64_t set = line % (uint64_t)(cfg->vta_entries / cfg->vta_ways);
  return s->lost + warp * (uint64_t)cfg->vta_entries + set * (uint64_t)cfg->vta_ways;
}

static bool vta_remove(struct weir_policy *p, uint32_t warp, uint64_t line) {
  const struct ccws_cfg *cfg = weir_cfg(p);
  struct lost *l = vta_set(p, warp, line);
  for (int64_t i = 0; i < cfg->vta_ways; i++)
    if (l[i].line == line + 1) {
      l[i] = (struct lost){0};
      return true;
    }
  return false;
}

static void vta_push(struct weir_policy *p, uint32_t warp, uint64_t line) {
  const struct ccws_cfg *cfg = weir_cfg(p);
  struct ccws *s = weir_state_edit(p);
  struct lost *l = vta_set(p, warp, line), *to = l;
  for (int64_t i = 0; i < cfg->vta_ways && to->line != line + 1; i++)
    if (l[i].line == line + 1 || l[i].when < to->when) to = &l[i];
  *to = (struct lost){.line = line + 1, .when = ++s->clock};
}

/* ---- scores ---- */

uint64_t weir_ccws_score(const struct weir_policy *p, uint32_t warp, uint64_t now) {
  const struct ccws_cfg *cfg = weir_cfg(p);
  const struct ccws *s = weir_state_peek(p);
  return (uint64_t)cfg->base + (s->back[warp] > now ? s->back[warp] - now : 0);
}

static uint64_t budget(const struct weir_policy *p) {
  const struct ccws_cfg *cfg = weir_cfg(p);
  const struct ccws *s = weir_state_peek(p);
  return s->warps.n * (uint64_t)cfg->base;
}

/* Slots by score, the older first where it is equal. Returns how many are above the base: they come
 * first, and all fall equally fast. */
static uint32_t sort(const struct ccws *s, uint64_t now, uint8_t slot[WEIR_MAX_WARPS]) {
  uint32_t above = 0, n;
  const struct weir_warps *all = &s->warps;
  for (uint32_t i = 0; i < all->n; i++) {
    uint8_t w = all->by_age[i];
    if (s->back[w] <= now) continue;
    uint32_t k = above++;
    for (; k > 0 && s->back[slot[k - 1]] < s->back[w]; k--)
      slot[k] = slot[k - 1];
    slot[k] = w;
  }
  n = above;
  for (uint32_t i = 0; i < all->n; i++)
    if (s->back[all->by_age[i]] <= now) slot[n++] = all->by_age[i];
  return above;
}

static void count_to(struct weir_policy *p, uint64_t now) {
  struct ccws *s = weir_state_edit(p);
  struct ccws_stats *st = weir_stats_edit(p);
  uint64_t d = now - s->counted_to, n = s->warps.n;
  uint64_t may = (uint64_t)__builtin_popcountll(s->allowed & s->warps.present);
  s->counted_to = now;
  if (n == 0) return;
  st->cycles += d;
  st->warp_cycles += d * n;
  st->allowed_warp_cycles += d * may;
  st->held_warp_cycles += d * (n - may);
}

/* Lets one more warp load if none that runs has been let for too long, be it that one warp alone
 * has used up the budget, or that those who may load wait at a barrier for those who may not.
 * Returns when to look again. */
static uint64_t guard(struct weir_policy *p, const uint8_t slot[WEIR_MAX_WARPS], uint64_t now) {
  const struct ccws_cfg *cfg = weir_cfg(p);
  struct ccws *s = weir_state_edit(p);
  struct ccws_stats *st = weir_stats_edit(p);
  if ((s->allowed & s->warps.running) != 0 || s->warps.running == 0) {
    s->closed_since = WEIR_NEVER;
    return WEIR_NEVER;
  }
  if (s->closed_since == WEIR_NEVER) s->closed_since = now;
  uint64_t until = s->closed_since + (uint64_t)cfg->watchdog;
  if (now < until) return until;
  uint32_t i = 0;
  while (!(s->warps.running >> slot[i] & 1))
    i++;
  s->allowed |= UINT64_C(1) << slot[i];
  st->forced++;
  return WEIR_NEVER;
}

/* Who may load from now on. Returns the next cycle in which that may change by itself. */
static uint64_t decide(struct weir_policy *p, uint64_t now) {
  struct ccws *s = weir_state_edit(p);
  uint8_t slot[WEIR_MAX_WARPS];
  count_to(p, now);
  uint32_t above = sort(s, now, slot);
  uint64_t sum = 0, cutoff = budget(p), next = WEIR_NEVER;
  s->allowed = 0;
  for (uint32_t i = 0; i < s->warps.n; i++) {
    sum += weir_ccws_score(p, slot[i], now);
    if (sum > cutoff) { /* it falls by one per cycle for each warp above the base */
      uint64_t speed = i + 1 < above ? i + 1 : above;
      next = now + (sum - cutoff + speed - 1) / speed;
      break;
    }
    s->allowed |= UINT64_C(1) << slot[i];
  }
  if (above > 0 && s->back[slot[above - 1]] < next) next = s->back[slot[above - 1]];
  uint64_t look = guard(p, slot, now);
  return look < next ? look : next;
}

static void change(struct weir_policy *p, uint64_t now) {
  uint64_t next = decide(p, now);
  if (next != WEIR_NEVER) weir_ask_wake(p, next);
}

static void raise_score(struct weir_policy *p, uint32_t warp, uint64_t now) {
  const struct ccws_cfg *cfg = weir_cfg(p);
  struct ccws *s = weir_state_edit(p);
  struct ccws_stats *st = weir_stats_edit(p);
  uint64_t issued = weir_sm_view(p).insns_issued - s->issued_before;
  uint64_t score = s->hits * (uint64_t)cfg->k * budget(p) / (issued > 0 ? issued : 1);
  if (score > MAX_SCORE) score = MAX_SCORE;
  if (score <= weir_ccws_score(p, warp, now)) return;
  s->back[warp] = now + score - (uint64_t)cfg->base;
  st->raised++;
  change(p, now);
}

/* ---- what happens ---- */

static bool gate(const struct weir_policy *p, uint32_t warp, enum weir_op op) {
  const struct ccws *s = weir_state_peek(p);
  return op != WEIR_LOAD || (s->allowed >> warp & 1);
}

static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  (void)set, (void)way;
  struct ccws *s = weir_state_edit(p);
  struct ccws_stats *st = weir_stats_edit(p);
  if (a->op != WEIR_LOAD || outcome != WEIR_MISS) return;
  st->vta_probes++;
  if (!vta_remove(p, a->warp, a->addr / weir_geometry(p)->line_bytes)) return;
  st->vta_hits++;
  s->hits++;
  raise_score(p, a->warp, a->cycle);
}

static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  struct line *l = weir_line_edit(p, set.index, way);
  l->owner = a->op == WEIR_PREFETCH ? 0 : a->warp + 1;
}

/* The line is remembered for whoever has the slot now, as hardware with slot numbers would. */
static void evict(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                  enum weir_cause cause) {
  (void)a;
  const struct line *l = weir_line_peek(p, set.index, way);
  struct ccws_stats *st = weir_stats_edit(p);
  if (cause != WEIR_BY_REPLACEMENT || l->owner == 0) return;
  vta_push(p, l->owner - 1, set.line[way].tag - 1);
  st->vta_pushes++;
}

static void cta_begin(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  const struct ccws_cfg *cfg = weir_cfg(p);
  struct ccws *s = weir_state_edit(p);
  size_t n = (size_t)cfg->vta_entries;
  count_to(p, cycle);
  for (uint64_t left = c->warps; left != 0; left &= left - 1) {
    uint32_t w = (uint32_t)__builtin_ctzll(left);
    memset(s->lost + w * n, 0, n * sizeof *s->lost);
    s->back[w] = 0;
  }
  weir_warps_come(&s->warps, c->warps);
  change(p, cycle);
}

static void cta_end(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  struct ccws *s = weir_state_edit(p);
  count_to(p, cycle);
  weir_warps_leave(&s->warps, c->warps);
  change(p, cycle);
}

static void warp(struct weir_policy *p, uint32_t slot, enum weir_warp_event e, uint64_t cycle) {
  struct ccws *s = weir_state_edit(p);
  count_to(p, cycle);
  weir_warps_event(&s->warps, slot, e);
  change(p, cycle);
}

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  struct ccws *s = weir_state_edit(p);
  s->warps = (struct weir_warps){0};
  s->allowed = s->hits = s->counted_to = 0;
  s->issued_before = weir_sm_view(p).insns_issued;
  s->closed_since = WEIR_NEVER;
}

static void kernel_end(struct weir_policy *p, const struct weir_kernel *k, uint64_t cycle) {
  (void)k;
  count_to(p, cycle);
}

/* ---- reports ---- */

/* Tables with 32-bit addresses, a valid bit and an LRU place; 16-bit scores; owners of lines. */
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  const struct ccws_cfg *c = cfg;
  uint64_t entry = 32 - weir_bits(g->line_bytes) + 1 + weir_bits((uint64_t)c->vta_ways);
  return g->warps * (uint64_t)c->vta_entries * entry + g->warps * UINT64_C(16) +
         weir_bits_of_lines(g, weir_bits(g->warps));
}

static const char *verify(const struct weir_policy *p) {
  const struct ccws *s = weir_state_peek(p);
  if (s->allowed & ~s->warps.present) return "a warp that is not there may load";
  const struct ccws_stats *st = p->stats;
  return st->warp_cycles != st->allowed_warp_cycles + st->held_warp_cycles
             ? "warps that may load and those that may not do not add up"
             : weir_warps_verify(&s->warps);
}

const struct weir_policy_ops weir_policy_ccws = {
    .part = {WEIR_PART("ccws",
                       "warps whose lines were replaced before they used them again may load, and "
                       "others must wait"),
             .reference = PAPER, WEIR_PART_PARAMS(params, ccws_cfg),
             WEIR_PART_STATS(stats, ccws_stats), .line_bytes = sizeof(struct line),
             .state_size = state_size, .init = init, .storage_bits = storage_bits, .verify = verify,
             .kernel_begin = kernel_begin, .kernel_end = kernel_end, .cta_begin = cta_begin,
             .cta_end = cta_end, .warp = warp, .tick = change},
    .gate = gate,
    .lookup = lookup,
    .alloc = alloc,
    .evict = evict};
