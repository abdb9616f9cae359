/* Tables of runs for people: as text and as Markdown; and as CSV. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "report/pivot.h"
#include "session/groups.h"

struct view {
  const struct weir_pivot *p;
  const struct weir_pivot_table *t;
  struct weir_text *out;
  const char *bullet; /* before each note */
  const char *mark;   /* what the best has */
};

static const struct weir_pivot_cell *cell_at(const struct view *v, size_t row, size_t column) {
  return &v->t->cell[row * v->t->n_columns + column];
}

/* ---- numbers ---- */

/* As many digits as tell something: about four, and all of a count. */
static int decimals_of(double v) {
  double size = fabs(v);
  return size >= 1000 || v == floor(v) ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
}

static const char *number(double v, int decimals, char *buf, size_t len) {
  char digits[27];
  double size = fabs(v);
  if (size >= 1000 && size < 1e18 && decimals == 0)
    snprintf(buf, len, "%s%s", v < 0 ? "-" : "",
             weir_text_thousands((unsigned long long)(size + 0.5), digits));
  else if (size >= 1e18 || (size < 0.001 && v != 0))
    snprintf(buf, len, "%.3g", v);
  else
    snprintf(buf, len, "%.*f", decimals, v);
  return buf;
}

static const char *shown(const struct weir_pivot *p, double v, char *buf, size_t len) {
  if (p->relative == WEIR_RELATIVE_NONE) return number(v, decimals_of(v), buf, len);
  snprintf(buf, len, p->relative == WEIR_RELATIVE_PERCENT ? "%+.1f" : "%.3f", v);
  return buf;
}

/* Half of an interval, to the digits of its mean. */
static const char *half(const struct weir_pivot *p, const struct weir_interval *v, char *buf,
                        size_t len) {
  double by = (v->high - v->low) / 2;
  if (p->relative == WEIR_RELATIVE_NONE) return number(by, decimals_of(v->mean), buf, len);
  snprintf(buf, len, p->relative == WEIR_RELATIVE_PERCENT ? "%.1f" : "%.3f", by);
  return buf;
}

static void failed_cell(struct weir_table *t, const char *text) {
  weir_table_cell(t, "%s", text);
  weir_table_style(t, WEIR_LOSS);
}

static void put_cell(struct weir_table *t, const struct weir_pivot *p,
                     const struct weir_pivot_cell *c) {
  char mean[64], by[64];
  if (c->state == WEIR_CELL_FAILED || c->state == WEIR_CELL_REFUSED)
    failed_cell(t, c->state == WEIR_CELL_FAILED ? "failed" : "refused");
  else if (c->state != WEIR_CELL_GOOD)
    weir_table_cell(t, "-");
  else if (isnan(c->v.low) || c->is_baseline)
    weir_table_cell(t, "%s", shown(p, c->v.mean, mean, sizeof mean));
  else
    weir_table_cell(t, "%s ±%s", shown(p, c->v.mean, mean, sizeof mean),
                    half(p, &c->v, by, sizeof by));
  if (c->is_best) weir_table_best(t);
}

/* ---- heads ---- */

static bool is_in_bytes(const struct weir_key *k) {
  for (size_t g = 0; k->is_setting && weir_param_groups()[g] != NULL; g++) {
    const struct weir_param_group *group = weir_param_groups()[g];
    size_t n = strlen(group->prefix);
    if (strncmp(k->name, group->prefix, n) != 0 || k->name[n] != '.') continue;
    for (const struct weir_param *p = group->table; p->name != NULL; p++)
      if (strcmp(p->name, k->name + n + 1) == 0) return p->unit != NULL && !strcmp(p->unit, "byte");
  }
  return false;
}

static void put_said(struct weir_text *out, const char *said) {
  if (said != NULL) weir_text_printf(out, " (%s)", said);
}

/* Sizes as people write them: a store has 16384 for 16K. */
static void put_value(struct weir_text *out, const struct weir_key *k, uint32_t point) {
  static const char units[] = "KMG";
  const char *text = weir_key_text(k, point);
  int64_t bytes;
  int unit = -1;
  if (!is_in_bytes(k) || !weir_parse_int(text, &bytes) || bytes < 1024) {
    weir_text_puts(out, text);
    put_said(out, weir_key_said(k, point));
    return;
  }
  for (; unit < 2 && bytes % 1024 == 0; unit++)
    bytes /= 1024;
  weir_text_printf(out, "%" PRId64 "%.*s", bytes, unit >= 0, unit >= 0 ? units + unit : "");
}

