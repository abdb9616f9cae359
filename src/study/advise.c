#include "study/advise.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/retag.h"
#include "base/mem.h"

/* Kernels are searched at the same time, each by its own cycles: a trial changes something in all
 * of them. A step counts if it saves this part of the least gain, of a kernel's cycles: smaller
 * ones come and go by chance. */
#define STEP 0.25

/* Loads of a kernel, the most promising first. */
struct candidate {
  double worth;
  uint32_t load; /* number in the profile */
};

struct list {
  struct candidate *v;
  uint32_t n, at;
};

struct adviser {
  const struct weir_advise_request *r;
  struct weir_advised *out;
  struct weir_profile *p;
  struct weir_trials trials;
  struct weir_trial base, best, all; /* best: of each kernel what was found so far */
  struct weir_trial *batch;
  uint32_t n_batch;
  uint32_t reserve;   /* trials that are kept for later */
  struct list *lists; /* of each kernel */
};

/* ---- trials ---- */

static uint32_t left(const struct adviser *a) {
  uint32_t used = a->out->n_trials + a->n_batch + a->reserve;
  return used < a->r->trials ? a->r->trials - used : 0;
}

/* The next of the batch, like the best so far. */
static struct weir_trial *add_trial(struct adviser *a) {
  struct weir_trial *t = &a->batch[a->n_batch++];
  memcpy(t->hints, a->best.hints, a->p->n_loads);
  memcpy(t->carveouts, a->best.carveouts, a->p->n_kernels);
  return t;
}

static void copy_trial(const struct weir_profile *p, struct weir_trial *to,
                       const struct weir_trial *from) {
  to->cycles = from->cycles;
  memcpy(to->hints, from->hints, p->n_loads);
  memcpy(to->carveouts, from->carveouts, p->n_kernels);
  memcpy(to->kernels, from->kernels, p->n_kernels * sizeof *to->kernels);
  memcpy(to->loads, from->loads, p->n_loads * sizeof *to->loads);
}

static enum weir_status run_batch(struct adviser *a, struct weir_err *err) {
  uint32_t n = a->n_batch;
  a->n_batch = 0;
  a->out->n_trials += n;
  return n > 0 ? weir_trials_run(&a->trials, a->batch, n, err) : WEIR_OK;
}

static uint64_t cycles(const struct weir_trial *t, uint32_t kernel) {
  return t->kernels[kernel].cycles;
}

static bool is_better(const struct adviser *a, const struct weir_trial *t, uint32_t kernel) {
  double step = STEP * a->r->least * (double)cycles(&a->base, kernel);
  return cycles(t, kernel) < cycles(&a->best, kernel) &&
         (double)cycles(t, kernel) + step <= (double)cycles(&a->best, kernel);
}

/* The best of a kernel is what the trial had. */
static void take(struct adviser *a, const struct weir_trial *t, uint32_t kernel) {
  const struct weir_profiled_kernel *k = &a->p->kernels[kernel];
  memcpy(a->best.hints + k->first, t->hints + k->first, k->loads.n);
  a->best.carveouts[kernel] = t->carveouts[kernel];
  a->best.kernels[kernel] = t->kernels[kernel];
}

/* Of a kernel that is as it was, cycles differ by what others left in the L2. */
static bool is_other(const struct adviser *a, const struct weir_trial *t, uint32_t kernel) {
  const struct weir_profiled_kernel *k = &a->p->kernels[kernel];
  return a->best.carveouts[kernel] != t->carveouts[kernel] ||
         memcmp(a->best.hints + k->first, t->hints + k->first, k->loads.n) != 0;
}

static void take_better(struct adviser *a, const struct weir_trial *t) {
  for (uint32_t k = 0; k < a->p->n_kernels; k++)
    if (is_other(a, t, k) && is_better(a, t, k)) take(a, t, k);
}

/* ---- what can be changed ---- */

static const struct weir_static_load *load_of(const struct weir_profile *p, uint32_t kernel,
                                              uint32_t number) {
  return &p->kernels[kernel].loads.v[number - p->kernels[kernel].first];
}

/* A function that several kernels call has one text for all of them. */
static bool is_shared(const struct weir_profile *p, uint32_t kernel, const struct ptx_insn *in) {
  for (uint32_t k = 0; k < p->n_kernels; k++)
    for (uint32_t i = 0; k != kernel && i < p->kernels[k].loads.n; i++)
      if (p->kernels[k].loads.v[i].ptx == in) return true;
  return false;
}

