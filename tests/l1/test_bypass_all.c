/* bypass-all: no load sees the tags, and it is an L1 that is switched off.
 *   test_l1_bypass_all SOURCE_FOLDER */
#include "rig_pol.h"

static const char *folder;
static const struct weir_policy_ops *const policy = &weir_policy_bypass_all;
static struct part_cfg all, kept;

static struct machine x;
static struct weir_design d;
static struct synth s;
static struct code c;
static struct weir_sim_result r[2];

static void open_with(const struct part_cfg *cfg, enum weir_space space) {
  machine_init(&x, NULL, rig_and(NULL, NULL, NULL, NULL));
  design_with(&d, &x.m, &weir_policy_bypass_all, cfg, true);
  synth_init(&s, 2, 3);
  c = rig_code(&s, space);
}

/* Each line is loaded three times by each warp. */
static void run_loads(void) {
  struct synth *const kernels[1] = {&s};
  for (uint32_t b = 0; b < 2; b++)
    for (uint32_t w = 0; w < 3; w++)
      for (uint64_t i = 0; i < 12; i++) {
        synth_stride(&s, b, w, c.ld0, UINT32_MAX, 0x10000 + 128 * (i % 4), 4);
        synth_put(&s, b, w, c.use0);
      }
  engine_same(&x, &d, kernels, 1, r);
  synth_free(&s);
  machine_free(&x);
}

static void test_no_probes(void **state) {
  (void)state;
  open_with(&all, WEIR_SP_GLOBAL);
  run_loads();
  assert_int_equal(r[0].l1.loads, 2 * 3 * 12);
  assert_int_equal(r[0].l1.bypassed, r[0].l1.loads);
  assert_int_equal(r[0].l1.bypass_reason[WEIR_R_MODE], r[0].l1.loads);
  assert_int_equal(r[0].l1.probes, 0);
  assert_int_equal(r[0].l1.hits, 0);
  assert_int_equal(r[0].l1.fills, 0);
  assert_int_equal(r[0].l2.reads, r[0].l1.loads);
}

static void test_keep_local(void **state) {
  (void)state;
  open_with(&all, WEIR_SP_LOCAL);
  run_loads();
  assert_int_equal(r[0].l1.local_bypassed, r[0].l1.loads);
  assert_int_equal(r[0].l1.probes, 0);
  open_with(&kept, WEIR_SP_LOCAL);
  run_loads();
  assert_int_equal(r[0].l1.bypassed, 0);
  assert_true(r[0].l1.hits > 0);
}

/* Random machines and kernels, with stores and atomics: apart from names, it is what the same
 * machine does without an L1. Only stores would go another way, if there were a pipeline in front
 * of the tags, and loads on their way would have to share the data of an L1. */
static void compare_with_none(uint64_t seed) {
  struct weir_sim_result off[2];
  struct synth *const kernels[2] = {&s, &s};
  x.m.l1.latency_at = WEIR_L1_AT_DATA;
  x.m.l1.bypass_room = false;
  design_with(&d, &x.m, &weir_policy_bypass_all, &all, true);
  engine_kernels(&x, &d, kernels, 2, &engine_ways[0], r);
  x.m.l1.enabled = false;
  engine_kernels(&x, NULL, kernels, 2, &engine_ways[0], off);
  for (unsigned k = 0; k < 2; k++) {
    struct weir_l1_stats *a = &r[k].l1;
    assert_int_equal(a->bypassed, a->loads);
    a->probes = 0; /* stores look for a line that is never there */
    r[k].sm.stall_probed = 0;
    a->bypass_reason[WEIR_R_STATIC] += a->bypass_reason[WEIR_R_MODE];
    a->bypass_reason[WEIR_R_MODE] = 0;
    if (!same_result(&r[k], &off[k])) {
      machine_print(&x);
      fail_msg("seed %" PRIu64 ": it is not an L1 that is switched off", seed);
    }
  }
}

static void test_is_an_l1_switched_off(void **state) {
  (void)state;
  for (uint64_t seed = 1, done = 0; done < 40; seed++) {
    const char *why;
    uint32_t n_refused = 0;
    machine_random(&x, seed * 31, &n_refused);
    x.m.l1.perfect = false; /* it would keep local stores */
    synth_random(&s, seed);
    if (weir_sm_fit(&x.m, &s.info, &why) > 0) {
      compare_with_none(seed);
      done++;
    }
    synth_free(&s);
    machine_free(&x);
  }
}

static void test_exact(void **state) {
  (void)state;
  engine_random(&weir_policy_bypass_all, &kept, 12, NULL);
  engine_exact(folder, "gather", &weir_policy_bypass_all, &all, NULL, r);
  assert_int_equal(r[0].l1.bypassed, r[0].l1.loads);
  assert_int_equal(r[0].l1.probes, r[0].l1.stores + r[0].l1.atomics);
}

static void test_storage(void **state) {
  (void)state;
  struct port t;
  port_open(&t, &weir_policy_bypass_all, &all, NULL);
  assert_int_equal(weir_policy_bypass_all.part.storage_bits(weir_cfg(port_policy(&t)),
                                                            weir_geometry(port_policy(&t))),
                   0);
  port_close(&t);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  part_defaults(&policy->part, &all);
  part_defaults(&policy->part, &kept);
  part_put(&policy->part, &kept, "keep_local", true);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_probes),
                                     cmocka_unit_test(test_keep_local),
                                     cmocka_unit_test(test_is_an_l1_switched_off),
                                     cmocka_unit_test(test_exact), cmocka_unit_test(test_storage)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
