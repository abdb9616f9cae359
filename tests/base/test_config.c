#include <stdio.h>

#include "base/config.h"
#include "testing.h"

static struct weir_config parsed(const char *text) {
  struct weir_config c;
  struct weir_err err;
  if (weir_config_parse(&c, "t.yaml", text, strlen(text), &err) != WEIR_OK) fail_msg("%s", err.msg);
  return c;
}

static const char sample[] = "weir: 1\n"
                             "name: no\n"
                             "inputs:\n"
                             "  small: {n: 0x10, v: [1, [2, 3], {}]}\n"
                             "  big:\n"
                             "    n: 1e3\n"
                             "empty: []\n"
                             "none:\n"
                             "text: \"7\"\n"
                             "block: |\n"
                             "  two\n"
                             "  lines\n";

static void the_list_is_in_order_with_paths_and_places(void **state) {
  (void)state;
  static const struct {
    const char *path, *text;
    enum weir_node kind;
    unsigned line, col;
  } expected[] = {
      {"", "", WEIR_MAP, 1, 1},
      {"weir", "1", WEIR_SCALAR, 1, 7},
      {"name", "no", WEIR_SCALAR, 2, 7},
      {"inputs", "", WEIR_MAP, 4, 3},
      {"inputs.small", "", WEIR_MAP, 4, 10},
      {"inputs.small.n", "0x10", WEIR_SCALAR, 4, 14},
      {"inputs.small.v", "", WEIR_SEQ, 4, 23},
      {"inputs.small.v[0]", "1", WEIR_SCALAR, 4, 24},
      {"inputs.small.v[1]", "", WEIR_SEQ, 4, 27},
      {"inputs.small.v[1][0]", "2", WEIR_SCALAR, 4, 28},
      {"inputs.small.v[1][1]", "3", WEIR_SCALAR, 4, 31},
      {"inputs.small.v[2]", "", WEIR_MAP, 4, 35},
      {"inputs.big", "", WEIR_MAP, 6, 5},
      {"inputs.big.n", "1e3", WEIR_SCALAR, 6, 8},
      {"empty", "", WEIR_SEQ, 7, 8},
      {"none", "", WEIR_SCALAR, 8, 6},
      {"text", "7", WEIR_SCALAR, 9, 7},
      {"block", "two\nlines\n", WEIR_SCALAR, 10, 8},
  };
  struct weir_config c = parsed(sample);
  assert_int_equal(c.n, COUNT(expected));
  for (uint32_t i = 0; i < c.n; i++) {
    char path[WEIR_CONFIG_PATH];
    assert_string_equal(weir_config_path(&c, i, path, sizeof path), expected[i].path);
    assert_string_equal(c.entry[i].text, expected[i].text);
    assert_int_equal(c.entry[i].kind, expected[i].kind);
    assert_int_equal(c.entry[i].line, expected[i].line);
    assert_int_equal(c.entry[i].col, expected[i].col);
    assert_int_equal(weir_config_at(&c, path), i);
  }
  assert_true(c.entry[weir_config_at(&c, "text")].quoted);
  assert_false(c.entry[weir_config_at(&c, "weir")].quoted);
  weir_config_free(&c);
}

static void lookups(void **state) {
  (void)state;
  struct weir_config c = parsed(sample);
  assert_string_equal(weir_config_get(&c, "inputs.small.v[1][0]"), "2");
  static const char *const absent[] = {"nothing",
                                       "inputs.small.v[3]",
                                       "inputs.small.v[-1]",
                                       "inputs.small.v[]",
                                       "inputs.small.v[0",
                                       "weir.x",
                                       "weir[0]",
                                       "inputs..small",
                                       ".weir",
                                       "inputs.",
                                       "inputs[0]",
                                       "inputs.small.v[99999999999999999999]",
                                       "inputs"};
  for (size_t i = 0; i < COUNT(absent); i++)
    assert_null(weir_config_get(&c, absent[i]));
  uint32_t v = weir_config_at(&c, "inputs.small.v"), seen = 0;
  assert_int_equal(weir_config_count(&c, v), 3);
  for (uint32_t i = weir_config_first(&c, v); i; i = weir_config_next(&c, i)) {
    assert_int_equal(c.entry[i].index, seen++);
  }
  assert_int_equal(seen, 3);
  assert_int_equal(weir_config_first(&c, weir_config_at(&c, "empty")), 0);
  assert_int_equal(weir_config_count(&c, 0), 7);
  weir_config_free(&c);
}