/* Past the L1: .cg, and where the load is .nc, which .cg would cost, by priority. */
static enum weir_hint bypass_of(const struct weir_static_load *l) {
  return ptx_has(l->ptx, PTX_M_nc) && weir_has_l1_priorities(l->func->module)
             ? WEIR_HINT_NO_ALLOCATE
             : WEIR_HINT_CG;
}

static void find_free(struct adviser *a) {
  for (uint32_t k = 0; k < a->p->n_kernels; k++) {
    const struct weir_profiled_kernel *kernel = &a->p->kernels[k];
    for (uint32_t i = 0; i < kernel->loads.n; i++) {
      struct weir_advised_load *l = &a->out->loads[kernel->first + i];
      const struct weir_trial_load *did = &a->base.loads[kernel->first + i];
      l->requests = did->requests;
      l->hits = did->hits;
      l->is_free = did->requests > 0 && !kernel->loads.v[i].is_fixed &&
                   weir_can_retag(kernel->loads.v[i].ptx) &&
                   !is_shared(a->p, k, kernel->loads.v[i].ptx);
    }
  }
}

/* Copies of one load, as unrolling makes them, are of one array and one line. */
static bool is_copy(const struct weir_static_load *x, const struct weir_static_load *y) {
  if (x->line == 0 || x->line != y->line || x->path == NULL || y->path == NULL ||
      x->param != y->param || strcmp(x->path, y->path) != 0)
    return false;
  return x->array != NULL && y->array != NULL ? strcmp(x->array, y->array) == 0
                                              : x->array == y->array;
}

static void find_units(struct adviser *a) {
  for (uint32_t k = 0; k < a->p->n_kernels; k++) {
    const struct weir_loads *l = &a->p->kernels[k].loads;
    struct weir_advised_load *of = a->out->loads + a->p->kernels[k].first;
    for (uint32_t i = 0; i < l->n; i++) {
      uint32_t first = i;
      for (uint32_t j = 0; j < i && of[i].is_free && first == i; j++)
        if (of[j].is_free && is_copy(&l->v[i], &l->v[j])) first = j;
      of[i].unit = a->p->kernels[k].first + first;
    }
  }
}

/* ---- lists of candidates ---- */

typedef bool choose(const struct adviser *a, uint32_t kernel, uint32_t load, double *worth);

static int by_worth(const void *x, const void *y) {
  const struct candidate *a = x, *b = y;
  if (a->worth != b->worth) return a->worth > b->worth ? -1 : 1;
  return a->load < b->load ? -1 : a->load > b->load;
}

/* Returns the length of the longest. */
static uint32_t list_loads(struct adviser *a, choose *of) {
  uint32_t most = 0;
  for (uint32_t k = 0; k < a->p->n_kernels; k++) {
    struct list *l = &a->lists[k];
    uint32_t first = a->p->kernels[k].first;
    l->n = l->at = 0;
    for (uint32_t i = first; i < first + a->p->kernels[k].loads.n; i++) {
      struct candidate c = {.load = i};
      const struct weir_advised_load *load = &a->out->loads[i];
      if (load->is_free && load->unit == i && of(a, k, i, &c.worth)) l->v[l->n++] = c;
    }
    if (l->n > 0) qsort(l->v, l->n, sizeof *l->v, by_worth);
    if (l->n > most) most = l->n;
  }
  return most;
}

/* What those that go together did. */
static struct weir_trial_load sum_of(const struct adviser *a, uint32_t kernel, uint32_t unit) {
  const struct weir_profiled_kernel *k = &a->p->kernels[kernel];
  struct weir_trial_load sum = {0};
  for (uint32_t i = unit; i < k->first + k->loads.n; i++)
    if (a->out->loads[i].unit == unit) {
      sum.requests += a->out->loads[i].requests;
      sum.hits += a->out->loads[i].hits;
    }
  return sum;
}

static bool often(const struct adviser *a, uint32_t kernel, uint32_t load, double *worth) {
  *worth = (double)sum_of(a, kernel, load).requests;
  return true;
}

static bool gains(const struct adviser *a, uint32_t kernel, uint32_t load, double *worth) {
  const struct weir_advised_load *l = &a->out->loads[load];
  (void)kernel;
  *worth = l->alone;
  return l->is_tried && l->alone >= STEP * a->r->least && l->alone > 0 &&
         a->best.hints[load] == WEIR_HINT_NONE;
}

