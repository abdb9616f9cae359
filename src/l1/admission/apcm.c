/* Access-pattern-aware cache management: the loads of one warp of the SM are watched for a while,
 * and each of its instructions is given a kind. Lines of a streaming instruction are not used
 * again, and its misses bypass the L1. Lines that their own warp uses again are protected from
 * replacement, for so many accesses to their set. Those that other warps use, or both, are left to
 * LRU, and so is everything until it is known.
 *
 * The paper's abstract gives the idea. The tables, the counters and their sizes, the thresholds and
 * how long a line is protected are ours.
 *
 * A victim is asked for before a request is accepted, and again when its lookup was told: the
 * answer must be the same. So protection ends by a number of accesses to the set, and a request
 * that has just been told is not yet one of them. */
#include <string.h>

#include "l1/parts.h"
#include "l1/predictor.h"
#include "l1/replacement/recency.h"

#define PAPER                                                                                      \
  "G. Koo, Y. Oh, W. W. Ro and M. Annavaram, Access Pattern-Aware Cache Management for Improving " \
  "Data Utilization in GPU, ISCA 2017"

struct apcm_cfg {
  int64_t entries, hash_bits, array, loads, protect_bits, protect_gain;
  double stream_below, dominates;
};

struct apcm_stats {
  uint64_t monitored, untracked;
  uint64_t insns_stream, insns_intra, insns_inter, insns_mixed;
  uint64_t bypassed_stream, bypassed_intra, bypassed_inter, bypassed_mixed, bypassed_unknown;
  uint64_t all_protected, all_reserved, not_placed;
  uint64_t pinned, refreshed, pinned_cycles, cycles;
};

#define CFG(f, default_text, ...)                                                                  \
  WEIR_PARAM(apcm_cfg, f, default_text, __VA_ARGS__, .source = "guess")

static const struct weir_param params[] = {
    CFG(entries, "16", .min = 1, .max = 256,
        .help = "instructions that can be told apart; those that come later stay unknown"),
    CFG(hash_bits, "8", .unit = "bit", .min = 1, .max = 16,
        .help = "of a hashed instruction address; equal ones are one instruction"),
    CFG(array, "64", .unit = "line", .min = 1, .max = 4096,
        .help = "lines of the monitored warp that are remembered, the last ones used"),
    CFG(loads, "4096", .unit = "request", .min = 1, .max = 1e9,
        .help = "loads of the SM after which monitoring ends, unless the warp has ended before"),
    CFG(stream_below, "0.25", .min = 0, .max = 512,
        .help = "an instruction with fewer reuses for each of its lines is streaming"),
    CFG(dominates, "2", .min = 1, .max = 256,
        .help = "reuses by the warp itself, or by others, are an instruction's kind if they are so "
                "many times the other sort"),
    CFG(protect_bits, "4", .unit = "bit", .min = 1, .max = 16,
        .help = "of a line's protection; so many bits hold the most accesses that it lasts"),
    CFG(protect_gain, "4", .min = 0, .max = 1 << 16,
        .help = "accesses to the set for which a line is protected, for each reuse by its own warp "
                "that its instruction's lines had on average"),
    WEIR_PARAM_END};

#define S(f, u, h) WEIR_STAT(apcm_stats, f, u, h)
static const struct weir_stat stats[] = {
    S(monitored, "request", "loads that came while a warp was monitored"),
    S(untracked, "request",
      "of these, lines of that warp for whose instruction there was no entry"),
    S(insns_stream, "event", "instructions found to be streaming, each on every SM and launch"),
    S(insns_intra, "event", "... whose lines their own warp uses again"),
    S(insns_inter, "event", "... whose lines other warps use"),
    S(insns_mixed, "event", "... both"),
    S(bypassed_stream, "request", "misses of streaming instructions that bypassed the L1"),
    S(bypassed_intra, "request", "loads that found no line to replace and bypassed, intra-warp"),
    S(bypassed_inter, "request", "... of instructions with reuse by other warps"),
    S(bypassed_mixed, "request", "... with both"),
    S(bypassed_unknown, "request", "... of no known kind"),
    S(all_protected, "request", "of those that found none: what could go was protected"),
    S(all_reserved, "request", "... every line of the set was on its way"),
    S(not_placed, "request",
      "replies that were not stored because all lines were protected, where "
      "lines are allocated on fill"),
    S(pinned, "line", "lines that came with protection"),
    S(refreshed, "event", "hits that renewed it"),
    S(pinned_cycles, "cycle", "cycles of protected lines, summed over lines"),
    S(cycles, "cycle", "cycles of the kernels, summed over SMs"),
    WEIR_STAT_RATIO(apcm_stats, "pinned_lines", pinned_cycles, cycles, "line",
                    "protected lines of an SM, on average"),
    WEIR_STAT_END};

