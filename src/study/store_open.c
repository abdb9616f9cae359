#include "study/store_open.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/mem.h"
#include "study/store_schema.h"

/* For locks of the database: others hold them for a transaction only, and a writer that gave up at
 * once would lose a run. */
enum { LEAST_WAIT_MS = 10000 };

bool weir_store_is_local(unsigned long f_type) {
  static const unsigned long types[] = {
      EXT4_SUPER_MAGIC,      XFS_SUPER_MAGIC,  BTRFS_SUPER_MAGIC,    TMPFS_MAGIC,
      OVERLAYFS_SUPER_MAGIC, F2FS_SUPER_MAGIC, 0x2fc12fc1 /* ZFS */, 0xca451a4e /* bcachefs */};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i] == (f_type & 0xffffffff)) return true;
  return false;
}

/* ---- the file ---- */

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* Are there pages beside the file that are not in it yet? */
static bool has_log(const struct weir_store *s) {
  struct stat info;
  char file[PATH_MAX], log[PATH_MAX + 8];
  if (realpath(s->path, file) == NULL) return false;
  snprintf(log, sizeof log, "%s-wal", file);
  return stat(log, &info) == 0 && info.st_size > 0;
}

/* Of a file that is to be made: SQLite would not say what is wrong. */
static enum weir_status look_at_folder(const struct weir_store *s, struct weir_err *err) {
  char folder[PATH_MAX];
  const char *slash = strrchr(s->path, '/');
  size_t n = slash == NULL ? 0 : (size_t)(slash - s->path) + 1;
  snprintf(folder, sizeof folder, "%.*s", (int)n, s->path);
  if (access(n > 0 ? folder : ".", W_OK | X_OK) == 0) return WEIR_OK;
  enum weir_status st = errno == ENOENT ? WEIR_ENOENT : WEIR_EIO;
  weir_fail(err, st, "cannot make the store '%s': its folder: %s", s->path, strerror(errno));
  weir_err_add(err, "remedy: a folder that is there and may be written");
  return st;
}

static enum weir_status look(const struct weir_store *s, struct weir_err *err) {
  struct stat info;
  if (stat(s->path, &info) != 0) {
    if (errno == ENOENT && s->mode == WEIR_STORE_WRITE) return look_at_folder(s, err);
    enum weir_status st = errno == ENOENT || errno == ENOTDIR ? WEIR_ENOENT : WEIR_EIO;
    return weir_fail(err, st, "cannot open the store '%s': %s", s->path, strerror(errno));
  }
  if (!S_ISREG(info.st_mode))
    return weir_fail(err, WEIR_EINVAL, "'%s' is no file, and a store is one", s->path);
  if (s->mode == WEIR_STORE_WRITE && info.st_nlink > 1) {
    weir_fail(err, WEIR_EINVAL, "'%s' has several names (hard links)", s->path);
    weir_err_add(err, "two writers that know it by two names would damage it");
    weir_err_add(err, "remedy: a copy, or the other names removed");
    return WEIR_EINVAL;
  }
  /* SQLite would take an empty file for a new one, and throw away what is left of the old. */
  if (info.st_size > 0 || !has_log(s)) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL, "'%s' is empty, but '%s-wal' is not: it was cut off", s->path,
            s->path);
  weir_err_add(err, "remedy: a copy of before, or another name");
  return WEIR_EINVAL;
}

/* Of names that mean something else to SQLite, "./" makes plain ones. */
static enum weir_status open_file(struct weir_store *s, const struct weir_store_options *o,
                                  struct weir_err *err) {
  struct weir_text name = {0};
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  if (s->mode == WEIR_STORE_WRITE) flags |= SQLITE_OPEN_CREATE;
  weir_text_printf(&name, "%s%s", s->path[0] == '/' ? "" : "./", s->path);
  if (name.failed) return no_memory(err);
  int code = sqlite3_open_v2(name.v, &s->db, flags, NULL);
  weir_text_free(&name);
  if (s->db == NULL) return no_memory(err);
  if (code != SQLITE_OK) return weir_store_fail(s, err);
  sqlite3_busy_timeout(s->db,
                       o->wait_ms > LEAST_WAIT_MS ? (int)(o->wait_ms & INT32_MAX) : LEAST_WAIT_MS);
  /* A misspelt name in double quotes would be a text, and no error. */
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
  /* Until it is known to be a store, closing it must not write what waits in its log. */
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
  return WEIR_OK;
}

