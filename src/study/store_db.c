#include "study/store_db.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "study/store_schema.h"

/* ---- errors ---- */

#define LEFT_BEHIND "its last writer was killed, and what that left cannot be put in order"
#define BY_OWNER                                                                                   \
  "open it once as somebody who may write it, or copy it with the files that begin with its name"
#define LET_GO "end that program (a shell of sqlite3 within a transaction?), and repeat the command"

static const struct {
  int code;
  enum weir_status st;
  const char *why, *remedy; /* NULL: what the system or SQLite says; none */
} reasons[] = {
    {SQLITE_FULL, WEIR_EIO, "no room is left on the disk",
     "make room, and repeat the command: what was stored before is still there"},
    {SQLITE_READONLY_ROLLBACK, WEIR_EIO, LEFT_BEHIND, BY_OWNER},
    {SQLITE_READONLY_RECOVERY, WEIR_EIO, LEFT_BEHIND, BY_OWNER},
    {SQLITE_READONLY_CANTINIT, WEIR_EIO, LEFT_BEHIND, BY_OWNER},
    {SQLITE_READONLY, WEIR_EIO, "it, or its folder, may not be written",
     "chmod, or a copy in a folder of your own"},
    {SQLITE_BUSY, WEIR_ELIMIT, "another program uses it and does not let go", LET_GO},
    {SQLITE_LOCKED, WEIR_ELIMIT, "another program uses it and does not let go", LET_GO},
    {SQLITE_CORRUPT, WEIR_EINVAL, "it is damaged, or its end is missing",
     "a copy of before; 'sqlite3 FILE .recover' writes out what can still be read"},
    {SQLITE_NOTADB, WEIR_EINVAL, "it is no store of results",
     "another name: a new store is made where there is no file"},
    {SQLITE_NOMEM, WEIR_ENOMEM, "out of memory", NULL},
    {SQLITE_CANTOPEN, WEIR_EIO, NULL,
     "a folder that is there and may be written: a store needs files beside it"},
    {SQLITE_IOERR, WEIR_EIO, NULL,
     "check the disk, and repeat the command: what was stored before is still there"},
    {SQLITE_CONSTRAINT, WEIR_EINVAL, NULL, NULL},
};

static bool is_want_of_room(int number) {
  return number == ENOSPC || number == EDQUOT || number == EFBIG;
}

/* SQLite forgets it where a commit fails; its files remember. */
static int system_error(sqlite3 *db) {
  int number = sqlite3_system_errno(db);
  sqlite3_file *log = NULL;
  if (number == 0) sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &number);
  if (number == 0) sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (log != NULL && log->pMethods != NULL)
    log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &number);
  return number;
}

enum weir_status weir_store_fail(const struct weir_store *s, struct weir_err *err) {
  int code = sqlite3_extended_errcode(s->db), system = 0;
  const char *doing = s->mode == WEIR_STORE_WRITE ? "write" : "read";
  const char *said = sqlite3_errmsg(s->db);
  if ((code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN)
    system = system_error(s->db);
  if (system != 0) said = strerror(system);
  if (is_want_of_room(system)) code = SQLITE_FULL;
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
    if (reasons[i].code != code && reasons[i].code != (code & 0xff)) continue;
    weir_fail(err, reasons[i].st, "cannot %s '%s': %s", doing, s->path,
              reasons[i].why != NULL ? reasons[i].why : said);
    if (reasons[i].remedy != NULL) weir_err_add(err, "remedy: %s", reasons[i].remedy);
    return reasons[i].st;
  }
  return weir_fail(err, WEIR_EBUG, "cannot %s '%s': %s (%d)", doing, s->path, said, code);
}

/* ---- statements ---- */

enum weir_status weir_store_exec(struct weir_store *s, const char *sql, struct weir_err *err) {
  return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? WEIR_OK
                                                                 : weir_store_fail(s, err);
}

enum weir_status weir_store_number(struct weir_store *s, const char *sql, int64_t *out,
                                   struct weir_err *err) {
  sqlite3_stmt *q = NULL;
  bool is_row = false;
  *out = 0;
  enum weir_status st = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK
                            ? weir_store_step(s, q, &is_row, err)
                            : weir_store_fail(s, err);
  if (st == WEIR_OK && is_row) *out = sqlite3_column_int64(q, 0);
  sqlite3_finalize(q);
  return st;
}

enum weir_status weir_store_prepared(struct weir_store *s, enum weir_store_stmt which,
                                     sqlite3_stmt **out, struct weir_err *err) {
  sqlite3_stmt **q = &s->stmt[which];
  if (*q == NULL && sqlite3_prepare_v3(s->db, weir_store_sql_texts[which], -1,
                                       SQLITE_PREPARE_PERSISTENT, q, NULL) != SQLITE_OK)
    return weir_store_fail(s, err);
  sqlite3_reset(*q);
  *out = *q;
  return WEIR_OK;
}

