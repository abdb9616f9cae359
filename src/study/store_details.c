/* What some runs have besides statistics, in tables that are made when the first row comes: a weir
 * that does not know them reads and writes the others as before. Rows go with their run. */
#include <inttypes.h>

#include "base/mem.h"
#include "study/store_schema.h"

#define GOES(table)                                                                                \
  "CREATE TRIGGER " table "_go AFTER DELETE ON runs BEGIN"                                         \
  "  DELETE FROM " table " WHERE run = OLD.id; END;"

enum { LOADS, DECISIONS };
const struct weir_store_detail weir_store_details[] = {
    [LOADS] = {"loads", WEIR_STMT_LOAD, WEIR_STMT_READ_LOADS,
               "CREATE TABLE loads ("
               "  run INTEGER NOT NULL, kernel INTEGER NOT NULL, insn INTEGER NOT NULL, pc INTEGER,"
               "  ptx_line INTEGER, file TEXT, line INTEGER, array TEXT, locality TEXT NOT NULL,"
               "  PRIMARY KEY (run, kernel, insn)) WITHOUT ROWID;" GOES("loads")},
    [DECISIONS] = {"decisions", WEIR_STMT_DECISIONS, WEIR_STMT_READ_DECISIONS,
                   "CREATE TABLE decisions (run INTEGER PRIMARY KEY, samples TEXT NOT NULL);" GOES(
                       "decisions")},
    {.table = NULL}};

bool weir_store_has_table(struct weir_store *s, const char *table) {
  return weir_store_gives(s, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?1",
                          table);
}

enum weir_status weir_store_detail(struct weir_store *s, const struct weir_store_detail *d,
                                   int64_t id, bool *lacks, struct weir_err *err) {
  char sql[128];
  int64_t n = 0;
  *lacks = true;
  if (!weir_store_has_table(s, d->table)) return weir_store_exec(s, d->sql, err);
  snprintf(sql, sizeof sql, "SELECT EXISTS (SELECT 1 FROM %s WHERE run = %" PRId64 ")", d->table,
           id);
  enum weir_status st = weir_store_number(s, sql, &n, err);
  *lacks = n == 0;
  return st;
}

static enum weir_status put_loads(struct weir_store *s, const struct weir_store_run *r, int64_t id,
                                  struct weir_err *err) {
  sqlite3_stmt *q;
  enum weir_status st = weir_store_prepared(s, WEIR_STMT_LOAD, &q, err);
  for (size_t i = 0; st == WEIR_OK && i < r->n_loads; i++) {
    const struct weir_store_load *l = &r->loads[i];
    sqlite3_bind_int64(q, 1, id);
    sqlite3_bind_int64(q, 2, (int64_t)l->kernel);
    sqlite3_bind_int64(q, 3, l->insn);
    sqlite3_bind_int64(q, 4, (int64_t)l->pc);
    sqlite3_bind_int64(q, 5, l->ptx_line);
    sqlite3_bind_int64(q, 7, l->line);
    st = weir_store_bind_text(s, q, 6, l->file) && weir_store_bind_text(s, q, 8, l->array) &&
                 weir_store_bind_text(s, q, 9, l->locality)
             ? weir_store_run_stmt(s, q, err)
             : weir_fail(err, WEIR_ENOMEM, "out of memory");
  }
  return st;
}

static enum weir_status put_decisions(struct weir_store *s, const struct weir_store_run *r,
                                      int64_t id, struct weir_err *err) {
  sqlite3_stmt *q;
  enum weir_status st = weir_store_prepared(s, WEIR_STMT_DECISIONS, &q, err);
  if (st != WEIR_OK) return st;
  sqlite3_bind_int64(q, 1, id);
  return weir_store_bind_text(s, q, 2, r->decisions) ? weir_store_run_stmt(s, q, err)
                                                     : weir_fail(err, WEIR_ENOMEM, "out of memory");
}

enum weir_status weir_store_put_details(struct weir_store *s, const struct weir_store_run *r,
                                        int64_t id, struct weir_err *err) {
  bool lacks = false;
  enum weir_status st = WEIR_OK;
  if (r->n_loads > 0) st = weir_store_detail(s, &weir_store_details[LOADS], id, &lacks, err);
  if (st == WEIR_OK && lacks) st = put_loads(s, r, id, err);
  if (st != WEIR_OK || r->decisions == NULL) return st;
  st = weir_store_detail(s, &weir_store_details[DECISIONS], id, &lacks, err);
  return st == WEIR_OK && lacks ? put_decisions(s, r, id, err) : st;
}

enum weir_status weir_store_decisions(struct weir_store *s, const char *identity, char **out,
                                      struct weir_err *err) {
  int64_t id = 0;
  enum weir_stored status;
  sqlite3_stmt *q;
  bool is_row = false;
  *out = NULL;
  enum weir_status st = weir_store_find_text(s, identity, &id, &status, err);
  if (st != WEIR_OK || !weir_store_has_table(s, "decisions")) return st;
  st = weir_store_prepared(s, WEIR_STMT_READ_DECISIONS, &q, err);
  if (st != WEIR_OK) return st;
  sqlite3_bind_int64(q, 1, id);
  st = weir_store_step(s, q, &is_row, err);
  if (st != WEIR_OK || !is_row) return st;
  const char *text = (const char *)sqlite3_column_text(q, 0);
  *out = weir_strdup(text != NULL ? text : "");
  sqlite3_reset(q);
  return *out != NULL ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory");
}
