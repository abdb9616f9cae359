/* Arithmetic: sums, products, quotients, extremes, signs, of all types. */
#include "exec/decode_fp.h"
#include "exec/decode_ops.h"

static void carry_op(struct decoder *d, enum ptx_handler h, bool in, bool out, unsigned n_src) {
  enum ptx_type t = dec_type(d, 0);
  dec_operands(d, t, n_src);
  d->uop->size = (uint8_t)ptx_type_bytes(t);
  d->uop->is_signed = ptx_type_is_signed(t);
  d->uop->aux = (uint8_t)((in ? 1 : 0) | (out ? 2 : 0));
  d->uop->aux2 = dec_has(d, PTX_M_hi);
  dec_set_handler(d, h);
  d->uop->kind = PTX_K_PLAIN; /* the carry is wanted even if the sum is not */
}

/* addc, subc, madc */
void dec_carry(struct decoder *d) {
  switch ((int)d->insn->op) {
  case PTX_OP_addc:
    carry_op(d, PTX_H_addcc, true, dec_has(d, PTX_M_cc), 2);
    break;
  case PTX_OP_subc:
    carry_op(d, PTX_H_subcc, true, dec_has(d, PTX_M_cc), 2);
    break;
  default:
    carry_op(d, PTX_H_madcc, true, dec_has(d, PTX_M_cc), 3);
  }
}

/* ---- products and sums that become one (contract.h) ---- */

/* Handlers by the signs of product and addend, both positive first. */
static void fused_handler(struct decoder *d, enum ptx_type t, unsigned signs) {
  static const uint16_t f32[] = {PTX_H_fma_f32, PTX_H_fms_f32, PTX_H_fnma_f32, PTX_H_fnms_f32},
                        ftz[] = {PTX_H_fma_ftz_f32, PTX_H_fms_ftz_f32, PTX_H_fnma_ftz_f32,
                                 PTX_H_fnms_ftz_f32},
                        f64[] = {PTX_H_fma_f64, PTX_H_fms_f64, PTX_H_fnma_f64, PTX_H_fnms_f64};
  struct ptx_uop *u = d->uop;
  u->aux = (uint8_t)signs;
  if (dec_is_half(t)) {
    dec_half_type(d, t);
    u->size = 2;
    u->x.half = ptx_half_fma;
    dec_set_handler(d, PTX_H_fused_half);
  } else if (t == PTX_T_f64) {
    dec_set_handler(d, (enum ptx_handler)f64[signs]);
  } else if (u->mode.sat) {
    dec_set_handler(d, PTX_H_fused_f32);
  } else {
    dec_set_handler(d, (enum ptx_handler)(u->mode.ftz ? ftz : f32)[signs]);
  }
}

static bool decode_fused(struct decoder *d, bool is_sub) {
  const struct ptx_fused *f = dec_fused(d, d->insn);
  if (f == NULL || f->mul == PTX_NOT_FUSED) return false;
  const struct ptx_insn *mul = &dec_func(d)->insns[f->mul];
  enum ptx_type t = dec_type(d, 0);
  const uint32_t *kept = f->is_copy ? dec_kept(d, f->mul) : NULL;
  d->uop->d = dec_dst(d, 0);
  d->uop->a = kept != NULL ? kept[0] : dec_source(d, &mul->opnds[1], t);
  d->uop->b = kept != NULL ? kept[1] : dec_source(d, &mul->opnds[2], t);
  d->uop->c = dec_src(d, f->is_second ? 1 : 2, t);
  dec_fp_mode(d);
  bool minus = f->is_negated ^ (is_sub && f->is_second), less = is_sub && !f->is_second;
  fused_handler(d, t, (minus ? 2u : 0u) | (less ? 1u : 0u));
  return true;
}

/* The factors are wanted again after their registers were written over. */
static void keep_factors(struct decoder *d) {
  const struct ptx_fused *f = dec_fused(d, d->insn);
  if (f == NULL || !f->is_kept || d->uop->kind != PTX_K_PLAIN) return;
  const uint32_t *kept = dec_kept(d, (uint32_t)(d->insn - dec_func(d)->insns));
  d->uop->imm = (uint64_t)kept[1] << 32 | kept[0];
  d->uop->size = (uint8_t)ptx_type_bytes(dec_type(d, 0));
  d->uop->target = d->uop->h;
  dec_set_handler(d, PTX_H_mul_kept);
}