static enum weir_status lock(struct weir_store *s, const struct weir_store_options *o,
                             struct weir_err *err) {
  if (sqlite3_db_readonly(s->db, "main") == 1) {
    weir_fail(err, WEIR_EIO, "cannot write '%s': it may not be written", s->path);
    weir_err_add(err, "remedy: chmod u+w, or a copy in a folder of your own");
    return WEIR_EIO;
  }
  return weir_store_lock(&s->lock, sqlite3_db_filename(s->db, "main"), s->path, o->wait_ms, err);
}

/* ---- is it a store? ---- */

struct marks {
  int64_t application, version, n_objects;
};

/* At one moment: another process may just be making it. */
static enum weir_status read_marks(struct weir_store *s, struct marks *m, struct weir_err *err) {
  enum weir_status st = weir_store_exec(s, "BEGIN", err);
  if (st != WEIR_OK) return st;
  st = weir_store_number(s, "SELECT count(*) FROM sqlite_schema", &m->n_objects, err);
  if (st == WEIR_OK) st = weir_store_number(s, "PRAGMA application_id", &m->application, err);
  if (st == WEIR_OK) st = weir_store_number(s, "PRAGMA user_version", &m->version, err);
  if (!sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  return st;
}

static bool is_empty(const struct marks *m) {
  return m->application == 0 && m->version == 0 && m->n_objects == 0;
}

static enum weir_status refuse_other(const struct weir_store *s, const struct marks *m,
                                     struct weir_err *err) {
  weir_fail(err, WEIR_EINVAL, "'%s' is %s", s->path,
            is_empty(m) ? "empty: nothing was stored there yet"
                        : "a database, but no store of results");
  if (!is_empty(m))
    weir_err_add(err, "remedy: another name: a new store is made where there is no file");
  return WEIR_EINVAL;
}

static enum weir_status refuse_version(const struct weir_store *s, int64_t version,
                                       struct weir_err *err) {
  weir_fail(err, WEIR_EINVAL,
            "'%s' has version %" PRId64 " of the store; this weir reads version %d", s->path,
            version, WEIR_STORE_VERSION);
  weir_err_add(err, version > WEIR_STORE_VERSION
                        ? "remedy: a newer weir, or another store for this one"
                        : "remedy: a command that writes to it brings it up to date");
  return WEIR_EINVAL;
}

/* SQLite itself takes half a last page for a whole one, and a single byte for nothing. */
static enum weir_status check_size(struct weir_store *s, struct weir_err *err) {
  struct stat info;
  int64_t n_pages, page_bytes;
  enum weir_status st = weir_store_number(s, "PRAGMA page_count", &n_pages, err);
  if (st == WEIR_OK) st = weir_store_number(s, "PRAGMA page_size", &page_bytes, err);
  if (st != WEIR_OK || has_log(s) || stat(s->path, &info) != 0) return st;
  if (n_pages == 0 ? info.st_size == 0 : info.st_size >= n_pages * page_bytes) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL, "'%s' is no store of results, or its end is missing", s->path);
  weir_err_add(err, "remedy: a copy of before, or another name");
  return WEIR_EINVAL;
}

static enum weir_status check_contents(struct weir_store *s, struct weir_err *err) {
  sqlite3_stmt *q = NULL;
  bool is_row = false;
  if (sqlite3_prepare_v2(s->db, "PRAGMA quick_check(1)", -1, &q, NULL) != SQLITE_OK)
    return weir_store_fail(s, err);
  enum weir_status st = weir_store_step(s, q, &is_row, err);
  const char *said = is_row ? (const char *)sqlite3_column_text(q, 0) : NULL;
  if (st == WEIR_OK && (said == NULL || strcmp(said, "ok") != 0)) {
    st = weir_fail(err, WEIR_EINVAL, "'%s' is damaged: %s", s->path, said != NULL ? said : "?");
    weir_err_add(err,
                 "remedy: a copy of before; 'sqlite3 %s .recover' writes out what can still be "
                 "read",
                 s->path);
  }
  sqlite3_finalize(q);
  return st;
}

static enum weir_status accept_to_write(struct weir_store *s, const struct weir_store_options *o,
                                        const struct marks *m, struct weir_err *err) {
  enum weir_status st = check_size(s, err);
  if (st != WEIR_OK) return st;
  if (is_empty(m)) return weir_store_create(s, err);
  if (!o->was_checked) st = check_contents(s, err);
  if (st == WEIR_OK && m->version < WEIR_STORE_VERSION)
    st = weir_store_upgrade(s, weir_store_changes, WEIR_STORE_VERSION, err);
  return st;
}

