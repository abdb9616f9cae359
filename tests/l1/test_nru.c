/* Not recently used, by lines and by sectors. */
#include "rig_tsc.h"

static struct rig g;

static void open_with(const struct weir_org_ops *org, const char *unit, bool hr_touch) {
  rig_init(&g);
  g.d.org = org;
  rig_nru(&g, unit);
  part_put(&weir_policy_nru.part, &g.nru, "hr_touch", hr_touch);
  rig_add(&g, &weir_policy_nru, &g.nru);
  rig_open(&g, NULL);
}

static uint16_t bits(uint32_t way) {
  return *(const uint16_t *)weir_line_peek(rig_part(&g, 1), 0, (int)way);
}

static void expect_bits(unsigned a, unsigned b, unsigned c, unsigned d) {
  assert_int_equal(bits(0), a);
  assert_int_equal(bits(1), b);
  assert_int_equal(bits(2), c);
  assert_int_equal(bits(3), d);
}

static int way_of(uint64_t line) {
  for (uint32_t w = 0; w < 4; w++)
    if (rig_way(&g, w).tag == line + 1) return (int)w;
  return -1;
}

static void test_lines(void **state) {
  (void)state;
  open_with(&weir_org_conventional, "line", false);
  for (uint64_t i = 0; i < 4; i++)
    rig_read(&g, i, 15);
  expect_bits(1, 1, 1, 1);
  rig_read(&g, 4, 15); /* none is unused: all cleared, the first goes */
  assert_int_equal(way_of(4), 0);
  expect_bits(1, 0, 0, 0);
  rig_read(&g, 5, 15);
  assert_int_equal(way_of(5), 1);
  assert_int_equal(rig_read(&g, 2, 1), WEIR_HIT);
  expect_bits(1, 1, 1, 0);
  rig_read(&g, 6, 15);
  assert_int_equal(way_of(6), 3);
  expect_bits(1, 1, 1, 1);
  rig_store(&g, 5, 1); /* no replacement: nothing is cleared, the way is free */
  expect_bits(1, 0, 1, 1);
  rig_read(&g, 7, 15);
  assert_int_equal(way_of(7), 1);
  rig_close(&g);
}

static void test_lines_pending(void **state) {
  (void)state;
  for (unsigned touch = 0; touch < 2; touch++) {
    open_with(&weir_org_conventional, "line", touch);
    for (uint64_t i = 0; i < 4; i++)
      rig_read(&g, i, 15);
    rig_load(&g, 4, 15); /* way 0, stays pending */
    for (uint64_t i = 1; i < 4; i++)
      rig_load(&g, i, 15);
    rig_load(&g, 5, 15); /* all used, way 0 cannot go */
    assert_int_equal(way_of(5), 1);
    expect_bits(0, 1, 0, 0);
    assert_int_equal(rig_load(&g, 4, 15), WEIR_HIT_PENDING);
    assert_int_equal(bits(0), touch);
    rig_load(&g, 6, 15);
    rig_load(&g, 7, 15);
    assert_int_equal(rig_load(&g, 8, 15), RIG_REFUSED + WEIR_NO_LINE);
    rig_close(&g);
  }
}

static void test_sectors(void **state) {
  (void)state;
  open_with(&weir_org_sectored, "sector", false);
  rig_read(&g, 0, 3); /* nothing else is there: cleared at once */
  expect_bits(0, 0, 0, 0);
  rig_read(&g, 1, 1);
  rig_read(&g, 2, 4);
  expect_bits(0, 1, 4, 0);
  rig_load(&g, 3, 8);
  assert_int_equal(rig_load(&g, 3, 9), WEIR_PARTIAL);
  expect_bits(0, 1, 4, 9);
  rig_settle(&g);
  rig_read(&g, 0, 2);
  expect_bits(2, 1, 4, 9);
  rig_read(&g, 4, 15); /* sector 0 of way 0 alone is unused: its line goes */
  assert_int_equal(way_of(4), 0);
  expect_bits(0, 0, 0, 0); /* and now all are used */
  rig_read(&g, 1, 1);
  rig_store(&g, 1, 1);
  expect_bits(0, 0, 0, 0);
  rig_close(&g);
}

/* A used sector goes only when none is unused; one of a line with a pending sector never. */
static void test_sectors_pending(void **state) {
  (void)state;
  open_with(&weir_org_sectored, "sector", false);
  rig_read(&g, 0, 15);
  for (uint64_t i = 1; i < 4; i++)
    rig_load(&g, i, 1);
  rig_read(&g, 0, 7); /* one left unused */
  rig_load(&g, 1, 2); /* their other sectors are there now */
  rig_load(&g, 2, 2);
  rig_load(&g, 3, 2);
  rig_load(&g, 4, 1);
  assert_int_equal(way_of(4), 0);
  assert_int_equal(rig_load(&g, 5, 1), RIG_REFUSED + WEIR_NO_LINE);
  rig_close(&g);
}

static void test_storage(void **state) {
  (void)state;
  for (unsigned by_sector = 0; by_sector < 2; by_sector++) {
    rig_init(&g);
    g.d.org = &weir_org_sectored;
    rig_nru(&g, by_sector ? "sector" : "line");
    rig_add(&g, &weir_policy_nru, &g.nru);
    rig_open(&g, "l1.sets=32", NULL);
    assert_int_equal(weir_policy_nru.part.storage_bits(weir_cfg(rig_part(&g, 1)),
                                                       weir_geometry(rig_part(&g, 1))),
                     by_sector ? 512 : 128);
    rig_close(&g);
  }
}

static void test_next_kernel(void **state) {
  (void)state;
  open_with(&weir_org_conventional, "line", false);
  rig_read(&g, 0, 15);
  rig_kernel(&g);
  expect_bits(0, 0, 0, 0);
  rig_close(&g);
}

static void test_engine_random(void **state) {
  (void)state;
  static const struct weir_lines_cfg on_miss = {.on_fill = false}, on_fill = {.on_fill = true};
  for (uint64_t seed = 0; seed < 32; seed++) {
    struct weir_sim_result r;
    rig_init(&g);
    g.d.org = seed % 2 ? &weir_org_sectored : &weir_org_conventional;
    g.d.org_cfg = seed % 4 < 2 ? &on_miss : &on_fill;
    rig_nru(&g, seed % 8 < 4 ? "sector" : "line");
    rig_add(&g, &weir_policy_nru, &g.nru);
    rig_engine_random(&g.d, seed, &r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lines),         cmocka_unit_test(test_lines_pending),
      cmocka_unit_test(test_sectors),       cmocka_unit_test(test_sectors_pending),
      cmocka_unit_test(test_storage),       cmocka_unit_test(test_next_kernel),
      cmocka_unit_test(test_engine_random),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
