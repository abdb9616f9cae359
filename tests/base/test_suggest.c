#include "base/suggest.h"
#include "testing.h"

static const char *const names[] = {"run", "lint", "list", "explain", "exec.quantum", "help", "L1"};

static void near_words_are_found(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"lits", "list"}, {"linr", "lint"}, {"explian", "explain"}, {"exec.quantm", "exec.quantum"},
      {"RUN", "run"},   {"hlep", "help"}, {"ru", "run"},          {"list", "list"},
      {"l1", "L1"},
  };
  for (size_t i = 0; i < COUNT(pairs); i++) {
    const char *near = weir_nearest(pairs[i][0], names, COUNT(names));
    assert_non_null(near);
    assert_string_equal(near, pairs[i][1]);
  }
}

static void far_words_are_not(void **state) {
  (void)state;
  static const char *const words[] = {"", "banana", "quantum.exec", "xyz", "zz"};
  for (size_t i = 0; i < COUNT(words); i++) {
    assert_null(weir_nearest(words[i], names, COUNT(names)));
  }
  char big[500];
  memset(big, 'a', sizeof big - 1);
  big[sizeof big - 1] = '\0';
  assert_null(weir_nearest(big, names, COUNT(names)));
  const char *one[] = {big};
  assert_null(weir_nearest("aaaa", one, 1));
  assert_null(weir_nearest("run", NULL, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(near_words_are_found),
      cmocka_unit_test(far_words_are_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
