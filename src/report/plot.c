#include "report/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "report/chart.h"
#include "report/grid.h"
#include "session/groups.h"

const char *const weir_plot_figures[] = {"speedup", "composition", "stalls", "energy",
                                         "storage", "heat",        "mrc",    NULL};

struct plot {
  const struct weir_page *p;
  const struct weir_plot_options *o;
  struct weir_text *out;
  struct weir_err *err;
  struct weir_grid g;
  struct weir_arena a;
};

static enum weir_status no_memory(struct plot *v) {
  return weir_no_memory(v->err);
}

/* What the user wants above it, or what is drawn. */
static const char *title_of(struct plot *v, const char *text) {
  const char *title = v->o->title != NULL ? v->o->title : text;
  return title != NULL && title[0] != 0 ? title : NULL;
}

static struct weir_chart chart_of(struct plot *v, const char *title, const char *x, const char *y) {
  return (struct weir_chart){title_of(v, title), x, y, v->o->width, v->o->height};
}

static const char *where(struct plot *v) {
  const struct weir_page_key *k = &v->p->keys[WEIR_PAGE_GPU];
  return k->n_values > 0 ? k->values[0] : "";
}

/* ---- colours ---- */

/* Designs have colours, a control is grey, a bound an outline. */
static enum weir_status colour_columns(struct plot *v, const char ***colours, bool **hollow) {
  size_t n = v->g.columns.n_places, at = 0;
  *colours = weir_arena_array(&v->a, n + 1, sizeof **colours);
  *hollow = weir_arena_array(&v->a, n + 1, sizeof **hollow);
  if (*colours == NULL || *hollow == NULL) return no_memory(v);
  for (size_t i = 0; i < n; i++) {
    uint32_t scheme = v->p->keys[WEIR_PAGE_SCHEME].of[v->g.columns.run[i]];
    enum weir_role role = v->p->schemes[scheme].role;
    bool is_base = strcmp(v->p->keys[WEIR_PAGE_SCHEME].values[scheme], "baseline") == 0;
    (*hollow)[i] = role == WEIR_ROLE_BOUND;
    (*colours)[i] = is_base                     ? "#777777"
                    : role == WEIR_ROLE_CONTROL ? "#a0a4aa"
                    : role == WEIR_ROLE_BOUND   ? "#333333"
                                                : weir_palette[at++ % weir_palette_n()];
  }
  return WEIR_OK;
}

/* ---- speed-up ---- */

static double *speedups(struct plot *v) {
  double *value = weir_arena_array(&v->a, v->p->n + 1, sizeof *value);
  for (size_t i = 0; value != NULL && i < v->p->n; i++)
    value[i] = v->p->runs[i].speedup;
  return value;
}

static enum weir_status need_baseline(struct plot *v) {
  if (v->p->baseline != NULL) return WEIR_OK;
  weir_fail(v->err, WEIR_EINVAL, "'%s' has no runs of the scheme baseline to compare with",
            v->p->study);
  weir_err_add(v->err, "remedy: --baseline KEY=VALUE says which runs are the baseline, such as "
                       "scheme=tsc or l1.size=16K");
  return WEIR_EINVAL;
}

/* Without rows or columns there is nothing to draw. */
static enum weir_status need_cells(struct plot *v) {
  if (v->g.rows.n_places > 0 && v->g.columns.n_places > 0) return WEIR_OK;
  return weir_fail(v->err, WEIR_ENOENT, "'%s' has no runs that ended and could be drawn",
                   v->p->study);
}

/* The names of rows, and one more. */
static const char **names_and(struct plot *v, const char *last) {
  size_t n = v->g.rows.n_places;
  const char **names = weir_arena_array(&v->a, n + 1, sizeof *names);
  if (names == NULL) return NULL;
  memcpy(names, v->g.rows.names, n * sizeof *names);
  names[n] = last;
  return names;
}

