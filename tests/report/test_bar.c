#include "report/bar.h"

#include "testing.h"

static void lengths_are_in_eighths(void **state) {
  (void)state;
  char text[64];
  assert_string_equal(weir_bar(0, text, sizeof text), "");
  assert_string_equal(weir_bar(-1, text, sizeof text), "");
  assert_string_equal(weir_bar(1, text, sizeof text), "\u2588");
  assert_string_equal(weir_bar(2.5, text, sizeof text), "\u2588\u2588\u258c");
  assert_string_equal(weir_bar(0.125, text, sizeof text), "\u258f");
}

static void a_bar_is_cut_where_its_buffer_ends(void **state) {
  (void)state;
  char text[16];
  assert_true(strlen(weir_bar(1000, text, sizeof text)) < sizeof text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lengths_are_in_eighths),
                                     cmocka_unit_test(a_bar_is_cut_where_its_buffer_ends)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
