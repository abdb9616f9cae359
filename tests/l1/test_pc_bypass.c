/* pc-bypass, request by request and in the engine.
 *   test_l1_pc_bypass SOURCE_FOLDER */
#include "l1/inspect.h"
#include "rig_pol.h"

static const char *folder;
static const struct weir_policy_ops *const policy = &weir_policy_pc_bypass;

/* Two instructions whose counters differ, and a third. */
enum { P = 0x100, Q = 0x104, R = 0x108 };

static struct port t;
static struct part_cfg cfg;

static void defaults(void) {
  part_defaults(&policy->part, &cfg);
}
/* The predictor alone. */
static void plain(void) {
  defaults();
  SET(sample, 0);
}
static void open_l1(const char *sets, const char *ways, const char *more) {
  const char *const set[] = {sets, ways, "l1.index=linear", "l1.line=128", "l1.sectored=false",
                             more, NULL};
  port_open(&t, policy, &cfg, set);
  port_kernel(&t, 1);
}
static uint32_t counter(uint64_t pc) {
  return weir_pc_bypass_counter(port_policy(&t), pc);
}
static uint64_t line(uint64_t set, uint64_t n) { /* of 4 sets */
  return 128 * (set + 4 * n);
}

/* Replaces n lines that `pc` brought into a set with one way; leaves one there. */
static void waste(uint64_t set, uint64_t pc, unsigned n) {
  static uint64_t next = 1000;
  for (unsigned i = 0; i <= n; i++)
    port_load(&t, pc, line(set, next++));
}

/* The published behaviour step by step: seven wasted lines, then an eighth. */
static void test_feedback(void **state) {
  (void)state;
  plain();
  open_l1("l1.sets=4", "l1.ways=1", NULL);
  waste(0, P, 7);
  assert_int_equal(counter(P), 7);
  port_load(&t, Q, line(0, 1)); /* the line that P touched last goes unused */
  assert_int_equal(counter(P), 8);
  const uint64_t x = line(1, 5);
  assert_int_equal(port_load(&t, P, x), BYPASSED | WEIR_REQ_BYPASS | WEIR_REQ_MARK);
  assert_int_equal(counter(P), 8);
  assert_int_equal(port_access(&t, WEIR_LOAD, 0, P, x, true),
                   BYPASSED | WEIR_REQ_BYPASS | WEIR_REQ_MARK);
  assert_int_equal(counter(P), 7);
  assert_int_equal(port_access(&t, WEIR_LOAD, 0, P, x, true), 0); /* cached, without a mark */
  assert_int_equal(counter(P), 6);
  port_access(&t, WEIR_STORE, 0, R, x, false);
  assert_int_equal(counter(P), 6);
  assert_int_equal(port_load(&t, P, x), 0);
  assert_int_equal(counter(P), 6);
  assert_int_equal(counter(Q), 0);
  assert_int_equal(STAT(bypasses), 2);
  assert_int_equal(STAT(feedback_bypass), 1);
  assert_int_equal(STAT(feedback_fill), 1);
  /* The second load found what the first had let pass, and so did the third. */
  assert_int_equal(STAT(false_positives), 2);
  port_close(&t);
}

/* A mark of another SM corrects as one's own does, and is counted. */
static void test_feedback_of_others(void **state) {
  (void)state;
  plain();
  open_l1("l1.sets=4", "l1.ways=1", NULL);
  waste(0, P, 8);
  assert_int_equal(counter(P), 8);
  t.reply = WEIR_REP_OTHER;
  assert_int_equal(port_access(&t, WEIR_LOAD, 0, P, line(1, 5), true),
                   BYPASSED | WEIR_REQ_BYPASS | WEIR_REQ_MARK);
  assert_int_equal(counter(P), 7);
  assert_int_equal(port_access(&t, WEIR_LOAD, 0, P, line(1, 6), true), 0); /* cached */
  assert_int_equal(counter(P), 6);
  t.reply = 0;
  port_access(&t, WEIR_LOAD, 0, P, line(2, 7), true); /* its own SM's */
  assert_int_equal(counter(P), 5);
  assert_int_equal(STAT(feedback_bypass), 1);
  assert_int_equal(STAT(feedback_fill), 2);
  assert_int_equal(STAT(xcu_feedback), 2);
  port_close(&t);
}

