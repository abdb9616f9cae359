/* mrpb: which queue, which is next, what is counted, and the cycle in which a request gets there.
 *   test_l1_mrpb SOURCE_FOLDER */
#include "l1/order.h"
#include "rig_pol.h"

static const char *folder;
static const struct weir_policy_ops *const policy = &weir_policy_mrpb;

static struct port t;
static struct weir_order_queues queues;
static struct part_cfg cfg;

static void set(const char *name, const char *value) {
  part_set(&policy->part, &cfg, name, value);
}
static void defaults(void) {
  part_defaults(&policy->part, &cfg);
}
static void open_l1(void) {
  const char *const none[] = {NULL};
  port_open(&t, policy, &cfg, none);
  port_kernel(&t, 0xff);
  assert_true(weir_order_init(&queues, t.l1));
}
static void close_l1(void) {
  weir_order_free(&queues);
  port_close(&t);
}

static bool push(uint32_t warp, uint32_t cta, enum weir_op op) {
  struct weir_l1_req q = {
      .a = {.addr = 0x1000, .warp = warp, .cta = cta, .op = (uint8_t)op, .sectors = 1}};
  return weir_order_push(&queues, t.l1, &q, t.now);
}
/* The warp whose request is next, which then leaves, though no L1 takes it. */
static uint32_t leave(void) {
  uint32_t warp = weir_order_head(&queues, t.l1)->a.warp;
  weir_order_pop(&queues, t.l1, t.now);
  return warp;
}
static void expect(const uint32_t *warps, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    assert_int_equal(leave(), warps[i]);
  assert_int_equal(queues.total, 0);
}
#define EXPECT(...) expect((const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)

static void fill_by(const char *drain) {
  static const uint32_t warps[] = {1, 1, 3, 0, 1, 2, 3, 0};
  defaults();
  set("drain", drain);
  set("nq", "4");
  open_l1();
  for (unsigned i = 0; i < 8; i++)
    assert_true(push(warps[i], 0, WEIR_LOAD));
}

static void test_drain(void **state) {
  (void)state;
  fill_by("fixed");
  EXPECT(0, 0, 1, 1, 1, 2, 3, 3);
  close_l1();
  fill_by("longest");
  EXPECT(1, 0, 1, 3, 0, 1, 2, 3);
  close_l1();
  fill_by("rr"); /* after the last that left, at first queue 0 */
  EXPECT(1, 2, 3, 0, 1, 3, 0, 1);
  close_l1();
  fill_by("greedy");
  assert_int_equal(leave(), 0);
  assert_int_equal(leave(), 0);
  assert_int_equal(leave(), 1);
  assert_true(push(0, 0, WEIR_LOAD)); /* queue 1 is not empty yet */
  EXPECT(1, 1, 0, 2, 3, 3);
  close_l1();
}

static void test_queues(void **state) {
  (void)state;
  defaults();
  set("nq", "2");
  set("depth", "2");
  open_l1();
  assert_int_equal(weir_order_room(&queues), 4);
  assert_true(push(1, 0, WEIR_LOAD) && push(3, 0, WEIR_STORE)); /* both in queue 1: in order */
  assert_false(push(5, 0, WEIR_LOAD));
  assert_true(push(2, 0, WEIR_LOAD));
  EXPECT(2, 1, 3);
  close_l1();
  set("sig", "cta");
  open_l1();
  assert_true(push(1, 4, WEIR_LOAD) && push(0, 1, WEIR_LOAD));
  EXPECT(1, 0);
  close_l1();
  set("reorder", "false");
  open_l1();
  assert_int_equal(weir_order_room(&queues), 0);
  assert_int_equal(
      policy->part.storage_bits(weir_cfg(port_policy(&t)), weir_geometry(port_policy(&t))), 0);
  close_l1();
}