/* A reset keeps what the step said. */
enum weir_status weir_store_step(struct weir_store *s, sqlite3_stmt *q, bool *is_row,
                                 struct weir_err *err) {
  int code = sqlite3_step(q);
  *is_row = code == SQLITE_ROW;
  if (*is_row) return WEIR_OK;
  sqlite3_reset(q);
  return code == SQLITE_DONE ? WEIR_OK : weir_store_fail(s, err);
}

enum weir_status weir_store_run_stmt(struct weir_store *s, sqlite3_stmt *q, struct weir_err *err) {
  bool is_row;
  return weir_store_step(s, q, &is_row, err);
}

bool weir_store_bind_text(struct weir_store *s, sqlite3_stmt *q, int at, const char *text) {
  if (text == NULL) return sqlite3_bind_null(q, at) == SQLITE_OK;
  s->scratch.n = 0;
  s->scratch.failed = false;
  weir_text_escape(&s->scratch, text);
  if (s->scratch.failed) return false;
  const char *bytes = s->scratch.n > 0 ? s->scratch.v : "";
  return sqlite3_bind_text64(q, at, bytes, s->scratch.n, SQLITE_TRANSIENT, SQLITE_UTF8) ==
         SQLITE_OK;
}

/* ---- for messages ---- */

static sqlite3_stmt *prepare_with(struct weir_store *s, const char *sql, const char *word) {
  sqlite3_stmt *q = NULL;
  if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) == SQLITE_OK &&
      sqlite3_bind_parameter_count(q) > 0)
    sqlite3_bind_text(q, 1, word, -1, SQLITE_STATIC);
  return q;
}

void weir_store_texts(struct weir_store *s, const char *sql, const char *word,
                      struct weir_store_texts *out) {
  sqlite3_stmt *q = prepare_with(s, sql, word);
  *out = (struct weir_store_texts){0};
  while (q != NULL && sqlite3_step(q) == SQLITE_ROW) {
    const char *text = (const char *)sqlite3_column_text(q, 0);
    const char *copy = text != NULL ? weir_arena_strndup(&out->a, text, strlen(text)) : NULL;
    if (copy == NULL || !WEIR_PUSH(*out, copy)) break;
  }
  sqlite3_finalize(q);
}

void weir_store_texts_free(struct weir_store_texts *t) {
  free(t->v);
  weir_arena_free(&t->a);
}

bool weir_store_gives(struct weir_store *s, const char *sql, const char *word) {
  sqlite3_stmt *q = prepare_with(s, sql, word);
  bool is_row = q != NULL && sqlite3_step(q) == SQLITE_ROW;
  sqlite3_finalize(q);
  return is_row;
}

/* ---- transactions ---- */

void weir_store_forget_names(struct weir_store *s) {
  for (size_t i = 0; i < s->names.n; i++)
    free(s->names.v[i].text);
  s->names.n = 0;
  s->are_names_known = false;
}

/* SQLite would go on writing to a file that has no name any more. */
static enum weir_status is_in_place(const struct weir_store *s, struct weir_err *err) {
  int has_moved = 0;
  if (sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved) != SQLITE_OK ||
      !has_moved)
    return WEIR_OK;
  weir_fail(err, WEIR_EIO, "cannot write '%s': it was moved or removed while it was in use",
            s->path);
  weir_err_add(err, "remedy: put it back, or begin anew with another store and merge the two");
  return WEIR_EIO;
}

enum weir_status weir_store_begin(struct weir_store *s, struct weir_err *err) {
  if (s->mode != WEIR_STORE_WRITE)
    return weir_fail(err, WEIR_EBUG, "'%s' is open for reading only", s->path);
  if (s->pid != getpid())
    return weir_fail(err, WEIR_EBUG, "'%s' is used by a child of the process that opened it",
                     s->path);
  enum weir_status st = is_in_place(s, err);
  if (st == WEIR_OK) st = weir_store_exec(s, "BEGIN IMMEDIATE", err);
  return st;
}

/* Some errors have taken the transaction back already. */
static void take_back(struct weir_store *s) {
  for (int i = 0; i < WEIR_N_STMTS; i++)
    sqlite3_reset(s->stmt[i]);
  if (!sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  weir_store_forget_names(s);
  s->are_views_old = false;
}

enum weir_status weir_store_end(struct weir_store *s, enum weir_status st, struct weir_err *err) {
  if (st == WEIR_OK && s->are_views_old) st = weir_store_make_views(s, err);
  if (st == WEIR_OK) st = weir_store_exec(s, "COMMIT", err);
  if (st != WEIR_OK) take_back(s);
  s->are_views_old = false;
  return st;
}
