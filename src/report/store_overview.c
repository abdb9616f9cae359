/* A store at a glance. */
#include <inttypes.h>
#include <sqlite3.h>
#include <string.h>

#include "report/query.h"
#include "study/store.h"

enum { WIDTH = 100 };

/* One statement after the other, of which each gives rows to a function. */
struct view {
  sqlite3 *db;
  const char *path;
  struct weir_text *out;
  struct weir_text line; /* that is being put together */
  char group[64];
  int64_t n;
};

typedef void row_of(struct view *v, sqlite3_stmt *q);

static enum weir_status each(struct view *v, const char *sql, row_of *row, struct weir_err *err) {
  sqlite3_stmt *q = NULL;
  int code = sqlite3_prepare_v2(v->db, sql, -1, &q, NULL);
  while (code == SQLITE_OK && (code = sqlite3_step(q)) == SQLITE_ROW) {
    row(v, q);
    code = SQLITE_OK;
  }
  enum weir_status st = WEIR_OK;
  if (code != SQLITE_DONE)
    st = weir_fail(err, WEIR_EIO, "cannot read '%s': %s", v->path, sqlite3_errmsg(v->db));
  sqlite3_finalize(q);
  return st;
}

static const char *text_at(sqlite3_stmt *q, int column) {
  const char *text = (const char *)sqlite3_column_text(q, column);
  return text != NULL ? text : "";
}

static void add_item(struct view *v, const char *item) {
  weir_text_printf(&v->line, "%s%s", v->line.n > 0 ? ", " : "", item);
  v->n++;
}

/* ---- runs ---- */

static void status_row(struct view *v, sqlite3_stmt *q) {
  weir_text_printf(&v->line, "%s%" PRId64 " %s", v->line.n > 0 ? ", " : "",
                   (int64_t)sqlite3_column_int64(q, 1), text_at(q, 0));
  v->n += sqlite3_column_int64(q, 1);
}

static void item_row(struct view *v, sqlite3_stmt *q) {
  add_item(v, text_at(q, 0));
}

/* "3 workloads: gather, spmv, vecadd" */
static void end_list(struct view *v, const char *one, const char *several) {
  struct weir_text all = {0};
  weir_text_printf(&all, "%" PRId64 " %s", v->n, v->n == 1 ? one : several);
  if (v->line.n > 0) weir_text_printf(&all, ": %s", v->line.v);
  if (all.v != NULL) weir_text_wrap(v->out, all.v, WIDTH, "  ");
  weir_text_puts(v->out, "\n");
  v->out->failed |= all.failed || v->line.failed;
  weir_text_free(&all);
  v->line.n = 0;
  v->n = 0;
}

static enum weir_status runs(struct view *v, struct weir_err *err) {
  static const struct {
    const char *one, *several, *sql;
  } lists[] = {
      {"workload", "workloads", "SELECT DISTINCT workload FROM runs ORDER BY 1"},
      {"input", "inputs", "SELECT DISTINCT input FROM runs WHERE input IS NOT NULL ORDER BY 1"},
      {"machine", "machines", "SELECT DISTINCT gpu FROM runs WHERE gpu IS NOT NULL ORDER BY 1"},
      {"scheme", "schemes", "SELECT DISTINCT scheme FROM runs WHERE scheme IS NOT NULL ORDER BY 1"},
      {"seed", "seeds", "SELECT DISTINCT seed FROM runs ORDER BY 1"},
      {"setting that is not the same in all runs", "settings that are not the same in all runs",
       "SELECT key FROM settings GROUP BY key HAVING min(value) <> max(value)"
       " OR count(*) < (SELECT count(*) FROM runs) ORDER BY key"}};
  enum weir_status st = each(
      v, "SELECT status, count(*) FROM runs GROUP BY status ORDER BY status <> 'ok', status DESC",
      status_row, err);
  if (st == WEIR_OK) end_list(v, "run", "runs");
  for (size_t i = 0; st == WEIR_OK && i < sizeof lists / sizeof *lists; i++) {
    st = each(v, lists[i].sql, item_row, err);
    if (st == WEIR_OK) end_list(v, lists[i].one, lists[i].several);
  }
  return st;
}

