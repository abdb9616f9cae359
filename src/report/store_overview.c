/* A store at a glance. */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "l1/scheme.h"
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
  struct weir_arena a;
  struct {
    const char **v;
    size_t n, cap;
  } tables;
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
      {"scheme", "schemes",
       "SELECT DISTINCT scheme || coalesce(' (' || (SELECT value FROM settings"
       " WHERE run = runs.id AND key = '" WEIR_CERTAINTY_KEY "') || ')', '')"
       " FROM runs WHERE scheme IS NOT NULL ORDER BY 1"},
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

static void count_row(struct view *v, sqlite3_stmt *q) {
  int64_t n = sqlite3_column_int64(q, 0);
  weir_text_printf(&v->line, ", %" PRId64 " %s: ", n, n == 1 ? "row" : "rows");
  v->n = 0;
}

static void column_row(struct view *v, sqlite3_stmt *q) {
  weir_text_printf(&v->line, "%s%s", v->n++ > 0 ? ", " : "", text_at(q, 0));
}

/* "kernels, 116 rows: run, number, name"; what a view has besides one column for each statistic. */
static enum weir_status table(struct view *v, const char *name, struct weir_err *err) {
  char *count = sqlite3_mprintf("SELECT count(*) FROM \"%w\"", name);
  char *columns =
      sqlite3_mprintf("SELECT CASE WHEN t.type = 'view' AND c.name IN (SELECT name FROM names)"
                      " THEN 'and one for each statistic' ELSE c.name END AS text"
                      " FROM pragma_table_info(%Q) AS c, pragma_table_list(%Q) AS t"
                      " GROUP BY text ORDER BY min(c.cid)",
                      name, name);
  weir_text_puts(&v->line, name);
  enum weir_status st =
      count != NULL && columns != NULL ? each(v, count, count_row, err) : weir_no_memory(err);
  if (st == WEIR_OK) st = each(v, columns, column_row, err);
  sqlite3_free(count);
  sqlite3_free(columns);
  end_line(v);
  return st;
}

static void table_row(struct view *v, sqlite3_stmt *q) {
  const char *name = text_at(q, 0);
  const char *copy = weir_arena_strndup(&v->a, name, strlen(name));
  if (copy == NULL || !WEIR_PUSH(v->tables, copy)) v->out->failed = true;
}

/* Whatever tables there are: a newer weir may have more. */
static enum weir_status tables(struct view *v, struct weir_err *err) {
  weir_text_puts(v->out, "\nviews and tables, with their columns:\n");
  enum weir_status st =
      each(v,
           "SELECT name FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite%'"
           " ORDER BY type = 'table', name DESC",
           table_row, err);
  for (size_t i = 0; st == WEIR_OK && i < v->tables.n; i++)
    st = table(v, v->tables.v[i], err);
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
  free(v.tables.v);
  weir_arena_free(&v.a);
  if (st == WEIR_OK && out->failed) st = weir_no_memory(err);
  return st;
}
