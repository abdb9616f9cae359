/* Which question a policy answers is seen from its hooks. */
#include "../sim/rig.h"

#include "l1/design.h"

static const struct {
  const char *name;
  unsigned axes;
} known[] = {
    {"lru", WEIR_AXIS_REPLACEMENT},
    {"nru", WEIR_AXIS_REPLACEMENT},
    {"fifo", WEIR_AXIS_REPLACEMENT},
    {"random", WEIR_AXIS_REPLACEMENT},
    {"srrip", WEIR_AXIS_REPLACEMENT},
    {"brrip", WEIR_AXIS_REPLACEMENT},
    {"drrip", WEIR_AXIS_REPLACEMENT},
    {"ship", WEIR_AXIS_REPLACEMENT},
    {"pdp", WEIR_AXIS_REPLACEMENT | WEIR_AXIS_ADMISSION},
    {"aip", WEIR_AXIS_REPLACEMENT | WEIR_AXIS_ADMISSION},
    {"sdbp", WEIR_AXIS_REPLACEMENT | WEIR_AXIS_ADMISSION},
    {"bypass-all", WEIR_AXIS_ADMISSION},
    {"pc-bypass", WEIR_AXIS_ADMISSION},
    {"random-bypass", WEIR_AXIS_ADMISSION},
    {"coordinated", WEIR_AXIS_ADMISSION},
    {"two-level", WEIR_AXIS_ADMISSION},
    {"apcm", WEIR_AXIS_ADMISSION | WEIR_AXIS_REPLACEMENT},
    {"profiled", WEIR_AXIS_ADMISSION},
    {"pemp", WEIR_AXIS_ADMISSION},
    {"carb-standin", WEIR_AXIS_ADMISSION},
    {"tsc-plus", WEIR_AXIS_FETCH},
    {"mrpb", WEIR_AXIS_ORDER},
    {"ccws", WEIR_AXIS_THREADS},
    {"swl", WEIR_AXIS_THREADS},
    {"tb-limit", WEIR_AXIS_THREADS},
    {"lrr", WEIR_AXIS_THREADS},
    {"gto", WEIR_AXIS_THREADS},
    {"oldest", WEIR_AXIS_THREADS},
    {"two-level-active", WEIR_AXIS_THREADS},
    {"fetch-groups", WEIR_AXIS_THREADS},
};
enum { N_KNOWN = sizeof known / sizeof *known };

static void test_built_in(void **state) {
  (void)state;
  unsigned n = 0;
  for (size_t i = 0; weir_policies[i] != NULL; i++)
    for (size_t k = 0; k < N_KNOWN; k++)
      if (strcmp(known[k].name, weir_policies[i]->part.name) == 0) {
        if (weir_policy_axes(weir_policies[i]) != known[k].axes)
          fail_msg("%s: axes %u", known[k].name, weir_policy_axes(weir_policies[i]));
        n++;
      }
  assert_int_equal(n, N_KNOWN);
}

static enum weir_answer route(const struct weir_policy *p, const struct weir_access *a) {
  (void)p, (void)a;
  return WEIR_PASS;
}
static enum weir_answer blocked(const struct weir_policy *p, const struct weir_access *a,
                                enum weir_shortage why) {
  (void)p, (void)a, (void)why;
  return WEIR_PASS;
}
static bool gate(const struct weir_policy *p, uint32_t warp, enum weir_op op) {
  (void)p, (void)warp, (void)op;
  return true;
}
static void bypass(struct weir_policy *p, const struct weir_access *a) {
  (void)p, (void)a;
}

static void test_hooks(void **state) {
  (void)state;
  struct weir_policy_ops o = {.bypass = bypass};
  assert_int_equal(weir_policy_axes(&o), 0);
  o.blocked = blocked;
  assert_int_equal(weir_policy_axes(&o), WEIR_AXIS_ADMISSION);
  o.gate = gate;
  assert_int_equal(weir_policy_axes(&o), WEIR_AXIS_THREADS);
  o.route = route;
  assert_int_equal(weir_policy_axes(&o), WEIR_AXIS_THREADS | WEIR_AXIS_ADMISSION);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_built_in), cmocka_unit_test(test_hooks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
