/* The counters that Nsight Compute has by another name, by hand (docs/ncu.md). What an H200 counts
 * for the same accesses stands beside them. */
#include "rig.h"

#include <math.h>

#include "base/stat_io.h"
#include "sim/derived.h"

enum { LINE = 0x10000, ALL = -1 };

struct counted {
  struct rig g;
  struct synth s;
  struct code c;
  uint32_t atom;
  struct weir_sim_result r;
  struct weir_derived d;
};

static void begin(struct counted *t, uint32_t n_warps) {
  rig_open(&t->g, "l1.sectored=true", "l1.write=through", "dram.atom_bytes=32", NULL);
  synth_init(&t->s, 1, n_warps);
  t->c = rig_code(&t->s, WEIR_SP_GLOBAL);
  t->atom = synth_access(&t->s, WEIR_C_ATOM, WEIR_SP_GLOBAL, 4, -1, -1);
}

/* All lanes of `mask`, four bytes apart. */
static void put(struct counted *t, uint32_t warp, uint32_t insn, int mask) {
  synth_stride(&t->s, 0, warp, insn, (uint32_t)mask, LINE, 4);
}

static void run(struct counted *t) {
  struct weir_err err;
  rig_run(&t->g, &t->s, &t->r);
  weir_derive(&t->r, 1, &t->d);
  if (weir_stat_verify(weir_l1_stat_table, weir_l1_stat_group.checks, &t->r.l1, &err) != WEIR_OK ||
      weir_stat_verify(weir_l2_stat_table, weir_l2_stat_group.checks, &t->r.l2, &err) != WEIR_OK)
    fail_msg("%s", err.msg);
}

static void end(struct counted *t) {
  synth_free(&t->s);
  rig_close(&t->g);
}

static void expect_rate(const struct counted *t, const char *name, double want) {
  double is = weir_stat_value(weir_stat_find(weir_derived_stat_table, name), &t->d);
  if (fabs(is - want) > 1e-12) fail_msg("%s is %g, not %g", name, is, want);
}

/* Eight warps load one line before it is there. To weir's own rate they hit nothing; an H200 has
 * seven of eight as hits, 87.5 %. */
static void test_same_line_at_once(void **state) {
  (void)state;
  struct counted t;
  begin(&t, 8);
  for (uint32_t w = 0; w < 8; w++)
    put(&t, w, t.c.ld0, ALL);
  run(&t);
  assert_int_equal(t.r.l1.hits, 0);
  assert_int_equal(t.r.l1.hit_reserved, 7);
  assert_int_equal(t.r.l1.misses, 1);
  assert_int_equal(t.r.l1.global_load_sectors, 32);
  assert_int_equal(t.r.l2.load_sectors, 4);
  assert_int_equal(t.r.dram.read_bytes, 128);
  expect_rate(&t, "hit_rate_ld", 0);
  expect_rate(&t, "hit_rate_stream", 7.0 / 8);
  expect_rate(&t, "ncu_l1_hit_rate", 7.0 / 8);
  expect_rate(&t, "ncu_l2_hit_rate", 0);
  end(&t);
}

/* One sector of a line, then all four: weir has two loads, and neither is a hit; by sectors one of
 * five is. */
static void test_sectors_count(void **state) {
  (void)state;
  struct counted t;
  begin(&t, 1);
  put(&t, 0, t.c.ld0, 0xff);
  synth_put(&t.s, 0, 0, t.c.use0);
  put(&t, 0, t.c.ld1, ALL);
  run(&t);
  assert_int_equal(t.r.l1.misses + t.r.l1.partial_misses, 2);
  expect_rate(&t, "hit_rate_l1", 0);
  expect_rate(&t, "ncu_l1_hit_rate", 1.0 / 5);
  end(&t);
}

/* A store finds what a load has brought: 50 % on an H200; alone it finds nothing, 0 %. */
static void test_stores_count(void **state) {
  (void)state;
  struct counted t;
  begin(&t, 1);
  put(&t, 0, t.c.ld0, ALL);
  synth_put(&t.s, 0, 0, t.c.use0);
  put(&t, 0, t.c.st, ALL);
  run(&t);
  assert_int_equal(t.r.l2.write_sectors, 4);
  expect_rate(&t, "hit_rate_ld", 0);
  expect_rate(&t, "ncu_l1_hit_rate", 0.5);
  end(&t);
  begin(&t, 1);
  put(&t, 0, t.c.st, ALL);
  run(&t);
  assert_int_equal(t.r.l1.global_load_sectors, 0);
  expect_rate(&t, "ncu_l1_hit_rate", 0);
  end(&t);
}

