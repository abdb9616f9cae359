/* truth_simt WORKLOADS: runs the kernels of workloads/simt, flag and workqueue (input eval) from
 * their PTX on a GPU and compares every result with what the launch file expects (its formula, or
 * its checksum). Prints a table; the exit status is the number of results that differ. */
#include <cuda.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static unsigned n_bad, n_checked;
static const char *workloads, *now_running;

static void must(CUresult r, const char *what) {
  if (r == CUDA_SUCCESS) return;
  const char *s = NULL;
  cuGetErrorName(r, &s);
  fprintf(stderr, "%s: %s: %s\n", now_running ? now_running : "", what, s ? s : "?");
  exit(100);
}

/* ---- XXH64, seed 0, as in launch files ---- */

static const uint64_t p1 = 0x9E3779B185EBCA87u, p2 = 0xC2B2AE3D27D4EB4Fu, p3 = 0x165667B19E3779F9u,
                      p4 = 0x85EBCA77C2B2AE63u, p5 = 0x27D4EB2F165667C5u;

static uint64_t rotl(uint64_t x, int r) {
  return x << r | x >> (64 - r);
}

static uint64_t lane_round(uint64_t acc, uint64_t in) {
  return rotl(acc + in * p2, 31) * p1;
}

static uint64_t word(const uint8_t *p, size_t n) {
  uint64_t x = 0;
  memcpy(&x, p, n);
  return x;
}

static uint64_t xxh64(const uint8_t *p, size_t len) {
  uint64_t acc[4] = {p1 + p2, p2, 0, 0 - p1}, h = p5;
  const uint8_t *end = p + len;
  if (len >= 32) {
    for (; end - p >= 32; p += 32)
      for (int i = 0; i < 4; i++)
        acc[i] = lane_round(acc[i], word(p + 8 * i, 8));
    h = rotl(acc[0], 1) + rotl(acc[1], 7) + rotl(acc[2], 12) + rotl(acc[3], 18);
    for (int i = 0; i < 4; i++)
      h = (h ^ lane_round(0, acc[i])) * p1 + p4;
  }
  h += len;
  for (; end - p >= 8; p += 8)
    h = rotl(h ^ lane_round(0, word(p, 8)), 27) * p1 + p4;
  for (; end - p >= 4; p += 4)
    h = rotl(h ^ word(p, 4) * p1, 23) * p2 + p3;
  for (; p < end; p++)
    h = rotl(h ^ *p * p5, 11) * p1;
  h = (h ^ h >> 33) * p2;
  h = (h ^ h >> 29) * p3;
  return h ^ h >> 32;
}

/* ---- buffers and launches ---- */

struct buffer {
  const char *name;
  size_t bytes;
  uint8_t *host;
  CUdeviceptr dev;
};

static struct buffer buffer(const char *name, size_t count, size_t size) {
  struct buffer b = {.name = name, .bytes = count * size, .host = calloc(count, size)};
  if (!b.host) exit(100);
  must(cuMemAlloc(&b.dev, b.bytes), name);
  return b;
}

static struct buffer hashed(const char *name, size_t count, size_t size, uint64_t seed) {
  struct buffer b = buffer(name, count, size);
  for (size_t i = 0; i < count; i++) {
    uint32_t x = weir_hash32(seed, i);
    memcpy(b.host + i * size, &x, size);
  }
  return b;
}

static void upload(const struct buffer *b) {
  must(cuMemcpyHtoD(b->dev, b->host, b->bytes), b->name);
}

static CUmodule module(const char *file) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", workloads, file);
  FILE *f = fopen(path, "r");
  if (!f) {
    perror(path);
    exit(100);
  }
  char *text = NULL;
  size_t len = 0;
  FILE *mem = open_memstream(&text, &len);
  for (int c; (c = getc(f)) != EOF;)
    putc(c, mem);
  fclose(f);
  fclose(mem);
  CUmodule m;
  must(cuModuleLoadData(&m, text), file);
  free(text);
  return m;
}

struct shape {
  unsigned grid[3], block[3], shared;
};
#define SHAPE(g, b) ((struct shape){{g, 1, 1}, {b, 1, 1}, 0})

static void run(CUmodule m, const char *kernel, struct shape s, void **args) {
  CUfunction f;
  now_running = kernel;
  must(cuModuleGetFunction(&f, m, kernel), "kernel");
  must(cuLaunchKernel(f, s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1], s.block[2],
                      s.shared, 0, args, NULL),
       "launch");
  must(cuCtxSynchronize(), "run");
}