static void test_counts(void **state) {
  (void)state;
  defaults();
  open_l1();
  assert_int_equal(
      policy->part.storage_bits(weir_cfg(port_policy(&t)), weir_geometry(port_policy(&t))),
      9912); /* 1.21 KB */
  const void *c = port_policy(&t)->stats;
  t.now = 10;
  for (unsigned i = 0; i < 5; i++)
    assert_true(push(i < 3 ? 1 : 0, 0, WEIR_LOAD));
  t.now = 20;
  EXPECT(0, 0, 1, 1, 1); /* those of warp 0 came as the fourth and fifth */
  assert_int_equal(STAT_OF(c, queued), 5);
  assert_int_equal(STAT_OF(c, wait_cycles), 50);
  assert_int_equal(STAT_OF(c, reordered), 2);
  assert_int_equal(STAT_OF(c, reorder_places), 3 + 3);
  close_l1();
}

/* ---- on a machine ---- */

static struct machine x;
static struct synth s;
static struct code c;
static struct weir_sim_result r[1], base[1];

static void begin(uint32_t n_warps, const char *a, const char *b) {
  machine_init(&x, NULL, rig_and(a, b, NULL, NULL));
  synth_init(&s, 1, n_warps);
  c = rig_code(&s, WEIR_SP_GLOBAL);
  defaults();
}
static const void *run(void) {
  struct weir_design d;
  struct synth *const kernels[1] = {&s};
  engine_kernels(&x, NULL, kernels, 1, &engine_ways[0], base);
  design_with(&d, &x.m, policy, &cfg, true);
  engine_same(&x, &d, kernels, 1, r);
  return r[0].part[1];
}
static void end(void) {
  synth_free(&s);
  machine_free(&x);
}
/* A load of `n` lines. */
static void load(uint32_t warp, uint32_t insn, uint64_t addr, unsigned n) {
  uint64_t lane[WEIR_LANES];
  for (unsigned i = 0; i < WEIR_LANES; i++)
    lane[i] = addr + 128 * (i % n);
  synth_list(&s, 0, warp, insn, UINT32_MAX, lane);
}

static void test_one_cycle_more(void **state) {
  (void)state;
  begin(1, NULL, NULL);
  load(0, c.ld0, 0x1000, 1);
  synth_put(&s, 0, 0, c.use0);
  const void *st = run();
  assert_int_equal(r[0].cycles, base[0].cycles + 1);
  assert_int_equal(STAT_OF(st, queued), 1);
  assert_int_equal(STAT_OF(st, wait_cycles), 1);
  set("reorder", "false");
  run();
  assert_int_equal(r[0].cycles, base[0].cycles);
  end();
}

/* The second load waits in its queue for the MSHR of the first, that came one cycle later than
 * without queues. */
static void test_waits_for_the_l1(void **state) {
  (void)state;
  begin(1, "l1.mshr_entries=1", NULL);
  set("bypass_on", "none");
  set("nq", "1");
  set("depth", "1");
  load(0, c.ld0, 0x1000, 1);
  load(0, c.ld1, 0x2000, 1);
  load(0, c.ld2, 0x3000, 1);
  run();
  assert_int_equal(base[0].sm.stall[WEIR_NO_MSHR], r[0].sm.stall[WEIR_NO_MSHR]);
  assert_int_equal(r[0].sm.resv_fail[WEIR_NO_MSHR], 2);
  assert_int_equal(r[0].sm.stall[WEIR_NO_ORDER], 0); /* the cycles belong to the L1's shortage */
  assert_int_equal(r[0].cycles, base[0].cycles + 1);
  end();
}

/* Every request keeps the data port for four cycles. The queues are reached in cycles 1 to 5:
 * a0 a1 of warp 0, b0 b1 b2 of warp 1. a0 is taken in cycle 2, a1 in 6; in that cycle b2 finds its
 * queue full and nothing else is wrong. b0, b1, b2 are taken in 10, 14, 18. */
