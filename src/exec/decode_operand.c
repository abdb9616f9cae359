/* Operands of instructions as slots of the register block. */
#include "exec/decode_operand.h"

#include <string.h>

uint64_t dec_imm_bits(const struct ptx_operand *o, enum ptx_type t) {
  if (o->kind == PTX_O_int) {
    if (t == PTX_T_f32) {
      float f = o->is_unsigned ? (float)o->imm : (float)(int64_t)o->imm;
      uint32_t v;
      memcpy(&v, &f, sizeof v);
      return v;
    }
    if (t == PTX_T_f64) {
      double f = o->is_unsigned ? (double)o->imm : (double)(int64_t)o->imm;
      uint64_t v;
      memcpy(&v, &f, sizeof v);
      return v;
    }
    return o->imm;
  }
  if (o->kind == PTX_O_f64 &&
      (t == PTX_T_f32 ||
       ptx_type_bytes(t) == 4)) { /* a decimal literal: a double until its place is known */
    double f;
    memcpy(&f, &o->imm, sizeof f);
    float g = (float)f;
    uint32_t v;
    memcpy(&v, &g, sizeof v);
    return v;
  }
  if (o->kind == PTX_O_f32 && t == PTX_T_f64) {
    uint32_t b = (uint32_t)o->imm;
    float g;
    memcpy(&g, &b, sizeof g);
    double f = g;
    uint64_t v;
    memcpy(&v, &f, sizeof v);
    return v;
  }
  return o->imm;
}

uint64_t dec_var_addr(struct decoder *d, const struct ptx_var *v) {
  switch (v->space) {
  case PTX_SPACE_shared:
  case PTX_SPACE_local:
    return dec_place(d, v);
  case PTX_SPACE_param:
    return v->offset;
  default:
    return ptx_image_addr(d->image, v);
  }
}

uint32_t dec_source(struct decoder *d, const struct ptx_operand *o, enum ptx_type t) {
  unsigned bytes = ptx_type_bytes(t);
  switch (o->kind) {
  case PTX_O_reg:
    return dec_reg(d, o->reg);
  case PTX_O_sreg:
    return dec_sreg(d, o->sreg, bytes);
  case PTX_O_int:
  case PTX_O_f32:
  case PTX_O_f64:
    return dec_const(d, dec_imm_bits(o, t), bytes);
  case PTX_O_var:
    if (o->var->space == PTX_SPACE_local) {
      dec_fail(d, "the address of a local variable can only be moved or converted");
      return 0;
    }
    return dec_const(d, dec_var_addr(d, o->var) + o->imm, bytes);
  case PTX_O_func:
    return dec_const(d, ptx_func_addr(d->image->module, o->func), bytes);
  default:
    dec_fail(d, "operand %u has a form that this instruction cannot take",
             (unsigned)(o - d->insn->opnds) + 1);
    return 0;
  }
}

uint32_t dec_src(struct decoder *d, unsigned k, enum ptx_type t) {
  if (k < d->insn->n_opnds) return dec_source(d, &d->insn->opnds[k], t);
  dec_fail(d, "an operand is missing");
  return 0;
}

uint32_t dec_dst(struct decoder *d, unsigned k) {
  if (k >= d->insn->n_opnds) {
    dec_fail(d, "an operand is missing");
    return 0;
  }
  const struct ptx_operand *o = &d->insn->opnds[k];
  if (o->kind == PTX_O_sink) return UINT32_MAX;
  if (o->kind != PTX_O_reg) {
    dec_fail(d, "the destination must be a register");
    return 0;
  }
  return dec_reg(d, o->reg);
}

uint32_t dec_pred_src(struct decoder *d, unsigned k, bool *neg) {
  const struct ptx_operand *o = &d->insn->opnds[k];
  *neg = o->neg;
  if (o->kind == PTX_O_int) return o->imm != 0 ? SLOT_TRUE : SLOT_FALSE;
  if (o->kind == PTX_O_sreg) { /* %is_explicit_cluster: launches have no clusters */
    return SLOT_FALSE;
  }
  return dec_src(d, k, PTX_T_pred);
}

void dec_pair_dst(struct decoder *d, unsigned k, uint32_t *first, uint32_t *second) {
  const struct ptx_operand *o = &d->insn->opnds[k];
  *second = UINT32_MAX;
  if (o->kind != PTX_O_pair) {
    *first = dec_dst(d, k);
    return;
  }
  *first = o->elem[0].kind == PTX_O_sink ? UINT32_MAX : dec_reg(d, o->elem[0].reg);
  *second = o->elem[1].kind == PTX_O_sink ? UINT32_MAX : dec_reg(d, o->elem[1].reg);
}

void dec_set_handler(struct decoder *d, enum ptx_handler h) {
  d->uop->kind = PTX_K_PLAIN;
  d->uop->h = (uint16_t)h;
  /* A destination `_` needs no execution at all. */
  if (d->uop->d == UINT32_MAX && h != PTX_H_lop3) d->uop->kind = PTX_K_NOP;
}

void dec_operands(struct decoder *d, enum ptx_type t, unsigned n_src) {
  d->uop->d = dec_dst(d, 0);
  d->uop->a = dec_src(d, 1, t);
  d->uop->b = n_src > 1 ? dec_src(d, 2, t) : d->uop->a;
  d->uop->c = n_src > 2 ? dec_src(d, 3, t) : d->uop->b;
}

void dec_pred_op(struct decoder *d, enum ptx_handler h, unsigned n_src) {
  bool neg_a = false, neg_b = false;
  d->uop->d = dec_dst(d, 0);
  d->uop->a = dec_pred_src(d, 1, &neg_a);
  d->uop->b = n_src > 1 ? dec_pred_src(d, 2, &neg_b) : d->uop->a;
  d->uop->aux = (uint8_t)((neg_a ? 1 : 0) | (neg_b ? 2 : 0));
  dec_set_handler(d, h);
}
