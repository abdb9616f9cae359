#include "report/pivot.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "report/pivot_base.h"

/* Of what is neither, more may be good or bad: fewer misses may be more loads that bypass. */
int weir_stat_direction(const char *statistic) {
  static const char *const less[] = {
      "cycles",        "energy.*_nj",         "*.stall_*",       "derived.l1_resv_stall_frac",
      "derived.mpki*", "derived.miss_rate_*", "derived.l2_apki", "derived.dram_apki"};
  static const char *const more[] = {"derived.ipc", "derived.warp_ipc", "derived.hit_rate_*",
                                     "derived.l2_hit_rate"};
  for (size_t i = 0; i < sizeof less / sizeof *less; i++)
    if (fnmatch(less[i], statistic, 0) == 0) return -1;
  for (size_t i = 0; i < sizeof more / sizeof *more; i++)
    if (fnmatch(more[i], statistic, 0) == 0) return 1;
  return 0;
}

/* ---- axes ---- */

static bool is_on(const struct weir_pivot_axis *a, const struct weir_key *k) {
  for (size_t i = 0; i < a->n; i++)
    if (a->key[i] == k) return true;
  return false;
}

static const struct weir_key *fixed(const struct weir_pivot *p, enum weir_fixed_key k) {
  return &p->of->keys.v[k];
}

static enum weir_status add_to_axis(struct weir_pivot_axis *a, const struct weir_key *k,
                                    const char *option, struct weir_err *err) {
  if (a->n == WEIR_AXIS_KEYS)
    return weir_fail(err, WEIR_EINVAL, "%s: more than %d keys", option, WEIR_AXIS_KEYS);
  a->key[a->n++] = k;
  return WEIR_OK;
}

static enum weir_status read_axis(const struct weir_pivot *p, struct weir_pivot_axis *a,
                                  const char *option, const char *keys, struct weir_err *err) {
  char name[256];
  enum weir_status st = WEIR_OK;
  for (const char *at = keys; st == WEIR_OK && weir_next_word(&at, name, sizeof name);) {
    const struct weir_key *k = weir_points_key(p->of, name);
    if (name[0] == 0)
      st = weir_fail(err, WEIR_EINVAL, "%s '%s': a key is missing", option, keys);
    else if (k == NULL)
      st = weir_points_no_key(p->of, option, name, err);
    else if (is_on(&p->rows, k) || is_on(&p->columns, k))
      st = weir_fail(err, WEIR_EINVAL, "%s: '%s' is on an axis already", option, name);
    else
      st = add_to_axis(a, k, option, err);
  }
  return st;
}

static bool has_several_inputs(const struct weir_points *of) {
  const struct weir_key *workload = &of->keys.v[WEIR_KEY_WORKLOAD],
                        *input = &of->keys.v[WEIR_KEY_INPUT];
  for (size_t w = 1; w < workload->values.n; w++) {
    uint32_t seen = 0;
    bool is_first = true;
    for (size_t i = 0; i < of->points.n; i++) {
      if (workload->of[i] != w) continue;
      if (!is_first && input->of[i] != seen) return true;
      seen = input->of[i];
      is_first = false;
    }
  }
  return false;
}

/* The scheme, and the settings that were swept. */
static enum weir_status choose_designs(const struct weir_pivot *p, struct weir_pivot_axis *a,
                                       const char *option, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (size_t i = WEIR_KEY_SCHEME; st == WEIR_OK && i < p->of->keys.n; i++) {
    const struct weir_key *k = &p->of->keys.v[i];
    if ((i == WEIR_KEY_SCHEME || k->is_users) && !is_on(&p->rows, k) && !is_on(&p->columns, k))
      st = add_to_axis(a, k, option, err);
  }
  return st;
}