enum kind { UNKNOWN, STREAM, INTRA, INTER, MIXED };
enum { COUNT_BITS = 8, COUNT_MAX = (1 << COUNT_BITS) - 1 };

struct insn {
  uint16_t hash;
  uint8_t n_req, n_intra, n_inter; /* lines brought; uses of them by the warp, by others */
  uint8_t kind;
  bool is_used;
};

struct monitored {
  uint64_t line; /* number + 1; 0: none */
  uint64_t used; /* when, counted in loads */
  uint32_t insn; /* that brought it */
  bool is_shared;
};

enum phase { WAITS, MONITORS, KNOWS }; /* WAITS: for the SM's first block */

/* Behind it the instructions, behind these the monitored lines. */
struct apcm {
  uint64_t n_loads;    /* while it monitors */
  uint64_t counted_to; /* cycle */
  uint32_t warp;       /* slot that is monitored */
  uint32_t phase;      /* enum phase */
  uint32_t n_pinned;
  bool any_could_go; /* of the set of the last miss, protected or not */
};

struct set {
  struct weir_recency uses; /* first: see recency.h */
  uint32_t n_pinned;
};

struct way {
  struct weir_link link; /* first: see recency.h */
  uint64_t until;        /* it is protected while its set has had fewer accesses */
};

static size_t insns_offset(void) {
  return sizeof(struct apcm);
}
static size_t array_offset(const struct apcm_cfg *c) {
  return (insns_offset() + (size_t)c->entries * sizeof(struct insn) + 7) / 8 * 8;
}
static size_t state_size(const void *cfg, const struct weir_geometry *g) {
  (void)g;
  const struct apcm_cfg *c = cfg;
  return array_offset(c) + (size_t)c->array * sizeof(struct monitored);
}

static const struct insn *insns(const struct weir_policy *p) {
  return (const struct insn *)((const char *)weir_state_peek(p) + insns_offset());
}
static struct insn *insns_edit(struct weir_policy *p) {
  return (struct insn *)((char *)weir_state_edit(p) + insns_offset());
}
static struct monitored *array_edit(struct weir_policy *p) {
  return (struct monitored *)((char *)weir_state_edit(p) + array_offset(weir_cfg(p)));
}

/* ---- instructions ---- */

static uint16_t hash_of(const struct weir_policy *p, uint64_t pc) {
  return (uint16_t)weir_fold_pc(pc, ((const struct apcm_cfg *)weir_cfg(p))->hash_bits);
}

/* Its entry; else the first that is free; `entries`: there is none. */
static uint32_t find_insn(const struct weir_policy *p, uint64_t pc) {
  const struct apcm_cfg *cfg = weir_cfg(p);
  const struct insn *e = insns(p);
  uint16_t hash = hash_of(p, pc);
  uint32_t i = 0;
  while (i < cfg->entries && e[i].is_used && e[i].hash != hash)
    i++;
  return i;
}

static const struct insn *known_insn(const struct weir_policy *p, const struct weir_access *a) {
  static const struct insn none = {.kind = UNKNOWN};
  const struct apcm_cfg *cfg = weir_cfg(p);
  uint32_t i = find_insn(p, a->pc);
  return i < cfg->entries && a->op == WEIR_LOAD ? &insns(p)[i] : &none;
}

/* Of no more lines and reuses than a counter holds: their quotient remains one. */
static void count(struct insn *e, uint8_t *counter) {
  if (e->n_req < COUNT_MAX && e->n_intra < COUNT_MAX && e->n_inter < COUNT_MAX) ++*counter;
}

static enum kind kind_of(const struct apcm_cfg *cfg, const struct insn *e) {
  double intra = e->n_intra, inter = e->n_inter;
  if ((intra + inter) / e->n_req < cfg->stream_below) return STREAM;
  if (intra >= cfg->dominates * inter) return INTRA;
  return inter >= cfg->dominates * intra ? INTER : MIXED;
}

