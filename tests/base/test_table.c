#include "base/table.h"
#include "testing.h"

static struct weir_table *sample(void) {
  static const struct weir_column columns[] = {{"name", NULL, WEIR_LEFT},
                                               {"rate", "1/s", WEIR_RIGHT}};
  struct weir_table *t = weir_table_new(columns, 2);
  if (!t) return NULL;
  weir_table_cell(t, "%s", "na\xc3\xafve");
  weir_table_cell(t, "%d", 5);
  weir_table_rule(t);
  weir_table_cell(t, "%s", "a|b, \"c\"");
  weir_table_end_row(t);
  weir_table_end_row(t);
  weir_table_cell(t, "%s", "\xe6\xbc\xa2");
  weir_table_cell(t, "%d", 12345);
  return t;
}

static void text_is_aligned_by_what_is_seen(void **state) {
  (void)state;
  struct weir_table *t = sample();
  struct weir_text out = {0};
  assert_int_equal(weir_table_text(t, &out, NULL), WEIR_OK);
  assert_string_equal(out.v, "name       rate\n"
                             "            1/s\n"
                             "---------------\n"
                             "na\xc3\xafve         5\n"
                             "---------------\n"
                             "a|b, \"c\"\n"
                             "\xe6\xbc\xa2        12345\n");
  weir_text_free(&out);
  weir_table_free(t);
}

static void csv_and_markdown_quote(void **state) {
  (void)state;
  struct weir_table *t = sample();
  struct weir_text out = {0};
  assert_int_equal(weir_table_csv(t, &out, NULL), WEIR_OK);
  assert_string_equal(out.v, "name,rate [1/s]\nna\xc3\xafve,5\n\"a|b, \"\"c\"\"\",\n"
                             "\xe6\xbc\xa2,12345\n");
  weir_text_free(&out);
  assert_int_equal(weir_table_markdown(t, &out, NULL), WEIR_OK);
  assert_string_equal(out.v, "| name | rate [1/s] |\n| --- | ---: |\n| na\xc3\xafve | 5 |\n"
                             "| a\\|b, \"c\" |  |\n| \xe6\xbc\xa2 | 12345 |\n");
  weir_text_free(&out);
  weir_table_free(t);
}

static void an_empty_table_has_its_head(void **state) {
  (void)state;
  static const struct weir_column column = {"x", NULL, WEIR_LEFT};
  struct weir_table *t = weir_table_new(&column, 1);
  struct weir_text out = {0};
  assert_int_equal(weir_table_text(t, &out, NULL), WEIR_OK);
  assert_string_equal(out.v, "x\n-\n");
  weir_text_free(&out);
  weir_table_free(t);
  assert_null(weir_table_new(&column, 0));
  weir_table_free(NULL);
}

static struct weir_table *wide(void) {
  static const struct weir_column columns[] = {{"name", NULL, WEIR_LEFT},
                                               {"a", NULL, WEIR_RIGHT},
                                               {"b", NULL, WEIR_RIGHT},
                                               {"c", "1/s", WEIR_RIGHT}};
  struct weir_table *t = weir_table_new(columns, 4);
  if (!t) return NULL;
  weir_table_best(t); /* no cell: no effect */
  for (int i = 1; i <= 2; i++) {
    weir_table_cell(t, "row%d", i);
    weir_table_cell(t, "%d", 5 * i);
    weir_table_cell(t, "%d", 70);
    if (i == 2) weir_table_best(t);
    weir_table_cell(t, "%d", 100 * i);
  }
  return t;
}

static void the_best_stands_out(void **state) {
  (void)state;
  struct weir_table *t = wide();
  struct weir_text out = {0};
  assert_int_equal(weir_table_text(t, &out, NULL), WEIR_OK);
  assert_string_equal(out.v, "name   a   b     c\n"
                             "               1/s\n"
                             "------------------\n"
                             "row1   5  70   100\n"
                             "row2  10  70*  200\n");
  weir_text_free(&out);
  static const struct weir_screen coloured = {.has_colour = true};
  out.screen = &coloured;
  assert_int_equal(weir_table_text(t, &out, NULL), WEIR_OK);
  assert_string_equal(out.v, "\033[1mname\033[0m   \033[1ma\033[0m   \033[1mb\033[0m    "
                             "\033[1mc\033[0m\n"
                             "              \033[1m1/s\033[0m\n"
                             "-----------------\n"
                             "row1   5  70  100\n"
                             "row2  10  \033[1;32m70\033[0m  200\n");
  weir_text_free(&out);
  assert_int_equal(weir_table_markdown(t, &out, NULL), WEIR_OK);
  assert_contains(out.v, "| row2 | 10 | **70** | 200 |\n");
  weir_text_free(&out);
  assert_int_equal(weir_table_csv(t, &out, NULL), WEIR_OK);
  assert_contains(out.v, "row2,10,70,200\n");
  weir_text_free(&out);
  weir_table_free(t);
}