static enum weir_status choose_rows(struct weir_pivot *p, struct weir_err *err) {
  const struct weir_key *workload = fixed(p, WEIR_KEY_WORKLOAD), *input = fixed(p, WEIR_KEY_INPUT);
  enum weir_status st = WEIR_OK;
  if (!is_on(&p->columns, workload)) st = add_to_axis(&p->rows, workload, "rows", err);
  if (st == WEIR_OK && has_several_inputs(p->of) && !is_on(&p->columns, input))
    st = add_to_axis(&p->rows, input, "rows", err);
  return st == WEIR_OK && p->rows.n == 0 ? choose_designs(p, &p->rows, "rows", err) : st;
}

static enum weir_status find_axes(struct weir_pivot *p, const struct weir_pivot_want *want,
                                  struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  if (want->rows != NULL) st = read_axis(p, &p->rows, "--rows", want->rows, err);
  if (st == WEIR_OK && want->columns != NULL)
    st = read_axis(p, &p->columns, "--columns", want->columns, err);
  if (st == WEIR_OK && want->rows == NULL) st = choose_rows(p, err);
  if (st == WEIR_OK && want->columns == NULL) st = choose_designs(p, &p->columns, "columns", err);
  return st;
}

static bool names_kernel(const char *keys) {
  char name[256];
  while (weir_next_word(&keys, name, sizeof name))
    if (strcmp(name, "kernel") == 0) return true;
  return false;
}

bool weir_pivot_is_by_kernel(const struct weir_pivot_want *want) {
  return names_kernel(want->rows) || names_kernel(want->columns);
}

/* ---- rows and columns ---- */

/* By the values of their keys, of which that of the baseline comes first. */
static int by_key(const struct weir_pivot *p, const struct weir_key *k, uint32_t a, uint32_t b) {
  const char *x = weir_key_text(k, a), *y = weir_key_text(k, b);
  if (k->of[a] == k->of[b]) return 0;
  for (size_t i = 0; i < p->base.n; i++) {
    if (p->base.key[i] != k) continue;
    if (weir_value_equal(x, p->base_value[i])) return -1;
    if (weir_value_equal(y, p->base_value[i])) return 1;
  }
  if (k == fixed(p, WEIR_KEY_KERNEL)) {
    long n_x = strtol(x, NULL, 10), n_y = strtol(y, NULL, 10);
    if (n_x != n_y) return n_x < n_y ? -1 : 1;
  }
  return weir_value_order(x, y);
}

struct ordering {
  const struct weir_pivot *p;
  const struct weir_pivot_axis *axis;
};

static int by_axis(const void *a, const void *b, void *self) {
  const struct ordering *o = self;
  int order = 0;
  for (size_t i = 0; order == 0 && i < o->axis->n; i++)
    order = by_key(o->p, o->axis->key[i], *(const uint32_t *)a, *(const uint32_t *)b);
  return order;
}

static bool is_same(const struct weir_pivot_axis *a, uint32_t x, uint32_t y) {
  for (size_t i = 0; i < a->n; i++)
    if (a->key[i]->of[x] != a->key[i]->of[y]) return false;
  return true;
}

/* Which row or column a point is in; `n`: none. */
static size_t line_of(const struct weir_pivot_axis *a, const uint32_t *lines, size_t n,
                      uint32_t point) {
  size_t i = 0;
  while (i < n && !is_same(a, lines[i], point))
    i++;
  return i;
}

static bool find_lines(struct weir_pivot *p, const struct weir_pivot_axis *axis,
                       const uint32_t *points, size_t n, const uint32_t **out, size_t *n_out) {
  uint32_t *lines = weir_arena_array(&p->arena, n + 1, sizeof *lines);
  if (lines == NULL) return false;
  *out = lines;
  *n_out = 0;
  for (size_t i = 0; i < n; i++)
    if (line_of(axis, lines, *n_out, points[i]) == *n_out) lines[(*n_out)++] = points[i];
  qsort_r(lines, *n_out, sizeof *lines, by_axis, &(struct ordering){p, axis});
  return true;
}

/* ---- cells ---- */

