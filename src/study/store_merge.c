#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "study/store_schema.h"

struct merge {
  struct weir_store *into, *from;
  const char *const *before; /* stores that were merged in the same transaction */
  size_t n_before;
  char hash[WEIR_HASH_TEXT]; /* of the run that is looked at */
  int64_t from_id;
  struct weir_store_merged n;
  struct weir_text about[2], results[2]; /* of the run in `into` and in `from` */
};

static bool bind_columns(sqlite3_stmt *to, int first, sqlite3_stmt *from, int n) {
  bool is_good = true;
  for (int i = 0; i < n; i++)
    is_good =
        is_good && sqlite3_bind_value(to, first + i, sqlite3_column_value(from, i)) == SQLITE_OK;
  return is_good;
}

/* ---- copying a run ---- */

static enum weir_status copy_row(struct merge *m, int64_t *id, struct weir_err *err) {
  sqlite3_stmt *from, *to;
  bool is_row = false;
  enum weir_status st = weir_store_prepared(m->from, WEIR_STMT_READ_RUN, &from, err);
  if (st == WEIR_OK) st = weir_store_prepared(m->into, WEIR_STMT_RUN, &to, err);
  if (st != WEIR_OK) return st;
  sqlite3_bind_int64(from, 1, m->from_id);
  st = weir_store_step(m->from, from, &is_row, err);
  if (st != WEIR_OK || !is_row) return st;
  st = bind_columns(to, 1, from, sqlite3_column_count(from)) ? weir_store_run_stmt(m->into, to, err)
                                                             : weir_store_fail(m->into, err);
  sqlite3_reset(from);
  *id = sqlite3_last_insert_rowid(m->into->db);
  return st;
}

/* Rows whose first column is the run. */
static enum weir_status copy_rows(struct merge *m, enum weir_store_stmt read,
                                  enum weir_store_stmt write, int64_t id, struct weir_err *err) {
  sqlite3_stmt *from, *to;
  bool is_row;
  enum weir_status st = weir_store_prepared(m->from, read, &from, err);
  if (st == WEIR_OK) st = weir_store_prepared(m->into, write, &to, err);
  if (st != WEIR_OK) return st;
  sqlite3_bind_int64(from, 1, m->from_id);
  sqlite3_bind_int64(to, 1, id);
  while ((st = weir_store_step(m->from, from, &is_row, err)) == WEIR_OK && is_row) {
    st = bind_columns(to, 2, from, sqlite3_column_count(from))
             ? weir_store_run_stmt(m->into, to, err)
             : weir_store_fail(m->into, err);
    if (st != WEIR_OK) break;
  }
  return st;
}

static enum weir_status copy_statistics(struct merge *m, int64_t id, int64_t kernel,
                                        struct weir_err *err) {
  sqlite3_stmt *from, *to;
  bool is_row;
  enum weir_status st = weir_store_prepared(m->from, WEIR_STMT_READ_STATISTICS, &from, err);
  if (st == WEIR_OK) st = weir_store_prepared(m->into, WEIR_STMT_STATISTIC, &to, err);
  if (st != WEIR_OK) return st;
  sqlite3_bind_int64(from, 1, m->from_id);
  sqlite3_bind_int64(from, 2, kernel);
  sqlite3_bind_int64(to, 1, id);
  sqlite3_bind_int64(to, 2, kernel);
  while ((st = weir_store_step(m->from, from, &is_row, err)) == WEIR_OK && is_row) {
    const char *name = (const char *)sqlite3_column_text(from, 0);
    int64_t name_id;
    st = weir_store_name_id(m->into, name != NULL ? name : "", &name_id, err);
    if (st != WEIR_OK) break;
    sqlite3_bind_int64(to, 3, name_id);
    sqlite3_bind_value(to, 4, sqlite3_column_value(from, 1));
    st = weir_store_run_stmt(m->into, to, err);
    if (st != WEIR_OK) break;
  }
  return st;
}

static enum weir_status copy_all_statistics(struct merge *m, int64_t id, struct weir_err *err) {
  sqlite3_stmt *q;
  bool is_row;
  enum weir_status st = copy_statistics(m, id, 0, err);
  if (st == WEIR_OK) st = weir_store_prepared(m->from, WEIR_STMT_READ_KERNELS, &q, err);
  if (st != WEIR_OK) return st;
  sqlite3_bind_int64(q, 1, m->from_id);
  while ((st = weir_store_step(m->from, q, &is_row, err)) == WEIR_OK && is_row) {
    st = copy_statistics(m, id, sqlite3_column_int64(q, 0), err);
    if (st != WEIR_OK) break;
  }
  return st;
}

