/* What the whole program tells of single instructions: loops that wait, branches that an assembler
 * makes guards of, accesses that spin.h watches. */
#include <stdlib.h>

#include "base/mem.h"
#include "exec/decode_program.h"
#include "ptx/liveness.h"

/* ---- can blocks feel one another? ---- */

struct use_ctx {
  uint8_t *used;
};
static void note_use(void *ctx, uint32_t reg, bool is_def) {
  if (!is_def) ((struct use_ctx *)ctx)->used[reg] = 1;
}

static bool may_be_global(const struct ptx_insn *in) {
  return !ptx_has(in, PTX_M_shared) && !ptx_has(in, PTX_M_shared_cta) &&
         !ptx_has(in, PTX_M_local) && !ptx_has(in, PTX_M_param) && !ptx_has(in, PTX_M_const);
}

static bool is_observing_load(const struct ptx_insn *in) {
  return (in->op == PTX_OP_ld &&
          (ptx_has(in, PTX_M_volatile) || ptx_has(in, PTX_M_relaxed) ||
           ptx_has(in, PTX_M_acquire) || ptx_has(in, PTX_M_cv) || ptx_has(in, PTX_M_mmio))) ||
         in->op == PTX_OP_atom || in->op == PTX_OP_mbarrier;
}

/* A global atomic whose result is used, or a load in a loop that asks for the newest value: the
 * wave's blocks are then interleaved. */
bool dec_find_interleaving(struct decoder *d) {
  for (uint32_t f = 0; f < d->prog->n_funcs; f++) {
    const struct ptx_func *ir = d->prog->funcs[f].ir;
    struct use_ctx c = {weir_calloc(ir->n_regs + 1u, 1)};
    if (c.used == NULL) return dec_fail(d, "out of memory");
    for (uint32_t i = 0; i < ir->n_insns; i++)
      ptx_visit_regs(&ir->insns[i], note_use, &c);
    for (uint32_t i = 0; i < ir->n_insns; i++) {
      const struct ptx_insn *in = &ir->insns[i];
      if (!may_be_global(in)) continue;
      bool in_loop = ir->cfg.blocks[ir->cfg.block_of[i]].in_loop || !ir->is_entry;
      if (in->op == PTX_OP_atom && in->opnds[0].kind == PTX_O_reg && c.used[in->opnds[0].reg])
        d->prog->is_interleaved = true;
      if (in->op == PTX_OP_ld && is_observing_load(in) && in_loop) d->prog->is_interleaved = true;
    }
    free(c.used);
  }
  return true;
}

/* A backward branch is a likely spin if its loop body, the instructions it jumps over, looks at
 * memory that others write. */
static void mark_spins(struct decoder *d) {
  for (uint32_t pc = 0; pc < d->prog->n_code; pc++) {
    struct ptx_uop *u = &d->prog->code[pc];
    if (u->kind != PTX_K_BRA || u->target > pc) continue;
    for (uint32_t k = u->target; k <= pc && !u->aux; k++)
      u->aux = is_observing_load(d->prog->insn[k]) || d->prog->insn[k]->op == PTX_OP_call;
  }
}

/* ---- branches that become guards ---- */

/* What ptxas 13.0 makes of an arm of a branch for sm_90: up to eight machine instructions are
 * guarded instead of jumped over, if none is a load from global memory, an atomic or a fence. Some
 * of PTX's are no instruction of the machine. */
enum { SHORT_ARM = 12 };

static bool can_be_guarded(const struct ptx_program *p, uint32_t pc, uint32_t meet) {
  const struct ptx_uop *u = &p->code[pc];
  enum weir_class cls = (enum weir_class)p->statics[pc].cls;
  switch ((enum ptx_kind)u->kind) {
  case PTX_K_PLAIN:
  case PTX_K_NOP:
  case PTX_K_BAR:
    return true;
  case PTX_K_MEM:
    return cls == WEIR_C_STORE ||
           (cls == WEIR_C_LOAD && u->space != PTX_SPACE_global && u->space != PTX_SPACE_none);
  case PTX_K_BRA:
    return u->target > pc && u->target <= meet;
  default:
    return false;
  }
}

/* `meet` is where the arms of the branch meet. */
static bool is_short_arm(const struct ptx_program *p, uint32_t from, uint32_t end, uint32_t meet) {
  if (end - from > SHORT_ARM) return false;
  for (uint32_t pc = from; pc < end; pc++)
    if (!can_be_guarded(p, pc, meet)) return false;
  return true;
}

/* Barriers tell such branches from others (simt.c). The arms of one are what lies between it, its
 * target and the place where they meet. */
static void mark_short_branches(struct decoder *d) {
  const struct ptx_program *p = d->prog;
  for (uint32_t pc = 0; pc < p->n_code; pc++) {
    struct ptx_uop *u = &p->code[pc];
    if (u->kind != PTX_K_BRA || u->guard == SLOT_TRUE || u->target <= pc) continue;
    uint32_t end = u->rpc != PTX_NO_RPC ? u->rpc : p->funcs[p->func_of[pc]].end - 1;
    if (end < u->target) continue;
    if (is_short_arm(p, pc + 1, u->target, end)) u->aux2 |= PTX_BRA_NEXT_GUARDED;
    if (is_short_arm(p, u->target, end, end)) u->aux2 |= PTX_BRA_TARGET_GUARDED;
  }
}

/* ---- for spin.h ---- */

static uint8_t watch_of(const struct ptx_insn *in) {
  switch (in->op) {
  case PTX_OP_ld:
    return PTX_WATCH_LOADS | PTX_WATCH_VALUES | (is_observing_load(in) ? PTX_WATCH_OBSERVES : 0);
  case PTX_OP_atom:
    return PTX_WATCH_LOADS | PTX_WATCH_VALUES | PTX_WATCH_STORES;
  case PTX_OP_mbarrier:
    return PTX_WATCH_LOADS;
  case PTX_OP_st:
  case PTX_OP_red:
    return PTX_WATCH_STORES;
  default:
    return 0;
  }
}

static void mark_watched(struct decoder *d) {
  for (uint32_t pc = 0; pc < d->prog->n_code; pc++)
    d->prog->code[pc].watch = watch_of(d->prog->insn[pc]);
}

void dec_mark_code(struct decoder *d) {
  mark_spins(d);
  mark_short_branches(d);
  mark_watched(d);
}
