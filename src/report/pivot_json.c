/* Tables of runs for programs. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "report/pivot.h"

static json_t *names_of(const struct weir_pivot_axis *a) {
  json_t *list = json_array();
  for (size_t i = 0; i < a->n; i++)
    weir_json_push(&list, weir_json_text(a->key[i]->name));
  return list;
}

/* {"scheme": "tsc", "l1.size": "16K"}; what a run has not is null. */
static json_t *values_of(const struct weir_pivot_axis *a, uint32_t point) {
  json_t *o = json_object();
  for (size_t i = 0; i < a->n; i++) {
    const struct weir_key *k = a->key[i];
    const char *text = k->of[point] != 0 ? weir_key_text(k, point) : NULL;
    const char *said = weir_key_said(k, point);
    weir_json_put(&o, k->name, weir_json_text_or_null(text));
    if (said != NULL) weir_json_put(&o, k->certainty->name, weir_json_text(said));
  }
  return o;
}

static const char *status_of(enum weir_cell_state state) {
  static const char *const names[] = {
      [WEIR_CELL_EMPTY] = "missing",     [WEIR_CELL_GOOD] = "ok",
      [WEIR_CELL_FAILED] = "failed",     [WEIR_CELL_REFUSED] = "refused",
      [WEIR_CELL_NO_VALUE] = "no value", [WEIR_CELL_NO_BASELINE] = "no baseline"};
  return names[state];
}

static const char *reason_of(const struct weir_pivot *p, const struct weir_pivot_table *t,
                             size_t cell) {
  const struct weir_pivot_cell *c = &t->cell[cell];
  bool is_bad = c->state == WEIR_CELL_FAILED || c->state == WEIR_CELL_REFUSED;
  for (size_t i = 0; i < c->n; i++)
    if (p->of->points.v[c->point[i]].status != WEIR_STORED_OK)
      return p->of->points.v[c->point[i]].message;
  for (size_t i = 0; is_bad && i < t->n_lost; i++)
    if (weir_pivot_is_at(p, t, cell, t->lost[i])) return p->of->points.v[t->lost[i]].message;
  return NULL;
}

/* Takes `o` over. */
static json_t *with_interval(json_t *o, const struct weir_pivot_cell *c) {
  bool is_good = c->state == WEIR_CELL_GOOD;
  weir_json_put(&o, "mean", weir_json_real(is_good ? c->v.mean : (double)NAN));
  weir_json_put(&o, "low", weir_json_real(is_good ? c->v.low : (double)NAN));
  weir_json_put(&o, "high", weir_json_real(is_good ? c->v.high : (double)NAN));
  weir_json_put(&o, "best", json_boolean(c->is_best));
  return o;
}

static json_t *cell_of(const struct weir_pivot *p, const struct weir_pivot_table *t, size_t i) {
  const struct weir_pivot_cell *c = &t->cell[i];
  json_t *o = json_object();
  weir_json_put(&o, "row", values_of(&p->rows, t->row[i / t->n_columns]));
  weir_json_put(&o, "column", values_of(&p->columns, t->column[i % t->n_columns]));
  weir_json_put(&o, "status", json_string(status_of(c->state)));
  weir_json_put(&o, "reason", weir_json_text_or_null(reason_of(p, t, i)));
  weir_json_put(&o, "runs", json_integer((json_int_t)c->n));
  return with_interval(o, c);
}

static json_t *cells_of(const struct weir_pivot *p, const struct weir_pivot_table *t) {
  json_t *list = json_array();
  for (size_t i = 0; i < t->n_rows * t->n_columns; i++)
    weir_json_push(&list, cell_of(p, t, i));
  return list;
}

static json_t *means_of(const struct weir_pivot *p, const struct weir_pivot_table *t) {
  json_t *list = t->mean != NULL ? json_array() : json_null();
  for (size_t c = 0; t->mean != NULL && c < t->n_columns; c++) {
    json_t *o = json_object();
    weir_json_put(&o, "column", values_of(&p->columns, t->column[c]));
    weir_json_push(&list, with_interval(o, &t->mean[c]));
  }
  return list;
}

static json_t *table_of(const struct weir_pivot *p, const struct weir_pivot_table *t) {
  json_t *o = json_object();
  weir_json_put(&o, "gpu", weir_json_text_or_null(t->gpu));
  weir_json_put(&o, "cells", cells_of(p, t));
  weir_json_put(&o, "geometric_means", means_of(p, t));
  weir_json_put(&o, "rows", json_integer((json_int_t)t->n_rows));
  weir_json_put(&o, "rows_of_means", json_integer((json_int_t)t->n_mean_rows));
  weir_json_put(&o, "runs_without_kernels", json_integer((json_int_t)t->n_lost));
  return o;
}

static json_t *tables_of(const struct weir_pivot *p) {
  json_t *list = json_array();
  for (size_t i = 0; i < p->n_tables; i++)
    weir_json_push(&list, table_of(p, &p->table[i]));
  return list;
}

static json_t *baseline_of(const struct weir_pivot *p) {
  json_t *o = p->base.n > 0 ? json_object() : json_null();
  for (size_t i = 0; i < p->base.n; i++)
    weir_json_put(&o, p->base.key[i]->name, weir_json_text(p->base_value[i]));
  return o;
}

json_t *weir_pivot_json(const struct weir_pivot *p) {
  static const char *const relative[] = {[WEIR_RELATIVE_RATIO] = "ratio",
                                         [WEIR_RELATIVE_SPEEDUP] = "speedup",
                                         [WEIR_RELATIVE_PERCENT] = "percent"};
  json_t *o = json_object();
  weir_json_put(&o, "weir_show", json_integer(1));
  weir_json_put(&o, "value", weir_json_text(p->statistic));
  weir_json_put(&o, "relative", weir_json_text_or_null(relative[p->relative]));
  weir_json_put(&o, "baseline", baseline_of(p));
  weir_json_put(&o, "rows", names_of(&p->rows));
  weir_json_put(&o, "columns", names_of(&p->columns));
  weir_json_put(&o, "tables", tables_of(p));
  return o;
}