static void put_values(struct weir_text *out, const struct weir_pivot_axis *a, size_t first,
                       uint32_t point, const char *between) {
  for (size_t i = first; i < a->n; i++) {
    if (i > first) weir_text_puts(out, between);
    put_value(out, a->key[i], point);
  }
}

/* Does its value not say what it is, as that of a scheme does? */
static bool is_bare(const struct weir_key *k) {
  return k->is_setting || weir_key_is_seed(k);
}

/* In one line with names where they are needed: "tsc l1.size=16K". For programs values are as the
 * store has them. */
static void put_column_name(struct weir_text *out, const struct weir_pivot *p, uint32_t point,
                            bool is_plain) {
  for (size_t i = 0; i < p->columns.n; i++) {
    const struct weir_key *k = p->columns.key[i];
    weir_text_printf(out, "%s%s%s", i > 0 ? " " : "", is_bare(k) ? k->name : "",
                     is_bare(k) ? "=" : "");
    if (is_plain)
      weir_text_puts(out, weir_key_text(k, point));
    else
      put_value(out, k, point);
  }
  if (p->columns.n == 0) weir_text_puts(out, p->statistic);
}

/* Kept until the table was written. */
static const char *keep(struct weir_arena *a, struct weir_text *t) {
  const char *copy = t->failed ? NULL : weir_arena_strndup(a, t->v != NULL ? t->v : "", t->n);
  weir_text_free(t);
  return copy;
}

/* With several keys the first stands above the others. */
static bool name_column(const struct weir_pivot *p, uint32_t point, struct weir_arena *a,
                        struct weir_column *out) {
  struct weir_text head = {0}, rest = {0};
  *out = (struct weir_column){NULL, NULL, WEIR_RIGHT};
  if (p->columns.n == 0)
    weir_text_puts(&head, p->statistic);
  else
    put_value(&head, p->columns.key[0], point);
  if (p->columns.n > 1) {
    put_values(&rest, &p->columns, 1, point, ", ");
    out->unit = keep(a, &rest);
  }
  out->head = keep(a, &head);
  return out->head != NULL && (p->columns.n < 2 || out->unit != NULL);
}

static bool name_column_in_line(const struct weir_pivot *p, uint32_t point, bool is_plain,
                                struct weir_arena *a, struct weir_column *out) {
  struct weir_text head = {0};
  put_column_name(&head, p, point, is_plain);
  *out = (struct weir_column){keep(a, &head), NULL, WEIR_RIGHT};
  return out->head != NULL;
}

/* Columns of a table before those of numbers. */
static size_t n_left(const struct weir_pivot *p) {
  return p->rows.n > 0 ? p->rows.n : 1;
}

static void name_rows(const struct weir_pivot *p, struct weir_column *columns) {
  columns[0] = (struct weir_column){"", NULL, WEIR_LEFT};
  for (size_t i = 0; i < p->rows.n; i++)
    columns[i] = (struct weir_column){p->rows.key[i]->name, NULL, WEIR_LEFT};
}

static void put_row_cells(struct weir_table *t, const struct weir_pivot *p, uint32_t point,
                          bool is_plain) {
  for (size_t i = 0; i < p->rows.n; i++) {
    struct weir_text text = {0};
    if (is_plain)
      weir_text_puts(&text, weir_key_text(p->rows.key[i], point));
    else
      put_value(&text, p->rows.key[i], point);
    weir_table_cell(t, "%s", text.v != NULL ? text.v : "");
    weir_text_free(&text);
  }
  if (p->rows.n == 0) weir_table_cell(t, "all");
}

/* ---- the table ---- */

static void put_means(struct weir_table *t, const struct view *v) {
  if (v->t->n_mean_rows < v->t->n_rows)
    weir_table_cell(t, "geometric mean (%zu of %zu rows)", v->t->n_mean_rows, v->t->n_rows);
  else
    weir_table_cell(t, "geometric mean (%zu row%s)", v->t->n_rows, v->t->n_rows == 1 ? "" : "s");
  for (size_t i = 1; i < v->p->rows.n; i++)
    weir_table_cell(t, "%s", "");
  for (size_t c = 0; c < v->t->n_columns; c++)
    put_cell(t, v->p, &v->t->mean[c]);
}

