/* Axes of sweeps: the values that a list, a range or brackets mean, and what is wrong with others.
 */
#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "study/axis.h"

/* The values of `text`, joined by blanks. */
static void expect(const char *text, const char *want) {
  struct weir_arena a = {0};
  struct weir_axis_values got;
  struct weir_err err;
  char all[4096] = "";
  if (weir_axis_read(&a, text, &got, &err) != WEIR_OK) fail_msg("%s: %s", text, err.msg);
  for (size_t i = 0; i < got.n; i++) {
    assert_true(strlen(all) + strlen(got.v[i]) + 2 < sizeof all);
    strcat(strcat(all, i > 0 ? " " : ""), got.v[i]);
  }
  assert_string_equal(all, want);
  weir_arena_free(&a);
}

static void refuse(const char *text, const char *why) {
  struct weir_arena a = {0};
  struct weir_axis_values got;
  struct weir_err err;
  assert_int_equal(weir_axis_read(&a, text, &got, &err), WEIR_EINVAL);
  if (strstr(err.msg, why) == NULL) fail_msg("'%s' said of '%s', not '%s'", err.msg, text, why);
  assert_int_equal(got.n, 0);
  weir_arena_free(&a);
}

static void test_lists(void **state) {
  (void)state;
  expect("16K", "16K");
  expect("16K,32K, 48K ", "16K 32K 48K");
  expect("gto,lrr", "gto lrr");
  expect("true,false", "true false");
  refuse("", "empty");
  refuse("1,,2", "empty");
  refuse("1,2,", "empty");
  refuse("1,2,1", "'1' comes twice");
}

static void test_ranges(void **state) {
  (void)state;
  expect("16K..128K x2", "16K 32K 64K 128K");
  expect("512K..4M x2", "512K 1M 2M 4M");
  expect("16K..100K x2", "16K 32K 64K");
  expect("1024..4096 x2", "1024 2048 4096");
  expect("4..16 +4", "4 8 12 16");
  expect("0..2 +1", "0 1 2");
  expect("4..7", "4 5 6 7");
  expect("-1..1,8", "-1 0 1 8");
  expect("-2..2 +2", "-2 0 2");
  expect("7..7 +1", "7");
  expect("1,4..16 x2,3", "1 4 8 16 3");
  expect("0.1..0.5 +0.1", "0.1 0.2 0.3 0.4 0.5");
  expect("0.25..0.8 +0.25", "0.25 0.50 0.75");
  expect("0.5..2 x2", "0.5 1 2");
  expect("9223372036854775800..9223372036854775807 +5", "9223372036854775800 9223372036854775805");
}

static void test_no_ranges(void **state) {
  (void)state;
  refuse("4K..16K", "does not say how it goes on");
  refuse("0.5..4", "does not say how it goes on");
  refuse("4..16 2", "does not say how it goes on");
  refuse("4..16 x", "does not say how it goes on");
  refuse("16..4 +4", "ends before it begins");
  refuse("a..b +1", "are numbers");
  refuse("..4 +1", "are numbers");
  refuse("4..16 x1", "factor of 2 or more");
  refuse("0..16 x2", "above 0");
  refuse("4..16 +0", "step must be 1 or more");
  refuse("0.5..4 x1", "factor above 1");
  refuse("0.5..4 +-1", "step must be above 0");
  refuse("1..9000000 +1", "more than 10000 values");
  refuse("0.5..9000000 +1", "more than 10000 values");
  refuse("4,4..16 x2", "'4' comes twice");
}

static void test_brackets(void **state) {
  (void)state;
  expect("[0,8K],[0,96K]", "0,8K 0,96K");
  expect(" [0,8K] , 3", "0,8K 3");
  expect("[4..16 x2]", "4..16 x2");
  expect("[],1", " 1");
  refuse("[0,8K", "has a '[' and a ']'");
  refuse("[0]8K", "has a '[' and a ']'");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists), cmocka_unit_test(test_ranges),
                                     cmocka_unit_test(test_no_ranges),
                                     cmocka_unit_test(test_brackets)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
