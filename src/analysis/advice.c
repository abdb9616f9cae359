#include "analysis/advice.h"

#include <stdlib.h>

#include "base/arena.h"

enum { NONE = UINT32_MAX };

struct adviser {
  const struct weir_sites *s;
  struct weir_locality sum;
  struct {
    struct weir_advice *v;
    size_t n, cap;
  } list;
  bool has_failed;
};

static double share(uint64_t part, uint64_t whole) {
  return whole > 0 ? (double)part / (double)whole : 0;
}

static void say(struct adviser *a, struct weir_advice what) {
  if (share(what.concerned, a->sum.references) < WEIR_ADVICE_LEAST || what.concerned == 0) return;
  if (!WEIR_PUSH(a->list, what)) a->has_failed = true;
}

uint32_t weir_most_within(const uint64_t bins[WEIR_DISTANCES]) {
  uint64_t all = 0, n = 0;
  for (uint32_t i = 0; i < WEIR_DISTANCES; i++)
    all += bins[i];
  for (uint32_t i = 0; i < WEIR_DISTANCES; i++)
    if ((n += bins[i]) * 10 >= all * 9) return i;
  return WEIR_FAR;
}

/* ---- one load ---- */

static bool streams(const struct weir_locality *v) {
  return v->references > 0 && share(v->lone, v->references) >= WEIR_ADVICE_LONE;
}

static uint64_t misses(const struct weir_locality *v) {
  return v->references - v->cause[WEIR_NO_MISS];
}

/* Of a line whose sectors come together, most are brought for nothing. */
static void look_sparse(struct adviser *a, uint32_t load) {
  const struct weir_locality *v = &a->s->v[load].of;
  const struct weir_l1_cfg *c = &a->s->set->machine->l1;
  int64_t sectors = c->line / c->sector;
  double of_line = (double)sectors, each = share(v->sectors, v->references);
  if (c->sectored || each > of_line * WEIR_ADVICE_SPARSE_PART ||
      share(misses(v), v->references) < WEIR_ADVICE_SPARSE_PART)
    return;
  say(a, (struct weir_advice){.kind = WEIR_ADVICE_SPARSE,
                              .kernel = a->s->v[load].kernel,
                              .load = load,
                              .other = NONE,
                              .concerned = misses(v),
                              .v = {each, of_line, share(misses(v), v->references)}});
}

static void look_again(struct adviser *a, uint32_t load, enum weir_between who,
                       enum weir_advice_kind kind) {
  const struct weir_locality *v = &a->s->v[load].of;
  if (share(v->after[who], v->references) < WEIR_ADVICE_AGAIN) return;
  uint64_t within = weir_distance_most(weir_most_within(v->after_access[who]));
  bool is_far = weir_most_within(v->after_access[who]) == WEIR_FAR;
  say(a, (struct weir_advice){.kind = kind,
                              .kernel = a->s->v[load].kernel,
                              .load = load,
                              .other = NONE,
                              .concerned = v->after[who],
                              .v = {share(v->after[who], v->references), (double)within, is_far}});
}

static void look_at_load(struct adviser *a, uint32_t load) {
  const struct weir_site *l = &a->s->v[load];
  if (streams(&l->of))
    say(a, (struct weir_advice){.kind = WEIR_ADVICE_STREAMS,
                                .kernel = l->kernel,
                                .load = load,
                                .other = NONE,
                                .concerned = l->of.references,
                                .v = {share(l->of.lone, l->of.references)}});
  else
    look_sparse(a, load);
  look_again(a, load, WEIR_SAME_WARP, WEIR_ADVICE_WARP_AGAIN);
  look_again(a, load, WEIR_SAME_BLOCK, WEIR_ADVICE_BLOCK_AGAIN);
  if (share(l->of.partial, l->of.references) >= WEIR_ADVICE_PARTIAL)
    say(a, (struct weir_advice){.kind = WEIR_ADVICE_SECTORS,
                                .kernel = l->kernel,
                                .load = load,
                                .other = NONE,
                                .concerned = l->of.partial,
                                .v = {share(l->of.partial, l->of.references)}});
  uint64_t conflicts = l->of.cause[WEIR_CONFLICT];
  if (share(conflicts, l->of.references) >= WEIR_ADVICE_CONFLICT)
    say(a, (struct weir_advice){.kind = WEIR_ADVICE_CONFLICTS,
                                .kernel = l->kernel,
                                .load = load,
                                .other = NONE,
                                .concerned = conflicts,
                                .v = {share(conflicts, l->of.references)}});
}

/* ---- two loads ---- */

static void look_at_pair(struct adviser *a, const struct weir_eviction *e) {
  const struct weir_sites *s = a->s;
  const struct weir_locality *by = &s->v[e->by].of, *of = &s->v[e->of].of;
  uint64_t n = weir_eviction_total(e), back;
  if (e->by == e->of || share(n, of->references) < WEIR_ADVICE_HURT) return;
  struct weir_advice what = {.kind = WEIR_ADVICE_POLLUTES,
                             .kernel = s->v[e->of].kernel,
                             .load = e->by,
                             .other = e->of,
                             .concerned = n,
                             .v = {share(n, of->references)}};
  if (streams(by)) {
    say(a, what);
    return;
  }
  /* Each pair once, from the side of the smaller number. */
  back = weir_sites_lost(s, e->of, e->by);
  if (e->by > e->of || share(back, by->references) < WEIR_ADVICE_HURT || streams(of)) return;
  what.kind = WEIR_ADVICE_EACH_OTHER;
  what.concerned = n + back;
  what.v[0] = (double)back;
  what.v[1] = (double)n;
  say(a, what);
}