static void verdict(const char *launch, const struct buffer *b, const char *how, bool ok) {
  printf("%-20s %-8s %8zu bytes  xxh64:%016llx  %-8s %s\n", launch, b->name, b->bytes,
         (unsigned long long)xxh64(b->host, b->bytes), how, ok ? "agrees" : "DIFFERS");
  n_checked++;
  n_bad += !ok;
}

static void expect_sum(const char *launch, struct buffer *b, uint64_t sum) {
  must(cuMemcpyDtoH(b->host, b->dev, b->bytes), b->name);
  verdict(launch, b, "checksum", xxh64(b->host, b->bytes) == sum);
}

typedef uint32_t formula(uint32_t i);

static void expect_formula(const char *launch, struct buffer *b, formula *f) {
  must(cuMemcpyDtoH(b->host, b->dev, b->bytes), b->name);
  bool ok = true;
  for (uint32_t i = 0; i < b->bytes / 4; i++)
    ok &= word(b->host + 4 * i, 4) == f(i);
  verdict(launch, b, "formula", ok);
}

/* ---- the formulas of the launch files ---- */

static uint32_t is_active_mask(uint32_t i) {
  return i % 32 % 3 == 0 ? 1 : 2;
}
static uint32_t is_barrier_reduce(uint32_t i) {
  return (i / 128 % 3 == 2 ? 42u : 43u) * 4 + (i / 128 >= 1 ? 2 : 0) + (i / 128 <= 2 ? 1 : 0);
}
static uint32_t is_clocks(uint32_t i) {
  (void)i;
  return 7;
}
static uint32_t is_dynamic_shared(uint32_t i) {
  uint32_t u = (i + 33) % 192;
  return u + (u ^ 255) * 3 + (191 - u) * (191 - u) + u * 7 % 256;
}
static uint32_t is_early_exit(uint32_t i) {
  return (95 - i % 96) * 3;
}
static uint32_t is_lane_chain(uint32_t i) {
  return i % 32 * (i % 32) + i / 32;
}
static uint32_t is_token(uint32_t i) {
  (void)i;
  return 32;
}
static uint32_t is_named_barriers(uint32_t i) {
  uint32_t t = i % 128;
  return t < 64 ? (t ^ 32) * 5 + 1 : (t ^ 32) * 5 + 1 + ((t - 64) ^ 32) * 5 + 8;
}
static uint32_t is_shfl(uint32_t i) {
  return i % 32 < 16 ? ((i + 16) * 3 + 1001) * 2 : ((i + 31 - 2 * (i % 32)) * 3 + 101) * 5 + 1;
}
static uint32_t is_count(uint32_t i) {
  (void)i;
  return 4 * 64 * 2;
}
static uint32_t is_zero(uint32_t i) {
  (void)i;
  return 0;
}
static uint32_t is_syncwarp(uint32_t i) {
  return (i ^ 3) % 2 ? ((i % 256 ^ 3) - 1) * 13 + 1 : ((i % 256 ^ 3) + 1) * 11 + 2;
}
static uint32_t is_rounds(uint32_t i) {
  (void)i;
  return 2;
}
static uint32_t is_queue(uint32_t i) {
  (void)i;
  return 2048 + 128;
}

/* ---- the launches ---- */

/* Kernels with one buffer `out` of u32. */
static void plain(CUmodule m) {
  static const struct {
    const char *name;
    uint32_t count, grid, block;
    formula *f;
    uint64_t sum;
  } k[] = {
      {"active_mask", 512, 4, 128, is_active_mask, 0},
      {"barrier_reduce", 512, 4, 128, is_barrier_reduce, 0},
      {"calls", 512, 4, 128, NULL, 0xd56f973cbedf2d62},
      {"clocks", 512, 4, 128, is_clocks, 0},
      {"divergent_loop", 512, 4, 128, NULL, 0x93029733bc61b7de},
      {"early_exit", 192, 2, 128, is_early_exit, 0},
      {"module_vars", 32, 1, 32, NULL, 0x2451ee6db35bfac8},
      {"named_barriers", 512, 4, 128, is_named_barriers, 0},
      {"nested_divergence", 512, 4, 128, NULL, 0x2c7a379711c7f07e},
      {"partial_masks", 512, 4, 128, NULL, 0x6c0185a092367509},
      {"shfl_both_sides", 512, 4, 128, is_shfl, 0},
      {"switch_table", 1024, 4, 128, NULL, 0x0db19480d42f39e9},
      {"syncwarp_both_sides", 512, 2, 256, is_syncwarp, 0},
  };
  for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
    struct buffer out = buffer("out", k[i].count, 4);
    void *args[] = {&out.dev};
    upload(&out);
    run(m, k[i].name, SHAPE(k[i].grid, k[i].block), args);
    if (k[i].f)
      expect_formula(k[i].name, &out, k[i].f);
    else
      expect_sum(k[i].name, &out, k[i].sum);
  }
}

