#include "base/reference.h"
#include "base/registry.h"
#include "testing.h"
#include "weir/param.h"

#define COLOURS(X) X(COLOUR_RED, "red") X(COLOUR_DARK_BLUE, "dark-blue") X(COLOUR_GREY, "grey")
enum colour { COLOURS(WEIR_CHOICE_ID) };

struct cfg {
  bool fast;
  int64_t size, any;
  double rate;
  const char *mode, *name;
  enum colour colour;
  bool last;
};

static const struct weir_param table[] = {
    WEIR_PARAM(cfg, fast, "true", .help = "whether"),
    WEIR_PARAM(cfg, size, "16K", .min = 1, .max = 1 << 20, .unit = "byte", .help = "how much"),
    WEIR_PARAM(cfg, any, "-1", .help = "anything"),
    WEIR_PARAM(cfg, rate, "0.25", .min = 0, .max = 1, .help = "how often"),
    WEIR_PARAM(cfg, mode, "round", .choices = "round|greedy|oldest", .help = "order"),
    WEIR_PARAM(cfg, name, "", .help = "free text"),
    WEIR_PARAM(cfg, colour, "dark-blue", .choices = WEIR_CHOICES(COLOURS), .help = "paint"),
    WEIR_PARAM_END};

static const struct weir_param_group group = {"demo", "For the test.", table, sizeof(struct cfg),
                                              NULL};

static void defaults_come_from_the_table(void **state) {
  (void)state;
  struct cfg c;
  memset(&c, 0xff, sizeof c);
  weir_param_defaults(table, &c);
  assert_true(c.fast);
  assert_int_equal(c.size, 16384);
  assert_int_equal(c.any, -1);
  assert_true(c.rate == 0.25);
  assert_string_equal(c.mode, "round");
  assert_string_equal(c.name, "");
  assert_int_equal(c.colour, COLOUR_DARK_BLUE);
}

static void values_are_set_and_shown(void **state) {
  (void)state;
  static const char *const pairs[][3] = {
      {"fast", "no", "false"},
      {"size", "1M", "1048576"},
      {"rate", "0.1", "0.1"},
      {"mode", "greedy", "greedy"},
      {"name", "a b", "a b"},
      {"any", "9223372036854775807", "9223372036854775807"},
      {"colour", "grey", "grey"},
      {"colour", "red", "red"},
      {"colour", "dark-blue", "dark-blue"},
      {"rate", "1", "1"},
      {"rate", "0.30000000000000004", "0.30000000000000004"},
  };
  struct cfg c;
  struct weir_err err;
  weir_param_defaults(table, &c);
  for (size_t i = 0; i < COUNT(pairs); i++) {
    char buf[64];
    assert_int_equal(weir_param_set(table, &c, pairs[i][0], pairs[i][1], NULL, &err), WEIR_OK);
    const struct weir_param *p = weir_param_find(table, pairs[i][0]);
    assert_string_equal(weir_param_show(p, &c, buf, sizeof buf), pairs[i][2]);
  }
}

static void wrong_values_are_explained(void **state) {
  (void)state;
  static const struct {
    const char *name, *text, *says;
    enum weir_status code;
  } cases[] = {
      {"size", "0", "size: '0' is out of range\n  accepted: 1 to 1048576 byte", WEIR_EINVAL},
      {"size", "2M", "out of range", WEIR_EINVAL},
      {"size", "big", "'big' is not a whole number", WEIR_EINVAL},
      {"rate", "1.5", "out of range", WEIR_EINVAL},
      {"rate", "often", "not a number", WEIR_EINVAL},
      {"fast", "2", "neither true nor false\n  accepted: true, false", WEIR_EINVAL},
      {"mode", "greddy", "accepted: round, greedy, oldest\n  did you mean 'greedy'?", WEIR_EINVAL},
      {"mode", "round|greedy", "not one of the choices", WEIR_EINVAL},
      {"mode", "", "not one of the choices", WEIR_EINVAL},
      {"colour", "blue-dark", "accepted: red, dark-blue, grey", WEIR_EINVAL},
      {"colour", "grex",
       "not one of the choices\n  accepted: red, dark-blue, grey\n  did you mean 'grey'?",
       WEIR_EINVAL},
      {"colour", "", "not one of the choices", WEIR_EINVAL},
      {"colour", "1", "not one of the choices", WEIR_EINVAL},
      {"sizw", "1", "no parameter 'sizw'\n  did you mean 'size'?", WEIR_ENOENT},
  };
  struct cfg c;
  weir_param_defaults(table, &c);
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct weir_err err;
    assert_int_equal(weir_param_set(table, &c, cases[i].name, cases[i].text, NULL, &err),
                     cases[i].code);
    assert_contains(err.msg, cases[i].says);
  }
  assert_int_equal(c.size, 16384);
  assert_string_equal(c.mode, "round");
}

