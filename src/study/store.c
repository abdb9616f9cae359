#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "study/store_schema.h"

static const char *const statuses[] = {[WEIR_STORED_NONE] = "none",
                                       [WEIR_STORED_OK] = "ok",
                                       [WEIR_STORED_REFUSED] = "refused",
                                       [WEIR_STORED_FAILED] = "failed"};

const char *weir_stored_name(enum weir_stored status) {
  return (size_t)status < sizeof statuses / sizeof *statuses ? statuses[status] : "?";
}

static enum weir_stored status_of(const char *name) {
  enum weir_stored s = WEIR_STORED_FAILED;
  while (s > WEIR_STORED_NONE && (name == NULL || strcmp(name, statuses[s]) != 0))
    s--;
  return s;
}

void weir_store_identity(const char *text, char out[WEIR_HASH_TEXT]) {
  weir_hash_bytes(text, strlen(text), out);
}

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* ---- finding ---- */

enum weir_status weir_store_find(struct weir_store *s, const char *hash, const char *text,
                                 int64_t *id, enum weir_stored *status, struct weir_err *err) {
  sqlite3_stmt *q;
  bool is_row = false;
  *id = 0;
  *status = WEIR_STORED_NONE;
  enum weir_status st = weir_store_prepared(s, WEIR_STMT_FIND, &q, err);
  if (st == WEIR_OK && sqlite3_bind_text(q, 1, hash, -1, SQLITE_STATIC) != SQLITE_OK)
    st = weir_store_fail(s, err);
  if (st == WEIR_OK) st = weir_store_step(s, q, &is_row, err);
  if (st != WEIR_OK || !is_row) return st;
  const char *stored = (const char *)sqlite3_column_text(q, 2);
  if (stored == NULL || strcmp(stored, text) != 0) {
    st = weir_fail(err, WEIR_EINVAL, "'%s' has another run with the hash of this one, %s", s->path,
                   hash);
    weir_err_add(err, "remedy: another store for one of the two");
  } else {
    *id = sqlite3_column_int64(q, 0);
    *status = status_of((const char *)sqlite3_column_text(q, 1));
  }
  sqlite3_reset(q);
  return st;
}

enum weir_status weir_store_find_text(struct weir_store *s, const char *identity, int64_t *id,
                                      enum weir_stored *status, struct weir_err *err) {
  char hash[WEIR_HASH_TEXT];
  struct weir_text text = {0};
  weir_store_identity(identity, hash);
  weir_text_escape(&text, identity);
  enum weir_status st = text.failed
                            ? no_memory(err)
                            : weir_store_find(s, hash, text.n > 0 ? text.v : "", id, status, err);
  weir_text_free(&text);
  return st;
}

enum weir_status weir_store_has(struct weir_store *s, const char *identity,
                                enum weir_stored *status, struct weir_err *err) {
  int64_t id;
  return weir_store_find_text(s, identity, &id, status, err);
}

/* ---- names ---- */

