#include "study/query.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "study/store_db.h"

struct weir_query {
  struct weir_store *s;
  struct weir_query_options o;
  char *sql;
  struct {
    sqlite3_stmt **v;
    size_t n, cap;
  } stmts;
  /* What was denied last: an action of SQLite, 0 none; the name of a pragma. */
  int denied;
  char pragma[64];
};

/* ---- what a query may do ---- */

/* Those that only tell. Others change the connection, or work on the file. */
static bool is_telling(const char *pragma) {
  static const char *const names[] = {
      "application_id", "collation_list", "compile_options", "database_list", "encoding",
      "function_list",  "index_info",     "index_list",      "index_xinfo",   "module_list",
      "page_count",     "page_size",      "pragma_list",     "table_info",    "table_list",
      "table_xinfo",    "user_version"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcasecmp(names[i], pragma) == 0) return true;
  return false;
}

/* Of these a value is what is asked about; of others it would be set. */
static bool takes_value(const char *pragma) {
  return strncasecmp(pragma, "table_", 6) == 0 || strncasecmp(pragma, "index_", 6) == 0;
}

static int authorize(void *self, int action, const char *a, const char *b, const char *database,
                     const char *trigger) {
  struct weir_query *q = self;
  (void)database;
  (void)trigger;
  switch (action) {
  case SQLITE_SELECT:
  case SQLITE_READ:
  case SQLITE_FUNCTION:
  case SQLITE_RECURSIVE:
    return SQLITE_OK;
  case SQLITE_PRAGMA:
    if (is_telling(a) && (b == NULL || takes_value(a))) return SQLITE_OK;
    snprintf(q->pragma, sizeof q->pragma, "%s", a);
    break;
  case SQLITE_UPDATE: /* how a table such as pragma_table_info is declared, to SQLite itself */
    if (strcmp(a, "sqlite_master") == 0) return SQLITE_OK;
    break;
  default:
    break;
  }
  q->denied = action;
  return SQLITE_DENY;
}

static int is_stopped(void *self) {
  const struct weir_query *q = self;
  return q->o.is_stopped(q->o.self);
}

/* ---- where something is wrong ---- */

static struct weir_where place(const struct weir_query *q, const char *at, unsigned width) {
  struct weir_where w = {q->o.origin, q->sql, strlen(q->sql), .line = 1, .col = 1, .width = width};
  for (const char *c = q->sql; c < at; c++) {
    if (*c == '\n') {
      w.line++;
      w.col = 1;
    } else if (((unsigned char)*c & 0xc0) != 0x80) {
      w.col++;
    }
  }
  return w;
}

/* From here on there is nothing but blanks, comments and semicolons. */
static const char *skip_blanks(const char *c) {
  for (;;) {
    c += strspn(c, " \t\r\n\f;");
    if (c[0] == '-' && c[1] == '-')
      c += strcspn(c, "\n");
    else if (c[0] == '/' && c[1] == '*' && strstr(c, "*/") != NULL)
      c = strstr(c, "*/") + 2;
    else
      return c;
  }
}

static unsigned word_length(const char *at) {
  return (unsigned)strcspn(at, " \t\r\n;(,)");
}

/* ---- what may have been meant ---- */

static bool needs_brackets(const char *name) {
  return name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] != 0;
}

/* "a, b and c" */
static void list(struct weir_text *t, const struct weir_store_texts *names) {
  for (size_t i = 0; i < names->n; i++)
    weir_text_printf(t, "%s%s", i == 0 ? "" : i + 1 < names->n ? ", " : " and ", names->v[i]);
}

static void suggest_column(struct weir_query *q, const char *word, struct weir_err *err) {
  struct weir_store_texts all;
  const char *dot = strchr(word, '.');
  weir_store_texts(
      q->s,
      "SELECT DISTINCT c.name FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c"
      " WHERE t.schema = 'main' ORDER BY t.type = 'view', c.name",
      NULL, &all);
  const char *near = weir_nearest(word, all.v, all.n);
  if (near == NULL && dot != NULL) near = weir_nearest(dot + 1, all.v, all.n);
  if (near != NULL)
    weir_err_add(err, needs_brackets(near) ? "did you mean [%s]?" : "did you mean '%s'?", near);
  weir_store_texts_free(&all);
}