static enum weir_status plot_speedup(struct plot *v) {
  const char **colours;
  bool *hollow;
  enum weir_status st = need_baseline(v);
  if (st == WEIR_OK) st = weir_grid_of_schemes(&v->g, v->p, false, v->err);
  if (st == WEIR_OK) st = need_cells(v);
  if (st == WEIR_OK) st = colour_columns(v, &colours, &hollow);
  if (st != WEIR_OK) return st;
  size_t rows = v->g.rows.n_places, columns = v->g.columns.n_places, n_means = 0;
  double *cell = weir_arena_array(&v->a, 3 * (rows + 1) * columns, sizeof *cell);
  const double *value = speedups(v);
  if (cell == NULL || value == NULL) return no_memory(v);
  double *low = cell + (rows + 1) * columns, *high = low + (rows + 1) * columns;
  for (size_t i = 0; i < (rows + 1) * columns; i++) {
    struct weir_interval x = i < rows * columns
                                 ? weir_grid_ratio(&v->g, i / columns, i % columns, value, v->err)
                                 : weir_grid_mean(&v->g, i % columns, value, &n_means, v->err);
    cell[i] = x.mean;
    low[i] = x.low;
    high[i] = x.high;
  }
  const char *last = n_means == rows
                         ? "geometric mean"
                         : weir_arena_printf(&v->a, "geo. mean (%zu of %zu)", n_means, rows);
  const char *title = weir_arena_printf(&v->a, "Speed-up over %s on %s", v->p->baseline, where(v));
  struct weir_bars b = {.chart = chart_of(v, title, NULL, "speed-up"),
                        .groups = names_and(v, last),
                        .n_groups = rows + 1,
                        .bars = v->g.columns.names,
                        .n_bars = columns,
                        .colours = colours,
                        .hollow = hollow,
                        .value = cell,
                        .low = low,
                        .high = high,
                        .least = 0,
                        .most = (double)NAN,
                        .mark = 1,
                        .n_means = 1};
  if (b.groups == NULL || last == NULL || title == NULL) return no_memory(v);
  weir_bars_svg(&b, v->out);
  return WEIR_OK;
}

/* ---- stacks ---- */

/* The share of each part in a run; false: it has none of this. */
static bool shares_of(const struct weir_page *p, const struct weir_page_stack *s, size_t run,
                      double *out, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    out[i] = 0;
    for (size_t k = 0; k < sizeof s->parts[i].stats / sizeof *s->parts[i].stats; k++) {
      if (s->parts[i].stats[k] == NULL) break;
      double v = weir_page_value(p, run, weir_page_stat(p, s->parts[i].stats[k]));
      out[i] += isnan(v) ? 0 : v;
    }
    sum += out[i];
  }
  if (s->whole != NULL) {
    double whole = weir_page_value(p, run, weir_page_stat(p, s->whole));
    if (whole > sum) sum = whole;
  }
  for (size_t i = 0; sum > 0 && i < n; i++)
    out[i] /= sum;
  return sum > 0;
}

/* Mean shares of cells, and of all rows in the last group. */
static void fill_shares(struct plot *v, const struct weir_page_stack *s, size_t n, double *cell,
                        size_t *counted) {
  size_t columns = v->g.columns.n_places, last = v->g.rows.n_places;
  double share[sizeof s->parts / sizeof *s->parts];
  for (size_t i = 0; i < v->p->n; i++) {
    if (v->g.rows.of[i] == WEIR_PAGE_NONE || !shares_of(v->p, s, i, share, n)) continue;
    size_t of[2] = {v->g.rows.of[i] * columns + v->g.columns.of[i],
                    last * columns + v->g.columns.of[i]};
    for (size_t k = 0; k < 2; k++) {
      counted[of[k]]++;
      for (size_t q = 0; q < n; q++)
        cell[of[k] * n + q] += share[q];
    }
  }
  for (size_t i = 0; i < (last + 1) * columns; i++)
    for (size_t q = 0; q < n; q++)
      cell[i * n + q] = counted[i] > 0 ? cell[i * n + q] / (double)counted[i] : (double)NAN;
}

