/* What is written is read: random streams, every size of group, seeking, edges. */
#include <malloc.h>

#include "wtrace_util.h"

#include "base/mem.h"

static void same_info(const struct weir_kernel_info *a, const struct weir_kernel_info *b) {
  assert_string_equal(a->name, b->name);
  assert_memory_equal(a->grid, b->grid, sizeof a->grid);
  assert_memory_equal(a->block, b->block, sizeof a->block);
  assert_int_equal(a->n_warps, b->n_warps);
  assert_int_equal(a->n_regs, b->n_regs);
  assert_int_equal(a->regs_per_thread, b->regs_per_thread);
  assert_int_equal(a->regs_estimated, b->regs_estimated);
  assert_int_equal(a->carveout, b->carveout);
  assert_int_equal(a->static_shared, b->static_shared);
  assert_int_equal(a->dyn_shared, b->dyn_shared);
  assert_int_equal(a->local_bytes, b->local_bytes);
  assert_int_equal(a->is_interleaved, b->is_interleaved);
  assert_int_equal(a->reads_clock, b->reads_clock);
  assert_int_equal(a->n_insns, b->n_insns);
  if (a->n_insns) assert_memory_equal(a->insns, b->insns, a->n_insns * sizeof *a->insns);
  assert_int_equal(a->outline != NULL, b->outline != NULL);
  if (a->outline != NULL) {
    const struct weir_outline *x = a->outline, *y = b->outline;
    assert_int_equal(x->n_loops, y->n_loops);
    assert_memory_equal(x->loops, y->loops, x->n_loops * sizeof *x->loops);
    assert_memory_equal(x->insns, y->insns, a->n_insns * sizeof *x->insns);
  }
  assert_int_equal(a->n_files, b->n_files);
  for (uint32_t i = 0; i < a->n_files; i++)
    assert_string_equal(a->files[i] ? a->files[i] : "", b->files[i]);
}

static void check_random(uint32_t n_kernels, uint32_t n_blocks, unsigned n, uint32_t least_groups) {
  struct weir_wtrace *t;
  OK(weir_wtrace_open(path, &t, &err));
  assert_int_equal(weir_wtrace_n_kernels(t), n_kernels);
  assert_int_equal(weir_wtrace_n_events(t), 2 * n_kernels);
  for (uint32_t k = n_kernels; k-- > 0;) { /* any order */
    struct weir_block_source *src;
    struct weir_block_stream *b;
    struct weir_kernel_info info = random_kernel(k, n_blocks);
    struct weir_event e = weir_wtrace_event(t, 2 * k);
    assert_int_equal(e.kind, WEIR_EVENT_COPY_TO_DEVICE);
    assert_int_equal(e.addr, UINT64_MAX - k);
    assert_int_equal(e.bytes, k);
    assert_int_equal(weir_wtrace_event(t, 2 * k + 1).kernel, k);
    assert_true(weir_wtrace_n_groups(t, k) >= least_groups);
    OK(weir_wtrace_source_open(t, k, 0, &pool, &src, &err));
    same_info(&info, src->kernel);
    for (uint64_t id = 0; id < n_blocks; id++) {
      OK(src->next(src, &b, &err));
      assert_non_null(b);
      assert_int_equal(b->id, id);
      check_block(&info, b, k, n);
      src->release(src, b);
    }
    OK(src->next(src, &b, &err));
    assert_null(b);
    weir_wtrace_source_close(src);
  }
  OK(weir_wtrace_verify(t, &err));
  weir_wtrace_close(t);
}

static void round_trip(void **state) {
  (void)state;
  write_random(NULL, 6, 12, 400);
  check_random(6, 12, 400, 1);
  write_random(&(struct weir_wtrace_opts){.level = 1, .target_bytes = 1}, 3, 12, 400);
  check_random(3, 12, 400, 11); /* a group holds one block */
  write_random(&(struct weir_wtrace_opts){.level = -1, .target_bytes = 4096}, 3, 12, 400);
  check_random(3, 12, 400, 2);
}