static int by_seed(const void *a, const void *b, void *self) {
  const struct weir_pivot *p = self;
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  int order = by_key(p, fixed(p, WEIR_KEY_SEED), x, y);
  return order != 0 ? order : x < y ? -1 : x > y;
}

/* Points are handed out to their cells: counted, then placed. */
static bool find_cells(struct weir_pivot *p, struct weir_pivot_table *t, const uint32_t *points,
                       size_t n) {
  size_t n_cells = t->n_rows * t->n_columns;
  size_t *at = weir_arena_array(&p->arena, n + 1, sizeof *at);
  uint32_t *placed = weir_arena_array(&p->arena, n + 1, sizeof *placed);
  t->cell = weir_arena_array(&p->arena, n_cells + 1, sizeof *t->cell);
  if (at == NULL || placed == NULL || t->cell == NULL) return false;
  for (size_t i = 0; i < n; i++) {
    at[i] = line_of(&p->rows, t->row, t->n_rows, points[i]) * t->n_columns +
            line_of(&p->columns, t->column, t->n_columns, points[i]);
    t->cell[at[i]].n++;
  }
  size_t *end = weir_arena_array(&p->arena, n_cells + 1, sizeof *end);
  if (end == NULL) return false;
  for (size_t c = 0, first = 0; c < n_cells; first += t->cell[c++].n) {
    t->cell[c].point = placed + first;
    end[c] = first;
  }
  for (size_t i = 0; i < n; i++)
    placed[end[at[i]]++] = points[i];
  for (size_t c = 0; c < n_cells; c++)
    qsort_r(placed + (t->cell[c].point - placed), t->cell[c].n, sizeof *placed, by_seed, p);
  return true;
}

/* What a point is shown as, before percents: NaN where there is nothing to show. */
static double shown_of(const struct weir_pivot *p, const uint32_t *base_of, uint32_t point) {
  double v = p->of->points.v[point].value, b;
  if (p->relative == WEIR_RELATIVE_NONE) return v;
  if (base_of[point] == WEIR_NO_POINT) return (double)NAN;
  b = p->of->points.v[base_of[point]].value;
  v = p->is_inverse ? b / v : v / b;
  return isfinite(v) && v >= 0 ? v : (double)NAN;
}

static enum weir_cell_state state_of(const struct weir_pivot *p, const uint32_t *base_of,
                                     const struct weir_pivot_cell *c) {
  enum weir_cell_state worst = c->n > 0 ? WEIR_CELL_GOOD : WEIR_CELL_EMPTY;
  static const unsigned rank[] = {
      [WEIR_CELL_EMPTY] = 0,       [WEIR_CELL_GOOD] = 1,    [WEIR_CELL_NO_VALUE] = 2,
      [WEIR_CELL_NO_BASELINE] = 3, [WEIR_CELL_REFUSED] = 4, [WEIR_CELL_FAILED] = 5};
  for (size_t i = 0; i < c->n; i++) {
    enum weir_stored status = p->of->points.v[c->point[i]].status;
    enum weir_cell_state s = WEIR_CELL_GOOD;
    if (status == WEIR_STORED_FAILED)
      s = WEIR_CELL_FAILED;
    else if (status == WEIR_STORED_REFUSED)
      s = WEIR_CELL_REFUSED;
    else if (p->relative != WEIR_RELATIVE_NONE && base_of[c->point[i]] == WEIR_NO_POINT)
      s = WEIR_CELL_NO_BASELINE;
    else if (isnan(shown_of(p, base_of, c->point[i])))
      s = WEIR_CELL_NO_VALUE;
    if (rank[s] > rank[worst]) worst = s;
  }
  return worst;
}

static double percent(double ratio) {
  return 100 * (ratio - 1);
}

static struct weir_interval as_shown(const struct weir_pivot *p, struct weir_interval v) {
  if (p->relative != WEIR_RELATIVE_PERCENT) return v;
  return (struct weir_interval){percent(v.mean), percent(v.low), percent(v.high)};
}

