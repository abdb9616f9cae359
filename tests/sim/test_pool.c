/* The threads of the engine: every component runs once per turn, after its mail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/pool.h"

enum { N = 37, THREADS = 64, TURNS = 5000 };

struct rig {
  struct weir_pool *pool;
  uint32_t prepared[N], ran[N]; /* not atomic: the pool orders the accesses */
  uint32_t turns[THREADS];      /* in which each thread has prepared */
  atomic_uint bad;
  uint32_t threads;
  unsigned heavy; /* components whose work counts a hundredfold */
};

static void prepare(void *self, uint32_t thread) {
  struct rig *r = self;
  r->turns[thread]++;
  for (uint32_t i = 0; i < N; i++)
    if (weir_pool_owner(r->pool, i) == thread) r->prepared[i]++;
}

static uint64_t run(void *self, uint32_t thread, uint32_t i) {
  struct rig *r = self;
  if (thread >= r->threads) atomic_fetch_add(&r->bad, 1);
  if (r->prepared[i] != r->ran[i] + 1) atomic_fetch_add(&r->bad, 1);
  r->ran[i]++;
  unsigned work = i < r->heavy ? 100 : 1, x = i;
  for (unsigned k = 0; k < work * 5; k++)
    x = x * 1664525u + 1013904223u;
  r->prepared[i] += x == 1 && work == 0; /* keeps the loop */
  return work;
}

static void every_component_once(uint32_t threads, unsigned heavy) {
  struct rig *r = calloc(1, sizeof *r);
  assert_non_null(r);
  r->heavy = heavy;
  r->threads = threads;
  const struct weir_pool_job job = {.self = r, .prepare = prepare, .run = run};
  r->pool = weir_pool_new(threads, N, &job);
  assert_non_null(r->pool);
  for (uint32_t t = 1; t <= TURNS; t++) {
    weir_pool_turn(r->pool);
    for (uint32_t i = 0; i < N; i++)
      assert_int_equal(r->ran[i], t);
    for (uint32_t i = 0; i < threads; i++) /* those without components too */
      assert_int_equal(r->turns[i], t);
    if (t % 100 == 0 && weir_pool_is_lopsided(r->pool)) weir_pool_weigh(r->pool);
  }
  assert_int_equal(atomic_load(&r->bad), 0);
  weir_pool_free(r->pool);
  free(r);
}

static void test_two(void **state) {
  (void)state;
  every_component_once(2, 0);
}

static void test_more_than_cores(void **state) {
  (void)state;
  every_component_once(7, 3);
}

static void test_more_than_components(void **state) {
  (void)state;
  every_component_once(N + 3, 0);
}

/* Components 0, 2, 4, ... begin on thread 0; it gets fewer when they are heavy. */
static void test_weighing(void **state) {
  (void)state;
  struct rig *r = calloc(1, sizeof *r);
  assert_non_null(r);
  r->heavy = 1;
  r->threads = 2;
  const struct weir_pool_job job = {.self = r, .prepare = prepare, .run = run};
  r->pool = weir_pool_new(2, N, &job);
  assert_non_null(r->pool);
  uint32_t before = 0, after = 0;
  for (uint32_t i = 0; i < N; i++)
    before += weir_pool_owner(r->pool, i) == 0;
  assert_int_equal(before, (N + 1) / 2);
  weir_pool_turn(r->pool);
  assert_true(weir_pool_is_lopsided(r->pool));
  weir_pool_weigh(r->pool);
  weir_pool_turn(r->pool);
  uint32_t heavy = weir_pool_owner(r->pool, 0);
  for (uint32_t i = 0; i < N; i++)
    after += weir_pool_owner(r->pool, i) == heavy;
  assert_int_equal(after, 1); /* 100 against 36 of the others together */
  weir_pool_free(r->pool);
  free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two),
      cmocka_unit_test(test_more_than_cores),
      cmocka_unit_test(test_more_than_components),
      cmocka_unit_test(test_weighing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
