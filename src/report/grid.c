#include "report/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ---- axes ---- */

struct order {
  const struct weir_page *p;
  const struct weir_grid_axis *axis;
};

static int compare_runs(const struct order *o, uint32_t a, uint32_t b) {
  for (size_t i = 0; i < o->axis->n; i++) {
    const uint32_t *of = o->p->keys[o->axis->key[i]].of;
    if (of[a] != of[b]) return of[a] < of[b] ? -1 : 1;
  }
  return 0;
}

static int by_axis(const void *a, const void *b, void *self) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  int order = compare_runs(self, x, y);
  return order != 0 ? order : (x > y) - (x < y);
}

/* "spmv eval", "tsc l1.size=16K": a setting whose name says nothing new stands alone. */
static const char *name_of(struct weir_grid *g, const struct weir_grid_axis *axis, uint32_t run) {
  struct weir_text t = {0};
  for (size_t i = 0; i < axis->n; i++) {
    size_t key = axis->key[i];
    const char *text = key == WEIR_PAGE_SCHEME ? g->p->schemes[g->p->keys[key].of[run]].label
                                               : weir_page_text(g->p, key, run);
    if (axis->n > 1 && strcmp(text, "-") == 0) continue;
    weir_text_printf(&t, "%s%s", t.n > 0 ? " " : "", text);
  }
  const char *name = t.failed || t.v == NULL ? NULL : weir_arena_strndup(&g->a, t.v, t.n);
  weir_text_free(&t);
  return name;
}

/* Runs with of[run] 0 are placed; the others stay out. */
static enum weir_status place(struct weir_grid *g, struct weir_grid_axis *axis,
                              struct weir_err *err) {
  struct order o = {g->p, axis};
  size_t n = 0;
  uint32_t *runs = weir_arena_array(&g->a, g->p->n + 1, sizeof *runs);
  axis->names = weir_arena_array(&g->a, g->p->n + 1, sizeof *axis->names);
  axis->run = weir_arena_array(&g->a, g->p->n + 1, sizeof *axis->run);
  if (runs == NULL || axis->names == NULL || axis->run == NULL) return weir_no_memory(err);
  for (size_t i = 0; i < g->p->n; i++)
    if (axis->of[i] != WEIR_PAGE_NONE) runs[n++] = (uint32_t)i;
  if (n > 0) qsort_r(runs, n, sizeof *runs, by_axis, &o);
  for (size_t i = 0; i < n; i++) {
    if (i == 0 || compare_runs(&o, runs[i - 1], runs[i]) != 0) {
      axis->run[axis->n_places] = runs[i];
      axis->names[axis->n_places] = name_of(g, axis, runs[i]);
      if (axis->names[axis->n_places++] == NULL) return weir_no_memory(err);
    }
    axis->of[runs[i]] = (uint32_t)(axis->n_places - 1);
  }
  return WEIR_OK;
}

/* Of a run that ended both places are known, of another none. */
static enum weir_status begin(struct weir_grid *g, const struct weir_page *p, bool has_base,
                              struct weir_err *err) {
  g->p = p;
  g->rows.of = weir_arena_array(&g->a, p->n + 1, sizeof *g->rows.of);
  g->columns.of = weir_arena_array(&g->a, p->n + 1, sizeof *g->columns.of);
  if (g->rows.of == NULL || g->columns.of == NULL) return weir_no_memory(err);
  for (size_t i = 0; i < p->n; i++)
    if (!p->runs[i].is_drawn || (!has_base && weir_page_is_base(p, i)))
      g->rows.of[i] = g->columns.of[i] = WEIR_PAGE_NONE;
  return WEIR_OK;
}

static enum weir_status one_value(const struct weir_page *p, size_t key, struct weir_err *err) {
  const struct weir_page_key *k = &p->keys[key];
  if (k->n_values <= 1) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL, "runs have several values of %s (%s, %s%s), and a chart shows one",
            k->name, k->values[0], k->values[1], k->n_values > 2 ? ", ..." : "");
  weir_err_add(err, "remedy: --only %s=%s", k->name, k->values[0]);
  return WEIR_EINVAL;
}

enum weir_status weir_grid_of_schemes(struct weir_grid *g, const struct weir_page *p, bool has_base,
                                      struct weir_err *err) {
  *g = (struct weir_grid){0};
  enum weir_status st = one_value(p, WEIR_PAGE_GPU, err);
  if (st == WEIR_OK) st = begin(g, p, has_base, err);
  if (st != WEIR_OK) return st;
  g->rows.key[g->rows.n++] = WEIR_PAGE_WORKLOAD;
  if (p->keys[WEIR_PAGE_INPUT].n_values > 1) g->rows.key[g->rows.n++] = WEIR_PAGE_INPUT;
  g->columns.key[g->columns.n++] = WEIR_PAGE_SCHEME;
  for (size_t k = WEIR_PAGE_FIXED; k < p->n_keys && g->columns.n < WEIR_GRID_KEYS; k++)
    if (p->keys[k].n_values > 1) g->columns.key[g->columns.n++] = k;
  st = place(g, &g->rows, err);
  return st == WEIR_OK ? place(g, &g->columns, err) : st;
}

