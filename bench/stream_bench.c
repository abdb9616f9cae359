/* Costs of the warp stream: bytes per instruction, and nanoseconds per call of writer, reader and
 * counter, on patterns that stand for kinds of kernels. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "stream/block.h"
#include "stream/coalesce.h"

enum { INSNS = 256, ROUNDS = 20000, REPEATS = 5 };

static struct weir_stream_pool pool;
static struct weir_static table[INSNS];
static const struct weir_kernel_info kernel = {.name = "bench", .n_insns = INSNS, .insns = table};
static uint64_t rng = 1;

static uint64_t rnd(void) {
  rng = rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return rng >> 29;
}

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void fail(const struct weir_err *err) {
  fprintf(stderr, "stream_bench: %s\n", err->msg);
  exit(1);
}

/* One turn of a loop whose memory instructions stand at multiples of 8. */
struct pattern {
  const char *name;
  void (*turn)(struct weir_warp_writer *w, uint64_t i);
};

static uint64_t lists[64][WEIR_LANES]; /* made beforehand: random numbers are not measured */

static void load(struct weir_warp_writer *w, uint32_t insn, uint32_t mask, uint64_t base,
                 int64_t stride) {
  struct weir_addrs a = {.kind = stride ? WEIR_ADDR_STRIDE : WEIR_ADDR_UNIFORM,
                         .space = WEIR_SP_GLOBAL,
                         .base = base,
                         .stride = stride};
  weir_put_mem(w, insn, mask, &a);
}

static void arithmetic(struct weir_warp_writer *w, uint64_t i) {
  (void)i;
  for (uint32_t k = 1; k < 65; k++)
    weir_put(w, k, UINT32_MAX);
}

static void streaming(struct weir_warp_writer *w, uint64_t i) {
  load(w, 8, UINT32_MAX, 0x7f0000000000 + i * 4096, 4);
  for (uint32_t k = 9; k < 16; k++)
    weir_put(w, k, UINT32_MAX);
  load(w, 16, UINT32_MAX, 0x7f0010000000 + i * 4096, 4);
  for (uint32_t k = 17; k < 22; k++)
    weir_put(w, k, UINT32_MAX);
}

static void tiled(struct weir_warp_writer *w, uint64_t i) {
  load(w, 8, UINT32_MAX, (i % 32) * 4, 0);
  load(w, 16, UINT32_MAX, 4096 + (i % 32) * 128, 4);
  weir_put(w, 17, UINT32_MAX);
  weir_put(w, 18, UINT32_MAX);
}

static void divergent(struct weir_warp_writer *w, uint64_t i) {
  uint32_t m = (uint32_t)(lists[i % 64][0] * 0x9e3779b1u);
  for (uint32_t k = 1; k < 6; k++)
    weir_put(w, k, UINT32_MAX);
  for (uint32_t k = 6; k < 8; k++)
    weir_put(w, k, m);
  for (uint32_t k = 40; k < 43; k++)
    weir_put(w, k, ~m);
  for (uint32_t k = 60; k < 64; k++)
    weir_put(w, k, UINT32_MAX);
}

static void gather(struct weir_warp_writer *w, uint64_t i) {
  struct weir_addrs a = {.kind = WEIR_ADDR_LIST, .space = WEIR_SP_GLOBAL, .lane = lists[i % 64]};
  load(w, 8, UINT32_MAX, 0x7f0000000000 + i * 128, 4);
  for (uint32_t k = 9; k < 13; k++)
    weir_put(w, k, UINT32_MAX);
  weir_put_mem(w, 16, UINT32_MAX, &a);
  for (uint32_t k = 17; k < 22; k++)
    weir_put(w, k, UINT32_MAX);
}

static const struct pattern patterns[] = {{"arithmetic", arithmetic},
                                          {"streaming", streaming},
                                          {"tiled", tiled},
                                          {"divergent", divergent},
                                          {"gather", gather}};

