/* The best of several values: which are tried, in which order, and what is found. */
#include "study/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

enum { MOST = 512, SHOWN = 2 };

struct rig {
  struct weir_study study;
  struct weir_study_search search;
  struct weir_study_setup setups[SHOWN + MOST];
  struct weir_run runs[SHOWN + MOST];
  char text[MOST][16];
  const char *values[MOST];
};

/* Column 0 is a scheme, 1 shows the best of the columns behind it. */
static void begin(struct rig *r, size_t n, double first, double step, bool is_whole) {
  memset(r, 0, sizeof *r);
  for (size_t i = 0; i < n; i++) {
    snprintf(r->text[i], sizeof r->text[i], "%g", first + step * (double)i);
    r->values[i] = r->text[i];
  }
  r->search = (struct weir_study_search){
      .key = "a.b", .values = r->values, .n = n, .column = 1, .first = SHOWN, .is_whole = is_whole};
  r->study = (struct weir_study){.n_workloads = 1,
                                 .n_gpus = 1,
                                 .n_schemes = SHOWN + n,
                                 .n_shown = SHOWN,
                                 .setups = r->setups,
                                 .runs = r->runs,
                                 .searches = &r->search,
                                 .n_searches = 1};
}

static uint64_t (*cost)(size_t trial);

/* Until nothing waits; the number of runs. */
static size_t run_all(struct rig *r) {
  size_t n = 0;
  weir_search_begin(&r->study);
  weir_search_go_on(&r->study, 0);
  for (bool any = true; any;) {
    any = false;
    for (size_t k = 0; k < r->search.n; k++) {
      struct weir_run *run = &r->runs[SHOWN + k];
      if (run->state != WEIR_RUN_WAITING) continue;
      run->state = WEIR_RUN_DONE;
      run->sum.cycles = cost(k);
      n++;
      any = true;
      weir_search_go_on(&r->study, 0);
      break;
    }
  }
  return n;
}

static uint64_t valley_at(size_t trial, size_t at) {
  return 1000 + (trial > at ? 3 * (trial - at) : at - trial);
}
static uint64_t valley_100(size_t t) {
  return valley_at(t, 100);
}
static uint64_t valley_0(size_t t) {
  return valley_at(t, 0);
}
static uint64_t valley_255(size_t t) {
  return valley_at(t, 255);
}
static uint64_t flat(size_t t) {
  (void)t;
  return 7;
}

static void test_whole(void **state) {
  struct rig r;
  (void)state;
  cost = valley_100;
  begin(&r, 256, 1, 1, true);
  assert_int_equal(run_all(&r), 256);
  assert_int_equal(weir_search_best(&r.study, &r.search, 0, 0), 100);
  begin(&r, 16, 0.1, 0.1, false); /* so few are all tried */
  assert_int_equal(run_all(&r), 16);
}

/* In a valley the bottom is found with few runs, wherever it is. */
static void test_coarse(void **state) {
  static uint64_t (*const costs[])(size_t) = {valley_100, valley_0, valley_255};
  static const size_t want[] = {100, 0, 255};
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    struct rig r;
    cost = costs[i];
    begin(&r, 256, 1, 1, false);
    size_t n = run_all(&r);
    assert_in_range(n, 20, 36);
    assert_int_equal(weir_search_best(&r.study, &r.search, 0, 0), want[i]);
    assert_true(weir_search_is_tried(&r.study, &r.search, 0, 0, 0));
    assert_true(weir_search_is_tried(&r.study, &r.search, 0, 0, 255));
    /* What lies next to the best was tried. */
    if (want[i] > 0) assert_true(weir_search_is_tried(&r.study, &r.search, 0, 0, want[i] - 1));
    if (want[i] < 255) assert_true(weir_search_is_tried(&r.study, &r.search, 0, 0, want[i] + 1));
  }
}

/* Steps grow with the values: 1 to 5 one by one, then by a quarter. */
static void test_first(void **state) {
  struct rig r;
  (void)state;
  begin(&r, 256, 1, 1, false);
  weir_search_begin(&r.study);
  static const unsigned want[] = {1, 2, 3, 4, 5, 7, 9, 12, 15, 19, 24, 30, 256};
  for (size_t i = 0; i < sizeof want / sizeof *want; i++)
    assert_int_equal(r.runs[SHOWN + want[i] - 1].state, WEIR_RUN_WAITING);
  static const unsigned left[] = {6, 8, 10, 11, 13, 16, 18, 25, 255};
  for (size_t i = 0; i < sizeof left / sizeof *left; i++)
    assert_int_equal(r.runs[SHOWN + left[i] - 1].state, WEIR_RUN_LEFT);
}

static void test_equal(void **state) {
  struct rig r;
  (void)state;
  cost = flat;
  begin(&r, 64, 1, 1, false);
  run_all(&r);
  assert_int_equal(weir_search_best(&r.study, &r.search, 0, 0), 0); /* the first of equal ones */
}

/* Values that a machine cannot have, runs that fail, and those that are known already. */
static void test_gaps(void **state) {
  struct rig r;
  (void)state;
  cost = valley_100;
  begin(&r, 256, 1, 1, false);
  for (size_t k = 90; k < 110; k++) {
    r.setups[SHOWN + k].is_left = true;
    r.runs[SHOWN + k].state = WEIR_RUN_LEFT;
  }
  run_all(&r);
  size_t best = weir_search_best(&r.study, &r.search, 0, 0);
  assert_true(best == 89 || best == 110 || (best > 80 && best < 120));
  for (size_t k = 90; k < 110; k++)
    assert_int_equal(r.runs[SHOWN + k].state, WEIR_RUN_LEFT);
  begin(&r, 32, 1, 1, false);
  assert_int_equal(weir_search_best(&r.study, &r.search, 0, 0), SIZE_MAX);
  for (size_t k = 0; k < 32; k++)
    r.runs[SHOWN + k].state = k == 20 ? WEIR_RUN_DONE : WEIR_RUN_FAILED;
  weir_search_begin(&r.study);
  weir_search_go_on(&r.study, 0);
  assert_int_equal(weir_search_best(&r.study, &r.search, 0, 0), 20);
  assert_int_equal(r.runs[SHOWN + 3].state, WEIR_RUN_FAILED);
}

/* The column that shows has the runs of the best. */
static void test_shows(void **state) {
  struct rig r;
  size_t trial;
  (void)state;
  cost = valley_100;
  begin(&r, 256, 1, 1, false);
  run_all(&r);
  assert_ptr_equal(weir_study_at(&r.study, 0, 0, 1), &r.runs[SHOWN + 100]);
  assert_ptr_equal(weir_study_at(&r.study, 0, 0, 0), &r.runs[0]);
  assert_ptr_equal(weir_search_of(&r.study, 1, &trial), &r.search);
  assert_int_equal(trial, SIZE_MAX);
  assert_ptr_equal(weir_search_of(&r.study, SHOWN + 3, &trial), &r.search);
  assert_int_equal(trial, 3);
  assert_null(weir_search_of(&r.study, 0, &trial));
  assert_int_equal(weir_study_shown(&r.study), SHOWN);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_coarse),
                                     cmocka_unit_test(test_first), cmocka_unit_test(test_equal),
                                     cmocka_unit_test(test_gaps),  cmocka_unit_test(test_shows)};
  return cmocka_run_group_tests_name("search", tests, NULL, NULL);
}
