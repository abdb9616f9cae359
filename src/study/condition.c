#include "study/condition.h"

#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/suggest.h"
#include "study/query.h"
#include "study/store_schema.h"

/* ---- settings ---- */

/* No number is so long as not to fit. */
static int by_value(void *self, int n_a, const void *a, int n_b, const void *b) {
  char x[256], y[256];
  (void)self;
  if ((size_t)n_a >= sizeof x || (size_t)n_b >= sizeof y) {
    int order = memcmp(a, b, (size_t)(n_a < n_b ? n_a : n_b));
    return order != 0 ? order : n_a - n_b;
  }
  snprintf(x, sizeof x, "%.*s", n_a, (const char *)a);
  snprintf(y, sizeof y, "%.*s", n_b, (const char *)b);
  return weir_value_equal(x, y) ? 0 : weir_value_order(x, y);
}

static bool is_setting(struct weir_store *s, const char *name) {
  return weir_store_gives(s, "SELECT 1 FROM settings WHERE key = ?1 LIMIT 1", name);
}

static bool is_statistic(struct weir_store *s, const char *name) {
  return weir_store_gives(s, "SELECT 1 FROM names WHERE name = ?1", name);
}

/* Of the settings that stand in brackets, columns: texts that compare by value. A statistic is one
 * already, and is found at once. */
static void put_setting_columns(struct weir_text *sql, struct weir_store *s,
                                const char *condition) {
  static const char marks[] = "'[\"";
  char name[128];
  for (const char *at = strpbrk(condition, marks), *end; at != NULL; at = strpbrk(end + 1, marks)) {
    end = strchr(at + 1, *at == '[' ? ']' : *at);
    if (end == NULL) return;
    snprintf(name, sizeof name, "%.*s", (int)(end - at - 1), at + 1);
    if (*at == '\'' || is_statistic(s, name) || !is_setting(s, name)) continue;
    char *column = sqlite3_mprintf(",\n(SELECT value FROM settings WHERE run = r.id AND key = %Q)"
                                   " COLLATE weir_value AS \"%w\"",
                                   name, name);
    if (column == NULL)
      sql->failed = true;
    else
      weir_text_puts(sql, column);
    sqlite3_free(column);
  }
}

/* ---- what is wrong ---- */

/* The nearest of all columns that a condition may name. */
static void suggest_column(struct weir_store *s, const char *name, struct weir_err *err) {
  struct weir_store_texts names;
  weir_store_texts(s,
                   "SELECT name FROM pragma_table_info('run_results') UNION ALL SELECT DISTINCT key"
                   " FROM settings UNION ALL SELECT 'kernel' UNION ALL SELECT 'kernel_name'",
                   NULL, &names);
  const char *near = weir_nearest(name, names.v, names.n);
  if (near != NULL)
    weir_err_add(err, strchr(near, '.') != NULL ? "did you mean [%s]?" : "did you mean '%s'?",
                 near);
  weir_store_texts_free(&names);
}

static enum weir_status refuse(struct weir_store *s, const struct weir_condition *c,
                               struct weir_err *err) {
  static const char no_column[] = "no such column: ";
  char said[300];
  snprintf(said, sizeof said, "%s", sqlite3_errmsg(s->db));
  const char *name =
      strncmp(said, no_column, sizeof no_column - 1) == 0 ? said + sizeof no_column - 1 : NULL;
  weir_fail(err, WEIR_EINVAL, "--where \"%.300s\": %s", c->text, said);
  if (name != NULL && (is_setting(s, name) || is_statistic(s, name)))
    weir_err_add(err, "remedy: a name with dots in brackets: [%s]", name);
  else if (name != NULL && !c->by_kernel && strncmp(name, "kernel", 6) == 0)
    weir_err_add(err, "remedy: %s", c->how_by_kernel);
  else if (name != NULL)
    suggest_column(s, name, err);
  else
    weir_err_add(err,
                 "it is a condition of SQL, such as \"workload = 'spmv' AND [l1.size] > '16K'\"");
  return WEIR_EINVAL;
}

/* Is it the condition, and not the store? */
static enum weir_status explain(struct weir_store *s, const struct weir_condition *c,
                                struct weir_err *err) {
  int code = sqlite3_errcode(s->db) & 0xff;
  bool is_condition = code == SQLITE_ERROR || code == SQLITE_TOOBIG || code == SQLITE_MISMATCH;
  return is_condition && c->text != NULL ? refuse(s, c, err) : weir_store_fail(s, err);
}

static enum weir_status check(const struct weir_condition *c, sqlite3_stmt *q, const char *rest,
                              struct weir_err *err) {
  if (*rest != 0)
    return weir_fail(err, WEIR_EINVAL, "--where \"%.300s\": it is more than one condition",
                     c->text);
  if (sqlite3_bind_parameter_count(q) > 0)
    return weir_fail(err, WEIR_EINVAL, "--where \"%.300s\": nothing gives '%s' a value", c->text,
                     sqlite3_bind_parameter_name(q, 1) != NULL ? sqlite3_bind_parameter_name(q, 1)
                                                               : "?");
  return WEIR_OK;
}

/* ---- the statement ---- */

/* The columns of the views, but on tables: SQLite would make the whole view of kernels for a join
 * that keeps runs without any. */
static void put_query(struct weir_text *sql, struct weir_store *s, const struct weir_condition *c,
                      const char *columns) {
  weir_text_printf(sql,
                   "SELECT %s FROM (SELECT r.id AS run, r.identity, r.workload, r.input, r.gpu,"
                   " r.scheme, r.seed, r.status, r.message, r.host, r.seconds%s",
                   columns, c->by_kernel ? ", k.number AS kernel, k.name AS kernel_name" : "");
  if (c->text != NULL) {
    weir_store_put_columns(sql, s, "r.id", c->by_kernel ? "k.number" : "0");
    put_setting_columns(sql, s, c->text);
  }
  weir_text_printf(sql, " FROM runs AS r%s) WHERE (\n%s\n) ORDER BY run%s",
                   c->by_kernel ? " LEFT JOIN kernels AS k ON k.run = r.id" : "",
                   c->text != NULL ? c->text : "1", c->by_kernel ? ", kernel" : "");
}

enum weir_status weir_condition_prepare(struct weir_store *s, const struct weir_condition *c,
                                        const char *columns, struct sqlite3_stmt **out,
                                        struct weir_err *err) {
  struct weir_text sql = {0};
  const char *rest = NULL;
  *out = NULL;
  if (!weir_query_functions(s->db) ||
      sqlite3_create_collation(s->db, "weir_value", SQLITE_UTF8, NULL, by_value) != SQLITE_OK)
    return weir_no_memory(err);
  weir_store_forget_names(s); /* another process may have added some */
  enum weir_status st = weir_store_load_names(s, err);
  if (st != WEIR_OK) return st;
  put_query(&sql, s, c, columns);
  if (sql.failed)
    st = weir_no_memory(err);
  else if (sqlite3_prepare_v2(s->db, sql.v, -1, out, &rest) != SQLITE_OK)
    st = explain(s, c, err);
  else
    st = check(c, *out, rest, err);
  weir_text_free(&sql);
  return st;
}

enum weir_status weir_condition_step(struct weir_store *s, const struct weir_condition *c,
                                     struct sqlite3_stmt *q, bool *is_row, struct weir_err *err) {
  int code = sqlite3_step(q);
  *is_row = code == SQLITE_ROW;
  return *is_row || code == SQLITE_DONE ? WEIR_OK : explain(s, c, err);
}
