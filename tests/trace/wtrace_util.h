/* Shared by the tests of .wtrace: temporary files, and traces of random streams whose seed is their
 * place, so that any block can be checked without keeping it. */
#ifndef TESTS_TRACE_WTRACE_UTIL_H
#define TESTS_TRACE_WTRACE_UTIL_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../stream/gen.h"
#include "stream/outline.h"
#include "trace/wtrace.h"

#define OK(call)                                                                                   \
  do {                                                                                             \
    if ((call) != WEIR_OK) fail_msg("%s: %s", #call, err.msg);                                     \
  } while (0)

static struct weir_err err;
static struct weir_stream_pool pool;
static char dir[] = "/tmp/weir-wtrace-XXXXXX";
static char path[64];

static inline int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(dir)) return -1;
  snprintf(path, sizeof path, "%s/t.wtrace", dir);
  return (int)weir_stream_pool_init(&pool, 32 << 20, NULL, &err);
}

static inline int remove_folder(void **state) {
  (void)state;
  unlink(path);
  weir_stream_pool_free(&pool);
  return rmdir(dir); /* fails if a temporary file was left behind */
}

/* A class, with what only instructions of that class have. */
static inline void set_class(struct weir_static *s, uint32_t i) {
  uint8_t number = (uint8_t)(i % 33), level = (uint8_t)(i % WEIR_BARRIERS);
  bool flag = i % 5 != 0;
  s->cls = (uint8_t)(i % WEIR_N_CLASSES);
  s->scope = s->bar_id = s->bar_warps = s->waits_copies = 0;
  s->bar_arrive = s->is_copy = s->ends_copies = s->reads_clock = s->is_fetch = false;
  if (s->cls == WEIR_C_BARRIER) {
    s->bar_id = level;
    s->bar_warps = number;
    s->bar_arrive = flag;
    return;
  }
  s->scope = level;
  s->is_copy = s->cls == WEIR_C_LOAD && flag;
  s->is_fetch = s->cls == WEIR_C_TEX && flag;
  s->ends_copies = s->cls == WEIR_C_OTHER && flag;
  s->reads_clock = (s->cls == WEIR_C_MOVE || s->cls == WEIR_C_CVT) && flag;
  s->waits_copies = s->cls == WEIR_C_OTHER ? number : 0;
}

/* Of the text of such a kernel. */
static inline const struct weir_outline *random_outline(void) {
  static struct weir_outline_insn insns[TEST_INSNS];
  static struct weir_outline_loop loops[TEST_INSNS / 20];
  static const struct weir_outline outline = {insns, loops, TEST_INSNS / 20};
  uint64_t s = 7;
  for (uint32_t i = 0; i < TEST_INSNS; i++)
    insns[i] = (struct weir_outline_insn){.flags = (uint8_t)below(&s, WEIR_OUTLINE_ALL + 1),
                                          .live = (uint8_t)rnd(&s),
                                          .base = (uint16_t)(i % 4 ? WEIR_NO_REG : below(&s, 100)),
                                          .offset = (int32_t)rnd(&s)};
  for (uint32_t i = 0; i < TEST_INSNS / 20; i++)
    loops[i] = (struct weir_outline_loop){.first = 20 * i + below(&s, 5),
                                          .last = 20 * i + 5 + below(&s, 15),
                                          .trips = below(&s, 1000),
                                          .flags = (uint8_t)below(&s, WEIR_LOOP_ALL + 1)};
  return &outline;
}

/* Kernel k of the random traces. */
static inline struct weir_kernel_info random_kernel(uint32_t k, uint32_t n_blocks) {
  static const char *const files[] = {NULL, "a.cu", "b/c.cu"};
  static struct weir_static insns[TEST_INSNS];
  struct weir_kernel_info info = *test_kernel();
  for (uint32_t i = 0; i < TEST_INSNS; i++) {
    insns[i] = info.insns[i];
    set_class(&insns[i], i);
  }
  info.insns = insns;
  if (k % 4 > 1) info.outline = random_outline();
  info.name = k % 2 ? "odd" : "even";
  info.grid[0] = n_blocks;
  info.grid[1] = info.grid[2] = 1;
  info.block[0] = 32 * (1 + k % 4);
  info.block[1] = info.block[2] = 1;
  info.n_warps = 1 + k % 4;
  info.n_regs = 100;
  info.regs_per_thread = 10 + k;
  info.static_shared = 1000 * k;
  info.dyn_shared = 5;
  info.local_bytes = 16;
  info.carveout = (uint8_t)(k % 3 * 50 + k % 3 / 2); /* none, 49 and 100 percent */
  info.regs_estimated = k % 2 == 0;
  info.is_interleaved = k % 3 == 0;
  info.reads_clock = k % 3 == 1;
  info.n_files = 3;
  info.files = files;
  return info;
}