static enum weir_status plot_stack(struct plot *v, const struct weir_page_stack *s) {
  const char *names[sizeof s->parts / sizeof *s->parts],
      *colours[sizeof s->parts / sizeof *s->parts];
  size_t n = 0, any = 0;
  for (; s->parts[n].label != NULL; n++) {
    names[n] = s->parts[n].label;
    colours[n] = s->parts[n].colour;
  }
  enum weir_status st = weir_grid_of_schemes(&v->g, v->p, true, v->err);
  if (st == WEIR_OK) st = need_cells(v);
  if (st != WEIR_OK) return st;
  size_t rows = v->g.rows.n_places, columns = v->g.columns.n_places;
  double *cell = weir_arena_array(&v->a, (rows + 1) * columns * n, sizeof *cell);
  size_t *counted = weir_arena_array(&v->a, (rows + 1) * columns, sizeof *counted);
  if (cell == NULL || counted == NULL) return no_memory(v);
  fill_shares(v, s, n, cell, counted);
  for (size_t i = 0; i < columns; i++)
    any += counted[rows * columns + i];
  if (any == 0)
    return weir_fail(v->err, WEIR_ENOENT, "no run of '%s' has the statistics of this figure (%s)",
                     v->p->study, s->parts[0].stats[0]);
  const char *title = weir_arena_printf(&v->a, "%s, on %s", s->title, where(v));
  struct weir_bars b = {.chart = chart_of(v, title, NULL, s->y),
                        .groups = names_and(v, "mean"),
                        .n_groups = rows + 1,
                        .bars = v->g.columns.names,
                        .n_bars = columns,
                        .parts = names,
                        .n_parts = n,
                        .colours = colours,
                        .value = cell,
                        .least = 0,
                        .most = 1,
                        .mark = (double)NAN,
                        .n_means = 1};
  if (b.groups == NULL || title == NULL) return no_memory(v);
  weir_bars_svg(&b, v->out);
  return WEIR_OK;
}

/* ---- energy and storage against speed-up ---- */

/* Of energy relative to the baseline's, of storage in KB of an SM. */
static double *costs(struct plot *v, bool is_energy) {
  double *value = weir_arena_array(&v->a, v->p->n + 1, sizeof *value);
  size_t stat = weir_page_stat(v->p, is_energy ? "energy.total_nj" : "storage.bits_per_sm");
  for (size_t i = 0; value != NULL && i < v->p->n; i++) {
    uint32_t base = v->p->runs[i].base;
    double x = weir_page_value(v->p, i, stat);
    double of =
        is_energy && base != WEIR_PAGE_NONE ? weir_page_value(v->p, base, stat) : (double)NAN;
    value[i] = is_energy ? x / of : x / 8192;
    if (!(value[i] > 0) || isinf(value[i])) value[i] = (double)NAN;
  }
  return value;
}

static enum weir_status plot_cost(struct plot *v, bool is_energy) {
  const char **colours;
  bool *hollow;
  size_t n = 0, n_rows;
  enum weir_status st = need_baseline(v);
  if (st == WEIR_OK) st = weir_grid_of_schemes(&v->g, v->p, true, v->err);
  if (st == WEIR_OK) st = need_cells(v);
  if (st == WEIR_OK) st = colour_columns(v, &colours, &hollow);
  if (st != WEIR_OK) return st;
  struct weir_spot *spots = weir_arena_array(&v->a, v->g.columns.n_places, sizeof *spots);
  const double *speedup = speedups(v), *cost = costs(v, is_energy);
  if (spots == NULL || speedup == NULL || cost == NULL) return no_memory(v);
  for (size_t i = 0; i < v->g.columns.n_places; i++) {
    double y = weir_grid_mean(&v->g, i, speedup, &n_rows, v->err).mean;
    double x = weir_grid_mean(&v->g, i, cost, &n_rows, v->err).mean;
    if (!isnan(x) && !isnan(y))
      spots[n++] = (struct weir_spot){v->g.columns.names[i], colours[i], x, y};
  }
  if (n == 0)
    return weir_fail(v->err, WEIR_ENOENT, "no run of '%s' has the statistic %s", v->p->study,
                     is_energy ? "energy.total_nj" : "storage.bits_per_sm");
  const char *title = weir_arena_printf(&v->a, "%s against speed-up, geometric means, on %s",
                                        is_energy ? "L1 energy" : "Storage", where(v));
  if (title == NULL) return no_memory(v);
  struct weir_spots s = {
      .chart = chart_of(v, title,
                        is_energy ? "L1 energy, relative to the baseline"
                                  : "hardware of the L1 beside tags and data, KB per SM",
                        "speed-up"),
      .spots = spots,
      .n = n};
  weir_spots_svg(&s, v->out);
  return WEIR_OK;
}

/* ---- heat map ---- */

static enum weir_status axis_of(struct plot *v, const char *option, const char *name, size_t *key) {
  const struct weir_page *p = v->p;
  if (name == NULL) return WEIR_OK;
  *key = weir_page_key(p, name);
  if (*key != SIZE_MAX) return WEIR_OK;
  const char **names = weir_arena_array(&v->a, p->n_keys, sizeof *names);
  for (size_t i = 0; names != NULL && i < p->n_keys; i++)
    names[i] = p->keys[i].name;
  weir_fail(v->err, WEIR_ENOENT, "%s: '%.100s' was not varied in '%s'", option, name, p->study);
  const char *near = names != NULL ? weir_nearest(name, names, p->n_keys) : NULL;
  if (near != NULL)
    weir_err_add(v->err, "did you mean '%s'?", near);
  else
    weir_err_add(v->err, "keys are workload, input, gpu, scheme, seed, and settings that vary");
  return WEIR_ENOENT;
}