/* An enum is as wide as its field, and a place that no choice has is shown as nothing. */
static void a_choice_is_its_place_in_the_list(void **state) {
  (void)state;
  struct cfg c;
  char buf[64];
  const struct weir_param *p = weir_param_find(table, "colour");
  memset(&c, 0, sizeof c);
  assert_int_equal(p->type, WEIR_ENUM);
  assert_int_equal(weir_param_set(table, &c, "colour", "grey", NULL, NULL), WEIR_OK);
  assert_int_equal(c.colour, COLOUR_GREY);
  assert_false(c.last);
  assert_int_equal(weir_param_set(table, &c, "colour", "red", NULL, NULL), WEIR_OK);
  assert_int_equal(c.colour, COLOUR_RED);
  c.colour = (enum colour)3;
  assert_string_equal(weir_param_show(p, &c, buf, sizeof buf), "");
}

static void big_limits_keep_all_bits(void **state) {
  (void)state;
  static const struct weir_param wide[] = {
      WEIR_PARAM(cfg, any, "0", .min = -0x1p63, .max = 0x1p63, .help = "wide"), WEIR_PARAM_END};
  struct cfg c;
  assert_int_equal(weir_param_set(wide, &c, "any", "9223372036854775807", NULL, NULL), WEIR_OK);
  assert_true(c.any == INT64_MAX);
  assert_int_equal(weir_param_set(wide, &c, "any", "-9223372036854775808", NULL, NULL), WEIR_OK);
  assert_true(c.any == INT64_MIN);
}

static void sound_groups_pass_and_unsound_ones_do_not(void **state) {
  (void)state;
  struct weir_err err;
  assert_int_equal(weir_param_group_check(&group, &err), WEIR_OK);
  static const struct weir_param bad[][2] = {
      {WEIR_PARAM(cfg, any, "1"), WEIR_PARAM_END},
      {WEIR_PARAM(cfg, any, "9", .min = 1, .max = 2, .help = "x"), WEIR_PARAM_END},
      {WEIR_PARAM(cfg, any, "1", .min = 3, .max = 2, .help = "x"), WEIR_PARAM_END},
      {WEIR_PARAM(cfg, any, "1", .help = "two\nlines"), WEIR_PARAM_END},
      {WEIR_PARAM(cfg, any, "1", .choices = "1|2", .help = "x"), WEIR_PARAM_END},
      {WEIR_PARAM(cfg, colour, "red", .help = "x"), WEIR_PARAM_END},
      {WEIR_PARAM(cfg, colour, "1", .choices = WEIR_CHOICES(COLOURS), .help = "x"), WEIR_PARAM_END},
      {{.name = "Any", .def = "1", .help = "x", .type = WEIR_INT}, WEIR_PARAM_END},
      {{.name = "any", .help = "x", .type = WEIR_INT}, WEIR_PARAM_END},
      {{.name = "any", .def = "1", .help = "x", .type = WEIR_INT, .offset = 999}, WEIR_PARAM_END},
  };
  for (size_t i = 0; i < COUNT(bad); i++) {
    struct weir_param_group g = {"demo", "about", bad[i], sizeof(struct cfg), NULL};
    assert_int_equal(weir_param_group_check(&g, &err), WEIR_EBUG);
  }
  static const struct weir_param twice[] = {WEIR_PARAM(cfg, any, "1", .help = "x"),
                                            WEIR_PARAM(cfg, any, "1", .help = "x"), WEIR_PARAM_END};
  struct weir_param_group g = {"demo", "about", twice, sizeof(struct cfg), NULL};
  assert_int_equal(weir_param_group_check(&g, &err), WEIR_EBUG);
  assert_contains(err.msg, "stands twice");
}

static const struct weir_fact no_facts[] = {{0}};

static void the_reference_page_has_every_row(void **state) {
  (void)state;
  const struct weir_param_group *groups[] = {&group, NULL};
  struct weir_text out = {0};
  weir_reference_params(groups, no_facts, &out);
  assert_false(out.failed);
  assert_contains(out.v, "## demo\n\nFor the test.\n");
  assert_contains(out.v,
                  "| `demo.size` | integer | `16K` | byte | 1 to 1048576 | how much |  |  |\n");
  assert_contains(out.v, "| round, greedy, oldest |");
  weir_text_free(&out);
}

static int write_page(void) {
  const struct weir_param_group *groups[] = {&group, NULL};
  struct weir_text out = {0};
  weir_reference_params(groups, no_facts, &out);
  int good = !out.failed;
  weir_text_free(&out);
  return good;
}

static void pages_survive_lack_of_memory(void **state) {
  (void)state;
  assert_true(with_failing_memory(write_page) > 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_come_from_the_table),
      cmocka_unit_test(values_are_set_and_shown),
      cmocka_unit_test(wrong_values_are_explained),
      cmocka_unit_test(a_choice_is_its_place_in_the_list),
      cmocka_unit_test(big_limits_keep_all_bits),
      cmocka_unit_test(sound_groups_pass_and_unsound_ones_do_not),
      cmocka_unit_test(the_reference_page_has_every_row),
      cmocka_unit_test(pages_survive_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