/* Any first block gives the same as reading from the start. */
static void seek(void **state) {
  (void)state;
  enum { BLOCKS = 30, N = 300 };
  struct weir_wtrace *t;
  struct weir_block_source *src;
  struct weir_block_stream *b;
  write_random(&(struct weir_wtrace_opts){.level = 1, .target_bytes = 8192}, 3, BLOCKS, N);
  OK(weir_wtrace_open(path, &t, &err));
  assert_true(weir_wtrace_n_groups(t, 1) > 3);
  for (uint64_t first = 0; first <= BLOCKS; first++) {
    uint32_t k = (uint32_t)first % 3;
    struct weir_kernel_info info = random_kernel(k, BLOCKS);
    OK(weir_wtrace_source_open(t, k, first, &pool, &src, &err));
    for (uint64_t id = first; id < BLOCKS && id < first + 4; id++) {
      OK(src->next(src, &b, &err));
      assert_int_equal(b->id, id);
      check_block(&info, b, k, N);
      src->release(src, b);
    }
    if (first == BLOCKS) {
      OK(src->next(src, &b, &err));
      assert_null(b);
    }
    weir_wtrace_source_close(src);
  }
  assert_int_equal(weir_wtrace_source_open(t, 3, 0, &pool, &src, &err), WEIR_EINVAL);
  assert_non_null(strstr(err.msg, "no kernel 3"));
  weir_wtrace_close(t);
}

/* Blocks larger than a group: groups are cut inside warps. Random lists do not compress, so that
 * little memory can only mean that little is kept. */
static void large_blocks(void **state) {
  (void)state;
  enum { BLOCKS = 4, N = 1000000, MOST = 12 << 20 };
  struct weir_wtrace *t;
  struct weir_block_source *src;
  struct weir_block_stream *b;
  write_random(&(struct weir_wtrace_opts){.level = 1}, 2, BLOCKS, N);
  OK(weir_wtrace_open(path, &t, &err));
  assert_true(weir_wtrace_file_bytes(t) > 2 * MOST);
  assert_true(weir_wtrace_n_groups(t, 1) > BLOCKS);
  for (uint64_t first = 0; first < BLOCKS; first++) {
    struct weir_kernel_info info = random_kernel(1, BLOCKS);
    struct mallinfo2 before = mallinfo2();
    size_t held = pool.held;
    OK(weir_wtrace_source_open(t, 1, first, &pool, &src, &err));
    OK(src->next(src, &b, &err));
    assert_int_equal(b->id, first);
    struct mallinfo2 after = mallinfo2();
    size_t used = after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
    assert_true(used < MOST + (pool.held - held));
    check_block(&info, b, 1, N);
    src->release(src, b);
    weir_wtrace_source_close(src);
  }
  assert_true(pool.peak_held <= pool.budget);
  OK(weir_wtrace_verify(t, &err));
  weir_wtrace_close(t);
}

static void empty_things(void **state) {
  (void)state;
  struct weir_wtrace_writer *w;
  struct weir_wtrace_counts total;
  OK(weir_wtrace_create(path, NULL, &w, &err));
  OK(weir_wtrace_finish(w, &total, &err));
  assert_int_equal(total.n_insns, 0);
  OK(try_all(true));
  OK(weir_wtrace_create(path, &(struct weir_wtrace_opts){.source = "nothing"}, &w, &err));
  struct weir_kernel_info info = random_kernel(0, 7), bare = info;
  OK(weir_wtrace_kernel(w, &info, &err)); /* no blocks */
  bare.n_insns = 0;
  OK(weir_wtrace_kernel(w, &bare, &err)); /* no instructions */
  for (uint64_t id = 2; id < 7; id += 2) {
    struct weir_block_stream *b;
    OK(weir_block_begin(&pool, id, 1, &b, &err));
    OK(weir_block_finish(b, &err));
    OK(weir_wtrace_block(w, b, &err));
    weir_block_release(b);
  }
  info.grid[1] = 0;
  OK(weir_wtrace_kernel(w, &info, &err)); /* an empty grid */
  OK(weir_wtrace_finish(w, NULL, &err));
  OK(try_all(true));
  struct weir_wtrace *t;
  struct weir_block_source *src;
  struct weir_block_stream *b;
  OK(weir_wtrace_open(path, &t, &err));
  assert_string_equal(weir_wtrace_source_text(t), "nothing");
  assert_int_equal(weir_wtrace_kernel_counts(t, 0).n_blocks, 0);
  assert_int_equal(weir_wtrace_kernel_counts(t, 1).n_blocks, 3);
  OK(weir_wtrace_source_open(t, 1, 3, &pool, &src, &err)); /* ids 2, 4, 6 are there */
  OK(src->next(src, &b, &err));
  assert_int_equal(b->id, 4);
  src->release(src, b);
  weir_wtrace_source_close(src);
  weir_wtrace_close(t);
}