static struct weir_table *table_of(const struct view *v, bool is_one_line, struct weir_arena *a) {
  size_t left = n_left(v->p), n = v->t->n_columns;
  struct weir_column *columns = weir_arena_array(a, left + n, sizeof *columns);
  if (columns == NULL) return NULL;
  name_rows(v->p, columns);
  for (size_t c = 0; c < n; c++)
    if (!(is_one_line ? name_column_in_line(v->p, v->t->column[c], false, a, &columns[left + c])
                      : name_column(v->p, v->t->column[c], a, &columns[left + c])))
      return NULL;
  struct weir_table *t = weir_table_new(columns, left + n);
  for (size_t r = 0; t != NULL && r < v->t->n_rows; r++) {
    put_row_cells(t, v->p, v->t->row[r], false);
    for (size_t c = 0; c < n; c++)
      put_cell(t, v->p, cell_at(v, r, c));
  }
  if (t != NULL && v->t->mean != NULL) {
    weir_table_rule(t);
    put_means(t, v);
  }
  return t;
}

/* ---- what is said of it ---- */

static const char *scheme_said(const struct weir_pivot *p, const char *scheme) {
  const struct weir_key *k = &p->of->keys.v[WEIR_KEY_SCHEME];
  for (size_t i = 0; i < p->of->points.n; i++)
    if (strcmp(weir_key_text(k, i), scheme) == 0) return weir_key_said(k, i);
  return NULL;
}

/* As it was written, with what is to be said of its scheme. */
static void put_baseline(struct weir_text *out, const struct weir_pivot *p) {
  static const char scheme[] = "scheme=";
  char pair[512];
  const char *mark = "";
  for (const char *at = p->baseline; weir_next_word(&at, pair, sizeof pair); mark = ",") {
    weir_text_printf(out, "%s%s", mark, pair);
    if (strncmp(pair, scheme, sizeof scheme - 1) == 0)
      put_said(out, scheme_said(p, pair + sizeof scheme - 1));
  }
}

static void put_title(const struct view *v) {
  const struct weir_pivot *p = v->p;
  const char *machine = v->t->gpu != NULL && strcmp(v->t->gpu, "-") != 0 ? v->t->gpu : "";
  weir_text_printf(v->out, "%s%s%s%s%s", machine, *machine != 0 && p->input != NULL ? ", " : "",
                   p->input != NULL ? "input " : "", p->input != NULL ? p->input : "",
                   *machine != 0 || p->input != NULL ? ": " : "");
  struct weir_text base = {0};
  put_baseline(&base, p);
  const char *than = base.v != NULL ? base.v : "";
  if (p->relative == WEIR_RELATIVE_SPEEDUP)
    weir_text_printf(v->out, "speed-up over %s, by %s", than, p->statistic);
  else if (p->relative == WEIR_RELATIVE_RATIO)
    weir_text_printf(v->out, "%s relative to %s", p->statistic, than);
  else if (p->relative == WEIR_RELATIVE_PERCENT)
    weir_text_printf(v->out, "change of %s from %s, in %%", p->statistic, than);
  else
    weir_text_puts(v->out, p->statistic);
  v->out->failed |= base.failed;
  weir_text_free(&base);
  if (p->n_seeds > 1)
    weir_text_printf(v->out, ", mean of %zu seeds and 95 %% interval", p->n_seeds);
  else if (p->n_seeds == 0)
    weir_text_puts(v->out, ", mean over seeds and 95 % interval");
  weir_text_puts(v->out, "\n");
}

static void put_axis(const struct view *v) {
  const struct weir_pivot_axis *a = &v->p->columns;
  if (a->n == 0 || (a->n == 1 && !is_bare(a->key[0]))) return;
  weir_text_puts(v->out, "columns: ");
  for (size_t i = 0; i < a->n; i++)
    weir_text_printf(v->out, "%s%s", i > 0 ? ", " : "", a->key[i]->name);
  weir_text_puts(v->out, "\n");
}

