/* What a store holds, and which files are stores. Argument: the source folder. */
#include "study/query.h"
#include "study/store_open.h"
#include "study/store_schema.h"

#include <limits.h>
#include <linux/magic.h>
#include <math.h>
#include <sys/wait.h>

#include "base/file.h"
#include "store_rig.h"

/* ---- files ---- */

static void a_new_file_becomes_a_store(void **state) {
  (void)state;
  const char *path = in_dir("s.db");
  for (int i = 0; i < 2; i++) { /* and stays one */
    struct weir_store *s = open_store(path, WEIR_STORE_WRITE);
    assert_string_equal(asked_of(s, "PRAGMA application_id"), "2003134834");
    assert_string_equal(asked_of(s, "PRAGMA user_version"), "1");
    assert_string_equal(asked_of(s, "PRAGMA journal_mode"), "wal");
    assert_string_equal(asked_of(s, "PRAGMA synchronous"), "3");
    assert_string_equal(asked_of(s, "SELECT count(*) FROM run_results"), "0");
    assert_string_equal(asked_of(s, "SELECT count(*) FROM kernel_results"), "0");
    weir_store_close(s);
    assert_int_not_equal(access(in_dir("s.db-wal"), F_OK), 0); /* one file is all of it */
    assert_int_not_equal(access(in_dir("s.db.lock"), F_OK), 0);
  }
  struct weir_store *s = open_shard(path);
  assert_string_equal(asked_of(s, "PRAGMA journal_mode"), "delete");
  weir_store_close(s);
  weir_store_close(NULL);
}

static void an_empty_file_is_a_new_one(void **state) {
  (void)state;
  const char *path = in_dir("s.db");
  assert_int_equal(weir_file_write(path, "", 0, NULL), WEIR_OK);
  assert_refused(path, WEIR_STORE_READ, WEIR_EINVAL, "is empty: nothing was stored there yet");
  struct weir_store *s = open_store(path, WEIR_STORE_WRITE);
  assert_true(put_some(s, 1));
  weir_store_close(s);
  /* What is left of one that was cut to nothing is not thrown away. */
  assert_int_equal(truncate(path, 0), 0);
  assert_int_equal(weir_file_write(in_dir("s.db-wal"), "log", 3, NULL), WEIR_OK);
  assert_refused(path, WEIR_STORE_WRITE, WEIR_EINVAL, "it was cut off");
}

/* Names that mean something else to SQLite. */
static void a_name_is_that_of_a_file(void **state) {
  (void)state;
  struct weir_store *s;
  struct weir_err err;
  char before[PATH_MAX];
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(dir), 0);
  weir_store_close(open_store(":memory:", WEIR_STORE_WRITE));
  assert_int_equal(access(in_dir(":memory:"), F_OK), 0);
  weir_store_close(open_store("file:x?mode=memory", WEIR_STORE_WRITE));
  assert_int_equal(access(in_dir("file:x?mode=memory"), F_OK), 0);
  assert_int_equal(chdir(before), 0);
  assert_int_equal(weir_store_open("", WEIR_STORE_WRITE, NULL, &s, &err), WEIR_EINVAL);
  assert_refused(in_dir("none.db"), WEIR_STORE_READ, WEIR_ENOENT, "No such file");
  assert_refused(in_dir("none/s.db"), WEIR_STORE_WRITE, WEIR_ENOENT, "its folder: No such file");
  assert_refused(dir, WEIR_STORE_WRITE, WEIR_EINVAL, "is no file");
}

static void hard_links_are_refused(void **state) {
  (void)state;
  weir_store_close(open_store(in_dir("s.db"), WEIR_STORE_WRITE));
  assert_int_equal(link(in_dir("s.db"), in_dir("t.db")), 0);
  assert_refused(in_dir("t.db"), WEIR_STORE_WRITE, WEIR_EINVAL, "hard links");
  weir_store_close(open_store(in_dir("t.db"), WEIR_STORE_READ));
  /* Symbolic ones are followed, and the lock is that of the file. */
  assert_int_equal(unlink(in_dir("t.db")), 0);
  assert_int_equal(symlink("s.db", in_dir("t.db")), 0);
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  assert_refused(in_dir("t.db"), WEIR_STORE_WRITE, WEIR_ELIMIT, "already open for writing");
  weir_store_close(s);
}

