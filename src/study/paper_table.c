#include "study/paper_table.h"

#include <fnmatch.h>
#include <math.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "session/stat_rows.h"

#define NOT_RUN "not run"

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

static const struct weir_paper_row *row_of(const struct weir_paper_table *t, size_t row) {
  return &t->paper->rows[t->figure->rows[row]];
}

static const struct weir_paper_column *column_of(const struct weir_paper_table *t, size_t column) {
  return &t->paper->columns[t->figure->columns[column]];
}

struct weir_paper_cell *weir_paper_cell(const struct weir_paper_table *t, size_t row,
                                        size_t column) {
  return &t->cells[row * t->figure->n_columns + column];
}

size_t weir_paper_place(const struct weir_paper_table *t, const char *column) {
  for (size_t i = 0; column != NULL && i < t->figure->n_columns; i++)
    if (strcmp(column_of(t, i)->name, column) == 0) return i;
  return SIZE_MAX;
}

/* ---- statistics ---- */

static size_t name_at(const struct weir_paper_table *t, const char *name) {
  for (size_t i = 0; i < t->n_names; i++)
    if (strcmp(t->names[i], name) == 0) return i;
  return SIZE_MAX;
}

enum { MOST_NAMES = 4096 };

static enum weir_status find_name(struct weir_paper_table *t, const char *name, size_t *out,
                                  struct weir_err *err) {
  *out = name_at(t, name);
  if (*out != SIZE_MAX) return WEIR_OK;
  if (t->n_names >= MOST_NAMES)
    return weir_fail(err, WEIR_EBUG, "more than %d statistics in a figure", MOST_NAMES);
  const char *copy = weir_arena_strndup(&t->arena, name, strlen(name));
  if (copy == NULL) return no_memory(err);
  *out = t->n_names;
  t->names[t->n_names++] = copy;
  return WEIR_OK;
}

/* Does the pattern of SQL ('%' and '_') match? */
static bool is_like(const char *pattern, const char *text) {
  char glob[256];
  size_t n = 0;
  for (const char *p = pattern; *p != 0 && n + 1 < sizeof glob; p++)
    glob[n++] = *p == '%' ? '*' : *p == '_' ? '?' : *p;
  glob[n] = 0;
  return fnmatch(glob, text, 0) == 0;
}

static enum weir_status put_result(struct weir_paper_table *t, struct weir_paper_cell *cell,
                                   const struct weir_setup *setup, const struct weir_sim_result *r,
                                   uint64_t launches, struct weir_err *err) {
  struct weir_arena scratch = {0};
  struct weir_stat_rows rows = {0};
  struct weir_stat_values values;
  enum weir_status st = weir_stat_rows(setup, &scratch, &rows, err);
  if (st == WEIR_OK) weir_stat_values(&values, setup, r, launches, NULL);
  for (size_t i = 0; st == WEIR_OK && i < rows.n; i++) {
    uint64_t count;
    double value;
    size_t at;
    if (rows.v[i].place == WEIR_IN_EXECUTION) continue;
    weir_stat_row_read(&values, &rows.v[i], &count, &value);
    st = find_name(t, rows.v[i].name, &at, err);
    if (st == WEIR_OK) cell->values[at] = value;
  }
  free(rows.v);
  weir_arena_free(&scratch);
  return st;
}

enum weir_status weir_paper_table_put(struct weir_paper_table *t, size_t row, size_t column,
                                      const struct weir_setup *setup, const struct weir_run *run,
                                      struct weir_err *err) {
  struct weir_paper_cell *cell = weir_paper_cell(t, row, column);
  const char *kernel = t->figure->kernel;
  cell->values = weir_arena_array(&t->arena, MOST_NAMES, sizeof *cell->values);
  if (cell->values == NULL) return no_memory(err);
  for (size_t i = 0; i < MOST_NAMES; i++)
    cell->values[i] = NAN;
  cell->why = NULL;
  if (kernel == NULL) return put_result(t, cell, setup, &run->sum, run->launches, err);
  for (size_t k = 0; k < run->n_kernels; k++)
    if (is_like(kernel, run->kernels[k].name))
      return put_result(t, cell, setup, &run->kernels[k].result, run->kernels[k].launches, err);
  cell->why = "no such kernel";
  return WEIR_OK;
}

