/* Classes by speed-ups, at their borders. */
#include "testing.h"

#include <math.h>

#include "study/run_classes.h"

static void test_cache(void **state) {
  (void)state;
  struct weir_run_classes c = {.own = 1000};
  assert_null(weir_class_cache(&c)); /* no such run */
  assert_true(isnan(weir_class_speedup(&c, WEIR_CLASS_BYPASS)));
  static const struct {
    uint64_t cycles;
    const char *name;
  } v[] = {{990, "CNF"}, {994, "CNF"}, {996, "CI"}, {1000, "CI"}, {1004, "CI"}, {1006, "CF"}};
  for (size_t i = 0; i < COUNT(v); i++) {
    c.cycles[WEIR_CLASS_BYPASS] = v[i].cycles;
    assert_string_equal(weir_class_cache(&c), v[i].name);
  }
}

static void test_line(void **state) {
  (void)state;
  struct weir_run_classes c = {.own = 1000};
  assert_null(weir_class_line(&c));
  c.cycles[WEIR_CLASS_LINE_32] = 1000; /* as fast is not faster */
  assert_string_equal(weir_class_line(&c), "CLP");
  c.cycles[WEIR_CLASS_LINE_64] = 999; /* one of them is enough */
  assert_string_equal(weir_class_line(&c), "CLN");
  c.cycles[WEIR_CLASS_LINE_32] = 0;
  assert_string_equal(weir_class_line(&c), "CLN");
}

static void test_sensitive(void **state) {
  (void)state;
  struct weir_run_classes c = {.own = 1030};
  assert_false(weir_class_is_sensitive(&c));
  c.cycles[WEIR_CLASS_PERFECT] = 1000;
  assert_true(weir_class_is_sensitive(&c));
  c.cycles[WEIR_CLASS_PERFECT] = 1001;
  assert_false(weir_class_is_sensitive(&c));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cache),
      cmocka_unit_test(test_line),
      cmocka_unit_test(test_sensitive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