/* Of kernels that are best with all loads past the L1, those that should come back. */
static bool loses(const struct adviser *a, uint32_t kernel, uint32_t load, double *worth) {
  const struct weir_advised_load *l = &a->out->loads[load];
  *worth = -l->alone;
  return l->is_tried && l->alone < 0 && cycles(&a->best, kernel) == cycles(&a->all, kernel);
}

static bool is_reused(const struct adviser *a, uint32_t kernel, uint32_t load, double *worth) {
  uint64_t hits = sum_of(a, kernel, load).hits;
  *worth = (double)hits;
  return hits > 0 && a->best.hints[load] == WEIR_HINT_NONE &&
         weir_has_l1_priorities(load_of(a->p, kernel, load)->func->module);
}

/* ---- steps ---- */

enum change { PAST_L1, INTO_L1, KEPT_LONG };

static enum weir_hint hint_by(enum change what, const struct weir_static_load *l) {
  return what == PAST_L1 ? bypass_of(l) : what == KEPT_LONG ? WEIR_HINT_EVICT_LAST : WEIR_HINT_NONE;
}

static void change_unit(const struct adviser *a, uint32_t kernel, uint32_t unit, enum change what,
                        struct weir_trial *t) {
  const struct weir_profiled_kernel *k = &a->p->kernels[kernel];
  for (uint32_t i = unit; i < k->first + k->loads.n; i++)
    if (a->out->loads[i].unit == unit)
      t->hints[i] = (uint8_t)hint_by(what, load_of(a->p, kernel, i));
}

/* Candidates one after the other, in all kernels at the same time; what makes a kernel faster
 * stays. */
static enum weir_status climb(struct adviser *a, enum change what, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (bool any = true; st == WEIR_OK && any && left(a) > 0;) {
    struct weir_trial *t = add_trial(a);
    any = false;
    for (uint32_t k = 0; k < a->p->n_kernels; k++) {
      struct list *l = &a->lists[k];
      if (l->at == l->n) continue;
      change_unit(a, k, l->v[l->at++].load, what, t);
      any = true;
    }
    if (!any) {
      a->n_batch = 0;
      return WEIR_OK;
    }
    st = run_batch(a, err);
    if (st == WEIR_OK) take_better(a, t);
  }
  return st;
}

/* ---- divisions of L1 and shared memory ---- */

/* What a program asks for to get a size. */
static uint8_t percent_of(const struct weir_machine *m, uint32_t size) {
  return (uint8_t)(UINT64_C(100) * size / m->carveout[m->n_carveouts - 1]);
}

static bool has_room(const struct adviser *a, uint32_t kernel, uint32_t size) {
  const struct weir_launched_with *had = &a->base.kernels[kernel].had;
  uint64_t need = had->shared_bytes + weir_shared_of_system(&a->r->setup->machine);
  return had->carveout == 0 && a->base.kernels[kernel].launches > 0 &&
         (had->shared_bytes == 0 || size >= need);
}

static enum weir_status try_carveouts(struct adviser *a, struct weir_err *err) {
  const struct weir_machine *m = &a->r->setup->machine;
  if (m->l1.unified_bytes == 0) return WEIR_OK;
  for (uint32_t s = 0; s < m->n_carveouts && left(a) > 0; s++) {
    struct weir_trial *t = add_trial(a);
    uint8_t want = (uint8_t)(percent_of(m, m->carveout[s]) + 1);
    bool any = false;
    for (uint32_t k = 0; k < a->p->n_kernels; k++) {
      if (!has_room(a, k, m->carveout[s]) || t->carveouts[k] == want) continue;
      t->carveouts[k] = want;
      any = true;
    }
    if (!any) a->n_batch--;
  }
  uint32_t n = a->n_batch;
  enum weir_status st = run_batch(a, err);
  for (uint32_t i = 0; st == WEIR_OK && i < n; i++)
    take_better(a, &a->batch[i]);
  return st;
}

/* ---- hints ---- */

/* All loads, then each of them alone, past the L1; `each` trials of that kind. */
static void add_bypasses(struct adviser *a, uint32_t each) {
  struct weir_trial *all = add_trial(a);
  for (uint32_t k = 0; k < a->p->n_kernels; k++)
    for (uint32_t i = 0; i < a->lists[k].n; i++)
      change_unit(a, k, a->lists[k].v[i].load, PAST_L1, all);
  for (uint32_t n = 0; n < each; n++) {
    struct weir_trial *t = add_trial(a);
    for (uint32_t k = 0; k < a->p->n_kernels; k++)
      if (n < a->lists[k].n) change_unit(a, k, a->lists[k].v[n].load, PAST_L1, t);
  }
}