/* ---- a kernel ---- */

/* The smallest L1, larger than the machine's, that gains so many hits; its lines as power of two.
 */
static uint32_t size_for(const struct weir_locality *v, uint32_t lines, double gain) {
  uint32_t i = 0;
  while (i < WEIR_SIZES - 1 &&
         (UINT64_C(1) << i <= lines || (double)weir_locality_hits(v, i) - (double)v->fits < gain))
    i++;
  return i;
}

static void look_at_size(struct adviser *a, uint32_t kernel, const struct weir_locality *v) {
  uint32_t lines = a->s->set->kernels.v[kernel].lines_most;
  double reuse = (double)(v->references - v->first),
         gain = WEIR_ADVICE_FIT * reuse - (double)v->fits;
  if (gain <= 0) return;
  uint32_t most = size_for(v, lines, gain), half = size_for(v, lines, gain / 2);
  uint64_t hits = weir_locality_hits(v, most), some = weir_locality_hits(v, half);
  if (share(hits - v->fits, v->references) < WEIR_ADVICE_GAIN) return;
  say(a, (struct weir_advice){.kind = WEIR_ADVICE_SIZE,
                              .kernel = kernel,
                              .load = NONE,
                              .other = NONE,
                              .concerned = hits - v->fits,
                              .v = {(double)(UINT64_C(1) << most), share(hits, v->references),
                                    share(v->fits, v->references), (double)(UINT64_C(1) << half),
                                    share(some, v->references)}});
}

static void look_at_warps(struct adviser *a, uint32_t kernel, const struct weir_locality *v) {
  uint64_t others = v->lost[WEIR_SAME_BLOCK] + v->lost[WEIR_SAME_LAUNCH];
  uint64_t all = others + v->lost[WEIR_SAME_WARP] + v->lost[WEIR_EARLIER_LAUNCH];
  if (share(others, v->references) < WEIR_ADVICE_MISSED || share(others, all) < WEIR_ADVICE_OTHERS)
    return;
  say(a, (struct weir_advice){.kind = WEIR_ADVICE_WARPS,
                              .kernel = kernel,
                              .load = NONE,
                              .other = NONE,
                              .concerned = others,
                              .v = {share(others, v->references), share(others, all)}});
}

static void look_at_bound(struct adviser *a, uint32_t kernel, const struct weir_locality *v) {
  uint64_t hits = v->answered + v->pending;
  uint64_t had = hits + v->partial; /* the bound is that of lines */
  uint64_t gain = v->opt > had ? v->opt - had : 0;
  struct weir_advice what = {.kind = WEIR_ADVICE_BOUND,
                             .kernel = kernel,
                             .load = NONE,
                             .other = NONE,
                             .concerned = gain,
                             .v = {share(had, v->references), share(v->opt, v->references)}};
  if (share(gain, v->references) >= WEIR_ADVICE_GAIN) say(a, what);
  if (share(gain, v->references) > WEIR_ADVICE_CLOSE ||
      share(v->opt, v->references) < WEIR_ADVICE_SOME)
    return;
  what.kind = WEIR_ADVICE_ENOUGH;
  what.concerned = v->references;
  say(a, what);
}

/* ---- all ---- */

static int by_concerned(const void *a, const void *b) {
  const struct weir_advice *x = a, *y = b;
  if (x->concerned != y->concerned) return x->concerned > y->concerned ? -1 : 1;
  if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  if (x->kernel != y->kernel) return x->kernel < y->kernel ? -1 : 1;
  if (x->load != y->load) return x->load < y->load ? -1 : 1;
  return x->other < y->other ? -1 : x->other > y->other;
}

bool weir_advise(const struct weir_sites *s, struct weir_advices *out) {
  struct adviser a = {.s = s};
  *out = (struct weir_advices){0};
  weir_locality_sum(s->set, NONE, &a.sum);
  for (uint32_t i = 0; i < s->n; i++)
    look_at_load(&a, i);
  for (size_t i = 0; i < s->evictions.n; i++)
    look_at_pair(&a, &s->evictions.v[i]);
  for (uint32_t k = 0; k < s->set->kernels.n; k++) {
    struct weir_locality v;
    weir_locality_sum(s->set, k, &v);
    look_at_size(&a, k, &v);
    look_at_warps(&a, k, &v);
    look_at_bound(&a, k, &v);
  }
  if (a.list.n > 0) qsort(a.list.v, a.list.n, sizeof *a.list.v, by_concerned);
  out->n_found = (uint32_t)a.list.n;
  for (; out->n < a.list.n && out->n < WEIR_ADVICE_MOST; out->n++)
    out->v[out->n] = a.list.v[out->n];
  free(a.list.v);
  return !a.has_failed;
}
