/* Coalescing, counting and bank passes against the plainest possible definitions. */
#include "base/registry.h"
#include "base/stat_io.h"
#include "stream/func_stats.h"
#include "util.h"

/* Byte by byte: which line and sector does it touch, and was it there before? */
static void oracle(const uint64_t *addr, uint32_t mask, unsigned width, unsigned line_bytes,
                   unsigned sector_bytes, struct weir_requests *out) {
  out->n = 0;
  for (unsigned lane = 0; lane < WEIR_LANES; lane++) {
    if (!(mask >> lane & 1)) continue;
    for (unsigned b = 0; b < width; b++) {
      uint64_t a = addr[lane] + b, line = a - a % line_bytes;
      unsigned i = 0;
      while (i < out->n && out->r[i].line_addr != line)
        i++;
      if (i == out->n) out->r[out->n++] = (struct weir_request){.line_addr = line};
      out->r[i].lanes |= UINT32_C(1) << lane;
      out->r[i].sectors |= UINT32_C(1) << (a % line_bytes / sector_bytes);
    }
  }
}

static unsigned bank_oracle(const uint64_t *addr, uint32_t mask, unsigned width) {
  unsigned lanes = width <= 4 ? 32 : width <= 8 ? 16 : 8, passes = 0;
  for (unsigned at = 0; at < 32; at += lanes) {
    unsigned most = 0;
    for (unsigned bank = 0; bank < 32; bank++) {
      uint64_t seen[32 * 16];
      unsigned n = 0;
      for (unsigned lane = at; lane < at + lanes; lane++) {
        if (!(mask >> lane & 1)) continue;
        for (unsigned b = 0; b < width; b++) {
          uint64_t word = (addr[lane] + b) / 4;
          unsigned i = 0;
          if (word % 32 != bank) continue;
          while (i < n && seen[i] != word)
            i++;
          if (i == n) seen[n++] = word;
        }
      }
      if (n > most) most = n;
    }
    passes += most;
  }
  return passes;
}

static void same(const struct weir_requests *a, const struct weir_requests *b) {
  assert_int_equal(a->n, b->n);
  for (unsigned i = 0; i < a->n; i++) {
    assert_int_equal(a->r[i].line_addr, b->r[i].line_addr);
    assert_int_equal(a->r[i].lanes, b->r[i].lanes);
    assert_int_equal(a->r[i].sectors, b->r[i].sectors);
  }
}

static struct weir_line_counter counter;

static void check(const struct weir_addrs *a, uint32_t mask, unsigned width) {
  uint64_t addr[WEIR_LANES];
  struct weir_requests want, got;
  for (uint32_t i = 0; i < WEIR_LANES; i++) {
    uint64_t stride = a->kind == WEIR_ADDR_STRIDE ? (uint64_t)a->stride : 0;
    addr[i] = a->kind == WEIR_ADDR_LIST ? a->lane[i] : a->base + i * stride;
  }
  for (unsigned line = 32; line <= 256; line *= 2)
    for (unsigned sector = 8; sector <= 32; sector *= 2) {
      oracle(addr, mask, width, line, sector, &want);
      weir_coalesce(addr, mask, width, line, sector, &got);
      same(&got, &want);
      weir_coalesce_addrs(a, mask, width, line, sector, &got);
      same(&got, &want);
    }
  oracle(addr, mask, width, 128, 32, &want);
  unsigned sectors, n = 0;
  assert_int_equal(weir_count_lines(&counter, a, mask, width, &sectors), want.n);
  for (unsigned i = 0; i < want.n; i++)
    n += (unsigned)__builtin_popcount(want.r[i].sectors);
  assert_int_equal(sectors, n);
  if (width <= 16) {
    unsigned passes = bank_oracle(addr, mask, width);
    assert_int_equal(weir_bank_passes(addr, mask, width), passes);
    assert_int_equal(weir_bank_passes_addrs(a, mask, width), passes);
  }
}

static void strides(void **state) {
  (void)state;
  uint64_t rng = 11;
  for (int i = 0; i < 30000; i++) {
    unsigned width = 1u << below(&rng, 6);
    struct weir_addrs a = {.kind = below(&rng, 10) ? WEIR_ADDR_STRIDE : WEIR_ADDR_UNIFORM};
    static const uint64_t bases[] = {0x7f0000000000, 0, 0x1000, UINT64_C(0) - 256};
    a.base = bases[below(&rng, 4)] + below(&rng, 512);
    if (below(&rng, 8)) a.base -= a.base % width;
    int64_t s = (int64_t)below(&rng, 64);
    a.stride = below(&rng, 2) ? s * (int64_t)width : below(&rng, 2) ? s : (int64_t)rnd(&rng);
    if (!below(&rng, 20)) a.stride = INT64_MIN >> below(&rng, 8);
    if (!below(&rng, 3)) a.stride = (int64_t)width;
    if (!below(&rng, 4)) a.stride = (int64_t)(0 - (uint64_t)a.stride);
    check(&a, rnd_mask(&rng), width);
  }
}