/* There is such a column, or such a setting, but not so, or not here. */
static bool explain_column(struct weir_query *q, const char *word, bool is_quoted,
                           struct weir_err *err) {
  struct weir_store_texts tables, settings, stats;
  struct weir_text t = {0};
  weir_store_texts(
      q->s,
      "SELECT DISTINCT t.name FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c"
      " WHERE t.schema = 'main' AND c.name = ?1 COLLATE NOCASE ORDER BY t.type, t.name DESC",
      word, &tables);
  weir_store_texts(q->s, "SELECT key FROM settings WHERE key = ?1 LIMIT 1", word, &settings);
  weir_store_texts(
      q->s,
      "SELECT '[' || name || ']' FROM names WHERE substr(name, -length(?1) - 1) = '.' || ?1"
      " ORDER BY name LIMIT 5",
      word, &stats);
  bool is_known = tables.n > 0 || settings.n > 0 || stats.n > 0;
  if (tables.n > 0 && !is_quoted && needs_brackets(word)) {
    weir_err_add(err, "names with dots stand in brackets: [%s]", word);
  } else if (tables.n > 0) {
    list(&t, &tables);
    if (t.v != NULL) weir_err_add(err, "'%s' is a column of %s", word, t.v);
  } else if (settings.n > 0) {
    weir_err_add(err, "'%s' is a setting: setting(run, '%s') is its value", word, word);
  } else if (stats.n > 0) {
    list(&t, &stats);
    if (t.v != NULL) weir_err_add(err, "statistics have their group before their name: %s", t.v);
  }
  weir_text_free(&t);
  weir_store_texts_free(&tables);
  weir_store_texts_free(&settings);
  weir_store_texts_free(&stats);
  return is_known;
}

static void suggest(struct weir_query *q, const char *said, const char *at, struct weir_err *err) {
  static const struct {
    const char *begin, *names;
  } kinds[] = {
      {"no such column: ", NULL},
      {"no such table: ", "SELECT name FROM pragma_table_list WHERE schema = 'main' ORDER BY name"},
      {"no such function: ", "SELECT DISTINCT name FROM pragma_function_list ORDER BY name"}};
  struct weir_store_texts names;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    size_t n = strlen(kinds[i].begin);
    if (strncmp(said, kinds[i].begin, n) != 0) continue;
    const char *word = said + n;
    if (kinds[i].names == NULL) {
      bool is_quoted = at != NULL && strchr("[\"`", *at) != NULL;
      if (!explain_column(q, word, is_quoted, err)) suggest_column(q, word, err);
      continue;
    }
    weir_store_texts(q->s, kinds[i].names, NULL, &names);
    const char *near = weir_nearest(word, names.v, names.n);
    if (near != NULL) weir_err_add(err, "did you mean '%s'?", near);
    weir_store_texts_free(&names);
  }
}

/* ---- errors ---- */

static enum weir_status refuse(const struct weir_query *q, const char *at, struct weir_err *err) {
  struct weir_where w = place(q, at, word_length(at));
  if (q->denied == SQLITE_PRAGMA)
    return weir_fail_at(err, WEIR_EINVAL, &w, "a query only reads: it may not have PRAGMA %s",
                        q->pragma);
  if (q->denied == SQLITE_ATTACH || q->denied == SQLITE_DETACH)
    return weir_fail_at(err, WEIR_EINVAL, &w, "a query reads one store, and no other file");
  if (q->denied == SQLITE_TRANSACTION || q->denied == SQLITE_SAVEPOINT)
    return weir_fail_at(err, WEIR_EINVAL, &w,
                        "a query is a transaction: its statements see the same state");
  weir_fail_at(err, WEIR_EINVAL, &w, "a query only reads, and this would write");
  weir_err_add(err, "remedy: 'sqlite3' on a copy of the store");
  return WEIR_EINVAL;
}

/* `at`: where the statement begins, or NULL when it runs already. */
static enum weir_status explain(struct weir_query *q, const char *at, struct weir_err *err) {
  int code = sqlite3_errcode(q->s->db) & 0xff;
  if (code == SQLITE_INTERRUPT) return weir_fail(err, WEIR_ELIMIT, "interrupted");
  if (at != NULL && q->denied != 0) return refuse(q, skip_blanks(at), err);
  if (code != SQLITE_ERROR && code != SQLITE_TOOBIG && code != SQLITE_MISMATCH)
    return weir_store_fail(q->s, err);
  struct weir_text said = {0};
  int offset = at != NULL ? sqlite3_error_offset(q->s->db) : -1;
  const char *where = offset >= 0 ? at + offset : NULL;
  struct weir_where w = {.file = q->o.origin};
  weir_text_puts(&said, sqlite3_errmsg(q->s->db));
  if (where != NULL) w = place(q, where, word_length(where));
  weir_fail_at(err, WEIR_EPARSE, &w, "%s", said.v != NULL ? said.v : "?");
  if (said.v != NULL) suggest(q, said.v, where, err);
  weir_text_free(&said);
  return WEIR_EPARSE;
}