/* Where it is, or would be. */
static size_t place_of(const struct weir_store *s, const char *name, bool *is_there) {
  size_t low = 0, high = s->names.n;
  *is_there = false;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    int order = strcmp(s->names.v[mid].text, name);
    *is_there |= order == 0;
    if (order < 0)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

/* Names become those of columns. */
static bool is_printable(const char *name) {
  size_t n = 0;
  while (name[n] >= ' ' && name[n] < 0x7f)
    n++;
  return n > 0 && name[n] == 0;
}

static enum weir_status new_name(struct weir_store *s, const char *text, size_t at, int64_t *id,
                                 struct weir_err *err) {
  sqlite3_stmt *q;
  if (!is_printable(text))
    return weir_fail(err, WEIR_EINVAL, "'%s' cannot be the name of a statistic", text);
  enum weir_status st = weir_store_prepared(s, WEIR_STMT_NAME, &q, err);
  if (st == WEIR_OK && sqlite3_bind_text(q, 1, text, -1, SQLITE_STATIC) != SQLITE_OK)
    st = weir_store_fail(s, err);
  if (st == WEIR_OK) st = weir_store_run_stmt(s, q, err);
  if (st != WEIR_OK) return st;
  struct weir_store_name name = {weir_strdup(text), sqlite3_last_insert_rowid(s->db)};
  if (name.text == NULL || !WEIR_PUSH(s->names, name)) {
    free(name.text);
    return no_memory(err);
  }
  memmove(s->names.v + at + 1, s->names.v + at, (s->names.n - 1 - at) * sizeof name);
  s->names.v[at] = name;
  s->are_views_old = true;
  *id = name.id;
  return WEIR_OK;
}

enum weir_status weir_store_name_id(struct weir_store *s, const char *name, int64_t *id,
                                    struct weir_err *err) {
  bool is_there;
  enum weir_status st = weir_store_load_names(s, err);
  if (st != WEIR_OK) return st;
  size_t at = place_of(s, name, &is_there);
  if (!is_there) return new_name(s, name, at, id, err);
  *id = s->names.v[at].id;
  return WEIR_OK;
}

/* ---- writing ---- */

static bool is_twice(const struct weir_store *s, enum weir_status st) {
  return st != WEIR_OK && sqlite3_extended_errcode(s->db) == SQLITE_CONSTRAINT_PRIMARYKEY;
}

static enum weir_status put_settings(struct weir_store *s, const struct weir_store_run *r,
                                     int64_t id, struct weir_err *err) {
  sqlite3_stmt *q;
  enum weir_status st = weir_store_prepared(s, WEIR_STMT_SETTING, &q, err);
  for (size_t i = 0; st == WEIR_OK && i < r->n_settings; i++) {
    const struct weir_store_setting *v = &r->settings[i];
    bool is_bound =
        sqlite3_bind_int64(q, 1, id) == SQLITE_OK && weir_store_bind_text(s, q, 2, v->key) &&
        weir_store_bind_text(s, q, 3, v->value) && weir_store_bind_text(s, q, 4, v->origin);
    st = is_bound ? weir_store_run_stmt(s, q, err) : no_memory(err);
    if (is_twice(s, st)) weir_fail(err, st, "a run has the setting '%s' twice", v->key);
  }
  return st;
}

static int bind_value(sqlite3_stmt *q, int at, const struct weir_store_stat *v) {
  switch (v->kind) {
  case WEIR_STORE_COUNT:
    return v->count <= INT64_MAX ? sqlite3_bind_int64(q, at, (int64_t)v->count)
                                 : sqlite3_bind_double(q, at, (double)v->count);
  case WEIR_STORE_REAL:
    return sqlite3_bind_double(q, at, v->real); /* which makes no value of a NaN */
  case WEIR_STORE_ABSENT:
    break;
  }
  return sqlite3_bind_null(q, at);
}

static enum weir_status put_stats(struct weir_store *s, int64_t id, size_t kernel,
                                  const struct weir_store_stat *stats, size_t n,
                                  struct weir_err *err) {
  sqlite3_stmt *q;
  enum weir_status st = weir_store_prepared(s, WEIR_STMT_STATISTIC, &q, err);
  if (st != WEIR_OK) return st;
  sqlite3_bind_int64(q, 1, id);
  sqlite3_bind_int64(q, 2, (int64_t)kernel);
  for (size_t i = 0; st == WEIR_OK && i < n; i++) {
    int64_t name;
    st = weir_store_name_id(s, stats[i].name, &name, err);
    if (st != WEIR_OK) break;
    sqlite3_bind_int64(q, 3, name);
    bind_value(q, 4, &stats[i]);
    st = weir_store_run_stmt(s, q, err);
    if (is_twice(s, st)) weir_fail(err, st, "a run has the statistic '%s' twice", stats[i].name);
  }
  return st;
}

static enum weir_status put_kernels(struct weir_store *s, const struct weir_store_run *r,
                                    int64_t id, struct weir_err *err) {
  sqlite3_stmt *q;
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < r->n_kernels; i++) {
    const struct weir_store_kernel *k = &r->kernels[i];
    st = weir_store_prepared(s, WEIR_STMT_KERNEL, &q, err);
    if (st != WEIR_OK) break;
    sqlite3_bind_int64(q, 1, id);
    sqlite3_bind_int64(q, 2, (int64_t)i + 1);
    st = weir_store_bind_text(s, q, 3, k->name) ? weir_store_run_stmt(s, q, err) : no_memory(err);
    if (st == WEIR_OK) st = put_stats(s, id, i + 1, k->stats, k->n_stats, err);
  }
  return st;
}