/* Kernels that were launched again share a table. */
static void shared_tables(void **state) {
  (void)state;
  struct weir_wtrace_writer *w;
  struct weir_wtrace_counts total;
  struct weir_kernel_info info = random_kernel(0, 1);
  OK(weir_wtrace_create(path, &(struct weir_wtrace_opts){.level = -1}, &w, &err));
  for (int i = 0; i < 50; i++)
    OK(weir_wtrace_kernel(w, &info, &err));
  OK(weir_wtrace_finish(w, &total, &err));
  assert_true(total.file_bytes < 14 * TEST_INSNS + 50 * 200);
  OK(try_all(true));
}

static void misuse(void **state) {
  (void)state;
  struct weir_wtrace_writer *w;
  struct weir_kernel_info info = random_kernel(0, 4), bad = info;
  struct weir_block_stream *b = random_block(0, 2, 1, 5), *wide = random_block(0, 3, 2, 5);
  OK(weir_wtrace_create(path, NULL, &w, &err));
  assert_int_equal(weir_wtrace_block(w, b, &err), WEIR_EBUG);
  unlink(path);
  bad.n_warps = 2;
  assert_int_equal(weir_wtrace_kernel(w, &bad, &err), WEIR_EINVAL);
  OK(weir_wtrace_kernel(w, &info, &err));
  OK(weir_wtrace_block(w, b, &err));
  assert_int_equal(weir_wtrace_block(w, b, &err), WEIR_EBUG); /* the same id again */
  assert_int_equal(weir_wtrace_block(w, wide, &err), WEIR_EBUG);
  assert_int_equal(weir_wtrace_copy(w, WEIR_EVENT_KERNEL, 0, 0, &err), WEIR_EBUG);
  weir_wtrace_abandon(w);
  assert_int_equal(access(path, F_OK), -1);
  weir_block_release(b);
  weir_block_release(wide);
  assert_int_equal(weir_wtrace_create("/nonexistent/x.wtrace", NULL, &w, &err), WEIR_ENOENT);
  assert_int_equal(weir_wtrace_create("/dev/full", NULL, &w, &err), WEIR_EINVAL);
}

/* An old file stays until the new one is complete. */
static void replaced_at_the_end(void **state) {
  (void)state;
  struct weir_wtrace_writer *w;
  size_t n, m;
  write_random(NULL, 1, 2, 50);
  uint8_t *before = slurp(&n);
  OK(weir_wtrace_create(path, NULL, &w, &err));
  OK(weir_wtrace_kernel(
      w, &(struct weir_kernel_info){.name = "x", .block = {1, 1, 1}, .n_warps = 1}, &err));
  uint8_t *during = slurp(&m);
  assert_int_equal(n, m);
  assert_memory_equal(before, during, n);
  free(during);
  OK(weir_wtrace_finish(w, NULL, &err));
  uint8_t *after = slurp(&m);
  assert_int_not_equal(n, m);
  free(before);
  free(after);
}

/* Every allocation fails once, on both sides. */
static void out_of_memory(void **state) {
  (void)state;
  struct weir_kernel_info info = random_kernel(1, 2);
  struct weir_block_stream *b = random_block(1, 0, 2, 300);
  info.n_insns = TEST_INSNS;
  enum weir_status st = WEIR_ENOMEM;
  long n;
  for (n = 0; st; n++) {
    struct weir_wtrace_writer *w;
    weir_malloc_fail_after(n);
    st = weir_wtrace_create(path, &(struct weir_wtrace_opts){.level = 1}, &w, &err);
    if (!st) {
      st = weir_wtrace_kernel(w, &info, &err);
      if (!st) st = weir_wtrace_block(w, b, &err);
      if (st)
        weir_wtrace_abandon(w);
      else
        st = weir_wtrace_finish(w, NULL, &err);
    }
    weir_malloc_fail_after(-1);
    if (st) assert_int_equal(st, WEIR_ENOMEM);
  }
  assert_true(n > 20);
  weir_block_release(b);
  st = WEIR_ENOMEM;
  for (n = 0; st; n++) {
    weir_malloc_fail_after(n);
    st = try_all(true);
    weir_malloc_fail_after(-1);
    if (st) assert_int_equal(st, WEIR_ENOMEM);
  }
  assert_true(n > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trip),          cmocka_unit_test(seek),
      cmocka_unit_test(large_blocks),        cmocka_unit_test(empty_things),
      cmocka_unit_test(shared_tables),       cmocka_unit_test(misuse),
      cmocka_unit_test(replaced_at_the_end), cmocka_unit_test(out_of_memory),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
