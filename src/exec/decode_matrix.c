/* Matrix instructions and asynchronous copies to micro-operations. */
#include "exec/decode_operand.h"
#include "exec/decode_ops.h"
#include "exec/sync.h"
#include "ptx/matrix.h"

enum { LINE_PIECE = 32 }; /* the most bytes that a lane's access has in a stream */

static void take_registers(struct decoder *d, struct ptx_matrix *x, unsigned k) {
  enum ptx_role role = ptx_matrix_operand(d->insn, k);
  const struct ptx_operand *o = &d->insn->opnds[k];
  if (role == PTX_FRAGS) return;
  for (unsigned i = 0; i < x->frag[role].n_regs; i++) {
    const struct ptx_operand *e = o->kind == PTX_O_vec ? &o->elem[i] : o;
    x->reg[role][i] =
        e->kind == PTX_O_reg ? dec_reg(d, e->reg) : dec_const(d, e->imm, x->frag[role].reg_bytes);
  }
}

static const struct ptx_frag *fragment_in_memory(const struct ptx_matrix *x) {
  for (unsigned r = 0; r < PTX_FRAGS; r++)
    if (x->frag[r].n_regs > 0) return &x->frag[r];
  return &x->frag[PTX_FRAG_D];
}

/* The stream sees a matrix in memory as pieces of its lines, a lane each: its bytes once, whichever
 * registers they go to. */
static void decode_memory(struct decoder *d, struct ptx_matrix *x) {
  struct ptx_uop *u = d->uop;
  bool is_rows = x->n_mats > 0, is_store = ptx_has(d->insn, PTX_M_store);
  unsigned at = is_store || d->insn->op == PTX_OP_stmatrix ? 0 : 1;
  u->aux = PTX_SYNC_MATRIX_MEM;
  u->space = dec_space(d);
  dec_address(d, &d->insn->opnds[at]);
  if (!is_rows && d->insn->n_opnds > 2) x->stride_at = dec_src(d, 2, PTX_T_b32);
  unsigned line = is_rows ? 16 : ptx_matrix_line(x, fragment_in_memory(x));
  u->size = (uint8_t)(line < LINE_PIECE ? line : LINE_PIECE);
  u->h = d->insn->op == PTX_OP_ldmatrix   ? PTX_H_ldmatrix
         : d->insn->op == PTX_OP_stmatrix ? PTX_H_stmatrix
         : is_store                       ? PTX_H_wmma_st
                                          : PTX_H_wmma_ld;
}

static bool find_places(struct decoder *d, struct ptx_matrix *x, bool in_memory) {
  for (unsigned r = 0; r < PTX_FRAGS; r++) {
    const struct ptx_frag *f = &x->frag[r];
    if (f->n_regs == 0 || f->rows == 0) continue;
    uint16_t *at = weir_arena_array(&d->prog->arena, PTX_MATRIX_MOST, sizeof *at);
    if (at == NULL) return dec_fail(d, "out of memory");
    x->n_at[r] = (uint16_t)ptx_frag_places(x, f, in_memory, at);
    x->at[r] = at;
  }
  return true;
}

void dec_matrix(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  struct ptx_matrix *x = weir_arena_alloc(&d->prog->arena, sizeof *x);
  if (x == NULL) {
    dec_fail(d, "out of memory");
    return;
  }
  u->kind = PTX_K_SYNC;
  u->aux = PTX_SYNC_MATRIX;
  u->x.matrix = x;
  if (d->insn->op == PTX_OP_movmatrix) {
    u->d = dec_reg(d, d->insn->opnds[0].reg);
    u->a = dec_src(d, 1, PTX_T_b32);
    u->h = PTX_H_movmatrix;
    return;
  }
  if (!ptx_matrix_of(d->insn, x)) {
    dec_fail(d, "this matrix instruction is not executed");
    return;
  }
  for (unsigned k = 0; k < d->insn->n_opnds; k++)
    take_registers(d, x, k);
  bool is_mma = d->insn->op == PTX_OP_mma || ptx_has(d->insn, PTX_M_mma);
  if (!find_places(d, x, !is_mma)) return;
  if (is_mma)
    u->h = PTX_H_mma;
  else
    decode_memory(d, x);
}

void dec_copy_async(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  if (!ptx_has(d->insn, PTX_M_global)) { /* what was copied is there already */
    u->kind = PTX_K_NOP;
    return;
  }
  struct ptx_copy_async *c = weir_arena_alloc(&d->prog->arena, sizeof *c);
  if (c == NULL) {
    dec_fail(d, "out of memory");
    return;
  }
  uint64_t bytes = d->insn->opnds[2].imm;
  bool fits = bytes == 16 || (ptx_has(d->insn, PTX_M_ca) && (bytes == 4 || bytes == 8));
  if (!fits) {
    dec_fail(d, "cp.async copies 16 bytes, with .ca also 4 or 8");
    return;
  }
  u->space = PTX_SPACE_shared;
  dec_address(d, &d->insn->opnds[0]);
  *c = (struct ptx_copy_async){.imm = u->imm, .a = u->a, .base_kind = u->base_kind};
  u->space = PTX_SPACE_global;
  dec_address(d, &d->insn->opnds[1]);
  if (d->insn->n_opnds > 3) {
    const struct ptx_operand *o = &d->insn->opnds[3];
    bool is_pred = o->kind == PTX_O_reg && dec_reg_bytes(d, o->reg) == 0;
    c->how = is_pred ? PTX_COPY_UNLESS : PTX_COPY_SIZE;
    c->neg = o->neg;
    c->at = is_pred ? dec_reg(d, o->reg) : dec_src(d, 3, PTX_T_u32);
  }
  u->space = PTX_SPACE_none; /* its two records say where they go */
  u->x.copy = c;
  u->size = (uint8_t)bytes;
  u->reg_bytes = u->size;
  u->kind = PTX_K_MEM;
  u->h = PTX_H_cp_async;
}