static void note_alone(struct adviser *a, uint32_t kernel, uint32_t unit,
                       const struct weir_trial *t) {
  const struct weir_profiled_kernel *k = &a->p->kernels[kernel];
  double gain = weir_gain((double)cycles(&a->best, kernel), (double)cycles(t, kernel));
  for (uint32_t i = unit; i < k->first + k->loads.n; i++) {
    struct weir_advised_load *l = &a->out->loads[i];
    if (l->unit != unit) continue;
    l->is_tried = true;
    l->alone = gain;
  }
}

static enum weir_status try_bypass(struct adviser *a, struct weir_err *err) {
  uint32_t most = list_loads(a, often);
  if (most == 0 || left(a) < 2) return WEIR_OK;
  uint32_t each = left(a) / 2 < most ? left(a) / 2 : most;
  add_bypasses(a, each);
  enum weir_status st = run_batch(a, err);
  if (st != WEIR_OK) return st;
  copy_trial(a->p, &a->all, &a->batch[0]);
  for (uint32_t n = 0; n < each; n++)
    for (uint32_t k = 0; k < a->p->n_kernels; k++) {
      if (n >= a->lists[k].n) continue;
      note_alone(a, k, a->lists[k].v[n].load, &a->batch[1 + n]);
    }
  for (uint32_t n = 0; n < each; n++)
    take_better(a, &a->batch[1 + n]);
  return WEIR_OK;
}

static enum weir_status find_hints(struct adviser *a, struct weir_err *err) {
  enum weir_status st = try_bypass(a, err);
  if (st != WEIR_OK) return st;
  if (list_loads(a, gains) > 0) st = climb(a, PAST_L1, err);
  for (uint32_t k = 0; k < a->p->n_kernels; k++)
    if (cycles(&a->all, k) > 0 && is_better(a, &a->all, k)) take(a, &a->all, k);
  if (st == WEIR_OK && list_loads(a, loses) > 0) st = climb(a, INTO_L1, err);
  if (st == WEIR_OK && list_loads(a, is_reused) > 0) st = climb(a, KEPT_LONG, err);
  return st;
}

static bool has_hints(const struct adviser *a) {
  for (uint32_t i = 0; i < a->p->n_loads; i++)
    if (a->best.hints[i] != WEIR_HINT_NONE) return true;
  return false;
}

static enum weir_status search(struct adviser *a, struct weir_err *err) {
  const struct weir_machine *m = &a->r->setup->machine;
  struct weir_trial *first = add_trial(a);
  enum weir_status st = run_batch(a, err);
  if (st != WEIR_OK) return st;
  copy_trial(a->p, &a->base, first);
  copy_trial(a->p, &a->best, first);
  find_free(a);
  find_units(a);
  st = try_carveouts(a, err);
  uint32_t again = m->l1.unified_bytes > 0 ? m->n_carveouts : 0;
  a->reserve = again < left(a) / 2 ? again : 0;
  if (st == WEIR_OK) st = find_hints(a, err);
  a->reserve = 0;
  return st == WEIR_OK && has_hints(a) ? try_carveouts(a, err) : st;
}

/* ---- what is left of it ---- */

static void drop(struct weir_advised *out, uint32_t kernel) {
  const struct weir_profiled_kernel *k = &out->profile.kernels[kernel];
  out->kernels[kernel].carveout = 0;
  out->kernels[kernel].best = out->kernels[kernel].cycles;
  for (uint32_t i = 0; i < k->loads.n; i++)
    out->loads[k->first + i].hint = WEIR_HINT_NONE;
}

void weir_advised_drop(struct weir_advised *a) {
  for (uint32_t k = 0; k < a->profile.n_kernels; k++)
    drop(a, k);
  a->n_kept = 0;
}

static void settle(struct adviser *a) {
  struct weir_advised *out = a->out;
  double best = (double)a->base.cycles;
  out->cycles = a->base.cycles;
  for (uint32_t i = 0; i < a->p->n_loads; i++)
    out->loads[i].hint = (enum weir_hint)a->best.hints[i];
  for (uint32_t k = 0; k < a->p->n_kernels; k++) {
    struct weir_advised_kernel *to = &out->kernels[k];
    uint64_t from = cycles(&a->base, k);
    *to = (struct weir_advised_kernel){.launches = a->base.kernels[k].launches,
                                       .cycles = from,
                                       .best = cycles(&a->best, k),
                                       .had = a->base.kernels[k].had,
                                       .carveout = a->best.carveouts[k]};
    best -= (double)from - (double)to->best;
    bool is_kept = to->best < from && weir_gain((double)from, (double)to->best) >= a->r->least;
    out->n_kept += is_kept;
    if (!is_kept) drop(out, k);
  }
  out->found = weir_gain((double)out->cycles, best);
}

