#include "analysis/locality.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/stack.h"
#include "base/arena.h"
#include "l1/opt.h"

enum { NOBODY = UINT32_MAX };

/* Who made a request. */
struct who {
  uint32_t launch, cta, warp, load;
};

struct line {
  struct who last;            /* that used it */
  struct who evictor;         /* if it is not in the L1 any more */
  uint64_t touched;           /* references of the SM up to its last use */
  uint64_t stretch;           /* the last one that it was in */
  uint32_t epoch;             /* in which it began; another one than the SM's: it has not */
  uint32_t begun_by;          /* load that used it first since then */
  uint32_t count;             /* references since it began */
  uint32_t set, newer, older; /* its neighbours in the set: line + 1 */
  uint32_t brought_by;        /* load; NOBODY: a store */
  uint16_t valid, used;       /* sectors */
  bool is_stored;             /* it began with a store */
  bool is_ended, is_in, is_seen;
};

struct set {
  uint32_t newest, oldest, n;
};

struct weir_sm_locality {
  struct weir_map map; /* of line addresses */
  struct {
    struct line *v;
    size_t n, cap;
  } lines;
  struct weir_stack stack;
  struct set *sets;
  uint64_t references, in_launch, stretch; /* stretch: number of the one that runs */
  uint32_t epoch;
  uint32_t launch, kernel, ways, n_lines;
};

/* ---- numbers ---- */

uint32_t weir_distance_bin(uint64_t distance) {
  if (distance <= 2) return (uint32_t)distance;
  uint32_t bin = 66u - (uint32_t)__builtin_clzll(distance - 1) - 1;
  return bin < WEIR_FAR ? bin : WEIR_FAR;
}

uint64_t weir_distance_most(uint32_t bin) {
  if (bin >= WEIR_FAR) return 0;
  return bin <= 2 ? bin : UINT64_C(1) << (bin - 1);
}

void weir_locality_add(struct weir_locality *sum, const struct weir_locality *v) {
  uint64_t *to = (uint64_t *)sum;
  const uint64_t *from = (const uint64_t *)v;
  for (size_t i = 0; i < sizeof *v / sizeof *from; i++)
    to[i] += from[i];
}

void weir_locality_sum(const struct weir_locality_set *s, uint32_t kernel,
                       struct weir_locality *sum) {
  *sum = (struct weir_locality){0};
  for (size_t i = 0; i < s->loads.n; i++)
    if (kernel == UINT32_MAX || s->loads.v[i].kernel == kernel)
      weir_locality_add(sum, &s->loads.v[i].of);
}

uint64_t weir_locality_hits(const struct weir_locality *v, uint32_t log2_lines) {
  uint64_t hits = 0;
  for (uint32_t i = 0; i <= log2_lines && i < WEIR_SIZES; i++)
    hits += v->needs[i];
  return hits;
}

/* ---- life ---- */

enum weir_status weir_locality_begin(struct weir_locality_set *s, const struct weir_machine *m,
                                     uint32_t stretch, struct weir_err *err) {
  *s = (struct weir_locality_set){.machine = m, .stretch = stretch};
  s->sms = weir_calloc((size_t)m->sm.count, sizeof *s->sms);
  if (s->sms == NULL) return weir_no_memory(err);
  s->n_sms = (uint32_t)m->sm.count;
  return WEIR_OK;
}

void weir_locality_free(struct weir_locality_set *s) {
  for (uint32_t i = 0; i < s->n_sms; i++) {
    weir_map_free(&s->sms[i].map);
    weir_stack_free(&s->sms[i].stack);
    free(s->sms[i].lines.v);
    free(s->sms[i].sets);
  }
  for (size_t i = 0; i < s->kernels.n; i++) {
    free(s->kernels.v[i].load);
    free(s->kernels.v[i].stretches.v);
  }
  weir_map_free(&s->pairs);
  free(s->sms);
  free(s->loads.v);
  free(s->kernels.v);
  free(s->launches.v);
  free(s->evictions.v);
  *s = (struct weir_locality_set){0};
}

