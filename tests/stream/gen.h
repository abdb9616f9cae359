/* Random dynamic instructions, repeatable from a seed, so that a test can write them and later
 * check what is read without keeping them. */
#ifndef TESTS_STREAM_GEN_H
#define TESTS_STREAM_GEN_H

#include "util.h"

struct gen {
  uint64_t rng, base[TEST_INSNS / 3 + 1];
  uint32_t insn, mask, masks[3];
  uint64_t lane[WEIR_LANES];
  struct weir_addrs addrs;
  bool is_mem;
};

static inline void gen_start(struct gen *g, uint64_t seed) {
  memset(g, 0, sizeof *g);
  g->rng = seed;
  g->mask = UINT32_MAX;
  g->insn = UINT32_MAX;
}

static inline uint64_t gen_addr(struct gen *g, uint64_t old) {
  uint64_t *s = &g->rng;
  switch (below(s, 6)) {
  case 0:
    return rnd(s);
  case 1:
    return rnd(s) >> below(s, 64);
  case 2:
    return old - below(s, 1 << 20);
  case 3:
    return old;
  default:
    return old + 512;
  }
}

static inline void gen_addrs(struct gen *g) {
  uint64_t *s = &g->rng, *old = &g->base[g->insn / 3];
  static const uint8_t spaces[] = {WEIR_SP_GLOBAL, WEIR_SP_GLOBAL, WEIR_SP_SHARED,
                                   WEIR_SP_LOCAL,  WEIR_SP_CONST,  WEIR_SP_TEX};
  *old = gen_addr(g, *old);
  g->addrs = (struct weir_addrs){.kind = (enum weir_addr_kind)below(s, 3), .base = *old};
  g->addrs.space = below(s, 4) ? spaces[g->insn % 6] : spaces[below(s, 6)];
  if (g->addrs.kind == WEIR_ADDR_STRIDE) {
    g->addrs.stride = below(s, 2) ? 4 : (int64_t)rnd(s) >> below(s, 64);
  } else if (g->addrs.kind == WEIR_ADDR_LIST) {
    unsigned shift = below(s, 64), align = below(s, 9);
    bool sorted = below(s, 2);
    for (int i = 0; i < WEIR_LANES; i++) {
      uint64_t d = rnd(s) >> shift << align;
      g->lane[i] = (sorted && i ? g->lane[i - 1] : *old) + (below(s, 2) ? d : 0 - d);
    }
    g->addrs.lane = g->lane;
  }
}

static inline void gen_next(struct gen *g) {
  uint64_t *s = &g->rng;
  g->insn++;
  uint32_t back = g->insn < 4200 ? g->insn : 4200;
  switch (below(s, 12)) {
  case 0:
    g->insn = below(s, TEST_INSNS);
    break;
  case 1:
    g->insn -= back ? below(s, back) : 0;
    break;
  case 2:
    g->insn += below(s, 4200);
    break;
  default:
    break;
  }
  if (g->insn >= TEST_INSNS) g->insn = 0;
  if (!below(s, 6)) {
    uint32_t m = below(s, 2) ? rnd_mask(s) : below(s, 2) ? g->masks[0] : g->mask ^ g->masks[0];
    g->masks[0] = g->mask;
    g->mask = m;
  }
  g->is_mem = g->insn % 3 == 0 && below(s, 4);
  if (g->is_mem) gen_addrs(g);
}

static inline void gen_put(struct gen *g, struct weir_warp_writer *w) {
  gen_next(g);
  if (g->is_mem)
    weir_put_mem(w, g->insn, g->mask, &g->addrs);
  else
    weir_put(w, g->insn, g->mask);
}

static inline void gen_check(struct gen *g, struct weir_warp_reader *r) {
  struct weir_dyn d;
  gen_next(g);
  if (!weir_next(r, &d)) {
    struct weir_err err = {0};
    weir_reader_error(r, &err);
    fail_msg("stream ended early: %s", err.msg);
  }
  assert_int_equal(d.insn, g->insn);
  assert_int_equal(d.mask, g->mask);
  assert_int_equal(d.has_addr, g->is_mem);
  if (!g->is_mem) return;
  assert_int_equal(d.addrs.kind, g->addrs.kind);
  assert_int_equal(d.addrs.space, g->addrs.space);
  uint64_t got[WEIR_LANES];
  weir_expand(&d, got);
  for (uint32_t i = 0; i < WEIR_LANES; i++) {
    uint64_t want = g->addrs.base;
    if (g->addrs.kind == WEIR_ADDR_STRIDE) want += i * (uint64_t)g->addrs.stride;
    if (g->addrs.kind == WEIR_ADDR_LIST) want = g->lane[i];
    if (g->mask >> i & 1) assert_int_equal(got[i], want);
  }
}

#endif