/* What was varied: settings first, then the scheme, then the workload. */
static size_t next_axis(const struct weir_page *p, size_t not_this) {
  for (size_t k = WEIR_PAGE_FIXED; k < p->n_keys; k++)
    if (k != not_this && p->keys[k].n_values > 1) return k;
  if (not_this != WEIR_PAGE_SCHEME && p->keys[WEIR_PAGE_SCHEME].n_values > 1)
    return WEIR_PAGE_SCHEME;
  return not_this == WEIR_PAGE_WORKLOAD ? WEIR_PAGE_SCHEME : WEIR_PAGE_WORKLOAD;
}

/* Rates have arithmetic means, all else geometric ones. */
static bool is_rate(const char *stat) {
  const struct weir_stat *row = weir_stat_named(stat, NULL);
  return row != NULL && strcmp(row->unit, "1") == 0;
}

static double mean_of(const double *v, size_t n, bool is_arithmetic) {
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += is_arithmetic ? v[i] : log(v[i]);
  if (n == 0) return (double)NAN;
  return is_arithmetic ? sum / (double)n : exp(sum / (double)n);
}

static enum weir_status fill_heat(struct plot *v, bool is_speedup, const char *what, double *cell) {
  size_t stat = is_speedup ? 0 : weir_page_stat(v->p, what), n = v->p->n;
  double *value = speedups(v), *some = weir_arena_array(&v->a, n + 1, sizeof *some);
  if (value == NULL || some == NULL) return no_memory(v);
  bool is_arithmetic = !is_speedup && is_rate(what);
  for (size_t i = 0; !is_speedup && i < n; i++)
    value[i] = weir_page_value(v->p, i, stat);
  for (size_t i = 0; i < n; i++)
    if (!is_speedup && value[i] <= 0) is_arithmetic = true;
  for (size_t i = 0; i < v->g.rows.n_places * v->g.columns.n_places; i++) {
    size_t k =
        weir_grid_cell(&v->g, i / v->g.columns.n_places, i % v->g.columns.n_places, value, some, n);
    cell[i] = mean_of(some, k, is_arithmetic);
  }
  return WEIR_OK;
}

static enum weir_status plot_heat(struct plot *v) {
  const struct weir_page *p = v->p;
  const char *what = v->o->value != NULL ? v->o->value : p->baseline != NULL ? "speedup" : "cycles";
  bool is_speedup = strcmp(what, "speedup") == 0;
  size_t x = SIZE_MAX, y = SIZE_MAX;
  enum weir_status st = is_speedup ? need_baseline(v) : WEIR_OK;
  if (st == WEIR_OK) st = axis_of(v, "--x", v->o->x, &x);
  if (st == WEIR_OK) st = axis_of(v, "--y", v->o->y, &y);
  if (st != WEIR_OK) return st;
  if (x == SIZE_MAX) x = next_axis(p, y);
  if (y == SIZE_MAX) y = next_axis(p, x);
  if (x == y) return weir_fail(v->err, WEIR_EINVAL, "--x and --y are both %s", p->keys[x].name);
  st = weir_grid_of_keys(&v->g, p, y, x, v->err);
  if (st == WEIR_OK) st = need_cells(v);
  if (st != WEIR_OK) return st;
  double *cell = weir_arena_array(&v->a, v->g.rows.n_places * v->g.columns.n_places, sizeof *cell);
  if (cell == NULL) return no_memory(v);
  st = fill_heat(v, is_speedup, what, cell);
  const char *title =
      is_speedup ? weir_arena_printf(&v->a, "Speed-up over %s on %s", p->baseline, where(v))
                 : weir_arena_printf(&v->a, "%s on %s", what, where(v));
  if (st != WEIR_OK || title == NULL) return st != WEIR_OK ? st : no_memory(v);
  struct weir_heat h = {.chart = chart_of(v, title, p->keys[x].name, p->keys[y].name),
                        .rows = v->g.rows.names,
                        .n_rows = v->g.rows.n_places,
                        .columns = v->g.columns.names,
                        .n_columns = v->g.columns.n_places,
                        .value = cell,
                        .middle = is_speedup ? 1 : (double)NAN};
  weir_heat_svg(&h, v->out);
  return WEIR_OK;
}