static void test_hits_train_down(void **state) {
  (void)state;
  plain();
  open_l1("l1.sets=4", "l1.ways=1", NULL);
  waste(0, P, 3);
  const uint64_t x = line(0, 7);
  port_load(&t, P, x); /* replaces the fourth */
  assert_int_equal(counter(P), 4);
  assert_int_equal(port_load(&t, Q, x), HIT_L1); /* P was not the last to touch it */
  assert_int_equal(counter(P), 3);
  assert_int_equal(port_load(&t, Q, x), HIT_L1); /* nor was Q; a counter stays at 0 */
  assert_int_equal(counter(Q), 0);
  port_load(&t, R, line(0, 8)); /* now Q was */
  assert_int_equal(counter(Q), 1);
  assert_int_equal(counter(P), 3);
  port_close(&t);
}

static void test_counters_saturate(void **state) {
  (void)state;
  plain();
  SET(threshold, 256); /* never bypass */
  open_l1("l1.sets=4", "l1.ways=1", NULL);
  waste(0, P, 40);
  assert_int_equal(counter(P), 15);
  assert_int_equal(STAT(bypass_predictions), 0);
  port_close(&t);
}

static void test_hash(void **state) {
  (void)state;
  plain();
  open_l1("l1.sets=4", "l1.ways=1", NULL);
  waste(0, 4, 3);
  assert_int_equal(counter(4), 3);
  assert_int_equal(counter(4 << 7), 3);       /* slices of 7 bits */
  assert_int_equal(counter((3 << 9) | 8), 3); /* 3 xor 2 */
  assert_int_equal(counter(UINT64_C(4) << 56), 3);
  assert_int_equal(counter(8), 0);
  port_close(&t);
}

/* Loads that wait for one line are one use, however many they are. */
static void test_joins_count_once(void **state) {
  (void)state;
  plain();
  open_l1("l1.sets=4", "l1.ways=1", NULL);
  waste(0, P, 5);
  for (unsigned i = 0; i < 4; i++) { /* one opens the entry, three join */
    struct weir_l1_req q = {.a = {.addr = line(1, 0), .pc = P, .sectors = 1}};
    port_step(&t);
    assert_int_equal(weir_l1_present(t.l1, &q, 0, t.now).answer, WEIR_L1_WAIT);
    port_well(&t);
  }
  assert_int_equal(counter(P), 4);
  struct weir_msg m = *weir_l1_peek(t.l1);
  weir_l1_pop(t.l1);
  port_until(&t, t.now + 10);
  assert_true(weir_l1_fill(t.l1, &m, t.now));
  while (weir_l1_has_drain(t.l1))
    weir_l1_drain(t.l1, ++t.now);
  port_until(&t, t.now + 10);
  assert_int_equal(port_load(&t, P, line(1, 0)), HIT_L1); /* a use of its own */
  assert_int_equal(counter(P), 3);
  port_close(&t);
}

/* With sectors: one that sends for further ones of a line at rest opens an entry, and is a use. */
static void test_partial_misses(void **state) {
  (void)state;
  plain();
  const char *const set[] = {"l1.sets=4", "l1.ways=1", "l1.index=linear", "l1.sectored=true", NULL};
  port_open(&t, policy, &cfg, set);
  port_kernel(&t, 1);
  waste(0, P, 5);
  port_load(&t, P, line(1, 0));
  struct weir_l1_req q = {.a = {.addr = line(1, 0), .pc = P, .sectors = 2}};
  for (unsigned i = 0; i < 3; i++) {
    q.a.sectors = (uint16_t)(2u << i);
    port_step(&t);
    assert_int_equal(weir_l1_present(t.l1, &q, 0, t.now).answer, WEIR_L1_WAIT);
    port_well(&t);
  }
  assert_int_equal(counter(P), 3); /* the first, and one of the two that joined it */
  port_step(&t);
  q.a.sectors = 1; /* there all the time: a use; and it does not begin the count of joins again */
  assert_int_equal(weir_l1_present(t.l1, &q, 0, t.now).answer, WEIR_L1_HIT);
  assert_int_equal(counter(P), 2);
  port_until(&t, t.now + 10);
  q.a.sectors = 2;
  assert_int_equal(weir_l1_present(t.l1, &q, 0, t.now).answer, WEIR_L1_WAIT);
  assert_int_equal(counter(P), 2);
  for (unsigned i = 0; i < 3; i++) {
    struct weir_msg m = *weir_l1_peek(t.l1);
    weir_l1_pop(t.l1);
    port_until(&t, t.now + 10);
    assert_true(weir_l1_fill(t.l1, &m, t.now));
    while (weir_l1_has_drain(t.l1))
      weir_l1_drain(t.l1, t.now);
  }
  port_close(&t);
}