/* Of one value itself, and not what its logarithm gives back. */
static struct weir_interval mean_of(const struct weir_pivot *p, double *values, size_t n) {
  if (n == 1) return (struct weir_interval){values[0], (double)NAN, (double)NAN};
  if (p->relative == WEIR_RELATIVE_NONE) return weir_interval_of(values, n);
  for (size_t i = 0; i < n; i++)
    values[i] = log(values[i]);
  return weir_interval_of_logs(values, n);
}

static bool is_same_but_kernel(const struct weir_pivot *p, const struct weir_pivot_axis *a,
                               uint32_t x, uint32_t y) {
  for (size_t i = 0; i < a->n; i++)
    if (a->key[i] != fixed(p, WEIR_KEY_KERNEL) && a->key[i]->of[x] != a->key[i]->of[y])
      return false;
  return true;
}

bool weir_pivot_is_at(const struct weir_pivot *p, const struct weir_pivot_table *t, size_t cell,
                      uint32_t point) {
  return is_same_but_kernel(p, &p->rows, t->row[cell / t->n_columns], point) &&
         is_same_but_kernel(p, &p->columns, t->column[cell % t->n_columns], point);
}

/* Of runs that are the cell's but for their lack of kernels the mean would not know. */
static enum weir_cell_state state_with_lost(const struct weir_pivot *p,
                                            const struct weir_pivot_table *t, size_t cell,
                                            enum weir_cell_state state) {
  for (size_t i = 0; i < t->n_lost; i++) {
    if (!weir_pivot_is_at(p, t, cell, t->lost[i])) continue;
    if (p->of->points.v[t->lost[i]].status == WEIR_STORED_FAILED) return WEIR_CELL_FAILED;
    state = WEIR_CELL_REFUSED;
  }
  return state;
}

static void fill_cell(const struct weir_pivot *p, const uint32_t *base_of,
                      const struct weir_pivot_table *t, size_t cell, double *values) {
  struct weir_pivot_cell *c = &t->cell[cell];
  c->state = state_with_lost(p, t, cell, state_of(p, base_of, c));
  c->v = (struct weir_interval){(double)NAN, (double)NAN, (double)NAN};
  c->is_baseline = p->relative != WEIR_RELATIVE_NONE && c->n > 0;
  for (size_t i = 0; i < c->n; i++) {
    values[i] = shown_of(p, base_of, c->point[i]);
    c->is_baseline = c->is_baseline && base_of[c->point[i]] == c->point[i];
  }
  if (c->state == WEIR_CELL_GOOD) c->v = as_shown(p, mean_of(p, values, c->n));
}

/* ---- geometric means ---- */

static bool has_any(const struct weir_pivot_table *t, size_t column) {
  for (size_t r = 0; r < t->n_rows; r++)
    if (t->cell[r * t->n_columns + column].state == WEIR_CELL_GOOD) return true;
  return false;
}

/* Have all columns that have anything something here? */
static bool is_full(const struct weir_pivot_table *t, size_t row) {
  bool any = false;
  for (size_t c = 0; c < t->n_columns; c++) {
    if (!has_any(t, c)) continue;
    if (t->cell[row * t->n_columns + c].state != WEIR_CELL_GOOD) return false;
    any = true;
  }
  return any;
}

/* Runs that all cells of the means have with the same seeds; else 1, and a mean without an
 * interval. */
static size_t common_seeds(const struct weir_pivot *p, const struct weir_pivot_table *t) {
  const struct weir_key *seed = fixed(p, WEIR_KEY_SEED);
  const struct weir_pivot_cell *first = NULL;
  for (size_t i = 0; i < t->n_rows * t->n_columns; i++) {
    const struct weir_pivot_cell *c = &t->cell[i];
    if (!is_full(t, i / t->n_columns) || c->state != WEIR_CELL_GOOD) continue;
    if (first == NULL) first = c;
    if (c->n != first->n) return 1;
    for (size_t k = 0; k < c->n; k++)
      if (seed->of[c->point[k]] != seed->of[first->point[k]]) return 1;
  }
  return first != NULL ? first->n : 1;
}