/* ---- miss-ratio curves ---- */

static enum weir_status add_curve(struct plot *v, const char *name, const json_t *points,
                                  struct weir_curve *c) {
  size_t n = json_array_size(points);
  double *x = weir_arena_array(&v->a, n + 1, sizeof *x),
         *y = weir_arena_array(&v->a, n + 1, sizeof *y);
  if (x == NULL || y == NULL || name == NULL) return no_memory(v);
  *c = (struct weir_curve){name, x, y, 0};
  for (size_t i = 0; i < n; i++) {
    const json_t *o = json_array_get(points, i);
    x[c->n] = json_number_value(json_object_get(o, "bytes"));
    y[c->n] = json_number_value(json_object_get(o, "miss_ratio"));
    if (x[c->n] > 0) c->n++;
  }
  return WEIR_OK;
}

static const char *character_name(struct plot *v, const json_t *o) {
  const char *workload = json_string_value(json_object_get(o, "workload")),
             *input = json_string_value(json_object_get(o, "input"));
  return weir_arena_printf(&v->a, "%s%s%s", workload != NULL ? workload : "?",
                           input != NULL ? " " : "", input != NULL ? input : "");
}

/* A curve of each workload; of one alone, those of its kernels. */
static enum weir_status plot_mrc(struct plot *v) {
  size_t n = json_array_size(v->p->characters), count = 0, i;
  const json_t *first = json_array_get(v->p->characters, 0);
  const json_t *kernels = json_object_get(first, "kernels");
  size_t n_kernels = n == 1 ? json_array_size(kernels) : 0;
  if (n == 0) {
    weir_fail(v->err, WEIR_ENOENT, "'%s' has no characterised workload", v->p->title);
    weir_err_add(v->err, "weir characterize WORKLOAD --json FILE (or --store FILE) makes one");
    return WEIR_ENOENT;
  }
  struct weir_curve *c = weir_arena_array(&v->a, n + n_kernels, sizeof *c);
  enum weir_status st = c != NULL ? WEIR_OK : no_memory(v);
  for (i = 0; st == WEIR_OK && i < n; i++) {
    const json_t *o = json_array_get(v->p->characters, i);
    st = add_curve(v, character_name(v, o), json_object_get(o, "curve"), &c[count++]);
  }
  for (i = 0; st == WEIR_OK && n_kernels > 1 && i < n_kernels; i++) {
    const json_t *k = json_array_get(kernels, i);
    st = add_curve(v, json_string_value(json_object_get(k, "name")), json_object_get(k, "curve"),
                   &c[count++]);
  }
  if (st != WEIR_OK) return st;
  struct weir_lines l = {.chart = chart_of(v, "Misses of a least-recently-used L1 by its size",
                                           "size of an SM's L1", "miss ratio"),
                         .curves = c,
                         .n = count,
                         .is_log2 = true,
                         .least = 0,
                         .most = 1};
  weir_lines_svg(&l, v->out);
  return WEIR_OK;
}

/* ---- all of them ---- */

static enum weir_status draw(struct plot *v) {
  const char *figure = v->o->figure;
  const struct weir_page_stack *stack = weir_page_stack(figure);
  if (strcmp(figure, "mrc") == 0) return plot_mrc(v);
  if (!v->p->has_study) {
    weir_fail(v->err, WEIR_EINVAL,
              "'%s' has no runs to compare: of a characterised workload "
              "there is the figure mrc",
              v->p->title);
    return WEIR_EINVAL;
  }
  if (stack != NULL) return plot_stack(v, stack);
  if (strcmp(figure, "speedup") == 0) return plot_speedup(v);
  if (strcmp(figure, "heat") == 0) return plot_heat(v);
  return plot_cost(v, strcmp(figure, "energy") == 0);
}

enum weir_status weir_plot(const struct weir_page *p, const struct weir_plot_options *o,
                           struct weir_text *out, struct weir_err *err) {
  struct plot v = {.p = p, .o = o, .out = out, .err = err};
  err->code = WEIR_OK;
  enum weir_status st = draw(&v);
  if (st == WEIR_OK && (out->failed || err->code == WEIR_ENOMEM)) st = weir_no_memory(err);
  weir_grid_free(&v.g);
  weir_arena_free(&v.a);
  return st;
}
