/* What a warp waits for between its instructions, at the exact cycle: results, its start, atomics.
 */
#include "rig.h"

enum { EXTRA_DEP = 5, INT_LATENCY = 4, SHARED = 10, CONST = 8 };

/* The cycle in which the last of `n` instructions, each of which needs the one before, is issued.
 */
static uint64_t chain(struct rig *g, enum weir_class cls, enum weir_space space, unsigned n) {
  struct synth s;
  struct weir_sim_result r;
  synth_init(&s, 1, 1);
  uint32_t i =
      space == WEIR_SP_NONE ? synth_insn(&s, cls, 0, 0) : synth_access(&s, cls, space, 4, 0, 0);
  for (unsigned k = 0; k < n; k++)
    if (space == WEIR_SP_NONE)
      synth_put(&s, 0, 0, i);
    else
      synth_stride(&s, 0, 0, i, UINT32_MAX, 0x1000, 4);
  uint64_t t = rig_run(g, &s, &r);
  synth_free(&s);
  return t;
}

static void test_dependent(void **state) {
  (void)state;
  struct rig g;
  rig_open(&g, "sm.dependent_extra=5", "sm.shared_latency=10", "sm.const_latency=8", NULL);
  assert_int_equal(chain(&g, WEIR_C_INT, WEIR_SP_NONE, 10), 9 * (INT_LATENCY + EXTRA_DEP));
  assert_int_equal(chain(&g, WEIR_C_LOAD, WEIR_SP_SHARED, 10), 9 * (SHARED + EXTRA_DEP));
  assert_int_equal(chain(&g, WEIR_C_LOAD, WEIR_SP_CONST, 10), 9 * (CONST + EXTRA_DEP));
  /* Loads have sm.load_extra; the block ends with the last one's data. */
  assert_int_equal(chain(&g, WEIR_C_LOAD, WEIR_SP_GLOBAL, 10), DRAM_LINE + 9 * L1_HIT);
  rig_close(&g);
}

/* Who needs no result does not wait. */
static void test_independent(void **state) {
  (void)state;
  struct rig g;
  struct synth s;
  struct weir_sim_result r;
  rig_open(&g, "sm.dependent_extra=5", NULL);
  synth_init(&s, 1, 1);
  uint32_t add = synth_insn(&s, WEIR_C_INT, -1, -1);
  for (unsigned k = 0; k < 10; k++)
    synth_put(&s, 0, 0, add);
  assert_int_equal(rig_run(&g, &s, &r), 9);
  synth_free(&s);
  rig_close(&g);
}

static void test_start(void **state) {
  (void)state;
  struct rig g;
  struct synth s;
  struct weir_sim_result r;
  enum { START = 7, DISPATCH = 10 };
  rig_open(&g, "sm.start_delay=7", "sm.blocks=1", NULL);
  synth_init(&s, 2, 2);
  uint32_t add = synth_insn(&s, WEIR_C_INT, -1, -1);
  for (uint32_t b = 0; b < 2; b++)
    for (uint32_t w = 0; w < 2; w++)
      synth_put(&s, b, w, add);
  /* Two instructions of the first block, then of the second, which arrives a dispatch later; they
   * are counted from the first on. */
  assert_int_equal(rig_run(&g, &s, &r), 1 + DISPATCH + START + 1);
  assert_int_equal(r.cycles, START + 1 + DISPATCH + START + 1 + 1);
  synth_free(&s);
  rig_close(&g);
}

/* A warp's atomic on `lines` lines and, behind it, an instruction that does not need it. */
static uint64_t atomic(struct rig *g, bool has_result, unsigned lines, struct weir_sim_result *r) {
  struct synth s;
  synth_init(&s, 1, 1);
  uint32_t atom = synth_access(&s, WEIR_C_ATOM, WEIR_SP_GLOBAL, 4, has_result ? 0 : -1, -1);
  uint32_t fma = synth_insn(&s, WEIR_C_FP32, 1, 1);
  synth_stride(&s, 0, 0, atom, UINT32_MAX, 0x1000, 4 * lines);
  for (unsigned k = 0; k < 40; k++) /* of four cycles each: longer than the atomic */
    synth_put(&s, 0, 0, fma);
  uint64_t t = rig_run(g, &s, r);
  synth_free(&s);
  return t;
}

enum { ATOM = DRAM_SECTOR + 1, CHAIN = 39 * 4 }; /* header, address and 32 bytes: two flits */

static void test_atomic_goes_on(void **state) {
  (void)state;
  struct rig g;
  struct weir_sim_result r;
  rig_open(&g, NULL);
  assert_int_equal(atomic(&g, false, 1, &r), 1 + CHAIN);
  assert_int_equal(r.l2.atomics, 1);
  rig_close(&g);
}

static void test_atomic_waits(void **state) {
  (void)state;
  struct rig g;
  struct weir_sim_result r;
  for (unsigned has_result = 0; has_result < 2; has_result++) {
    rig_open(&g, "sm.atom_waits=true", NULL);
    /* Four sectors come from DRAM before the atomic is answered. */
    assert_int_equal(atomic(&g, has_result, 1, &r), ATOM + 3 * CCDL + CHAIN);
    assert_in_range(r.sm.slot[WEIR_SLOT_LOAD], ATOM - 1, UINT64_MAX);
    rig_close(&g);
  }
}

/* On shared memory it is answered at once. */
static void test_shared_atomic(void **state) {
  (void)state;
  struct rig g;
  rig_open(&g, "sm.atom_waits=true", "l1.atomics=sector", "sm.shared_latency=10", NULL);
  assert_int_equal(chain(&g, WEIR_C_ATOM, WEIR_SP_SHARED, 10), 9 * SHARED);
  rig_close(&g);
}

/* One packet of two flits for each sector, one after the other; each comes back by itself. */
static void test_atomic_sectors(void **state) {
  (void)state;
  struct rig g;
  struct weir_sim_result r;
  rig_open(&g, "l1.atomics=sector", "sm.atom_waits=true", NULL);
  rig_warm_l2(&g, 0x1000, 1);
  uint64_t t = atomic(&g, false, 1, &r);
  assert_int_equal(r.sm.requests, 4);
  assert_int_equal(r.l1.atomics, 4);
  assert_int_equal(r.l2.atomics, 4);
  assert_int_equal(r.l2.read_sectors, 4);
  assert_int_equal(r.l1.request_flits, 8);
  assert_int_equal(t, L2_SECTOR + 1 + 3 * 2 + CHAIN);
  /* Lanes 32 bytes apart: a sector each, as many requests as sectors. */
  atomic(&g, false, 8, &r);
  assert_int_equal(r.l2.atomics, 32);
  rig_close(&g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dependent),     cmocka_unit_test(test_independent),
      cmocka_unit_test(test_start),         cmocka_unit_test(test_atomic_goes_on),
      cmocka_unit_test(test_atomic_waits),  cmocka_unit_test(test_shared_atomic),
      cmocka_unit_test(test_atomic_sectors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