/* With the same seeds: of each seed the mean over rows, and of these the mean. */
static void fill_mean(const struct weir_pivot *p, const uint32_t *base_of,
                      const struct weir_pivot_table *t, size_t column, size_t n_seeds,
                      double *logs) {
  struct weir_pivot_cell *m = &t->mean[column];
  bool is_own = true;
  for (size_t s = 0; s < n_seeds; s++)
    logs[s] = 0;
  for (size_t r = 0; r < t->n_rows; r++) {
    const struct weir_pivot_cell *c = &t->cell[r * t->n_columns + column];
    if (!is_full(t, r)) continue;
    is_own = is_own && c->is_baseline;
    for (size_t i = 0; i < c->n; i++) {
      double share = n_seeds > 1 ? 1 : (double)c->n;
      logs[n_seeds > 1 ? i : 0] +=
          log(shown_of(p, base_of, c->point[i])) / share / (double)t->n_mean_rows;
    }
  }
  m->n = n_seeds;
  m->state = WEIR_CELL_GOOD;
  m->is_baseline = is_own;
  m->v = as_shown(p, weir_interval_of_logs(logs, n_seeds));
}

static bool fill_means(struct weir_pivot *p, const uint32_t *base_of, struct weir_pivot_table *t) {
  t->mean = weir_arena_array(&p->arena, t->n_columns + 1, sizeof *t->mean);
  for (size_t r = 0; r < t->n_rows; r++)
    t->n_mean_rows += is_full(t, r);
  size_t n_seeds = common_seeds(p, t);
  double *logs = weir_arena_array(&p->arena, n_seeds + 1, sizeof *logs);
  if (t->mean == NULL || logs == NULL) return false;
  for (size_t c = 0; c < t->n_columns; c++)
    if (t->n_mean_rows > 0 && has_any(t, c)) fill_mean(p, base_of, t, c, n_seeds, logs);
  return true;
}

/* ---- the best ---- */

static bool do_meet(const struct weir_interval *a, const struct weir_interval *b) {
  double low = isnan(b->low) ? b->mean : b->low, high = isnan(b->high) ? b->mean : b->high;
  return (isnan(a->low) ? a->mean : a->low) <= high && (isnan(a->high) ? a->mean : a->high) >= low;
}

/* Where none can be told from another, none is better. */
static void mark_best(const struct weir_pivot *p, struct weir_pivot_cell *row, size_t n) {
  const struct weir_pivot_cell *best = NULL;
  size_t n_good = 0, n_best = 0;
  for (size_t i = 0; i < n; i++) {
    if (row[i].state != WEIR_CELL_GOOD) continue;
    n_good++;
    bool is_better = best != NULL && (p->best == WEIR_BEST_MIN ? row[i].v.mean < best->v.mean
                                                               : row[i].v.mean > best->v.mean);
    if (best == NULL || is_better) best = &row[i];
  }
  if (best == NULL || p->best == WEIR_BEST_NONE) return;
  for (size_t i = 0; i < n; i++) {
    row[i].is_best = row[i].state == WEIR_CELL_GOOD && do_meet(&row[i].v, &best->v);
    n_best += row[i].is_best;
  }
  for (size_t i = 0; i < n && n_best == n_good; i++)
    row[i].is_best = false;
}

/* Between workloads or seeds there is no better and worse. */
static bool are_designs(const struct weir_pivot_axis *a, const struct weir_points *of) {
  for (size_t i = 0; i < a->n; i++)
    if (!a->key[i]->is_setting && a->key[i] != &of->keys.v[WEIR_KEY_SCHEME] &&
        a->key[i] != &of->keys.v[WEIR_KEY_GPU])
      return false;
  return true;
}

