#include "base/arena.h"
#include "testing.h"

static void memory_is_zeroed_aligned_and_apart(void **state) {
  (void)state;
  struct weir_arena a = {0};
  unsigned char *last = NULL;
  for (size_t n = 0; n < 5000; n += 7) {
    unsigned char *p = weir_arena_alloc(&a, n);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % 16, 0);
    assert_ptr_not_equal(p, last);
    for (size_t i = 0; i < n; i++)
      assert_int_equal(p[i], 0);
    memset(p, 0xff, n);
    last = p;
  }
  weir_arena_free(&a);
  assert_null(a.head);
}

static void big_objects_do_not_end_the_current_block(void **state) {
  (void)state;
  struct weir_arena a = {0};
  char *small = weir_arena_alloc(&a, 16);
  assert_non_null(weir_arena_alloc(&a, 4 << 20));
  assert_ptr_equal(weir_arena_alloc(&a, 16), small + 16);
  weir_arena_free(&a);
}

static void the_limit_is_kept(void **state) {
  (void)state;
  struct weir_arena a = {.limit = 64};
  assert_non_null(weir_arena_alloc(&a, 48));
  assert_null(weir_arena_alloc(&a, 17));
  assert_non_null(weir_arena_alloc(&a, 16));
  assert_null(weir_arena_alloc(&a, 0));
  weir_arena_free(&a);
}

static void overflow_is_refused(void **state) {
  (void)state;
  struct weir_arena a = {0};
  assert_null(weir_arena_array(&a, SIZE_MAX / 2, 3));
  assert_null(weir_arena_alloc(&a, SIZE_MAX));
  assert_null(weir_arena_strndup(&a, "x", SIZE_MAX));
  weir_arena_free(&a);
}

static void strings_are_copied(void **state) {
  (void)state;
  struct weir_arena a = {0};
  assert_string_equal(weir_arena_strndup(&a, "abcdef", 3), "abc");
  assert_string_equal(weir_arena_strndup(&a, "", 0), "");
  assert_string_equal(weir_arena_printf(&a, "%d-%s", 7, "x"), "7-x");
  weir_arena_free(&a);
}

static void arrays_are_copied(void **state) {
  (void)state;
  struct weir_arena a = {0};
  const int v[] = {3, 1, 2};
  const int *copy = weir_arena_copy(&a, v, 3, sizeof *v);
  assert_ptr_not_equal(copy, v);
  assert_memory_equal(copy, v, sizeof v);
  assert_non_null(weir_arena_copy(&a, NULL, 0, sizeof *v));
  assert_null(weir_arena_copy(&a, v, SIZE_MAX / 2, sizeof *v));
  weir_arena_free(&a);
}

static void vectors_grow(void **state) {
  (void)state;
  struct {
    int *v;
    size_t n, cap;
  } vec = {0};
  for (int i = 0; i < 1000; i++)
    assert_true(WEIR_PUSH(vec, i));
  for (int i = 0; i < 1000; i++)
    assert_int_equal(vec.v[i], i);
  assert_int_equal(vec.n, 1000);
  weir_malloc_fail_after(0);
  while (vec.n < vec.cap)
    assert_true(WEIR_PUSH(vec, 0));
  int pushed = WEIR_PUSH(vec, 0);
  assert_false(pushed);
  weir_malloc_fail_after(-1);
  assert_int_equal(vec.v[999], 999);
  size_t cap = SIZE_MAX / 2;
  assert_false(weir_vec_grow((void **)&vec.v, &cap, SIZE_MAX, 4));
  free(vec.v);
}

static void memory_of_other_kinds_can_fail_too(void **state) {
  (void)state;
  char *copy = weir_strdup("text");
  assert_string_equal(copy, "text");
  free(copy);
  for (size_t bytes = 0; bytes < 200; bytes += 33) {
    unsigned char *p = weir_aligned_alloc(64, bytes);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % 64, 0);
    memset(p, 1, bytes);
    free(p);
  }
  assert_null(weir_aligned_alloc(64, SIZE_MAX - 3));
  weir_malloc_fail_after(0);
  char *no_copy = weir_strdup("text");
  void *no_lines = weir_aligned_alloc(64, 64);
  weir_malloc_fail_after(-1);
  assert_null(no_copy);
  assert_null(no_lines);
}

static int fill(void) {
  struct weir_arena a = {0};
  int good = weir_arena_alloc(&a, 4000) && weir_arena_alloc(&a, 9000) &&
             weir_arena_printf(&a, "%5000d", 1) && weir_arena_strndup(&a, "x", 1);
  weir_arena_free(&a);
  return good;
}

static void failures_leave_nothing_behind(void **state) {
  (void)state;
  int survived = with_failing_memory(fill);
  assert_true(survived >= 2 && survived <= 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(memory_is_zeroed_aligned_and_apart),
      cmocka_unit_test(big_objects_do_not_end_the_current_block),
      cmocka_unit_test(the_limit_is_kept),
      cmocka_unit_test(overflow_is_refused),
      cmocka_unit_test(strings_are_copied),
      cmocka_unit_test(arrays_are_copied),
      cmocka_unit_test(vectors_grow),
      cmocka_unit_test(memory_of_other_kinds_can_fail_too),
      cmocka_unit_test(failures_leave_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
