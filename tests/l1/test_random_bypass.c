/* random-bypass: a coin for each load that misses.
 *   test_l1_random_bypass SOURCE_FOLDER */
#include "rig_pol.h"

static const char *folder;
static const struct weir_policy_ops *const policy = &weir_policy_random_bypass;
static struct part_cfg cfg;

static void defaults(double p, double seed) {
  part_defaults(&policy->part, &cfg);
  SET(p, p);
  SET(seed, seed);
}

/* ---- request by request ---- */

enum { N = 4000 };

/* Loads of lines that were never there: which of them bypass? */
static unsigned choose(uint32_t sm, double p, double seed, bool *bypasses) {
  struct port t;
  unsigned n = 0;
  defaults(p, seed);
  port_open_at(&t, sm, policy, &cfg, rig_and("l1.sets=32", NULL, NULL, NULL));
  port_kernel(&t, 1);
  for (uint64_t i = 0; i < N; i++)
    n += bypasses[i] = (port_load(&t, 8, 128 * (1 + i)) & BYPASSED) != 0;
  port_close(&t);
  return n;
}

/* As often as asked for; 6 standard deviations are allowed. */
static void test_probability(void **state) {
  (void)state;
  bool got[N];
  for (const double *p = (const double[]){0, 0.25, 0.5, 0.75, 1, -1}; *p >= 0; p++) {
    unsigned n = choose(0, *p, 7, got);
    double d = n - *p * N;
    if (d * d > 36 * N * *p * (1 - *p)) fail_msg("%g: %u of %d", *p, n, N);
  }
}

static void test_seed(void **state) {
  (void)state;
  static bool one[N], again[N], other[N], elsewhere[N];
  choose(0, 0.5, 1, one);
  choose(0, 0.5, 1, again);
  choose(0, 0.5, 2, other);
  choose(1, 0.5, 1, elsewhere);
  assert_memory_equal(one, again, N);
  assert_memory_not_equal(one, other, N);
  assert_memory_not_equal(one, elsewhere, N);
}

/* A seed with which the first load is cached and the second would bypass: of the line that is on
 * its way it joins the first, of another line it does bypass; and a hit is a hit. */
static unsigned second_load(uint64_t seed, bool joins, bool *first) {
  struct port t;
  struct weir_l1_req q = {.a = {.addr = 256, .op = WEIR_LOAD, .sectors = 1}};
  defaults(0.5, (double)seed);
  port_open(&t, policy, &cfg, rig_and("l1.sets=32", NULL, NULL, NULL));
  port_kernel(&t, 1);
  port_step(&t);
  assert_int_equal(weir_l1_present(t.l1, &q, 0, t.now).answer, WEIR_L1_WAIT);
  struct weir_msg m = *weir_l1_peek(t.l1);
  *first = m.flags & WEIR_REQ_BYPASS;
  weir_l1_pop(t.l1);
  if (!joins) q.a.addr = 512;
  port_step(&t);
  assert_int_equal(weir_l1_present(t.l1, &q, 0, t.now).answer, WEIR_L1_WAIT);
  const struct weir_msg *sent = weir_l1_peek(t.l1);
  unsigned said = sent == NULL ? HIT_L1 : sent->flags & WEIR_REQ_BYPASS ? BYPASSED : 0;
  weir_l1_destroy(t.l1);
  machine_free(&t.x);
  return said;
}

static void test_pending(void **state) {
  (void)state;
  bool is_bypassed = true;
  uint64_t seed = 0;
  while (second_load(seed, false, &is_bypassed) != BYPASSED || is_bypassed)
    seed++;
  assert_int_equal(second_load(seed, true, &is_bypassed), HIT_L1);
}

static void test_hit(void **state) {
  (void)state;
  struct port t;
  defaults(0.5, 0);
  port_open(&t, policy, &cfg, rig_and("l1.sets=32", NULL, NULL, NULL));
  port_kernel(&t, 1);
  while (port_load(&t, 8, 256) & BYPASSED) {
  }
  for (unsigned i = 0; i < 100; i++)
    assert_int_equal(port_load(&t, 8, 256), HIT_L1);
  port_close(&t);
}

/* ---- the engine ---- */

static enum weir_answer always(const struct weir_policy *p, const struct weir_access *a,
                               struct weir_set set) {
  (void)p, (void)a, (void)set;
  return WEIR_BYPASS;
}
static const struct weir_policy_ops bypasses_misses = {
    .part = {WEIR_PART("always", "every load that misses bypasses")},
    .reason = WEIR_R_PREDICTOR,
    .admit = always};

/* With probability 0 it is the machine's own L1, with 1 one that bypasses all misses. */
static void compare_bounds(const struct machine *x, struct synth *s) {
  struct weir_design d;
  struct weir_sim_result none[2], all[2], want[2];
  struct synth *const kernels[2] = {s, s};
  defaults(0, 3);
  design_with(&d, &x->m, policy, &cfg, false);
  engine_kernels(x, &d, kernels, 2, &engine_ways[0], none);
  engine_kernels(x, NULL, kernels, 2, &engine_ways[0], want);
  assert_true(same_result(&none[0], &want[0]) && same_result(&none[1], &want[1]));
  SET(p, 1);
  engine_kernels(x, &d, kernels, 2, &engine_ways[0], all);
  design_with(&d, &x->m, &bypasses_misses, NULL, false);
  engine_kernels(x, &d, kernels, 2, &engine_ways[0], want);
  assert_true(same_result(&all[0], &want[0]) && same_result(&all[1], &want[1]));
  assert_int_equal(all[0].l1.misses, 0);
}

static void test_bounds(void **state) {
  (void)state;
  for (uint64_t seed = 1, done = 0; done < CASES(40); seed++) {
    struct machine x;
    struct synth s;
    const char *why;
    uint32_t n_refused = 0;
    machine_random(&x, seed * 31, &n_refused);
    synth_random(&s, seed);
    if (weir_sm_fit(&x.m, &s.info, &why) > 0) {
      compare_bounds(&x, &s);
      done++;
    }
    synth_free(&s);
    machine_free(&x);
  }
}

static void test_exact(void **state) {
  (void)state;
  struct weir_sim_result r;
  defaults(0.5, 0);
  engine_random(policy, &cfg, 12, NULL);
  engine_exact(folder, "gather", policy, &cfg, NULL, &r);
  const struct weir_l1_stats *l = &r.l1;
  uint64_t coins = l->misses + l->bypass_reason[WEIR_R_PREDICTOR];
  double d = (double)l->bypass_reason[WEIR_R_PREDICTOR] - (double)coins / 2;
  assert_true(coins > 10000 && d * d < 9 * (double)coins); /* 6 standard deviations */
  assert_true(l->hit_reserved > 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_probability), cmocka_unit_test(test_seed),
      cmocka_unit_test(test_pending),     cmocka_unit_test(test_hit),
      cmocka_unit_test(test_bounds),      cmocka_unit_test(test_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
