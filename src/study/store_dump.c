#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "study/store_schema.h"

enum weir_status weir_store_next(struct weir_store *s, char hash[WEIR_HASH_TEXT], int64_t *id,
                                 struct weir_err *err) {
  sqlite3_stmt *q;
  bool is_row = false;
  *id = 0;
  enum weir_status st = weir_store_prepared(s, WEIR_STMT_NEXT, &q, err);
  if (st == WEIR_OK && sqlite3_bind_text(q, 1, hash, -1, SQLITE_TRANSIENT) != SQLITE_OK)
    st = weir_store_fail(s, err);
  if (st == WEIR_OK) st = weir_store_step(s, q, &is_row, err);
  if (st != WEIR_OK || !is_row) return st;
  const char *found = (const char *)sqlite3_column_text(q, 1);
  *id = sqlite3_column_int64(q, 0);
  snprintf(hash, WEIR_HASH_TEXT, "%s", found != NULL ? found : "");
  sqlite3_reset(q);
  return WEIR_OK;
}

/* ---- the lines of a run ---- */

/* What would end a line is escaped, as bytes that are no UTF-8 were when they were stored. */
static void put_column(struct weir_text *t, sqlite3_stmt *q, int column) {
  const unsigned char *c = sqlite3_column_text(q, column);
  for (; c != NULL && *c != 0; c++) {
    if (*c < ' ' || *c == 0x7f)
      weir_text_printf(t, "\\x%02x", *c);
    else
      weir_text_add(t, (const char *)c, 1);
  }
}

/* Reals are told from integers, and none loses a bit. */
static void put_value(struct weir_text *t, sqlite3_stmt *q, int column) {
  char real[40];
  switch (sqlite3_column_type(q, column)) {
  case SQLITE_NULL:
    weir_text_puts(t, "-");
    break;
  case SQLITE_FLOAT:
    snprintf(real, sizeof real, "%.17g", sqlite3_column_double(q, column));
    weir_text_puts(t, real);
    if (strpbrk(real, ".einf") == NULL) weir_text_puts(t, ".0");
    break;
  default:
    put_column(t, q, column);
  }
}

static enum weir_status bind_run(struct weir_store *s, enum weir_store_stmt which, int64_t id,
                                 sqlite3_stmt **q, struct weir_err *err) {
  enum weir_status st = weir_store_prepared(s, which, q, err);
  if (st == WEIR_OK) sqlite3_bind_int64(*q, 1, id);
  return st;
}

static enum weir_status put_run(struct weir_store *s, int64_t id, struct weir_text *t,
                                bool *has_results, struct weir_err *err) {
  static const char *const keys[] = {"run", "workload", "input", "gpu", "scheme", "seed", "status"};
  sqlite3_stmt *q;
  bool is_row = false;
  enum weir_status st = bind_run(s, WEIR_STMT_READ_RUN, id, &q, err);
  if (st == WEIR_OK) st = weir_store_step(s, q, &is_row, err);
  if (st != WEIR_OK || !is_row) return st;
  for (int i = 0; i < (int)(sizeof keys / sizeof *keys); i++) {
    if (sqlite3_column_type(q, i) == SQLITE_NULL) continue;
    weir_text_printf(t, "%s ", keys[i]);
    put_column(t, q, i);
    weir_text_puts(t, "\n");
  }
  const char *status = (const char *)sqlite3_column_text(q, 6);
  *has_results = status != NULL && strcmp(status, weir_stored_name(WEIR_STORED_OK)) == 0;
  sqlite3_reset(q);
  return WEIR_OK;
}

static enum weir_status put_settings(struct weir_store *s, int64_t id, struct weir_text *t,
                                     struct weir_err *err) {
  sqlite3_stmt *q;
  bool is_row;
  enum weir_status st = bind_run(s, WEIR_STMT_READ_SETTINGS, id, &q, err);
  while (st == WEIR_OK && (st = weir_store_step(s, q, &is_row, err)) == WEIR_OK && is_row) {
    weir_text_puts(t, "setting ");
    put_column(t, q, 0);
    weir_text_puts(t, " ");
    put_column(t, q, 1);
    weir_text_puts(t, "\n");
  }
  return st;
}