static void what_is_too_wide_is_broken(void **state) {
  (void)state;
  struct weir_table *t = wide();
  static const struct weir_screen narrow = {.width = 13};
  struct weir_text out = {.screen = &narrow};
  assert_int_equal(weir_table_text(t, &out, NULL), WEIR_OK);
  assert_string_equal(out.v, "name   a   b\n"
                             "\n"
                             "-------------\n"
                             "row1   5  70\n"
                             "row2  10  70*\n"
                             "\n"
                             "name    c\n"
                             "      1/s\n"
                             "---------\n"
                             "row1  100\n"
                             "row2  200\n");
  weir_text_free(&out);
  weir_table_free(t);
}

static void text_is_wrapped(void **state) {
  (void)state;
  static const struct weir_column columns[] = {
      {"name", NULL, WEIR_LEFT}, {"n", NULL, WEIR_RIGHT}, {"what it does", NULL, WEIR_LEFT}};
  static const struct weir_screen narrow = {.width = 29};
  struct weir_table *t = weir_table_new(columns, 3);
  struct weir_text out = {.screen = &narrow};
  weir_table_cell(t, "a");
  weir_table_cell(t, "1");
  weir_table_cell(t, "several words that do not fit");
  weir_table_cell(t, "b");
  weir_table_cell(t, "20");
  weir_table_cell(t, "one/of-them/is-a/long-path-without-blanks, and more");
  assert_int_equal(weir_table_text(t, &out, NULL), WEIR_OK);
  assert_string_equal(out.v, "name   n  what it does\n"
                             "-----------------------------\n"
                             "a      1  several words that\n"
                             "          do not fit\n"
                             "b     20  one/of-them/is-a/\n"
                             "          long-path-without-b\n"
                             "          lanks, and more\n");
  weir_text_free(&out);
  weir_table_free(t);
}

/* Numbers are not: what no line can hold stands alone. */
static void one_column_at_least(void **state) {
  (void)state;
  static const struct weir_column columns[] = {{"name", NULL, WEIR_LEFT},
                                               {"a wide number", NULL, WEIR_RIGHT}};
  static const struct weir_screen narrow = {.width = 5};
  struct weir_table *t = weir_table_new(columns, 2), *single = weir_table_new(columns, 1);
  struct weir_text out = {.screen = &narrow};
  weir_table_cell(t, "row");
  weir_table_cell(t, "1234567890123");
  weir_table_cell(single, "alone");
  assert_int_equal(weir_table_text(t, &out, NULL), WEIR_OK);
  assert_string_equal(out.v, "name  a wide number\n"
                             "-------------------\n"
                             "row   1234567890123\n");
  weir_text_free(&out);
  out.screen = &narrow;
  assert_int_equal(weir_table_text(single, &out, NULL), WEIR_OK);
  assert_string_equal(out.v, "name\n-----\nalone\n");
  weir_text_free(&out);
  weir_table_free(t);
  weir_table_free(single);
}

static int write_all(void) {
  static const struct weir_screen narrow = {.width = 20, .has_colour = true};
  struct weir_table *t = sample();
  struct weir_text out = {.screen = &narrow};
  int good = t && weir_table_text(t, &out, NULL) == WEIR_OK &&
             weir_table_csv(t, &out, NULL) == WEIR_OK &&
             weir_table_markdown(t, &out, NULL) == WEIR_OK;
  weir_text_free(&out);
  weir_table_free(t);
  return good;
}

static void lack_of_memory_is_reported(void **state) {
  (void)state;
  assert_true(with_failing_memory(write_all) > 8);
}

static void widths(void **state) {
  (void)state;
  assert_int_equal(weir_text_width(""), 0);
  assert_int_equal(weir_text_width("abc"), 3);
  assert_int_equal(weir_text_width("\xc3\xa4"), 1);
  assert_int_equal(weir_text_width("a\xcc\x88"), 1); /* combining */
  assert_int_equal(weir_text_width("\xf0\x9f\x98\x80"), 2);
  assert_int_equal(weir_text_width("\xff\xfe"), 2); /* broken bytes */
  assert_int_equal(weir_text_width("\xe6\xbc"), 2); /* cut short */
  assert_int_equal(weir_text_width("\xc0\x80"), 2); /* overlong */
}

static void thousands(void **state) {
  (void)state;
  char buf[27];
  assert_string_equal(weir_text_thousands(0, buf), "0");
  assert_string_equal(weir_text_thousands(999, buf), "999");
  assert_string_equal(weir_text_thousands(1000, buf), "1,000");
  assert_string_equal(weir_text_thousands(UINT64_MAX, buf), "18,446,744,073,709,551,615");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_is_aligned_by_what_is_seen),
      cmocka_unit_test(csv_and_markdown_quote),
      cmocka_unit_test(an_empty_table_has_its_head),
      cmocka_unit_test(the_best_stands_out),
      cmocka_unit_test(what_is_too_wide_is_broken),
      cmocka_unit_test(text_is_wrapped),
      cmocka_unit_test(one_column_at_least),
      cmocka_unit_test(lack_of_memory_is_reported),
      cmocka_unit_test(widths),
      cmocka_unit_test(thousands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