static void put_best_note(const struct view *v) {
  bool any = false;
  for (size_t i = 0; i < v->t->n_rows * v->t->n_columns; i++)
    any = any || v->t->cell[i].is_best;
  for (size_t c = 0; v->t->mean != NULL && c < v->t->n_columns; c++)
    any = any || v->t->mean[c].is_best;
  if (!any) return;
  weir_text_printf(v->out, "%s%s the %s of its row%s\n", v->bullet, v->mark,
                   v->p->best == WEIR_BEST_MIN ? "smallest" : "largest",
                   v->p->n_seeds != 1 ? ", with those whose interval overlaps its own" : "");
}

/* "spmv on v100 with tsc 16K": a row, and `with` before its first column. */
static void put_row_name(const struct view *v, size_t row) {
  put_values(v->out, &v->p->rows, 0, v->t->row[row], ", ");
  if (v->p->rows.n == 0) weir_text_puts(v->out, "all");
  if (v->t->gpu != NULL && strcmp(v->t->gpu, "-") != 0)
    weir_text_printf(v->out, " on %s", v->t->gpu);
}

static void put_baseline_note(const struct view *v) {
  for (size_t r = 0; r < v->t->n_rows; r++) {
    const char *mark = " with ";
    for (size_t c = 0; c < v->t->n_columns; c++) {
      if (cell_at(v, r, c)->state != WEIR_CELL_NO_BASELINE) continue;
      if (mark[0] == ' ') {
        weir_text_printf(v->out, "%sno baseline: ", v->bullet);
        put_row_name(v, r);
      }
      weir_text_puts(v->out, v->p->columns.n > 0 ? mark : "");
      if (v->p->columns.n > 0) put_column_name(v->out, v->p, v->t->column[c], false);
      mark = ", ";
    }
    if (mark[0] != ',') continue;
    weir_text_puts(v->out, ": no such run with ");
    put_baseline(v->out, v->p);
    weir_text_puts(v->out, " ended\n");
  }
}

/* ---- failures ---- */

static const struct weir_point *bad_point(const struct view *v, const struct weir_pivot_cell *c,
                                          size_t i) {
  const struct weir_point *point = &v->p->of->points.v[c->point[i]];
  return point->status == WEIR_STORED_OK ? NULL : point;
}

static bool is_same_end(const struct weir_point *a, const struct weir_point *b) {
  return a != NULL && b != NULL && a->status == b->status &&
         strcmp(a->message != NULL ? a->message : "", b->message != NULL ? b->message : "") == 0;
}

/* Did it end so in a cell [from, to) of the row? */
static bool is_before(const struct view *v, size_t row, size_t to, size_t to_i,
                      const struct weir_point *bad) {
  for (size_t c = 0; c <= to; c++) {
    const struct weir_pivot_cell *cell = cell_at(v, row, c);
    for (size_t i = 0; i < (c == to ? to_i : cell->n); i++)
      if (is_same_end(bad_point(v, cell, i), bad)) return true;
  }
  return false;
}

/* The seeds of a cell that ended so, unless all did. */
static void put_seeds(const struct view *v, const struct weir_pivot_cell *cell,
                      const struct weir_point *bad) {
  const struct weir_key *seed = &v->p->of->keys.v[WEIR_KEY_SEED];
  size_t n = 0;
  for (size_t i = 0; i < cell->n; i++)
    n += is_same_end(bad_point(v, cell, i), bad);
  if (n == cell->n) return;
  const char *mark = n > 1 ? " (seeds " : " (seed ";
  for (size_t i = 0; i < cell->n; i++) {
    if (!is_same_end(bad_point(v, cell, i), bad)) continue;
    weir_text_printf(v->out, "%s%s", mark, weir_key_text(seed, cell->point[i]));
    mark = ", ";
  }
  weir_text_puts(v->out, ")");
}

/* A reason may have several lines. */
static void put_reason(const struct view *v, const char *reason) {
  for (; *reason != 0; reason++) {
    weir_text_add(v->out, reason, 1);
    if (*reason == '\n') weir_text_puts(v->out, "  ");
  }
  weir_text_puts(v->out, "\n");
}