/* The bytes of a file and that nothing has changed them. */
struct bytes {
  char *v;
  size_t n;
};

static struct bytes bytes_of(const char *path) {
  struct bytes b;
  struct weir_err err;
  if (weir_file_read(path, 0, NULL, &b.v, &b.n, &err) != WEIR_OK) fail_msg("%s", err.msg);
  return b;
}

static void assert_untouched(const char *path, enum weir_status st, const char *why) {
  struct bytes before = bytes_of(path);
  assert_refused(path, WEIR_STORE_WRITE, st, why);
  struct bytes after = bytes_of(path);
  assert_int_equal(before.n, after.n);
  assert_memory_equal(before.v, after.v, after.n);
  free(before.v);
  free(after.v);
}

static void what_is_no_store_is_left_alone(void **state) {
  (void)state;
  static const char text[] = "workload,cycles\nspmv,12345\n";
  const char *path = in_dir("s.csv");
  assert_int_equal(weir_file_write(path, text, sizeof text - 1, NULL), WEIR_OK);
  assert_untouched(path, WEIR_EINVAL, "it is no store of results");
  assert_refused(path, WEIR_STORE_READ, WEIR_EINVAL, "it is no store of results");
  path = in_dir("other.db");
  do_sql(path, "CREATE TABLE t (x); INSERT INTO t VALUES (1)");
  assert_untouched(path, WEIR_EINVAL, "a database, but no store of results");
  assert_refused(path, WEIR_STORE_READ, WEIR_EINVAL, "remedy: another name");
}

