/* Stores that become one. */
#include <sys/wait.h>

#include "store_rig.h"

/* Each has runs of its own and some of the next; those with an odd number failed in one of two. */
static void make_shard(const char *path, unsigned first, unsigned n, bool is_reverse) {
  struct weir_store *s = open_shard(path);
  for (unsigned i = 0; i < n; i++) {
    unsigned k = first + (is_reverse ? n - 1 - i : i);
    struct some_run r;
    some_run(&r, k);
    if (k % 2 != 0 && is_reverse) r.run.status = WEIR_STORED_FAILED;
    if (k % 5 == 0) r.run.workload = is_reverse ? "w" : "./w.yaml";
    r.run.host = path;
    r.run.seconds = k + is_reverse;
    put_run(s, &r.run);
  }
  weir_store_close(s);
}

static void merged_in_any_order(void **state) {
  (void)state;
  static const char *const names[] = {"a.db", "b.db", "c.db"};
  static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  struct weir_store_merged n;
  struct weir_err err;
  char *first = NULL, ids[1000] = "";
  make_shard(in_dir("a.db"), 0, 20, false);
  make_shard(in_dir("b.db"), 10, 20, true);
  make_shard(in_dir("c.db"), 25, 20, false);
  for (size_t i = 0; i < COUNT(orders); i++) {
    struct weir_store *s = open_store(in_dir("all.db"), WEIR_STORE_WRITE);
    for (int k = 0; k < 3; k++)
      if (weir_store_merge(s, in_dir(names[orders[i][k]]), &n, &err) != WEIR_OK)
        fail_msg("%s", err.msg);
    if (i == 0) { /* after a and b: 25 to 29 are there, 25, 27 and 29 had failed */
      assert_int_equal(n.taken, 18);
      assert_int_equal(n.replaced, 3);
      assert_int_equal(n.skipped, 2);
    }
    assert_string_equal(asked_of(s, "SELECT count(*) FROM runs"), "45");
    assert_int_equal(has_some(s, 11), WEIR_STORED_OK);
    assert_int_equal(has_some(s, 21), WEIR_STORED_FAILED);
    assert_string_equal(asked_of(s, "PRAGMA integrity_check"), "ok");
    char *dump = dump_of(s);
    if (first == NULL)
      first = dump;
    else
      assert_string_equal(dump, first);
    if (dump != first) free(dump);
    snprintf(ids, sizeof ids, "%s", asked_of(s, "SELECT count(*) FROM settings"));
    assert_string_equal(ids, "90");
    weir_store_close(s);
    assert_int_equal(unlink(in_dir("all.db")), 0);
  }
  free(first);
}

static void a_merge_is_all_or_nothing(void **state) {
  (void)state;
  struct some_run r;
  struct weir_err err;
  struct weir_store_merged n;
  struct weir_store *s = open_store(in_dir("b.db"), WEIR_STORE_WRITE);
  for (unsigned i = 0; i < 10; i++) {
    some_run(&r, i);
    if (i == 4) r.stats[1][1].real = 0.25;
    put_run(s, &r.run);
  }
  weir_store_close(s);
  s = open_store(in_dir("a.db"), WEIR_STORE_WRITE);
  put_some(s, 4);
  char *before = dump_of(s);
  assert_int_equal(weir_store_merge(s, in_dir("b.db"), &n, &err), WEIR_EINVAL);
  assert_contains(err.msg, "the same run has other results in");
  assert_contains(err.msg, "seed 4");
  assert_contains(err.msg, "DELETE FROM runs WHERE identity = 'xxh128:");
  assert_int_equal(n.taken, 0);
  assert_int_equal(weir_store_merge(s, in_dir("a.db"), &n, &err), WEIR_EINVAL);
  assert_contains(err.msg, "cannot be merged into itself");
  assert_int_equal(weir_store_merge(s, in_dir("c.db"), &n, &err), WEIR_ENOENT);
  do_sql(in_dir("b.db"), "PRAGMA user_version = 2");
  assert_int_equal(weir_store_merge(s, in_dir("b.db"), &n, &err), WEIR_EINVAL);
  assert_contains(err.msg, "has version 2");
  char *after = dump_of(s);
  assert_string_equal(before, after);
  free(before);
  free(after);
  /* The remedy of the message, in a shell of sqlite3: all of the run goes. */
  do_sql(in_dir("b.db"), "PRAGMA user_version = 1; DELETE FROM runs WHERE seed = 4");
  assert_int_equal(weir_store_merge(s, in_dir("b.db"), &n, &err), WEIR_OK);
  assert_int_equal(n.taken, 9);
  assert_string_equal(asked_of(s, "SELECT count(*) FROM statistics"), "90");
  weir_store_close(s);
}

static void a_collision_is_refused(void **state) {
  (void)state;
  struct weir_err err;
  struct weir_store *s = open_store(in_dir("b.db"), WEIR_STORE_WRITE);
  put_some(s, 1);
  put_some(s, 2);
  weir_store_close(s);
  do_sql(in_dir("b.db"), "UPDATE runs SET identity_text = 'something else' WHERE seed = 1");
  s = open_store(in_dir("a.db"), WEIR_STORE_WRITE);
  put_some(s, 1);
  assert_int_equal(weir_store_merge(s, in_dir("b.db"), NULL, &err), WEIR_EINVAL);
  assert_contains(err.msg, "another run with the hash of this one");
  assert_int_equal(has_some(s, 2), WEIR_STORED_NONE);
  weir_store_close(s);
}