double weir_paper_stat(const struct weir_paper_table *t, size_t row, size_t column,
                       const char *name) {
  const struct weir_paper_cell *cell = weir_paper_cell(t, row, column);
  size_t at = name_at(t, name);
  return cell->why == NULL && at != SIZE_MAX ? cell->values[at] : NAN;
}

/* ---- functions of expressions ---- */

/* Rows in which a column has a value, of a group or an application (NULL: all). */
struct walk {
  struct weir_paper_table *t;
  size_t column, row;
  const char *group;
};

static void count_cell(struct weir_paper_table *t, size_t row, size_t column, bool is_there) {
  size_t base = t->figure->baseline;
  bool is_left = weir_paper_cell(t, row, column)->is_left ||
                 (base != SIZE_MAX && weir_paper_cell(t, row, base)->is_left);
  t->n_asked++;
  t->n_missing += is_there ? 0 : 1;
  t->n_uncounted += t->sketches[row] != NULL ? 1 : 0;
  t->n_left += !is_there && is_left && t->sketches[row] == NULL ? 1 : 0;
}

/* What a cell shows, if its row counts. */
static double ask(struct weir_paper_table *t, size_t row, size_t column) {
  double x = t->sketches[row] == NULL ? weir_paper_cell(t, row, column)->shown : NAN;
  count_cell(t, row, column, !isnan(x));
  return x;
}

static bool next_value(struct walk *w, double *out) {
  for (; w->row < w->t->figure->n_rows; w->row++) {
    const struct weir_paper_row *r = row_of(w->t, w->row);
    if (w->group != NULL && strcmp(w->group, r->group) != 0 && strcmp(w->group, r->name) != 0)
      continue;
    *out = ask(w->t, w->row, w->column);
    if (isnan(*out)) continue;
    w->row++;
    return true;
  }
  return false;
}

static const char *text_of(sqlite3_value *v) {
  return (const char *)sqlite3_value_text(v);
}

/* A wrong name is a mistake of the file, not a missing value. */
static bool take_column(sqlite3_context *c, sqlite3_value *v, size_t *out) {
  const struct weir_paper_table *t = sqlite3_user_data(c);
  *out = weir_paper_place(t, text_of(v));
  if (*out != SIZE_MAX) return true;
  char *why = sqlite3_mprintf("the figure has no column '%s'", text_of(v));
  sqlite3_result_error(c, why != NULL ? why : "no such column", -1);
  sqlite3_free(why);
  return false;
}

static bool is_group(const struct weir_paper_table *t, const char *name) {
  for (size_t i = 0; name != NULL && i < t->figure->n_rows; i++)
    if (strcmp(row_of(t, i)->group, name) == 0 || strcmp(row_of(t, i)->name, name) == 0)
      return true;
  return false;
}

static bool take_group(sqlite3_context *c, int n, sqlite3_value **v, const char **out) {
  const struct weir_paper_table *t = sqlite3_user_data(c);
  *out = n > 1 ? text_of(v[1]) : NULL;
  if (n < 2 || is_group(t, *out)) return true;
  char *why = sqlite3_mprintf("the figure has no rows '%s'", *out);
  sqlite3_result_error(c, why != NULL ? why : "no such rows", -1);
  sqlite3_free(why);
  return false;
}

static bool begin(sqlite3_context *c, int n, sqlite3_value **v, struct walk *w) {
  *w = (struct walk){.t = sqlite3_user_data(c)};
  return take_column(c, v[0], &w->column) && take_group(c, n, v, &w->group);
}

