/* Results of runs as statistics by name, and back. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "study/keeper_inside.h"

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

enum weir_status weir_keeper_rows(struct weir_keeper *k, size_t gpu, size_t scheme,
                                  const struct weir_stat_rows **out, struct weir_err *err) {
  struct weir_stat_rows *rows = &k->rows[gpu * k->study->n_schemes + scheme];
  *out = rows;
  if (rows->n > 0) return WEIR_OK;
  return weir_stat_rows(weir_study_setup(k->study, gpu, scheme)->setup, &k->arena, rows, err);
}

/* ---- to the store ---- */

static struct weir_store_stat *stats_of(const struct weir_stat_rows *rows,
                                        const struct weir_setup *setup,
                                        const struct weir_sim_result *r, uint64_t launches,
                                        struct weir_arena *a, size_t *n) {
  struct weir_store_stat *v = weir_arena_array(a, rows->n, sizeof *v);
  struct weir_stat_values values;
  *n = 0;
  if (v == NULL) return NULL;
  weir_stat_values(&values, setup, r, launches, NULL);
  for (size_t i = 0; i < rows->n; i++) {
    const struct weir_stat_row *row = &rows->v[i];
    struct weir_store_stat *s = &v[*n];
    if (row->place == WEIR_IN_EXECUTION) continue; /* streams are timed, and were executed before */
    s->name = row->name;
    s->kind = row->stat->kind == WEIR_RATIO ? WEIR_STORE_REAL : WEIR_STORE_COUNT;
    weir_stat_row_read(&values, row, &s->count, &s->real);
    ++*n;
  }
  return v;
}

enum weir_status weir_keeper_stats(struct weir_keeper *k, size_t run, struct weir_arena *a,
                                   struct weir_store_run *out, struct weir_err *err) {
  struct weir_study_place at = weir_study_place(k->study, run);
  const struct weir_setup *setup = weir_study_setup(k->study, at.gpu, at.scheme)->setup;
  const struct weir_run *r = &k->study->runs[run];
  const struct weir_stat_rows *rows;
  enum weir_status st = weir_keeper_rows(k, at.gpu, at.scheme, &rows, err);
  if (st != WEIR_OK) return st;
  out->stats = stats_of(rows, setup, &r->sum, r->launches, a, &out->n_stats);
  struct weir_store_kernel *kernels = weir_arena_array(a, r->n_kernels + 1, sizeof *kernels);
  if (out->stats == NULL || kernels == NULL) return no_memory(err);
  for (size_t i = 0; i < r->n_kernels; i++) {
    const struct weir_run_kernel *of = &r->kernels[i];
    kernels[i].name = of->name;
    kernels[i].stats = stats_of(rows, setup, &of->result, of->launches, a, &kernels[i].n_stats);
    if (kernels[i].stats == NULL) return no_memory(err);
  }
  out->kernels = kernels;
  out->n_kernels = r->n_kernels;
  return WEIR_OK;
}

/* ---- and back ---- */

struct loader {
  const struct weir_stat_rows *rows;
  const struct weir_setup *setup;
  struct weir_run *run;
  size_t cap;
};

static void set_parts(struct weir_sim_result *r, const struct weir_setup *setup) {
  for (uint32_t i = 0; i < WEIR_MAX_PARTS; i++)
    r->parts[i] = weir_setup_part(setup, i);
}

static bool load_kernel(void *self, size_t number, const char *name) {
  struct loader *l = self;
  struct weir_run *r = l->run;
  if (number != r->n_kernels + 1) return false;
  if (r->n_kernels == l->cap) {
    size_t cap = 2 * l->cap + 4;
    struct weir_run_kernel *v = weir_realloc(r->kernels, cap * sizeof *v);
    if (v == NULL) return false;
    r->kernels = v;
    l->cap = cap;
  }
  struct weir_run_kernel *k = &r->kernels[r->n_kernels];
  *k = (struct weir_run_kernel){.name = weir_strdup(name)};
  set_parts(&k->result, l->setup);
  r->n_kernels += k->name != NULL;
  return k->name != NULL;
}

static bool load_stat(void *self, size_t kernel, const struct weir_store_stat *stat) {
  struct loader *l = self;
  struct weir_run_kernel *k = kernel > 0 ? &l->run->kernels[kernel - 1] : NULL;
  for (size_t i = 0; i < l->rows->n; i++) {
    const struct weir_stat_row *row = &l->rows->v[i];
    if (!weir_stat_row_is_kept(row) || strcmp(row->name, stat->name) != 0) continue;
    weir_stat_row_put(row, stat->count, k != NULL ? &k->result : &l->run->sum,
                      k != NULL ? &k->launches : &l->run->launches);
  }
  return true;
}

enum weir_status weir_keeper_load(struct weir_keeper *k, size_t run, struct weir_err *err) {
  struct weir_study_place at = weir_study_place(k->study, run);
  struct loader l = {.setup = weir_study_setup(k->study, at.gpu, at.scheme)->setup,
                     .run = &k->study->runs[run]};
  enum weir_status st = weir_keeper_rows(k, at.gpu, at.scheme, &l.rows, err);
  if (st != WEIR_OK) return st;
  struct weir_store_reader reader = {load_kernel, load_stat, &l};
  l.run->storage_bits = l.setup->storage_bits;
  set_parts(&l.run->sum, l.setup);
  return weir_store_read(k->options.store, k->identity.v, &reader, NULL, err);
}
