/* Bimodal re-reference interval prediction. */
#include "rig_rep.h"

static void test_inserts(void **state) {
  (void)state;
  rep_open(&weir_policy_brrip, PARAMS("long_every=3"));
  rep_reads(0, "abcd");
  EXPECT(0, "a3 b3 c2 d3");
  rep_read(0, 'e'); /* the first at 3 */
  EXPECT(0, "e3 b3 c2 d3");
  rep_read(0, 'f');
  EXPECT(0, "f2 b3 c2 d3");
  rep_reads(0, "bb");
  EXPECT(0, "f2 b0 c2 d3");
  assert_int_equal(rep_stats()->inserts, 6);
  assert_int_equal(rep_stats()->inserts_distant, 4);
  rig_close(&g);
}

/* Which of `n` lines were not distant? They are all in the first set, one after the other. */
static unsigned not_distant(unsigned n, unsigned *first) {
  unsigned some = 0;
  for (unsigned i = 1; i <= n; i++) {
    uint64_t was = rep_stats()->inserts_distant;
    assert_int_equal(rig_read(&g, 1000 + g.now, 15), WEIR_MISS);
    if (rep_stats()->inserts_distant > was) continue;
    if (some++ == 0) *first = i;
  }
  return some;
}

static void test_one_in_32(void **state) {
  (void)state;
  unsigned first;
  rep_open(&weir_policy_brrip, DEFAULTS);
  assert_int_equal(not_distant(320, &first), 10);
  assert_int_equal(first, 32);
  rig_close(&g);
}

/* The counter is the cache's, not the set's, and goes on with the next kernel. */
static void test_counter(void **state) {
  (void)state;
  for (unsigned reset = 0; reset < 2; reset++) {
    unsigned first = 0;
    rep_init(&weir_policy_brrip, reset ? PARAMS("reset=true") : DEFAULTS);
    rig_open(&g, "l1.sets=2", NULL);
    rep_reads(0, "abcdefghij");
    rep_reads(1, "abcdefghij");
    rig_kernel(&g);
    EXPECT(0, "- - - -");
    assert_int_equal(not_distant(40, &first), 1);
    assert_int_equal(first, reset ? 32 : 12);
    rig_close(&g);
  }
}

/* All lines as srrip's. */
static void test_always_long(void **state) {
  (void)state;
  rep_open(&weir_policy_brrip, PARAMS("long_every=1"));
  rep_reads(0, "abcdae");
  EXPECT(0, "a1 e2 c3 d3");
  rig_close(&g);
}

/* Six lines in turn through four ways: LRU and srrip never hit, here some stay. */
static uint64_t hits_of_loop(const struct weir_policy_ops *o) {
  rep_open(o, DEFAULTS);
  g.is_fast = true;
  for (unsigned i = 0; i < 600; i++)
    rig_read(&g, i % 6, 15);
  uint64_t hits = rig_stats(&g)->hits;
  rig_close(&g);
  return hits;
}

static void test_loop(void **state) {
  (void)state;
  assert_int_equal(hits_of_loop(&weir_policy_srrip), 0);
  assert_in_range(hits_of_loop(&weir_policy_brrip), 250, 300);
}

static void test_storage_and_verify(void **state) {
  (void)state;
  rep_init(&weir_policy_brrip, DEFAULTS);
  rig_open(&g, "l1.sets=32", NULL);
  struct weir_policy *p = rig_part(&g, 1);
  uint32_t *n = weir_state_edit(p);
  assert_int_equal(weir_policy_brrip.part.storage_bits(weir_cfg(p), weir_geometry(p)), 2 * 128 + 5);
  *n = 31;
  assert_null(weir_policy_brrip.part.verify(p));
  *n = 32;
  assert_non_null(weir_policy_brrip.part.verify(p));
  *n = 0;
  *(uint8_t *)weir_line_edit(p, 0, 0) = 4;
  assert_non_null(weir_policy_brrip.part.verify(p));
  *(uint8_t *)weir_line_edit(p, 0, 0) = 0;
  rig_close(&g);
}

static void test_engine(void **state) {
  (void)state;
  struct weir_rrip_stats sum = {0};
  rep_engine(&weir_policy_brrip, PARAMS("long_every=4"), 15, &sum);
  assert_true(sum.inserts_distant > 0 && sum.inserts > sum.inserts_distant);
  assert_true(rep_workload(&weir_policy_brrip, "spmv", 0, NULL) > 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inserts), cmocka_unit_test(test_one_in_32),
      cmocka_unit_test(test_counter), cmocka_unit_test(test_always_long),
      cmocka_unit_test(test_loop),    cmocka_unit_test(test_storage_and_verify),
      cmocka_unit_test(test_engine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