static inline uint64_t seed_of(uint32_t k, uint64_t block, uint32_t warp) {
  return (uint64_t)k << 40 ^ block << 8 ^ warp;
}

/* Warps differ in length; some are empty. */
static inline unsigned length_of(uint64_t seed, unsigned n) {
  uint64_t s = seed;
  return below(&s, 5) ? 1 + below(&s, n) : 0;
}

static inline struct weir_block_stream *random_block(uint32_t k, uint64_t id, uint32_t n_warps,
                                                     unsigned n) {
  struct weir_block_stream *b;
  static struct gen g;
  OK(weir_block_begin(&pool, id, n_warps, &b, &err));
  for (uint32_t w = 0; w < n_warps; w++) {
    uint64_t seed = seed_of(k, id, w);
    gen_start(&g, seed);
    for (unsigned i = length_of(seed, n); i; i--)
      gen_put(&g, &b->writers[w]);
  }
  OK(weir_block_finish(b, &err));
  return b;
}

static inline void check_block(const struct weir_kernel_info *info, struct weir_block_stream *b,
                               uint32_t k, unsigned n) {
  static struct gen g;
  struct weir_dyn d;
  assert_int_equal(b->n_warps, info->n_warps);
  for (uint32_t w = 0; w < b->n_warps; w++) {
    uint64_t seed = seed_of(k, b->id, w);
    struct weir_warp_reader r;
    gen_start(&g, seed);
    weir_reader_open(&r, &b->warps[w], info, false);
    for (unsigned i = length_of(seed, n); i; i--)
      gen_check(&g, &r);
    assert_false(weir_next(&r, &d));
    OK(weir_reader_error(&r, &err));
    weir_reader_close(&r);
  }
}

static inline void write_random(const struct weir_wtrace_opts *opts, uint32_t n_kernels,
                                uint32_t n_blocks, unsigned n) {
  struct weir_wtrace_writer *w;
  OK(weir_wtrace_create(path, opts, &w, &err));
  for (uint32_t k = 0; k < n_kernels; k++) {
    struct weir_kernel_info info = random_kernel(k, n_blocks);
    OK(weir_wtrace_copy(w, WEIR_EVENT_COPY_TO_DEVICE, UINT64_MAX - k, k, &err));
    OK(weir_wtrace_kernel(w, &info, &err));
    for (uint64_t id = 0; id < n_blocks; id++) {
      struct weir_block_stream *b = random_block(k, id, info.n_warps, n);
      OK(weir_wtrace_block(w, b, &err));
      weir_block_release(b);
    }
  }
  OK(weir_wtrace_finish(w, NULL, &err));
}

static inline uint8_t *slurp(size_t *n) {
  struct stat info;
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  assert_int_equal(fstat(fileno(f), &info), 0);
  *n = (size_t)info.st_size;
  uint8_t *bytes = malloc(*n + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *n, f), *n);
  fclose(f);
  return bytes;
}

static inline void spit(const uint8_t *bytes, size_t n) {
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(bytes, 1, n, f), n);
  fclose(f);
}

/* Opens and verifies everything. */
static inline enum weir_status try_all(bool is_checked) {
  struct weir_wtrace *t;
  enum weir_status st =
      is_checked ? weir_wtrace_open(path, &t, &err) : weir_wtrace_open_unchecked(path, &t, &err);
  if (st) return st;
  st = weir_wtrace_verify(t, &err);
  weir_wtrace_close(t);
  return st;
}

#endif