static void put(sqlite3_context *c, double x) {
  if (isnan(x))
    sqlite3_result_null(c);
  else
    sqlite3_result_double(c, x);
}

static void f_gm(sqlite3_context *c, int n, sqlite3_value **v) {
  struct walk w;
  double x, logs = 0;
  unsigned of = 0;
  if (!begin(c, n, v, &w)) return;
  for (; next_value(&w, &x); of++)
    logs += log(x);
  put(c, of > 0 ? exp(logs / of) : NAN);
}

static void f_am(sqlite3_context *c, int n, sqlite3_value **v) {
  struct walk w;
  double x, sum = 0;
  unsigned of = 0;
  if (!begin(c, n, v, &w)) return;
  for (; next_value(&w, &x); of++)
    sum += x;
  put(c, of > 0 ? sum / of : NAN);
}

static void f_top(sqlite3_context *c, int n, sqlite3_value **v) {
  struct walk w;
  double x, best = NAN;
  if (!begin(c, n, v, &w)) return;
  while (next_value(&w, &x))
    best = isnan(best) || x > best ? x : best;
  put(c, best);
}

static void f_low(sqlite3_context *c, int n, sqlite3_value **v) {
  struct walk w;
  double x, best = NAN;
  if (!begin(c, n, v, &w)) return;
  while (next_value(&w, &x))
    best = isnan(best) || x < best ? x : best;
  put(c, best);
}

static void f_n(sqlite3_context *c, int n, sqlite3_value **v) {
  struct walk w;
  double x;
  int of = 0;
  if (!begin(c, n, v, &w)) return;
  for (; next_value(&w, &x); of++) {
  }
  sqlite3_result_int(c, of);
}

#define ABOVE 1.005 /* what two runs must differ by to be called different */

static void f_n_above(sqlite3_context *c, int n, sqlite3_value **v) {
  struct walk w;
  double x;
  int above = 0;
  size_t other = SIZE_MAX;
  bool is_number = sqlite3_value_type(v[1]) != SQLITE_TEXT;
  double limit = is_number ? sqlite3_value_double(v[1]) : 0;
  (void)n;
  if (!begin(c, 1, v, &w) || (!is_number && !take_column(c, v[1], &other))) return;
  while (next_value(&w, &x)) {
    if (!is_number) limit = weir_paper_cell(w.t, w.row - 1, other)->shown;
    above += x > limit * ABOVE;
  }
  sqlite3_result_int(c, above);
}

static size_t row_named(const struct weir_paper_table *t, const char *name) {
  for (size_t i = 0; name != NULL && i < t->figure->n_rows; i++)
    if (strcmp(row_of(t, i)->name, name) == 0) return i;
  return SIZE_MAX;
}

static bool take_row(sqlite3_context *c, sqlite3_value *v, size_t *out) {
  *out = row_named(sqlite3_user_data(c), text_of(v));
  if (*out != SIZE_MAX) return true;
  char *why = sqlite3_mprintf("the figure has no row '%s'", text_of(v));
  sqlite3_result_error(c, why != NULL ? why : "no such row", -1);
  sqlite3_free(why);
  return false;
}

static void f_v(sqlite3_context *c, int n, sqlite3_value **v) {
  size_t row, column;
  (void)n;
  if (!take_row(c, v[0], &row) || !take_column(c, v[1], &column)) return;
  put(c, ask(sqlite3_user_data(c), row, column));
}

static void put_stat(sqlite3_context *c, size_t row, size_t column, const char *name) {
  const struct weir_paper_table *t = sqlite3_user_data(c);
  if (t->n_names == 0 || (name != NULL && name_at(t, name) != SIZE_MAX)) {
    put(c, t->n_names == 0 ? NAN : weir_paper_stat(t, row, column, name));
    return;
  }
  char *why = sqlite3_mprintf("there is no statistic '%s'", name);
  sqlite3_result_error(c, why != NULL ? why : "no such statistic", -1);
  sqlite3_free(why);
}

