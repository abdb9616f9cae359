/* weir merge DIR|STORE... -o STORE */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "study/store.h"

enum { OPT_OUTPUT = 1, OPT_QUIET };

static const struct weir_usage usage = {
    .command = "merge",
    .synopsis = "DIR|STORE... -o STORE [--quiet]",
    .about =
        "Join stores of results. Of a folder all files *.db are taken, in the order of their "
        "names. Runs\n"
        "that the output has already stay as they are; one that ended or was refused takes the "
        "place of one\n"
        "that failed. The order of the stores makes no difference, and merging them once more "
        "changes\n"
        "nothing. If the same run has other results in two stores, nothing at all is merged: one "
        "of the two\n"
        "is wrong.",
    .opts =
        (const struct weir_opt[]){
            {"output", 'o', "STORE",
             "the store that they are merged into; one that is there is added to", OPT_OUTPUT},
            {"quiet", 'q', NULL, "print nothing if all is well", OPT_QUIET},
            {.name = NULL}},
    .examples = "  weir merge shards -o all.db\n"
                "  weir merge monday.db tuesday.db -o week.db\n",
};

struct merge {
  struct {
    const char **v;
    size_t n, cap;
  } words, stores, empty;
  const char *output;
  bool quiet;
  struct weir_arena arena;
};

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* ---- which stores ---- */

static int is_store_name(const struct dirent *e) {
  size_t n = strlen(e->d_name);
  return n > 3 && e->d_name[0] != '.' && strcmp(e->d_name + n - 3, ".db") == 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_same_file(const char *a, const char *b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* But for the output, which may lie there, too, and for those that are empty. */
static enum weir_status add_folder(struct merge *m, const char *folder, struct weir_err *err) {
  struct dirent **entries;
  size_t before = m->stores.n;
  enum weir_status st = WEIR_OK;
  int n = scandir(folder, &entries, is_store_name, by_bytes);
  if (n < 0)
    return weir_fail(err, WEIR_EIO, "cannot read the folder '%s': %s", folder, strerror(errno));
  for (int i = 0; i < n; i++) {
    const char *slash = folder[strlen(folder) - 1] == '/' ? "" : "/";
    const char *path = weir_arena_printf(&m->arena, "%s%s%s", folder, slash, entries[i]->d_name);
    bool is_left = path != NULL && is_same_file(path, m->output);
    bool is_none = path != NULL && !is_left && weir_store_is_empty(path);
    if (path == NULL || (is_none && !WEIR_PUSH(m->empty, path)) ||
        (!is_left && !is_none && !WEIR_PUSH(m->stores, path)))
      st = no_memory(err);
    free(entries[i]);
  }
  free(entries);
  if (st != WEIR_OK || m->stores.n > before) return st;
  weir_fail(err, WEIR_ENOENT, "there is no store in the folder '%s'", folder);
  weir_err_add(err, "what ends in .db is taken for one%s",
               n > 0 ? "; the output itself and empty files do not count" : "");
  return WEIR_ENOENT;
}

static enum weir_status find_stores(struct merge *m, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < m->words.n; i++) {
    struct stat info;
    if (stat(m->words.v[i], &info) == 0 && S_ISDIR(info.st_mode))
      st = add_folder(m, m->words.v[i], err);
    else if (!WEIR_PUSH(m->stores, m->words.v[i]))
      st = no_memory(err);
  }
  return st;
}

/* What is wrong with one of them is said before an output is made. Of one that is still being
 * written, runs would be missing. */
static enum weir_status check_stores(const struct merge *m, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < m->stores.n; i++) {
    struct weir_store *s = NULL;
    if (is_same_file(m->stores.v[i], m->output))
      return weir_fail(err, WEIR_EINVAL, "'%s' cannot be merged into itself", m->stores.v[i]);
    st = weir_store_is_still(m->stores.v[i], err);
    if (st == WEIR_OK) st = weir_store_open(m->stores.v[i], WEIR_STORE_READ, NULL, &s, err);
    weir_store_close(s);
  }
  return st;
}

/* ---- merging ---- */

