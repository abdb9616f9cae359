#include "base/number.h"
#include "testing.h"

static void integers(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t value;
  } good[] = {{"0", 0},
              {"16K", 16384},
              {"16KiB", 16384},
              {"16KB", 16384},
              {"2k", 2048},
              {"-3M", -3145728},
              {"+5", 5},
              {"010", 10},
              {"0x10", 16},
              {"0XfFK", 255 * 1024},
              {"9223372036854775807", INT64_MAX},
              {"-9223372036854775808", INT64_MIN},
              {"-8589934592G", INT64_MIN}};
  for (size_t i = 0; i < COUNT(good); i++) {
    int64_t v = 42;
    assert_true(weir_parse_int(good[i].text, &v));
    assert_true(v == good[i].value);
  }
  static const char *const bad[] = {"",
                                    " 1",
                                    "1 ",
                                    "x",
                                    "1x",
                                    "-",
                                    "0x",
                                    "0xg",
                                    "1.0",
                                    "1e3",
                                    "1KK",
                                    "KB",
                                    "--1",
                                    "+-1",
                                    "1T",
                                    "1Ki",
                                    "9223372036854775808",
                                    "8589934592G",
                                    "1_000",
                                    "0x-1"};
  for (size_t i = 0; i < COUNT(bad); i++) {
    int64_t v;
    if (weir_parse_int(bad[i], &v)) fail_msg("'%s' was taken for an integer", bad[i]);
  }
}

static void reals(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double value;
  } good[] = {{"0.5", 0.5},   {".5", 0.5},      {"-1e-3", -1e-3}, {"3", 3},
              {"1.5K", 1536}, {"1e300", 1e300}, {"+2.", 2}};
  for (size_t i = 0; i < COUNT(good); i++) {
    double v;
    assert_true(weir_parse_real(good[i].text, &v));
    assert_true(v == good[i].value);
  }
  static const char *const bad[] = {"",   "nan",   "inf", "1e999", " 1",
                                    "1 ", "0x1p3", ".",   "-",     "1,5"};
  for (size_t i = 0; i < COUNT(bad); i++) {
    double v;
    if (weir_parse_real(bad[i], &v)) fail_msg("'%s' was taken for a number", bad[i]);
  }
}

static void booleans(void **state) {
  (void)state;
  bool v = false;
  assert_true(weir_parse_bool("yes", &v) && v);
  assert_true(weir_parse_bool("off", &v) && !v);
  assert_false(weir_parse_bool("maybe", &v));
  assert_false(weir_parse_bool("", &v));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers),
      cmocka_unit_test(reals),
      cmocka_unit_test(booleans),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