/* The same seeds for both. */
static enum weir_status repeat(struct adviser *a, struct weir_err *err) {
  struct weir_advised *out = a->out;
  uint32_t n = a->r->repeats;
  a->n_batch = 0;
  for (uint32_t i = 0; i < 2 * n; i++) {
    struct weir_trial *t = add_trial(a);
    t->has_jitter = true;
    t->seed = a->r->setup->machine.jitter.seed + 1 + i / 2;
    for (uint32_t l = 0; l < a->p->n_loads; l++)
      t->hints[l] = (uint8_t)(i % 2 == 0 ? WEIR_HINT_NONE : out->loads[l].hint);
    for (uint32_t k = 0; k < a->p->n_kernels; k++)
      t->carveouts[k] = i % 2 == 0 ? 0 : out->kernels[k].carveout;
  }
  a->n_batch = 0;
  enum weir_status st = weir_trials_run(&a->trials, a->batch, 2 * n, err);
  if (st != WEIR_OK) return st;
  out->n_repeats = n;
  for (uint32_t i = 0; i < n; i++) {
    out->before[i] = (double)a->batch[2 * i].cycles;
    out->after[i] = (double)a->batch[2 * i + 1].cycles;
  }
  return WEIR_OK;
}

/* ---- all of it ---- */

static bool make_arrays(struct adviser *a) {
  struct weir_advised *out = a->out;
  struct weir_arena *arena = &a->p->arena;
  uint32_t n = a->r->trials > 2 * a->r->repeats ? a->r->trials : 2 * a->r->repeats;
  out->loads = weir_arena_array(arena, a->p->n_loads + 1u, sizeof *out->loads);
  out->kernels = weir_arena_array(arena, a->p->n_kernels + 1u, sizeof *out->kernels);
  out->before = weir_arena_array(arena, a->r->repeats, sizeof *out->before);
  out->after = weir_arena_array(arena, a->r->repeats, sizeof *out->after);
  a->batch = weir_arena_array(arena, n, sizeof *a->batch);
  a->lists = weir_arena_array(arena, a->p->n_kernels + 1u, sizeof *a->lists);
  if (out->loads == NULL || out->kernels == NULL || out->before == NULL || out->after == NULL ||
      a->batch == NULL || a->lists == NULL)
    return false;
  for (uint32_t k = 0; k < a->p->n_kernels; k++) {
    size_t most = a->p->kernels[k].loads.n + 1u;
    a->lists[k].v = weir_arena_array(arena, most, sizeof(struct candidate));
    if (a->lists[k].v == NULL) return false;
  }
  for (uint32_t i = 0; i < n; i++)
    if (!weir_trial_make(&a->batch[i], a->p, arena)) return false;
  return weir_trial_make(&a->base, a->p, arena) && weir_trial_make(&a->best, a->p, arena) &&
         weir_trial_make(&a->all, a->p, arena);
}

static enum weir_status work(struct adviser *a, struct weir_err *err) {
  if (!make_arrays(a)) return weir_no_memory(err);
  a->trials = (struct weir_trials){
      .r = &a->r->what, .setup = a->r->setup, .p = a->p, .most = a->r->trials + 2 * a->r->repeats};
  enum weir_status st = weir_trials_open(&a->trials, err);
  if (st == WEIR_OK) st = search(a, err);
  if (st == WEIR_OK) settle(a);
  if (st == WEIR_OK && a->out->n_kept > 0) st = repeat(a, err);
  weir_trials_close(&a->trials);
  return st;
}

enum weir_status weir_advise_run(const struct weir_advise_request *r, struct weir_advised *out,
                                 struct weir_err *err) {
  struct adviser a = {.r = r, .out = out, .p = &out->profile};
  *out = (struct weir_advised){0};
  enum weir_status st = weir_profile_open(&r->what, &out->profile, err);
  if (st != WEIR_OK) return st;
  st = work(&a, err);
  if (st != WEIR_OK) weir_advised_free(out);
  return st;
}

void weir_advised_free(struct weir_advised *a) {
  weir_profile_free(&a->profile);
  *a = (struct weir_advised){0};
}

uint32_t weir_advised_hints(const struct weir_advised *a) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < a->profile.n_loads; i++)
    n += a->loads[i].hint != WEIR_HINT_NONE;
  return n;
}