/* One in `sample` loads that should bypass is cached. */
static void test_sampling(void **state) {
  (void)state;
  plain();
  SET(sample, 4);
  SET(correct_step, 0);
  open_l1("l1.sets=4", "l1.ways=1", NULL);
  waste(0, P, 8);
  for (unsigned i = 1; i <= 8; i++)
    assert_int_equal(port_load(&t, P, line(1, i)) & BYPASSED, i % 4 == 0 ? 0 : BYPASSED);
  assert_int_equal(STAT(sampled), 2);
  assert_int_equal(STAT(bypasses), 6);
  port_close(&t);
}

/* Lines at a stride of a power of two, which would all be in sets that a duel lets cache. */
static void test_strides_bypass(void **state) {
  (void)state;
  plain();
  open_l1("l1.sets=32", "l1.ways=1", NULL);
  for (uint64_t i = 0; i < 9; i++) /* of set 0 */
    port_load(&t, P, 128 * 32 * i);
  assert_int_equal(counter(P), 8);
  for (uint64_t i = 0; i < 4 * 32; i++)
    assert_int_equal(port_load(&t, P, 128 * 8 * (100 + i)) & BYPASSED, BYPASSED);
  assert_int_equal(STAT(duelled), 0);
  port_close(&t);
}

/* 32 sets: 0, 8, .. never bypass, 4, 12, .. always; the others ask the selector. */
static void test_duel(void **state) {
  (void)state;
  defaults();
  SET(duel, true);
  SET(sample, 0);
  open_l1("l1.sets=32", "l1.ways=1", NULL);
  for (uint64_t i = 0; i < 9; i++) /* set 1 follows; these lines train P */
    port_load(&t, P, 128 * (1 + 32 * i));
  assert_int_equal(counter(P), 8);
  uint64_t at = 100;
#define LOAD_OF(set) (port_load(&t, P, 128 * ((set) + 32 * at++)) & BYPASSED)
  assert_int_equal(LOAD_OF(8), 0);
  assert_int_equal(LOAD_OF(12), BYPASSED);
  assert_int_equal(LOAD_OF(2), BYPASSED);
  /* The selector is at 512: one miss on each side. 768 is not yet too much, 769 is. */
  for (unsigned i = 0; i < 256; i++)
    assert_int_equal(LOAD_OF(4), BYPASSED);
  assert_int_equal(LOAD_OF(2), BYPASSED);
  assert_int_equal(LOAD_OF(20), BYPASSED);
  assert_int_equal(LOAD_OF(2), 0);
  assert_int_equal(LOAD_OF(4), BYPASSED);
  assert_int_equal(STAT(duelled), 2);
  for (unsigned i = 0; i < 3; i++)
    port_load(&t, Q, 128 * (16 + 32 * at++)); /* misses where nothing bypasses */
  assert_int_equal(LOAD_OF(2), BYPASSED);
  port_close(&t);
}

/* A cache of one set has nobody to lead. */
static void test_duel_needs_sets(void **state) {
  (void)state;
  defaults();
  SET(duel, true);
  SET(sample, 0);
  open_l1("l1.sets=1", "l1.ways=1", NULL);
  for (uint64_t i = 0; i < 9; i++)
    port_load(&t, P, 128 * i);
  for (uint64_t i = 0; i < 100; i++)
    assert_int_equal(port_load(&t, P, 128 * (100 + i)) & BYPASSED, BYPASSED);
  port_close(&t);
}

/* What would have been reused: two ways, so a bypassed line is missed if it is loaded again before
 * two others of its set are, or a store. */
