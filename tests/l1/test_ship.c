/* Signature-based hit prediction. */
#include "rig_rep.h"

static unsigned counter(uint32_t signature) {
  return ((const uint8_t *)weir_state_peek(rig_part(&g, 1)))[signature];
}

/* A load of the instruction whose signature is `signature`. */
static int read_by(uint32_t signature, char name) {
  g.pc = 4 * signature;
  return rep_read(0, name);
}

static void test_learns(void **state) {
  (void)state;
  rep_open(&weir_policy_ship, DEFAULTS);
  assert_int_equal(counter(5), 1);
  for (const char *s = "abcd"; *s != '\0'; s++)
    read_by(5, *s);
  EXPECT(0, "a2 b2 c2 d2");
  read_by(6, 'e'); /* a goes without a hit */
  EXPECT(0, "e2 b3 c3 d3");
  assert_int_equal(counter(5), 0);
  assert_int_equal(counter(6), 1);
  read_by(5, 'f'); /* b goes; f comes as distant */
  EXPECT(0, "e2 f3 c3 d3");
  assert_int_equal(counter(5), 0); /* not below 0 */
  read_by(6, 'g');
  EXPECT(0, "e2 g2 c3 d3");
  assert_int_equal(rep_stats()->inserts_distant, 1);
  assert_int_equal(rep_stats()->trained_down, 1);
  /* A hit counts for the instruction that brought the line, whoever it was by. */
  assert_int_equal(read_by(7, 'c'), WEIR_HIT);
  assert_int_equal(counter(5), 1);
  assert_int_equal(counter(7), 1);
  EXPECT(0, "e2 g2 c0 d3");
  read_by(5, 'h'); /* d goes without a hit; the counter is read afterwards */
  EXPECT(0, "e2 g2 c0 h3");
  assert_int_equal(rep_stats()->trained_up, 1);
  assert_int_equal(rep_stats()->trained_down, 2);
  assert_int_equal(rep_stats()->distant_used, 0);
  read_by(5, 'h');
  read_by(5, 'h');
  assert_int_equal(rep_stats()->distant_used, 1);
  assert_int_equal(counter(5), 2);
  rig_close(&g);
}

/* A line that was hit says nothing when it goes. */
static void test_hit_once(void **state) {
  (void)state;
  rep_init(&weir_policy_ship, DEFAULTS);
  rig_open(&g, "l1.ways=1", NULL);
  read_by(9, 'a');
  read_by(9, 'a');
  assert_int_equal(counter(9), 2);
  read_by(10, 'b');
  assert_int_equal(counter(9), 2);
  read_by(10, 'a'); /* the way has forgotten a's hit */
  assert_int_equal(counter(10), 0);
  rig_close(&g);
}

static void test_range(void **state) {
  (void)state;
  rep_open(&weir_policy_ship, DEFAULTS);
  for (unsigned i = 0; i < 20; i++)
    read_by(3, 'a');
  assert_int_equal(counter(3), 7);
  assert_int_equal(rep_stats()->trained_up, 6);
  rig_close(&g);
  rep_open(&weir_policy_ship, PARAMS("counter_bits=1"));
  for (unsigned i = 0; i < 3; i++)
    read_by(3, 'a');
  assert_int_equal(counter(3), 1);
  rig_close(&g);
}

static uint32_t signature_of(uint64_t pc, const char *const *params, uint32_t n) {
  uint32_t at = UINT32_MAX;
  rep_open(&weir_policy_ship, params);
  g.pc = pc;
  rep_reads(0, "aa");
  for (uint32_t i = 0; i < n; i++)
    if (counter(i) == 2) {
      assert_int_equal(at, UINT32_MAX);
      at = i;
    }
  rig_close(&g);
  return at;
}

static void test_signature(void **state) {
  (void)state;
  assert_int_equal(signature_of(0, DEFAULTS, 1 << 14), 0);
  assert_int_equal(signature_of(0xfffc, DEFAULTS, 1 << 14), 0x3fff);
  assert_int_equal(signature_of(0x10000, DEFAULTS, 1 << 14), 1);
  assert_int_equal(signature_of(0x12345678, DEFAULTS, 1 << 14), (0x48d159e ^ 0x1234) & 0x3fff);
  assert_int_equal(signature_of(0x12345678, PARAMS("sig_bits=7"), 1 << 7),
                   (0x48d159e ^ 0x1234) & 0x7f);
}

/* Ends by stores and kernels teach nothing; what was learnt stays. */
static void test_other_ends(void **state) {
  (void)state;
  for (unsigned reset = 0; reset < 2; reset++) {
    rep_open(&weir_policy_ship, reset ? PARAMS("reset=true") : DEFAULTS);
    read_by(2, 'a');
    read_by(2, 'b');
    read_by(2, 'b');
    assert_int_equal(counter(2), 2);
    rep_store(0, 'a');
    EXPECT(0, "- b0 - -");
    assert_int_equal(counter(2), 2);
    read_by(4, 'c');
    read_by(4, 'd');
    weir_l1_kernel_end(g.l1, g.now);
    assert_int_equal(rep_stats()->zero_counters, 0);
    rig_kernel(&g);
    EXPECT(0, "- - - -");
    assert_int_equal(counter(2), reset ? 1 : 2);
    assert_int_equal(counter(4), 1);
    rig_close(&g);
  }
}

static void test_zero_counters(void **state) {
  (void)state;
  rep_init(&weir_policy_ship, DEFAULTS);
  rig_open(&g, "l1.ways=1", NULL);
  for (uint32_t i = 0; i < 6; i++)
    read_by(i, (char)('a' + i));
  for (unsigned again = 0; again < 2; again++) {
    weir_l1_kernel_end(g.l1, g.now);
    assert_int_equal(rep_stats()->zero_counters, 5);
  }
  rig_close(&g);
}

