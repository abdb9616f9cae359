/* Delays by chance: at the exact cycle, by seed, and the same however the engine is run. */
#include "rig.h"

#include <stdio.h>

/* ---- the numbers ---- */

/* All from 0 to the most, as often as each other; 6 standard deviations are allowed. */
static void test_uniform(void **state) {
  (void)state;
  enum { N = 17000, MOST = 16 };
  const struct weir_jitter_cfg c = {.seed = 3, .memory = MOST};
  unsigned got[MOST + 1] = {0};
  for (uint64_t i = 0; i < N; i++) {
    uint64_t d = weir_jitter(&c, WEIR_JITTER_MEMORY, 5, i);
    assert_in_range(d, 0, MOST);
    got[d]++;
    assert_int_equal(weir_jitter(&c, WEIR_JITTER_DISPATCH, 5, i), 0);
  }
  for (unsigned k = 0; k <= MOST; k++) {
    double p = 1.0 / (MOST + 1), d = got[k] - N * p;
    if (d * d > 36 * N * p * (1 - p)) fail_msg("%u cycles: %u times", k, got[k]);
  }
}

/* Seeds, kinds, channels and numbers all matter. */
static void test_independent(void **state) {
  (void)state;
  const struct weir_jitter_cfg a = {.seed = 1, .dispatch = 1000, .memory = 1000},
                               b = {.seed = 2, .dispatch = 1000, .memory = 1000};
  unsigned same[4] = {0};
  for (uint64_t i = 0; i < 1000; i++) {
    uint64_t d = weir_jitter(&a, WEIR_JITTER_MEMORY, 0, i);
    same[0] += d == weir_jitter(&b, WEIR_JITTER_MEMORY, 0, i);
    same[1] += d == weir_jitter(&a, WEIR_JITTER_DISPATCH, 0, i);
    same[2] += d == weir_jitter(&a, WEIR_JITTER_MEMORY, 1, i);
    same[3] += d == weir_jitter(&a, WEIR_JITTER_MEMORY, 0, i + 1);
  }
  for (unsigned k = 0; k < 4; k++)
    assert_in_range(same[k], 0, 10); /* 1 is to be expected */
}

static void test_choices(void **state) {
  (void)state;
  assert_int_equal(weir_jitter_seed(&(struct weir_jitter_cfg){.seed = 5}), 0);
  assert_int_equal(weir_jitter_seed(&(struct weir_jitter_cfg){.seed = 5, .memory = 1}), 5);
  assert_int_equal(weir_jitter_seed(&(struct weir_jitter_cfg){.seed = 5, .dispatch = 1}), 5);
}

/* ---- at the exact cycle ---- */

static const char *text(char *buf, const char *key, uint64_t v) {
  snprintf(buf, 64, "%s=%llu", key, (unsigned long long)v);
  return buf;
}

/* One load of one sector from a closed bank, and what depends on it. */
static void test_memory(void **state) {
  (void)state;
  bool differs = false;
  for (uint64_t seed = 0; seed < 8; seed++) {
    struct rig g;
    struct synth s;
    struct weir_sim_result r;
    char buf[64];
    rig_open(&g, "l1.sectored=true", "jitter.memory=100", text(buf, "jitter.seed", seed), NULL);
    synth_init(&s, 1, 1);
    struct code c = rig_code(&s, WEIR_SP_GLOBAL);
    synth_uniform(&s, 0, 0, c.ld0, 0x10000);
    synth_put(&s, 0, 0, c.use0);
    uint64_t delay = weir_jitter(&g.x.m.jitter, WEIR_JITTER_MEMORY, 0, 0);
    assert_int_equal(rig_run(&g, &s, &r), DRAM_SECTOR + delay);
    differs |=
        delay != weir_jitter(&(struct weir_jitter_cfg){.memory = 100}, WEIR_JITTER_MEMORY, 0, 0);
    synth_free(&s);
    rig_close(&g);
  }
  assert_true(differs);
}

/* Blocks of one instruction: the kernel ends when the last has arrived and issued. */
static void test_dispatch(void **state) {
  (void)state;
  enum { BLOCKS = 6 };
  struct rig g;
  struct synth s;
  struct weir_sim_result r;
  rig_open(&g, "sm.blocks=8", "jitter.dispatch=200", "jitter.seed=4", NULL);
  for (uint64_t launch = 1; launch <= 3; launch++) {
    synth_init(&s, BLOCKS, 1);
    struct code c = rig_code(&s, WEIR_SP_GLOBAL);
    uint64_t last = 0;
    for (uint32_t b = 0; b < BLOCKS; b++) {
      synth_put(&s, b, 0, c.add);
      /* One block goes out in a cycle. */
      uint64_t at = b + weir_jitter(&g.x.m.jitter, WEIR_JITTER_DISPATCH, launch, b);
      if (at > last) last = at;
    }
    assert_int_equal(rig_run(&g, &s, &r), last);
    synth_free(&s);
  }
  rig_close(&g);
}

/* ---- any way of running it ---- */

static const struct weir_sim_options ways[] = {
    {.threads = 1, .check = true, .watchdog = 500000},
    {.threads = 2, .check = true, .watchdog = 500000},
    {.threads = 3, .check = true, .watchdog = 500000},
    {.threads = 1, .check = true, .watchdog = 500000, .literal = true},
    {.threads = 1, .check = true, .watchdog = 500000, .window = 1},
    {.threads = 1, .check = true, .watchdog = 500000}};
enum { N_WAYS = sizeof ways / sizeof *ways };

/* Two launches of one kernel. Does another seed give another time? */
static bool check_ways(struct machine *x, const struct weir_design *d, struct synth *s) {
  struct weir_sim_result want[2], got[2];
  struct synth *const kernels[2] = {s, s};
  x->m.jitter = (struct weir_jitter_cfg){.seed = 1, .dispatch = 9, .memory = 40};
  synth_run(x, d, kernels, 2, &ways[0], want);
  for (unsigned i = 1; i < N_WAYS; i++) {
    synth_run(x, d, kernels, 2, &ways[i], got);
    if (!same_result(&want[0], &got[0]) || !same_result(&want[1], &got[1])) {
      machine_print(x);
      fail_msg("way %u differs", i);
    }
  }
  x->m.jitter.seed = 2;
  synth_run(x, d, kernels, 2, &ways[0], got);
  return want[0].cycles != got[0].cycles || want[1].cycles != got[1].cycles;
}

static void test_ways(void **state) {
  (void)state;
  unsigned n_different = 0, n = 0;
  for (uint64_t seed = 1; n < (IS_SANITIZED ? 6 : 24); seed++) {
    struct machine x;
    struct random_design d;
    struct synth s;
    const char *why;
    uint32_t n_refused = 0;
    machine_random(&x, seed * 131, &n_refused);
    design_random(&d, &x.m, seed);
    synth_random(&s, seed);
    if (weir_sm_fit(&x.m, &s.info, &why) > 0) {
      n_different += check_ways(&x, &d.d, &s);
      n++;
    }
    synth_free(&s);
    machine_free(&x);
  }
  assert_true(n_different > n / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_uniform),  cmocka_unit_test(test_independent),
      cmocka_unit_test(test_choices),  cmocka_unit_test(test_memory),
      cmocka_unit_test(test_dispatch), cmocka_unit_test(test_ways)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