static void test_false_positives(void **state) {
  (void)state;
  plain();
  SET(correct_step, 0);
  open_l1("l1.sets=4", "l1.ways=2", NULL);
  waste(0, P, 9);
  assert_true(counter(P) == 8);
  const uint64_t a = line(1, 1), b = line(1, 2), c = line(1, 3);
  port_load(&t, P, a);
  port_load(&t, P, b);
  port_load(&t, P, a); /* a again after b: the first was wrong */
  assert_int_equal(STAT(false_positives), 1);
  port_load(&t, P, c); /* replaces b in the shadow */
  port_load(&t, P, b); /* and b replaces a */
  assert_int_equal(STAT(false_positives), 1);
  port_load(&t, P, c);
  assert_int_equal(STAT(false_positives), 2);
  port_access(&t, WEIR_STORE, 0, R, c, false);
  port_load(&t, P, c); /* gone by the store */
  assert_int_equal(STAT(false_positives), 2);
  assert_int_equal(STAT(bypasses), 7);
  port_close(&t);
}

static void test_fill_on_mispredict(void **state) {
  (void)state;
  plain();
  SET(fill_on_mispredict, true);
  open_l1("l1.sets=4", "l1.ways=1", NULL);
  waste(0, P, 8);
  assert_true(port_access(&t, WEIR_LOAD, 0, P, line(1, 0), true) & BYPASSED);
  const struct weir_msg *sent = weir_l1_peek(t.l1);
  assert_non_null(sent);
  struct weir_msg m = *sent;
  assert_int_equal(m.addr, line(1, 0));
  weir_l1_pop(t.l1);
  port_until(&t, t.now + 10);
  assert_true(weir_l1_fill(t.l1, &m, t.now));
  assert_int_equal(weir_l1_drain(t.l1, t.now), UINT32_MAX); /* nobody waits for it */
  port_until(&t, t.now + 10);
  uint32_t before = counter(P);
  assert_int_equal(port_load(&t, P, line(1, 0)), HIT_L1);
  assert_int_equal(counter(P), before); /* no instruction had brought it */
  port_close(&t);
}

static void test_kernels(void **state) {
  (void)state;
  for (unsigned reset = 0; reset < 2; reset++) {
    plain();
    SET(reset, reset != 0);
    open_l1("l1.sets=4", "l1.ways=1", NULL);
    waste(0, P, 8);
    assert_true(port_load(&t, P, line(1, 0)) & BYPASSED);
    port_kernel(&t, 0);
    assert_int_equal(counter(P), reset ? 0 : 8); /* the flush trains nothing */
    assert_int_equal(port_load(&t, P, line(1, 0)) & BYPASSED, reset ? 0 : BYPASSED);
    assert_int_equal(STAT(false_positives), 0); /* the shadow was emptied too */
    port_close(&t);
  }
  plain();
  open_l1("l1.sets=4", "l1.ways=1", "l1.flush_on_kernel=false");
  waste(0, P, 8);
  port_load(&t, P, line(1, 0));
  port_kernel(&t, 0);
  port_load(&t, P, line(1, 0));
  assert_int_equal(STAT(false_positives), 1);
  port_close(&t);
}

/* 16 KB in lines of 64 bytes, as in the paper: 64 bytes of counters and 224 of labels, the sum that
 * the paper gives. */
static void test_storage(void **state) {
  (void)state;
  defaults();
  const char *const set[] = {"l1.sets=32", "l1.ways=8", "l1.line=64", "l2.line=64", NULL};
  port_open(&t, policy, &cfg, set);
  assert_int_equal(
      policy->part.storage_bits(weir_cfg(port_policy(&t)), weir_geometry(port_policy(&t))),
      8 * 288);
  SET(counter_bits, 0);
  assert_int_equal(
      policy->part.storage_bits(weir_cfg(port_policy(&t)), weir_geometry(port_policy(&t))),
      8 * 224);
  port_close(&t);
}

/* ---- with the L2's marks ---- */