static void choose_best(struct weir_pivot *p, enum weir_best want) {
  int direction = weir_stat_direction(p->statistic);
  if (p->is_inverse) direction = -direction;
  if (!are_designs(&p->columns, p->of)) direction = 0;
  p->best = want;
  if (want == WEIR_BEST_AUTO)
    p->best = direction < 0 ? WEIR_BEST_MIN : direction > 0 ? WEIR_BEST_MAX : WEIR_BEST_NONE;
}

/* ---- tables ---- */

static bool fill_table(struct weir_pivot *p, const uint32_t *base_of, struct weir_pivot_table *t) {
  size_t most = 1;
  for (size_t i = 0; i < t->n_rows * t->n_columns; i++)
    if (t->cell[i].n > most) most = t->cell[i].n;
  double *values = weir_arena_array(&p->arena, most, sizeof *values);
  if (values == NULL) return false;
  for (size_t i = 0; i < t->n_rows * t->n_columns; i++)
    fill_cell(p, base_of, t, i, values);
  if (p->relative != WEIR_RELATIVE_NONE && !fill_means(p, base_of, t)) return false;
  for (size_t r = 0; r < t->n_rows; r++)
    mark_best(p, &t->cell[r * t->n_columns], t->n_columns);
  if (t->mean != NULL) mark_best(p, t->mean, t->n_columns);
  return true;
}

/* `points` has room for all. */
static bool find_table(struct weir_pivot *p, struct weir_pivot_table *t, uint32_t gpu,
                       bool is_of_all, uint32_t *points) {
  const struct weir_key *gpus = fixed(p, WEIR_KEY_GPU);
  bool by_kernel =
      is_on(&p->rows, fixed(p, WEIR_KEY_KERNEL)) || is_on(&p->columns, fixed(p, WEIR_KEY_KERNEL));
  uint32_t *lost = weir_arena_array(&p->arena, p->of->points.n + 1, sizeof *lost);
  size_t n = 0;
  if (lost == NULL) return false;
  t->lost = lost;
  for (uint32_t i = 0; i < p->of->points.n; i++) {
    if (!is_of_all && gpus->of[i] != gpu) continue;
    if (by_kernel && p->of->points.v[i].kernel == 0)
      lost[t->n_lost++] = i;
    else
      points[n++] = i;
  }
  t->gpu = is_of_all ? NULL : gpus->values.v[gpu];
  return find_lines(p, &p->rows, points, n, &t->row, &t->n_rows) &&
         find_lines(p, &p->columns, points, n, &t->column, &t->n_columns) &&
         find_cells(p, t, points, n);
}

/* No two tables share a point: `points` has room. */
static bool find_all_columns(struct weir_pivot *p, uint32_t *points) {
  size_t n = 0;
  for (size_t i = 0; i < p->n_tables; i++)
    for (size_t c = 0; c < p->table[i].n_columns; c++)
      points[n++] = p->table[i].column[c];
  return find_lines(p, &p->columns, points, n, &p->column, &p->n_columns);
}

size_t weir_pivot_column_of(const struct weir_pivot *p, const struct weir_pivot_table *t,
                            uint32_t point) {
  return line_of(&p->columns, t->column, t->n_columns, point);
}

static int by_name(const void *a, const void *b, void *self) {
  const struct weir_key *k = self;
  return weir_value_order(k->values.v[*(const uint32_t *)a], k->values.v[*(const uint32_t *)b]);
}

