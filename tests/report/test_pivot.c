/* Tables of runs: against numbers that were worked out by hand. */
#include "report/pivot.h"

#include <math.h>

#include "store_rig.h"

/* A run of which only what was run, and its cycles, matters. */
static void put(struct weir_store *s, const char *workload, const char *scheme, int64_t seed,
                uint64_t cycles) {
  static unsigned n;
  char identity[32];
  struct weir_store_stat stat = {"cycles", WEIR_STORE_COUNT, cycles, 0};
  struct weir_store_run run = {.identity = identity,
                               .workload = workload,
                               .scheme = scheme,
                               .seed = seed,
                               .status = cycles > 0 ? WEIR_STORED_OK : WEIR_STORED_FAILED,
                               .message = cycles > 0 ? NULL : "why",
                               .seconds = (double)NAN,
                               .stats = &stat,
                               .n_stats = cycles > 0};
  snprintf(identity, sizeof identity, "run %u", n++);
  put_run(s, &run);
}

struct rig {
  struct weir_points points;
  struct weir_pivot pivot;
};

static enum weir_status make(struct rig *r, const struct weir_pivot_want *want,
                             struct weir_err *err) {
  struct weir_store *s = NULL;
  struct weir_points_want points = {.statistic = want->statistic};
  *r = (struct rig){0};
  enum weir_status st = weir_store_open(in_dir("s.db"), WEIR_STORE_READ, NULL, &s, err);
  if (st == WEIR_OK) st = weir_points_load(s, &points, &r->points, err);
  weir_store_close(s);
  return st == WEIR_OK ? weir_pivot_make(&r->pivot, &r->points, want, err) : st;
}

static void make_good(struct rig *r, const struct weir_pivot_want *want) {
  struct weir_err err;
  if (make(r, want, &err) != WEIR_OK) fail_msg("%s", err.msg);
}

static void release(struct rig *r) {
  weir_pivot_free(&r->pivot);
  weir_points_free(&r->points);
}

/* x: 100 and 120 cycles, with "fast" 50 and 80: ratios 2 and 1.5. y: 300 and 300, 200 and 250. z
 * failed once. */
static void make_store(void) {
  struct weir_store *s = open_store(in_dir("s.db"), WEIR_STORE_WRITE);
  put(s, "x", "base", 1, 100);
  put(s, "x", "fast", 2, 80);
  put(s, "x", "base", 2, 120);
  put(s, "x", "fast", 1, 50);
  for (int i = 1; i <= 2; i++)
    put(s, "y", "base", i, 300);
  put(s, "y", "fast", 1, 200);
  put(s, "y", "fast", 2, 250);
  put(s, "z", "base", 1, 10);
  put(s, "z", "base", 2, 10);
  put(s, "z", "fast", 1, 5);
  put(s, "z", "fast", 2, 0);
  weir_store_close(s);
}

static void seeds_are_compared_in_pairs(void **state) {
  (void)state;
  struct rig r;
  make_store();
  make_good(&r, &(struct weir_pivot_want){.statistic = "cycles", .baseline = "scheme=base"});
  assert_int_equal(r.pivot.n_tables, 1);
  const struct weir_pivot_table *t = &r.pivot.table[0];
  assert_int_equal(t->n_rows, 3);
  assert_int_equal(t->n_columns, 2);
  assert_true(t->cell[0].is_baseline && t->cell[0].v.mean == 1);
  assert_float_equal(t->cell[1].v.mean, sqrt(2 * 1.5), 1e-9);
  assert_float_equal(t->cell[3].v.mean, sqrt(1.5 * 1.2), 1e-9);
  assert_int_equal(t->cell[4].state, WEIR_CELL_GOOD);
  assert_int_equal(t->cell[5].state, WEIR_CELL_FAILED);
  /* Over x and y alone; of each seed, sqrt(2 * 1.5) and sqrt(1.5 * 1.2). */
  assert_int_equal(t->n_mean_rows, 2);
  double a = log(sqrt(2 * 1.5)), b = log(sqrt(1.5 * 1.2)), half = 12.7062 * fabs(a - b) / 2;
  assert_float_equal(t->mean[1].v.mean, exp((a + b) / 2), 1e-9);
  assert_true(fabs(log(t->mean[1].v.high) - (a + b) / 2 - half) < 1e-4);
  assert_float_equal(t->mean[0].v.mean, 1, 1e-12);
  release(&r);
}