/* Cells of a row that ended for the same reason share a line, which stands at the first of them. */
static void put_failure(const struct view *v, size_t row, const struct weir_point *bad) {
  const char *mark = " with ";
  weir_text_printf(v->out, "%s%s: ", v->bullet, weir_stored_name(bad->status));
  put_row_name(v, row);
  for (size_t c = 0; c < v->t->n_columns; c++) {
    const struct weir_pivot_cell *cell = cell_at(v, row, c);
    bool any = false;
    for (size_t i = 0; i < cell->n; i++)
      any = any || is_same_end(bad_point(v, cell, i), bad);
    if (!any) continue;
    weir_text_puts(v->out, v->p->columns.n > 0 ? mark : "");
    if (v->p->columns.n > 0) put_column_name(v->out, v->p, v->t->column[c], false);
    put_seeds(v, cell, bad);
    mark = ", ";
  }
  weir_text_puts(v->out, ": ");
  put_reason(v, bad->message != NULL ? bad->message : "no reason was stored");
}

static void put_failures(const struct view *v) {
  for (size_t r = 0; r < v->t->n_rows; r++)
    for (size_t c = 0; c < v->t->n_columns; c++)
      for (size_t i = 0; i < cell_at(v, r, c)->n; i++) {
        const struct weir_point *bad = bad_point(v, cell_at(v, r, c), i);
        if (bad != NULL && !is_before(v, r, c, i, bad)) put_failure(v, r, bad);
      }
}

/* Values on an axis but for the kernel, each after `mark`; those of columns with names. */
static void put_lost_values(const struct view *v, const struct weir_pivot_axis *a, uint32_t point,
                            const char *mark, const char *between, bool is_named) {
  for (size_t i = 0; i < a->n; i++) {
    const struct weir_key *k = a->key[i];
    if (k == &v->p->of->keys.v[WEIR_KEY_KERNEL]) continue;
    weir_text_printf(v->out, "%s%s%s", mark, is_named && is_bare(k) ? k->name : "",
                     is_named && is_bare(k) ? "=" : "");
    put_value(v->out, k, point);
    mark = between;
  }
}

static void put_lost(const struct view *v) {
  for (size_t i = 0; i < v->t->n_lost; i++) {
    uint32_t point = v->t->lost[i];
    const struct weir_point *bad = &v->p->of->points.v[point];
    weir_text_printf(v->out, "%s%s, without kernels:", v->bullet, weir_stored_name(bad->status));
    put_lost_values(v, &v->p->rows, point, " ", ", ", false);
    if (v->t->gpu != NULL && strcmp(v->t->gpu, "-") != 0)
      weir_text_printf(v->out, " on %s", v->t->gpu);
    put_lost_values(v, &v->p->columns, point, " with ", " ", true);
    weir_text_printf(v->out,
                     " (seed %s): ", weir_key_text(&v->p->of->keys.v[WEIR_KEY_SEED], point));
    put_reason(v, bad->message != NULL ? bad->message : "no reason was stored");
  }
}

static void put_notes(const struct view *v) {
  weir_text_style(v->out, WEIR_DIM);
  put_best_note(v);
  put_baseline_note(v);
  weir_text_style(v->out, WEIR_PLAIN);
  put_failures(v);
  put_lost(v);
}

/* ---- text and Markdown ---- */

enum weir_status weir_pivot_text(const struct weir_pivot *p, struct weir_text *out,
                                 struct weir_err *err) {
  bool has_colour = out->screen != NULL && out->screen->has_colour;
  struct view v = {.p = p, .out = out, .bullet = "", .mark = has_colour ? "bold:" : "*"};
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < p->n_tables; i++) {
    struct weir_arena a = {0};
    v.t = &p->table[i];
    struct weir_table *t = table_of(&v, false, &a);
    if (i > 0) weir_text_puts(out, "\n");
    weir_text_style(out, WEIR_BOLD);
    put_title(&v);
    weir_text_style(out, WEIR_PLAIN);
    put_axis(&v);
    st = t != NULL ? weir_table_text(t, out, err) : weir_no_memory(err);
    put_notes(&v);
    weir_table_free(t);
    weir_arena_free(&a);
  }
  return st;
}

enum weir_status weir_pivot_markdown(const struct weir_pivot *p, struct weir_text *out,
                                     struct weir_err *err) {
  struct view v = {.p = p, .out = out, .bullet = "- ", .mark = "bold:"};
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < p->n_tables; i++) {
    struct weir_arena a = {0};
    v.t = &p->table[i];
    struct weir_table *t = table_of(&v, true, &a);
    if (i > 0) weir_text_puts(out, "\n");
    put_title(&v);
    weir_text_puts(out, "\n");
    st = t != NULL ? weir_table_markdown(t, out, err) : weir_no_memory(err);
    size_t before = out->n;
    weir_text_puts(out, "\n");
    put_notes(&v);
    if (out->n == before + 1) out->n = before; /* there is nothing to say */
    weir_table_free(t);
    weir_arena_free(&a);
  }
  return st;
}