static void demands(void **state) {
  (void)state;
  struct weir_config c = parsed("n: 5\nlist: [1]\nr: 0.5\nword: abc\n");
  struct weir_err err;
  uint32_t i;
  int64_t v;
  double d;
  assert_int_equal(weir_config_child(&c, 0, "n", WEIR_SCALAR, true, &i, &err), WEIR_OK);
  assert_int_equal(weir_config_int(&c, i, 1, 5, &v, &err), WEIR_OK);
  assert_int_equal(v, 5);
  assert_int_equal(weir_config_int(&c, i, 1, 4, &v, &err), WEIR_EINVAL);
  assert_string_equal(err.msg,
                      "t.yaml:1:4: n: 5 is out of range; accepted: 1 to 4\n  n: 5\n     ^");
  assert_int_equal(weir_config_child(&c, 0, "m", WEIR_SCALAR, false, &i, &err), WEIR_OK);
  assert_int_equal(i, 0);
  assert_int_equal(weir_config_child(&c, 0, "m", WEIR_SCALAR, true, &i, &err), WEIR_EPARSE);
  assert_contains(err.msg, "t.yaml:1:1: 'm' is missing");
  assert_int_equal(weir_config_child(&c, 0, "list", WEIR_MAP, true, &i, &err), WEIR_EPARSE);
  assert_contains(err.msg, "list: expected a map, found a list");
  assert_int_equal(weir_config_real(&c, weir_config_at(&c, "r"), &d, &err), WEIR_OK);
  assert_true(d == 0.5);
  assert_int_equal(weir_config_real(&c, weir_config_at(&c, "word"), &d, &err), WEIR_EINVAL);
  assert_int_equal(weir_config_int(&c, weir_config_at(&c, "word"), 0, 1, &v, &err), WEIR_EINVAL);
  assert_int_equal(weir_config_int(&c, weir_config_at(&c, "list"), 0, 1, &v, &err), WEIR_EPARSE);
  weir_config_free(&c);
}

static void unknown_keys_are_named(void **state) {
  (void)state;
  struct weir_config c = parsed("name: x\nlaunches:\n  - {kernl: k, zzz: 1}\n");
  static const char *const top[] = {"name", "launches"}, *const keys[] = {"kernel", "grid"};
  struct weir_err err;
  assert_int_equal(weir_config_only(&c, 0, top, 2, &err), WEIR_OK);
  uint32_t first = weir_config_at(&c, "launches[0]");
  assert_int_equal(weir_config_only(&c, first, keys, 2, &err), WEIR_EINVAL);
  assert_string_equal(err.msg, "t.yaml:3:6: unknown key 'kernl'\n    - {kernl: k, zzz: 1}\n"
                               "       ^~~~~\n  did you mean 'kernel'?");
  assert_int_equal(weir_config_unused(&c, NULL, 0, &err), WEIR_EINVAL);
  assert_contains(err.msg, "unknown key 'name'");
  weir_config_get(&c, "name");
  weir_config_get(&c, "launches[0].kernl");
  assert_int_equal(weir_config_unused(&c, keys, 2, &err), WEIR_EINVAL);
  assert_contains(err.msg, "unknown key 'zzz'");
  assert_contains(err.msg, "known here: kernel, grid");
  weir_config_use_all(&c, first);
  assert_int_equal(weir_config_unused(&c, NULL, 0, &err), WEIR_OK);
  weir_config_free(&c);
  c = parsed("a: [1, 2]\n");
  weir_config_get(&c, "a[0]");
  assert_int_equal(weir_config_unused(&c, NULL, 0, &err), WEIR_EINVAL);
  assert_contains(err.msg, "t.yaml:1:8: a[1]: nothing is known");
  weir_config_free(&c);
}

static void refusals(void **state) {
  (void)state;
  static const struct {
    const char *text, *says;
    enum weir_status code;
  } cases[] = {
      {"", "empty", WEIR_EPARSE},
      {"# only a comment\n", "empty", WEIR_EPARSE},
      {"- a\n", "not a list", WEIR_EPARSE},
      {"word\n", "t.yaml:1:1: expected 'key: value'", WEIR_EPARSE},
      {"a: 1\nb: 2\na: 3\n", "t.yaml:3:1: the key 'a' stands twice; first on line 1", WEIR_EPARSE},
      {"a: {b: 1, b: 2}\n", "the key 'b' stands twice", WEIR_EPARSE},
      {"a: &x 1\n", "anchors", WEIR_EPARSE},
      {"a: *x\n", "aliases", WEIR_EPARSE},
      {"a: !!str 1\n", "tags", WEIR_EPARSE},
      {"a: !!map {}\n", "tags", WEIR_EPARSE},
      {"? [1]\n: 2\n", "plain name", WEIR_EPARSE},
      {"a.b: 1\n", "a key is a name", WEIR_EPARSE},
      {"\"\": 1\n", "a key is a name", WEIR_EPARSE},
      {"'a b': 1\n", "a key is a name", WEIR_EPARSE},
      {"a: 1\n---\nb: 1\n", "only one document", WEIR_EPARSE},
      {"a: \"x\\0y\"\n", "NUL", WEIR_EPARSE},
      {"a: [1, 2\n", "not valid YAML", WEIR_EPARSE},
      {"a: b: c\n", "not valid YAML", WEIR_EPARSE},
      {"a:\n\t- b\n", "not valid YAML", WEIR_EPARSE},
      {"a: \xff\xfe\n", "not UTF-8", WEIR_EPARSE},
      {"\xff\xfe"
       "a",
       "not UTF-8", WEIR_EPARSE},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct weir_config c;
    struct weir_err err = {0};
    assert_int_equal(weir_config_parse(&c, "t.yaml", cases[i].text, strlen(cases[i].text), &err),
                     cases[i].code);
    assert_contains(err.msg, cases[i].says);
    assert_null(c.entry);
    assert_int_equal(weir_config_at(&c, "a"), 0);
    weir_config_free(&c);
  }
}