enum weir_status weir_locality_launch(struct weir_locality_set *s, uint32_t kernel,
                                      uint32_t n_insns, uint32_t warps, struct weir_err *err) {
  if (kernel == s->kernels.n) {
    struct weir_locality_kernel k = {.n_insns = n_insns, .warps = warps, .lines_least = UINT32_MAX};
    k.load = weir_calloc(n_insns + 1u, sizeof *k.load);
    if (k.load == NULL || !WEIR_PUSH(s->kernels, k)) {
      free(k.load);
      return weir_no_memory(err);
    }
  }
  s->kernels.v[kernel].launches++;
  return WEIR_PUSH(s->launches, kernel) ? WEIR_OK : weir_no_memory(err);
}

/* ---- one SM ---- */

struct reader {
  struct weir_locality_set *s;
  struct weir_sm_locality *sm;
  struct weir_locality_kernel *kernel;
  uint16_t all; /* sectors of a line */
  bool is_sectored;
};

static bool load_of(struct reader *x, uint32_t insn, uint32_t *out) {
  struct weir_locality_kernel *k = x->kernel;
  struct weir_locality_load new = {.kernel = x->sm->kernel, .insn = insn};
  if (k->load[insn] == 0) {
    if (!WEIR_PUSH(x->s->loads, new)) return false;
    k->load[insn] = (uint32_t)x->s->loads.n;
  }
  *out = k->load[insn] - 1;
  return true;
}

static bool line_of(struct reader *x, uint64_t addr, uint32_t *out) {
  const struct weir_l1_cfg *c = &x->s->machine->l1;
  struct weir_sm_locality *sm = x->sm;
  struct line new = {.epoch = NOBODY,
                     .set = weir_l1_set_of(c->index, (uint32_t)c->sets, addr / (uint64_t)c->line)};
  *out = weir_map_of(&sm->map, addr);
  return *out != UINT32_MAX && (*out < sm->lines.n || WEIR_PUSH(sm->lines, new));
}

static struct weir_locality *count_for(struct reader *x, uint32_t load) {
  return &x->s->loads.v[load].of;
}

static enum weir_between between(const struct who *a, const struct who *b) {
  return a->launch != b->launch ? WEIR_EARLIER_LAUNCH
         : a->cta != b->cta     ? WEIR_SAME_LAUNCH
         : a->warp != b->warp   ? WEIR_SAME_BLOCK
                                : WEIR_SAME_WARP;
}

static uint64_t warps_apart(const struct reader *x, const struct who *a, const struct who *b) {
  uint64_t m = (uint64_t)a->cta * x->kernel->warps + a->warp;
  uint64_t n = (uint64_t)b->cta * x->kernel->warps + b->warp;
  return m > n ? m - n : n - m;
}

/* ---- the L1 of the machine's size and sets ---- */

static void unlink_line(struct weir_sm_locality *sm, uint32_t line) {
  struct line *l = &sm->lines.v[line];
  struct set *set = &sm->sets[l->set];
  if (l->newer != 0)
    sm->lines.v[l->newer - 1].older = l->older;
  else
    set->newest = l->older;
  if (l->older != 0)
    sm->lines.v[l->older - 1].newer = l->newer;
  else
    set->oldest = l->newer;
  l->is_in = false;
  set->n--;
}

static void link_line(struct weir_sm_locality *sm, uint32_t line) {
  struct line *l = &sm->lines.v[line];
  struct set *set = &sm->sets[l->set];
  l->newer = 0;
  l->older = set->newest;
  if (set->newest != 0)
    sm->lines.v[set->newest - 1].newer = line + 1;
  else
    set->oldest = line + 1;
  set->newest = line + 1;
  l->is_in = true;
  set->n++;
}

