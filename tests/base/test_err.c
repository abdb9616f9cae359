#include "testing.h"

static const char source[] = "first line\n\tadd.u32 %r1, %r2;\r\nn\xc3\xa4he = 1\n";

static struct weir_where at(unsigned line, unsigned col, unsigned width) {
  return (struct weir_where){"f.ptx", source, sizeof source - 1, line, col, width};
}

static void a_plain_error_is_its_message(void **state) {
  (void)state;
  struct weir_err err;
  assert_int_equal(weir_fail(&err, WEIR_EINVAL, "no %d", 5), WEIR_EINVAL);
  assert_int_equal(err.code, WEIR_EINVAL);
  assert_string_equal(err.msg, "no 5");
  assert_int_equal(weir_fail(NULL, WEIR_EIO, "nobody listens"), WEIR_EIO);
}

static void a_place_shows_line_and_caret(void **state) {
  (void)state;
  struct weir_err err;
  struct weir_where w = at(2, 2, 7);
  weir_fail_at(&err, WEIR_EPARSE, &w, "what?");
  assert_string_equal(err.msg, "f.ptx:2:2: what?\n   add.u32 %r1, %r2;\n   ^~~~~~~");
}

static void carets_count_characters_not_bytes(void **state) {
  (void)state;
  struct weir_err err;
  struct weir_where w = at(3, 4, 1);
  weir_fail_at(&err, WEIR_EPARSE, &w, "x");
  assert_string_equal(err.msg, "f.ptx:3:4: x\n  n\xc3\xa4he = 1\n     ^");
}

static void odd_places_do_no_harm(void **state) {
  (void)state;
  struct weir_err err;
  struct weir_where w = at(99, 1, 1);
  weir_fail_at(&err, WEIR_EPARSE, &w, "x");
  assert_string_equal(err.msg, "f.ptx:99:1: x");
  w = at(1, 4000, 9);
  weir_fail_at(&err, WEIR_EPARSE, &w, "x");
  assert_contains(err.msg, "f.ptx:1:4000: x\n");
  w = at(4, 1, 1); /* the empty line after the last */
  weir_fail_at(&err, WEIR_EPARSE, &w, "x");
  assert_string_equal(err.msg, "f.ptx:4:1: x\n  \n  ^");
  w = (struct weir_where){.file = "g"};
  weir_fail_at(&err, WEIR_EPARSE, &w, "x");
  assert_string_equal(err.msg, "g: x");
  w = (struct weir_where){.line = 3, .col = 2};
  weir_fail_at(&err, WEIR_EPARSE, &w, "x");
  assert_string_equal(err.msg, "3:2: x");
}

static void long_lines_are_windowed(void **state) {
  (void)state;
  char line[2001];
  memset(line, 'a', 2000);
  line[2000] = '\0';
  line[1499] = 'B';
  struct weir_where w = {"f", line, 2000, 1, 1500, 1};
  struct weir_err err;
  weir_fail_at(&err, WEIR_EPARSE, &w, "x");
  char *caret = strrchr(err.msg, '\n') + 1;
  char *shown = strchr(err.msg, '\n') + 1;
  assert_int_equal(shown[strcspn(caret, "^")], 'B');
  assert_true(strlen(err.msg) < 400);
}

static void more_lines_can_be_added(void **state) {
  (void)state;
  struct weir_err err;
  weir_fail(&err, WEIR_EINVAL, "bad");
  weir_err_add(&err, "did you mean %s?", "good");
  assert_string_equal(err.msg, "bad\n  did you mean good?");
  weir_err_add(NULL, "x");
}

static void too_much_text_is_cut_at_a_character(void **state) {
  (void)state;
  struct weir_err err;
  for (size_t shift = 0; shift < 4; shift++) {
    char big[4000] = "";
    memset(big, 'a', shift);
    for (size_t i = shift; i + 3 < sizeof big - 1; i += 3)
      memcpy(big + i, "\xe2\x82\xac", 3);
    weir_fail(&err, WEIR_EINVAL, "%s", big);
    size_t n = strlen(err.msg);
    assert_true(n < sizeof err.msg);
    assert_string_equal(err.msg + n - 6, " [...]");
    assert_int_equal((n - 6 - shift) % 3, 0);
    weir_err_add(&err, "more");
    assert_true(strlen(err.msg) < sizeof err.msg);
  }
}

static void every_status_has_a_name_and_an_exit_code(void **state) {
  (void)state;
  static const int codes[] = {0, 2, 1, 2, 1, 2, 1, 1, 3};
  for (int i = WEIR_OK; i <= WEIR_EBUG; i++) {
    assert_true(strlen(weir_status_name((enum weir_status)i)) > 1);
    assert_int_equal(weir_status_exit((enum weir_status)i), codes[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plain_error_is_its_message),
      cmocka_unit_test(a_place_shows_line_and_caret),
      cmocka_unit_test(carets_count_characters_not_bytes),
      cmocka_unit_test(odd_places_do_no_harm),
      cmocka_unit_test(long_lines_are_windowed),
      cmocka_unit_test(more_lines_can_be_added),
      cmocka_unit_test(too_much_text_is_cut_at_a_character),
      cmocka_unit_test(every_status_has_a_name_and_an_exit_code),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
