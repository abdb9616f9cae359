#include "study/store_schema.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"

/* `value` has no type, so that integers stay integers and reals reals. What belongs to a run goes
 * with it by a trigger, and not by foreign keys: a shell of sqlite3 does not heed those. Large
 * texts stand last, where a query for the others does not read them. */
static const char tables[] =
    "CREATE TABLE runs ("
    "  id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, workload TEXT NOT NULL,"
    "  input TEXT, gpu TEXT, scheme TEXT, seed INTEGER NOT NULL,"
    "  status TEXT NOT NULL CHECK (status IN ('ok', 'refused', 'failed')),"
    "  message TEXT, host TEXT, seconds REAL, provenance TEXT, identity_text TEXT NOT NULL);"
    "CREATE TABLE settings ("
    "  run INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, origin TEXT,"
    "  PRIMARY KEY (run, key)) WITHOUT ROWID;"
    "CREATE TABLE kernels ("
    "  run INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL,"
    "  PRIMARY KEY (run, number)) WITHOUT ROWID;"
    "CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "CREATE TABLE statistics ("
    "  run INTEGER NOT NULL, kernel INTEGER NOT NULL, name_id INTEGER NOT NULL, value,"
    "  PRIMARY KEY (run, kernel, name_id)) WITHOUT ROWID;"
    "CREATE TABLE metrics (name TEXT PRIMARY KEY, expression TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TRIGGER run_goes AFTER DELETE ON runs BEGIN"
    "  DELETE FROM settings WHERE run = OLD.id;"
    "  DELETE FROM kernels WHERE run = OLD.id;"
    "  DELETE FROM statistics WHERE run = OLD.id;"
    "END;";

/* The order in which a run is written and read. */
#define RUN_COLUMNS                                                                                \
  "identity, workload, input, gpu, scheme, seed, status, message, host, seconds, provenance, "     \
  "identity_text"

#define LOAD_COLUMNS "kernel, insn, pc, ptx_line, file, line, array, locality"

const char *const weir_store_sql_texts[WEIR_N_STMTS] = {
    [WEIR_STMT_FIND] = "SELECT id, status, identity_text FROM runs WHERE identity = ?1",
    [WEIR_STMT_DELETE] = "DELETE FROM runs WHERE id = ?1",
    [WEIR_STMT_RUN] = ("INSERT INTO runs (" RUN_COLUMNS
                       ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"),
    [WEIR_STMT_SETTING] = "INSERT INTO settings (run, key, value, origin) VALUES (?1, ?2, ?3, ?4)",
    [WEIR_STMT_KERNEL] = "INSERT INTO kernels (run, number, name) VALUES (?1, ?2, ?3)",
    [WEIR_STMT_STATISTIC] =
        "INSERT INTO statistics (run, kernel, name_id, value) VALUES (?1, ?2, ?3, ?4)",
    [WEIR_STMT_NAME] = "INSERT INTO names (name) VALUES (?1)",
    [WEIR_STMT_METRIC] = "INSERT OR REPLACE INTO metrics (name, expression) VALUES (?1, ?2)",
    [WEIR_STMT_NEXT] =
        "SELECT id, identity FROM runs WHERE identity > ?1 ORDER BY identity LIMIT 1",
    [WEIR_STMT_READ_METRICS] = "SELECT name, expression FROM metrics ORDER BY name",
    [WEIR_STMT_READ_RUN] = ("SELECT " RUN_COLUMNS " FROM runs WHERE id = ?1"),
    [WEIR_STMT_READ_SETTINGS] =
        "SELECT key, value, origin FROM settings WHERE run = ?1 ORDER BY key",
    [WEIR_STMT_READ_KERNELS] = "SELECT number, name FROM kernels WHERE run = ?1 ORDER BY number",
    [WEIR_STMT_READ_STATISTICS] =
        ("SELECT names.name, value FROM statistics JOIN names ON names.id = name_id"
         " WHERE run = ?1 AND kernel = ?2 ORDER BY names.name"),
    [WEIR_STMT_LOAD] =
        ("INSERT INTO loads (run, " LOAD_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"),
    [WEIR_STMT_READ_LOADS] = ("SELECT " LOAD_COLUMNS " FROM loads WHERE run = ?1 ORDER BY 1, 2"),
    [WEIR_STMT_DECISIONS] = "INSERT INTO decisions (run, samples) VALUES (?1, ?2)",
    [WEIR_STMT_READ_DECISIONS] = "SELECT samples FROM decisions WHERE run = ?1",
};

const struct weir_store_change weir_store_changes[] = {{0, NULL}}; /* there is one version */

static enum weir_status set_version(struct weir_store *s, int64_t version, struct weir_err *err) {
  char sql[64];
  snprintf(sql, sizeof sql, "PRAGMA user_version = %" PRId64, version);
  return weir_store_exec(s, sql, err);
}

enum weir_status weir_store_create(struct weir_store *s, struct weir_err *err) {
  char sql[64];
  enum weir_status st = weir_store_begin(s, err);
  if (st != WEIR_OK) return st;
  snprintf(sql, sizeof sql, "PRAGMA application_id = %d", WEIR_STORE_APPLICATION);
  st = weir_store_exec(s, tables, err);
  if (st == WEIR_OK) st = weir_store_exec(s, sql, err);
  if (st == WEIR_OK) st = set_version(s, WEIR_STORE_VERSION, err);
  s->are_views_old = true;
  return weir_store_end(s, st, err);
}

/* ---- versions ---- */

static enum weir_status change(struct weir_store *s, const struct weir_store_change *changes,
                               int64_t from, int64_t to, struct weir_err *err) {
  while (changes->sql != NULL && changes->from != from)
    changes++;
  if (changes->sql != NULL) return weir_store_exec(s, changes->sql, err);
  weir_fail(err, WEIR_EINVAL,
            "'%s' has version %" PRId64
            " of the store, from which there is no way to version %" PRId64,
            s->path, from, to);
  weir_err_add(err, "remedy: a new store");
  return WEIR_EINVAL;
}

enum weir_status weir_store_upgrade(struct weir_store *s, const struct weir_store_change *changes,
                                    int64_t to, struct weir_err *err) {
  int64_t version;
  enum weir_status st = weir_store_begin(s, err);
  if (st != WEIR_OK) return st;
  st = weir_store_number(s, "PRAGMA user_version", &version, err);
  for (; st == WEIR_OK && version < to; version++)
    st = change(s, changes, version, to, err);
  if (st == WEIR_OK) st = set_version(s, to, err);
  s->are_views_old = true;
  return weir_store_end(s, st, err);
}

/* ---- names ---- */

static enum weir_status add_name(struct weir_store *s, sqlite3_stmt *q, struct weir_err *err) {
  const char *text = (const char *)sqlite3_column_text(q, 0);
  struct weir_store_name name = {weir_strdup(text != NULL ? text : ""), sqlite3_column_int64(q, 1)};
  if (name.text != NULL && WEIR_PUSH(s->names, name)) return WEIR_OK;
  free(name.text);
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

enum weir_status weir_store_load_names(struct weir_store *s, struct weir_err *err) {
  sqlite3_stmt *q = NULL;
  bool is_row = true;
  if (s->are_names_known) return WEIR_OK;
  weir_store_forget_names(s);
  enum weir_status st = sqlite3_prepare_v2(s->db, "SELECT name, id FROM names ORDER BY name", -1,
                                           &q, NULL) == SQLITE_OK
                            ? WEIR_OK
                            : weir_store_fail(s, err);
  while (st == WEIR_OK) {
    st = weir_store_step(s, q, &is_row, err);
    if (st != WEIR_OK || !is_row) break;
    st = add_name(s, q, err);
  }
  sqlite3_finalize(q);
  s->are_names_known = st == WEIR_OK;
  return st;
}

/* ---- views ---- */

static const struct view {
  const char *name, *columns, *tables, *kernel; /* kernel: whose statistics they are */
} views[] = {
    {"run_results",
     "runs.id AS run, identity, workload, input, gpu, scheme, seed, status, message, host, seconds",
     "runs", "0"},
    {"kernel_results",
     "runs.id AS run, identity, workload, input, gpu, scheme, seed, kernels.number AS kernel,"
     " kernels.name AS kernel_name",
     "kernels JOIN runs ON runs.id = kernels.run", "kernels.number"},
};

static void put_quoted(struct weir_text *t, const char *name) {
  weir_text_add(t, "\"", 1);
  for (const char *c = name; *c != 0; c++) {
    if (*c == '"') weir_text_add(t, c, 1);
    weir_text_add(t, c, 1);
  }
  weir_text_add(t, "\"", 1);
}

void weir_store_put_columns(struct weir_text *t, const struct weir_store *s, const char *run,
                            const char *kernel) {
  for (size_t i = 0; i < s->names.n && i < WEIR_STORE_VIEW_NAMES; i++) {
    weir_text_printf(t,
                     ",\n(SELECT value FROM statistics"
                     " WHERE run = %s AND kernel = %s AND name_id = %" PRId64 ") AS ",
                     run, kernel, s->names.v[i].id);
    put_quoted(t, s->names.v[i].text);
  }
}

static void put_view(struct weir_text *t, const struct weir_store *s, const struct view *v) {
  weir_text_printf(t, "DROP VIEW IF EXISTS %s; CREATE VIEW %s AS SELECT %s", v->name, v->name,
                   v->columns);
  weir_store_put_columns(t, s, "runs.id", v->kernel);
  weir_text_printf(t, "\nFROM %s;", v->tables);
}

enum weir_status weir_store_make_views(struct weir_store *s, struct weir_err *err) {
  struct weir_text t = {0};
  enum weir_status st = weir_store_load_names(s, err);
  for (size_t i = 0; st == WEIR_OK && i < sizeof views / sizeof *views; i++)
    put_view(&t, s, &views[i]);
  if (st == WEIR_OK)
    st = t.failed ? weir_fail(err, WEIR_ENOMEM, "out of memory") : weir_store_exec(s, t.v, err);
  weir_text_free(&t);
  return st;
}
