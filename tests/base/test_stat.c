#include <math.h>

#include "base/reference.h"
#include "base/stat_io.h"
#include "testing.h"

struct counts {
  uint64_t loads, hits, misses, deepest;
};

static const struct weir_stat table[] = {
    WEIR_STAT(counts, loads, "request", "loads that arrived"),
    WEIR_STAT(counts, hits, "request", "loads that hit"),
    WEIR_STAT(counts, misses, "request", "loads that missed"),
    {.name = "deepest",
     .unit = "entry",
     .help = "longest queue",
     .kind = WEIR_MAXIMUM,
     .offset = offsetof(struct counts, deepest)},
    WEIR_STAT_RATIO(counts, "hit_rate", hits, loads, "1", "part of the loads that hit"),
    WEIR_STAT_END};

static const struct weir_check checks[] = {{"loads == hits + misses", "a load hits or misses"},
                                           {"hits <= loads", NULL},
                                           {"loads + 0 >= misses", NULL},
                                           {NULL, NULL}};

static const struct weir_stat_group group = {"l1", "For the test.", table, checks};

static void sums_follow_the_kind(void **state) {
  (void)state;
  struct counts a = {10, 6, 4, 7}, b = {5, 5, 0, 3};
  weir_stat_sum(table, &a, &b);
  assert_int_equal(a.loads, 15);
  assert_int_equal(a.hits, 11);
  assert_int_equal(a.misses, 4);
  assert_int_equal(a.deepest, 7);
  weir_stat_sum(table, &b, &a);
  assert_int_equal(b.deepest, 7);
}

static void a_level_is_no_result(void **state) {
  (void)state;
  static const struct weir_stat levels[] = {WEIR_STAT(counts, loads, "request", "loads"),
                                            WEIR_STAT_LEVEL(counts, hits, "1", "now"),
                                            WEIR_STAT_END};
  struct counts a = {10, 6, 0, 0}, b = {5, 9, 0, 0};
  struct weir_text out = {0};
  weir_stat_sum(levels, &a, &b);
  assert_true(a.loads == 15 && a.hits == 6);
  weir_stat_subtract(levels, &a, &b);
  assert_true(a.loads == 10 && a.hits == 6);
  json_t *o = weir_stat_json(levels, &a);
  assert_int_equal(json_object_size(o), 1);
  json_decref(o);
  assert_int_equal(weir_stat_text(levels, "l1", &a, &out, NULL), WEIR_OK);
  assert_null(strstr(out.v, "l1.hits"));
  weir_text_free(&out);
  const struct weir_check rule[] = {{"hits <= loads", NULL}, {NULL, NULL}};
  assert_int_equal(weir_stat_verify(levels, rule, &a, NULL), WEIR_EBUG);
}

static void values_are_shown_for_people(void **state) {
  (void)state;
  struct counts a = {1234567, 864197, 370370, 0}, none = {0};
  char buf[64];
  const struct weir_stat *rate = weir_stat_find(table, "hit_rate");
  assert_string_equal(weir_stat_show(&table[0], &a, buf, sizeof buf), "1,234,567");
  assert_string_equal(weir_stat_show(rate, &a, buf, sizeof buf), "0.7");
  assert_string_equal(weir_stat_show(rate, &none, buf, sizeof buf), "-");
  assert_true(isnan(weir_stat_value(rate, &none)));
  assert_int_equal(weir_stat_count_of(&table[0], &a), 1234567);
  struct weir_text out = {0};
  assert_int_equal(weir_stat_text(table, "l1", &a, &out, NULL), WEIR_OK);
  assert_contains(out.v, "l1.loads     1,234,567  request  loads that arrived\n");
  weir_text_free(&out);
}

static void json_keeps_all_bits(void **state) {
  (void)state;
  struct counts a = {INT64_MAX, UINT64_MAX, 0, 0}, none = {0};
  json_t *o = weir_stat_json(table, &a);
  assert_true(json_integer_value(json_object_get(o, "loads")) == INT64_MAX);
  assert_true(json_is_real(json_object_get(o, "hits")));
  assert_int_equal(json_object_size(o), 5);
  json_decref(o);
  o = weir_stat_json(table, &none);
  assert_true(json_is_null(json_object_get(o, "hit_rate")));
  json_decref(o);
}

static void rules_are_evaluated(void **state) {
  (void)state;
  struct counts good = {10, 6, 4, 0}, bad = {10, 6, 5, 0};
  struct weir_err err;
  assert_int_equal(weir_stat_verify(table, checks, &good, &err), WEIR_OK);
  assert_int_equal(weir_stat_verify(table, NULL, &bad, &err), WEIR_OK);
  assert_int_equal(weir_stat_verify(table, checks, &bad, &err), WEIR_EBUG);
  assert_contains(err.msg, "'loads == hits + misses' does not hold: 10 and 11");
  assert_contains(err.msg, "a load hits or misses");
}

static void unreadable_rules_are_errors(void **state) {
  (void)state;
  static const char *const rules[] = {"",
                                      "loads",
                                      "loads ==",
                                      "loads == nothing",
                                      "loads == hits +",
                                      "loads = hits",
                                      "loads == hits - misses",
                                      "hit_rate == hits",
                                      "loads == 1x",
                                      "loads != hits"};
  struct counts none = {0};
  for (size_t i = 0; i < COUNT(rules); i++) {
    const struct weir_check one[] = {{rules[i], NULL}, {NULL, NULL}};
    struct weir_err err;
    assert_int_equal(weir_stat_verify(table, one, &none, &err), WEIR_EBUG);
    assert_contains(err.msg, "cannot be read");
  }
}

static void groups_are_checked(void **state) {
  (void)state;
  struct weir_err err;
  assert_int_equal(weir_stat_group_check(&group, &err), WEIR_OK);
  static const struct weir_stat twice[] = {WEIR_STAT(counts, loads, "request", "x"),
                                           WEIR_STAT(counts, loads, "request", "x"), WEIR_STAT_END};
  struct weir_stat_group g = {"l1", "about", twice, NULL};
  assert_int_equal(weir_stat_group_check(&g, &err), WEIR_EBUG);
  static const struct weir_stat unitless[] = {WEIR_STAT(counts, loads, NULL, "x"), WEIR_STAT_END};
  g.table = unitless;
  assert_int_equal(weir_stat_group_check(&g, &err), WEIR_EBUG);
  assert_contains(err.msg, "l1.loads: it has no unit");
}

static void the_reference_page_has_rows_and_rules(void **state) {
  (void)state;
  const struct weir_stat_group *groups[] = {&group, NULL};
  struct weir_text out = {0};
  weir_reference_stats(groups, &out);
  assert_contains(out.v, "| `l1.deepest` | entry | maximum | longest queue |\n");
  assert_contains(out.v, "- `loads == hits + misses`: a load hits or misses\n");
  weir_text_free(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_follow_the_kind),
      cmocka_unit_test(a_level_is_no_result),
      cmocka_unit_test(values_are_shown_for_people),
      cmocka_unit_test(json_keeps_all_bits),
      cmocka_unit_test(rules_are_evaluated),
      cmocka_unit_test(unreadable_rules_are_errors),
      cmocka_unit_test(groups_are_checked),
      cmocka_unit_test(the_reference_page_has_rows_and_rules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
