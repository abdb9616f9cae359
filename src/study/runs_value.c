/* One value of each run: a statistic, or what follows from several. */
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "study/runs.h"
#include "study/store_db.h"

static enum weir_status no_statistic(struct weir_store *s, const char *name, struct weir_err *err) {
  struct weir_store_texts names;
  weir_store_texts(s, "SELECT name FROM names ORDER BY name", NULL, &names);
  weir_fail(err, WEIR_ENOENT, "--value: no run of '%s' has a statistic '%.200s'", s->path, name);
  const char *near = weir_nearest(name, names.v, names.n);
  if (near != NULL)
    weir_err_add(err, "did you mean '%s'?", near);
  else
    weir_err_add(err, "'weir list stats' shows what there is");
  weir_store_texts_free(&names);
  return WEIR_ENOENT;
}

/* A look-up by the index of statistics, or an expression on a view. */
static enum weir_status put_query(struct weir_runs *r, const char *what, struct weir_text *sql,
                                  struct weir_err *err) {
  struct weir_store_texts metric;
  if (weir_store_gives(r->store, "SELECT 1 FROM names WHERE name = ?1", what)) {
    weir_text_puts(sql, "SELECT value FROM statistics WHERE run = ?1 AND kernel = ?2 AND name_id ="
                        " (SELECT id FROM names WHERE name = :name)");
    return WEIR_OK;
  }
  weir_store_texts(r->store, "SELECT expression FROM metrics WHERE name = ?1", what, &metric);
  const char *expression = strchr(what, '[') != NULL ? what : metric.n > 0 ? metric.v[0] : NULL;
  if (expression != NULL)
    weir_text_printf(sql, "SELECT (%s) FROM %s WHERE run = ?1 AND %s = ?2", expression,
                     r->has_kernels ? "kernel_results" : "run_results",
                     r->has_kernels ? "kernel" : "0");
  weir_store_texts_free(&metric);
  return expression != NULL ? WEIR_OK : no_statistic(r->store, what, err);
}

enum weir_status weir_runs_choose_value(struct weir_runs *r, const char *what,
                                        struct weir_err *err) {
  struct weir_text sql = {0};
  enum weir_status st = put_query(r, what, &sql, err);
  sqlite3_finalize(r->value);
  r->value = NULL;
  if (st == WEIR_OK && sql.failed) st = weir_no_memory(err);
  if (st == WEIR_OK && sqlite3_prepare_v2(r->store->db, sql.v, -1, &r->value, NULL) != SQLITE_OK)
    st = weir_fail(err, WEIR_EINVAL, "--value %s: %s", what, sqlite3_errmsg(r->store->db));
  weir_text_free(&sql);
  int name = sqlite3_bind_parameter_index(r->value, ":name");
  if (name > 0 && sqlite3_bind_text(r->value, name, what, -1, SQLITE_TRANSIENT) != SQLITE_OK)
    st = weir_no_memory(err);
  return st;
}

enum weir_status weir_runs_value(struct weir_runs *r, int64_t run, int64_t kernel, double *out,
                                 struct weir_err *err) {
  bool is_row;
  *out = (double)NAN;
  sqlite3_bind_int64(r->value, 1, run);
  sqlite3_bind_int64(r->value, 2, kernel);
  enum weir_status st = weir_store_step(r->store, r->value, &is_row, err);
  if (st == WEIR_OK && is_row && sqlite3_column_type(r->value, 0) != SQLITE_NULL)
    *out = sqlite3_column_double(r->value, 0);
  sqlite3_reset(r->value);
  return st;
}
