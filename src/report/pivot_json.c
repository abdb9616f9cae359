/* Tables of runs for programs. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "report/pivot.h"

/* Takes `value` over. */
static bool add(json_t *o, const char *key, json_t *value) {
  return json_object_set_new(o, key, value) == 0;
}

static json_t *real(double v) {
  return isnan(v) ? json_null() : json_real(v);
}

static json_t *text(const char *s) {
  return s != NULL ? weir_json_text(s) : json_null();
}

static json_t *names_of(const struct weir_pivot_axis *a) {
  json_t *list = json_array();
  for (size_t i = 0; i < a->n; i++)
    if (json_array_append_new(list, text(a->key[i]->name)) != 0) {
      json_decref(list);
      return NULL;
    }
  return list;
}

/* {"scheme": "tsc", "l1.size": "16K"}; what a run has not is null. */
static json_t *values_of(const struct weir_pivot_axis *a, uint32_t point) {
  json_t *o = json_object();
  for (size_t i = 0; i < a->n; i++) {
    const struct weir_key *k = a->key[i];
    if (!add(o, k->name, text(k->of[point] != 0 ? weir_key_text(k, point) : NULL))) {
      json_decref(o);
      return NULL;
    }
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
  if (add(o, "mean", real(is_good ? c->v.mean : (double)NAN)) &&
      add(o, "low", real(is_good ? c->v.low : (double)NAN)) &&
      add(o, "high", real(is_good ? c->v.high : (double)NAN)) &&
      add(o, "best", json_boolean(c->is_best)))
    return o;
  json_decref(o);
  return NULL;
}

static json_t *cell_of(const struct weir_pivot *p, const struct weir_pivot_table *t, size_t i) {
  const struct weir_pivot_cell *c = &t->cell[i];
  json_t *o = json_object();
  if (add(o, "row", values_of(&p->rows, t->row[i / t->n_columns])) &&
      add(o, "column", values_of(&p->columns, t->column[i % t->n_columns])) &&
      add(o, "status", text(status_of(c->state))) && add(o, "reason", text(reason_of(p, t, i))) &&
      add(o, "runs", json_integer((json_int_t)c->n)))
    return with_interval(o, c);
  json_decref(o);
  return NULL;
}

static json_t *cells_of(const struct weir_pivot *p, const struct weir_pivot_table *t) {
  json_t *list = json_array();
  for (size_t i = 0; i < t->n_rows * t->n_columns; i++)
    if (json_array_append_new(list, cell_of(p, t, i)) != 0) {
      json_decref(list);
      return NULL;
    }
  return list;
}

static json_t *means_of(const struct weir_pivot *p, const struct weir_pivot_table *t) {
  json_t *list = t->mean != NULL ? json_array() : json_null();
  for (size_t c = 0; t->mean != NULL && c < t->n_columns; c++) {
    json_t *o = json_object();
    if (add(o, "column", values_of(&p->columns, t->column[c]))) o = with_interval(o, &t->mean[c]);
    if (json_array_append_new(list, o) != 0) {
      json_decref(list);
      return NULL;
    }
  }
  return list;
}

static json_t *table_of(const struct weir_pivot *p, const struct weir_pivot_table *t) {
  json_t *o = json_object();
  if (add(o, "gpu", text(t->gpu)) && add(o, "cells", cells_of(p, t)) &&
      add(o, "geometric_means", means_of(p, t)) &&
      add(o, "rows", json_integer((json_int_t)t->n_rows)) &&
      add(o, "rows_of_means", json_integer((json_int_t)t->n_mean_rows)) &&
      add(o, "runs_without_kernels", json_integer((json_int_t)t->n_lost)))
    return o;
  json_decref(o);
  return NULL;
}

static json_t *tables_of(const struct weir_pivot *p) {
  json_t *list = json_array();
  for (size_t i = 0; i < p->n_tables; i++)
    if (json_array_append_new(list, table_of(p, &p->table[i])) != 0) {
      json_decref(list);
      return NULL;
    }
  return list;
}

static json_t *baseline_of(const struct weir_pivot *p) {
  json_t *o = p->base.n > 0 ? json_object() : json_null();
  for (size_t i = 0; i < p->base.n; i++)
    if (!add(o, p->base.key[i]->name, text(p->base_value[i]))) {
      json_decref(o);
      return NULL;
    }
  return o;
}

json_t *weir_pivot_json(const struct weir_pivot *p) {
  static const char *const relative[] = {[WEIR_RELATIVE_RATIO] = "ratio",
                                         [WEIR_RELATIVE_SPEEDUP] = "speedup",
                                         [WEIR_RELATIVE_PERCENT] = "percent"};
  json_t *o = json_object();
  if (add(o, "weir_show", json_integer(1)) && add(o, "value", text(p->statistic)) &&
      add(o, "relative", text(relative[p->relative])) && add(o, "baseline", baseline_of(p)) &&
      add(o, "rows", names_of(&p->rows)) && add(o, "columns", names_of(&p->columns)) &&
      add(o, "tables", tables_of(p)))
    return o;
  json_decref(o);
  return NULL;
}
