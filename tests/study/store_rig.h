/* A folder for stores, and runs to put there. */
#ifndef WEIR_TESTS_STUDY_STORE_RIG_H
#define WEIR_TESTS_STUDY_STORE_RIG_H

#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "study/store.h"
#include "testing.h"

static char dir[512];

static inline const char *in_dir(const char *name) {
  static char paths[8][700];
  static unsigned next;
  char *path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", dir, name);
  return path;
}

static inline int make_dir(void **state) {
  (void)state;
  const char *tmp = getenv("WEIR_TEST_TMP");
  snprintf(dir, sizeof dir, "%s/store-XXXXXX", tmp ? tmp : "/tmp");
  return mkdtemp(dir) != NULL ? 0 : -1;
}

static inline int remove_dir(void **state) {
  (void)state;
  DIR *d = opendir(dir);
  for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
    if (e->d_name[0] != '.' && unlinkat(dirfd(d), e->d_name, 0) != 0)
      unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
  if (d != NULL) closedir(d);
  return rmdir(dir);
}

static inline struct weir_store *open_with(const char *path, enum weir_store_mode mode,
                                           const struct weir_store_options *o) {
  struct weir_store *s;
  struct weir_err err;
  if (weir_store_open(path, mode, o, &s, &err) != WEIR_OK) fail_msg("%s", err.msg);
  return s;
}

static inline struct weir_store *open_store(const char *path, enum weir_store_mode mode) {
  return open_with(path, mode, NULL);
}

static inline struct weir_store *open_shard(const char *path) {
  return open_with(path, WEIR_STORE_WRITE, &(struct weir_store_options){.is_shard = true});
}

static inline void assert_refused(const char *path, enum weir_store_mode mode, enum weir_status st,
                                  const char *why) {
  struct weir_store *s;
  struct weir_err err;
  assert_int_equal(weir_store_open(path, mode, NULL, &s, &err), st);
  assert_null(s);
  assert_contains(err.msg, path);
  assert_contains(err.msg, why);
}

/* Run `n`: some statistics, which follow from `n`, for itself and for two kernels. */
struct some_run {
  char identity[64];
  struct weir_store_stat stats[2][3];
  struct weir_store_kernel kernels[2];
  struct weir_store_setting settings[2];
  struct weir_store_run run;
};

static inline const struct weir_store_run *some_run(struct some_run *r, unsigned n) {
  snprintf(r->identity, sizeof r->identity, "model 1\nworkload w\nn %u\n", n);
  for (unsigned k = 0; k < 2; k++) {
    r->stats[k][0] = (struct weir_store_stat){"core.cycles", WEIR_STORE_COUNT, 1000 * n + k, 0};
    r->stats[k][1] = (struct weir_store_stat){"l1.hit-rate", WEIR_STORE_REAL, 0, 1.0 / (n + k + 2)};
    r->stats[k][2] = (struct weir_store_stat){"l2.hit-rate", WEIR_STORE_ABSENT, 0, 0};
    r->kernels[k] = (struct weir_store_kernel){k == 0 ? "first" : "second", r->stats[k], 3};
  }
  r->settings[0] = (struct weir_store_setting){"l1.ways", "4", "--set"};
  r->settings[1] = (struct weir_store_setting){"l1.size", "16K", NULL};
  r->run = (struct weir_store_run){.identity = r->identity,
                                   .workload = "w",
                                   .input = "eval",
                                   .gpu = "g",
                                   .scheme = "tsc+",
                                   .seed = n,
                                   .status = WEIR_STORED_OK,
                                   .host = "h",
                                   .seconds = 0.5,
                                   .provenance = "{}",
                                   .settings = r->settings,
                                   .n_settings = 2,
                                   .stats = r->stats[1],
                                   .n_stats = 3,
                                   .kernels = r->kernels,
                                   .n_kernels = 2};
  return &r->run;
}

static inline bool put_run(struct weir_store *s, const struct weir_store_run *run) {
  struct weir_err err;
  bool is_stored;
  if (weir_store_put(s, run, &is_stored, &err) != WEIR_OK) fail_msg("%s", err.msg);
  return is_stored;
}

static inline bool put_some(struct weir_store *s, unsigned n) {
  struct some_run r;
  return put_run(s, some_run(&r, n));
}

static inline enum weir_stored has_some(struct weir_store *s, unsigned n) {
  struct some_run r;
  struct weir_err err;
  enum weir_stored status;
  if (weir_store_has(s, some_run(&r, n)->identity, &status, &err) != WEIR_OK)
    fail_msg("%s", err.msg);
  return status;
}

/* The first column of the first row as text, "" for no value; static. */
static inline const char *asked(sqlite3 *db, const char *sql) {
  static char answer[4][1000];
  static unsigned next;
  char *out = answer[next++ % 4];
  sqlite3_stmt *q;
  if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK)
    fail_msg("%s: %s", sql, sqlite3_errmsg(db));
  int code = sqlite3_step(q);
  if (code != SQLITE_ROW && code != SQLITE_DONE) fail_msg("%s: %s", sql, sqlite3_errmsg(db));
  const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : NULL;
  snprintf(out, sizeof answer[0], "%s", text != NULL ? text : "");
  sqlite3_finalize(q);
  return out;
}

static inline const char *asked_of(struct weir_store *s, const char *sql) {
  return asked(weir_store_sql(s), sql);
}

/* As another program does it. */
static inline void do_sql(const char *path, const char *sql) {
  sqlite3 *db;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  sqlite3_busy_timeout(db, 10000);
  char *why = NULL;
  if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK) fail_msg("%s: %s", sql, why);
  sqlite3_close(db);
}

/* Freed by the caller. */
static inline char *dump_of(struct weir_store *s) {
  char *text = NULL;
  size_t n = 0;
  struct weir_err err;
  FILE *f = open_memstream(&text, &n);
  if (weir_store_dump(s, f, &err) != WEIR_OK) fail_msg("%s", err.msg);
  fclose(f);
  return text;
}

static inline char *dump_at(const char *path) {
  struct weir_store *s = open_store(path, WEIR_STORE_READ);
  char *text = dump_of(s);
  weir_store_close(s);
  return text;
}

#endif
