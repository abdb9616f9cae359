/* Conditions of parameters: what they say of a set-up, and what is said to a user. */
#include "base/effect.h"

#include <stdio.h>

#include "testing.h"

struct cfg {
  bool on, fast;
  int64_t size, ways, part;
  double share;
  const char *mode;
};

static const struct weir_param cache[] = {
    WEIR_PARAM(cfg, on, "true", .help = "x"),
    WEIR_PARAM(cfg, size, "4K", .help = "x", .when = "on=true; or told"),
    WEIR_PARAM(cfg, ways, "4", .help = "x", .when = "on=true and mode=a|b (the mode says it)"),
    WEIR_PARAM(cfg, mode, "a", .help = "x", .choices = "a|b|c"),
    WEIR_PARAM(cfg, share, "0.5", .help = "x", .when = "size>4096 or size<cache.ways"),
    WEIR_PARAM(cfg, fast, "false", .help = "x", .when = "mode!=c and part=lru"),
    WEIR_PARAM(cfg, part, "1", .help = "x", .when = "never (its part, always)"),
    WEIR_PARAM_END};
static const struct weir_param_group group = {"cache", "For the test.", cache, sizeof(struct cfg),
                                              "timed"};
static const struct weir_param_group *const groups[] = {&group, NULL};

static bool has_lru(const void *self, const char *name) {
  return self != NULL && strcmp(name, "lru") == 0;
}

static struct weir_fact facts[] = {
    {"timed", "kernels are timed", "nothing is timed", "time them", true, NULL},
    {"told", "somebody is told", "nobody is told", NULL, false, "nobody"},
    {0}};

static bool felt(const struct weir_settings *s, const char *path, bool has_part, char *why) {
  struct weir_text text = {0};
  struct weir_facts f = {.v = facts, .has_part = has_lru, .self = has_part ? s : NULL};
  bool is = weir_has_effect(s, weir_settings_find(s, path), &f, &text);
  if (why != NULL) snprintf(why, 200, "%s", text.v != NULL ? text.v : "");
  assert_true(is == (text.v == NULL));
  weir_text_free(&text);
  return is;
}

static void set(struct weir_settings *s, const char *text) {
  struct weir_err err;
  assert_int_equal(weir_settings_assign(s, text, &err), WEIR_OK);
}

static void conditions_are_about_other_values(void **state) {
  struct weir_settings s;
  char why[200];
  (void)state;
  assert_int_equal(weir_settings_init(&s, groups, NULL), WEIR_OK);
  assert_true(felt(&s, "cache.on", false, NULL));
  assert_true(felt(&s, "cache.ways", false, NULL));
  assert_false(felt(&s, "cache.share", false, why));
  assert_string_equal(why, "cache.size is 4K (default)\nit has one with cache.size>4096");
  set(&s, "cache.size=5K");
  assert_true(felt(&s, "cache.share", false, NULL));
  set(&s, "cache.size=3");
  assert_true(felt(&s, "cache.share", false, NULL));
  set(&s, "cache.mode=b");
  assert_true(felt(&s, "cache.ways", false, NULL));
  set(&s, "cache.mode=c");
  assert_false(felt(&s, "cache.ways", false, why));
  assert_string_equal(why,
                      "cache.mode is c (--set): the mode says it\nit has one with cache.mode=a|b");
  assert_false(felt(&s, "cache.fast", true, NULL));
  set(&s, "cache.mode=a");
  assert_true(felt(&s, "cache.fast", true, NULL));
  assert_false(felt(&s, "cache.fast", false, why));
  assert_contains(why, "lru is no part of the L1");
  assert_false(felt(&s, "cache.part", true, why));
  assert_string_equal(why, "its part, always");
  weir_settings_free(&s);
}