static void evict(struct reader *x, uint32_t line, const struct who *by) {
  struct line *l = &x->sm->lines.v[line];
  unlink_line(x->sm, line);
  l->evictor = *by;
  if (l->brought_by == NOBODY) return;
  struct weir_locality *c = count_for(x, l->brought_by);
  c->evicted++;
  c->used[__builtin_popcount(l->used)]++;
}

/* The line becomes the newest of its set, with these sectors. `brought_by` if it was not there. */
static void use(struct reader *x, uint32_t line, uint16_t sectors, const struct who *by,
                uint32_t brought_by) {
  struct line *l = &x->sm->lines.v[line];
  if (l->is_in) {
    unlink_line(x->sm, line);
  } else {
    const struct set *set = &x->sm->sets[l->set];
    if (x->sm->ways == 0) {
      l->evictor = *by;
      return;
    }
    if (set->n == x->sm->ways) evict(x, set->oldest - 1, by);
    l->brought_by = brought_by;
    l->valid = l->used = 0;
  }
  l->valid |= x->is_sectored ? sectors : x->all;
  link_line(x->sm, line);
}

static void empty_sets(struct weir_sm_locality *sm, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t line = sm->sets[i].newest; line != 0; line = sm->lines.v[line - 1].older)
      sm->lines.v[line - 1].is_in = false;
    sm->sets[i] = (struct set){0};
  }
}

/* ---- references ---- */

/* Has it begun, and not ended? */
static bool is_begun(const struct weir_sm_locality *sm, const struct line *l) {
  return l->epoch == sm->epoch && !l->is_ended;
}

static void count_stretch(struct reader *x, struct line *l) {
  struct weir_sm_locality *sm = x->sm;
  struct weir_stretch *v = &x->kernel->stretches.v[sm->in_launch / x->s->stretch];
  if (sm->in_launch % x->s->stretch == 0) {
    sm->stretch++;
    v->n++;
  }
  v->references++;
  v->lines += l->stretch != sm->stretch;
  v->fresh += !l->is_seen;
  l->stretch = sm->stretch;
  l->is_seen = true;
  sm->in_launch++;
}

static bool have_stretch(struct reader *x) {
  struct weir_stretch none = {0};
  size_t i = x->sm->in_launch / x->s->stretch;
  return i < x->kernel->stretches.n || WEIR_PUSH(x->kernel->stretches, none);
}

/* One more reference to a line: it moves on among those of the load that used it first. */
static void count_reuse(struct reader *x, struct line *l, uint32_t load) {
  if (l->count == 0) l->begun_by = load;
  struct weir_locality *c = count_for(x, l->begun_by);
  c->lines += l->count == 0;
  if (l->count == 0 && !l->is_stored) c->lone++;
  if (l->count == 1 && !l->is_stored) c->lone--;
  if (l->count == WEIR_REUSE_COUNTS) return;
  if (l->count > 0) c->reuse[l->count - 1]--;
  c->reuse[l->count++]++;
}

static void count_distances(struct reader *x, const struct line *l, const struct who *by,
                            uint32_t depth) {
  struct weir_locality *c = count_for(x, by->load);
  uint32_t bin = weir_distance_bin(x->sm->references - l->touched);
  enum weir_between who = between(&l->last, by);
  c->access[bin]++;
  c->stack[weir_distance_bin(depth)]++;
  c->needs[depth == 0 ? 0 : 32 - __builtin_clz(depth)]++;
  c->after[who]++;
  c->after_access[who][bin]++;
  c->fits += depth < x->sm->n_lines;
}