/* Nor is the log worked off that another program left beside its database. */
static void the_log_of_another_is_left_alone(void **state) {
  (void)state;
  const char *path = in_dir("other.db");
  int status;
  pid_t pid = fork();
  if (pid == 0) {
    sqlite3 *db;
    if (sqlite3_open(path, &db) == SQLITE_OK)
      sqlite3_exec(db, "PRAGMA journal_mode = WAL; CREATE TABLE t (x)", NULL, NULL, NULL);
    _exit(0);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  struct bytes before = bytes_of(in_dir("other.db-wal"));
  assert_untouched(path, WEIR_EINVAL, "a database, but no store of results");
  assert_refused(path, WEIR_STORE_READ, WEIR_EINVAL, "a database, but no store of results");
  struct bytes after = bytes_of(in_dir("other.db-wal"));
  assert_int_equal(before.n, after.n);
  assert_memory_equal(before.v, after.v, after.n);
  free(before.v);
  free(after.v);
}

static void damage_is_found(void **state) {
  (void)state;
  const char *path = in_dir("s.db"), *cut = in_dir("cut.db");
  struct weir_store *s = open_store(path, WEIR_STORE_WRITE);
  for (unsigned n = 0; n < 200; n++)
    put_some(s, n);
  weir_store_close(s);
  struct bytes whole = bytes_of(path);
  size_t lengths[] = {
      1, 15, 50, 99, 100, 511, 512, 4095, 4096, 5000, whole.n / 2, whole.n - 4096, whole.n - 1};
  for (size_t i = 0; i < COUNT(lengths); i++) {
    assert_int_equal(weir_file_write(cut, whole.v, lengths[i], NULL), WEIR_OK);
    assert_untouched(cut, WEIR_EINVAL, "remedy");
  }
  /* Of a page in the middle that is all zeros only a check knows before it is read. */
  memset(whole.v + whole.n / 4096 / 2 * 4096, 0, 4096);
  assert_int_equal(weir_file_write(cut, whole.v, whole.n, NULL), WEIR_OK);
  assert_untouched(cut, WEIR_EINVAL, "is damaged");
  free(whole.v);
}

/* ---- versions ---- */

static void versions(void **state) {
  (void)state;
  const char *path = in_dir("s.db");
  struct weir_store *s = open_store(path, WEIR_STORE_WRITE);
  put_some(s, 1);
  weir_store_close(s);
  do_sql(path, "PRAGMA user_version = 7");
  assert_untouched(path, WEIR_EINVAL, "has version 7 of the store; this weir reads version 1");
  assert_refused(path, WEIR_STORE_READ, WEIR_EINVAL, "remedy: a newer weir");
  do_sql(path, "PRAGMA user_version = 0");
  assert_refused(path, WEIR_STORE_READ, WEIR_EINVAL, "a command that writes to it");
  assert_untouched(path, WEIR_EINVAL, "has version 0 of the store, from which there is no way");
}

static void steps_lead_to_a_newer_version(void **state) {
  (void)state;
  static const struct weir_store_change good[] = {
      {2, "ALTER TABLE runs ADD COLUMN note TEXT DEFAULT 'none'"},
      {1, "CREATE TABLE notes (x); INSERT INTO notes SELECT id FROM runs; DROP VIEW run_results"},
      {0, NULL}};
  static const struct weir_store_change bad[] = {
      {1, "CREATE TABLE notes (x)"}, {2, "DROP TABLE nothing"}, {0, NULL}};
  struct weir_err err;
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  put_some(s, 1);
  /* All or nothing. */
  assert_int_equal(weir_store_upgrade(s, bad, 3, &err), WEIR_EBUG);
  assert_contains(err.msg, "nothing");
  assert_int_equal(weir_store_upgrade(s, good, 4, &err), WEIR_EINVAL);
  assert_contains(err.msg, "has version 3");
  assert_string_equal(asked_of(s, "PRAGMA user_version"), "1");
  assert_string_equal(asked_of(s, "SELECT count(*) FROM sqlite_schema WHERE name = 'notes'"), "0");
  assert_string_equal(asked_of(s, "SELECT count(*) FROM run_results"), "1");
  assert_int_equal(weir_store_upgrade(s, good, 3, &err), WEIR_OK);
  assert_string_equal(asked_of(s, "PRAGMA user_version"), "3");
  assert_string_equal(asked_of(s, "SELECT note FROM runs JOIN notes ON x = id"), "none");
  assert_string_equal(asked_of(s, "SELECT \"core.cycles\" FROM run_results"), "1001");
  weir_store_close(s);
  assert_refused(in_dir("s.db"), WEIR_STORE_WRITE, WEIR_EINVAL, "has version 3");
}

static void local_file_systems_are_known(void **state) {
  (void)state;
  static const unsigned long networks[] = {
      NFS_SUPER_MAGIC,       SMB_SUPER_MAGIC, 0xff534d42, 0xfe534d42,
      0x65735546 /* FUSE */, V9FS_MAGIC,      0x0bd00bd0, 0x47504653};
  assert_true(weir_store_is_local(EXT4_SUPER_MAGIC));
  assert_true(weir_store_is_local(BTRFS_SUPER_MAGIC));
  assert_true(weir_store_is_local((unsigned long)(long)(int)BTRFS_SUPER_MAGIC)); /* sign-extended */
  for (size_t i = 0; i < COUNT(networks); i++)
    assert_false(weir_store_is_local(networks[i]));
}

/* ---- runs ---- */

static void a_run_is_found_again(void **state) {
  (void)state;
  char hash[WEIR_HASH_TEXT], sql[200];
  struct some_run r;
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  assert_int_equal(has_some(s, 5), WEIR_STORED_NONE);
  assert_true(put_some(s, 5));
  assert_int_equal(has_some(s, 5), WEIR_STORED_OK);
  assert_int_equal(has_some(s, 6), WEIR_STORED_NONE);
  weir_store_close(s);
  s = open_store(in_dir("s.db"), WEIR_STORE_READ);
  assert_int_equal(has_some(s, 5), WEIR_STORED_OK);
  weir_store_identity(some_run(&r, 5)->identity, hash);
  snprintf(sql, sizeof sql,
           "SELECT workload || input || gpu || scheme || seed || status || host || seconds || "
           "provenance FROM runs WHERE identity = '%s'",
           hash);
  assert_string_equal(asked_of(s, sql), "wevalgtsc+5okh0.5{}");
  assert_string_equal(asked_of(s, "SELECT identity_text FROM runs"), r.identity);
  assert_string_equal(asked_of(s, "SELECT group_concat(key || '=' || value || ' ' || "
                                  "coalesce(origin, '?')) FROM settings"),
                      "l1.size=16K ?,l1.ways=4 --set");
  assert_string_equal(asked_of(s, "SELECT group_concat(number || name) FROM kernels"),
                      "1first,2second");
  assert_string_equal(asked_of(s, "SELECT \"core.cycles\" FROM run_results"), "5001");
  assert_string_equal(asked_of(s, "SELECT group_concat(kernel || kernel_name || \"core.cycles\") "
                                  "FROM kernel_results"),
                      "1first5000,2second5001");
  assert_int_equal(
      sqlite3_exec(weir_store_sql(s), "SELECT \"l1.hits\" FROM run_results", NULL, NULL, NULL),
      SQLITE_ERROR); /* misspelt */
  assert_string_equal(asked_of(s, "SELECT typeof(\"l1.hit-rate\") || typeof(\"l2.hit-rate\") "
                                  "FROM run_results"),
                      "realnull");
  /* Reading is all that this one may. */
  assert_int_not_equal(sqlite3_exec(weir_store_sql(s), "DELETE FROM runs", NULL, NULL, NULL),
                       SQLITE_OK);
  struct weir_err err;
  assert_int_equal(weir_store_put(s, some_run(&r, 6), NULL, &err), WEIR_EBUG);
  weir_store_close(s);
}

static void only_a_failed_run_is_replaced(void **state) {
  (void)state;
  struct some_run r;
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  some_run(&r, 1);
  r.run.status = WEIR_STORED_FAILED;
  r.run.message = "out of memory";
  r.run.seconds = NAN; /* not known */
  assert_true(put_run(s, &r.run));
  assert_int_equal(has_some(s, 1), WEIR_STORED_FAILED);
  assert_string_equal(asked_of(s, "SELECT message || typeof(seconds) FROM runs"),
                      "out of memorynull");
  r.run.message = "killed";
  assert_true(put_run(s, &r.run));
  assert_string_equal(asked_of(s, "SELECT message FROM runs"), "killed");
  /* Nothing of it is left. */
  some_run(&r, 1);
  r.run.n_kernels = 1;
  r.run.n_settings = 1;
  assert_true(put_run(s, &r.run));
  assert_string_equal(asked_of(s, "SELECT count(*) FROM statistics"), "6");
  assert_string_equal(asked_of(s, "SELECT count(*) FROM kernels"), "1");
  assert_string_equal(asked_of(s, "SELECT count(*) FROM settings"), "1");
  /* What ended stays, and so does what was refused. */
  r.run.status = WEIR_STORED_FAILED;
  assert_false(put_run(s, &r.run));
  assert_int_equal(has_some(s, 1), WEIR_STORED_OK);
  some_run(&r, 2);
  r.run.status = WEIR_STORED_REFUSED;
  r.run.message = "l1.ways is not a power of two";
  assert_true(put_run(s, &r.run));
  r.run.status = WEIR_STORED_OK;
  assert_false(put_run(s, &r.run));
  assert_int_equal(has_some(s, 2), WEIR_STORED_REFUSED);
  r.run.status = WEIR_STORED_NONE;
  assert_int_equal(weir_store_put(s, &r.run, NULL, NULL), WEIR_EBUG);
  weir_store_close(s);
}

static void values_keep_their_kind(void **state) {
  (void)state;
  struct some_run r;
  const struct weir_store_stat stats[] = {
      {"a", WEIR_STORE_COUNT, INT64_MAX, 0}, {"b", WEIR_STORE_COUNT, (uint64_t)INT64_MAX + 1, 0},
      {"c", WEIR_STORE_REAL, 0, 3.0},        {"d", WEIR_STORE_REAL, 0, NAN},
      {"e", WEIR_STORE_REAL, 0, 0.1},        {"f", WEIR_STORE_REAL, 0, INFINITY},
      {"g", WEIR_STORE_ABSENT, 7, 7}};
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  some_run(&r, 1);
  r.run.stats = stats;
  r.run.n_stats = COUNT(stats);
  r.run.n_kernels = 0;
  put_run(s, &r.run);
  assert_string_equal(asked_of(s, "SELECT a || typeof(b) || typeof(c) || typeof(d) || typeof(g)"
                                  " FROM run_results"),
                      "9223372036854775807realrealnullnull");
  char *dump = dump_of(s);
  assert_contains(dump, "\nstatistic a 9223372036854775807\nstatistic b 9.2233720368547758e+18\n"
                        "statistic c 3.0\nstatistic d -\nstatistic e 0.10000000000000001\n"
                        "statistic f inf\nstatistic g -\n\n");
  free(dump);
  weir_store_close(s);
}

static void texts_may_be_any_bytes(void **state) {
  (void)state;
  struct some_run r;
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  some_run(&r, 1);
  r.run.identity = "w \xff";
  r.run.workload = "a\xff\nb \xc3\xa4 \\x41";
  r.run.input = r.run.gpu = r.run.scheme = r.run.host = r.run.provenance = NULL;
  assert_true(put_run(s, &r.run));
  assert_false(put_run(s, &r.run));
  assert_string_equal(asked_of(s, "SELECT workload FROM runs"), "a\\xff\nb \xc3\xa4 \\x5cx41");
  char *dump = dump_of(s);
  assert_contains(dump, "\nworkload a\\xff\\x0ab \xc3\xa4 \\x5cx41\nseed 1\n");
  free(dump);
  weir_store_close(s);
}

static void a_collision_is_refused(void **state) {
  (void)state;
  struct some_run r;
  struct weir_err err;
  enum weir_stored status;
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  put_some(s, 1);
  weir_store_close(s);
  do_sql(in_dir("s.db"), "UPDATE runs SET identity_text = 'something else'");
  s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  some_run(&r, 1);
  assert_int_equal(weir_store_has(s, r.run.identity, &status, &err), WEIR_EINVAL);
  assert_contains(err.msg, "another run with the hash of this one, xxh128:");
  assert_int_equal(weir_store_put(s, &r.run, NULL, &err), WEIR_EINVAL);
  assert_contains(err.msg, "another run with the hash of this one");
  put_some(s, 2);
  weir_store_close(s);
}

static void what_is_refused_leaves_nothing(void **state) {
  (void)state;
  static const char *const names[] = {"", "a\nb", "\xc3\xa4"};
  struct some_run r;
  struct weir_err err;
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  for (size_t i = 0; i < COUNT(names); i++) {
    some_run(&r, 1);
    r.stats[1][2].name = names[i];
    assert_int_equal(weir_store_put(s, &r.run, NULL, &err), WEIR_EINVAL);
    assert_contains(err.msg, "cannot be the name of a statistic");
  }
  some_run(&r, 1);
  r.stats[1][2].name = "core.cycles";
  assert_int_equal(weir_store_put(s, &r.run, NULL, &err), WEIR_EINVAL);
  assert_contains(err.msg, "the statistic 'core.cycles' twice");
  some_run(&r, 1);
  r.settings[0].key = "l1.size";
  assert_int_equal(weir_store_put(s, &r.run, NULL, &err), WEIR_EINVAL);
  assert_contains(err.msg, "the setting 'l1.size' twice");
  some_run(&r, 1);
  r.run.workload = NULL;
  assert_int_equal(weir_store_put(s, &r.run, NULL, &err), WEIR_EINVAL);
  assert_contains(err.msg, "runs.workload");
  assert_string_equal(asked_of(s, "SELECT count(*) FROM names"), "0");
  assert_string_equal(asked_of(s, "SELECT count(*) FROM runs"), "0");
  /* The names that came with it are new again. */
  assert_true(put_some(s, 1));
  assert_string_equal(asked_of(s, "SELECT \"core.cycles\" FROM run_results"), "1001");
  weir_store_close(s);
}

/* ---- views ---- */

static void put_names(struct weir_store *s, unsigned run, unsigned first, unsigned n) {
  struct some_run r;
  struct weir_store_stat *stats = calloc(n, sizeof *stats);
  char(*names)[32] = calloc(n, sizeof *names);
  struct weir_store_kernel kernel = {"k", stats, n};
  for (unsigned i = 0; i < n; i++) {
    snprintf(names[i], sizeof names[i], "part-%u.name \"%u\"", (first + i) % 7, first + i);
    stats[i] = (struct weir_store_stat){names[i], WEIR_STORE_COUNT, run * 10000 + first + i, 0};
  }
  some_run(&r, run);
  r.run.stats = stats;
  r.run.n_stats = n;
  r.run.kernels = &kernel;
  r.run.n_kernels = 1;
  assert_true(put_run(s, &r.run));
  free(names);
  free(stats);
}

static void every_name_is_a_column(void **state) {
  (void)state;
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  put_names(s, 1, 0, 300);
  put_names(s, 2, 200, 400); /* some are new */
  weir_store_close(s);
  s = open_store(in_dir("s.db"), WEIR_STORE_READ);
  assert_string_equal(asked_of(s, "SELECT count(*) FROM names"), "600");
  assert_string_equal(asked_of(s, "SELECT count(*) FROM pragma_table_info('run_results')"), "611");
  assert_string_equal(asked_of(s, "SELECT count(*) FROM pragma_table_info('kernel_results')"),
                      "609");
  assert_string_equal(asked_of(s, "SELECT \"part-4.name \"\"599\"\"\" FROM run_results"
                                  " WHERE seed = 2"),
                      "20599");
  assert_string_equal(asked_of(s, "SELECT \"part-4.name \"\"599\"\"\" FROM run_results"
                                  " WHERE seed = 1"),
                      "");
  assert_string_equal(asked_of(s,
                               "SELECT seed FROM kernel_results WHERE \"part-0.name \"\"210\"\"\""
                               " = 20210 ORDER BY \"part-1.name \"\"211\"\"\""),
                      "2");
  /* All of them at once, and twice. */
  assert_string_equal(asked_of(s, "SELECT count(*) FROM (SELECT * FROM run_results ORDER BY 20)"),
                      "2");
  assert_string_equal(asked_of(s, "SELECT count(*) FROM (SELECT DISTINCT a.* FROM kernel_results a"
                                  " JOIN run_results b ON a.run = b.run)"),
                      "2");
  weir_store_close(s);
}

static void more_names_than_columns(void **state) {
  (void)state;
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  put_names(s, 1, 0, 2500);
  assert_string_equal(asked_of(s, "SELECT count(*) FROM names"), "2500");
  assert_string_equal(asked_of(s, "SELECT count(*) FROM pragma_table_info('run_results')"), "1911");
  assert_string_equal(asked_of(s, "SELECT count(*) FROM (SELECT * FROM run_results)"), "1");
  weir_store_close(s);
}

/* Two that SQLite does not tell apart, and one that the view has already. */
static void names_that_are_alike(void **state) {
  (void)state;
  struct some_run r;
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  some_run(&r, 1);
  r.stats[1][0].name = "L1.Hit-Rate";
  r.stats[1][2].name = "seed";
  assert_true(put_run(s, &r.run));
  assert_string_equal(asked_of(s, "SELECT \"L1.Hit-Rate\" FROM run_results"), "1001");
  assert_string_equal(asked_of(s, "SELECT seed FROM run_results"), "1");
  weir_store_close(s);
}

/* ---- dumps ---- */

static void a_dump_is_sorted_text(void **state) {
  (void)state;
  static const char expected[] = "run xxh128:%s\nworkload w\ninput eval\ngpu g\nscheme tsc+\n"
                                 "seed 0\nstatus ok\nsetting l1.size 16K\nsetting l1.ways 4\n"
                                 "statistic core.cycles 1\nstatistic l1.hit-rate %s\n"
                                 "statistic l2.hit-rate -\n"
                                 "kernel 1 first\nstatistic core.cycles 0\n"
                                 "statistic l1.hit-rate 0.5\nstatistic l2.hit-rate -\n"
                                 "kernel 2 second\nstatistic core.cycles 1\n"
                                 "statistic l1.hit-rate %s\nstatistic l2.hit-rate -\n\n";
  static const char third[] = "0.33333333333333331";
  char text[1000], hash[WEIR_HASH_TEXT];
  struct some_run r;
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  char *dump = dump_of(s);
  assert_string_equal(dump, "");
  free(dump);
  weir_store_identity(some_run(&r, 0)->identity, hash);
  r.run.message = "says nothing";
  put_run(s, &r.run);
  dump = dump_of(s);
  snprintf(text, sizeof text, expected, hash + strlen("xxh128:"), third, third);
  assert_string_equal(dump, text);
  free(dump);
  /* Of one that failed, only that it did. */
  some_run(&r, 1);
  r.run.status = WEIR_STORED_FAILED;
  put_run(s, &r.run);
  dump = dump_of(s);
  assert_contains(dump, "seed 1\nstatus failed\nsetting l1.size 16K\nsetting l1.ways 4\n\n");
  free(dump);
  FILE *full = fopen("/dev/full", "w");
  struct weir_err err;
  assert_int_equal(weir_store_dump(s, full, &err), WEIR_EIO);
  assert_contains(err.msg, "No space left");
  fclose(full);
  weir_store_close(s);
}

/* ---- docs/store.md ---- */

static const char *source;

static void put_example(struct weir_store *s, unsigned n, const char *scheme, const char *size,
                        enum weir_stored status) {
  struct some_run r;
  some_run(&r, n);
  for (unsigned k = 0; k < 2; k++) {
    r.stats[k][0].name = "cycles";
    r.stats[k][1].name = "l1.hits";
  }
  r.settings[1].value = size;
  r.run.scheme = scheme;
  r.run.seed = 0;
  r.run.status = status;
  if (status == WEIR_STORED_FAILED) r.run.message = "out of memory";
  put_run(s, &r.run);
}

/* Each query of the page gives at least one row. */
static unsigned ask_all(sqlite3 *db, const char *sql) {
  unsigned n = 0;
  while (*sql != 0) {
    sqlite3_stmt *q;
    if (sqlite3_prepare_v2(db, sql, -1, &q, &sql) != SQLITE_OK) fail_msg("%s", sqlite3_errmsg(db));
    if (q == NULL) break;
    if (sqlite3_step(q) != SQLITE_ROW) fail_msg("nothing comes of %s", sqlite3_sql(q));
    sqlite3_finalize(q);
    n++;
  }
  return n;
}

/* The next block of a language; *at is moved behind it. Freed by the caller; NULL: there is none.
 */
static char *block_of(const char **at, const char *language) {
  char head[32];
  snprintf(head, sizeof head, "\n```%s\n", language);
  const char *from = strstr(*at, head);
  if (from == NULL) return NULL;
  from += strlen(head);
  const char *to = strstr(from, "\n```");
  assert_non_null(to);
  *at = to;
  return strndup(from, (size_t)(to - from));
}

static void the_page_is_right(void **state) {
  (void)state;
  char path[1000], *sql;
  snprintf(path, sizeof path, "%s/docs/store.md", source);
  struct bytes page = bytes_of(path);
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  put_example(s, 1, "baseline", "16K", WEIR_STORED_OK);
  put_example(s, 2, "tsc+", "32K", WEIR_STORED_OK);
  put_example(s, 3, "tsc", "32K", WEIR_STORED_FAILED);
  weir_store_close(s);
  s = open_store(in_dir("s.db"), WEIR_STORE_READ);
  unsigned n = 0;
  assert_true(weir_query_functions(weir_store_sql(s))); /* as weir query has them */
  for (const char *at = page.v; (sql = block_of(&at, "sql")) != NULL; free(sql))
    n += ask_all(weir_store_sql(s), sql);
  assert_int_equal(n, 7);
  weir_store_close(s);
  const char *at = page.v;
  char *script = block_of(&at, "python"), command[2000];
  assert_non_null(script);
  assert_int_equal(weir_file_write(in_dir("x.py"), script, strlen(script), NULL), WEIR_OK);
  snprintf(command, sizeof command, "cd '%s' && test \"$(python3 x.py)\" = \"$(printf '%s')\"", dir,
           "w baseline 1001\\nw tsc+ 2001\\nw tsc 3001");
  assert_int_equal(system(command), 0);
  free(script);
  free(page.v);
}

#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {IN_DIR(a_new_file_becomes_a_store),
                                     IN_DIR(an_empty_file_is_a_new_one),
                                     IN_DIR(a_name_is_that_of_a_file),
                                     IN_DIR(hard_links_are_refused),
                                     IN_DIR(what_is_no_store_is_left_alone),
                                     IN_DIR(the_log_of_another_is_left_alone),
                                     IN_DIR(damage_is_found),
                                     IN_DIR(versions),
                                     IN_DIR(steps_lead_to_a_newer_version),
                                     IN_DIR(local_file_systems_are_known),
                                     IN_DIR(a_run_is_found_again),
                                     IN_DIR(only_a_failed_run_is_replaced),
                                     IN_DIR(values_keep_their_kind),
                                     IN_DIR(texts_may_be_any_bytes),
                                     IN_DIR(a_collision_is_refused),
                                     IN_DIR(what_is_refused_leaves_nothing),
                                     IN_DIR(every_name_is_a_column),
                                     IN_DIR(more_names_than_columns),
                                     IN_DIR(names_that_are_alike),
                                     IN_DIR(a_dump_is_sorted_text),
                                     IN_DIR(the_page_is_right)};
  if (argc < 2) return 1;
  source = argv[1];
  return cmocka_run_group_tests(tests, NULL, NULL);
}
