/* The texture cache beside the L1 (sm.texture_bytes): what it keeps and for how long, at the exact
 * cycle, and that the L1 sees nothing but what it lacks. */
#include "sim/texture.h"

#include "rig.h"

enum { A = 0x10000, LINE = 128 };
#define CACHE "sm.texture_bytes=512", "sm.texture_ways=2" /* two sets */

static struct rig g;
static struct synth s;
static struct weir_sim_result r;
static uint32_t tex, ld, use;

static void begin(uint32_t n_warps, const char *more) {
  rig_open(&g, CACHE, more, NULL);
  rig_warm_l2(&g, A, 8);
  synth_init(&s, 1, n_warps);
  tex = synth_access(&s, WEIR_C_TEX, WEIR_SP_TEX, 1, 0, -1);
  ld = synth_access(&s, WEIR_C_LOAD, WEIR_SP_GLOBAL, 4, 0, -1);
  use = synth_insn(&s, WEIR_C_INT, 4, 0);
}

/* A read of a line, and what needs it. */
static void read_line(uint32_t warp, uint32_t insn, unsigned line) {
  synth_stride(&s, 0, warp, insn, UINT32_MAX, A + (uint64_t)line * LINE, 4);
  synth_put(&s, 0, warp, use);
}

static uint64_t end(void) {
  uint64_t cycles = rig_run(&g, &s, &r);
  synth_free(&s);
  rig_close(&g);
  return cycles;
}

static void saw(uint64_t requests, uint64_t hits, uint64_t joins) {
  assert_int_equal(r.sm.texture_requests, requests);
  assert_int_equal(r.sm.texture_hits, hits);
  assert_int_equal(r.sm.texture_joins, joins);
  assert_int_equal(r.l1.bypassed, requests - hits - joins);
  assert_int_equal(r.l1.hits, 0);
}

/* It takes as long as the L1: a hit its latency, a miss the way to the L2, the whole line. */
static void test_hit(void **state) {
  (void)state;
  begin(1, NULL);
  read_line(0, tex, 0);
  read_line(0, tex, 0);
  assert_int_equal(end(), L2_LINE + 1 + L1_HIT);
  saw(2, 1, 0);
  begin(1, NULL);
  synth_stride(&s, 0, 0, tex, 1, A, 4); /* one lane: the line comes all the same */
  synth_put(&s, 0, 0, use);
  assert_int_equal(end(), L2_LINE);
  saw(1, 0, 0);
}

/* Neither sees the other's lines. */
static void test_apart(void **state) {
  (void)state;
  begin(1, NULL);
  read_line(0, tex, 0);
  read_line(0, ld, 0);
  read_line(0, tex, 0);
  end();
  assert_int_equal(r.l1.misses, 1);
  assert_int_equal(r.l1.bypassed, 1);
  assert_int_equal(r.sm.texture_hits, 1);
}

/* Warps that want a line on its way have it when it comes, by one packet; the second is issued a
 * cycle after the first. */
static void test_join(void **state) {
  (void)state;
  begin(3, NULL);
  for (uint32_t w = 0; w < 3; w++)
    read_line(w, tex, 0);
  assert_int_equal(end(), L2_LINE + 2); /* the uses are issued one after the other */
  saw(3, 0, 2);
  assert_int_equal(r.l1.requests, 1);
}

/* Least recently used of two: lines 0, 2, 4 are of one set. */
static void test_replacement(void **state) {
  (void)state;
  static const unsigned order[] = {0, 2, 0, 4, 0, 2};
  begin(1, NULL);
  for (size_t i = 0; i < sizeof order / sizeof *order; i++)
    read_line(0, tex, order[i]);
  end();
  saw(6, 2, 0); /* 0 twice; 2 had gone for 4 */
  begin(1, NULL);
  for (unsigned i = 0; i < 8; i++)
    read_line(0, tex, i % 4);
  end();
  saw(8, 4, 0); /* four lines fit */
}

/* Lines that are waited for stay; what finds no place is read all the same, and not kept. */
static void test_no_place(void **state) {
  (void)state;
  begin(4, NULL);
  for (uint32_t w = 0; w < 3; w++)
    read_line(w, tex, 2 * w);
  read_line(3, tex, 4);
  end();
  saw(4, 0, 0); /* the fourth finds no line 4 on its way */
  assert_int_equal(r.l1.requests, 4);
}

/* A kernel finds it empty. */
static void test_kernels(void **state) {
  (void)state;
  begin(1, NULL);
  read_line(0, tex, 0);
  rig_run(&g, &s, &r);
  end();
  saw(1, 0, 0);
}

/* With no loads left to be under way a read waits, as others do. */
static void test_inflight(void **state) {
  (void)state;
  begin(3, "sm.inflight=2");
  for (uint32_t w = 0; w < 3; w++)
    read_line(w, tex, 0);
  end();
  saw(3, 1, 1);
  assert_int_equal(r.sm.resv_fail[WEIR_NO_INFLIGHT], 1);
}

/* Surfaces are written past it. */
static void test_stores(void **state) {
  (void)state;
  begin(1, NULL);
  uint32_t st = synth_access(&s, WEIR_C_STORE, WEIR_SP_TEX, 4, -1, -1);
  synth_stride(&s, 0, 0, st, UINT32_MAX, A, 4);
  end();
  assert_int_equal(r.sm.texture_requests, 0);
  assert_int_equal(r.l1.stores, 1);
}

static void test_sizes(void **state) {
  (void)state;
  struct machine x;
  struct weir_err err;
  const char *const sets[] = {"sm.texture_bytes=1000", NULL};
  assert_int_equal(machine_try(&x, NULL, sets, &err), WEIR_EINVAL);
  assert_non_null(strstr(err.msg, "sm.texture_bytes (1000) is not a multiple of sm.texture_ways"));
  assert_non_null(strstr(err.msg, "remedy: sm.texture_bytes=3072"));
  machine_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hit),      cmocka_unit_test(test_apart),
      cmocka_unit_test(test_join),     cmocka_unit_test(test_replacement),
      cmocka_unit_test(test_no_place), cmocka_unit_test(test_kernels),
      cmocka_unit_test(test_inflight), cmocka_unit_test(test_stores),
      cmocka_unit_test(test_sizes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