static void conclude(struct weir_policy *p) {
  const struct apcm_cfg *cfg = weir_cfg(p);
  struct apcm *s = weir_state_edit(p);
  struct apcm_stats *st = weir_stats_edit(p);
  struct insn *e = insns_edit(p);
  s->phase = KNOWS;
  for (uint32_t i = 0; i < cfg->entries && e[i].is_used; i++) {
    e[i].kind = (uint8_t)kind_of(cfg, &e[i]);
    st->insns_stream += e[i].kind == STREAM;
    st->insns_intra += e[i].kind == INTRA;
    st->insns_inter += e[i].kind == INTER;
    st->insns_mixed += e[i].kind == MIXED;
  }
}

/* ---- monitoring ---- */

/* The entry that has the line; else the one that it may take, the oldest. */
static struct monitored *find_line(struct weir_policy *p, uint64_t line) {
  const struct apcm_cfg *cfg = weir_cfg(p);
  struct monitored *m = array_edit(p), *oldest = m;
  for (int64_t i = 0; i < cfg->array; i++) {
    if (m[i].line == line) return &m[i];
    if (m[i].used < oldest->used) oldest = &m[i];
  }
  return oldest;
}

static void bring(struct weir_policy *p, const struct weir_access *a, struct monitored *m,
                  uint64_t line) {
  const struct apcm_cfg *cfg = weir_cfg(p);
  const struct apcm *s = weir_state_peek(p);
  uint32_t i = find_insn(p, a->pc);
  if (i == cfg->entries) {
    ((struct apcm_stats *)weir_stats_edit(p))->untracked++;
    return;
  }
  struct insn *e = &insns_edit(p)[i];
  if (!e->is_used) *e = (struct insn){.is_used = true, .hash = hash_of(p, a->pc)};
  count(e, &e->n_req);
  *m = (struct monitored){.line = line, .used = s->n_loads, .insn = i};
}

static void monitor(struct weir_policy *p, const struct weir_access *a) {
  const struct apcm_cfg *cfg = weir_cfg(p);
  struct apcm *s = weir_state_edit(p);
  uint64_t line = a->addr / weir_geometry(p)->line_bytes + 1;
  struct monitored *m = find_line(p, line);
  bool is_its = a->warp == s->warp;
  ((struct apcm_stats *)weir_stats_edit(p))->monitored++;
  s->n_loads++;
  if (m->line == line) {
    struct insn *e = &insns_edit(p)[m->insn];
    m->used = s->n_loads;
    if (is_its)
      count(e, &e->n_intra);
    else if (!m->is_shared)
      count(e, &e->n_inter);
    m->is_shared |= !is_its;
  } else if (is_its)
    bring(p, a, m, line);
  if (s->n_loads >= (uint64_t)cfg->loads) conclude(p);
}

static void leave(struct weir_policy *p, uint64_t warps) {
  const struct apcm *s = weir_state_peek(p);
  if (s->phase == MONITORS && warps >> s->warp & 1) conclude(p);
}

static void cta_begin(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  (void)cycle;
  struct apcm *s = weir_state_edit(p);
  if (s->phase != WAITS || c->warps == 0) return;
  s->phase = MONITORS;
  s->warp = (uint32_t)__builtin_ctzll(c->warps);
}

static void cta_end(struct weir_policy *p, const struct weir_cta *c, uint64_t cycle) {
  (void)cycle;
  leave(p, c->warps);
}

static void warp(struct weir_policy *p, uint32_t slot, enum weir_warp_event e, uint64_t cycle) {
  (void)cycle;
  if (e == WEIR_WARP_ENDS) leave(p, UINT64_C(1) << slot);
}

/* ---- protection ---- */

/* By the accesses before the request that is asked about. */
static bool is_protected(const struct weir_policy *p, uint32_t set, int way) {
  const struct way *w = weir_line_peek(p, set, way);
  return w->until > weir_recency_before(p, set);
}

static void count_to(struct weir_policy *p, uint64_t now) {
  struct apcm *s = weir_state_edit(p);
  struct apcm_stats *st = weir_stats_edit(p);
  if (now <= s->counted_to) return; /* of what another policy asked for no cycle is told */
  st->pinned_cycles += s->n_pinned * (now - s->counted_to);
  s->counted_to = now;
}

