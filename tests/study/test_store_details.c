/* What some runs have besides statistics. */
#include "store_rig.h"

static const struct weir_store_load some_loads[] = {
    {1, 3, 30, 14, 24, "a.cu", "index", "{\"references\":7}"},
    {2, 1, 12, 0, 8, NULL, NULL, "{\"references\":5}"},
};

static void put_with_loads(struct weir_store *s, unsigned n, bool is_new) {
  struct some_run r;
  some_run(&r, n);
  r.run.loads = some_loads;
  r.run.n_loads = COUNT(some_loads);
  r.run.decisions = "{\"every\":128}";
  assert_true(put_run(s, &r.run) == is_new);
}

static const char *all_loads(struct weir_store *s) {
  return asked_of(s, "SELECT group_concat(kernel || ':' || insn || ':' || pc || ':' || ptx_line || "
                     "':' || ifnull(file, '-') || ':' || line || ':' || ifnull(array, '-') || ':' "
                     "|| locality, ' ') FROM loads");
}
static void assert_decided(struct weir_store *s, unsigned n, const char *what) {
  struct some_run r;
  struct weir_err err;
  char *text;
  some_run(&r, n);
  assert_int_equal(weir_store_decisions(s, r.run.identity, &text, &err), WEIR_OK);
  if (what == NULL)
    assert_null(text);
  else
    assert_string_equal(text, what);
  free(text);
}
#define DECIDED   "{\"every\":128}"
#define ALL_LOADS "1:3:24:30:a.cu:14:index:{\"references\":7} 2:1:8:12:-:0:-:{\"references\":5}"

static void a_table_comes_with_its_first_row(void **state) {
  (void)state;
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  put_some(s, 1);
  assert_false(weir_store_has_table(s, "loads"));
  put_with_loads(s, 2, true);
  assert_true(weir_store_has_table(s, "loads"));
  assert_string_equal(all_loads(s), ALL_LOADS);
  assert_decided(s, 1, NULL);
  assert_decided(s, 2, DECIDED);
  weir_store_close(s);
  unlink(in_dir("s.db"));
}

static void a_run_gets_what_it_lacks(void **state) {
  (void)state;
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  put_some(s, 1);
  char *before = dump_of(s);
  put_with_loads(s, 1, false);
  put_with_loads(s, 1, false); /* once */
  assert_decided(s, 1, DECIDED);
  assert_string_equal(all_loads(s), ALL_LOADS);
  char *after = dump_of(s); /* and is the same run */
  assert_string_equal(before, after);
  free(before);
  free(after);
  sqlite3_exec(weir_store_sql(s), "DELETE FROM runs", NULL, NULL, NULL);
  assert_string_equal(asked_of(s, "SELECT count(*) FROM loads"), "0");
  assert_string_equal(asked_of(s, "SELECT count(*) FROM decisions"), "0");
  weir_store_close(s);
  unlink(in_dir("s.db"));
}

/* Whichever has them, and whichever is merged into the other. */
static void merging_takes_them_along(void **state) {
  (void)state;
  struct weir_err err;
  for (int order = 0; order < 4; order++) {
    struct weir_store *s = open_shard(in_dir("a.db"));
    if (order % 2 == 0)
      put_with_loads(s, 1, true);
    else
      put_some(s, 1);
    weir_store_close(s);
    s = open_store(in_dir("b.db"), WEIR_STORE_WRITE);
    if (order == 1)
      put_with_loads(s, 1, true);
    else if (order >= 2)
      put_some(s, 1);
    assert_int_equal(weir_store_merge(s, in_dir("a.db"), NULL, &err), WEIR_OK);
    assert_decided(s, 1, order < 3 ? DECIDED : NULL);
    if (order < 3)
      assert_string_equal(all_loads(s), ALL_LOADS);
    else
      assert_false(weir_store_has_table(s, "loads"));
    assert_string_equal(asked_of(s, "SELECT count(*) FROM runs"), "1");
    weir_store_close(s);
    unlink(in_dir("a.db"));
    unlink(in_dir("b.db"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_table_comes_with_its_first_row),
                                     cmocka_unit_test(a_run_gets_what_it_lacks),
                                     cmocka_unit_test(merging_takes_them_along)};
  return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
