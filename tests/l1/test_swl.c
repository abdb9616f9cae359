/* swl: who may issue, and that nobody waits for ever.
 *   test_l1_swl SOURCE_FOLDER */
#include "rig_pol.h"

static const char *folder;
static const struct weir_policy_ops *const policy = &weir_policy_swl;

static struct port t;
static struct part_cfg cfg;

static void limit(int64_t warps, const char *per) {
  part_defaults(&policy->part, &cfg);
  SET(warps, warps);
  part_set(&policy->part, &cfg, "per", per);
}
static void open_l1(uint64_t warps) {
  const char *const set[] = {"sm.schedulers=2", NULL};
  port_open(&t, policy, &cfg, set);
  port_kernel(&t, warps);
}
static uint64_t may_issue(void) {
  uint64_t set = 0;
  for (uint32_t w = 0; w < 16; w++) {
    bool may = weir_l1_gate(t.l1, w, WEIR_LOAD);
    assert_int_equal(may, weir_l1_gate(t.l1, w, WEIR_OTHER));
    assert_int_equal(may, weir_l1_gate(t.l1, w, WEIR_STORE));
    if (may) set |= UINT64_C(1) << w;
  }
  return set;
}
static void event(uint32_t warp, enum weir_warp_event e) {
  weir_l1_warp(t.l1, warp, e, t.now);
}

static void test_the_oldest(void **state) {
  (void)state;
  const struct weir_cta first = {.warps = 0xf0}, second = {.warps = 0x0f};
  limit(2, "scheduler");
  open_l1(0);
  weir_l1_cta_begin(t.l1, &first, 0);
  assert_int_equal(may_issue(), 0xf0);
  weir_l1_cta_begin(t.l1, &second, 0); /* younger, though its slots are lower */
  assert_int_equal(may_issue(), 0xf0);
  event(4, WEIR_WARP_WAITS); /* 0 is the next of its scheduler */
  assert_int_equal(may_issue(), 0xe1);
  event(5, WEIR_WARP_ENDS);
  assert_int_equal(may_issue(), 0xc3);
  event(4, WEIR_WARP_RUNS);
  assert_int_equal(may_issue(), 0xd2);
  weir_l1_cta_end(t.l1, &first, 10);
  assert_int_equal(may_issue(), 0x0f);
  port_close(&t);
  limit(3, "sm");
  open_l1(0xff);
  assert_int_equal(may_issue(), 0x07);
  event(1, WEIR_WARP_WAITS);
  assert_int_equal(may_issue(), 0x0d);
  port_kernel(&t, 0xf);
  assert_int_equal(may_issue(), 0x07);
  port_close(&t);
}

static void test_counts(void **state) {
  (void)state;
  limit(1, "scheduler");
  open_l1(0xff);
  weir_l1_warp(t.l1, 0, WEIR_WARP_WAITS, 100);
  weir_l1_kernel_end(t.l1, 150);
  const void *st = port_policy(&t)->stats;
  assert_int_equal(STAT_OF(st, warp_cycles), 100 * 8 + 50 * 7);
  assert_int_equal(STAT_OF(st, held_warp_cycles), 100 * 6 + 50 * 5);
  assert_int_equal(
      policy->part.storage_bits(weir_cfg(port_policy(&t)), weir_geometry(port_policy(&t))), 0);
  port_close(&t);
}

/* Warp 0 waits at a barrier for seven others, of which one at a time may issue. */
static void test_barriers(void **state) {
  (void)state;
  struct machine x;
  struct weir_design d;
  struct synth s;
  struct weir_sim_result r[1];
  struct synth *const kernels[1] = {&s};
  limit(1, "sm");
  machine_init(&x, NULL, rig_and("sm.schedulers=2", NULL, NULL, NULL));
  design_with(&d, &x.m, policy, &cfg, true);
  synth_init(&s, 2, 8);
  struct code c = rig_code(&s, WEIR_SP_GLOBAL);
  for (uint32_t b = 0; b < 2; b++)
    for (uint32_t w = 0; w < 8; w++)
      for (unsigned i = 0; i < 3; i++) {
        synth_stride(&s, b, w, c.ld0, UINT32_MAX, 0x10000 + 128 * (8 * b + w), 4);
        synth_put(&s, b, w, c.use0);
        synth_put(&s, b, w, c.bar);
      }
  engine_same(&x, &d, kernels, 1, r);
  const void *st = r[0].part[1];
  assert_true(STAT_OF(st, held_warp_cycles) > 0);
  assert_true(r[0].sm.slot[WEIR_SLOT_GATE] > 0);
  synth_free(&s);
  machine_free(&x);
}

/* Eight warps of loads and arithmetic; no limit is the baseline, and one warp at a time the
 * slowest.
 */
static void test_limits(void **state) {
  (void)state;
  struct machine x;
  struct weir_design d;
  struct synth s;
  struct weir_sim_result r[1], base[1];
  struct synth *const kernels[1] = {&s};
  uint64_t before = 0;
  machine_init(&x, NULL, rig_and("sm.schedulers=2", NULL, NULL, NULL));
  synth_init(&s, 1, 8);
  struct code c = rig_code(&s, WEIR_SP_GLOBAL);
  for (uint32_t w = 0; w < 8; w++)
    for (uint64_t i = 0; i < 5; i++) {
      synth_stride(&s, 0, w, c.ld0, UINT32_MAX, 0x10000 + 128 * (8 * i + w), 4);
      synth_put(&s, 0, w, c.use0);
      synth_put(&s, 0, w, c.add);
    }
  engine_kernels(&x, NULL, kernels, 1, &engine_ways[0], base);
  for (int64_t n = 4; n >= 1; n /= 2) {
    limit(n, "scheduler");
    design_with(&d, &x.m, policy, &cfg, true);
    engine_same(&x, &d, kernels, 1, r);
    assert_true(r[0].cycles > before);
    before = r[0].cycles;
    if (n == 4) assert_int_equal(r[0].cycles, base[0].cycles);
  }
  limit(1, "sm");
  engine_same(&x, &d, kernels, 1, r);
  assert_true(r[0].cycles > before);
  /* 8 warps of 5 loads from DRAM, one after the other. */
  assert_true(r[0].cycles > 8 * 5 * DRAM_SECTOR);
  synth_free(&s);
  machine_free(&x);
}

static void test_engine_exact(void **state) {
  (void)state;
  uint64_t sum[WEIR_MAX_PART_STATS] = {0};
  struct weir_sim_result r;
  limit(1, "scheduler");
  engine_random(policy, &cfg, 25, sum);
  assert_true(STAT_OF(sum, held_warp_cycles) > 0);
  limit(1, "sm");
  engine_random(policy, &cfg, 15, sum);
  limit(2, "scheduler");
  engine_exact(folder, "gather", policy, &cfg, sum, &r);
  memset(sum, 0, sizeof sum);
  engine_exact(folder, "reduction", policy, &cfg, sum, &r); /* with barriers */
  assert_true(STAT_OF(sum, held_warp_cycles) > 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_oldest),
                                     cmocka_unit_test(test_counts), cmocka_unit_test(test_barriers),
                                     cmocka_unit_test(test_limits),
                                     cmocka_unit_test(test_engine_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
