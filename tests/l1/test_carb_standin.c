/* carb-standin, request by request and in the engine.
 *   test_l1_carb_standin SOURCE_FOLDER */
#include "rig_pol.h"

static const char *folder;
static const struct weir_policy_ops *const policy = &weir_policy_carb_standin;

static struct port t;
static struct part_cfg cfg;
static uint64_t start; /* of the kernel */

static void defaults(void) {
  part_defaults(&policy->part, &cfg);
}
static void open_l1(void) {
  const char *const set[] = {"l1.index=linear", "l1.sets=16", "l1.ways=4", "sm.warps=32", NULL};
  port_open(&t, policy, &cfg, set);
  t.now = start = 1000;
  t.view.resv_stall_cycles = 50; /* of kernels before */
  port_kernel(&t, UINT32_MAX);
}
/* Cycles of the kernel. */
static void until(uint64_t cycle) {
  assert_true(t.now <= start + cycle);
  port_until(&t, start + cycle);
}
static unsigned load_by(uint32_t warp, uint64_t line) {
  return port_access(&t, WEIR_LOAD, warp, 8, 128 * line, false);
}
/* Each warp has a line of its own: one miss and so many hits. */
static void warp_loads(uint32_t warp, unsigned hits) {
  assert_int_equal(load_by(warp, warp), 0);
  for (unsigned i = 0; i < hits; i++)
    assert_int_equal(load_by(warp, warp), HIT_L1);
}
/* Which of the first eight warps bypass; each loads a new line. */
static unsigned bypassing(void) {
  static uint64_t next = 1 << 20;
  unsigned warps = 0;
  for (uint32_t w = 0; w < 8; w++)
    if (load_by(w, next++) & BYPASSED) warps |= 1u << w;
  return warps;
}

/* Hits 3, 1, 0, 2, 1 of five warps: half of them, rounded up, are warps 2, 1 and 4. */
static void test_choice(void **state) {
  (void)state;
  static const unsigned hits[] = {3, 1, 0, 2, 1};
  static const struct {
    double share;
    unsigned warps;
  } cases[] = {{0.5, 1 << 2 | 1 << 1 | 1 << 4},  {0.2, 1 << 2}, {0.4, 1 << 2 | 1 << 1},
               {0.41, 1 << 2 | 1 << 1 | 1 << 4}, {0, 0},        {1, 0x1f}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    defaults();
    SET(share, cases[i].share);
    open_l1();
    for (uint32_t w = 0; w < 5; w++)
      warp_loads(w, hits[w]);
    t.view.resv_stall_cycles += 301;
    until(999);
    assert_int_equal(STAT(intervals), 0);
    until(1000);
    assert_int_equal(STAT(stalled), 1);
    assert_int_equal(STAT(warps), 5);
    assert_int_equal(STAT(chosen), __builtin_popcount(cases[i].warps));
    assert_int_equal(bypassing(), cases[i].warps);
    assert_int_equal(STAT(bypassed), __builtin_popcount(cases[i].warps));
    assert_int_equal(STAT(misses), cases[i].warps != 0 ? 8 : 0);
    port_close(&t);
  }
}

/* Only what stalled in the interval counts, and only more than the threshold. */
static void test_intervals(void **state) {
  (void)state;
  defaults();
  open_l1();
  assert_int_equal(weir_l1_next_tick(t.l1), start + 1000);
  warp_loads(0, 0);
  t.view.resv_stall_cycles += 300;
  until(1000);
  assert_int_equal(STAT(stalled), 0);
  assert_int_equal(bypassing(), 0);
  t.view.resv_stall_cycles += 301;
  until(2000);
  assert_int_equal(STAT(stalled), 1);
  assert_int_equal(bypassing(), 0xf); /* all eight had a miss each: those in the lower slots */
  until(2998);
  assert_int_equal(load_by(0, 1 << 24) & BYPASSED, BYPASSED);
  until(3020);
  assert_int_equal(load_by(0, 1 << 25) & BYPASSED, 0); /* off again */
  assert_int_equal(STAT(intervals), 3);
  assert_int_equal(STAT(stalled), 1);
  assert_int_equal(STAT(cycles), 3000);
  assert_int_equal(STAT(stall_cycles), 601);
  port_close(&t);
}