/* ---- CSV ---- */

static void put_plain(struct weir_table *t, double v) {
  if (isnan(v))
    weir_table_cell(t, "%s", "");
  else if (v == floor(v) && fabs(v) < 9e15)
    weir_table_cell(t, "%.0f", v);
  else
    weir_table_cell(t, "%.12g", v);
}

/* `c` NULL: there is no such column on this machine. */
static void put_csv_cell(struct weir_table *t, const struct weir_pivot_cell *c,
                         bool has_intervals) {
  enum weir_cell_state state = c != NULL ? c->state : WEIR_CELL_EMPTY;
  if (state == WEIR_CELL_FAILED || state == WEIR_CELL_REFUSED)
    weir_table_cell(t, state == WEIR_CELL_FAILED ? "failed" : "refused");
  else
    put_plain(t, state == WEIR_CELL_GOOD ? c->v.mean : (double)NAN);
  if (!has_intervals) return;
  put_plain(t, state == WEIR_CELL_GOOD ? c->v.low : (double)NAN);
  put_plain(t, state == WEIR_CELL_GOOD ? c->v.high : (double)NAN);
}

static void put_csv_cells(struct weir_table *out, const struct view *v,
                          const struct weir_pivot_cell *row) {
  for (size_t c = 0; c < v->p->n_columns; c++) {
    size_t at = weir_pivot_column_of(v->p, v->t, v->p->column[c]);
    put_csv_cell(out, at < v->t->n_columns ? &row[at] : NULL, v->p->n_seeds != 1);
  }
}

static void put_csv_rows(struct weir_table *out, const struct view *v) {
  for (size_t r = 0; r < v->t->n_rows; r++) {
    if (v->t->gpu != NULL) weir_table_cell(out, "%s", v->t->gpu);
    put_row_cells(out, v->p, v->t->row[r], true);
    put_csv_cells(out, v, &v->t->cell[r * v->t->n_columns]);
  }
  if (v->t->mean == NULL) return;
  if (v->t->gpu != NULL) weir_table_cell(out, "%s", v->t->gpu);
  weir_table_cell(out, "geometric mean");
  for (size_t i = 1; i < v->p->rows.n; i++)
    weir_table_cell(out, "%s", "");
  put_csv_cells(out, v, v->t->mean);
}

static struct weir_table *csv_table(const struct weir_pivot *p, bool has_gpu,
                                    struct weir_arena *a) {
  size_t each = p->n_seeds != 1 ? 3 : 1, left = has_gpu + n_left(p);
  struct weir_column *columns = weir_arena_array(a, left + each * p->n_columns, sizeof *columns);
  if (columns == NULL) return NULL;
  columns[0] = (struct weir_column){"gpu", NULL, WEIR_LEFT};
  name_rows(p, columns + has_gpu);
  for (size_t c = 0; c < p->n_columns; c++) {
    struct weir_column *at = &columns[left + each * c];
    if (!name_column_in_line(p, p->column[c], true, a, at)) return NULL;
    if (each == 1) continue;
    at[1].head = weir_arena_printf(a, "%s low", at->head);
    at[2].head = weir_arena_printf(a, "%s high", at->head);
    if (at[1].head == NULL || at[2].head == NULL) return NULL;
  }
  return weir_table_new(columns, left + each * p->n_columns);
}

enum weir_status weir_pivot_csv(const struct weir_pivot *p, struct weir_text *out,
                                struct weir_err *err) {
  struct weir_arena a = {0};
  bool has_gpu = p->n_tables > 0 && p->table[0].gpu != NULL;
  struct weir_table *t = csv_table(p, has_gpu, &a);
  for (size_t i = 0; t != NULL && i < p->n_tables; i++)
    put_csv_rows(t, &(struct view){.p = p, .t = &p->table[i]});
  enum weir_status st = t != NULL ? weir_table_csv(t, out, err) : weir_no_memory(err);
  weir_table_free(t);
  weir_arena_free(&a);
  return st;
}