enum weir_status weir_grid_of_keys(struct weir_grid *g, const struct weir_page *p, size_t y,
                                   size_t x, struct weir_err *err) {
  *g = (struct weir_grid){0};
  enum weir_status st = WEIR_OK;
  for (size_t k = 0; st == WEIR_OK && k < p->n_keys; k++)
    if (k != x && k != y && k != WEIR_PAGE_WORKLOAD && k != WEIR_PAGE_INPUT && k != WEIR_PAGE_SEED)
      st = one_value(p, k, err);
  if (st == WEIR_OK) st = begin(g, p, true, err);
  if (st != WEIR_OK) return st;
  g->rows.key[g->rows.n++] = y;
  g->columns.key[g->columns.n++] = x;
  st = place(g, &g->rows, err);
  return st == WEIR_OK ? place(g, &g->columns, err) : st;
}

void weir_grid_free(struct weir_grid *g) {
  weir_arena_free(&g->a);
  *g = (struct weir_grid){0};
}

/* ---- cells ---- */

size_t weir_grid_cell(const struct weir_grid *g, size_t row, size_t column, const double *value,
                      double *out, size_t most) {
  size_t n = 0;
  for (size_t i = 0; i < g->p->n && n < most; i++)
    if (g->rows.of[i] == row && g->columns.of[i] == column && !isnan(value[i])) out[n++] = value[i];
  return n;
}

struct weir_interval weir_grid_ratio(const struct weir_grid *g, size_t row, size_t column,
                                     const double *value, struct weir_err *err) {
  struct weir_interval none = {(double)NAN, (double)NAN, (double)NAN};
  double *logs = weir_malloc((g->p->n + 1) * sizeof *logs);
  if (logs == NULL) {
    weir_no_memory(err);
    return none;
  }
  size_t n = weir_grid_cell(g, row, column, value, logs, g->p->n);
  for (size_t i = 0; i < n; i++)
    logs[i] = log(logs[i]);
  if (n > 0) none = weir_interval_of_logs(logs, n);
  free(logs);
  return none;
}

static bool is_common(const struct weir_grid *g, const size_t *n, size_t row) {
  for (size_t c = 0; c < g->columns.n_places; c++) {
    bool has_any = false;
    for (size_t r = 0; r < g->rows.n_places; r++)
      has_any = has_any || n[r * g->columns.n_places + c] > 0;
    if (has_any && n[row * g->columns.n_places + c] == 0) return false;
  }
  return true;
}

/* The mean of the logarithms of the seed-th values of the common rows; of all where seeds differ.
 */
struct weir_interval weir_grid_mean(const struct weir_grid *g, size_t column, const double *value,
                                    size_t *n_rows, struct weir_err *err) {
  struct weir_interval mean = {(double)NAN, (double)NAN, (double)NAN};
  size_t rows = g->rows.n_places, columns = g->columns.n_places, seeds = SIZE_MAX, most = g->p->n;
  size_t *n = weir_calloc(rows * columns + 1, sizeof *n);
  double *cell = weir_malloc((most + 1) * sizeof *cell);
  double *sums = weir_calloc(most + 1, sizeof *sums);
  double total = 0;
  *n_rows = 0;
  if (n == NULL || cell == NULL || sums == NULL) {
    weir_no_memory(err);
    rows = 0;
  }
  for (size_t i = 0; rows > 0 && i < most; i++)
    if (g->rows.of[i] != WEIR_PAGE_NONE && !isnan(value[i]))
      n[g->rows.of[i] * columns + g->columns.of[i]]++;
  for (size_t r = 0; r < rows; r++) {
    size_t has = n[r * columns + column];
    if (has == 0 || !is_common(g, n, r)) continue;
    seeds = seeds == SIZE_MAX || seeds == has ? has : 0;
    double sum = 0;
    weir_grid_cell(g, r, column, value, cell, most);
    for (size_t i = 0; i < has; i++) {
      sums[i] += log(cell[i]);
      sum += log(cell[i]);
    }
    total += sum / (double)has;
    ++*n_rows;
  }
  if (*n_rows > 0) {
    for (size_t i = 0; i < seeds && seeds != SIZE_MAX; i++)
      sums[i] /= (double)*n_rows;
    if (seeds > 0 && seeds != SIZE_MAX)
      mean = weir_interval_of_logs(sums, seeds);
    else
      mean.mean = exp(total / (double)*n_rows);
  }
  free(n);
  free(cell);
  free(sums);
  return mean;
}