static void waiting(CUmodule m) {
  struct buffer lock = buffer("lock", 1, 4), count = buffer("count", 1, 4),
                token = buffer("token", 4, 4);
  struct buffer out = buffer("out", 128, 4), pipe = buffer("out", 128, 4);
  unsigned rounds = 2, fifty = 50;
  upload(&lock), upload(&count), upload(&token), upload(&out), upload(&pipe);
  run(m, "spin_lock", SHAPE(4, 64), (void *[]){&lock.dev, &count.dev, &rounds});
  expect_formula("spin_lock", &count, is_count);
  expect_formula("spin_lock", &lock, is_zero);
  run(m, "lane_chain", SHAPE(4, 32), (void *[]){&token.dev, &out.dev});
  expect_formula("lane_chain", &out, is_lane_chain);
  expect_formula("lane_chain", &token, is_token);
  run(m, "warp_pipe", SHAPE(4, 64), (void *[]){&pipe.dev, &fifty});
  expect_sum("warp_pipe", &pipe, 0xb09bed850939f0f7);
}

static void atomics(CUmodule m) {
  struct buffer out = buffer("out", 11, 4), sum32 = buffer("sum32", 1, 4),
                sum64 = buffer("sum64", 1, 8);
  struct buffer wide = buffer("out", 14, 8);
  uint32_t *o = (uint32_t *)out.host;
  uint64_t *w = (uint64_t *)wide.host;
  o[2] = o[4] = UINT32_MAX;
  o[3] = UINT32_C(1) << 31;
  w[1] = UINT64_MAX;
  w[2] = 0 - (UINT64_C(1) << 62);
  upload(&out), upload(&sum32), upload(&sum64), upload(&wide);
  run(m, "atomics32", SHAPE(4, 128), (void *[]){&out.dev, &sum32.dev, &sum64.dev});
  expect_sum("atomics32", &out, 0xe8acf2912313fd62);
  expect_sum("atomics32", &sum32, 0xea93fc01beae4f2e);
  expect_sum("atomics32", &sum64, 0x18ab275005065989);
  run(m, "atomics64", SHAPE(4, 128), (void *[]){&wide.dev});
  expect_sum("atomics64", &wide, 0x939752fbc1591a7e);
}

static void spaces(CUmodule m) {
  struct buffer dim = buffer("out", 480, 4), dyn = buffer("out", 384, 4),
                in = hashed("in", 512, 4, 1);
  struct buffer local = buffer("out", 256, 4), match = buffer("out", 512, 4);
  struct buffer f = buffer("f", 2048, 4), b = hashed("b", 2048, 1, 2), s = hashed("s", 1024, 2, 3),
                c = hashed("c", 512, 1, 4);
  struct buffer g = buffer("g", 2048, 4), out = buffer("out", 1024, 4);
  for (unsigned i = 0; i < 2048; i++)
    ((float *)f.host)[i] = (float)(-8.0 + 16.0 * weir_hash32(1, i) / 4294967296.0);
  upload(&dim), upload(&dyn), upload(&in), upload(&local), upload(&match);
  upload(&f), upload(&b), upload(&s), upload(&c), upload(&g), upload(&out);
  run(m, "dimensions", (struct shape){{3, 2, 2}, {5, 4, 2}, 0}, (void *[]){&dim.dev});
  expect_sum("dimensions", &dim, 0xf493cf23eb41739b);
  unsigned n = 192;
  run(m, "dynamic_shared", (struct shape){{2, 1, 1}, {192, 1, 1}, 192 * 13},
      (void *[]){&dyn.dev, &n});
  expect_formula("dynamic_shared", &dyn, is_dynamic_shared);
  run(m, "local_array", SHAPE(2, 128), (void *[]){&in.dev, &local.dev});
  expect_sum("local_array", &local, 0x8c3c2f3a72cf1df2);
  run(m, "match_vote", SHAPE(4, 128), (void *[]){&in.dev, &match.dev});
  expect_sum("match_vote", &match, 0xfcef0528564fdcba);
  run(m, "vectors", SHAPE(4, 128), (void *[]){&f.dev, &b.dev, &s.dev, &c.dev, &g.dev, &out.dev});
  expect_sum("vectors", &g, 0x25ba5f8a362f8636);
  expect_sum("vectors", &out, 0xccaa5525ef4fff24);
}