/* What stands behind "; or" needs nothing that the group needs. */
static void facts_count(void **state) {
  struct weir_settings s;
  char why[200];
  (void)state;
  assert_int_equal(weir_settings_init(&s, groups, NULL), WEIR_OK);
  facts[0].holds = false;
  assert_false(felt(&s, "cache.on", false, why));
  assert_string_equal(why, "nothing is timed\nremedy: time them");
  assert_false(felt(&s, "cache.size", false, NULL));
  facts[1].holds = true;
  assert_true(felt(&s, "cache.size", false, NULL));
  assert_false(felt(&s, "cache.on", false, NULL));
  facts[0].holds = true;
  facts[1].holds = false;
  weir_settings_free(&s);
}

/* Only what the user said, and only if it has no effect anywhere. */
static void the_users_settings_are_checked(void **state) {
  struct weir_settings a, b;
  struct weir_err err;
  struct weir_facts f = {.v = facts, .has_part = has_lru, .self = NULL};
  const struct weir_settings *both[] = {&a, &b};
  const struct weir_facts *same[] = {&f, &f};
  (void)state;
  assert_int_equal(weir_settings_init(&a, groups, NULL), WEIR_OK);
  assert_int_equal(weir_settings_init(&b, groups, NULL), WEIR_OK);
  assert_int_equal(weir_settings_set(&a, WEIR_LAYER_FILE, "cache.share", "0.1", NULL, &err), 0);
  assert_int_equal(weir_effects_check(both, same, 2, &err), WEIR_OK);
  set(&a, "cache.ways=4"); /* the default, but it was said */
  set(&b, "cache.ways=4");
  assert_int_equal(weir_settings_set(&a, WEIR_LAYER_FILE, "cache.on", "false", NULL, &err), 0);
  assert_int_equal(weir_effects_check(both, same, 2, &err), WEIR_OK);
  assert_int_equal(weir_effects_check(both, same, 1, &err), WEIR_EINVAL);
  assert_contains(err.msg, "cache.ways=4 (--set) has no effect: cache.on is false");
  assert_int_equal(weir_settings_set(&b, WEIR_LAYER_FILE, "cache.on", "false", NULL, &err), 0);
  assert_int_equal(weir_effects_check(both, same, 2, &err), WEIR_EINVAL);
  assert_contains(err.msg, "has no effect in any of the runs: ");
  assert_int_equal(weir_settings_derive(&b, "cache.ways", "8", "cache.size", &err), WEIR_OK);
  weir_settings_free(&a);
  weir_settings_free(&b);
}

static void conditions_are_checked(void **state) {
  static const char *const bad[] = {"onn=true",    "nobody",    "mode=d",
                                    "on=true and", "other.x=1", "never"};
  struct weir_settings s;
  struct weir_err err;
  (void)state;
  assert_int_equal(weir_settings_init(&s, groups, NULL), WEIR_OK);
  assert_int_equal(weir_effects_sound(&s, facts, &err), WEIR_OK);
  weir_settings_free(&s);
  for (size_t i = 0; i < COUNT(bad); i++) {
    struct weir_param table[3] = {cache[0], cache[3], WEIR_PARAM_END};
    struct weir_param_group g = {"cache", "x", table, sizeof(struct cfg), NULL};
    const struct weir_param_group *const one[] = {&g, NULL};
    table[0].when = bad[i];
    assert_int_equal(weir_settings_init(&s, one, NULL), WEIR_OK);
    assert_int_equal(weir_effects_sound(&s, facts, &err), WEIR_EBUG);
    weir_settings_free(&s);
  }
}

static void people_can_read_them(void **state) {
  static const char *const text[] = {"",
                                     "cache.on=true; or somebody is told",
                                     "cache.on=true, cache.mode=a|b",
                                     "",
                                     "cache.size>4096; or cache.size<cache.ways",
                                     "cache.mode!=c, lru is a part of the L1",
                                     "never; its part, always"};
  (void)state;
  for (size_t i = 0; cache[i].name != NULL; i++) {
    struct weir_text out = {0};
    weir_effect_text(&group, &cache[i], facts, &out);
    assert_string_equal(out.v != NULL ? out.v : "", text[i]);
    weir_text_free(&out);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conditions_are_about_other_values),
      cmocka_unit_test(facts_count),
      cmocka_unit_test(the_users_settings_are_checked),
      cmocka_unit_test(conditions_are_checked),
      cmocka_unit_test(people_can_read_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