static enum weir_status accept_file(struct weir_store *s, const struct weir_store_options *o,
                                    struct weir_err *err) {
  struct marks m = {0};
  enum weir_status st = read_marks(s, &m, err);
  if (st != WEIR_OK) return st;
  bool is_written = s->mode == WEIR_STORE_WRITE;
  if (m.application != WEIR_STORE_APPLICATION && !(is_written && is_empty(&m)))
    return refuse_other(s, &m, err);
  if (m.version > WEIR_STORE_VERSION || (!is_written && m.version < WEIR_STORE_VERSION))
    return refuse_version(s, m.version, err);
  if (is_written) st = accept_to_write(s, o, &m, err);
  if (st == WEIR_OK) sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
  return st;
}

/* ---- how it is written ---- */

/* A reader in the way leaves it as it is, which is right, too. */
static enum weir_status set_journal(struct weir_store *s, bool is_shard, struct weir_err *err) {
  struct statfs fs;
  const char *file = sqlite3_db_filename(s->db, "main");
  bool is_wal =
      !is_shard && statfs(file, &fs) == 0 && weir_store_is_local((unsigned long)fs.f_type);
  int code =
      sqlite3_exec(s->db, is_wal ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE",
                   NULL, NULL, NULL);
  return code == SQLITE_OK || (code & 0xff) == SQLITE_BUSY ? WEIR_OK : weir_store_fail(s, err);
}

static enum weir_status open_at(struct weir_store *s, const struct weir_store_options *o,
                                struct weir_err *err) {
  bool is_written = s->mode == WEIR_STORE_WRITE;
  enum weir_status st = look(s, err);
  if (st == WEIR_OK) st = open_file(s, o, err);
  if (st == WEIR_OK && is_written) st = lock(s, o, err);
  /* On the disk, the folder's entries too, before a commit is said to have been. */
  if (st == WEIR_OK)
    st = weir_store_exec(s, is_written ? "PRAGMA synchronous = EXTRA" : "PRAGMA query_only = ON",
                         err);
  if (st == WEIR_OK) st = accept_file(s, o, err);
  if (st == WEIR_OK && is_written) st = set_journal(s, o->is_shard, err);
  return st;
}

enum weir_status weir_store_open(const char *path, enum weir_store_mode mode,
                                 const struct weir_store_options *o, struct weir_store **out,
                                 struct weir_err *err) {
  static const struct weir_store_options none;
  *out = NULL;
  if (path[0] == 0) return weir_fail(err, WEIR_EINVAL, "the name of a store is empty");
  struct weir_store *s = weir_calloc(1, sizeof *s);
  if (s != NULL) s->path = weir_strdup(path);
  if (s == NULL || s->path == NULL) {
    free(s);
    return no_memory(err);
  }
  s->mode = mode;
  s->pid = getpid();
  enum weir_status st = open_at(s, o != NULL ? o : &none, err);
  if (st == WEIR_OK)
    *out = s;
  else
    weir_store_close(s);
  return st;
}

/* Without a log beside it the file can be copied, and read where nothing may be written. A reader
 * in the way: the log stays, and is read with it. */
static void tidy(struct weir_store *s) {
  int is_unknown = 0;
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, -1, &is_unknown);
  if (s->mode != WEIR_STORE_WRITE || is_unknown) return;
  sqlite3_busy_timeout(s->db, 0);
  sqlite3_exec(s->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
}

void weir_store_close(struct weir_store *s) {
  if (s == NULL) return;
  /* A child has no locks: closing would take the log away from its parent. */
  if (s->db != NULL && s->pid == getpid()) {
    for (int i = 0; i < WEIR_N_STMTS; i++)
      sqlite3_finalize(s->stmt[i]);
    tidy(s);
    sqlite3_close(s->db);
    weir_store_unlock(&s->lock);
  }
  weir_store_forget_names(s);
  free(s->names.v);
  weir_text_free(&s->scratch);
  free(s->path);
  free(s);
}

/* Opening it takes back what was begun. */
bool weir_store_is_empty(const char *path) {
  struct stat info;
  struct weir_store *s = NULL;
  struct weir_err err;
  if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
  if (weir_store_is_still(path, &err) != WEIR_OK) return false;
  bool is_store = weir_store_open(path, WEIR_STORE_READ, NULL, &s, &err) == WEIR_OK;
  weir_store_close(s);
  return !is_store && stat(path, &info) == 0 && info.st_size == 0 &&
         !has_log(&(struct weir_store){.path = (char *)(uintptr_t)path});
}

struct sqlite3 *weir_store_sql(struct weir_store *s) {
  return s->db;
}