/* Hits of a warp that is chosen are hits, and count; what is on its way is joined. */
static void test_hits_are_served(void **state) {
  (void)state;
  defaults();
  SET(share, 1);
  open_l1();
  warp_loads(3, 0);
  t.view.resv_stall_cycles += 1000;
  until(1000);
  assert_int_equal(load_by(3, 3), HIT_L1);
  assert_int_equal(load_by(3, 99) & BYPASSED, BYPASSED);
  assert_int_equal(load_by(3, 99) & BYPASSED, BYPASSED); /* it was not allocated */
  assert_int_equal(load_by(4, 99), 0);                   /* of another warp it is */
  assert_int_equal(load_by(3, 99), HIT_L1);
  assert_int_equal(STAT(misses), 3);
  assert_int_equal(STAT(bypassed), 2);
  assert_int_equal(weir_l1_get_stats(t.l1, t.now)->bypass_reason[WEIR_R_MODE], 2);
  port_access(&t, WEIR_STORE, 3, 8, 128 * 500, false);
  assert_int_equal(STAT(misses), 3);
  port_close(&t);
}

/* New warps in the slots of old ones are not held to what those did; a new kernel begins anew. */
static void test_new_warps(void **state) {
  (void)state;
  defaults();
  SET(share, 1);
  open_l1();
  warp_loads(1, 0);
  warp_loads(2, 0);
  t.view.resv_stall_cycles += 1000;
  until(1000);
  weir_l1_cta_begin(t.l1, &(struct weir_cta){.slot = 1, .warps = 1 << 2}, t.now);
  assert_int_equal(bypassing(), 1 << 1);
  weir_l1_cta_begin(t.l1, &(struct weir_cta){.slot = 1, .warps = 0xfe}, t.now);
  t.view.resv_stall_cycles += 1000;
  until(2000);
  assert_int_equal(STAT(chosen), 2 + 1); /* of this interval warp 0 alone */
  weir_l1_kernel_end(t.l1, t.now);
  t.view.resv_stall_cycles += 900;
  t.now = start = t.now + 10;
  port_kernel(&t, UINT32_MAX);
  assert_int_equal(bypassing(), 0);
  t.view.resv_stall_cycles += 200;
  until(1000);
  assert_int_equal(STAT(stalled), 2); /* what stalled before the kernel does not count */
  port_close(&t);
}

static void test_storage(void **state) {
  (void)state;
  defaults();
  open_l1();
  assert_int_equal(
      policy->part.storage_bits(weir_cfg(port_policy(&t)), weir_geometry(port_policy(&t))),
      32 * (10 + 1 + 1) + 10);
  port_close(&t);
}

/* ---- the engine ---- */

static void test_engine_exact(void **state) {
  (void)state;
  uint64_t sum[WEIR_MAX_PART_STATS] = {0};
  struct weir_sim_result r;
  defaults();
  SET(interval, 100); /* random kernels are short */
  SET(stall, 0.1);
  engine_random(policy, &cfg, CASES(80), sum);
  assert_true(STAT_OF(sum, bypassed) > 0 && STAT_OF(sum, misses) > STAT_OF(sum, bypassed));
  assert_true(STAT_OF(sum, stalled) > 0 && STAT_OF(sum, intervals) > STAT_OF(sum, stalled));
  defaults();
  engine_exact(folder, "gather", policy, &cfg, sum, &r);
  assert_true(r.l1.bypass_reason[WEIR_R_MODE] > 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_choice),          cmocka_unit_test(test_intervals),
      cmocka_unit_test(test_hits_are_served), cmocka_unit_test(test_new_warps),
      cmocka_unit_test(test_storage),         cmocka_unit_test(test_engine_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