/* One for each machine, unless machines are on an axis. */
static bool find_tables(struct weir_pivot *p) {
  const struct weir_key *gpus = fixed(p, WEIR_KEY_GPU);
  bool is_of_all = is_on(&p->rows, gpus) || is_on(&p->columns, gpus);
  uint32_t *gpu = weir_arena_array(&p->arena, gpus->values.n, sizeof *gpu);
  uint32_t *points = weir_arena_array(&p->arena, p->of->points.n + 1, sizeof *points);
  p->table = weir_arena_array(&p->arena, gpus->values.n, sizeof *p->table);
  if (gpu == NULL || points == NULL || p->table == NULL) return false;
  size_t n = 0;
  for (uint32_t g = 0; g < gpus->values.n; g++)
    for (size_t i = 0; i < p->of->points.n; i++)
      if (gpus->of[i] == g) {
        gpu[n++] = g;
        break;
      }
  qsort_r(gpu, n, sizeof *gpu, by_name, (void *)gpus);
  p->n_tables = is_of_all ? 1 : n;
  for (size_t i = 0; i < p->n_tables; i++)
    if (!find_table(p, &p->table[i], gpu[i], is_of_all, points)) return false;
  return find_all_columns(p, points);
}

/* What all runs have in common, for the head of the tables. */
static void find_common(struct weir_pivot *p) {
  const struct weir_key *input = fixed(p, WEIR_KEY_INPUT);
  bool is_shown = is_on(&p->rows, input) || is_on(&p->columns, input), is_first = true;
  bool is_common = p->of->points.n > 0 && input->of[0] != 0;
  for (size_t i = 1; i < p->of->points.n; i++)
    is_common = is_common && input->of[i] == input->of[0];
  p->n_seeds = 1;
  p->input = is_common && !is_shown ? weir_key_text(input, 0) : NULL;
  for (size_t t = 0; t < p->n_tables; t++)
    for (size_t i = 0; i < p->table[t].n_rows * p->table[t].n_columns; i++) {
      size_t n = p->table[t].cell[i].n;
      if (n == 0) continue;
      p->n_seeds = is_first || p->n_seeds == n ? n : 0;
      is_first = false;
      if (p->n_seeds == 0) return;
    }
}

static enum weir_status check_values(const struct weir_pivot *p, struct weir_err *err) {
  bool any = false, is_any_good = false;
  for (size_t i = 0; i < p->of->points.n; i++) {
    is_any_good = is_any_good || p->of->points.v[i].status == WEIR_STORED_OK;
    any = any || !isnan(p->of->points.v[i].value);
  }
  if (any || !is_any_good) return WEIR_OK;
  return weir_fail(err, WEIR_ENOENT, "--value: none of these runs has a value of '%s'",
                   p->statistic);
}

static void choose_relative(struct weir_pivot *p, const struct weir_pivot_want *want) {
  int direction = weir_stat_direction(want->statistic);
  p->relative = want->baseline != NULL ? want->relative : WEIR_RELATIVE_NONE;
  if (p->relative == WEIR_RELATIVE_AUTO)
    p->relative = direction < 0 ? WEIR_RELATIVE_SPEEDUP : WEIR_RELATIVE_RATIO;
  p->is_inverse = p->relative == WEIR_RELATIVE_SPEEDUP && direction <= 0;
}

enum weir_status weir_pivot_make(struct weir_pivot *p, const struct weir_points *of,
                                 const struct weir_pivot_want *want, struct weir_err *err) {
  *p = (struct weir_pivot){.of = of, .statistic = want->statistic, .baseline = want->baseline};
  const uint32_t *base_of = NULL;
  choose_relative(p, want);
  enum weir_status st = find_axes(p, want, err);
  choose_best(p, want->best);
  if (st == WEIR_OK) st = check_values(p, err);
  if (st == WEIR_OK && want->baseline != NULL) st = weir_pivot_read_baseline(p, err);
  if (st == WEIR_OK && !find_tables(p)) st = weir_no_memory(err);
  if (st == WEIR_OK) st = weir_pivot_check_cells(p, err);
  if (st == WEIR_OK && want->baseline != NULL) st = weir_pivot_find_baselines(p, &base_of, err);
  for (size_t i = 0; st == WEIR_OK && i < p->n_tables; i++)
    if (!fill_table(p, base_of, &p->table[i])) st = weir_no_memory(err);
  if (st == WEIR_OK) find_common(p);
  return st;
}

void weir_pivot_free(struct weir_pivot *p) {
  weir_arena_free(&p->arena);
}
