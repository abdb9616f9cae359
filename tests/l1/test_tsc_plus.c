/* Mode selection of the tag-split cache: sampler sets, counters, what followers do.
 *   tsc_plus SOURCE_FOLDER */
#include "rig_tsc.h"

static const char *folder;

static struct rig g;
static uint64_t next_line;

static void open_on(uint32_t sm, const char *sets) {
  rig_add(&g, &weir_policy_tsc_plus, &g.plus);
  g.sm = sm;
  rig_open(&g, sets, NULL);
  next_line = 0;
}

static void open_sampled(void) {
  rig_init(&g);
  open_on(0, "l1.sets=32");
}

static const struct weir_tsc_plus_state *modes(void) {
  return weir_state_peek(rig_part(&g, 1));
}

static const void *stats(void) {
  return rig_part(&g, 1)->stats;
}

static uint8_t role(uint32_t set) {
  return *(const uint8_t *)weir_set_peek(rig_part(&g, 1), set);
}

static uint32_t count_roles(enum weir_tsc_role r) {
  uint32_t n = 0;
  for (uint32_t s = 0; s < rig_chain(&g)->geometry.sets; s++)
    n += role(s) == r;
  return n;
}

/* A line of a set of that role that was never asked for before. */
static uint64_t fresh(enum weir_tsc_role r) {
  uint32_t set = 0;
  while (role(set) != r)
    set++;
  return next_line++ * 32 + set;
}

static void miss(enum weir_tsc_role r, uint32_t n, uint32_t mask) {
  for (; n > 0; n--)
    assert_int_equal(rig_read(&g, fresh(r), mask), WEIR_MISS);
}

static void expect_counters(uint32_t miss_f, uint32_t traf_f, uint32_t miss_c, uint32_t traf_c) {
  assert_int_equal(modes()->misses[0], miss_f);
  assert_int_equal(modes()->traffic[0], traf_f);
  assert_int_equal(modes()->misses[1], miss_c);
  assert_int_equal(modes()->traffic[1], traf_c);
}

static void test_vector(void **state) {
  (void)state;
  open_sampled();
  g.is_fast = true;
  miss(WEIR_TSC_FINE, 900, 1);
  miss(WEIR_TSC_COARSE, 600, 1);
  expect_counters(900, 1800, 600, 3000);
  assert_false(modes()->is_coarse);
  rig_close(&g);
  open_sampled();
  g.is_fast = true;
  miss(WEIR_TSC_COARSE, 300, 1);
  assert_false(modes()->is_coarse);
  miss(WEIR_TSC_FINE, 900, 3);
  expect_counters(900, 2700, 300, 1500);
  assert_true(modes()->is_coarse);
  rig_close(&g);
}

static void test_halving(void **state) {
  (void)state;
  open_sampled();
  g.is_fast = true;
  miss(WEIR_TSC_COARSE, 3, 1);
  miss(WEIR_TSC_FINE, 1024, 1);
  expect_counters(1024, 2048, 3, 15);
  miss(WEIR_TSC_FINE, 1, 1);
  expect_counters(512, 1025, 1, 7);
  assert_int_equal(PLUS(stats(), halvings), 1);
  miss(WEIR_TSC_COARSE, 1024, 1);
  expect_counters(256, 512, 512, (7 + 1024 * 5) / 2);
  rig_close(&g);
}

/* The mode in which both products are equal is fine. */
static void test_tie(void **state) {
  (void)state;
  open_sampled();
  miss(WEIR_TSC_FINE, 2, 15);
  assert_true(modes()->is_coarse);
  miss(WEIR_TSC_COARSE, 2, 1);
  expect_counters(2, 10, 2, 10);
  assert_false(modes()->is_coarse);
  rig_close(&g);
}

/* Whatever sends for a new chunk counts; joins, hits and stores do not. */
static void test_what_counts(void **state) {
  (void)state;
  open_sampled();
  uint64_t line = fresh(WEIR_TSC_FINE);
  rig_load(&g, line, 1);
  expect_counters(1, 2, 0, 0);
  assert_int_equal(rig_load(&g, line, 1), WEIR_HIT_PENDING);
  assert_int_equal(rig_load(&g, line, 7), WEIR_PARTIAL);
  expect_counters(2, 5, 0, 0);
  rig_settle(&g);
  assert_int_equal(rig_load(&g, line, 7), WEIR_HIT);
  rig_store(&g, line, 1);
  expect_counters(2, 5, 0, 0);
  line = fresh(WEIR_TSC_COARSE);
  rig_load(&g, line, 1);
  assert_int_equal(g.last.sectors, 15);
  assert_int_equal(rig_load(&g, line, 8), WEIR_HIT_PENDING);
  expect_counters(2, 5, 1, 5);
  miss(WEIR_TSC_FOLLOWER, 5, 1);
  expect_counters(2, 5, 1, 5);
  assert_int_equal(PLUS(stats(), sampled_misses_fine), 2);
  assert_int_equal(PLUS(stats(), sampled_traffic_coarse), 5);
  rig_close(&g);
}