/* ---- sums, products, quotients ---- */

void dec_sum(struct decoder *d) {
  bool is_sub = d->insn->op == PTX_OP_sub;
  enum ptx_type t = dec_type(d, 0);
  if (decode_fused(d, is_sub)) return;
  if (dec_is_half(t)) {
    dec_half_op(d, 2, is_sub ? ptx_half_sub : ptx_half_add);
    return;
  }
  if (ptx_type_is_float(t)) {
    if (is_sub)
      dec_fp_op(d, 2, FP_FN(ptx_f32_sub), FP_FN(ptx_f64_sub), PTX_H_sub_f32, PTX_H_sub_ftz_f32,
                PTX_H_sub_f64);
    else
      dec_fp_op(d, 2, FP_FN(ptx_f32_add), FP_FN(ptx_f64_add), PTX_H_add_f32, PTX_H_add_ftz_f32,
                PTX_H_add_f64);
    return;
  }
  if (dec_has(d, PTX_M_cc)) {
    carry_op(d, is_sub ? PTX_H_subcc : PTX_H_addcc, false, true, 2);
    return;
  }
  if (dec_has(d, PTX_M_u16x2) || dec_has(d, PTX_M_s16x2)) {
    dec_operands(d, PTX_T_b32, 2);
    dec_set_handler(d, PTX_H_add_16x2);
    return;
  }
  dec_operands(d, t, 2);
  if (dec_has(d, PTX_M_sat))
    dec_set_handler(d, is_sub ? PTX_H_subsat_s32 : PTX_H_addsat_s32);
  else
    dec_set_handler(d, is_sub ? PICK_W3(sub, t) : PICK_W3(add, t));
}

static void product_op(struct decoder *d, bool is_mad) {
  enum ptx_type t = dec_type(d, 0);
  if (dec_is_half(t)) {
    dec_half_op(d, is_mad ? 3 : 2, is_mad ? ptx_half_fma : ptx_half_mul);
    return;
  }
  if (ptx_type_is_float(t)) {
    if (is_mad)
      dec_fp_op(d, 3, FP_FN(ptx_f32_fma), FP_FN(ptx_f64_fma), PTX_H_fma_f32, PTX_H_fma_ftz_f32,
                PTX_H_fma_f64);
    else
      dec_fp_op(d, 2, FP_FN(ptx_f32_mul), FP_FN(ptx_f64_mul), PTX_H_mul_f32, PTX_H_mul_ftz_f32,
                PTX_H_mul_f64);
    return;
  }
  if (dec_has(d, PTX_M_cc)) {
    carry_op(d, PTX_H_madcc, false, true, 3);
    return;
  }
  if (dec_has(d, PTX_M_wide)) {
    d->uop->d = dec_dst(d, 0);
    d->uop->a = dec_src(d, 1, t);
    d->uop->b = dec_src(d, 2, t);
    enum ptx_type wide = ptx_type_bytes(t) == 2 ? PTX_T_u32 : PTX_T_u64;
    if (is_mad) d->uop->c = dec_src(d, 3, wide);
    dec_set_handler(d, is_mad ? PICK_WIDE(madwide, t) : PICK_WIDE(mulwide, t));
    return;
  }
  dec_operands(d, t, is_mad ? 3 : 2);
  if (dec_has(d, PTX_M_sat))
    dec_set_handler(d, PTX_H_madhisat_s32);
  else if (dec_has(d, PTX_M_hi))
    dec_set_handler(d, is_mad ? PICK_US6(madhi, t) : PICK_US6(mulhi, t));
  else
    dec_set_handler(d, is_mad ? PICK_W3(madlo, t) : PICK_W3(mullo, t));
}

/* mad, fma */
void dec_mad(struct decoder *d) {
  product_op(d, true);
}

void dec_mul(struct decoder *d) {
  product_op(d, false);
  keep_factors(d);
}