static bool count_lost(struct reader *x, const struct line *l, const struct who *by) {
  struct weir_locality *c = count_for(x, by->load);
  struct weir_locality_set *s = x->s;
  enum weir_between who = between(&l->evictor, by);
  struct weir_eviction new = {.by = l->evictor.load, .of = by->load};
  c->lost[who]++;
  if (who != WEIR_EARLIER_LAUNCH)
    c->lost_warps[weir_distance_bin(warps_apart(x, &l->evictor, by))]++;
  if (l->evictor.load == NOBODY) return true; /* a store's line took its place */
  uint32_t i = weir_map_of(&s->pairs, (uint64_t) new.by << 32 | new.of);
  if (i == UINT32_MAX || (i == s->evictions.n && !WEIR_PUSH(s->evictions, new))) return false;
  s->evictions.v[i].n[who]++;
  return true;
}

static enum weir_miss_cause cause_of(const struct reader *x, const struct line *l, uint16_t sectors,
                                     uint32_t depth) {
  const struct weir_sm_locality *sm = x->sm;
  if (l->epoch != sm->epoch) return WEIR_COMPULSORY;
  if (l->is_ended) return WEIR_BY_A_STORE;
  if (l->is_in) return (sectors & ~l->valid) == 0 ? WEIR_NO_MISS : WEIR_SECTOR;
  return depth < sm->n_lines ? WEIR_CONFLICT : WEIR_CAPACITY;
}

static void begin_line(struct reader *x, struct line *l, bool is_stored) {
  l->epoch = x->sm->epoch;
  l->count = 0;
  l->is_stored = is_stored;
  l->is_ended = false;
}

static void count_run(struct weir_locality *c, const struct weir_taped *r) {
  c->references++;
  c->sectors += (uint64_t)__builtin_popcount(r->sectors);
  c->answered += r->as == WEIR_TAPED_HIT;
  c->pending += r->as == WEIR_TAPED_PENDING || r->as == WEIR_TAPED_LATE;
  c->partial += r->as == WEIR_TAPED_PARTIAL;
  c->sent += r->as == WEIR_TAPED_MISS || r->as == WEIR_TAPED_PARTIAL || r->as == WEIR_TAPED_BYPASS;
}

static bool refer(struct reader *x, const struct weir_taped *r, const struct who *by) {
  struct weir_sm_locality *sm = x->sm;
  uint32_t id, depth;
  if (!line_of(x, r->addr, &id) || !have_stretch(x)) return false;
  struct line *l = &sm->lines.v[id];
  if (!weir_stack_touch(&sm->stack, id, &depth)) return false;
  enum weir_miss_cause cause = cause_of(x, l, r->sectors, depth);
  struct weir_locality *c = count_for(x, by->load);
  count_run(c, r);
  c->cause[cause]++;
  if (is_begun(sm, l)) {
    count_distances(x, l, by, depth);
    if ((cause == WEIR_CAPACITY || cause == WEIR_CONFLICT) && !count_lost(x, l, by)) return false;
  } else {
    c->first++;
    begin_line(x, l, false);
  }
  count_reuse(x, l, by->load);
  count_stretch(x, l);
  if (l->is_in) l->used |= r->sectors & l->valid;
  use(x, id, r->sectors, by, by->load);
  l->last = *by;
  l->touched = ++sm->references;
  return true;
}

/* A store after which the line is there. */
static bool store(struct reader *x, const struct weir_taped *r, const struct who *by) {
  struct weir_sm_locality *sm = x->sm;
  uint32_t id, depth;
  if (!line_of(x, r->addr, &id) || !weir_stack_touch(&sm->stack, id, &depth)) return false;
  struct line *l = &sm->lines.v[id];
  if (!is_begun(sm, l)) begin_line(x, l, true);
  use(x, id, r->sectors, by, NOBODY);
  l->last = *by;
  l->touched = sm->references;
  return true;
}

static bool end_line(struct reader *x, const struct weir_taped *r) {
  struct weir_sm_locality *sm = x->sm;
  uint32_t id = sm->map.n > 0 ? weir_index_find(&sm->map.index, r->addr) : UINT32_MAX;
  if (id == UINT32_MAX || !is_begun(sm, &sm->lines.v[id])) return true;
  sm->lines.v[id].is_ended = true;
  if (sm->lines.v[id].is_in) unlink_line(sm, id);
  return weir_stack_end(&sm->stack, id);
}