/* Two sets of one way; the vector above, with a kernel of one warp. */
static void test_engine_feedback(void **state) {
  (void)state;
  struct machine x;
  struct weir_design d;
  struct synth s;
  struct weir_sim_result r[1];
  struct synth *const kernels[1] = {&s};
  plain();
  machine_init(&x, NULL, rig_and("l1.sets=2", "l1.ways=1", "l1.index=linear", NULL));
  design_with(&d, &x.m, policy, &cfg, true);
  synth_init(&s, 1, 1);
  struct code c = rig_code(&s, WEIR_SP_GLOBAL);
  for (uint64_t i = 0; i < 9; i++) { /* eight lines wasted */
    synth_stride(&s, 0, 0, c.ld0, UINT32_MAX, 0x10000 + 256 * i, 4);
    synth_put(&s, 0, 0, c.use0);
  }
  for (uint64_t i = 0; i < 4; i++) {
    if (i == 3) synth_stride(&s, 0, 0, c.st, UINT32_MAX, 0x20080, 4);
    synth_stride(&s, 0, 0, c.ld0, UINT32_MAX, 0x20080, 4);
    synth_put(&s, 0, 0, c.use0);
  }
  engine_same(&x, &d, kernels, 1, r);
  const void *st = r[0].part[1];
  assert_int_equal(STAT_OF(st, predictions), 13);
  assert_int_equal(STAT_OF(st, bypasses), 2);
  assert_int_equal(STAT_OF(st, feedback_bypass), 1);
  assert_int_equal(STAT_OF(st, feedback_fill), 1);
  assert_int_equal(STAT_OF(st, trained_up), 8);
  assert_int_equal(r[0].l2.marks_set, 2);
  assert_int_equal(r[0].l2.marks_returned, 2);
  assert_int_equal(r[0].l1.bypass_reason[WEIR_R_PREDICTOR], 2);
  synth_free(&s);
  machine_free(&x);
}

/* A predictor that never bypasses is none. */
static void test_engine_off(void **state) {
  (void)state;
  plain();
  SET(threshold, 256);
  for (uint64_t seed = 1, done = 0; done < 15; seed++) {
    struct machine x;
    struct weir_design d;
    struct synth s;
    struct weir_sim_result r[2][2];
    const char *why;
    uint32_t n_refused = 0;
    machine_random(&x, seed * 31, &n_refused);
    synth_random(&s, seed);
    if (weir_sm_fit(&x.m, &s.info, &why) > 0) {
      struct synth *const kernels[2] = {&s, &s};
      design_with(&d, &x.m, policy, &cfg, false);
      engine_kernels(&x, &d, kernels, 2, &engine_ways[0], r[0]);
      engine_kernels(&x, NULL, kernels, 2, &engine_ways[0], r[1]);
      for (unsigned k = 0; k < 2; k++) {
        memset(r[0][k].part, 0, sizeof r[0][k].part);
        assert_true(same_result(&r[0][k], &r[1][k]));
      }
      done++;
    }
    synth_free(&s);
    machine_free(&x);
  }
}

static void test_engine_exact(void **state) {
  (void)state;
  uint64_t sum[WEIR_MAX_PART_STATS] = {0};
  struct weir_sim_result r;
  defaults();
  SET(threshold, 2); /* random kernels are short */
  SET(duel, true);
  SET(psel_off, 512);
  SET(sample, 5);
  SET(fill_on_mispredict, true);
  engine_random(policy, &cfg, 25, sum);
  assert_true(STAT_OF(sum, bypasses) > 0 && STAT_OF(sum, sampled) > 0 && STAT_OF(sum, duelled) > 0);
  assert_true(STAT_OF(sum, feedback_bypass) > 0 && STAT_OF(sum, feedback_fill) > 0 &&
              STAT_OF(sum, false_positives) > 0);
  defaults();
  engine_exact(folder, "gather", policy, &cfg, sum, &r);
  assert_true(r.l1.bypass_reason[WEIR_R_PREDICTOR] > 0);
  engine_exact(folder, "spmv", policy, &cfg, sum, &r);
  assert_true(r.l1.bypass_reason[WEIR_R_PREDICTOR] > 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_feedback),
                                     cmocka_unit_test(test_feedback_of_others),
                                     cmocka_unit_test(test_hits_train_down),
                                     cmocka_unit_test(test_counters_saturate),
                                     cmocka_unit_test(test_hash),
                                     cmocka_unit_test(test_joins_count_once),
                                     cmocka_unit_test(test_partial_misses),
                                     cmocka_unit_test(test_sampling),
                                     cmocka_unit_test(test_strides_bypass),
                                     cmocka_unit_test(test_duel),
                                     cmocka_unit_test(test_duel_needs_sets),
                                     cmocka_unit_test(test_false_positives),
                                     cmocka_unit_test(test_fill_on_mispredict),
                                     cmocka_unit_test(test_kernels),
                                     cmocka_unit_test(test_storage),
                                     cmocka_unit_test(test_engine_feedback),
                                     cmocka_unit_test(test_engine_off),
                                     cmocka_unit_test(test_engine_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