/* Followers of SM 0 at once, other SMs when they hear of it; sampler sets never. */
static void test_followers(void **state) {
  (void)state;
  open_sampled();
  rig_load(&g, fresh(WEIR_TSC_FOLLOWER), 2);
  assert_int_equal(g.last.sectors, 2);
  assert_int_equal(g.n_casts, 0);
  rig_load(&g, fresh(WEIR_TSC_FINE), 1);
  assert_int_equal(g.n_casts, 1);
  assert_int_equal(g.cast[0], 1);
  rig_load(&g, fresh(WEIR_TSC_FOLLOWER), 2);
  assert_int_equal(g.last.sectors, 15);
  rig_load(&g, fresh(WEIR_TSC_FINE), 2);
  assert_int_equal(g.last.sectors, 2);
  assert_int_equal(g.n_casts, 1); /* no change, no word */
  rig_settle(&g);
  miss(WEIR_TSC_COARSE, 2, 1);
  assert_int_equal(g.n_casts, 2);
  assert_int_equal(g.cast[0], 0);
  rig_load(&g, fresh(WEIR_TSC_FOLLOWER), 2);
  assert_int_equal(g.last.sectors, 2);
  assert_int_equal(PLUS(stats(), changes), 2);
  rig_close(&g);

  rig_init(&g);
  open_on(3, "l1.sets=32");
  assert_int_equal(count_roles(WEIR_TSC_FOLLOWER), 32);
  for (uint64_t mode = 2; mode-- > 0;) {
    weir_l1_broadcast_received(g.l1, 0, 1, (const uint64_t[4]){mode}, g.now += 10);
    rig_load(&g, fresh(WEIR_TSC_FOLLOWER), 2);
    assert_int_equal(g.last.sectors, mode ? 15 : 2);
  }
  assert_int_equal(g.n_casts, 0);
  rig_close(&g);
}

static void test_samplers(void **state) {
  (void)state;
  uint32_t ever = 0;
  for (uint64_t seed = 0; seed < 100; seed++) {
    rig_init(&g);
    g.d.seed = seed;
    open_on(0, "l1.sets=32");
    assert_int_equal(count_roles(WEIR_TSC_FINE), 4);
    assert_int_equal(count_roles(WEIR_TSC_COARSE), 4);
    for (uint32_t s = 0; s < 32; s++)
      if (role(s) == WEIR_TSC_FINE) ever |= UINT32_C(1) << s;
    rig_close(&g);
  }
  assert_int_equal(ever, UINT32_MAX);
  rig_init(&g);
  open_on(0, "l1.sets=4");
  assert_int_equal(count_roles(WEIR_TSC_FINE), 2);
  assert_int_equal(count_roles(WEIR_TSC_COARSE), 2);
  rig_close(&g);
  rig_init(&g);
  open_on(0, "l1.sets=1");
  assert_int_equal(count_roles(WEIR_TSC_FOLLOWER), 1);
  rig_close(&g);
}

static void test_next_kernel(void **state) {
  (void)state;
  open_sampled();
  miss(WEIR_TSC_FINE, 3, 1);
  rig_kernel(&g);
  expect_counters(3, 6, 0, 0);
  assert_true(modes()->is_coarse);
  rig_close(&g);
}

/* When the last block ends, apart on the SM that samples. */
static void test_ends(void **state) {
  (void)state;
  const struct weir_cta c = {.warps = 1};
  for (uint32_t sm = 0; sm < 2; sm++) {
    rig_init(&g);
    open_on(sm, "l1.sets=32");
    weir_l1_cta_begin(g.l1, &c, g.now);
    weir_l1_cta_end(g.l1, &c, g.now + 70);
    weir_l1_kernel_end(g.l1, g.now + 90);
    assert_int_equal(PLUS(stats(), end_sampler), sm == 0 ? 70 : 0);
    assert_int_equal(PLUS(stats(), end_followers), sm == 0 ? 0 : 70);
    assert_int_equal(PLUS(stats(), followers), sm);
    rig_close(&g);
  }
}

