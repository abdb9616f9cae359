/* Replacement by chance. */
#include "rig_rep.h"

static uint32_t way_of(uint64_t line) {
  uint32_t w = 0;
  while (w < 4 && rig_way(&g, w).tag != line + 1)
    w++;
  return w;
}

static void open_with(uint64_t seed, bool on_fill) {
  rep_init(&weir_policy_random, DEFAULTS);
  g.lines.on_fill = on_fill;
  g.d.seed = seed;
  rig_open(&g, NULL);
  rep_reads(0, "abcd");
}

/* The ways that 64 further lines get. */
static void choose(uint64_t seed, uint32_t ways[64]) {
  open_with(seed, false);
  for (unsigned i = 0; i < 64; i++) {
    assert_int_equal(rig_read(&g, 100 + i, 15), WEIR_MISS);
    ways[i] = way_of(100 + i);
    assert_in_range(ways[i], 0, 3);
  }
  rig_close(&g);
}

static void test_seed(void **state) {
  (void)state;
  uint32_t one[64], again[64], other[64];
  choose(1, one);
  choose(1, again);
  choose(2, other);
  assert_memory_equal(one, again, sizeof one);
  assert_memory_not_equal(one, other, sizeof one);
}

/* 4000 choices among n ways: each as often as the others. 6 standard deviations are allowed. */
static void check_uniform(uint32_t n_pending) {
  unsigned got[4] = {0}, n = 4 - n_pending;
  open_with(3, false);
  g.is_fast = true;
  for (uint32_t i = 0; i < n_pending; i++)
    assert_int_equal(rig_load(&g, 1000 + i, 15), WEIR_MISS);
  g.n_sent = 0; /* these stay under way */
  for (unsigned i = 0; i < 4000; i++) {
    assert_int_equal(rig_read(&g, 2000 + i, 15), WEIR_MISS);
    got[way_of(2000 + i)]++;
  }
  for (uint32_t w = 0; w < 4; w++) {
    double p = 1.0 / n, d = got[w] - 4000 * p;
    if (rig_way(&g, w).pending_mask != 0) continue;
    if (d * d > 36 * 4000 * p * (1 - p)) fail_msg("way %u was chosen %u times", w, got[w]);
  }
  weir_l1_destroy(g.l1);
  machine_free(&g.x);
}

static void test_uniform(void **state) {
  (void)state;
  check_uniform(0);
  check_uniform(1);
  check_uniform(2);
  check_uniform(3);
}

static void test_pending(void **state) {
  (void)state;
  open_with(1, false);
  for (const char *s = "efgh"; *s != '\0'; s++)
    assert_int_equal(rep_ask(0, *s), WEIR_MISS);
  for (const char *s = "efgh"; *s != '\0'; s++)
    assert_true(way_of(rep_line(0, *s)) < 4);
  assert_int_equal(rep_ask(0, 'i'), RIG_REFUSED + WEIR_NO_LINE);
  rig_close(&g);
}

/* Lines that arrive one after the other, without a request in between, get new choices: they do
 * not all take one another's place. */
static void test_on_fill(void **state) {
  (void)state;
  unsigned moved = 0;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    open_with(seed, true);
    for (const char *s = "efghijkl"; *s != '\0'; s++)
      rep_ask(0, *s);
    rig_settle(&g);
    for (uint32_t w = 0; w < 4; w++)
      moved += rig_way(&g, w).tag > 4;
    rig_close(&g);
  }
  assert_in_range(moved, 60, 80); /* 4 x 20 x (1 - 0.75^8) = 72 */
}

static void test_storage(void **state) {
  (void)state;
  open_with(1, false);
  assert_int_equal(weir_policy_random.part.storage_bits(weir_cfg(rig_part(&g, 1)),
                                                        weir_geometry(rig_part(&g, 1))),
                   0);
  rig_close(&g);
}

static void test_engine(void **state) {
  (void)state;
  rep_engine(&weir_policy_random, DEFAULTS, 20, NULL);
  assert_true(rep_workload(&weir_policy_random, "spmv", 0, NULL) > 0);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  folder = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_seed),    cmocka_unit_test(test_uniform),
      cmocka_unit_test(test_pending), cmocka_unit_test(test_on_fill),
      cmocka_unit_test(test_storage), cmocka_unit_test(test_engine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
