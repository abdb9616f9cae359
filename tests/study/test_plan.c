/* Plans: shares of equal length, and the file that says which run is whose. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/mem.h"
#include "study/plan.h"

enum { MOST = 64 };

static void loads_of(const double *costs, const uint32_t *shards, size_t n, double *loads) {
  for (size_t i = 0; i < n; i++)
    loads[shards[i] - 1] += costs[i];
}

/* The longest run alone, the others together. */
static void test_longest(void **state) {
  (void)state;
  const double costs[] = {1, 1, 6, 1, 1, 1, 1};
  uint32_t shards[7];
  double loads[2] = {0};
  struct weir_err err;
  assert_int_equal(weir_plan_deal(costs, 7, 2, shards, &err), WEIR_OK);
  loads_of(costs, shards, 7, loads);
  assert_true(loads[0] == 6 && loads[1] == 6);
  assert_int_equal(shards[2], 1);
}

/* No share has more than the mean and the longest run. */
static void test_balance(void **state) {
  (void)state;
  double costs[MOST], sum = 0, longest = 0;
  uint32_t shards[MOST];
  struct weir_err err;
  for (uint32_t n_shards = 1; n_shards <= 9; n_shards++) {
    double loads[9] = {0};
    sum = longest = 0;
    for (int i = 0; i < MOST; i++) {
      costs[i] = 1 + i * 37 % 23;
      sum += costs[i];
      longest = fmax(longest, costs[i]);
    }
    assert_int_equal(weir_plan_deal(costs, MOST, n_shards, shards, &err), WEIR_OK);
    loads_of(costs, shards, MOST, loads);
    for (uint32_t s = 0; s < n_shards; s++) {
      assert_true(loads[s] > 0);
      assert_true(loads[s] <= sum / n_shards + longest);
    }
  }
}

/* Of which nothing is known: they go round. One of which nothing is known is as long as the mean.
 */
static void test_unknown(void **state) {
  (void)state;
  const double none[] = {NAN, NAN, NAN, NAN, NAN}, some[] = {3, NAN, 1};
  uint32_t shards[5];
  struct weir_err err;
  assert_int_equal(weir_plan_deal(none, 5, 2, shards, &err), WEIR_OK);
  for (uint32_t i = 0; i < 5; i++)
    assert_int_equal(shards[i], i % 2 + 1);
  assert_int_equal(weir_plan_deal(some, 3, 2, shards, &err), WEIR_OK);
  assert_int_equal(shards[0], 1);
  assert_int_equal(shards[1], 2);
  assert_int_equal(shards[2], 2);
}

static void point_of(unsigned i, char out[WEIR_HASH_TEXT]) {
  snprintf(out, WEIR_HASH_TEXT, "xxh128:%032x", i * 2654435761u);
}

static const char *in_folder(const char *name) {
  static char path[4096];
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/weir-plan-%ld-%s", folder != NULL ? folder : "/tmp",
           (long)getpid(), name);
  return path;
}

static void test_file(void **state) {
  (void)state;
  const char *path = in_folder("good");
  struct weir_plan p = {.n_shards = 3}, q;
  struct weir_err err;
  uint32_t shard = 9;
  for (unsigned i = 0; i < MOST; i++) {
    struct weir_plan_row row = {.shard = i % 4};
    point_of(i, row.point);
    assert_true(WEIR_PUSH(p, row));
  }
  assert_int_equal(weir_plan_write(&p, path, &err), WEIR_OK);
  assert_int_equal(weir_plan_read(&q, path, &err), WEIR_OK);
  assert_int_equal(q.n, MOST);
  assert_int_equal(q.n_shards, 3);
  for (unsigned i = 0; i < MOST; i++) {
    char point[WEIR_HASH_TEXT];
    point_of(i, point);
    assert_true(weir_plan_find(&q, point, &shard));
    assert_int_equal(shard, i % 4);
  }
  assert_false(weir_plan_find(&q, "xxh128:ffffffffffffffffffffffffffffffff", &shard));
  weir_plan_free(&p);
  weir_plan_free(&q);
  for (long n = 0;; n++) { /* however little memory there is */
    weir_malloc_fail_after(n);
    enum weir_status st = weir_plan_read(&q, path, &err);
    weir_malloc_fail_after(-1);
    weir_plan_free(&q);
    if (st == WEIR_OK) break;
    assert_int_equal(st, WEIR_ENOMEM);
  }
  unlink(path);
}

#define POINT "xxh128:00000000000000000000000000000001"

static void test_wrong_files(void **state) {
  (void)state;
  static const char *const texts[] = {"",
                                      "weir-plan: 2\nshards: 2\n",
                                      "weir-plan: 1\n",
                                      "weir-plan: 1\nshards: 0\n",
                                      "weir-plan: 1\nshards: two\n",
                                      "weir-plan: 1\nshards: 2\n" POINT "\n",
                                      "weir-plan: 1\nshards: 2\n" POINT " 3\n",
                                      "weir-plan: 1\nshards: 2\n" POINT " -1\n",
                                      "weir-plan: 1\nshards: 2\n" POINT " 1",
                                      "weir-plan: 1\nshards: 2\nxxh128:01 1\n"};
  const char *path = in_folder("bad");
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct weir_plan p;
    struct weir_err err;
    assert_int_equal(weir_file_write(path, texts[i], strlen(texts[i]), &err), WEIR_OK);
    assert_int_equal(weir_plan_read(&p, path, &err), WEIR_EINVAL);
    assert_non_null(strstr(err.msg, path));
    weir_plan_free(&p);
  }
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_longest), cmocka_unit_test(test_balance),
                                     cmocka_unit_test(test_unknown), cmocka_unit_test(test_file),
                                     cmocka_unit_test(test_wrong_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