static void pin(struct weir_policy *p, uint32_t set, int way, uint64_t accesses) {
  struct apcm *s = weir_state_edit(p);
  struct set *at = weir_set_edit(p, set);
  struct way *w = weir_line_edit(p, set, way);
  uint32_t was = w->until > at->uses.n, is = accesses > 0;
  w->until = at->uses.n + accesses;
  at->n_pinned += is - was;
  s->n_pinned += is - was;
}

static void count_access(struct weir_policy *p, struct weir_set set) {
  struct apcm *s = weir_state_edit(p);
  struct set *at = weir_set_edit(p, set.index);
  weir_recency_count(p, set.index);
  for (uint32_t i = 0; at->n_pinned > 0 && i < set.ways; i++) {
    const struct way *w = weir_line_peek(p, set.index, (int)i);
    if (w->until != at->uses.n) continue;
    at->n_pinned--;
    s->n_pinned--;
  }
}

/* What a line of it is protected for. */
static uint64_t accesses_of(const struct weir_policy *p, const struct insn *e) {
  const struct apcm_cfg *cfg = weir_cfg(p);
  if (e->kind != INTRA) return 0;
  uint64_t n = (uint64_t)cfg->protect_gain * e->n_intra / e->n_req;
  uint64_t most = (UINT64_C(1) << cfg->protect_bits) - 1;
  return n < most ? n : most;
}

/* ---- the decisions ---- */

static enum weir_answer admit(const struct weir_policy *p, const struct weir_access *a,
                              struct weir_set set) {
  (void)set;
  return known_insn(p, a)->kind == STREAM ? WEIR_BYPASS : WEIR_PASS;
}

/* A store that needs a way has no other way to go, and would wait for ever. */
static int victim(const struct weir_policy *p, const struct weir_access *a, struct weir_set set) {
  int last = WEIR_WAY_STALL;
  WEIR_EACH_BY_RECENCY(p, set.index, way) {
    if (!weir_can_go(set, (uint32_t)way)) continue;
    if (!is_protected(p, set.index, way)) return way;
    if (last < 0 && a->op != WEIR_LOAD && a->op != WEIR_PREFETCH) last = way;
  }
  return last;
}

static enum weir_answer blocked(const struct weir_policy *p, const struct weir_access *a,
                                enum weir_shortage why) {
  (void)p, (void)a;
  return why == WEIR_NO_LINE ? WEIR_BYPASS : WEIR_PASS;
}

/* ---- what happens ---- */

static bool any_can_go(struct weir_set set) {
  for (uint32_t i = 0; i < set.ways; i++)
    if (weir_can_go(set, i)) return true;
  return false;
}

/* A line has no kind of its own: the instruction that hits says how long it is protected. */
static void refresh(struct weir_policy *p, const struct weir_access *a, uint32_t set, int way) {
  uint64_t accesses = accesses_of(p, known_insn(p, a));
  if (accesses == 0) return;
  pin(p, set, way, accesses);
  ((struct apcm_stats *)weir_stats_edit(p))->refreshed++;
}

static void lookup(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                   enum weir_outcome outcome) {
  struct apcm *s = weir_state_edit(p);
  struct apcm_stats *st = weir_stats_edit(p);
  bool streams = known_insn(p, a)->kind == STREAM; /* when admit was asked */
  count_to(p, a->cycle);
  count_access(p, set);
  if (a->op == WEIR_LOAD && s->phase == MONITORS) monitor(p, a);
  if (outcome != WEIR_HIT) s->any_could_go = any_can_go(set);
  if (outcome == WEIR_MISS) {
    st->bypassed_stream += streams;
    return;
  }
  if (way < 0) return;
  weir_recency_use(p, set.index, way);
  if (outcome == WEIR_HIT) refresh(p, a, set.index, way);
}

static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  uint64_t accesses = accesses_of(p, known_insn(p, a));
  weir_recency_add(p, set.index, way);
  if (accesses == 0) return;
  count_to(p, a->cycle);
  pin(p, set.index, way, accesses);
  ((struct apcm_stats *)weir_stats_edit(p))->pinned++;
}

static void evict(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                  enum weir_cause cause) {
  (void)cause;
  count_to(p, a->cycle);
  pin(p, set.index, way, 0);
  weir_recency_remove(p, set.index, way);
}