static void f_stat(sqlite3_context *c, int n, sqlite3_value **v) {
  struct weir_paper_table *t = sqlite3_user_data(c);
  size_t row, column;
  (void)n;
  if (!take_row(c, v[0], &row) || !take_column(c, v[1], &column)) return;
  bool is_there = t->sketches[row] == NULL && weir_paper_cell(t, row, column)->why == NULL;
  count_cell(t, row, column, is_there);
  if (is_there)
    put_stat(c, row, column, text_of(v[2]));
  else
    sqlite3_result_null(c);
}

/* [name] of `value`: of the cell that is being shown. */
static void f_here(sqlite3_context *c, int n, sqlite3_value **v) {
  const struct weir_paper_table *t = sqlite3_user_data(c);
  (void)n;
  put_stat(c, t->at / t->figure->n_columns, t->at % t->figure->n_columns, text_of(v[0]));
}

static const struct {
  const char *name;
  int args;
  void (*f)(sqlite3_context *c, int n, sqlite3_value **v);
} functions[] = {{"gm", 1, f_gm},     {"gm", 2, f_gm},           {"am", 1, f_am},
                 {"am", 2, f_am},     {"top", 1, f_top},         {"top", 2, f_top},
                 {"low", 1, f_low},   {"low", 2, f_low},         {"n", 1, f_n},
                 {"n", 2, f_n},       {"n_above", 2, f_n_above}, {"v", 2, f_v},
                 {"stat", 3, f_stat}, {"here", 1, f_here}};

/* ---- the table ---- */