/* ---- tapes ---- */

static enum weir_status begin_launch(struct reader *x, const struct weir_taped *r,
                                     struct weir_err *err) {
  struct weir_sm_locality *sm = x->sm;
  uint32_t n_sets = (uint32_t)x->s->machine->l1.sets;
  if (r->addr >= x->s->launches.n)
    return weir_fail(err, WEIR_EBUG, "launch %" PRIu64 " was not announced", r->addr);
  if (r->is_flushed && sm->map.n > 0) {
    sm->epoch++;
    empty_sets(sm, n_sets);
    weir_stack_clear(&sm->stack);
  }
  sm->launch = (uint32_t)r->addr;
  sm->kernel = x->s->launches.v[r->addr];
  sm->n_lines = r->lines;
  sm->ways = r->lines / n_sets;
  sm->in_launch = 0;
  x->kernel = &x->s->kernels.v[sm->kernel];
  if (x->kernel->lines_most < r->lines) x->kernel->lines_most = r->lines;
  if (x->kernel->lines_least > r->lines) x->kernel->lines_least = r->lines;
  return WEIR_OK;
}

static enum weir_status take(struct reader *x, const struct weir_taped *r, struct weir_err *err) {
  struct who by = {x->sm->launch, r->cta, r->warp, NOBODY};
  bool ok = true;
  if (r->as == WEIR_TAPED_KERNEL) return begin_launch(x, r, err);
  if (r->as == WEIR_TAPED_FILLS) ok = store(x, r, &by);
  if (r->as == WEIR_TAPED_ENDS) ok = end_line(x, r);
  if (weir_is_taped_load(r)) {
    ok = load_of(x, r->insn, &by.load);
    if (ok && r->as == WEIR_TAPED_PAST)
      count_for(x, by.load)->past++;
    else if (ok)
      ok = refer(x, r, &by);
  }
  return ok ? WEIR_OK : weir_no_memory(err);
}

/* The hits of an upper bound, by load. */
static enum weir_status bound(struct reader *x, const struct weir_tape *t, uint32_t factor,
                              bool is_chunk, struct weir_err *err) {
  struct weir_opt opt;
  enum weir_status st = weir_opt_run(t, factor, weir_opt_extra(x->s->machine), &opt, err);
  if (st != WEIR_OK) return st;
  for (size_t i = 0; i < t->n; i++) {
    const struct weir_taped *r = &t->v[i];
    if (r->as == WEIR_TAPED_KERNEL)
      x->kernel = &x->s->kernels.v[x->s->launches.v[r->addr]];
    else if (opt.says[i] & WEIR_OPT_HIT) {
      struct weir_locality *c = count_for(x, x->kernel->load[r->insn] - 1);
      c->opt += !is_chunk;
      c->opt_chunk += is_chunk;
    }
  }
  weir_opt_free(&opt);
  return WEIR_OK;
}

enum weir_status weir_locality_tape(struct weir_locality_set *s, uint32_t sm,
                                    const struct weir_tape *t, struct weir_err *err) {
  const struct weir_l1_cfg *c = &s->machine->l1;
  struct reader x = {.s = s,
                     .sm = &s->sms[sm],
                     .all = (uint16_t)((1u << (c->line / c->sector)) - 1),
                     .is_sectored = c->sectored};
  if (x.sm->sets == NULL) x.sm->sets = weir_calloc((size_t)c->sets, sizeof *x.sm->sets);
  if (x.sm->sets == NULL || t->has_failed) return weir_no_memory(err);
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < t->n; i++)
    st = take(&x, &t->v[i], err);
  uint32_t chunks = c->line > 32 ? (uint32_t)c->line / 32 : 1;
  if (st == WEIR_OK) st = bound(&x, t, 1, false, err);
  return st == WEIR_OK ? bound(&x, t, chunks, true, err) : st;
}
