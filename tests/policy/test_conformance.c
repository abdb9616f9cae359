/* What every organisation and every policy must keep, alone and in every ordered pair that can
 * stand together. */
#include "../stream/util.h"
#include "l1/conform/conform.h"

static void try_some(enum weir_conform what, const struct weir_policy_ops *only) {
  struct weir_err err;
  struct weir_conform_progress p;
  if (weir_conform(what, only, &p, &err) != WEIR_OK) fail_msg("%s", err.msg);
  print_message("%u tried\n", p.n);
  assert_true(p.n > 0);
}
static void try_all(enum weir_conform what) {
  try_some(what, NULL);
}

/* Of what takes long: all; with a sanitizer, which is slow, what has one policy of `each` in it. */
static void try_many(enum weir_conform what, size_t each) {
#ifdef __SANITIZE_ADDRESS__
  for (size_t i = 0; weir_policies[i] != NULL; i += each)
    try_some(what, weir_policies[i]);
#else
  (void)each;
  try_all(what);
#endif
}

static void test_declarations(void **state) {
  (void)state;
  try_all(WEIR_CONFORM_DECLARATIONS);
}
static void test_alone(void **state) {
  (void)state;
  try_many(WEIR_CONFORM_ALONE, 4);
}
static void test_pairs(void **state) {
  (void)state;
  try_many(WEIR_CONFORM_PAIRS, 16);
}
static void test_parameters(void **state) {
  (void)state;
  try_all(WEIR_CONFORM_PARAMETERS);
}

/* ---- the suite finds what is wrong ---- */

static uint64_t calls; /* state that no copy has */

static enum weir_answer count(const struct weir_policy *p, const struct weir_access *a) {
  (void)p, (void)a;
  return ++calls % 7 == 0 ? WEIR_BYPASS : WEIR_PASS;
}
static const struct weir_policy_ops global = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "global", .help = "x"}, .route = count};

static enum weir_answer write_state(const struct weir_policy *p, const struct weir_access *a) {
  (void)a;
  ++*(uint64_t *)p->state;
  return WEIR_PASS;
}
static const struct weir_policy_ops cheat = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "cheat", .help = "x", .state_bytes = 8},
    .route = write_state};

static uint32_t limit_and_write(const struct weir_policy *p, const struct weir_kernel *k) {
  (void)k;
  ++*(uint64_t *)p->state;
  return 1;
}
static const struct weir_policy_ops limit = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "limit", .help = "x", .state_bytes = 8},
    .max_ctas = limit_and_write};

static const struct weir_policy_ops idle = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "idle", .help = "x"}};

static void count_updates(struct weir_policy *p, const struct weir_sched_view *v) {
  (void)v;
  ++*(uint64_t *)weir_state_edit(p);
}
static const struct weir_policy_ops counts = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "counts", .help = "x", .state_bytes = 8},
    .sched_update = count_updates};

static int pick_nothing(const struct weir_policy *p, const struct weir_sched_view *v,
                        uint64_t ready) {
  (void)p, (void)v, (void)ready;
  return WEIR_WARP_NONE;
}
static const struct weir_policy_ops lazy = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "lazy", .help = "x"}, .pick_warp = pick_nothing};

static bool no_row(const struct weir_policy *p, uint32_t i, struct weir_row *row) {
  (void)p, (void)i, (void)row;
  return false;
}
static const struct weir_policy_ops hasty = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "hasty", .help = "x"},
    .prepares_on_timed = true,
    .route = count};
static const struct weir_policy_ops vague = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "vague", .help = "x"},
    .row_params = "size",
    .row = no_row};

/* Notes that no copy has. */
static void note_calls(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                       int way, enum weir_outcome outcome) {
  (void)a, (void)set, (void)way, (void)outcome;
  weir_note(p, &(struct weir_row){.key = 1, .v = {calls++}});
}
static const struct weir_policy_ops diary = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "diary", .help = "x"},
    .lookup = note_calls,
    .row = no_row};

static void must_fail(enum weir_conform what, const struct weir_policy_ops *o, const char *why) {
  struct weir_err err;
  struct weir_conform_progress p;
  assert_int_equal(weir_conform(what, o, &p, &err), WEIR_EFAULT);
  assert_non_null(strstr(err.msg, why));
}

/* Last: they stay among the policies. */
static void test_finds_mistakes(void **state) {
  (void)state;
  assert_true(weir_policy_add(&global, "test") && weir_policy_add(&cheat, "test") &&
              weir_policy_add(&limit, "test") && weir_policy_add(&idle, "test"));
  must_fail(WEIR_CONFORM_ALONE, &global, "a copy taken half-way went another way");
  must_fail(WEIR_CONFORM_ALONE, &cheat, "the deciding hook 'route' changed the state");
  must_fail(WEIR_CONFORM_ALONE, &limit, "the deciding hook 'max_ctas' changed the state");
  must_fail(WEIR_CONFORM_DECLARATIONS, &idle, "it has no hook");
  assert_true(weir_policy_add(&counts, "test") && weir_policy_add(&lazy, "test"));
  must_fail(WEIR_CONFORM_ALONE, &counts, "'sched_update' changed something when it was told");
  must_fail(WEIR_CONFORM_ALONE, &lazy, "no warp is ever picked");
  assert_true(weir_policy_add(&hasty, "test") && weir_policy_add(&vague, "test") &&
              weir_policy_add(&diary, "test"));
  must_fail(WEIR_CONFORM_DECLARATIONS, &hasty, "says how its rows are made and has no 'row'");
  must_fail(WEIR_CONFORM_DECLARATIONS, &vague, "'row_params' names what is no parameter");
  must_fail(WEIR_CONFORM_ALONE, &diary, "a second run with the same input differs");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_declarations),
                                     cmocka_unit_test(test_alone), cmocka_unit_test(test_pairs),
                                     cmocka_unit_test(test_parameters),
                                     cmocka_unit_test(test_finds_mistakes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
