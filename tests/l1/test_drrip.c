/* Dynamic re-reference interval prediction: the duel of the sets. */
#include "rig_rep.h"

static uint32_t psel(void) {
  return *(const uint32_t *)weir_state_peek(rig_part(&g, 1));
}

static void open_sets(const char *sets, const char *const *params) {
  rep_init(&weir_policy_drrip, params);
  rig_open(&g, sets, "l1.index=linear", NULL);
}

/* Does a new line of the set come as distant? Its miss has been counted by then. */
static bool is_distant(uint32_t set) {
  uint64_t was = rep_stats()->inserts_distant;
  rep_store(set, 'z'); /* not there before */
  assert_int_equal(rep_read(set, 'z'), WEIR_MISS);
  return rep_stats()->inserts_distant > was;
}

static void miss(uint32_t set, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    is_distant(set);
}

static void test_leaders(void **state) {
  (void)state;
  open_sets("l1.sets=32", DEFAULTS);
  assert_int_equal(psel(), 511);
  for (uint32_t set = 0; set < 32; set++) {
    uint32_t was = psel();
    miss(set, 1);
    assert_int_equal(psel(), set % 8 == 0 ? was + 1 : set % 8 == 4 ? was - 1 : was);
  }
  assert_int_equal(rep_stats()->misses_srrip, 4);
  assert_int_equal(rep_stats()->misses_brrip, 4);
  assert_int_equal(rep_stats()->follower_inserts, 24);
  rig_close(&g);
}

static void test_rules(void **state) {
  (void)state;
  open_sets("l1.sets=8", DEFAULTS);
  assert_false(is_distant(0)); /* psel 512: followers are brrip */
  assert_int_equal(rep_stats()->switches, 1);
  for (uint32_t set = 1; set < 8; set++)
    if (set != 4) assert_true(is_distant(set));
  assert_int_equal(rep_stats()->follower_brrip, 6);
  assert_true(is_distant(4)); /* 511 */
  assert_int_equal(rep_stats()->switches, 2);
  for (uint32_t set = 1; set < 8; set++)
    if (set != 4) assert_false(is_distant(set));
  assert_int_equal(rep_stats()->follower_brrip, 6);
  assert_int_equal(rep_stats()->follower_inserts, 12);
  assert_false(is_distant(0));
  assert_int_equal(rep_stats()->switches, 3);
  miss(0, 10);
  assert_int_equal(rep_stats()->switches, 3);
  rig_close(&g);
}

/* Lines that come by brrip's rule, in whatever set, have one counter. */
static void test_one_counter(void **state) {
  (void)state;
  open_sets("l1.sets=8", PARAMS("long_every=4", "start=brrip"));
  miss(0, 10);
  assert_true(is_distant(1));
  assert_true(is_distant(4));
  miss(0, 10);
  assert_true(is_distant(2));
  assert_false(is_distant(4));
  assert_true(is_distant(4));
  rig_close(&g);
}

static void test_range(void **state) {
  (void)state;
  open_sets("l1.sets=8", PARAMS("psel_bits=3"));
  assert_int_equal(psel(), 3);
  miss(0, 3);
  assert_int_equal(psel(), 6);
  miss(0, 3);
  assert_int_equal(psel(), 7);
  miss(4, 7);
  assert_int_equal(psel(), 0);
  miss(4, 3);
  assert_int_equal(psel(), 0);
  miss(0, 3);
  assert_false(is_distant(1));
  miss(0, 1);
  assert_true(is_distant(1)); /* 4, the half */
  rig_close(&g);
}

static void test_start(void **state) {
  (void)state;
  open_sets("l1.sets=8", DEFAULTS);
  assert_false(is_distant(1));
  rig_close(&g);
  open_sets("l1.sets=8", PARAMS("start=brrip"));
  assert_int_equal(psel(), 512);
  assert_true(is_distant(1));
  rig_close(&g);
}

static void test_period(void **state) {
  (void)state;
  open_sets("l1.sets=32", PARAMS("duel_period=16"));
  for (uint32_t set = 0; set < 32; set++) {
    uint32_t was = psel();
    miss(set, 1);
    assert_int_equal(psel(), set % 16 == 0 ? was + 1 : set % 16 == 8 ? was - 1 : was);
  }
  rig_close(&g);
}

/* A leader of each kind in small caches too; with one set it is srrip. */
static void test_few_sets(void **state) {
  (void)state;
  open_sets("l1.sets=4", DEFAULTS);
  for (uint32_t set = 0; set < 4; set++) {
    uint32_t was = psel();
    miss(set, 1);
    assert_int_equal(psel(), set == 0 ? was + 1 : set == 2 ? was - 1 : was);
  }
  rig_close(&g);
  open_sets("l1.sets=2", DEFAULTS);
  assert_false(is_distant(0));
  assert_int_equal(psel(), 512);
  assert_true(is_distant(1));
  assert_int_equal(psel(), 511);
  rig_close(&g);
  open_sets("l1.sets=1", DEFAULTS);
  for (unsigned i = 0; i < 20; i++)
    assert_false(is_distant(0));
  rig_close(&g);
}

/* Misses of loads count, and nothing else: no hits, no stores, no loads that join or are refused.
 */