static void test_full_queue(void **state) {
  (void)state;
  begin(2, "l1.perfect=true", "l1.port_bytes=32");
  set("nq", "2");
  set("depth", "2");
  for (unsigned w = 0; w < 2; w++) {
    uint64_t lane[WEIR_LANES];
    for (unsigned i = 0; i < WEIR_LANES; i++) /* whole lines */
      lane[i] = 0x1000 * (w + 1) + 32 * (i % (w == 0 ? 8 : 12));
    synth_list(&s, 0, w, c.ld0, UINT32_MAX, lane);
    synth_put(&s, 0, w, c.use0);
  }
  const void *st = run();
  assert_int_equal(r[0].sm.requests, 5);
  assert_int_equal(r[0].sm.stall[WEIR_NO_ORDER], 1);
  assert_int_equal(r[0].sm.resv_fail[WEIR_NO_ORDER], 1);
  assert_int_equal(r[0].sm.stall[WEIR_NO_DATA_PORT], 4 * 3);
  assert_int_equal(r[0].sm.resv_fail[WEIR_NO_DATA_PORT], 4);
  assert_int_equal(STAT_OF(st, wait_cycles), (2 - 1) + (6 - 2) + (10 - 3) + (14 - 4) + (18 - 10));
  assert_int_equal(r[0].cycles, base[0].cycles + 1);
  end();
}

static void test_bypass(void **state) {
  (void)state;
  begin(1, "l1.mshr_entries=1", NULL);
  load(0, c.ld0, 0x1000, 1);
  load(0, c.ld1, 0x2000, 1); /* bypasses */
  load(0, c.ld2, 0x2000, 1); /* so does this, for the same line */
  const void *st = run();
  assert_int_equal(STAT_OF(st, bypassed_mshr), 2);
  assert_int_equal(STAT_OF(st, bypassed_reused), 1);
  assert_int_equal(r[0].l1.bypass_reason[WEIR_R_STALL], 2);
  assert_int_equal(r[0].sm.stall[WEIR_NO_MSHR], 0);
  set("bypass_on", "assoc");
  st = run();
  assert_int_equal(STAT_OF(st, bypassed_mshr), 0);
  assert_true(r[0].sm.stall[WEIR_NO_MSHR] > 0);
  end();
  begin(1, "l1.sets=1", "l1.ways=1");
  set("bypass_on", "assoc");
  load(0, c.ld0, 0x1000, 1);
  load(0, c.ld1, 0x2000, 1);
  st = run();
  assert_int_equal(STAT_OF(st, bypassed_line), 1);
  assert_int_equal(STAT_OF(st, bypassed_reused), 0);
  set("bypass_on", "none");
  st = run();
  assert_int_equal(STAT_OF(st, bypassed_line), 0);
  assert_true(r[0].sm.stall[WEIR_NO_LINE] > 0);
  end();
}

static void test_engine_exact(void **state) {
  (void)state;
  uint64_t sum[WEIR_MAX_PART_STATS] = {0};
  struct weir_sim_result result;
  defaults();
  engine_random(policy, &cfg, 12, sum);
  assert_true(STAT_OF(sum, reordered) > 0 && STAT_OF(sum, bypassed_mshr) > 0);
  set("nq", "3");
  set("depth", "2");
  set("drain", "rr");
  set("bypass_on", "none");
  engine_random(policy, &cfg, 12, sum);
  set("drain", "longest");
  set("sig", "cta");
  engine_random(policy, &cfg, 8, sum);
  set("drain", "greedy");
  engine_exact(folder, "gather", policy, &cfg, sum, &result);
  assert_true(result.sm.stall[WEIR_NO_ORDER] > 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_drain),
                                     cmocka_unit_test(test_queues),
                                     cmocka_unit_test(test_counts),
                                     cmocka_unit_test(test_one_cycle_more),
                                     cmocka_unit_test(test_waits_for_the_l1),
                                     cmocka_unit_test(test_full_queue),
                                     cmocka_unit_test(test_bypass),
                                     cmocka_unit_test(test_engine_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
