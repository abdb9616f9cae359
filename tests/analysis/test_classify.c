/* From counts to classes. */
#include "../base/testing.h"
#include "analysis/classify.h"

static struct weir_cls_cfg defaults(void) {
  struct weir_cls_cfg cfg;
  weir_param_defaults(weir_cls_params.table, &cfg);
  return cfg;
}

/* Loads in the groups given, fixed where it is WEIR_NO_GROUP. */
static struct weir_loads loads_of(struct weir_static_load *v, const uint32_t *groups, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    v[i] = (struct weir_static_load){.group = groups[i], .is_fixed = groups[i] == WEIR_NO_GROUP};
  return (struct weir_loads){.v = v, .n = n};
}

static void thresholds(void **state) {
  (void)state;
  struct weir_cls_cfg cfg = defaults();
  static const struct {
    uint64_t accesses, hits;
    enum weir_tag want;
  } cases[] = {
      {100, 100, WEIR_TAG_CA},
      {100, 70, WEIR_TAG_CA},
      {100, 69, WEIR_TAG_CM},
      {100, 31, WEIR_TAG_CM},
      {100, 30, WEIR_TAG_CG},
      {100, 0, WEIR_TAG_CG},
      {1000000007, 700000004, WEIR_TAG_CM},
      {1000000007, 700000005, WEIR_TAG_CA},
      {0, 0, WEIR_TAG_CM},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    struct weir_load_counts c = {cases[i].accesses, cases[i].hits, cases[i].hits};
    assert_int_equal(weir_classify_load(&cfg, 1, 0, &c), cases[i].want);
  }
  cfg.high = 0.5;
  cfg.low = 0.5;
  assert_int_equal(weir_classify_load(&cfg, 1, 0, &(struct weir_load_counts){2, 1, 1}),
                   WEIR_TAG_CA);
  assert_int_equal(weir_cls_check(&cfg, NULL), WEIR_OK);
  cfg.low = 0.6;
  struct weir_err err;
  assert_int_equal(weir_cls_check(&cfg, &err), WEIR_EINVAL);
  assert_contains(err.msg, "cls.low is 0.6, above cls.high, which is 0.5");
}

/* Two loads of one group that find each other's lines, and two that do not. */
static void group(void **state) {
  (void)state;
  struct weir_cls_cfg cfg = defaults();
  static const uint32_t groups[] = {0, 0};
  struct weir_static_load v[2];
  struct weir_loads l = loads_of(v, groups, 2);
  struct weir_load_counts c[] = {{100, 20, 70}, {100, 10, 60}};
  enum weir_tag tag[2];
  assert_int_equal(weir_group_extra(&l, c, 0), 100);
  weir_classify(&cfg, &l, c, tag);
  assert_int_equal(tag[0], WEIR_TAG_CA);
  assert_int_equal(tag[1], WEIR_TAG_CM);
  c[0].together = 20;
  c[1].together = 10;
  weir_classify(&cfg, &l, c, tag);
  assert_int_equal(tag[0], WEIR_TAG_CG);
  assert_int_equal(tag[1], WEIR_TAG_CG);
  /* Loads that are in each other's way: the sign stays. */
  c[0] = (struct weir_load_counts){100, 80, 30};
  c[1] = (struct weir_load_counts){100, 80, 40};
  assert_int_equal(weir_group_extra(&l, c, 0), -90);
  weir_classify(&cfg, &l, c, tag);
  assert_int_equal(tag[0], WEIR_TAG_CM);
  assert_int_equal(tag[1], WEIR_TAG_CM);
}

static void others(void **state) {
  (void)state;
  struct weir_cls_cfg cfg = defaults();
  static const uint32_t groups[] = {0, WEIR_NO_GROUP, 1, 0};
  struct weir_static_load v[4];
  struct weir_loads l = loads_of(v, groups, 4);
  struct weir_load_counts c[] = {{10, 9, 9}, {10, 10, 10}, {10, 1, 1}, {0, 0, 0}};
  enum weir_tag tag[4];
  weir_classify(&cfg, &l, c, tag);
  assert_int_equal(tag[0], WEIR_TAG_CA);
  assert_int_equal(tag[1], WEIR_TAG_NONE);
  assert_int_equal(tag[2], WEIR_TAG_CG);
  assert_int_equal(tag[3], WEIR_TAG_CM);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(thresholds), cmocka_unit_test(group),
                                     cmocka_unit_test(others)};
  return cmocka_run_group_tests_name("classify", tests, NULL, NULL);
}