static void say_merged(const char *path, const struct weir_store_merged *n, struct weir_text *out) {
  weir_text_printf(out, "%s: %" PRIu64 " taken, ", path, n->taken - n->replaced);
  weir_text_printf(out, "%" PRIu64 " replaced, %" PRIu64 " there already\n", n->replaced,
                   n->skipped);
}

/* "all.db: 72 runs: 70 ok, 1 refused, 1 failed" */
static enum weir_status say_runs(struct weir_store *s, const char *path, struct weir_text *out,
                                 struct weir_err *err) {
  static const char sql[] =
      "SELECT count(*), count(*) FILTER (WHERE status = 'ok'), count(*) FILTER (WHERE status = "
      "'refused'), count(*) FILTER (WHERE status = 'failed') FROM runs";
  sqlite3_stmt *q = NULL;
  sqlite3 *db = weir_store_sql(s);
  if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK || sqlite3_step(q) != SQLITE_ROW) {
    weir_fail(err, WEIR_EIO, "cannot read '%s': %s", path, sqlite3_errmsg(db));
    sqlite3_finalize(q);
    return WEIR_EIO;
  }
  weir_text_printf(out, "%s: %lld runs: %lld ok, %lld refused, %lld failed\n", path,
                   sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1),
                   sqlite3_column_int64(q, 2), sqlite3_column_int64(q, 3));
  sqlite3_finalize(q);
  return WEIR_OK;
}

static enum weir_status merge_into(const struct merge *m, struct weir_store *s,
                                   struct weir_text *out, struct weir_err *err) {
  struct weir_store_merged *merged =
      weir_arena_array((struct weir_arena *)&m->arena, m->stores.n, sizeof *merged);
  if (merged == NULL) return no_memory(err);
  enum weir_status st = weir_store_merge_all(s, m->stores.v, m->stores.n, merged, err);
  for (size_t i = 0; st == WEIR_OK && i < m->stores.n; i++)
    say_merged(m->stores.v[i], &merged[i], out);
  for (size_t i = 0; st == WEIR_OK && i < m->empty.n; i++)
    weir_text_printf(out, "%s: empty\n", m->empty.v[i]);
  return st == WEIR_OK ? say_runs(s, m->output, out, err) : st;
}

/* An output that was made for nothing does not stay. */
static enum weir_status merge(struct merge *m, struct weir_text *out, struct weir_err *err) {
  struct weir_store *s = NULL;
  enum weir_status st = find_stores(m, err);
  if (st == WEIR_OK) st = check_stores(m, err);
  if (st != WEIR_OK) return st;
  bool is_new = access(m->output, F_OK) != 0;
  st = weir_store_open(m->output, WEIR_STORE_WRITE, NULL, &s, err);
  if (st != WEIR_OK) return st;
  st = merge_into(m, s, out, err);
  weir_store_close(s);
  if (st != WEIR_OK && is_new) unlink(m->output);
  return st;
}

/* Returns -1 to go on, else the exit code. */
static int parse_options(int argc, char **argv, struct merge *m) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  for (int id; (id = weir_opt_next(&args, &usage)) != WEIR_OPT_END;) {
    if (id == WEIR_OPT_DONE) return args.exit_code;
    if (id == OPT_QUIET) m->quiet = true;
    if (id == OPT_OUTPUT) m->output = args.value;
    if (id == WEIR_OPT_WORD && !WEIR_PUSH(m->words, args.value)) {
      no_memory(&err);
      return weir_cli_error(&err);
    }
  }
  if (m->words.n == 0) return weir_cli_usage("merge", "which stores? Files, or a folder of them");
  if (m->output == NULL) return weir_cli_usage("merge", "into which store? -o STORE");
  return -1;
}

int weir_cmd_merge(int argc, char **argv) {
  struct merge m = {0};
  struct weir_text out = {0};
  struct weir_err err;
  int code = parse_options(argc, argv, &m);
  if (code < 0) {
    bool is_good = merge(&m, &out, &err) == WEIR_OK;
    if (!is_good)
      code = weir_cli_error(&err);
    else if (m.quiet)
      code = WEIR_EXIT_OK;
    else
      code = weir_cli_print(&out);
    weir_text_free(&out);
  }
  free(m.words.v);
  free(m.stores.v);
  free(m.empty.v);
  weir_arena_free(&m.arena);
  return code;
}