static void values_are_averaged_as_they_are(void **state) {
  (void)state;
  struct rig r;
  make_store();
  make_good(&r, &(struct weir_pivot_want){.statistic = "cycles"});
  const struct weir_pivot_table *t = &r.pivot.table[0];
  assert_null(t->mean);
  assert_int_equal(r.pivot.best, WEIR_BEST_MIN);
  assert_float_equal(t->cell[0].v.mean, 110, 1e-9);
  assert_float_equal(t->cell[0].v.high, 237.062, 1e-2); /* 110 + 12.7062 * 10 */
  /* Their intervals overlap: neither is better. */
  assert_false(t->cell[0].is_best || t->cell[1].is_best);
  release(&r);
}

static void shown_in_three_ways(void **state) {
  (void)state;
  struct rig r;
  make_store();
  struct weir_pivot_want want = {.statistic = "cycles",
                                 .columns = "scheme,seed",
                                 .baseline = "scheme=base",
                                 .relative = WEIR_RELATIVE_PERCENT};
  make_good(&r, &want);
  assert_float_equal(r.pivot.table[0].cell[2].v.mean, -50, 1e-9);
  assert_true(isnan(r.pivot.table[0].cell[2].v.low));
  release(&r);
  want.relative = WEIR_RELATIVE_RATIO;
  make_good(&r, &want);
  assert_float_equal(r.pivot.table[0].cell[2].v.mean, 0.5, 1e-12);
  release(&r);
  want.relative = WEIR_RELATIVE_SPEEDUP;
  make_good(&r, &want);
  assert_float_equal(r.pivot.table[0].cell[2].v.mean, 2, 1e-12);
  release(&r);
}

static void directions(void **state) {
  (void)state;
  assert_int_equal(weir_stat_direction("cycles"), -1);
  assert_int_equal(weir_stat_direction("energy.total_nj"), -1);
  assert_int_equal(weir_stat_direction("sm.stall_mshr"), -1);
  assert_int_equal(weir_stat_direction("derived.stall_frac"), -1);
  assert_int_equal(weir_stat_direction("derived.ipc"), 1);
  assert_int_equal(weir_stat_direction("derived.hit_rate_l1"), 1);
  assert_int_equal(weir_stat_direction("l1.hits"), 0);
  assert_int_equal(weir_stat_direction("l1.misses"), 0);
}

static void values_have_an_order(void **state) {
  (void)state;
  static const char *const in_order[] = {"0.5", "4", "16K", "128K", "1M", "Z", "a", "b10", "-"};
  for (size_t i = 0; i < COUNT(in_order); i++)
    for (size_t k = 0; k < COUNT(in_order); k++) {
      int order = weir_value_order(in_order[i], in_order[k]);
      assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
    }
  assert_true(weir_value_equal("16K", "16384"));
  assert_false(weir_value_equal("16K", "16"));
}

static int everything(void) {
  struct rig r;
  static const struct weir_screen narrow = {.width = 40};
  struct weir_text out = {.screen = &narrow};
  json_t *json = NULL;
  struct weir_pivot_want want = {.statistic = "cycles", .baseline = "scheme=base"};
  bool is_good = make(&r, &want, NULL) == WEIR_OK &&
                 weir_pivot_text(&r.pivot, &out, NULL) == WEIR_OK &&
                 weir_pivot_markdown(&r.pivot, &out, NULL) == WEIR_OK &&
                 weir_pivot_csv(&r.pivot, &out, NULL) == WEIR_OK &&
                 (json = weir_pivot_json(&r.pivot)) != NULL && !out.failed;
  json_decref(json);
  weir_text_free(&out);
  release(&r);
  return is_good;
}

static void memory_may_run_out(void **state) {
  (void)state;
  make_store();
  assert_true(with_failing_memory(everything) > 20);
}

#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void) {
  const struct CMUnitTest tests[] = {IN_DIR(seeds_are_compared_in_pairs),
                                     IN_DIR(values_are_averaged_as_they_are),
                                     IN_DIR(shown_in_three_ways),
                                     cmocka_unit_test(directions),
                                     cmocka_unit_test(values_have_an_order),
                                     IN_DIR(memory_may_run_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