static void test_what_counts(void **state) {
  (void)state;
  open_sets("l1.sets=8", DEFAULTS);
  rep_ask(0, 'a');
  assert_int_equal(psel(), 512);
  assert_int_equal(rep_ask(0, 'a'), WEIR_HIT_PENDING);
  rig_settle(&g);
  assert_int_equal(rep_ask(0, 'a'), WEIR_HIT);
  rep_store(0, 'b');
  EXPECT(0, "a0 - - -");
  assert_int_equal(psel(), 512);
  for (const char *s = "bcde"; *s != '\0'; s++)
    rep_ask(0, *s);
  assert_int_equal(psel(), 516);
  assert_int_equal(rep_ask(0, 'f'), RIG_REFUSED + WEIR_NO_LINE);
  assert_int_equal(psel(), 516);
  rig_close(&g);
  rep_init(&weir_policy_drrip, DEFAULTS);
  g.d.org = &weir_org_sectored;
  rig_open(&g, "l1.sets=8", "l1.index=linear", NULL);
  rig_read(&g, 0, 1);
  assert_int_equal(rig_read(&g, 0, 2), WEIR_PARTIAL);
  assert_int_equal(psel(), 512);
  rig_close(&g);
}

static enum weir_answer past(const struct weir_policy *p, const struct weir_access *a,
                             struct weir_set set) {
  (void)p, (void)a, (void)set;
  return WEIR_BYPASS;
}
static const struct weir_policy_ops bypass_every = {
    .part = {.abi = WEIR_POLICY_ABI, .name = "all-past"}, .admit = past};

/* A load that was looked for in vain counts also if it gets no line: its set did not have it. */
static void test_bypass(void **state) {
  (void)state;
  rep_init(&weir_policy_drrip, DEFAULTS);
  rig_add(&g, &bypass_every, NULL);
  rig_open(&g, "l1.sets=8", "l1.index=linear", NULL);
  assert_int_equal(rig_present(&g, WEIR_LOAD, 0, 15).answer, WEIR_L1_WAIT);
  assert_int_equal(rig_stats(&g)->bypassed, 1);
  g.n_sent = 0; /* such a reply concerns nobody here */
  assert_int_equal(psel(), 512);
  EXPECT(0, "- - - -");
  rig_close(&g);
}

static void test_next_kernel(void **state) {
  (void)state;
  for (unsigned reset = 0; reset < 2; reset++) {
    open_sets("l1.sets=8", reset ? PARAMS("reset=true", "start=brrip") : PARAMS("start=brrip"));
    miss(0, 5);
    miss(4, 2);
    weir_l1_kernel_end(g.l1, g.now);
    assert_int_equal(rep_stats()->psel, 515);
    rig_kernel(&g);
    EXPECT(0, "- - - -");
    assert_int_equal(psel(), reset ? 512 : 515);
    uint64_t was = rep_stats()->inserts_distant;
    miss(4, 31); /* two lines have been counted already, or not */
    assert_int_equal(rep_stats()->inserts_distant - was, reset ? 31 : 30);
    rig_close(&g);
  }
}

static void test_storage_and_verify(void **state) {
  (void)state;
  open_sets("l1.sets=32", DEFAULTS);
  struct weir_policy *p = rig_part(&g, 1);
  uint32_t *s = weir_state_edit(p), was[2] = {s[0], s[1]};
  assert_int_equal(weir_policy_drrip.part.storage_bits(weir_cfg(p), weir_geometry(p)),
                   2 * 128 + 10 + 5);
  s[0] = 1023;
  assert_null(weir_policy_drrip.part.verify(p));
  s[0] = 1024;
  assert_non_null(weir_policy_drrip.part.verify(p));
  s[0] = was[0];
  s[1] = 32;
  assert_non_null(weir_policy_drrip.part.verify(p));
  s[1] = was[1];
  *(uint8_t *)weir_line_edit(p, 0, 0) = 4;
  assert_non_null(weir_policy_drrip.part.verify(p));
  *(uint8_t *)weir_line_edit(p, 0, 0) = 0;
  rig_close(&g);
}

/* A loop that is too large for the cache is better off with brrip, which the duel finds out; with
 * a loop that is followed by another it is not. */
static void test_finds_the_better(void **state) {
  (void)state;
  open_sets("l1.sets=8", PARAMS("psel_bits=6"));
  g.is_fast = true;
  for (unsigned i = 0; i < 8 * 6 * 100; i++)
    rig_read(&g, i % 48, 15);
  assert_true(psel() >= 32);
  assert_true(rep_stats()->misses_srrip > rep_stats()->misses_brrip + 100);
  for (unsigned i = 0; i < 8 * 4 * 400;
       i++) /* four lines of each set, used four times, then others */
    rig_read(&g, 100 + i % 32 + 32 * (i / 128), 15);
  assert_true(psel() < 32);
  rig_close(&g);
}

static void test_engine(void **state) {
  (void)state;
  struct weir_rrip_stats sum = {0};
  rep_engine(&weir_policy_drrip, PARAMS("psel_bits=4"), 15, &sum);
  assert_true(sum.misses_srrip > 0 && sum.misses_brrip > 0 && sum.switches > 0);
  assert_true(sum.follower_brrip > 0 && sum.follower_brrip < sum.follower_inserts);
  assert_in_range(sum.psel, 0, 15);
  memset(&sum, 0, sizeof sum);
  assert_true(rep_workload(&weir_policy_drrip, "spmv", 0, &sum) > 0);
  assert_in_range(sum.psel, 1, 1023);
  assert_true(rep_workload(&weir_policy_drrip, "gather", 4, NULL) > 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_leaders),
      cmocka_unit_test(test_rules),
      cmocka_unit_test(test_one_counter),
      cmocka_unit_test(test_range),
      cmocka_unit_test(test_start),
      cmocka_unit_test(test_period),
      cmocka_unit_test(test_few_sets),
      cmocka_unit_test(test_what_counts),
      cmocka_unit_test(test_bypass),
      cmocka_unit_test(test_next_kernel),
      cmocka_unit_test(test_storage_and_verify),
      cmocka_unit_test(test_finds_the_better),
      cmocka_unit_test(test_engine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
