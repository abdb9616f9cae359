/* Which registers hold a value that is still needed. */
#ifndef WEIR_PTX_LIVENESS_H
#define WEIR_PTX_LIVENESS_H

#include "ptx/ir.h"

/* Calls `visit` for every register that an instruction names; its guard and addresses are read. */
typedef void (*ptx_reg_visit)(void *ctx, uint32_t reg, bool is_def);
void ptx_visit_regs(const struct ptx_insn *in, ptx_reg_visit visit, void *ctx);

/* Sets of registers, `words` of 64 bits each; `in` has one for each basic block. */
struct ptx_liveness {
  size_t words;
  uint64_t *in;
};

/* Backward over basic blocks. An instruction under a guard may not write, so what it names stays
 * live before it; except registers of the set `first` (may be NULL), which hold nothing there.
 * False: out of memory. */
bool ptx_liveness_find(const struct ptx_func *f, const uint64_t *first, struct ptx_liveness *l);
void ptx_liveness_free(struct ptx_liveness *l);

/* The same, but what reads only for a result that nobody needs needs nothing itself; dead[i]
 * becomes 1 for such instructions, of which the array has one each. A guard ends no need. False:
 * out of memory. */
bool ptx_needed_find(const struct ptx_func *f, struct ptx_liveness *l, uint8_t *dead);

static inline bool ptx_is_live(const struct ptx_liveness *l, size_t block, uint32_t reg) {
  return l->in[block * l->words + (reg >> 6)] >> (reg & 63) & 1;
}

/* What blocks that follow one need: word `word` of the set. */
uint64_t ptx_live_out(const struct ptx_func *f, const struct ptx_liveness *l, size_t block,
                      size_t word);

#endif
