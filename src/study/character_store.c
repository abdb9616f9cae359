/* A characterised workload as a run of a store. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/traits.h"
#include "base/mem.h"
#include "study/character.h"
#include "study/identity.h"
#include "study/keeper.h"

#define PREFIX "characterize."
/* In the place of a scheme: the same keys as those of a run that was only timed would stand for the
 * same run, and tables of the store would have to choose. */
#define SCHEME "characterize"

struct stats {
  struct weir_store_stat *v;
  size_t n, cap;
};

static bool add_traits(struct stats *list, const struct weir_locality *l, struct weir_arena *a) {
  char buf[24];
  for (const struct weir_trait *t = weir_traits; t->name != NULL; t++)
    for (uint32_t i = 0; i < t->n; i++) {
      struct weir_store_stat s = {.kind = WEIR_STORE_COUNT, .count = weir_trait_value(t, l, i)};
      s.name = t->n > 1 ? weir_arena_printf(a, PREFIX "%s.%s", t->name, weir_trait_part(t, i, buf))
                        : weir_arena_printf(a, PREFIX "%s", t->name);
      if (s.name == NULL || !WEIR_PUSH(*list, s)) return false;
    }
  return true;
}

static bool add_classes(struct stats *list, const struct weir_run_classes *c) {
  static const char *const names[WEIR_CLASS_RUNS] = {
      PREFIX "speedup.bypass_all", PREFIX "speedup.perfect_l1", PREFIX "speedup.line_32",
      PREFIX "speedup.line_64"};
  for (uint32_t i = 0; c != NULL && i < WEIR_CLASS_RUNS; i++) {
    struct weir_store_stat s = {
        .name = names[i], .kind = WEIR_STORE_REAL, .real = weir_class_speedup(c, i)};
    if (!WEIR_PUSH(*list, s)) return false;
  }
  return true;
}

/* What was found of kernel k, or of all; the list moves into the arena. */
static bool make_stats(const struct weir_character *c, const struct weir_character_run *r,
                       uint32_t k, struct weir_arena *a, const struct weir_store_stat **out,
                       size_t *n) {
  struct stats list = {0};
  struct weir_locality sum;
  weir_locality_sum(&c->locality, k, &sum);
  bool ok = add_traits(&list, &sum, a) && (k != UINT32_MAX || add_classes(&list, r->classes));
  struct weir_store_stat *v = ok ? weir_arena_array(a, list.n + 1, sizeof *v) : NULL;
  for (size_t i = 0; v != NULL && i < list.n; i++)
    v[i] = list.v[i];
  *n = list.n;
  *out = v;
  free(list.v);
  return v != NULL;
}

static const char *text_of(struct weir_arena *a, const struct weir_locality *l) {
  struct weir_text text = {0};
  weir_traits_json(l, &text);
  const char *copy = text.failed ? NULL : weir_arena_strndup(a, text.v, text.n);
  weir_text_free(&text);
  return copy;
}

static bool add_loads(const struct weir_character *c, struct weir_arena *a,
                      struct weir_store_run *run) {
  uint32_t *loads = weir_character_loads(c, &run->n_loads);
  struct weir_store_load *v = weir_arena_array(a, run->n_loads + 1, sizeof *v);
  bool ok = loads != NULL && v != NULL;
  for (size_t i = 0; ok && i < run->n_loads; i++) {
    const struct weir_locality_load *l = &c->locality.loads.v[loads[i]];
    const struct weir_timed_kernel *k = weir_character_timed(c, l->kernel);
    const struct weir_static *s = weir_character_insn(c, loads[i]);
    v[i] = (struct weir_store_load){.kernel = (size_t)l->kernel + 1,
                                    .insn = l->insn,
                                    .ptx_line = s->ptx_line,
                                    .line = s->line,
                                    .pc = s->pc,
                                    .file = s->line > 0 && s->file < k->n_files ? k->files[s->file]
                                                                                : NULL,
                                    .array = weir_character_array(c, loads[i]),
                                    .locality = text_of(a, &l->of)};
    ok = v[i].locality != NULL;
  }
  free(loads);
  run->loads = v;
  return ok;
}

static enum weir_status identify(const struct weir_character *c, const struct weir_character_run *r,
                                 struct weir_workload_identity *w, struct weir_text *out,
                                 struct weir_err *err) {
  const struct weir_study_setup setup = {.setup = c->setup, .settings = r->settings};
  enum weir_status st = weir_workload_identity(r->workload, w, err);
  if (st != WEIR_OK) return st;
  weir_text_printf(out,
                   "characterize 1%s\nworkload %s\ninput %s\nstreams %s\ngpu %s\nscheme %s\n"
                   "seed %" PRIu64 "\n",
                   r->classes != NULL ? " with classes" : "", r->workload->name, w->input, w->hash,
                   r->gpu, SCHEME, (uint64_t)c->setup->machine.jitter.seed);
  return weir_setup_identity(&setup, !r->workload->is_trace, out, err);
}

static enum weir_status fill(const struct weir_character *c, const struct weir_character_run *r,
                             struct weir_arena *a, struct weir_store_run *run,
                             struct weir_err *err) {
  const struct weir_study_setup setup = {.setup = c->setup, .settings = r->settings};
  size_t n = c->locality.kernels.n;
  struct weir_store_kernel *kernels = weir_arena_array(a, n + 1, sizeof *kernels);
  bool ok = kernels != NULL && make_stats(c, r, UINT32_MAX, a, &run->stats, &run->n_stats);
  for (uint32_t k = 0; ok && k < n; k++) {
    kernels[k].name = weir_character_timed(c, k)->kernel;
    ok = make_stats(c, r, k, a, &kernels[k].stats, &kernels[k].n_stats);
  }
  run->kernels = kernels;
  run->n_kernels = n;
  ok = ok && add_loads(c, a, run);
  return ok ? weir_keeper_settings(&setup, !r->workload->is_trace, a, run, err)
            : weir_no_memory(err);
}

enum weir_status weir_character_keep(const struct weir_character *c,
                                     const struct weir_character_run *r, struct weir_store *store,
                                     struct weir_err *err) {
  struct weir_arena a = {0};
  struct weir_text identity = {0};
  struct weir_workload_identity w;
  char host[256] = "";
  enum weir_status st = identify(c, r, &w, &identity, err);
  if (st == WEIR_OK && identity.failed) st = weir_no_memory(err);
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  struct weir_store_run run = {.identity = identity.v,
                               .workload = r->workload->name,
                               .input = w.input,
                               .gpu = r->gpu,
                               .scheme = SCHEME,
                               .seed = c->setup->machine.jitter.seed,
                               .status = WEIR_STORED_OK,
                               .host = host,
                               .seconds = NAN,
                               .provenance = r->provenance};
  if (st == WEIR_OK) st = fill(c, r, &a, &run, err);
  if (st == WEIR_OK) st = weir_store_put(store, &run, NULL, err);
  weir_text_free(&identity);
  weir_arena_free(&a);
  return st;
}