static uint64_t read_back(struct weir_warp_stream *s) {
  struct weir_warp_reader r;
  struct weir_dyn d;
  uint64_t n = 0, lanes[WEIR_LANES], sum = 0;
  weir_reader_open(&r, s, &kernel, false);
  for (; weir_next(&r, &d); n++) {
    sum += d.insn;
    if (d.has_addr && d.addrs.kind == WEIR_ADDR_LIST) {
      weir_expand(&d, lanes);
      sum += lanes[31];
    }
  }
  weir_reader_close(&r);
  struct weir_err err;
  if (weir_reader_error(&r, &err)) fail(&err);
  return n + (sum == 1);
}

static double least(double a, double b) {
  return a < b ? a : b;
}

static void measure(const struct pattern *p) {
  double put = 1e99, next = 1e99;
  uint64_t n = 0, bytes = 0;
  for (int k = 0; k < REPEATS; k++) {
    struct weir_err err;
    struct weir_block_stream *b;
    if (weir_block_begin(&pool, 0, 1, &b, &err)) fail(&err);
    double t0 = now_ns();
    for (uint64_t i = 0; i < ROUNDS; i++)
      p->turn(&b->writers[0], i);
    if (weir_block_finish(b, &err)) fail(&err);
    double t1 = now_ns();
    n = b->warps[0].n_insns;
    bytes = b->warps[0].n_bytes;
    if (read_back(&b->warps[0]) != n) exit(1);
    double t2 = now_ns();
    put = least(put, (t1 - t0) / (double)n);
    next = least(next, (t2 - t1) / (double)n);
    weir_block_release(b);
  }
  printf("%-12s %8.3f %8.2f %8.2f\n", p->name, (double)bytes / (double)n, put, next);
}

static void count(const char *name, const struct weir_addrs *a, bool is_list, uint32_t mask) {
  static struct weir_line_counter c;
  double best = 1e99, best_full = 1e99;
  unsigned total = 0;
  for (int k = 0; k < REPEATS; k++) {
    struct weir_requests r;
    struct weir_addrs x = *a;
    double t0 = now_ns();
    for (int i = 0; i < ROUNDS; i++) {
      unsigned sectors;
      if (is_list) x.lane = lists[i % 64];
      total += weir_count_lines(&c, &x, mask, 4, &sectors) + sectors;
    }
    double t1 = now_ns();
    for (int i = 0; i < ROUNDS; i++) {
      if (is_list) x.lane = lists[i % 64];
      weir_coalesce_addrs(&x, mask, 4, 128, 32, &r);
      total += r.n;
    }
    best = least(best, (t1 - t0) / ROUNDS);
    best_full = least(best_full, (now_ns() - t1) / ROUNDS);
  }
  printf("%-12s %8.1f %8.1f%s\n", name, best, best_full, total ? "" : " ");
}

int main(void) {
  struct weir_err err;
  if (weir_stream_pool_init(&pool, (size_t)1 << 30, NULL, &err)) fail(&err);
  for (int i = 0; i < INSNS; i++)
    table[i].width = i % 8 ? 0 : 4;
  for (int i = 0; i < 64; i++)
    for (int k = 0; k < WEIR_LANES; k++)
      lists[i][k] = 0x7f0000000000 + (rnd() & 0x3fffffc);
  printf("%-12s %8s %8s %8s\n", "stream", "B/insn", "ns/put", "ns/next");
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
    measure(&patterns[i]);
  printf("\n%-12s %8s %8s\n", "access", "ns/count", "ns/full");
  struct weir_addrs a = {.kind = WEIR_ADDR_STRIDE, .base = 0x7f0000000000, .stride = 4};
  count("dense", &a, false, UINT32_MAX);
  count("dense, holes", &a, false, 0x5f37ffff);
  a.stride = 4096;
  count("stride 4096", &a, false, UINT32_MAX);
  a.kind = WEIR_ADDR_LIST;
  count("random", &a, true, UINT32_MAX);
  count("random, 16", &a, true, 0x55555555);
  for (int i = 0; i < 64; i++)
    for (int k = 0; k < WEIR_LANES; k++)
      lists[i][k] = 0x7f0000000000 + (rnd() & 0x7fc);
  count("near", &a, true, UINT32_MAX);
  weir_stream_pool_free(&pool);
  return 0;
}