/* Those that the other store has, and the run in `into` lacks. */
static enum weir_status copy_details(struct merge *m, int64_t id, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (const struct weir_store_detail *d = weir_store_details; st == WEIR_OK && d->table != NULL;
       d++) {
    bool lacks, has_none = true;
    if (!weir_store_has_table(m->from, d->table)) continue;
    st = weir_store_detail(m->from, d, m->from_id, &has_none, err);
    if (st != WEIR_OK || has_none) continue;
    st = weir_store_detail(m->into, d, id, &lacks, err);
    if (st == WEIR_OK && lacks) st = copy_rows(m, d->read, d->write, id, err);
  }
  return st;
}

static enum weir_status copy(struct merge *m, struct weir_err *err) {
  int64_t id = 0;
  enum weir_status st = copy_row(m, &id, err);
  if (st == WEIR_OK) st = copy_rows(m, WEIR_STMT_READ_SETTINGS, WEIR_STMT_SETTING, id, err);
  if (st == WEIR_OK) st = copy_rows(m, WEIR_STMT_READ_KERNELS, WEIR_STMT_KERNEL, id, err);
  if (st == WEIR_OK) st = copy_all_statistics(m, id, err);
  if (st == WEIR_OK) st = copy_details(m, id, err);
  if (st == WEIR_OK) m->n.taken++;
  return st;
}

/* ---- which of two ---- */

static int order_of(const struct weir_text *a, const struct weir_text *b) {
  return strcmp(a->n > 0 ? a->v : "", b->n > 0 ? b->v : "");
}

/* Where the run in `into` comes from: after an error it may not be there any more. */
static const char *first_of(const struct merge *m, const char *hash) {
  for (size_t i = 0; i < m->n_before; i++) {
    struct weir_store *s;
    sqlite3_stmt *q = NULL;
    bool is_row = false;
    if (weir_store_open(m->before[i], WEIR_STORE_READ, NULL, &s, NULL) != WEIR_OK) continue;
    if (weir_store_prepared(s, WEIR_STMT_FIND, &q, NULL) == WEIR_OK &&
        weir_store_bind_text(s, q, 1, hash) && weir_store_step(s, q, &is_row, NULL) != WEIR_OK)
      is_row = false;
    weir_store_close(s);
    if (is_row) return m->before[i];
  }
  return m->into->path;
}

/* What was run, in one line, without its settings. */
static void put_about(struct weir_text *out, const char *about) {
  const char *end = strstr(about, "\nstatus ");
  for (; *about != 0 && about != end; about++)
    weir_text_puts(out, *about == '\n' ? ", " : (const char[]){*about, 0});
}

static enum weir_status refuse(const struct merge *m, struct weir_err *err) {
  struct weir_text about = {0};
  put_about(&about, m->about[0].n > 0 ? m->about[0].v : "");
  weir_fail(err, WEIR_EINVAL, "the same run has other results in '%s' than in '%s':", m->from->path,
            first_of(m, m->hash));
  weir_err_add(err, "%.300s", about.v != NULL ? about.v : m->hash);
  weir_err_add(err,
               "remedy: find out which is right, and delete the other: "
               "sqlite3 FILE \"DELETE FROM runs WHERE identity = '%s'\"",
               m->hash);
  weir_text_free(&about);
  return WEIR_EINVAL;
}

/* Both ended, or both failed. What they say of themselves may be written in two ways (a workload by
 * its name or by its path): then the smaller text wins, whichever is merged first. */
static enum weir_status choose(struct merge *m, int64_t into_id, bool *is_theirs,
                               struct weir_err *err) {
  for (int i = 0; i < 2; i++)
    m->about[i].n = m->results[i].n = 0;
  enum weir_status st = weir_store_describe(m->into, into_id, &m->about[0], &m->results[0], err);
  if (st == WEIR_OK)
    st = weir_store_describe(m->from, m->from_id, &m->about[1], &m->results[1], err);
  if (st != WEIR_OK) return st;
  *is_theirs = order_of(&m->about[1], &m->about[0]) < 0;
  return order_of(&m->results[0], &m->results[1]) == 0 ? WEIR_OK : refuse(m, err);
}

static enum weir_status find_both(struct merge *m, int64_t *into_id, enum weir_stored *ours,
                                  enum weir_stored *theirs, struct weir_err *err) {
  sqlite3_stmt *q;
  bool is_row = false;
  char *text = NULL;
  int64_t id;
  enum weir_status st = weir_store_prepared(m->from, WEIR_STMT_READ_RUN, &q, err);
  if (st != WEIR_OK) return st;
  sqlite3_bind_int64(q, 1, m->from_id);
  st = weir_store_step(m->from, q, &is_row, err);
  if (st == WEIR_OK && is_row) {
    const char *stored = (const char *)sqlite3_column_text(q, sqlite3_column_count(q) - 1);
    text = weir_strdup(stored != NULL ? stored : "");
  }
  sqlite3_reset(q);
  if (st == WEIR_OK && text == NULL) st = weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (st == WEIR_OK) st = weir_store_find(m->from, m->hash, text, &id, theirs, err);
  if (st == WEIR_OK) st = weir_store_find(m->into, m->hash, text, into_id, ours, err);
  free(text);
  return st;
}

