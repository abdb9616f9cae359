/* Which registers hold a value that is still needed, and how many registers of a GPU a kernel takes
 * by that: an estimate, for kernels of which ptxas has not been asked. */
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

/* Most 32-bit registers that hold needed values at once; a 64-bit one counts twice, a predicate not
 * at all. In the order of the text, or with the loads of a block moved up as compilers do, if that
 * takes more. `l` is of ptx_liveness_find(f, NULL). False: out of memory. */
bool ptx_peak_registers(const struct ptx_func *f, const struct ptx_liveness *l, uint32_t *peak);

/* The same in the order of the text, before each instruction, as far as 255. False: out of memory.
 */
bool ptx_live_counts(const struct ptx_func *f, const struct ptx_liveness *l, uint8_t *live);

/* Registers per thread of a kernel whose functions need `peak` at most: with those that every
 * kernel has, within the limits of its directives and of its target. */
uint32_t ptx_estimate_registers(const struct ptx_func *kernel, unsigned sm, uint32_t peak);

#endif