static void test_storage(void **state) {
  (void)state;
  open_sampled();
  assert_int_equal(weir_policy_tsc_plus.part.storage_bits(weir_cfg(rig_part(&g, 1)),
                                                          weir_geometry(rig_part(&g, 1))),
                   64);
  rig_close(&g);
  rig_init(&g);
  open_on(1, "l1.sets=32"); /* the counters are those of the whole GPU */
  assert_int_equal(weir_policy_tsc_plus.part.storage_bits(weir_cfg(rig_part(&g, 1)),
                                                          weir_geometry(rig_part(&g, 1))),
                   0);
  rig_close(&g);
}

static void test_refused(void **state) {
  (void)state;
  struct weir_err err;
  rig_init(&g);
  g.d.org = &weir_org_sectored;
  rig_add(&g, &weir_policy_lru, NULL);
  rig_add(&g, &weir_policy_tsc_plus, &g.plus);
  assert_false(rig_try(&g, &err, NULL));
  assert_non_null(strstr(err.msg, "tag-split"));
}

/* Warps that read their lines sector by sector: whole lines are better, and all SMs find out. */
static void test_engine_switches(void **state) {
  (void)state;
  static const char *const set[] = {"sm.count=3", "l1.sets=32", "sm.broadcast_latency=200", NULL};
  struct machine x;
  struct synth s, *kernels[] = {&s};
  struct weir_sim_result r;
  struct weir_sim_options o = {.threads = 1, .check = true};
  machine_init(&x, NULL, set);
  synth_init(&s, 6, 2);
  uint32_t ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, 0);
  for (uint32_t b = 0; b < 6; b++)
    for (uint32_t w = 0; w < 2; w++)
      for (uint64_t i = 0; i < 400; i++)
        synth_uniform(&s, b, w, ld, 0x100000 * (2 * b + w) + 32 * i);
  rig_init(&g);
  rig_add(&g, &weir_policy_tsc_plus, &g.plus);
  g.d.org_cfg = &g.tsc;
  engine_kernels(&x, &g.d, kernels, 1, &o, &r);
  const void *st = r.part[1];
  assert_true(PLUS(st, changes) >= 3 && PLUS(st, changes) % 3 == 0); /* every change on every SM */
  assert_true(PLUS(st, coarse) > 4 * PLUS(st, fine));
  assert_int_equal(PLUS(st, fine) + PLUS(st, coarse), r.l1.loads);
  assert_true(PLUS(st, sampled_misses_fine) > 2 * PLUS(st, sampled_misses_coarse));
  synth_free(&s);
  machine_free(&x);
}

static void test_engine_random(void **state) {
  (void)state;
  unsigned n = 0;
  uint64_t changes = 0;
  for (uint64_t seed = 100; seed < 100 + CASES(60); seed++) {
    struct weir_sim_result r;
    rig_init(&g);
    part_put(&weir_policy_tsc_plus.part, &g.plus, "halve_above", seed % 2 ? 1024 : 8);
    rig_put_tsc(&g, "private_bits", (double)(seed % 4 * 2));
    rig_put_tsc(&g, "chunk_bytes", seed % 5 == 4 ? 64 : 32);
    g.d.org_cfg = &g.tsc;
    g.d.seed = seed;
    rig_add(&g, &weir_policy_tsc_plus, &g.plus);
    if (!rig_engine_random(&g.d, seed, &r)) continue;
    const void *st = r.part[1];
    changes += PLUS(st, changes);
    n++;
  }
  assert_true(n > CASES(20) && changes > CASES(20));
}

static void test_engine_workloads(void **state) {
  (void)state;
  static const char *const name[] = {"gather", "spmv", "reduction"};
  rig_init(&g);
  rig_add(&g, &weir_policy_tsc_plus, &g.plus);
  g.d.org_cfg = &g.tsc;
  for (unsigned i = 0; i < 3; i++)
    engine_on_fermi(folder, name[i], &g.d);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_vector),
      cmocka_unit_test(test_halving),
      cmocka_unit_test(test_tie),
      cmocka_unit_test(test_what_counts),
      cmocka_unit_test(test_followers),
      cmocka_unit_test(test_samplers),
      cmocka_unit_test(test_next_kernel),
      cmocka_unit_test(test_ends),
      cmocka_unit_test(test_storage),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_engine_switches),
      cmocka_unit_test(test_engine_random),
      cmocka_unit_test(test_engine_workloads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