enum weir_status weir_paper_table_open(struct weir_paper_table *t, const struct weir_paper *p,
                                       const struct weir_paper_figure *f, struct weir_err *err) {
  size_t n = f->n_rows * f->n_columns;
  *t = (struct weir_paper_table){.paper = p, .figure = f};
  t->cells = weir_arena_array(&t->arena, n + 1, sizeof *t->cells);
  t->names = weir_arena_array(&t->arena, MOST_NAMES, sizeof *t->names);
  t->sketches = weir_arena_array(&t->arena, f->n_rows + 1, sizeof *t->sketches);
  bool ok = t->cells != NULL && t->names != NULL && t->sketches != NULL &&
            sqlite3_open_v2(":memory:", &t->db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK;
  for (size_t i = 0; ok && i < sizeof functions / sizeof functions[0]; i++)
    ok = sqlite3_create_function(t->db, functions[i].name, functions[i].args, SQLITE_UTF8, t,
                                 functions[i].f, NULL, NULL) == SQLITE_OK;
  if (!ok) {
    weir_paper_table_close(t);
    return no_memory(err);
  }
  for (size_t i = 0; i < n; i++)
    t->cells[i] = (struct weir_paper_cell){.why = NOT_RUN, .shown = NAN};
  return WEIR_OK;
}

void weir_paper_table_close(struct weir_paper_table *t) {
  sqlite3_close(t->db);
  weir_arena_free(&t->arena);
  *t = (struct weir_paper_table){0};
}

static enum weir_status select_real(struct weir_paper_table *t, const char *expression,
                                    const struct weir_where *where, double *out,
                                    struct weir_err *err) {
  struct weir_text sql = {0};
  sqlite3_stmt *s = NULL;
  *out = NAN;
  weir_text_printf(&sql, "SELECT (%s)", expression);
  bool ok = !sql.failed && sqlite3_prepare_v2(t->db, sql.v, -1, &s, NULL) == SQLITE_OK &&
            sqlite3_step(s) == SQLITE_ROW;
  if (ok && sqlite3_column_type(s, 0) != SQLITE_NULL) *out = sqlite3_column_double(s, 0);
  enum weir_status st = WEIR_OK;
  if (!ok) {
    st = where != NULL ? weir_fail_at(err, WEIR_EINVAL, where, "%s", sqlite3_errmsg(t->db))
                       : weir_fail(err, WEIR_EINVAL, "%s", sqlite3_errmsg(t->db));
    weir_err_add(err, "in: %s", expression);
  }
  sqlite3_finalize(s);
  weir_text_free(&sql);
  return st;
}

/* [name] becomes here('name'). */
static enum weir_status rewrite(const char *value, struct weir_text *out, struct weir_err *err) {
  for (const char *p = value; *p != 0; p++) {
    size_t n = *p == '[' ? strcspn(p, "]") : 0;
    if (n > 0 && p[n] == ']') {
      weir_text_printf(out, "here('%.*s')", (int)(n - 1), p + 1);
      p += n;
    } else {
      weir_text_printf(out, "%c", *p);
    }
  }
  return out->failed ? no_memory(err) : WEIR_OK;
}

static double relative(const struct weir_paper_table *t, double x, double base) {
  switch (t->figure->show) {
  case WEIR_SHOW_SPEEDUP:
    return x > 0 ? base / x : NAN;
  case WEIR_SHOW_RATIO:
    return base != 0 ? x / base : NAN;
  case WEIR_SHOW_VALUE:
    break;
  }
  return x;
}

enum weir_status weir_paper_table_show(struct weir_paper_table *t, struct weir_err *err) {
  const struct weir_paper_figure *f = t->figure;
  struct weir_text value = {0};
  enum weir_status st = rewrite(f->value != NULL ? f->value : "[cycles]", &value, err);
  for (t->at = 0; st == WEIR_OK && t->at < f->n_rows * f->n_columns; t->at++)
    if (t->cells[t->at].why == NULL)
      st = select_real(t, value.v, NULL, &t->cells[t->at].shown, err);
  weir_text_free(&value);
  if (st != WEIR_OK || f->show == WEIR_SHOW_VALUE) return st;
  for (size_t r = 0; r < f->n_rows; r++) {
    double base = f->baseline != SIZE_MAX ? weir_paper_cell(t, r, f->baseline)->shown : NAN;
    for (size_t c = 0; c < f->n_columns; c++) {
      struct weir_paper_cell *cell = weir_paper_cell(t, r, c);
      cell->shown = relative(t, cell->shown, base);
    }
  }
  return WEIR_OK;
}

double weir_paper_mean(struct weir_paper_table *t, size_t column, size_t *n) {
  struct walk w = {.t = t, .column = column};
  bool is_geometric = t->figure->show != WEIR_SHOW_VALUE;
  double x, sum = 0;
  for (*n = 0; next_value(&w, &x); (*n)++)
    sum += is_geometric ? log(x) : x;
  if (*n == 0) return NAN;
  return is_geometric ? exp(sum / (double)*n) : sum / (double)*n;
}

/* ---- expressions with another reading of a column ---- */

static void swap_columns(struct weir_paper_table *t, size_t a, size_t b) {
  for (size_t r = 0; r < t->figure->n_rows; r++) {
    struct weir_paper_cell *x = weir_paper_cell(t, r, a), *y = weir_paper_cell(t, r, b), z = *x;
    *x = *y;
    *y = z;
  }
}

enum weir_status weir_paper_eval(struct weir_paper_table *t, const char *expression, size_t reading,
                                 const struct weir_where *where, double *out,
                                 struct weir_err *err) {
  size_t of =
      reading != SIZE_MAX ? weir_paper_place(t, column_of(t, reading)->instead_of) : SIZE_MAX;
  if (of != SIZE_MAX) swap_columns(t, reading, of);
  t->n_asked = t->n_missing = t->n_uncounted = t->n_left = 0;
  enum weir_status st = select_real(t, expression, where, out, err);
  if (of != SIZE_MAX) swap_columns(t, reading, of);
  return st;
}
