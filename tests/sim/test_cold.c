/* Launches that find the L2 empty, and launches that come again. */
#include "rig.h"

enum { LINE = 0x10000, BYTES = 128, LINES = 4 };

static struct weir_sim *new_sim(const struct rig *g, bool cold) {
  struct weir_sim *sim;
  struct weir_err err;
  const struct weir_sim_options o = {.threads = 1, .watchdog = 100000, .check = true, .cold = cold};
  assert_int_equal(weir_sim_new(&g->x.m, NULL, &o, &sim, &err), WEIR_OK);
  return sim;
}

/* A warp that accesses LINES lines from `first` on, which are four further with each launch. */
static void launch(struct weir_sim *sim, enum weir_class cls, uint64_t first,
                   struct weir_sim_result *r) {
  struct weir_err err;
  struct synth s;
  synth_init(&s, 1, 1);
  uint32_t insn = synth_access(&s, cls, WEIR_SP_GLOBAL, 4, cls == WEIR_C_LOAD ? 0 : -1, -1);
  for (unsigned i = 0; i < LINES; i++)
    synth_stride(&s, 0, 0, insn, UINT32_MAX, LINE + (first + i) * BYTES, 4);
  if (weir_sim_kernel(sim, synth_source(&s), r, &err) != WEIR_OK) fail_msg("%s", err.msg);
  synth_free(&s);
}

static void test_loads_miss_again(void **state) {
  (void)state;
  struct rig g;
  struct weir_sim_result r;
  rig_open(&g, NULL);
  for (int cold = 0; cold < 2; cold++) {
    struct weir_sim *sim = new_sim(&g, cold);
    for (unsigned i = 0; i < 3; i++) {
      launch(sim, WEIR_C_LOAD, 0, &r);
      assert_int_equal(r.l2.load_sectors, 4 * LINES);
      assert_int_equal(r.l2.load_sectors_missed, cold || i == 0 ? 4 * LINES : 0);
      assert_int_equal(r.l2.evictions, 0);
    }
    weir_sim_free(sim);
  }
  rig_close(&g);
}

/* What was dirty goes without traffic: otherwise the second launch would write back what the first
 * has stored. */
static void expect_dropped(const char *l3) {
  struct rig g;
  struct weir_sim_result r;
  rig_open(&g, "l2.sets=1", "l2.ways=4", "l3.sets=1", "l3.ways=4", l3, NULL);
  for (int cold = 0; cold < 2; cold++) {
    struct weir_sim *sim = new_sim(&g, cold);
    for (unsigned i = 0; i < 3; i++) {
      launch(sim, WEIR_C_STORE, i * LINES, &r);
      assert_int_equal(r.l2.write_misses, LINES);
      assert_int_equal(r.l2.evictions, cold || i == 0 ? 0 : LINES);
    }
    /* With an L3, the first launch's lines leave it when those of the second come. */
    assert_int_equal(r.dram.writes, cold ? 0 : 4 * LINES);
    assert_int_equal(r.l3.evictions, cold || !g.x.m.l3.enabled ? 0 : LINES);
    weir_sim_free(sim);
  }
  rig_close(&g);
}

static void test_dirty_lines_go(void **state) {
  (void)state;
  expect_dropped("l3.enabled=false");
}

static void test_l3_is_emptied(void **state) {
  (void)state;
  expect_dropped("l3.enabled=true");
}

/* A launch that comes again has the number of the one before, and with it the same delays. */
static void test_repeat_has_the_number(void **state) {
  (void)state;
  struct rig g;
  struct weir_sim_result first, second, third;
  rig_open(&g, "jitter.dispatch=100000", NULL);
  struct weir_sim *sim = new_sim(&g, true);
  launch(sim, WEIR_C_STORE, 0, &first);
  weir_sim_repeat(sim);
  launch(sim, WEIR_C_STORE, 0, &second);
  launch(sim, WEIR_C_STORE, 0, &third);
  assert_int_equal(first.cycles, second.cycles);
  assert_int_not_equal(second.cycles, third.cycles);
  weir_sim_free(sim);
  rig_close(&g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loads_miss_again), cmocka_unit_test(test_dirty_lines_go),
      cmocka_unit_test(test_l3_is_emptied), cmocka_unit_test(test_repeat_has_the_number)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