/* ---- memory ---- */

/* Of several stores all or none, and the message has names that are there afterwards. */
static void several_are_merged_at_once(void **state) {
  (void)state;
  struct weir_store_merged n[3];
  struct weir_err err;
  make_shard(in_dir("b.db"), 0, 3, false);
  make_shard(in_dir("c.db"), 2, 5, false);
  make_shard(in_dir("d.db"), 4, 6, false);
  const char *paths[] = {in_dir("b.db"), in_dir("c.db"), in_dir("d.db")};
  do_sql(paths[2], "UPDATE statistics SET value = 7");
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  assert_int_equal(weir_store_merge_all(s, paths, 3, n, &err), WEIR_EINVAL);
  assert_contains(err.msg, "d.db' than in");
  assert_contains(err.msg, "c.db':");
  for (size_t i = 0; i < 3; i++)
    assert_int_equal(n[i].taken, 0);
  assert_string_equal(asked_of(s, "SELECT count(*) FROM runs"), "0");
  assert_int_equal(weir_store_merge_all(s, paths, 2, n, &err), WEIR_OK);
  assert_int_equal(n[0].taken, 3);
  assert_int_equal(n[1].taken, 4);
  assert_int_equal(n[1].skipped, 1);
  assert_string_equal(asked_of(s, "SELECT count(*) FROM runs"), "7");
  weir_store_close(s);
}

/* Its writer is in another process, which then goes. */
static void a_store_is_still_or_not(void **state) {
  (void)state;
  struct weir_err err;
  int ready[2], done[2];
  char c;
  make_shard(in_dir("b.db"), 0, 1, false);
  assert_int_equal(weir_store_is_still(in_dir("b.db"), &err), WEIR_OK);
  assert_int_equal(weir_store_is_still(in_dir("none.db"), &err), WEIR_OK);
  assert_int_equal(pipe(ready) | pipe(done), 0);
  pid_t pid = fork();
  if (pid == 0) {
    struct weir_store *s = open_store(in_dir("b.db"), WEIR_STORE_WRITE);
    close(done[1]);
    bool is_good = write(ready[1], "x", 1) == 1 && read(done[0], &c, 1) == 0;
    weir_store_close(s);
    _exit(is_good ? 0 : 1);
  }
  char expected[64];
  int status;
  snprintf(expected, sizeof expected, "pid %ld", (long)pid);
  assert_int_equal(read(ready[0], &c, 1), 1);
  assert_int_equal(weir_store_is_still(in_dir("b.db"), &err), WEIR_ELIMIT);
  assert_contains(err.msg, "b.db' is being written by another process");
  assert_contains(err.msg, expected);
  close(done[1]);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  assert_int_equal(weir_store_is_still(in_dir("b.db"), &err), WEIR_OK);
  /* What this process writes is no other's, and stays locked. */
  struct weir_store *s = open_store(in_dir("b.db"), WEIR_STORE_WRITE);
  assert_int_equal(weir_store_is_still(in_dir("b.db"), &err), WEIR_OK);
  pid = fork();
  if (pid == 0) {
    struct weir_store *other;
    _exit(weir_store_open(in_dir("b.db"), WEIR_STORE_WRITE, NULL, &other, NULL) == WEIR_ELIMIT ? 0
                                                                                               : 1);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  weir_store_close(s);
  for (int i = 0; i < 2; i++)
    close(ready[i]);
  close(done[0]);
}

static int everything(void) {
  struct weir_store *s;
  struct some_run r;
  enum weir_stored status;
  FILE *out = fopen("/dev/null", "w");
  bool is_good = weir_store_open(in_dir("s.db"), WEIR_STORE_WRITE, NULL, &s, NULL) == WEIR_OK;
  is_good = is_good && weir_store_put(s, some_run(&r, 1), NULL, NULL) == WEIR_OK;
  is_good = is_good && weir_store_has(s, r.run.identity, &status, NULL) == WEIR_OK;
  is_good = is_good && weir_store_merge(s, in_dir("b.db"), NULL, NULL) == WEIR_OK;
  is_good = is_good && weir_store_dump(s, out, NULL) == WEIR_OK;
  weir_store_close(s);
  fclose(out);
  return is_good;
}

static void memory_may_run_out(void **state) {
  (void)state;
  make_shard(in_dir("b.db"), 0, 3, false);
  assert_true(with_failing_memory(everything) > 10);
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  assert_string_equal(asked_of(s, "SELECT count(*) FROM runs"), "3");
  weir_store_close(s);
}

#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_DIR(merged_in_any_order),     IN_DIR(a_merge_is_all_or_nothing),
      IN_DIR(a_collision_is_refused),  IN_DIR(several_are_merged_at_once),
      IN_DIR(a_store_is_still_or_not), IN_DIR(memory_may_run_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