static void bypass(struct weir_policy *p, const struct weir_access *a) {
  const struct apcm *s = weir_state_peek(p);
  struct apcm_stats *st = weir_stats_edit(p);
  enum kind kind = known_insn(p, a)->kind;
  if (a->shortage != WEIR_NO_LINE) return;
  st->all_protected += s->any_could_go;
  st->all_reserved += !s->any_could_go;
  st->bypassed_stream += kind == STREAM; /* it became known with this load */
  st->bypassed_intra += kind == INTRA;
  st->bypassed_inter += kind == INTER;
  st->bypassed_mixed += kind == MIXED;
  st->bypassed_unknown += kind == UNKNOWN;
}

static void fill(struct weir_policy *p, const struct weir_access *a, struct weir_set set, int way,
                 uint32_t flags) {
  (void)flags;
  bool has_room = way >= 0;
  for (uint32_t i = 0; !has_room && i < set.ways; i++)
    has_room = set.line[i].tag == 0;
  if (!has_room && any_can_go(set) && victim(p, a, set) == WEIR_WAY_STALL)
    ((struct apcm_stats *)weir_stats_edit(p))->not_placed++;
}

static void kernel_begin(struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  const struct weir_geometry *g = weir_geometry(p);
  memset(weir_state_edit(p), 0, p->state_bytes);
  for (uint32_t i = 0; i < g->sets; i++) {
    struct set *at = weir_set_edit(p, i);
    at->n_pinned = 0;
    for (uint32_t w = 0; w < g->ways; w++)
      ((struct way *)weir_line_edit(p, i, (int)w))->until = 0;
  }
}

static void kernel_end(struct weir_policy *p, const struct weir_kernel *k, uint64_t cycle) {
  (void)k;
  count_to(p, cycle);
  ((struct apcm_stats *)weir_stats_edit(p))->cycles += cycle;
}

/* ---- reports ---- */

/* The tables, the protection of lines, and the order of lru. */
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  const struct apcm_cfg *c = cfg;
  enum { ADDRESS = 32, KIND = 2, DONE = 1, SHARED = 1 };
  uint64_t line = ADDRESS - weir_bits(g->line_bytes);
  return (uint64_t)c->entries * ((uint64_t)c->hash_bits + 3 * COUNT_BITS + KIND + DONE) +
         (uint64_t)c->array * (line + weir_bits((uint64_t)c->entries) + SHARED) +
         weir_bits_of_lines(g, (uint64_t)c->protect_bits) + weir_recency_bits(g);
}

static const char *verify(const struct weir_policy *p) {
  const struct weir_geometry *g = weir_geometry(p);
  const struct apcm *s = weir_state_peek(p);
  const struct apcm_stats *st = p->stats;
  uint64_t total = 0;
  for (uint32_t i = 0; i < g->sets; i++) {
    const struct set *at = weir_set_peek(p, i);
    uint32_t n = 0;
    for (uint32_t w = 0; w < g->ways; w++)
      n += ((const struct way *)weir_line_peek(p, i, (int)w))->until > at->uses.n;
    if (n != at->n_pinned) return "its protected lines do not add up";
    total += n;
  }
  if (total != s->n_pinned) return "its protected lines do not add up";
  return st->all_protected + st->all_reserved <
                 st->bypassed_intra + st->bypassed_inter + st->bypassed_mixed + st->bypassed_unknown
             ? "its bypasses do not add up"
             : NULL;
}

const struct weir_policy_ops weir_policy_apcm = {
    .part = {WEIR_PART("apcm", "a warp is watched; loads whose lines nobody uses again bypass the "
                               "L1, lines that their own warp uses again are protected"),
             .reference = PAPER, WEIR_PART_PARAMS(params, apcm_cfg),
             WEIR_PART_STATS(stats, apcm_stats), .state_size = state_size,
             .set_bytes = sizeof(struct set), .line_bytes = sizeof(struct way),
             .storage_bits = storage_bits, .verify = verify, .kernel_begin = kernel_begin,
             .kernel_end = kernel_end, .cta_begin = cta_begin, .cta_end = cta_end, .warp = warp},
    .reason = WEIR_R_PREDICTOR,
    .organisations = "conventional|sectored",
    .admit = admit,
    .victim = victim,
    .blocked = blocked,
    .lookup = lookup,
    .alloc = alloc,
    .fill = fill,
    .evict = evict,
    .bypass = bypass};
