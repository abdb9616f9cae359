/* What SQLite lacks and studies need. */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/number.h"
#include "study/query.h"

/* Texts of settings that are numbers count as such. False: NULL, or an error that was said. */
static bool take_number(sqlite3_context *c, sqlite3_value *v, const char *function, double *out) {
  int type = sqlite3_value_numeric_type(v);
  if (type == SQLITE_NULL) return false;
  *out = sqlite3_value_double(v);
  if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) return true;
  char *why = sqlite3_mprintf("%s: '%s' is no number", function, sqlite3_value_text(v));
  sqlite3_result_error(c, why != NULL ? why : function, -1);
  sqlite3_free(why);
  return false;
}

/* ---- geomean ---- */

struct geomean {
  double logs;
  sqlite3_int64 n;
  bool is_zero;
};

static void geomean_step(sqlite3_context *c, int n, sqlite3_value **v) {
  (void)n;
  double x;
  struct geomean *g = sqlite3_aggregate_context(c, sizeof *g);
  if (g == NULL) {
    sqlite3_result_error_nomem(c);
    return;
  }
  if (!take_number(c, v[0], "geomean", &x)) return;
  if (x < 0) sqlite3_result_error(c, "geomean: a value is below 0", -1);
  if (x > 0)
    g->logs += log(x);
  else
    g->is_zero = true;
  g->n++;
}

static void geomean_end(sqlite3_context *c) {
  const struct geomean *g = sqlite3_aggregate_context(c, 0);
  if (g == NULL || g->n == 0)
    sqlite3_result_null(c);
  else
    sqlite3_result_double(c, g->is_zero ? 0 : exp(g->logs / (double)g->n));
}

/* ---- median ---- */

struct median {
  double *v;
  size_t n, cap;
};

static void median_step(sqlite3_context *c, int n, sqlite3_value **v) {
  (void)n;
  double x;
  struct median *m = sqlite3_aggregate_context(c, sizeof *m);
  if (m == NULL)
    sqlite3_result_error_nomem(c);
  else if (take_number(c, v[0], "median", &x) && !WEIR_PUSH(*m, x))
    sqlite3_result_error_nomem(c);
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void median_end(sqlite3_context *c) {
  struct median *m = sqlite3_aggregate_context(c, 0);
  if (m == NULL || m->n == 0) {
    sqlite3_result_null(c);
    return;
  }
  qsort(m->v, m->n, sizeof *m->v, by_value);
  size_t half = m->n / 2;
  sqlite3_result_double(c, m->n % 2 == 1 ? m->v[half] : (m->v[half - 1] + m->v[half]) / 2);
  free(m->v);
}

/* ---- of one value ---- */

static void bytes(sqlite3_context *c, int n, sqlite3_value **v) {
  (void)n;
  int64_t whole;
  double real;
  const char *text = (const char *)sqlite3_value_text(v[0]);
  if (text == NULL)
    sqlite3_result_null(c);
  else if (sqlite3_value_type(v[0]) != SQLITE_TEXT)
    sqlite3_result_value(c, v[0]);
  else if (weir_parse_int(text, &whole))
    sqlite3_result_int64(c, whole);
  else if (weir_parse_real(text, &real))
    sqlite3_result_double(c, real);
  else
    sqlite3_result_null(c);
}

/* A statement that is kept with the function would have to end before the connection does. */
static void setting(sqlite3_context *c, int n, sqlite3_value **v) {
  (void)n;
  sqlite3_stmt *q = NULL;
  if (sqlite3_prepare_v2(sqlite3_context_db_handle(c),
                         "SELECT value FROM settings WHERE run = ?1 AND key = ?2", -1, &q,
                         NULL) != SQLITE_OK ||
      sqlite3_bind_value(q, 1, v[0]) != SQLITE_OK || sqlite3_bind_value(q, 2, v[1]) != SQLITE_OK) {
    sqlite3_result_error(c, sqlite3_errmsg(sqlite3_context_db_handle(c)), -1);
  } else {
    int code = sqlite3_step(q);
    if (code == SQLITE_ROW)
      sqlite3_result_value(c, sqlite3_column_value(q, 0));
    else if (code != SQLITE_DONE)
      sqlite3_result_error_code(c, code);
  }
  sqlite3_finalize(q);
}

bool weir_query_functions(struct sqlite3 *db) {
  enum { FLAGS = SQLITE_UTF8 | SQLITE_DETERMINISTIC };
  return sqlite3_create_function_v2(db, "geomean", 1, FLAGS, NULL, NULL, geomean_step, geomean_end,
                                    NULL) == SQLITE_OK &&
         sqlite3_create_function_v2(db, "median", 1, FLAGS, NULL, NULL, median_step, median_end,
                                    NULL) == SQLITE_OK &&
         sqlite3_create_function_v2(db, "bytes", 1, FLAGS, NULL, bytes, NULL, NULL, NULL) ==
             SQLITE_OK &&
         sqlite3_create_function_v2(db, "setting", 2, FLAGS, NULL, setting, NULL, NULL, NULL) ==
             SQLITE_OK;
}