/* Loads that bypass the L1 are asked for there, and never hit: 0 % on an H200, too. */
static void test_bypassed_miss(void **state) {
  (void)state;
  struct counted t;
  begin(&t, 2);
  put(&t, 0, t.c.ld0, ALL);
  synth_put(&t.s, 0, 0, t.c.use0);
  put(&t, 0, t.c.cg, ALL);
  put(&t, 1, t.c.cg, ALL);
  run(&t);
  assert_int_equal(t.r.l1.sectors_bypassed, 8);
  assert_int_equal(t.r.l1.global_load_sectors, 12);
  assert_int_equal(t.r.l2.load_sectors, 12);
  assert_int_equal(t.r.l2.load_sectors_missed, 4);
  expect_rate(&t, "ncu_l1_hit_rate", 0);
  expect_rate(&t, "ncu_l2_hit_rate", 8.0 / 12);
  end(&t);
}

/* An atomic misses in the L1 though its line is there, and is no load of the L2. On an H200, a load
 * and a reduction of the same line: 0 % in the L1. */
static void test_atomics_are_apart(void **state) {
  (void)state;
  struct counted t;
  begin(&t, 1);
  put(&t, 0, t.c.ld0, 0xff);
  synth_put(&t.s, 0, 0, t.c.use0);
  put(&t, 0, t.atom, ALL);
  run(&t);
  assert_int_equal(t.r.l1.atomic_hits, 1);
  assert_int_equal(t.r.l1.atomic_sectors, 4);
  assert_int_equal(t.r.l1.global_load_sectors, 1);
  assert_int_equal(t.r.l2.read_sectors, 5);
  assert_int_equal(t.r.l2.load_sectors, 1);
  assert_int_equal(t.r.l2.atomic_sectors, 4);
  assert_int_equal(t.r.l2.read_sectors_missed, 4);
  assert_int_equal(t.r.l2.load_sectors_missed, 1);
  expect_rate(&t, "ncu_l1_hit_rate", 0);
  expect_rate(&t, "l2_hit_rate", 1.0 / 5);
  expect_rate(&t, "ncu_l2_hit_rate", 0);
  end(&t);
}

/* Local memory has its own sectors. */
static void test_local_is_apart(void **state) {
  (void)state;
  struct counted t;
  begin(&t, 1);
  uint32_t local = synth_access(&t.s, WEIR_C_LOAD, WEIR_SP_LOCAL, 4, 0, -1);
  put(&t, 0, local, ALL);
  put(&t, 0, t.c.ld1, 0xff);
  run(&t);
  assert_int_equal(t.r.l1.global_load_sectors, 1);
  assert_int_equal(t.r.l1.local_load_sectors, t.r.l1.sectors - 1);
  assert_true(t.r.l1.local_load_sectors >= 4);
  end(&t);
}

/* A result that was kept when nobody counted these has no rate. */
static void test_older_results(void **state) {
  (void)state;
  struct counted t = {.r.l1 = {.loads = 1, .misses = 1, .sectors = 4, .sectors_missed = 4},
                      .r.l2 = {.reads = 1, .read_misses = 1, .read_sectors = 4}};
  weir_derive(&t.r, 1, &t.d);
  static const char *const names[] = {"ncu_l1_hit_rate", "ncu_l2_hit_rate"};
  for (unsigned i = 0; i < 2; i++)
    assert_true(isnan(weir_stat_value(weir_stat_find(weir_derived_stat_table, names[i]), &t.d)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_line_at_once), cmocka_unit_test(test_sectors_count),
      cmocka_unit_test(test_stores_count),      cmocka_unit_test(test_bypassed_miss),
      cmocka_unit_test(test_atomics_are_apart), cmocka_unit_test(test_local_is_apart),
      cmocka_unit_test(test_older_results)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