/* ---- statements ---- */

static enum weir_status check(struct weir_query *q, sqlite3_stmt *stmt, const char *at,
                              struct weir_err *err) {
  struct weir_where w = {.file = q->o.origin};
  if (!sqlite3_stmt_readonly(stmt)) return refuse(q, skip_blanks(at), err);
  if (sqlite3_bind_parameter_count(stmt) == 0) return WEIR_OK;
  const char *name = sqlite3_bind_parameter_name(stmt, 1);
  weir_fail_at(err, WEIR_EINVAL, &w, "'%s' is a parameter, and nothing gives it a value",
               name != NULL ? name : "?");
  weir_err_add(err, "remedy: the value itself; texts stand in single quotes");
  return WEIR_EINVAL;
}

static enum weir_status prepare(struct weir_query *q, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (const char *at = q->sql, *end; st == WEIR_OK && *skip_blanks(at) != 0; at = end) {
    sqlite3_stmt *stmt = NULL;
    q->denied = 0;
    if (sqlite3_prepare_v2(q->s->db, at, -1, &stmt, &end) != SQLITE_OK) return explain(q, at, err);
    if (stmt == NULL) continue; /* a comment that has no end */
    st = check(q, stmt, at, err);
    if (st == WEIR_OK && !WEIR_PUSH(q->stmts, stmt)) st = weir_no_memory(err);
    if (st != WEIR_OK) sqlite3_finalize(stmt);
  }
  struct weir_where w = {.file = q->o.origin};
  if (st == WEIR_OK && q->stmts.n == 0)
    st = weir_fail_at(err, WEIR_EINVAL, &w, "there is no statement in it");
  return st;
}

enum weir_status weir_query_open(struct weir_store *s, const char *sql,
                                 const struct weir_query_options *o, struct weir_query **out,
                                 struct weir_err *err) {
  struct weir_query *q = weir_calloc(1, sizeof *q);
  *out = NULL;
  if (q == NULL) return weir_no_memory(err);
  q->s = s;
  if (o != NULL) q->o = *o;
  q->sql = weir_strdup(sql);
  enum weir_status st = WEIR_OK;
  if (q->sql == NULL || !weir_query_functions(s->db)) st = weir_no_memory(err);
  if (st == WEIR_OK) st = weir_store_exec(s, "BEGIN", err);
  if (st == WEIR_OK) {
    sqlite3_set_authorizer(s->db, authorize, q);
    if (q->o.is_stopped != NULL) sqlite3_progress_handler(s->db, 1000, is_stopped, q);
    st = prepare(q, err);
  }
  if (st == WEIR_OK)
    *out = q;
  else
    weir_query_close(q);
  return st;
}

void weir_query_close(struct weir_query *q) {
  if (q == NULL) return;
  for (size_t i = 0; i < q->stmts.n; i++)
    sqlite3_finalize(q->stmts.v[i]);
  sqlite3_progress_handler(q->s->db, 0, NULL, NULL);
  sqlite3_set_authorizer(q->s->db, NULL, NULL);
  if (!sqlite3_get_autocommit(q->s->db)) sqlite3_exec(q->s->db, "COMMIT", NULL, NULL, NULL);
  free(q->stmts.v);
  free(q->sql);
  free(q);
}

size_t weir_query_n(const struct weir_query *q) {
  return q->stmts.n;
}

struct sqlite3_stmt *weir_query_stmt(const struct weir_query *q, size_t i) {
  return q->stmts.v[i];
}

enum weir_status weir_query_step(struct weir_query *q, size_t i, bool *is_row,
                                 struct weir_err *err) {
  int code = sqlite3_step(q->stmts.v[i]);
  *is_row = code == SQLITE_ROW;
  if (*is_row || code == SQLITE_DONE) return WEIR_OK;
  return explain(q, NULL, err);
}
