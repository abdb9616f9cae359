/* How sure means are, and what reports say of it: against values that were worked out by hand. */
#include "report/compare.h"

#include <math.h>

#include "testing.h"

/* Of any table of Student's t. */
static void quantiles_are_those_of_the_tables(void **state) {
  (void)state;
  static const struct {
    size_t degrees;
    double t;
  } known[] = {{1, 12.706}, {2, 4.303},  {3, 3.182},  {4, 2.776},
               {9, 2.262},  {10, 2.228}, {30, 2.042}, {99, 1.984}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    assert_float_equal(weir_student_t(known[i].degrees), known[i].t, 0.0005);
}

static void two_values_say_little(void **state) {
  (void)state;
  const double logs[] = {log(1.1), log(1.2)};
  struct weir_interval i = weir_interval_of_logs(logs, 2);
  assert_float_equal(i.mean, sqrt(1.1 * 1.2), 1e-9);
  assert_float_equal(i.low, 0.661016606, 1e-6);
  assert_float_equal(i.high, 1.996924114, 1e-6);
  assert_true(weir_interval_is_open(&i));
}

static void values_have_an_interval(void **state) {
  (void)state;
  struct weir_interval i = weir_interval_of((const double[]){1, 2}, 2);
  assert_float_equal(i.mean, 1.5, 1e-12);
  assert_float_equal(i.low, -4.853, 0.001); /* 1.5 - 12.706 / 2 */
  assert_float_equal(i.high, 7.853, 0.001);
  i = weir_interval_of((const double[]){1, 2, 3}, 3);
  assert_float_equal(i.mean, 2, 1e-12);
  assert_float_equal(i.high, 4.484, 0.001); /* 2 + 4.303 / sqrt(3) */
  i = weir_interval_of((const double[]){7}, 1);
  assert_true(i.mean == 7 && isnan(i.low) && isnan(i.high));
}

static void one_value_says_nothing(void **state) {
  (void)state;
  struct weir_interval i = weir_interval_of_logs((const double[]){log(3)}, 1);
  assert_float_equal(i.mean, 3, 1e-9);
  assert_true(isnan(i.low) && isnan(i.high));
  assert_false(weir_interval_is_open(&i));
  i = weir_interval_of_logs(NULL, 0);
  assert_true(isnan(i.mean));
}

static void equal_values_leave_no_doubt(void **state) {
  (void)state;
  const double twice[] = {log(2), log(2), log(2)}, same[] = {0, 0, 0};
  struct weir_interval i = weir_interval_of_logs(twice, 3);
  assert_float_equal(i.low, 2, 1e-9);
  assert_float_equal(i.high, 2, 1e-9);
  assert_false(weir_interval_is_open(&i));
  i = weir_interval_of_logs(same, 3);
  assert_true(weir_interval_is_open(&i));
}

/* ---- a study that nobody ran ---- */

enum { WORKLOADS = 2, SCHEMES = 3, REPEATS = 3, RUNS = WORKLOADS * SCHEMES * REPEATS };

static const char *const gpus[] = {"g"};
static const char *const schemes[] = {"old", "new", "like-old"};
static struct weir_settings no_settings;
static struct weir_setup setups[SCHEMES];
static struct weir_study_setup study_setups[SCHEMES];
static struct weir_study_workload workloads[WORKLOADS];
static struct weir_run runs[RUNS];

/* New is 2, 2.2 and 2.1 times as fast as old with the same seed; in other pairs it would not be. */
static struct weir_study sample(void) {
  static const uint64_t cycles[WORKLOADS * SCHEMES][REPEATS] = {
      {1000, 1100, 1050}, {500, 500, 500},    {990, 1111, 1040},
      {4000, 4400, 4200}, {2000, 2000, 2000}, {4000, 4400, 4200}};
  for (size_t i = 0; i < SCHEMES; i++) {
    setups[i] = (struct weir_setup){.machine.sm.count = 1,
                                    .machine.jitter = {.seed = 10, .dispatch = 16, .memory = 8}};
    study_setups[i] = (struct weir_study_setup){.setup = &setups[i], .settings = &no_settings};
  }
  workloads[0] = (struct weir_study_workload){.name = "a"};
  workloads[1] = (struct weir_study_workload){.name = "b"};
  for (size_t i = 0; i < RUNS; i++) {
    runs[i] = (struct weir_run){.state = WEIR_RUN_DONE, .launches = 1};
    runs[i].sum.cycles = cycles[i / REPEATS][i % REPEATS];
  }
  return (struct weir_study){.workloads = workloads,
                             .gpus = gpus,
                             .schemes = schemes,
                             .setups = study_setups,
                             .n_workloads = WORKLOADS,
                             .n_gpus = 1,
                             .n_schemes = SCHEMES,
                             .repeats = REPEATS,
                             .runs = runs};
}

static void repeats_are_compared_in_pairs(void **state) {
  (void)state;
  struct weir_study s = sample();
  assert_float_equal(weir_compare_repeat(&s, 0, 0, 1, 1, 0), 2.2, 1e-9);
  struct weir_interval i = weir_compare_speedup(&s, 0, 0, 1, 0);
  assert_float_equal(i.mean, 2.098411497, 1e-6);
  assert_float_equal(i.low, 1.864117274, 1e-6);
  assert_float_equal(i.high, 2.362153322, 1e-6);
  i = weir_compare_speedup(&s, 0, 0, 2, 0);
  assert_true(weir_interval_is_open(&i));
  /* Of the two workloads' means: the same three ratios. */
  struct weir_compare_mean m = weir_compare_mean(&s, 0, 1, 0);
  assert_int_equal(m.n, 2);
  assert_float_equal(m.speedup.low, 1.864117274, 1e-6);
  assert_int_equal(m.cycles, 2500); /* of a repeat */
}

static void text_shows_intervals(void **state) {
  (void)state;
  struct weir_study s = sample();
  struct weir_text out = {0};
  assert_int_equal(weir_compare_text(&s, 0, false, &out, NULL), WEIR_OK);
  assert_contains(out.v, "g: speed-up over old, mean of 3 repeats and 95 % interval\n");
  assert_contains(out.v, "a               1.000  2.098 ±0.249  1.003 ±0.028≈  new\n"
                         "b               1.000  2.098 ±0.249  1.000 ±0.000≈  new\n");
  assert_contains(out.v, "geometric mean  1.000  2.098 ±0.249  1.002 ±0.014≈  new\n");
  assert_contains(out.v, "  new       2.098  [1.864, 2.362]  ");
  assert_contains(out.v, "repeats: seeds 11 to 13 of jitter.dispatch=16 and jitter.memory=8, the "
                         "same for all schemes\n");
  weir_text_free(&out);
}

static void the_second_is_named_if_it_may_be_the_first(void **state) {
  (void)state;
  struct weir_study s = sample();
  struct weir_text out = {0};
  s.schemes = (const char *const[]){"x", "y", "z"};
  for (size_t i = 0; i < REPEATS; i++) /* "y" is slow: x and z are left */
    runs[REPEATS + i].sum.cycles = runs[4 * REPEATS + i].sum.cycles = 50000;
  assert_int_equal(weir_compare_text(&s, 0, false, &out, NULL), WEIR_OK);
  assert_contains(out.v, "±0.028≈  z ≈ x\n");
  assert_contains(out.v, "±0.000≈  x ≈ z\n"); /* equals: the first of them */
  assert_contains(out.v, "±0.014≈  z ≈ x\n"); /* on the mean */
  weir_text_free(&out);
}

/* A cell is whole or it has no mean. */
static void a_repeat_that_fails_fails_its_cell(void **state) {
  (void)state;
  struct weir_study s = sample();
  struct weir_text out = {0};
  char why[] = "no luck";
  runs[REPEATS + 1] = (struct weir_run){.state = WEIR_RUN_FAILED, .error = why};
  runs[RUNS - 1] = (struct weir_run){.state = WEIR_RUN_WAITING};
  assert_int_equal(weir_compare_text(&s, 0, false, &out, NULL), WEIR_OK);
  assert_contains(out.v, "a               1.000         failed   1.003 ±0.028≈  like-old ≈ old\n"
                         "b               1.000   2.098 ±0.249               -  -\n");
  assert_contains(out.v, "failed: a on g with new: no luck\n");
  assert_string_equal(weir_compare_reason(&s, 0, 0, 1, 1), "no luck");
  assert_null(weir_compare_reason(&s, 0, 0, 1, 0));
  weir_text_free(&out);
}

static void csv_has_a_row_for_each_repeat(void **state) {
  (void)state;
  struct weir_study s = sample();
  struct weir_text out = {0};
  assert_int_equal(weir_compare_csv(&s, 0, false, &out, NULL), WEIR_OK);
  assert_contains(out.v, ",repeat,seed,speedup_mean,speedup_low,speedup_high\n");
  assert_contains(out.v, "\ng,a,,new,ok,,1,0,500,2.2,");
  assert_contains(out.v, ",2,12,2.0984115,1.86411727,2.36215332\n");
  weir_text_free(&out);
}

static void json_has_repeats_and_cells(void **state) {
  (void)state;
  struct weir_study s = sample();
  json_t *root = weir_compare_json(&s, 0, false), *list = json_object_get(root, "runs");
  assert_int_equal(json_array_size(list), RUNS);
  json_t *run = json_array_get(list, REPEATS + 1);
  assert_int_equal(json_integer_value(json_object_get(run, "repeat")), 2);
  assert_int_equal(json_integer_value(json_object_get(run, "seed")), 12);
  assert_float_equal(json_real_value(json_object_get(run, "speedup")), 2.2, 1e-9);
  list = json_object_get(root, "cells");
  assert_int_equal(json_array_size(list), WORKLOADS * SCHEMES);
  json_t *cell = json_array_get(list, 1);
  assert_float_equal(json_real_value(json_object_get(cell, "speedup_low")), 1.864117274, 1e-6);
  assert_true(json_is_true(json_object_get(cell, "differs")));
  assert_true(json_is_false(json_object_get(json_array_get(list, 2), "differs")));
  json_t *mean = json_array_get(json_object_get(root, "means"), 1);
  assert_float_equal(json_real_value(json_object_get(mean, "speedup_high")), 2.362153322, 1e-6);
  json_decref(root);
  /* One repeat is none: nothing more is said. */
  s.repeats = 1;
  root = weir_compare_json(&s, 0, false);
  assert_null(json_object_get(root, "cells"));
  assert_null(json_object_get(json_array_get(json_object_get(root, "runs"), 0), "repeat"));
  json_decref(root);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(quantiles_are_those_of_the_tables),
                                     cmocka_unit_test(two_values_say_little),
                                     cmocka_unit_test(values_have_an_interval),
                                     cmocka_unit_test(one_value_says_nothing),
                                     cmocka_unit_test(equal_values_leave_no_doubt),
                                     cmocka_unit_test(repeats_are_compared_in_pairs),
                                     cmocka_unit_test(text_shows_intervals),
                                     cmocka_unit_test(the_second_is_named_if_it_may_be_the_first),
                                     cmocka_unit_test(a_repeat_that_fails_fails_its_cell),
                                     cmocka_unit_test(csv_has_a_row_for_each_repeat),
                                     cmocka_unit_test(json_has_repeats_and_cells)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
