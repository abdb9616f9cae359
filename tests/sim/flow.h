/* Kernels made block by block while they run, of any length: the address of a warp's i-th access is
 * a function. */
#ifndef TESTS_SIM_FLOW_H
#define TESTS_SIM_FLOW_H

#include "synth.h"

#include "../stream/util.h"

enum { FLOW_REGS = 512 };

struct flow {
  struct weir_kernel_info info;
  struct weir_static insns[FLOW_REGS];
  uint32_t n_blocks, next_block, each; /* each: accesses of a warp */
  bool is_uniform;                     /* all lanes at one address, else side by side */
  /* Address of access i of a warp; warps are counted through all blocks. */
  uint64_t (*addr)(const struct flow *f, uint32_t warp, uint32_t i);
  const void *self;
  struct weir_stream_pool pool;
  struct weir_block_source source;
};

static inline enum weir_status flow_next(struct weir_block_source *src,
                                         struct weir_block_stream **out, struct weir_err *err) {
  struct flow *f = src->self;
  struct weir_block_stream *b;
  *out = NULL;
  if (f->next_block == f->n_blocks) return WEIR_OK;
  uint32_t id = f->next_block++;
  enum weir_status st = weir_block_begin(&f->pool, id, f->info.n_warps, &b, err);
  if (st != WEIR_OK) return st;
  for (uint32_t w = 0; w < f->info.n_warps; w++)
    for (uint32_t i = 0; i < f->each; i++) {
      struct weir_addrs a = {.kind = f->is_uniform ? WEIR_ADDR_UNIFORM : WEIR_ADDR_STRIDE,
                             .space = WEIR_SP_GLOBAL,
                             .base = f->addr(f, id * f->info.n_warps + w, i),
                             .stride = f->is_uniform ? 0 : f->insns[0].width};
      weir_put_mem(&b->writers[w], i % f->info.n_insns, UINT32_MAX, &a);
    }
  *out = b;
  return weir_block_finish(b, err);
}

static inline void flow_release(struct weir_block_source *src, struct weir_block_stream *b) {
  (void)src;
  weir_block_release(b);
}

/* Blocks of `n_warps` warps. Access i is made by instruction i modulo `n_insns`; loads put each
 * into a register of its own, so a warp has that many under way. */
static inline void flow_init(struct flow *f, enum weir_class cls, uint32_t n_blocks,
                             uint32_t n_warps, uint32_t n_insns) {
  struct weir_err err;
  *f = (struct flow){.n_blocks = n_blocks};
  assert_true(n_insns <= FLOW_REGS);
  for (uint16_t i = 0; i < n_insns; i++)
    f->insns[i] = (struct weir_static){.pc = 8u * i,
                                       .cls = (uint8_t)cls,
                                       .space = WEIR_SP_GLOBAL,
                                       .width = 4,
                                       .dst = {i},
                                       .n_dst = cls == WEIR_C_LOAD};
  f->info = (struct weir_kernel_info){.name = "flow",
                                      .grid = {n_blocks, 1, 1},
                                      .block = {32 * n_warps, 1, 1},
                                      .n_warps = n_warps,
                                      .regs_per_thread = 8,
                                      .n_regs = n_insns,
                                      .n_insns = n_insns,
                                      .insns = f->insns};
  f->source = (struct weir_block_source){.next = flow_next, .release = flow_release};
  assert_int_equal(weir_stream_pool_init(&f->pool, 64 << 20, NULL, &err), WEIR_OK);
}

static inline struct weir_block_source *flow_source(struct flow *f) {
  f->source.kernel = &f->info;
  f->source.self = f;
  f->next_block = 0;
  return &f->source;
}

static inline void flow_free(struct flow *f) {
  weir_stream_pool_free(&f->pool);
}

#endif