/* ---- tables ---- */

/* The line that has come together, broken where it is too long. */
static void end_line(struct view *v) {
  if (v->line.n > 0) {
    weir_text_wrap(v->out, v->line.v, WIDTH, "  ");
    weir_text_puts(v->out, "\n");
  }
  v->out->failed |= v->line.failed;
  v->line.n = 0;
}

/* "kernels, 116 rows: run, number, name" */
static void column_row(struct view *v, sqlite3_stmt *q) {
  const char *table = text_at(q, 0);
  bool is_new = strcmp(table, v->group) != 0;
  if (is_new) {
    end_line(v);
    snprintf(v->group, sizeof v->group, "%s", table);
    weir_text_printf(&v->line, "%s, %" PRId64 " rows", table, (int64_t)sqlite3_column_int64(q, 2));
  }
  weir_text_printf(&v->line, "%s%s", is_new ? ": " : ", ", text_at(q, 1));
}

/* What a view has besides one column for each statistic. */
static enum weir_status tables(struct view *v, struct weir_err *err) {
  weir_text_puts(v->out, "\nviews and tables, with their columns:\n");
  enum weir_status st =
      each(v,
           "WITH size (name, n) AS (SELECT 'runs', count(*) FROM runs"
           "  UNION ALL SELECT 'run_results', count(*) FROM runs"
           "  UNION ALL SELECT 'settings', count(*) FROM settings"
           "  UNION ALL SELECT 'kernels', count(*) FROM kernels"
           "  UNION ALL SELECT 'kernel_results', count(*) FROM kernels"
           "  UNION ALL SELECT 'statistics', count(*) FROM statistics"
           "  UNION ALL SELECT 'names', count(*) FROM names)"
           " SELECT size.name, CASE WHEN t.type = 'view' AND c.name IN (SELECT name FROM names)"
           "  THEN 'and one for each statistic' ELSE c.name END, n"
           " FROM size JOIN pragma_table_list AS t USING (name)"
           " JOIN pragma_table_info(size.name) AS c WHERE t.schema = 'main'"
           " GROUP BY 1, 2 ORDER BY t.type DESC, size.name DESC, min(c.cid)",
           column_row, err);
  end_line(v);
  v->group[0] = 0;
  return st;
}

/* ---- statistics ---- */

/* "[l1.hits], [l1.misses]": a group begins a line. */
static void name_row(struct view *v, sqlite3_stmt *q) {
  const char *name = text_at(q, 0), *dot = strchr(name, '.');
  char group[sizeof v->group];
  snprintf(group, sizeof group, "%.*s", dot != NULL ? (int)(dot - name) : 0, name);
  if (strcmp(group, v->group) != 0) end_line(v);
  snprintf(v->group, sizeof v->group, "%s", group);
  weir_text_printf(&v->line, "%s[%s]", v->line.n > 0 ? ", " : "", name);
}

static enum weir_status statistics(struct view *v, struct weir_err *err) {
  weir_text_puts(v->out, "\nstatistics ('weir explain NAME' says what one means):\n");
  enum weir_status st =
      each(v, "SELECT name FROM names ORDER BY instr(name, '.') > 0, name", name_row, err);
  end_line(v);
  return st;
}

enum weir_status weir_store_overview(struct weir_store *s, const char *path, struct weir_text *out,
                                     struct weir_err *err) {
  struct view v = {.db = weir_store_sql(s), .path = path, .out = out};
  enum weir_status st = runs(&v, err);
  if (st == WEIR_OK) st = tables(&v, err);
  if (st == WEIR_OK) st = statistics(&v, err);
  weir_text_puts(out, "\nfunctions besides those of SQLite: geomean(x), median(x), bytes('16K'),\n"
                      "setting(run, 'l1.size')\n");
  weir_text_free(&v.line);
  if (st == WEIR_OK && out->failed) st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  return st;
}