static enum weir_status put_statistics(struct weir_store *s, int64_t id, int64_t kernel,
                                       struct weir_text *t, struct weir_err *err) {
  sqlite3_stmt *q;
  bool is_row;
  enum weir_status st = bind_run(s, WEIR_STMT_READ_STATISTICS, id, &q, err);
  if (st == WEIR_OK) sqlite3_bind_int64(q, 2, kernel);
  while (st == WEIR_OK && (st = weir_store_step(s, q, &is_row, err)) == WEIR_OK && is_row) {
    weir_text_puts(t, "statistic ");
    put_column(t, q, 0);
    weir_text_puts(t, " ");
    put_value(t, q, 1);
    weir_text_puts(t, "\n");
  }
  return st;
}

static enum weir_status put_kernels(struct weir_store *s, int64_t id, struct weir_text *t,
                                    struct weir_err *err) {
  sqlite3_stmt *q;
  bool is_row;
  enum weir_status st = bind_run(s, WEIR_STMT_READ_KERNELS, id, &q, err);
  while (st == WEIR_OK && (st = weir_store_step(s, q, &is_row, err)) == WEIR_OK && is_row) {
    int64_t number = sqlite3_column_int64(q, 0);
    weir_text_printf(t, "kernel %" PRId64 " ", number);
    put_column(t, q, 1);
    weir_text_puts(t, "\n");
    st = put_statistics(s, id, number, t, err);
  }
  return st;
}

/* A run that failed has no results: how far it came depends on why. */
enum weir_status weir_store_describe(struct weir_store *s, int64_t id, struct weir_text *about,
                                     struct weir_text *results, struct weir_err *err) {
  bool has_results = false;
  enum weir_status st = put_run(s, id, about, &has_results, err);
  if (st == WEIR_OK) st = put_settings(s, id, about, err);
  if (st == WEIR_OK && has_results) st = put_statistics(s, id, 0, results, err);
  if (st == WEIR_OK && has_results) st = put_kernels(s, id, results, err);
  if (st == WEIR_OK && (about->failed || results->failed))
    st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  return st;
}

/* ---- all of them ---- */

static enum weir_status write_text(const struct weir_text *t, FILE *out, struct weir_err *err) {
  if (t->n == 0 || fwrite(t->v, 1, t->n, out) == t->n) return WEIR_OK;
  return weir_fail(err, WEIR_EIO, "cannot write the dump: %s", strerror(errno));
}

/* A transaction of its own, so that a writer never waits for more than one run. */
static enum weir_status describe_next(struct weir_store *s, char hash[WEIR_HASH_TEXT], int64_t *id,
                                      struct weir_text *about, struct weir_text *results,
                                      struct weir_err *err) {
  enum weir_status st = weir_store_exec(s, "BEGIN", err);
  if (st == WEIR_OK) st = weir_store_next(s, hash, id, err);
  if (st == WEIR_OK && *id != 0) st = weir_store_describe(s, *id, about, results, err);
  for (int i = WEIR_STMT_NEXT; i < WEIR_N_STMTS; i++)
    sqlite3_reset(s->stmt[i]);
  if (!sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
  return st;
}

enum weir_status weir_store_dump(struct weir_store *s, FILE *out, struct weir_err *err) {
  struct weir_text about = {0}, results = {0};
  char hash[WEIR_HASH_TEXT] = "";
  int64_t id = 1;
  enum weir_status st = WEIR_OK;
  while (st == WEIR_OK && id != 0) {
    about.n = results.n = 0;
    st = describe_next(s, hash, &id, &about, &results, err);
    if (st == WEIR_OK && id != 0) weir_text_puts(&results, "\n");
    if (st == WEIR_OK) st = write_text(&about, out, err);
    if (st == WEIR_OK) st = write_text(&results, out, err);
  }
  weir_text_free(&about);
  weir_text_free(&results);
  if (st == WEIR_OK && (fflush(out) != 0 || ferror(out)))
    st = weir_fail(err, WEIR_EIO, "cannot write the dump: %s", strerror(errno));
  return st;
}