static void other_modules(void) {
  struct buffer out = buffer("out", 384, 4), in = hashed("in", 512, 4, 1),
                red = buffer("out", 512, 4);
  upload(&out), upload(&in), upload(&red);
  run(module("simt/jump_table.ptx"), "jump_table", SHAPE(4, 96), (void *[]){&out.dev});
  expect_sum("jump_table", &out, 0xde102d969138140c);
  run(module("simt/simt80.ptx"), "warp_reduce", SHAPE(4, 128), (void *[]){&in.dev, &red.dev});
  expect_sum("warp_reduce", &red, 0xc551ed9a3b5199ab);
}

static void flags(void) {
  unsigned n = 262144, blocks = 64, entries = 4096;
  CUmodule m = module("flag/flag.ptx");
  struct buffer flag = buffer("flag", 1, 4), table = buffer("table", entries, 4),
                copies = buffer("copies", n, 4);
  struct buffer in = hashed("in", n, 4, 1), sums = buffer("sums", n, 4),
                chain = buffer("chain", n / 256, 8);
  upload(&flag), upload(&table), upload(&copies), upload(&in), upload(&sums), upload(&chain);
  for (unsigned k = 1; k <= 2; k++)
    run(m, "broadcast", SHAPE(blocks, 256),
        (void *[]){&flag.dev, &table.dev, &entries, &copies.dev, &n, &k});
  run(m, "chained_scan", SHAPE(n / 256, 256), (void *[]){&in.dev, &sums.dev, &chain.dev, &n});
  expect_formula("flag", &flag, is_rounds);
  expect_sum("flag", &copies, 0x26fa221eec6f76c3);
  expect_sum("flag", &sums, 0x5ca994cf35ed5919);
}

static void work_queue(void) {
  unsigned items = 2048, average = 256;
  CUmodule m = module("workqueue/workqueue.ptx");
  struct buffer queue = buffer("queue", 1, 4), start = buffer("start", items + 1, 4),
                in = hashed("in", items * average, 4, 2);
  struct buffer out = buffer("out", items * average, 4), sums = buffer("sums", items, 4);
  for (unsigned i = 0; i <= items; i++)
    ((uint32_t *)start.host)[i] =
        i * average + (i == 0 || i == items ? 0 : weir_hash32(1, i) % average);
  upload(&queue), upload(&start), upload(&in), upload(&out), upload(&sums);
  run(m, "workqueue", SHAPE(128, 128),
      (void *[]){&queue.dev, &start.dev, &in.dev, &out.dev, &sums.dev, &items});
  expect_formula("workqueue", &queue, is_queue);
  expect_sum("workqueue", &out, 0x9350aef1e5050b72);
  expect_sum("workqueue", &sums, 0xcc1182e11e2fef4a);
}

int main(int argc, char **argv) {
  CUdevice dev;
  CUcontext ctx;
  char gpu[128] = "?";
  if (argc != 2) return 2;
  workloads = argv[1];
  setvbuf(stdout, NULL, _IOLBF, 0);
  must(cuInit(0), "cuInit");
  must(cuDeviceGet(&dev, 0), "device");
  must(cuDevicePrimaryCtxRetain(&ctx, dev), "context");
  must(cuCtxSetCurrent(ctx), "context");
  cuDeviceGetName(gpu, sizeof gpu, dev);
  printf("GPU: %s\n", gpu);
  CUmodule m = module("simt/simt.ptx");
  plain(m);
  waiting(m);
  atomics(m);
  spaces(m);
  other_modules();
  flags();
  work_queue();
  printf("%u results, %u differ\n", n_checked, n_bad);
  return (int)n_bad;
}