static enum weir_status merge_run(struct merge *m, struct weir_err *err) {
  int64_t into_id = 0;
  enum weir_stored ours = WEIR_STORED_NONE, theirs = WEIR_STORED_NONE;
  bool is_theirs = true;
  enum weir_status st = find_both(m, &into_id, &ours, &theirs, err);
  if (st != WEIR_OK) return st;
  if (ours == WEIR_STORED_NONE) return copy(m, err);
  if ((ours == WEIR_STORED_FAILED) != (theirs == WEIR_STORED_FAILED))
    is_theirs = ours == WEIR_STORED_FAILED;
  else
    st = choose(m, into_id, &is_theirs, err);
  if (st != WEIR_OK) return st;
  if (!is_theirs) {
    m->n.skipped++;
    return ours == theirs ? copy_details(m, into_id, err) : WEIR_OK;
  }
  m->n.replaced++;
  st = weir_store_delete(m->into, into_id, err);
  return st == WEIR_OK ? copy(m, err) : st;
}

/* ---- all of them ---- */

/* One transaction of the other store for each run: its writer never waits for more. */
static enum weir_status merge_next(struct merge *m, struct weir_err *err) {
  enum weir_status st = weir_store_exec(m->from, "BEGIN", err);
  if (st == WEIR_OK) st = weir_store_next(m->from, m->hash, &m->from_id, err);
  if (st == WEIR_OK && m->from_id != 0) st = merge_run(m, err);
  for (int i = 0; i < WEIR_N_STMTS; i++)
    sqlite3_reset(m->from->stmt[i]);
  if (!sqlite3_get_autocommit(m->from->db)) sqlite3_exec(m->from->db, "COMMIT", NULL, NULL, NULL);
  return st;
}

static enum weir_status not_itself(const struct weir_store *into, const char *path,
                                   struct weir_err *err) {
  struct stat a, b;
  if (stat(into->path, &a) != 0 || stat(path, &b) != 0 || a.st_ino != b.st_ino ||
      a.st_dev != b.st_dev)
    return WEIR_OK;
  return weir_fail(err, WEIR_EINVAL, "'%s' cannot be merged into itself", path);
}

/* Within a transaction. */
static enum weir_status copy_metrics(struct merge *m, struct weir_err *err) {
  sqlite3_stmt *from, *to;
  bool is_row;
  enum weir_status st = weir_store_prepared(m->from, WEIR_STMT_READ_METRICS, &from, err);
  if (st == WEIR_OK) st = weir_store_prepared(m->into, WEIR_STMT_METRIC, &to, err);
  if (st != WEIR_OK) return st;
  while ((st = weir_store_step(m->from, from, &is_row, err)) == WEIR_OK && is_row) {
    st = bind_columns(to, 1, from, 2) ? weir_store_run_stmt(m->into, to, err)
                                      : weir_store_fail(m->into, err);
    if (st != WEIR_OK) break;
  }
  return st;
}

static enum weir_status merge_store(struct weir_store *into, const char *const *paths, size_t at,
                                    struct weir_store_merged *merged, struct weir_err *err) {
  struct merge m = {.into = into, .from_id = 1, .before = paths, .n_before = at};
  const char *path = paths[at];
  enum weir_status st = not_itself(into, path, err);
  if (st == WEIR_OK) st = weir_store_open(path, WEIR_STORE_READ, NULL, &m.from, err);
  while (st == WEIR_OK && m.from_id != 0)
    st = merge_next(&m, err);
  if (st == WEIR_OK) st = copy_metrics(&m, err);
  for (int i = 0; i < 2; i++) {
    weir_text_free(&m.about[i]);
    weir_text_free(&m.results[i]);
  }
  weir_store_close(m.from);
  *merged = m.n;
  return st;
}

enum weir_status weir_store_merge_all(struct weir_store *into, const char *const *paths, size_t n,
                                      struct weir_store_merged *merged, struct weir_err *err) {
  enum weir_status st = weir_store_begin(into, err);
  if (st == WEIR_OK) {
    for (size_t i = 0; st == WEIR_OK && i < n; i++)
      st = merge_store(into, paths, i, &merged[i], err);
    st = weir_store_end(into, st, err);
  }
  for (size_t i = 0; st != WEIR_OK && i < n; i++)
    merged[i] = (struct weir_store_merged){0};
  return st;
}

enum weir_status weir_store_merge(struct weir_store *into, const char *path,
                                  struct weir_store_merged *merged, struct weir_err *err) {
  struct weir_store_merged mine;
  return weir_store_merge_all(into, &path, 1, merged != NULL ? merged : &mine, err);
}
