/* Static re-reference interval prediction, and what its kin shares with it. */
#include "rig_rep.h"

/* The worked example: two bits, four ways, hit priority. */
static void test_example(void **state) {
  (void)state;
  rep_open(&weir_policy_srrip, DEFAULTS);
  rep_reads(0, "abcd");
  EXPECT(0, "a2 b2 c2 d2");
  assert_int_equal(rep_read(0, 'a'), WEIR_HIT);
  EXPECT(0, "a0 b2 c2 d2");
  rep_read(0, 'e'); /* none at 3: a1 b3 c3 d3, and b goes */
  EXPECT(0, "a1 e2 c3 d3");
  rep_read(0, 'f');
  EXPECT(0, "a1 e2 f2 d3");
  rep_reads(0, "gea");
  EXPECT(0, "a0 e0 f2 g2");
  rep_reads(0, "fg");
  EXPECT(0, "a0 e0 f0 g0");
  rep_read(0, 'h'); /* all grow by 3 */
  EXPECT(0, "h2 e3 f3 g3");
  const struct weir_rrip_stats *n = rep_stats();
  assert_int_equal(n->inserts, 8);
  assert_int_equal(n->inserts_distant, 0);
  assert_int_equal(n->victims_distant, 2);
  assert_int_equal(n->victims_aged1, 1);
  assert_int_equal(n->victims_aged2, 0);
  assert_int_equal(n->victims_aged3, 1);
  rep_reads(0, "hefghiaaa"); /* i grows all by 3, a comes, is hit */
  assert_int_equal(rep_stats()->victims_aged3, 2);
  rig_close(&g);
}

static void test_frequency_priority(void **state) {
  (void)state;
  rep_open(&weir_policy_srrip, PARAMS("hit=fp"));
  rep_reads(0, "abcda");
  EXPECT(0, "a1 b2 c2 d2");
  rep_reads(0, "aaa");
  EXPECT(0, "a0 b2 c2 d2");
  rep_reads(0, "bcde"); /* all others at 1: grow by 2 */
  EXPECT(0, "a2 e2 c3 d3");
  assert_int_equal(rep_stats()->victims_aged2, 1);
  rig_close(&g);
}

static void test_bits(void **state) {
  (void)state;
  rep_open(&weir_policy_srrip, PARAMS("bits=3"));
  rep_reads(0, "abcdbe");
  EXPECT(0, "e6 b1 c7 d7");
  rig_close(&g);
  rep_open(&weir_policy_srrip, PARAMS("bits=1")); /* as NRU */
  rep_reads(0, "abcde");
  EXPECT(0, "e0 b1 c1 d1");
  rig_close(&g);
  rep_open(&weir_policy_srrip, PARAMS("bits=8"));
  rep_reads(0, "abcda");
  EXPECT(0, "a0 b254 c254 d254");
  rep_reads(0, "bcde");
  EXPECT(0, "e254 b255 c255 d255");
  rig_close(&g);
}

/* Lines that wait for data neither go nor grow. */
static void test_pending(void **state) {
  (void)state;
  rep_open(&weir_policy_srrip, DEFAULTS);
  rep_reads(0, "abcd");
  rep_ask(0, 'e');
  EXPECT(0, "e2* b3 c3 d3");
  rep_read(0, 'b');
  EXPECT(0, "e2 b0 c3 d3");
  rep_ask(0, 'f');
  rep_ask(0, 'g');
  EXPECT(0, "e2 b0 f2* g2*");
  rep_ask(0, 'h');
  EXPECT(0, "h2* b1 f2* g2*");
  rep_ask(0, 'i'); /* b is the only one: it grows by 2, the others do not */
  EXPECT(0, "h2* i2* f2* g2*");
  assert_int_equal(rep_ask(0, 'j'), RIG_REFUSED + WEIR_NO_LINE);
  EXPECT(0, "h2* i2* f2* g2*");
  rig_reply(&g, 1);
  assert_int_equal(rep_stats()->victims_aged2, 1);
  rig_close(&g);
}

static void test_joining(void **state) {
  (void)state;
  for (unsigned touch = 0; touch < 2; touch++) {
    rep_open(&weir_policy_srrip, touch ? PARAMS("hr_touch=true") : DEFAULTS);
    rep_ask(0, 'a');
    assert_int_equal(rep_ask(0, 'a'), WEIR_HIT_PENDING);
    EXPECT(0, touch ? "a0* - - -" : "a2* - - -");
    rig_close(&g);
  }
}