static void the_same_key_may_stand_in_two_maps(void **state) {
  (void)state;
  struct weir_config c = parsed("a: {n: 1}\nb: {n: 2}\nn: 3\n");
  assert_string_equal(weir_config_get(&c, "a.n"), "1");
  assert_string_equal(weir_config_get(&c, "b.n"), "2");
  assert_string_equal(weir_config_get(&c, "n"), "3");
  weir_config_free(&c);
}

static void depth_is_limited(void **state) {
  (void)state;
  struct weir_config c;
  struct weir_err err;
  char text[200000];
  for (int depth = WEIR_CONFIG_DEPTH - 2; depth < 60000;
       depth = depth * 2 - WEIR_CONFIG_DEPTH + 3) {
    size_t n = 3, deep = (size_t)depth;
    memcpy(text, "a: ", 3);
    memset(text + n, '[', deep);
    memset(text + n + deep, ']', deep);
    enum weir_status status = weir_config_parse(&c, "t", text, n + 2 * deep, &err);
    if (depth < WEIR_CONFIG_DEPTH) {
      assert_int_equal(status, WEIR_OK);
    } else {
      assert_int_equal(status, WEIR_ELIMIT);
      assert_contains(err.msg, "nested more than 32 deep");
    }
    weir_config_free(&c);
  }
}

static void many_entries_are_fast_and_limited(void **state) {
  (void)state;
  enum { N = 60000 };
  char *text = malloc(N * 12 + 100), *p = text;
  for (int i = 0; i < N; i++)
    p += sprintf(p, "k%d: %d\n", i, i % 10);
  struct weir_config c = parsed(text);
  assert_int_equal(c.n, N + 1);
  assert_string_equal(weir_config_get(&c, "k59999"), "9");
  assert_int_equal(weir_config_count(&c, 0), N);
  weir_config_free(&c);
  free(text);
  size_t big = (size_t)WEIR_CONFIG_ENTRIES * 2 + 10;
  text = malloc(big + 4);
  memcpy(text, "a: [", 4);
  for (size_t i = 4; i < big; i += 2)
    memcpy(text + i, "1,", 2);
  struct weir_err err;
  assert_int_equal(weir_config_parse(&c, "t", text, big, &err), WEIR_ELIMIT);
  assert_contains(err.msg, "more than 1048576 values");
  free(text);
  assert_int_equal(weir_config_parse(&c, "t", "", (size_t)WEIR_CONFIG_BYTES + 1, &err),
                   WEIR_ELIMIT);
}

static void a_missing_file_is_reported(void **state) {
  (void)state;
  struct weir_config c;
  struct weir_err err;
  assert_int_equal(weir_config_load(&c, "/no/such.yaml", &err), WEIR_ENOENT);
  weir_config_free(&c);
}

static int parse_sample(void) {
  struct weir_config c;
  int good = weir_config_parse(&c, "t.yaml", sample, sizeof sample - 1, NULL) == WEIR_OK;
  weir_config_free(&c);
  return good;
}

static void lack_of_memory_is_reported(void **state) {
  (void)state;
  assert_true(with_failing_memory(parse_sample) >= 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_list_is_in_order_with_paths_and_places),
      cmocka_unit_test(lookups),
      cmocka_unit_test(demands),
      cmocka_unit_test(unknown_keys_are_named),
      cmocka_unit_test(refusals),
      cmocka_unit_test(the_same_key_may_stand_in_two_maps),
      cmocka_unit_test(depth_is_limited),
      cmocka_unit_test(many_entries_are_fast_and_limited),
      cmocka_unit_test(a_missing_file_is_reported),
      cmocka_unit_test(lack_of_memory_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