void dec_mul24(struct decoder *d) {
  bool is_mad = d->insn->op == PTX_OP_mad24;
  enum ptx_type t = dec_type(d, 0);
  bool hi = dec_has(d, PTX_M_hi);
  dec_operands(d, t, is_mad ? 3 : 2);
  if (dec_has(d, PTX_M_sat))
    dec_set_handler(d, PTX_H_mad24hisat_s32);
  else if (is_mad)
    dec_set_handler(d, hi ? PICK_US2(mad24hi, t) : PICK_US2(mad24lo, t));
  else
    dec_set_handler(d, hi ? PICK_US2(mul24hi, t) : PICK_US2(mul24lo, t));
}

/* sum of absolute differences */
void dec_sad(struct decoder *d) {
  dec_operands(d, dec_type(d, 0), 3);
  dec_set_handler(d, PICK_US6(sad, dec_type(d, 0)));
}

void dec_rem(struct decoder *d) {
  dec_operands(d, dec_type(d, 0), 2);
  dec_set_handler(d, PICK_US6(rem, dec_type(d, 0)));
}

void dec_div(struct decoder *d) {
  enum ptx_type t = dec_type(d, 0);
  if (!ptx_type_is_float(t)) {
    dec_operands(d, t, 2);
    dec_set_handler(d, PICK_US6(div, t));
  } else if (dec_has(d, PTX_M_approx) || dec_has(d, PTX_M_full)) {
    dec_operands(d, t, 2);
    dec_fp_mode(d);
    d->uop->x.fn = dec_has(d, PTX_M_full) ? FP_FN(ptx_f32_div_full) : FP_FN(ptx_f32_div_approx);
    dec_set_handler(d, PTX_H_approx2_f32);
  } else
    dec_fp_op(d, 2, FP_FN(ptx_f32_div), FP_FN(ptx_f64_div), PTX_H_div_f32, PTX_H_none, PTX_H_none);
}

void dec_minmax(struct decoder *d) {
  bool is_max = d->insn->op == PTX_OP_max;
  enum ptx_type t = dec_type(d, 0);
  if (dec_has(d, PTX_M_u16x2) || dec_has(d, PTX_M_s16x2)) {
    dec_operands(d, PTX_T_b32, 2);
    d->uop->aux = is_max;
    d->uop->is_signed = dec_has(d, PTX_M_s16x2);
    d->uop->aux2 = dec_has(d, PTX_M_relu);
    dec_set_handler(d, PTX_H_minmax_16x2);
    return;
  }
  if (!ptx_type_is_float(t)) {
    dec_operands(d, t, 2);
    if (dec_has(d, PTX_M_relu))
      dec_set_handler(d, is_max ? PTX_H_maxrelu_s32 : PTX_H_minrelu_s32);
    else
      dec_set_handler(d, is_max ? PICK_US6(max, t) : PICK_US6(min, t));
    return;
  }
  if (dec_is_half(t)) {
    dec_half_op(d, 2, is_max ? ptx_half_max : ptx_half_min);
    return;
  }
  d->uop->n_vec = (uint8_t)(d->insn->n_opnds - 1);
  dec_operands(d, t, d->insn->n_opnds - 1u);
  dec_fp_mode(d);
  d->uop->aux = is_max;
  d->uop->aux2 = dec_has(d, PTX_M_NaN);
  d->uop->aux3 = dec_has(d, PTX_M_xorsign);
  dec_set_handler(d, t == PTX_T_f64 ? PTX_H_minmax_f64 : PTX_H_minmax_f32);
}

void dec_abs_neg(struct decoder *d) {
  bool is_neg = d->insn->op == PTX_OP_neg;
  enum ptx_type t = dec_type(d, 0);
  if (dec_is_half(t)) {
    dec_half_op(d, 1, is_neg ? ptx_half_neg : ptx_half_abs);
    return;
  }
  dec_operands(d, t, 1);
  dec_fp_mode(d);
  if (t == PTX_T_f32)
    dec_set_handler(d, is_neg ? PTX_H_neg_f32 : PTX_H_abs_f32);
  else if (t == PTX_T_f64)
    dec_set_handler(d, is_neg ? PTX_H_neg_f64 : PTX_H_abs_f64);
  else
    dec_set_handler(d, is_neg ? PICK_S3(neg, t) : PICK_S3(abs, t));
}