/* A further sector of a line that is there is a use of it. */
static void test_sectors(void **state) {
  (void)state;
  rep_init(&weir_policy_srrip, DEFAULTS);
  g.d.org = &weir_org_sectored;
  rig_open(&g, NULL);
  rig_read(&g, 0, 1);
  EXPECT(0, "a2 - - -");
  assert_int_equal(rig_load(&g, 0, 2), WEIR_PARTIAL);
  EXPECT(0, "a0* - - -");
  rep_reads(0, "bcd");
  rig_load(&g, 1, 15);
  rig_settle(&g);
  rig_load(&g, 4, 1);
  EXPECT(0, "a1 b1 e2* d3");
  rig_close(&g);
}

/* What a store ends, or a kernel, ages nobody, and leaves nothing behind. */
static void test_other_ends(void **state) {
  (void)state;
  rep_open(&weir_policy_srrip, DEFAULTS);
  rep_reads(0, "abcda");
  rep_store(0, 'b');
  EXPECT(0, "a0 - c2 d2");
  rep_ask(0, 'e'); /* a free way: nobody ages */
  EXPECT(0, "a0 e2* c2 d2");
  rig_settle(&g);
  rig_kernel(&g);
  EXPECT(0, "- - - -");
  rig_close(&g);
  rep_init(&weir_policy_srrip, DEFAULTS);
  rig_open(&g, "l1.write=through", NULL);
  rep_reads(0, "ab");
  rep_store(0, 'a'); /* its line stays: a use */
  rep_store(0, 'c');
  EXPECT(0, "a0 b2 - -");
  rig_close(&g);
}

static void test_on_fill(void **state) {
  (void)state;
  rep_init(&weir_policy_srrip, DEFAULTS);
  g.lines.on_fill = true;
  rig_open(&g, NULL);
  rep_reads(0, "abcda");
  rep_ask(0, 'e');
  EXPECT(0, "a0 b2 c2 d2");
  rig_settle(&g);
  EXPECT(0, "a1 e2 c3 d3");
  rig_close(&g);
}

/* One that is used again after every sixth line stays in a scan of any length; LRU would lose it.
 */
static void test_scan(void **state) {
  (void)state;
  rep_open(&weir_policy_srrip, DEFAULTS);
  rep_reads(0, "aa");
  for (uint64_t i = 0; i < 400; i++) {
    rig_read(&g, 100 + i, 15);
    if (i % 6 == 5) assert_int_equal(rep_read(0, 'a'), WEIR_HIT);
  }
  rig_close(&g);
}

static void test_storage_and_verify(void **state) {
  (void)state;
  rep_init(&weir_policy_srrip, PARAMS("bits=3"));
  rig_open(&g, "l1.sets=32", NULL);
  struct weir_policy *p = rig_part(&g, 1);
  assert_int_equal(weir_policy_srrip.part.storage_bits(weir_cfg(p), weir_geometry(p)), 3 * 128);
  assert_null(weir_policy_srrip.part.verify(p));
  *(uint8_t *)weir_line_edit(p, 31, 3) = 7;
  assert_null(weir_policy_srrip.part.verify(p));
  *(uint8_t *)weir_line_edit(p, 31, 3) = 8;
  assert_non_null(weir_policy_srrip.part.verify(p));
  *(uint8_t *)weir_line_edit(p, 31, 3) = 0;
  rig_close(&g);
}

static void test_engine(void **state) {
  (void)state;
  struct weir_rrip_stats sum = {0};
  rep_engine(&weir_policy_srrip, DEFAULTS, 15, &sum);
  rep_engine(&weir_policy_srrip, PARAMS("hit=fp", "bits=3", "hr_touch=true"), 15, &sum);
  assert_true(sum.inserts > 0 && sum.inserts_distant == 0);
  assert_true(sum.victims_distant > 0 && sum.victims_aged1 > 0 && sum.victims_aged2 > 0 &&
              sum.victims_aged3 > 0);
  assert_true(rep_workload(&weir_policy_srrip, "spmv", 0, NULL) > 0);
  assert_true(rep_workload(&weir_policy_srrip, "gather", 4, NULL) > 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_example),    cmocka_unit_test(test_frequency_priority),
      cmocka_unit_test(test_bits),       cmocka_unit_test(test_pending),
      cmocka_unit_test(test_joining),    cmocka_unit_test(test_sectors),
      cmocka_unit_test(test_other_ends), cmocka_unit_test(test_on_fill),
      cmocka_unit_test(test_scan),       cmocka_unit_test(test_storage_and_verify),
      cmocka_unit_test(test_engine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