static enum weir_status put_row(struct weir_store *s, const struct weir_store_run *r, int64_t *id,
                                struct weir_err *err) {
  char hash[WEIR_HASH_TEXT];
  sqlite3_stmt *q;
  weir_store_identity(r->identity, hash);
  enum weir_status st = weir_store_prepared(s, WEIR_STMT_RUN, &q, err);
  if (st != WEIR_OK) return st;
  const char *const texts[] = {hash,
                               r->workload,
                               r->input,
                               r->gpu,
                               r->scheme,
                               NULL,
                               weir_stored_name(r->status),
                               r->message,
                               r->host,
                               NULL,
                               r->provenance,
                               r->identity};
  bool is_bound = true;
  for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++)
    is_bound = is_bound && weir_store_bind_text(s, q, i + 1, texts[i]);
  sqlite3_bind_int64(q, 6, r->seed);
  sqlite3_bind_double(q, 10, r->seconds);
  st = is_bound ? weir_store_run_stmt(s, q, err) : no_memory(err);
  *id = sqlite3_last_insert_rowid(s->db);
  return st;
}

enum weir_status weir_store_delete(struct weir_store *s, int64_t id, struct weir_err *err) {
  sqlite3_stmt *q;
  enum weir_status st = weir_store_prepared(s, WEIR_STMT_DELETE, &q, err);
  if (st != WEIR_OK) return st;
  sqlite3_bind_int64(q, 1, id);
  return weir_store_run_stmt(s, q, err);
}

static enum weir_status put(struct weir_store *s, const struct weir_store_run *r, bool *is_stored,
                            struct weir_err *err) {
  int64_t id;
  enum weir_stored before;
  enum weir_status st = weir_store_find_text(s, r->identity, &id, &before, err);
  *is_stored = before == WEIR_STORED_NONE || before == WEIR_STORED_FAILED;
  if (st != WEIR_OK) return st;
  if (!*is_stored) return weir_store_put_details(s, r, id, err);
  if (before == WEIR_STORED_FAILED) st = weir_store_delete(s, id, err);
  if (st == WEIR_OK) st = put_row(s, r, &id, err);
  if (st == WEIR_OK) st = put_settings(s, r, id, err);
  if (st == WEIR_OK) st = put_stats(s, id, 0, r->stats, r->n_stats, err);
  if (st == WEIR_OK) st = put_kernels(s, r, id, err);
  if (st == WEIR_OK) st = weir_store_put_details(s, r, id, err);
  return st;
}

enum weir_status weir_store_put(struct weir_store *s, const struct weir_store_run *run,
                                bool *is_stored, struct weir_err *err) {
  bool is_new = false;
  if (run->status == WEIR_STORED_NONE)
    return weir_fail(err, WEIR_EBUG, "a run without a status cannot be stored");
  enum weir_status st = weir_store_begin(s, err);
  if (st == WEIR_OK) st = weir_store_end(s, put(s, run, &is_new, err), err);
  if (is_stored != NULL) *is_stored = is_new && st == WEIR_OK;
  return st;
}

/* ---- metrics ---- */

enum weir_status weir_store_metric(struct weir_store *s, const char *name, const char *expression,
                                   struct weir_err *err) {
  sqlite3_stmt *q;
  enum weir_status st = weir_store_begin(s, err);
  if (st != WEIR_OK) return st;
  st = weir_store_prepared(s, WEIR_STMT_METRIC, &q, err);
  if (st == WEIR_OK &&
      !(weir_store_bind_text(s, q, 1, name) && weir_store_bind_text(s, q, 2, expression)))
    st = no_memory(err);
  if (st == WEIR_OK) st = weir_store_run_stmt(s, q, err);
  return weir_store_end(s, st, err);
}