static void lists(void **state) {
  (void)state;
  uint64_t rng = 12, lane[WEIR_LANES];
  for (int i = 0; i < 30000; i++) {
    unsigned width = 1u << below(&rng, 6), span = 1 + below(&rng, below(&rng, 2) ? 400 : 1 << 20);
    bool aligned = below(&rng, 4);
    struct weir_addrs a = {.kind = WEIR_ADDR_LIST, .lane = lane};
    for (int k = 0; k < WEIR_LANES; k++) {
      lane[k] = below(&rng, 50) ? UINT64_C(0x7f0000000000) + below(&rng, span) : rnd(&rng);
      if (aligned) lane[k] -= lane[k] % width;
    }
    check(&a, rnd_mask(&rng), width);
  }
}

static void order_is_that_of_lanes(void **state) {
  (void)state;
  uint64_t lane[WEIR_LANES];
  struct weir_requests r;
  for (uint32_t i = 0; i < WEIR_LANES; i++)
    lane[i] = 1024 + (i % 2 ? 0 : 256);
  lane[3] = 1024 + 128 - 8; /* crosses */
  weir_coalesce(lane, 0xfffffffe, 16, 128, 32, &r);
  assert_int_equal(r.n, 3);
  assert_int_equal(r.r[0].line_addr, 1024);
  assert_int_equal(r.r[1].line_addr, 1280);
  assert_int_equal(r.r[2].line_addr, 1152);
  assert_int_equal(r.r[0].sectors, 9);
  assert_int_equal(r.r[2].sectors, 1);
  assert_int_equal(r.r[2].lanes, 8);
}

static void statistics(void **state) {
  (void)state;
  struct weir_func_stats s = {0}, sum = {0};
  struct weir_err err;
  struct weir_addrs a = {
      .kind = WEIR_ADDR_STRIDE, .space = WEIR_SP_GLOBAL, .base = 64, .stride = 4};
  weir_count_insn(&s, WEIR_C_FP32, 0xff);
  weir_count_insn(&s, WEIR_C_LOAD, UINT32_MAX);
  weir_count_mem(&s, &counter, WEIR_DIR_LOAD, &a, UINT32_MAX, 4);
  weir_count_insn(&s, WEIR_C_ATOM, 1);
  weir_count_mem(&s, &counter, WEIR_DIR_ATOM, &a, 1, 4);
  a.space = WEIR_SP_SHARED;
  a.stride = 128;
  weir_count_insn(&s, WEIR_C_STORE, UINT32_MAX);
  weir_count_mem(&s, &counter, WEIR_DIR_STORE, &a, UINT32_MAX, 4);
  a.space = WEIR_SP_LOCAL;
  weir_count_insn(&s, WEIR_C_STORE, 3);
  weir_count_mem(&s, &counter, WEIR_DIR_STORE, &a, 3, 4);
  weir_count_insn(&s, WEIR_C_BRANCH, 3);
  weir_count_branch(&s, true);
  weir_count_branch(&s, false);
  weir_count_barrier(&s);
  assert_int_equal(s.warp_insns, 6);
  assert_int_equal(s.thread_insns, 8 + 32 + 1 + 32 + 2 + 2);
  assert_int_equal(s.global_requests[WEIR_DIR_LOAD], 2);
  assert_int_equal(s.global_sectors[WEIR_DIR_LOAD], 4);
  assert_int_equal(s.all_global_requests, 3);
  assert_int_equal(s.shared_passes, 32);
  assert_int_equal(s.local_requests, 2);
  assert_int_equal(s.divergent_branches, 1);
  assert_int_equal(weir_stat_verify(weir_func_stat_table, weir_func_checks, &s, &err), WEIR_OK);
  assert_int_equal(weir_stat_group_check(&weir_func_stat_group, &err), WEIR_OK);
  weir_stat_sum(weir_func_stat_table, &sum, &s);
  weir_stat_sum(weir_func_stat_table, &sum, &s);
  for (const struct weir_stat *r = weir_func_stat_table; r->name; r++) {
    assert_non_null(r->help);
    for (const struct weir_stat *q = r + 1; q->name; q++)
      assert_string_not_equal(r->name, q->name);
    uint64_t one = weir_stat_count_of(r, &s), two = weir_stat_count_of(r, &sum);
    assert_int_equal(2 * one, two);
  }
  s.global_insns++;
  assert_int_not_equal(weir_stat_verify(weir_func_stat_table, weir_func_checks, &s, &err), WEIR_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(strides),
      cmocka_unit_test(lists),
      cmocka_unit_test(order_is_that_of_lanes),
      cmocka_unit_test(statistics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