/* Stores that hit a line which stays: a use, but no lesson. */
static void test_stores(void **state) {
  (void)state;
  rep_init(&weir_policy_ship, DEFAULTS);
  rig_open(&g, "l1.write=through", NULL);
  read_by(2, 'a');
  rep_store(0, 'a');
  EXPECT(0, "a0 - - -");
  assert_int_equal(counter(2), 1);
  rig_close(&g);
}

static void test_joining(void **state) {
  (void)state;
  for (unsigned touch = 0; touch < 2; touch++) {
    rep_open(&weir_policy_ship, touch ? PARAMS("hr_touch=true") : DEFAULTS);
    g.pc = 8;
    rep_ask(0, 'a');
    assert_int_equal(rep_ask(0, 'a'), WEIR_HIT_PENDING);
    assert_int_equal(counter(2), 1 + touch);
    EXPECT(0, touch ? "a0* - - -" : "a2* - - -");
    rig_close(&g);
  }
}

/* The signature is that of the load whose data came. */
static void test_on_fill(void **state) {
  (void)state;
  rep_init(&weir_policy_ship, DEFAULTS);
  g.lines.on_fill = true;
  rig_open(&g, NULL);
  read_by(11, 'a');
  read_by(12, 'a');
  assert_int_equal(counter(11), 2);
  assert_int_equal(counter(12), 1);
  rig_close(&g);
}

static void test_start(void **state) {
  (void)state;
  struct weir_err err;
  rep_open(&weir_policy_ship, PARAMS("counter_start=0"));
  read_by(1, 'a');
  EXPECT(0, "a3 - - -");
  rig_close(&g);
  rep_open(&weir_policy_ship, PARAMS("counter_start=7"));
  assert_int_equal(counter(0), 7);
  rig_close(&g);
  rep_init(&weir_policy_ship, PARAMS("counter_start=8"));
  assert_false(rig_try(&g, &err, NULL));
  assert_string_equal(err.msg, "ship.counter_start 8 is too much: ship.counter_bits 3 count to 7");
}

static void test_storage_and_verify(void **state) {
  (void)state;
  rep_init(&weir_policy_ship, DEFAULTS);
  rig_open(&g, "l1.sets=32", NULL);
  struct weir_policy *p = rig_part(&g, 1);
  assert_int_equal(weir_policy_ship.part.storage_bits(weir_cfg(p), weir_geometry(p)),
                   128 * (2 + 14 + 1) + 16384 * 3);
  uint8_t *last = (uint8_t *)weir_state_edit(p) + 16383;
  *last = 7;
  assert_null(weir_policy_ship.part.verify(p));
  *last = 8;
  assert_non_null(weir_policy_ship.part.verify(p));
  *last = 1;
  *(uint8_t *)weir_line_edit(p, 31, 3) = 4;
  assert_non_null(weir_policy_ship.part.verify(p));
  *(uint8_t *)weir_line_edit(p, 31, 3) = 0;
  rig_close(&g);
  rep_init(&weir_policy_ship, PARAMS("sig_bits=7"));
  rig_open(&g, "l1.sets=32", NULL);
  p = rig_part(&g, 1);
  assert_int_equal(weir_policy_ship.part.storage_bits(weir_cfg(p), weir_geometry(p)),
                   128 * (2 + 7 + 1) + 128 * 3);
  rig_close(&g);
}

/* A stream of lines that nobody uses again, beside a few that are used: with the stream's
 * instruction known, the others stay. */
static void test_protects(void **state) {
  (void)state;
  rep_open(&weir_policy_ship, DEFAULTS);
  g.is_fast = true;
  g.pc = 4 * 1;
  rep_reads(0, "abcabc");
  for (uint64_t i = 0; i < 400; i++) {
    read_by(1, (char)('a' + i % 3));
    for (unsigned k = 0; k < 4; k++) {
      g.pc = 4 * 2;
      rig_read(&g, 1000 + 4 * i + k, 15);
    }
  }
  assert_int_equal(counter(1), 7);
  assert_int_equal(counter(2), 0);
  assert_int_equal(rig_stats(&g)->hits, 3 + 400);
  rig_close(&g);
}

static void test_engine(void **state) {
  (void)state;
  struct weir_rrip_stats sum = {0};
  rep_engine(&weir_policy_ship, PARAMS("sig_bits=7"), 15, &sum);
  assert_true(sum.trained_up > 0 && sum.trained_down > 0 && sum.distant_used > 0);
  assert_true(sum.inserts_distant > 0 && sum.inserts_distant < sum.inserts);
  assert_in_range(sum.zero_counters, 1, 128);
  memset(&sum, 0, sizeof sum);
  assert_true(rep_workload(&weir_policy_ship, "spmv", 0, &sum) > 0);
  assert_true(sum.trained_up > 0 && sum.trained_down > 0);
  assert_true(rep_workload(&weir_policy_ship, "gather", 4, NULL) > 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_learns),
      cmocka_unit_test(test_hit_once),
      cmocka_unit_test(test_range),
      cmocka_unit_test(test_signature),
      cmocka_unit_test(test_other_ends),
      cmocka_unit_test(test_zero_counters),
      cmocka_unit_test(test_stores),
      cmocka_unit_test(test_joining),
      cmocka_unit_test(test_on_fill),
      cmocka_unit_test(test_start),
      cmocka_unit_test(test_storage_and_verify),
      cmocka_unit_test(test_protects),
      cmocka_unit_test(test_engine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
