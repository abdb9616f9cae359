/* What is stored of a run, back again. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "study/store_schema.h"

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

static struct weir_store_stat stat_of(sqlite3_stmt *q) {
  struct weir_store_stat stat = {.name = (const char *)sqlite3_column_text(q, 0), .real = NAN};
  int type = sqlite3_column_type(q, 1);
  if (type == SQLITE_INTEGER) {
    stat.kind = WEIR_STORE_COUNT;
    stat.count = (uint64_t)sqlite3_column_int64(q, 1);
    stat.real = (double)stat.count;
  } else if (type == SQLITE_FLOAT) {
    stat.kind = WEIR_STORE_REAL;
    stat.real = sqlite3_column_double(q, 1);
  }
  return stat;
}

static enum weir_status read_stats(struct weir_store *s, int64_t id, int64_t kernel,
                                   const struct weir_store_reader *r, struct weir_err *err) {
  sqlite3_stmt *q;
  bool is_row;
  enum weir_status st = weir_store_prepared(s, WEIR_STMT_READ_STATISTICS, &q, err);
  if (st != WEIR_OK) return st;
  sqlite3_bind_int64(q, 1, id);
  sqlite3_bind_int64(q, 2, kernel);
  while (st == WEIR_OK && (st = weir_store_step(s, q, &is_row, err)) == WEIR_OK && is_row) {
    struct weir_store_stat stat = stat_of(q);
    if (stat.name == NULL || !r->stat(r->self, (size_t)kernel, &stat)) st = no_memory(err);
  }
  sqlite3_reset(q);
  return st;
}

static enum weir_status read_kernels(struct weir_store *s, int64_t id,
                                     const struct weir_store_reader *r, struct weir_err *err) {
  sqlite3_stmt *q;
  bool is_row;
  enum weir_status st = weir_store_prepared(s, WEIR_STMT_READ_KERNELS, &q, err);
  if (st != WEIR_OK) return st;
  sqlite3_bind_int64(q, 1, id);
  while (st == WEIR_OK && (st = weir_store_step(s, q, &is_row, err)) == WEIR_OK && is_row) {
    int64_t number = sqlite3_column_int64(q, 0);
    const char *name = (const char *)sqlite3_column_text(q, 1);
    if (name == NULL || !r->kernel(r->self, (size_t)number, name))
      st = no_memory(err);
    else
      st = read_stats(s, id, number, r, err);
  }
  sqlite3_reset(q);
  return st;
}

static enum weir_status read_message(struct weir_store *s, int64_t id, char **message,
                                     struct weir_err *err) {
  enum { MESSAGE = 7 }; /* of the columns of a run */
  sqlite3_stmt *q;
  bool is_row = false;
  enum weir_status st = weir_store_prepared(s, WEIR_STMT_READ_RUN, &q, err);
  if (st != WEIR_OK) return st;
  sqlite3_bind_int64(q, 1, id);
  st = weir_store_step(s, q, &is_row, err);
  const char *text = st == WEIR_OK && is_row ? (const char *)sqlite3_column_text(q, MESSAGE) : NULL;
  if (text != NULL && (*message = weir_strdup(text)) == NULL) st = no_memory(err);
  sqlite3_reset(q);
  return st;
}

enum weir_status weir_store_read(struct weir_store *s, const char *identity,
                                 const struct weir_store_reader *reader, char **message,
                                 struct weir_err *err) {
  int64_t id = 0;
  enum weir_stored status;
  if (message != NULL) *message = NULL;
  enum weir_status st = weir_store_find_text(s, identity, &id, &status, err);
  if (st == WEIR_OK && id == 0)
    st = weir_fail(err, WEIR_ENOENT, "'%s' does not have this run", s->path);
  if (st == WEIR_OK && message != NULL) st = read_message(s, id, message, err);
  if (st == WEIR_OK && reader != NULL) st = read_stats(s, id, 0, reader, err);
  if (st == WEIR_OK && reader != NULL) st = read_kernels(s, id, reader, err);
  return st;
}
