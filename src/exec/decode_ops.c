/* One PTX instruction to one micro-operation: which handler, which slots. */
#include <string.h>

#include "exec/builtin.h"
#include "exec/decode.h"
#include "exec/sync.h"
#include "exec/video.h"

/* ---- operands ---- */

static unsigned width(enum ptx_type t) {
  return ptx_type_bytes(t);
}

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
       width(t) == 4)) { /* a decimal literal: a double until its place is known */
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

/* Address of a variable in its own space, without the frame of local variables. */
static uint64_t var_addr(struct decoder *d, const struct ptx_var *v) {
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
  unsigned bytes = width(t);
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
    return dec_const(d, var_addr(d, o->var) + o->imm, bytes);
  case PTX_O_func:
    return dec_const(d, ptx_func_addr(d->image->module, o->func), bytes);
  default:
    dec_fail(d, "operand %u has a form that this instruction cannot take",
             (unsigned)(o - d->insn->opnds) + 1);
    return 0;
  }
}

/* Slot of source operand k. */
static uint32_t src(struct decoder *d, unsigned k, enum ptx_type t) {
  if (k < d->insn->n_opnds) return dec_source(d, &d->insn->opnds[k], t);
  dec_fail(d, "an operand is missing");
  return 0;
}

static uint32_t dst(struct decoder *d, unsigned k) {
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

/* A predicate source: slot, and whether it is negated. */
static uint32_t pred_src(struct decoder *d, unsigned k, bool *neg) {
  const struct ptx_operand *o = &d->insn->opnds[k];
  *neg = o->neg;
  if (o->kind == PTX_O_int) return o->imm != 0 ? SLOT_TRUE : SLOT_FALSE;
  if (o->kind == PTX_O_sreg) { /* %is_explicit_cluster: launches have no clusters */
    return SLOT_FALSE;
  }
  return src(d, k, PTX_T_pred);
}

/* First and second part of `d|p`, or one destination. */
static void pair_dst(struct decoder *d, unsigned k, uint32_t *first, uint32_t *second) {
  const struct ptx_operand *o = &d->insn->opnds[k];
  *second = UINT32_MAX;
  if (o->kind != PTX_O_pair) {
    *first = dst(d, k);
    return;
  }
  *first = o->elem[0].kind == PTX_O_sink ? UINT32_MAX : dec_reg(d, o->elem[0].reg);
  *second = o->elem[1].kind == PTX_O_sink ? UINT32_MAX : dec_reg(d, o->elem[1].reg);
}

static void plain(struct decoder *d, enum ptx_handler h) {
  d->uop->kind = PTX_K_PLAIN;
  d->uop->h = (uint16_t)h;
  /* A destination `_` needs no execution at all. */
  if (d->uop->d == UINT32_MAX && h != PTX_H_lop3) d->uop->kind = PTX_K_NOP;
}

static bool has(const struct decoder *d, enum ptx_mod m) {
  return ptx_has(d->insn, m);
}

static enum ptx_type type(const struct decoder *d, unsigned k) {
  return ptx_insn_type(d->insn, k);
}

/* d, a[, b[, c]] all of type t. */
static void operands(struct decoder *d, enum ptx_type t, unsigned n_src) {
  d->uop->d = dst(d, 0);
  d->uop->a = src(d, 1, t);
  d->uop->b = n_src > 1 ? src(d, 2, t) : d->uop->a;
  d->uop->c = n_src > 2 ? src(d, 3, t) : d->uop->b;
}

/* ---- choosing by type ---- */
#define PICK_W3(n, t)                                                                              \
  (width(t) == 2 ? PTX_H_##n##_b16 : width(t) == 4 ? PTX_H_##n##_b32 : PTX_H_##n##_b64)
#define PICK_S3(n, t)                                                                              \
  (width(t) == 2 ? PTX_H_##n##_s16 : width(t) == 4 ? PTX_H_##n##_s32 : PTX_H_##n##_s64)
#define PICK_US6(n, t)                                                                             \
  (ptx_type_is_signed(t) ? PICK_S3(n, t)                                                           \
                         : (width(t) == 2   ? PTX_H_##n##_u16                                      \
                            : width(t) == 4 ? PTX_H_##n##_u32                                      \
                                            : PTX_H_##n##_u64))
#define PICK_US4(n, t)                                                                             \
  (ptx_type_is_signed(t) ? (width(t) == 4 ? PTX_H_##n##_s32 : PTX_H_##n##_s64)                     \
                         : (width(t) == 4 ? PTX_H_##n##_u32 : PTX_H_##n##_u64))
#define PICK_US2(n, t) (ptx_type_is_signed(t) ? PTX_H_##n##_s32 : PTX_H_##n##_u32)
#define PICK_WIDE(n, t)                                                                            \
  (width(t) == 2 ? (ptx_type_is_signed(t) ? PTX_H_##n##_s16 : PTX_H_##n##_u16)                     \
                 : (ptx_type_is_signed(t) ? PTX_H_##n##_s32 : PTX_H_##n##_u32))

static uint8_t rounding(const struct decoder *d) {
  return has(d, PTX_M_rz) || has(d, PTX_M_rzi)   ? PTX_RZ
         : has(d, PTX_M_rm) || has(d, PTX_M_rmi) ? PTX_RM
         : has(d, PTX_M_rp) || has(d, PTX_M_rpi) ? PTX_RP
                                                 : PTX_RN;
}

static void fp_mode(struct decoder *d) {
  d->uop->mode =
      (struct ptx_fpmode){.rnd = rounding(d), .ftz = has(d, PTX_M_ftz), .sat = has(d, PTX_M_sat)};
}

/* Arithmetic of fp.h with a rounding mode; `fast` is the handler for round-to-nearest without .sat,
 * with and without .ftz (none = no such handler). */
#define FP_FN(f) ((void (*)(void))(f))
static void fp_op(struct decoder *d, unsigned n_src, void (*f32)(void), void (*f64)(void),
                  enum ptx_handler fast32, enum ptx_handler fast32_ftz, enum ptx_handler fast64) {
  enum ptx_type t = type(d, 0);
  operands(d, t, n_src);
  fp_mode(d);
  bool nearest = d->uop->mode.rnd == PTX_RN && !d->uop->mode.sat;
  enum ptx_handler h;
  if (t == PTX_T_f64) {
    h = nearest && fast64 != PTX_H_none ? fast64
        : n_src == 1                    ? PTX_H_fp1_f64
        : n_src == 2                    ? PTX_H_fp2_f64
                                        : PTX_H_fp3_f64;
    d->uop->x.fn = f64;
  } else {
    enum ptx_handler fast = d->uop->mode.ftz ? fast32_ftz : fast32;
    h = nearest && fast != PTX_H_none ? fast
        : n_src == 1                  ? PTX_H_fp1_f32
        : n_src == 2                  ? PTX_H_fp2_f32
                                      : PTX_H_fp3_f32;
    d->uop->x.fn = f32;
  }
  plain(d, h);
}

static void approx1(struct decoder *d, void (*f32)(void)) {
  operands(d, type(d, 0), 1);
  fp_mode(d);
  d->uop->x.fn = f32;
  plain(d, PTX_H_approx1_f32);
}

/* ---- half precision ---- */

static bool is_half(enum ptx_type t) {
  return t >= PTX_T_f16 && t <= PTX_T_bf16x2;
}

/* Which of the two formats, and whether a register holds a pair. */
static void half_type(struct decoder *d, enum ptx_type t) {
  d->uop->is_signed = t == PTX_T_bf16 || t == PTX_T_bf16x2;
  d->uop->n_vec = t == PTX_T_f16x2 || t == PTX_T_bf16x2 ? 2 : 1;
}

static void half_op(struct decoder *d, unsigned n_src, ptx_half_fn fn) {
  enum ptx_type t = type(d, 0);
  operands(d, t, n_src);
  fp_mode(d);
  half_type(d, t);
  d->uop->aux = has(d, PTX_M_relu);
  d->uop->aux2 = has(d, PTX_M_NaN);
  d->uop->aux3 = has(d, PTX_M_xorsign);
  d->uop->x.half = fn;
  plain(d, PTX_H_half);
}

/* ---- groups of instructions ---- */

static void decode_carry(struct decoder *d, enum ptx_handler h, bool in, bool out, unsigned n_src) {
  enum ptx_type t = type(d, 0);
  operands(d, t, n_src);
  d->uop->size = (uint8_t)width(t);
  d->uop->is_signed = ptx_type_is_signed(t);
  d->uop->aux = (uint8_t)((in ? 1 : 0) | (out ? 2 : 0));
  d->uop->aux2 = has(d, PTX_M_hi);
  plain(d, h);
  d->uop->kind = PTX_K_PLAIN; /* the carry is wanted even if the sum is not */
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
  if (is_half(t)) {
    half_type(d, t);
    u->size = 2;
    u->x.half = ptx_half_fma;
    plain(d, PTX_H_fused_half);
  } else if (t == PTX_T_f64) {
    plain(d, (enum ptx_handler)f64[signs]);
  } else if (u->mode.sat) {
    plain(d, PTX_H_fused_f32);
  } else {
    plain(d, (enum ptx_handler)(u->mode.ftz ? ftz : f32)[signs]);
  }
}

static bool decode_fused(struct decoder *d, bool is_sub) {
  const struct ptx_fused *f = dec_fused(d, d->insn);
  if (f == NULL || f->mul == PTX_NOT_FUSED) return false;
  const struct ptx_insn *mul = &dec_func(d)->insns[f->mul];
  enum ptx_type t = type(d, 0);
  const uint32_t *kept = f->is_copy ? dec_kept(d, f->mul) : NULL;
  d->uop->d = dst(d, 0);
  d->uop->a = kept != NULL ? kept[0] : dec_source(d, &mul->opnds[1], t);
  d->uop->b = kept != NULL ? kept[1] : dec_source(d, &mul->opnds[2], t);
  d->uop->c = src(d, f->is_second ? 1 : 2, t);
  fp_mode(d);
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
  d->uop->size = (uint8_t)width(type(d, 0));
  d->uop->target = d->uop->h;
  plain(d, PTX_H_mul_kept);
}

static void decode_add(struct decoder *d, bool is_sub) {
  enum ptx_type t = type(d, 0);
  if (decode_fused(d, is_sub)) return;
  if (is_half(t)) {
    half_op(d, 2, is_sub ? ptx_half_sub : ptx_half_add);
    return;
  }
  if (ptx_type_is_float(t)) {
    if (is_sub)
      fp_op(d, 2, FP_FN(ptx_f32_sub), FP_FN(ptx_f64_sub), PTX_H_sub_f32, PTX_H_sub_ftz_f32,
            PTX_H_sub_f64);
    else
      fp_op(d, 2, FP_FN(ptx_f32_add), FP_FN(ptx_f64_add), PTX_H_add_f32, PTX_H_add_ftz_f32,
            PTX_H_add_f64);
    return;
  }
  if (has(d, PTX_M_cc)) {
    decode_carry(d, is_sub ? PTX_H_subcc : PTX_H_addcc, false, true, 2);
    return;
  }
  if (has(d, PTX_M_u16x2) || has(d, PTX_M_s16x2)) {
    operands(d, PTX_T_b32, 2);
    plain(d, PTX_H_add_16x2);
    return;
  }
  operands(d, t, 2);
  if (has(d, PTX_M_sat))
    plain(d, is_sub ? PTX_H_subsat_s32 : PTX_H_addsat_s32);
  else
    plain(d, is_sub ? PICK_W3(sub, t) : PICK_W3(add, t));
}

static void decode_mul(struct decoder *d, bool is_mad) {
  enum ptx_type t = type(d, 0);
  if (is_half(t)) {
    half_op(d, is_mad ? 3 : 2, is_mad ? ptx_half_fma : ptx_half_mul);
    return;
  }
  if (ptx_type_is_float(t)) {
    if (is_mad)
      fp_op(d, 3, FP_FN(ptx_f32_fma), FP_FN(ptx_f64_fma), PTX_H_fma_f32, PTX_H_fma_ftz_f32,
            PTX_H_fma_f64);
    else
      fp_op(d, 2, FP_FN(ptx_f32_mul), FP_FN(ptx_f64_mul), PTX_H_mul_f32, PTX_H_mul_ftz_f32,
            PTX_H_mul_f64);
    return;
  }
  if (has(d, PTX_M_cc)) {
    decode_carry(d, PTX_H_madcc, false, true, 3);
    return;
  }
  if (has(d, PTX_M_wide)) {
    d->uop->d = dst(d, 0);
    d->uop->a = src(d, 1, t);
    d->uop->b = src(d, 2, t);
    enum ptx_type wide = width(t) == 2 ? PTX_T_u32 : PTX_T_u64;
    if (is_mad) d->uop->c = src(d, 3, wide);
    plain(d, is_mad ? PICK_WIDE(madwide, t) : PICK_WIDE(mulwide, t));
    return;
  }
  operands(d, t, is_mad ? 3 : 2);
  if (has(d, PTX_M_sat))
    plain(d, PTX_H_madhisat_s32);
  else if (has(d, PTX_M_hi))
    plain(d, is_mad ? PICK_US6(madhi, t) : PICK_US6(mulhi, t));
  else
    plain(d, is_mad ? PICK_W3(madlo, t) : PICK_W3(mullo, t));
}

static void decode_mul24(struct decoder *d, bool is_mad) {
  enum ptx_type t = type(d, 0);
  bool hi = has(d, PTX_M_hi);
  operands(d, t, is_mad ? 3 : 2);
  if (has(d, PTX_M_sat))
    plain(d, PTX_H_mad24hisat_s32);
  else if (is_mad)
    plain(d, hi ? PICK_US2(mad24hi, t) : PICK_US2(mad24lo, t));
  else
    plain(d, hi ? PICK_US2(mul24hi, t) : PICK_US2(mul24lo, t));
}

static void decode_div(struct decoder *d) {
  enum ptx_type t = type(d, 0);
  if (!ptx_type_is_float(t)) {
    operands(d, t, 2);
    plain(d, PICK_US6(div, t));
  } else if (has(d, PTX_M_approx) || has(d, PTX_M_full)) {
    operands(d, t, 2);
    fp_mode(d);
    d->uop->x.fn = has(d, PTX_M_full) ? FP_FN(ptx_f32_div_full) : FP_FN(ptx_f32_div_approx);
    plain(d, PTX_H_approx2_f32);
  } else
    fp_op(d, 2, FP_FN(ptx_f32_div), FP_FN(ptx_f64_div), PTX_H_div_f32, PTX_H_none, PTX_H_none);
}

static void decode_minmax(struct decoder *d, bool is_max) {
  enum ptx_type t = type(d, 0);
  if (has(d, PTX_M_u16x2) || has(d, PTX_M_s16x2)) {
    operands(d, PTX_T_b32, 2);
    d->uop->aux = is_max;
    d->uop->is_signed = has(d, PTX_M_s16x2);
    d->uop->aux2 = has(d, PTX_M_relu);
    plain(d, PTX_H_minmax_16x2);
    return;
  }
  if (!ptx_type_is_float(t)) {
    operands(d, t, 2);
    if (has(d, PTX_M_relu))
      plain(d, is_max ? PTX_H_maxrelu_s32 : PTX_H_minrelu_s32);
    else
      plain(d, is_max ? PICK_US6(max, t) : PICK_US6(min, t));
    return;
  }
  if (is_half(t)) {
    half_op(d, 2, is_max ? ptx_half_max : ptx_half_min);
    return;
  }
  d->uop->n_vec = (uint8_t)(d->insn->n_opnds - 1);
  operands(d, t, d->insn->n_opnds - 1u);
  fp_mode(d);
  d->uop->aux = is_max;
  d->uop->aux2 = has(d, PTX_M_NaN);
  d->uop->aux3 = has(d, PTX_M_xorsign);
  plain(d, t == PTX_T_f64 ? PTX_H_minmax_f64 : PTX_H_minmax_f32);
}

static void decode_abs_neg(struct decoder *d, bool is_neg) {
  enum ptx_type t = type(d, 0);
  if (is_half(t)) {
    half_op(d, 1, is_neg ? ptx_half_neg : ptx_half_abs);
    return;
  }
  operands(d, t, 1);
  fp_mode(d);
  if (t == PTX_T_f32)
    plain(d, is_neg ? PTX_H_neg_f32 : PTX_H_abs_f32);
  else if (t == PTX_T_f64)
    plain(d, is_neg ? PTX_H_neg_f64 : PTX_H_abs_f64);
  else
    plain(d, is_neg ? PICK_S3(neg, t) : PICK_S3(abs, t));
}

static void decode_roots(struct decoder *d) {
  enum ptx_type t = type(d, 0);
  bool is_approx = has(d, PTX_M_approx);
  switch ((enum ptx_op)d->insn->op) {
  case PTX_OP_rcp:
    if (!is_approx)
      fp_op(d, 1, FP_FN(ptx_f32_rcp), FP_FN(ptx_f64_rcp), PTX_H_rcp_f32, PTX_H_none, PTX_H_none);
    else if (t == PTX_T_f64) {
      operands(d, t, 1);
      d->uop->x.fn = FP_FN(ptx_f64_rcp_approx_ftz);
      plain(d, PTX_H_approx1_f64);
    } else
      approx1(d, FP_FN(ptx_f32_rcp_approx));
    break;
  case PTX_OP_sqrt:
    if (is_approx)
      approx1(d, FP_FN(ptx_f32_sqrt_approx));
    else
      fp_op(d, 1, FP_FN(ptx_f32_sqrt), FP_FN(ptx_f64_sqrt), PTX_H_sqrt_f32, PTX_H_none, PTX_H_none);
    break;
  default: /* rsqrt */
    if (t == PTX_T_f64) {
      operands(d, t, 1);
      d->uop->x.fn =
          has(d, PTX_M_ftz) ? FP_FN(ptx_f64_rsqrt_approx_ftz) : FP_FN(ptx_f64_rsqrt_approx);
      plain(d, PTX_H_approx1_f64);
    } else
      approx1(d, FP_FN(ptx_f32_rsqrt_approx));
  }
}

static enum ptx_cmp comparison(const struct decoder *d) {
  static const struct {
    enum ptx_mod m;
    enum ptx_cmp c;
  } map[] = {{PTX_M_eq, PTX_CMP_EQ},   {PTX_M_ne, PTX_CMP_NE},   {PTX_M_lt, PTX_CMP_LT},
             {PTX_M_le, PTX_CMP_LE},   {PTX_M_gt, PTX_CMP_GT},   {PTX_M_ge, PTX_CMP_GE},
             {PTX_M_lo, PTX_CMP_LT},   {PTX_M_ls, PTX_CMP_LE},   {PTX_M_hi, PTX_CMP_GT},
             {PTX_M_hs, PTX_CMP_GE},   {PTX_M_equ, PTX_CMP_EQU}, {PTX_M_neu, PTX_CMP_NEU},
             {PTX_M_ltu, PTX_CMP_LTU}, {PTX_M_leu, PTX_CMP_LEU}, {PTX_M_gtu, PTX_CMP_GTU},
             {PTX_M_geu, PTX_CMP_GEU}, {PTX_M_num, PTX_CMP_NUM}, {PTX_M_nan, PTX_CMP_NAN}};
  for (unsigned i = 0; i < d->insn->n_mods; i++)
    for (size_t k = 0; k < sizeof map / sizeof *map; k++)
      if (d->insn->mods[i] == (uint16_t)map[k].m) return map[k].c;
  return PTX_CMP_EQ;
}

static enum ptx_handler compare_handler(enum ptx_cmp c, enum ptx_type t, bool ftz) {
#define ROW(T)                                                                                     \
  {                                                                                                \
    PTX_H_set_eq_##T, PTX_H_set_ne_##T, PTX_H_set_lt_##T, PTX_H_set_le_##T, PTX_H_set_gt_##T,      \
        PTX_H_set_ge_##T                                                                           \
  }
  static const uint16_t rows[8][6] = {ROW(u16), ROW(s16), ROW(u32), ROW(s32),
                                      ROW(u64), ROW(s64), ROW(f32), ROW(f64)};
#undef ROW
  if (t == PTX_T_f32) return c <= PTX_CMP_GE && !ftz ? rows[6][c] : PTX_H_set_f32;
  if (t == PTX_T_f64) return c <= PTX_CMP_GE ? rows[7][c] : PTX_H_set_f64;
  if (is_half(t)) return PTX_H_set_half;
  unsigned w = width(t) == 2 ? 0 : width(t) == 4 ? 2 : 4;
  return rows[w + (ptx_type_is_signed(t) ? 1 : 0)][c];
}

static enum ptx_set set_kind(enum ptx_type t) {
  return width(t) == 2 ? SET_B16 : t == PTX_T_f32 ? SET_F32 : SET_U32;
}

/* What `set` makes of true in 16 bits. */
static uint16_t true_value(enum ptx_type t) {
  return t == PTX_T_f16 || t == PTX_T_f16x2     ? 0x3c00
         : t == PTX_T_bf16 || t == PTX_T_bf16x2 ? 0x3f80
                                                : 0xffff;
}

static void decode_set(struct decoder *d, bool is_setp) {
  struct ptx_uop *u = d->uop;
  enum ptx_type dt = type(d, 0), t = is_setp ? dt : type(d, 1);
  uint32_t second = UINT32_MAX;
  if (is_setp)
    pair_dst(d, 0, &u->d, &second);
  else
    u->d = dst(d, 0);
  u->a = src(d, 1, t);
  u->b = src(d, 2, t);
  u->aux3 = (uint8_t)comparison(d);
  u->aux2 = has(d, PTX_M_and) ? 1 : has(d, PTX_M_or) ? 2 : has(d, PTX_M_xor) ? 3 : 0;
  half_type(d, t);
  bool one = u->aux2 == 0 && second == UINT32_MAX && u->d != UINT32_MAX && u->n_vec == 1;
  u->aux = (uint8_t)(is_setp ? one ? SET_PRED : SET_PRED_FULL : set_kind(dt));
  u->imm = true_value(dt);
  u->mode.ftz = has(d, PTX_M_ftz);
  uint32_t *list = dec_list(d, 3);
  if (list == NULL) return;
  list[0] = second;
  if (u->aux2 != 0) {
    bool neg = false;
    list[1] = pred_src(d, 3, &neg);
    list[2] = neg ? FULL : 0;
  }
  u->x.list = list;
  u->kind = PTX_K_PLAIN;
  u->h = (uint16_t)compare_handler((enum ptx_cmp)u->aux3, t, u->mode.ftz);
}

static void decode_logic(struct decoder *d, enum ptx_handler pred, enum ptx_handler b16,
                         enum ptx_handler b32, enum ptx_handler b64, unsigned n_src) {
  enum ptx_type t = type(d, 0);
  if (t == PTX_T_pred) {
    bool neg_a = false, neg_b = false;
    d->uop->d = dst(d, 0);
    d->uop->a = pred_src(d, 1, &neg_a);
    d->uop->b = n_src > 1 ? pred_src(d, 2, &neg_b) : d->uop->a;
    d->uop->aux = (uint8_t)((neg_a ? 1 : 0) | (neg_b ? 2 : 0));
    plain(d, pred);
    return;
  }
  operands(d, t, n_src);
  plain(d, width(t) == 2 ? b16 : width(t) == 4 ? b32 : b64);
}

static void decode_lop3(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  bool boolop = has(d, PTX_M_and) || has(d, PTX_M_or);
  uint32_t first, second;
  pair_dst(d, 0, &first, &second);
  u->a = src(d, 1, PTX_T_b32);
  u->b = src(d, 2, PTX_T_b32);
  u->c = src(d, 3, PTX_T_b32);
  u->aux = (uint8_t)d->insn->opnds[4].imm;
  u->d = first == UINT32_MAX ? 0 : first;
  u->aux3 = first == UINT32_MAX;
  if (boolop) {
    bool neg = false;
    uint32_t *list = dec_list(d, 3);
    if (list == NULL) return;
    u->aux2 = second == UINT32_MAX ? 0 : has(d, PTX_M_and) ? 1 : 2;
    list[0] = second;
    list[1] = pred_src(d, 5, &neg);
    list[2] = neg ? FULL : 0;
    u->x.list = list;
  }
  u->kind = PTX_K_PLAIN;
  u->h = PTX_H_lop3;
}

static void decode_bits(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  enum ptx_type t = type(d, 0);
  switch ((enum ptx_op)d->insn->op) {
  case PTX_OP_popc:
    operands(d, t, 1);
    plain(d, width(t) == 4 ? PTX_H_popc_b32 : PTX_H_popc_b64);
    break;
  case PTX_OP_clz:
    operands(d, t, 1);
    plain(d, width(t) == 4 ? PTX_H_clz_b32 : PTX_H_clz_b64);
    break;
  case PTX_OP_brev:
    operands(d, t, 1);
    plain(d, width(t) == 4 ? PTX_H_brev_b32 : PTX_H_brev_b64);
    break;
  case PTX_OP_bfind:
    operands(d, t, 1);
    u->aux = has(d, PTX_M_shiftamt);
    plain(d, PICK_US4(bfind, t));
    break;
  case PTX_OP_fns:
    operands(d, PTX_T_b32, 3);
    plain(d, PTX_H_fns);
    break;
  case PTX_OP_bfe:
    u->d = dst(d, 0);
    u->a = src(d, 1, t);
    u->b = src(d, 2, PTX_T_u32);
    u->c = src(d, 3, PTX_T_u32);
    plain(d, PICK_US4(bfe, t));
    break;
  case PTX_OP_bfi: {
    uint32_t *list = dec_list(d, 1);
    if (list == NULL) return;
    u->d = dst(d, 0);
    u->a = src(d, 1, t);
    u->b = src(d, 2, t);
    u->c = src(d, 3, PTX_T_u32);
    list[0] = src(d, 4, PTX_T_u32);
    u->x.list = list;
    plain(d, width(t) == 4 ? PTX_H_bfi_b32 : PTX_H_bfi_b64);
    break;
  }
  case PTX_OP_szext:
    operands(d, PTX_T_b32, 2);
    u->aux = has(d, PTX_M_wrap);
    u->is_signed = ptx_type_is_signed(t);
    plain(d, PTX_H_szext);
    break;
  case PTX_OP_bmsk:
    operands(d, PTX_T_b32, 2);
    u->aux = has(d, PTX_M_wrap);
    plain(d, PTX_H_bmsk);
    break;
  case PTX_OP_dp4a:
  case PTX_OP_dp2a:
    operands(d, PTX_T_b32, 3);
    u->aux = ptx_type_is_signed(type(d, 0));
    u->aux2 = ptx_type_is_signed(type(d, 1));
    u->aux3 = has(d, PTX_M_hi);
    plain(d, d->insn->op == PTX_OP_dp4a ? PTX_H_dp4a : PTX_H_dp2a);
    break;
  default:
    break;
  }
}

static enum ptx_video_op video_op(enum ptx_op op) {
  switch ((int)op) {
  case PTX_OP_vadd:
  case PTX_OP_vadd2:
  case PTX_OP_vadd4:
    return PTX_V_ADD;
  case PTX_OP_vsub:
  case PTX_OP_vsub2:
  case PTX_OP_vsub4:
    return PTX_V_SUB;
  case PTX_OP_vabsdiff:
  case PTX_OP_vabsdiff2:
  case PTX_OP_vabsdiff4:
    return PTX_V_ABSDIFF;
  case PTX_OP_vavrg2:
  case PTX_OP_vavrg4:
    return PTX_V_AVRG;
  case PTX_OP_vmin:
  case PTX_OP_vmin2:
  case PTX_OP_vmin4:
    return PTX_V_MIN;
  case PTX_OP_vmax:
  case PTX_OP_vmax2:
  case PTX_OP_vmax4:
    return PTX_V_MAX;
  case PTX_OP_vshl:
    return PTX_V_SHL;
  case PTX_OP_vshr:
    return PTX_V_SHR;
  default: /* vset; vmad has a handler of its own */
    return PTX_V_SET;
  }
}

/* Which part each lane takes: as the selector says, or in order from `first` on. */
static void video_parts(const struct ptx_operand *o, unsigned lanes, unsigned first,
                        uint8_t at[4]) {
  if (lanes == 1) {
    at[0] = o->half;
    return;
  }
  for (unsigned k = 0; k < lanes; k++)
    at[k] = (uint8_t)(o->half == 0 ? first + k : o->imm >> 4 * k & 15);
}

static uint8_t video_mask(const struct ptx_operand *o, unsigned lanes) {
  unsigned mask = 0;
  if (o->half == 0) return (uint8_t)((1u << lanes) - 1);
  if (o->half < 7) return (uint8_t)(1u << (lanes == 2 ? o->half - 5 : o->half - 1));
  for (unsigned k = 0; k < o->imm >> 32; k++)
    mask |= 1u << (o->imm >> 4 * k & 15);
  return (uint8_t)mask;
}

static void decode_video(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  const struct ptx_operand *o = d->insn->opnds;
  bool is_mad = d->insn->op == PTX_OP_vmad;
  struct ptx_video *v = weir_arena_alloc(&d->prog->arena, sizeof *v);
  if (v == NULL) {
    dec_fail(d, "out of memory");
    return;
  }
  v->op = (uint8_t)video_op((enum ptx_op)d->insn->op);
  bool is_set = v->op == PTX_V_SET && !is_mad;
  v->lanes = (uint8_t)ptx_video_lanes((enum ptx_op)d->insn->op);
  v->then = has(d, PTX_M_add)   ? PTX_V_THEN_ADD
            : has(d, PTX_M_min) ? PTX_V_THEN_MIN
            : has(d, PTX_M_max) ? PTX_V_THEN_MAX
                                : PTX_V_PLAIN;
  v->cmp = (uint8_t)comparison(d);
  v->sat = has(d, PTX_M_sat);
  v->wrap = has(d, PTX_M_wrap);
  v->d_signed = ptx_type_is_signed(type(d, 0)); /* of vset the first operand's, as on an H200 */
  v->a_signed = ptx_type_is_signed(type(d, is_set ? 0 : 1));
  v->b_signed = ptx_type_is_signed(type(d, is_set ? 1 : 2));
  video_parts(&o[1], v->lanes, 0, v->a_at);
  video_parts(&o[2], v->lanes, v->lanes, v->b_at);
  v->mask = v->lanes > 1 ? video_mask(&o[0], v->lanes) : 0;
  v->d_at = v->lanes == 1 ? o[0].half : 0;
  v->scale = has(d, PTX_M_shr7) ? 7 : has(d, PTX_M_shr15) ? 15 : 0;
  v->neg_ab = o[1].minus != o[2].minus;
  v->neg_c = is_mad && o[3].minus;
  v->plus_one = has(d, PTX_M_po);
  u->d = dst(d, 0);
  u->a = src(d, 1, PTX_T_b32);
  u->b = src(d, 2, PTX_T_b32);
  u->c = d->insn->n_opnds > 3 ? src(d, 3, PTX_T_b32) : u->a;
  u->x.video = v;
  plain(d, is_mad ? PTX_H_vmad : v->lanes > 1 ? PTX_H_video_simd : PTX_H_video);
}

static void decode_shift(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  enum ptx_type t = type(d, 0);
  u->d = dst(d, 0);
  u->a = src(d, 1, t);
  if (d->insn->op == PTX_OP_shf) {
    u->b = src(d, 2, PTX_T_b32);
    u->c = src(d, 3, PTX_T_u32);
    u->aux = has(d, PTX_M_wrap);
    plain(d, has(d, PTX_M_l) ? PTX_H_shf_l : PTX_H_shf_r);
    return;
  }
  u->b = src(d, 2, PTX_T_u32);
  if (d->insn->op == PTX_OP_shl)
    plain(d, PICK_W3(shl, t));
  else
    plain(d, PICK_US6(shr, t));
}

static void decode_prmt(struct decoder *d) {
  static const enum ptx_mod modes[] = {PTX_M_f4e, PTX_M_b4e, PTX_M_rc8,
                                       PTX_M_ecl, PTX_M_ecr, PTX_M_rc16};
  operands(d, PTX_T_b32, 3);
  for (unsigned k = 0; k < 6; k++)
    if (has(d, modes[k])) d->uop->aux = (uint8_t)(k + 1);
  plain(d, PTX_H_prmt);
}

static void decode_select(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  enum ptx_type t = type(d, 0);
  u->d = dst(d, 0);
  u->a = src(d, 1, t);
  u->b = src(d, 2, t);
  if (d->insn->op == PTX_OP_selp) {
    bool neg = false;
    u->c = pred_src(d, 3, &neg);
    u->aux = neg;
    plain(d, PICK_W3(selp, t));
  } else {
    u->c = src(d, 3, type(d, 1));
    u->aux = has(d, PTX_M_ftz);
    plain(d, type(d, 1) == PTX_T_f32 ? PICK_W3(slctf, t) : PICK_W3(slct, t));
  }
}

/* ---- moves ---- */

static bool decode_clock(struct decoder *d, enum ptx_sreg s) {
  struct ptx_uop *u = d->uop;
  u->imm = (uint64_t)d->cfg->clock_factor;
  switch (s) {
  case PTX_SR_clock:
  case PTX_SR_clock64:
    break;
  case PTX_SR_clock_hi:
    u->aux2 = 1;
    break;
  case PTX_SR_globaltimer:
  case PTX_SR_globaltimer_lo:
    u->aux = 1;
    break;
  case PTX_SR_globaltimer_hi:
    u->aux = 1, u->aux2 = 1;
    break;
  default:
    return false;
  }
  d->prog->reads_clock = true;
  u->d = dst(d, 0);
  u->reg_bytes = (uint8_t)width(type(d, 0));
  plain(d, PTX_H_mov_clock);
  return true;
}

static void decode_mov(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  enum ptx_type t = type(d, 0);
  const struct ptx_operand *to = &d->insn->opnds[0], *from = &d->insn->opnds[1];
  if (t == PTX_T_pred) {
    decode_logic(d, PTX_H_mov_pred, PTX_H_none, PTX_H_none, PTX_H_none, 1);
    return;
  }
  if (to->kind == PTX_O_vec || from->kind == PTX_O_vec) {
    const struct ptx_operand *v = to->kind == PTX_O_vec ? to : from;
    uint32_t *list = dec_list(d, v->n_elem);
    if (list == NULL) return;
    u->n_vec = (uint8_t)v->n_elem;
    u->reg_bytes = (uint8_t)width(t);
    u->size = (uint8_t)(u->reg_bytes / v->n_elem);
    for (unsigned k = 0; k < v->n_elem; k++) {
      const struct ptx_operand *e = &v->elem[k];
      if (e->kind == PTX_O_sink)
        list[k] = UINT32_MAX;
      else if (e->kind == PTX_O_reg)
        list[k] = dec_reg(d, e->reg);
      else
        list[k] = dec_const(d, dec_imm_bits(e, PTX_T_none), u->size);
    }
    u->x.list = list;
    u->kind = PTX_K_PLAIN;
    if (v == to) {
      u->a = src(d, 1, t);
      u->h = u->reg_bytes == 16 ? PTX_H_unpack_b128 : PTX_H_unpack;
    } else {
      u->d = dst(d, 0);
      u->h = u->reg_bytes == 16 ? PTX_H_pack_b128 : PTX_H_pack;
      if (u->d == UINT32_MAX) u->kind = PTX_K_NOP;
    }
    return;
  }
  if (from->kind == PTX_O_sreg && decode_clock(d, from->sreg)) return;
  if (from->kind == PTX_O_var && from->var->space == PTX_SPACE_local) {
    u->d = dst(d, 0);
    u->imm = var_addr(d, from->var) + from->imm;
    u->reg_bytes = (uint8_t)width(t);
    plain(d, PTX_H_mov_frame);
    return;
  }
  operands(d, t, 1);
  plain(d, width(t) == 16 ? PTX_H_mov_b128 : PICK_W3(mov, t));
}

static uint64_t window_of(const struct decoder *d) {
  bool is_shared = has(d, PTX_M_shared) || has(d, PTX_M_shared_cta) || has(d, PTX_M_shared_cluster);
  return is_shared                                          ? PTX_SHARED_BASE
         : has(d, PTX_M_local)                              ? PTX_LOCAL_BASE
         : has(d, PTX_M_param) || has(d, PTX_M_param_entry) ? PTX_PARAM_BASE
                                                            : 0;
}

static void decode_cvta(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  const struct ptx_operand *from = &d->insn->opnds[1];
  unsigned bytes = width(type(d, 0));
  u->imm = window_of(d);
  u->d = dst(d, 0);
  u->size = (uint8_t)bytes;
  u->reg_bytes = (uint8_t)bytes;
  if (from->kind == PTX_O_var && from->var->space == PTX_SPACE_local && !has(d, PTX_M_to)) {
    u->imm += var_addr(d, from->var) + from->imm;
    plain(d, PTX_H_mov_frame);
    return;
  }
  u->a = src(d, 1, bytes == 4 ? PTX_T_u32 : PTX_T_u64);
  if (u->imm == 0)
    plain(d, bytes == 4 ? PTX_H_mov_b32 : PTX_H_mov_b64);
  else
    plain(d, has(d, PTX_M_to) ? PTX_H_cvta_to : PTX_H_cvta_from);
}

static void decode_isspacep(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  u->d = dst(d, 0);
  u->imm = window_of(d);
  if (u->imm == 0) u->imm = PTX_GLOBAL_BASE;
  u->aux = has(d, PTX_M_const);
  u->reg_bytes = 8;
  const struct ptx_operand *from = &d->insn->opnds[1];
  if (from->kind == PTX_O_reg) u->reg_bytes = (uint8_t)dec_reg_bytes(d, from->reg);
  u->a = src(d, 1, u->reg_bytes == 4 ? PTX_T_u32 : PTX_T_u64);
  plain(d, PTX_H_isspacep);
}

static enum ptx_cvt_type cvt_type(enum ptx_type t) {
  switch (t) {
  case PTX_T_u8:
    return PTX_CVT_U8;
  case PTX_T_s8:
    return PTX_CVT_S8;
  case PTX_T_u16:
    return PTX_CVT_U16;
  case PTX_T_s16:
    return PTX_CVT_S16;
  case PTX_T_u32:
    return PTX_CVT_U32;
  case PTX_T_s32:
    return PTX_CVT_S32;
  case PTX_T_u64:
    return PTX_CVT_U64;
  case PTX_T_s64:
    return PTX_CVT_S64;
  case PTX_T_f16:
    return PTX_CVT_F16;
  case PTX_T_bf16:
    return PTX_CVT_BF16;
  case PTX_T_tf32:
    return PTX_CVT_TF32;
  case PTX_T_f32:
    return PTX_CVT_F32;
  default:
    return PTX_CVT_F64;
  }
}

static struct ptx_cvtmode cvt_mode(const struct decoder *d) {
  bool integral = has(d, PTX_M_rni) || has(d, PTX_M_rzi) || has(d, PTX_M_rmi) || has(d, PTX_M_rpi);
  return (struct ptx_cvtmode){.rnd = has(d, PTX_M_rna) ? PTX_RNA : rounding(d),
                              .integral = integral,
                              .ftz = has(d, PTX_M_ftz),
                              .sat = has(d, PTX_M_sat),
                              .relu = has(d, PTX_M_relu),
                              .satfinite = has(d, PTX_M_satfinite)};
}

static uint64_t pack_cvt_mode(struct ptx_cvtmode m) {
  return m.rnd | (uint64_t)m.integral << 8 | (uint64_t)m.ftz << 16 | (uint64_t)m.sat << 24 |
         (uint64_t)m.relu << 32 | (uint64_t)m.satfinite << 40;
}

/* Two f32 to a pair of halves: a is the upper one. */
static void decode_cvt_pack2(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  u->d = dst(d, 0);
  u->a = src(d, 1, PTX_T_f32);
  u->b = src(d, 2, PTX_T_f32);
  u->aux = type(d, 0) == PTX_T_f16x2 ? PTX_CVT_F16 : PTX_CVT_BF16;
  u->imm = pack_cvt_mode(cvt_mode(d));
  plain(d, PTX_H_cvt_pack2);
}

/* Two numbers, saturated to `size` bits each, in the low bits of the destination. */
static void decode_pack(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  u->aux = has(d, PTX_M_u16) || has(d, PTX_M_s16) ? 16
           : has(d, PTX_M_u8) || has(d, PTX_M_s8) ? 8
           : has(d, PTX_M_u4) || has(d, PTX_M_s4) ? 4
                                                  : 2;
  u->is_signed = has(d, PTX_M_s16) || has(d, PTX_M_s8) || has(d, PTX_M_s4) || has(d, PTX_M_s2);
  u->d = dst(d, 0);
  u->a = src(d, 1, PTX_T_s32);
  u->b = src(d, 2, PTX_T_s32);
  u->c = d->insn->n_opnds > 3 ? src(d, 3, PTX_T_b32) : dec_const(d, 0, 4);
  plain(d, PTX_H_cvt_pack);
}

static void decode_cvt(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  if (has(d, PTX_M_pack)) {
    decode_pack(d);
    return;
  }
  enum ptx_type dt = type(d, 0), st = type(d, 1);
  if (dt == PTX_T_f16x2 || dt == PTX_T_bf16x2) {
    decode_cvt_pack2(d);
    return;
  }
  const struct ptx_operand *to = &d->insn->opnds[0], *from = &d->insn->opnds[1];
  u->d = dst(d, 0);
  if (u->d == UINT32_MAX) {
    u->kind = PTX_K_NOP;
    return;
  }
  u->a = src(d, 1, st);
  u->reg_bytes = (uint8_t)dec_reg_bytes(d, to->reg);
  u->size = (uint8_t)(from->kind == PTX_O_reg ? dec_reg_bytes(d, from->reg) : width(st));
  struct ptx_cvtmode m = cvt_mode(d);
  u->aux = (uint8_t)cvt_type(dt);
  u->aux2 = (uint8_t)cvt_type(st);
  u->is_signed = ptx_type_is_signed(dt);
  bool same = u->reg_bytes == width(dt) && u->size == width(st);
  bool bare = same && !m.sat && !m.ftz && m.rnd == PTX_RN && !m.integral;
  enum ptx_handler h = PTX_H_cvt;
  if (bare && dt == PTX_T_s64 && st == PTX_T_s32)
    h = PTX_H_cvt_s64_s32;
  else if (bare && dt == PTX_T_u64 && st == PTX_T_u32)
    h = PTX_H_cvt_u64_u32;
  else if (bare && (dt == PTX_T_u32 || dt == PTX_T_s32) && (st == PTX_T_u64 || st == PTX_T_s64))
    h = PTX_H_cvt_u32_u64;
  else if (bare && dt == PTX_T_f32 && st == PTX_T_s32)
    h = PTX_H_cvt_f32_s32;
  else if (bare && dt == PTX_T_f32 && st == PTX_T_u32)
    h = PTX_H_cvt_f32_u32;
  u->imm = pack_cvt_mode(m);
  u->x.cvt = ptx_cvt_select((enum ptx_cvt_type)u->aux, (enum ptx_cvt_type)u->aux2, m);
  u->kind = PTX_K_PLAIN;
  u->h = (uint16_t)h;
}

/* ---- memory ---- */

static uint8_t space_of(const struct decoder *d) {
  if (has(d, PTX_M_global)) return PTX_SPACE_global;
  if (has(d, PTX_M_shared) || has(d, PTX_M_shared_cta)) return PTX_SPACE_shared;
  if (has(d, PTX_M_local)) return PTX_SPACE_local;
  if (has(d, PTX_M_const)) return PTX_SPACE_const;
  if (has(d, PTX_M_param) || has(d, PTX_M_param_entry) || has(d, PTX_M_param_func))
    return PTX_SPACE_param;
  return PTX_SPACE_none;
}

static unsigned vector_of(const struct decoder *d) {
  return has(d, PTX_M_v2) ? 2 : has(d, PTX_M_v4) ? 4 : has(d, PTX_M_v8) ? 8 : 1;
}

/* Base register and offset of an address. */
static void decode_address(struct decoder *d, const struct ptx_operand *o) {
  struct ptx_uop *u = d->uop;
  u->imm = o->imm;
  if (o->var != NULL) {
    u->imm += var_addr(d, o->var);
    u->base_kind = PTX_BASE_CONST;
    if (o->var->space == PTX_SPACE_local) u->base_kind = PTX_BASE_FRAME;
    if (u->space == PTX_SPACE_none) { /* a generic access through a name */
      if (o->var->space == PTX_SPACE_shared) u->imm += PTX_SHARED_BASE;
      if (o->var->space == PTX_SPACE_local) u->imm += PTX_LOCAL_BASE;
      if (o->var->space == PTX_SPACE_param) u->imm += PTX_PARAM_BASE;
    }
    return;
  }
  if (!o->has_base) { /* an absolute address */
    u->base_kind = PTX_BASE_CONST;
    return;
  }
  u->a = dec_reg(d, o->reg);
  u->base_kind = dec_reg_bytes(d, o->reg) == 4 ? PTX_BASE_REG32 : PTX_BASE_REG64;
}

void dec_data(struct decoder *d, const struct ptx_operand *o, bool is_store) {
  struct ptx_uop *u = d->uop;
  enum ptx_type t = type(d, 0);
  u->size = (uint8_t)width(t);
  u->n_vec = (uint8_t)vector_of(d);
  u->is_signed = ptx_type_is_signed(t);
  u->reg_bytes = u->size;
  unsigned n = o->kind == PTX_O_vec ? o->n_elem : 1;
  for (unsigned k = 0; k < n; k++) {
    const struct ptx_operand *e = o->kind == PTX_O_vec ? &o->elem[k] : o;
    if (e->kind == PTX_O_reg) u->reg_bytes = (uint8_t)dec_reg_bytes(d, e->reg);
  }
  uint32_t *list = dec_list(d, n);
  if (list == NULL) return;
  for (unsigned k = 0; k < n; k++) {
    const struct ptx_operand *e = o->kind == PTX_O_vec ? &o->elem[k] : o;
    if (e->kind == PTX_O_sink)
      list[k] = UINT32_MAX;
    else if (e->kind == PTX_O_reg) {
      if (dec_reg_bytes(d, e->reg) != u->reg_bytes) {
        dec_fail(d, "the registers of a vector must have one size");
        return;
      }
      list[k] = dec_reg(d, e->reg);
    } else
      list[k] = dec_const(d, dec_imm_bits(e, t), u->reg_bytes);
  }
  u->x.list = list;
  if (is_store)
    u->b = list[0];
  else
    u->d = list[0];
}

/* ld.param and st.param: parameters of the kernel are slots; those of functions are records in the
 * register block. */
static void decode_param_access(struct decoder *d, bool is_store) {
  struct ptx_uop *u = d->uop;
  const struct ptx_operand *addr = &d->insn->opnds[is_store ? 0 : 1],
                           *data = &d->insn->opnds[is_store ? 1 : 0];
  dec_data(d, data, is_store);
  if (d->is_failed) return;
  const struct ptx_func *f = dec_func(d);
  bool is_kernel_param = false;
  for (uint32_t i = 0; f->is_entry && i < f->n_params; i++)
    is_kernel_param |= addr->var == &f->params[i];
  if (addr->var == NULL || is_kernel_param) {
    if (is_store) {
      dec_fail(d, "a kernel's parameters cannot be stored to");
      return;
    }
    if (addr->var != NULL && u->n_vec == 1 && u->size < 16) {
      uint64_t at = addr->var->offset + addr->imm;
      if (at > f->param_bytes || f->param_bytes - at < u->size) {
        dec_fail(d, "the access lies outside of the kernel's parameters");
        return;
      }
      u->a = dec_param(d, (uint32_t)at, u->size, u->reg_bytes, u->is_signed);
      plain(d, u->reg_bytes == 1   ? PTX_H_mov_b8
               : u->reg_bytes == 2 ? PTX_H_mov_b16
               : u->reg_bytes == 4 ? PTX_H_mov_b32
                                   : PTX_H_mov_b64);
      return;
    }
    u->space = PTX_SPACE_param;
    decode_address(d, addr);
    u->kind = PTX_K_MEM;
    u->h = PTX_H_ldparam;
    return;
  }
  if (addr->imm > addr->var->bytes || addr->var->bytes - addr->imm < (uint64_t)u->size * u->n_vec) {
    dec_fail(d, "the access lies outside of parameter '%s' (%llu bytes)", addr->var->name,
             (unsigned long long)addr->var->bytes);
    return;
  }
  u->imm = addr->var->bytes;
  u->c = (uint32_t)addr->imm;
  if (is_store)
    u->d = dec_place(d, addr->var);
  else
    u->a = dec_place(d, addr->var);
  u->kind = PTX_K_PLAIN;
  u->h = is_store ? PTX_H_param_st : PTX_H_param_ld;
}

static void decode_ld_st(struct decoder *d, bool is_store) {
  struct ptx_uop *u = d->uop;
  u->space = space_of(d);
  if (u->space == PTX_SPACE_param) {
    decode_param_access(d, is_store);
    return;
  }
  const struct ptx_operand *addr = &d->insn->opnds[is_store ? 0 : 1],
                           *data = &d->insn->opnds[is_store ? 1 : 0];
  dec_data(d, data, is_store);
  decode_address(d, addr);
  u->kind = PTX_K_MEM;
  bool simple = u->n_vec == 1 && u->size == u->reg_bytes && (is_store || u->d != UINT32_MAX);
  if (simple && u->space == PTX_SPACE_global && u->size == 4)
    u->h = is_store ? PTX_H_stg_b32 : PTX_H_ldg_b32;
  else if (simple && u->space == PTX_SPACE_global && u->size == 8)
    u->h = is_store ? PTX_H_stg_b64 : PTX_H_ldg_b64;
  else if (simple && u->space == PTX_SPACE_shared && u->size == 4)
    u->h = is_store ? PTX_H_sts_b32 : PTX_H_lds_b32;
  else
    u->h = is_store ? PTX_H_st : PTX_H_ld;
}

static void decode_atom(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  bool is_red = d->insn->op == PTX_OP_red;
  enum ptx_type t = type(d, 0);
  static const struct {
    enum ptx_mod m;
    enum ptx_atom a;
  } ops[] = {{PTX_M_add, PTX_ATOM_ADD}, {PTX_M_min, PTX_ATOM_MIN}, {PTX_M_max, PTX_ATOM_MAX},
             {PTX_M_inc, PTX_ATOM_INC}, {PTX_M_dec, PTX_ATOM_DEC}, {PTX_M_and, PTX_ATOM_AND},
             {PTX_M_or, PTX_ATOM_OR},   {PTX_M_xor, PTX_ATOM_XOR}, {PTX_M_exch, PTX_ATOM_EXCH},
             {PTX_M_cas, PTX_ATOM_CAS}};
  for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
    if (has(d, ops[k].m)) u->aux = (uint8_t)ops[k].a;
  u->aux2 = t == PTX_T_f32 || t == PTX_T_f64     ? PTX_ATOM_FLOAT
            : t == PTX_T_f16 || t == PTX_T_f16x2 ? PTX_ATOM_F16
            : is_half(t)                         ? PTX_ATOM_BF16
            : ptx_type_is_signed(t)              ? PTX_ATOM_SIGNED
                                                 : PTX_ATOM_UNSIGNED;
  u->size = (uint8_t)width(t);
  u->reg_bytes = u->size;
  u->n_vec = 1;
  u->space = space_of(d);
  unsigned k = is_red ? 0 : 1;
  u->d = is_red ? UINT32_MAX : dst(d, 0);
  decode_address(d, &d->insn->opnds[k]);
  u->b = src(d, k + 1, t);
  if (u->aux == PTX_ATOM_CAS) u->c = src(d, k + 2, t);
  u->kind = PTX_K_MEM;
  u->h = PTX_H_atom;
}

static void decode_mbarrier(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  /* Copies are done at once: what an arrival without .noinc adds to be waited for is taken off
   * again. */
  if (d->insn->op == PTX_OP_cp && !has(d, PTX_M_noinc)) {
    u->kind = PTX_K_NOP;
    return;
  }
  if (has(d, PTX_M_pending_count)) {
    u->d = dst(d, 0);
    u->a = src(d, 1, PTX_T_b64);
    plain(d, PTX_H_mbarrier_pending);
    return;
  }
  bool is_arrival = has(d, PTX_M_arrive) || has(d, PTX_M_arrive_drop);
  bool tests = has(d, PTX_M_test_wait) || has(d, PTX_M_try_wait);
  u->aux = has(d, PTX_M_init)                      ? PTX_MB_INIT
           : has(d, PTX_M_inval)                   ? PTX_MB_INVAL
           : tests && has(d, PTX_M_parity)         ? PTX_MB_PARITY
           : tests                                 ? PTX_MB_TEST
           : is_arrival && has(d, PTX_M_expect_tx) ? PTX_MB_ARRIVE_EXPECT
           : is_arrival                            ? PTX_MB_ARRIVE
           : has(d, PTX_M_expect_tx)               ? PTX_MB_EXPECT
                                                   : PTX_MB_COMPLETE;
  u->aux2 = has(d, PTX_M_arrive_drop);
  u->size = u->reg_bytes = 8;
  u->space = space_of(d);
  unsigned k = (is_arrival && d->insn->op == PTX_OP_mbarrier) || tests ? 1 : 0; /* the address */
  u->d = k == 1 ? dst(d, 0) : UINT32_MAX;
  decode_address(d, &d->insn->opnds[k]);
  u->b = d->insn->n_opnds > k + 1 ? src(d, k + 1, u->aux == PTX_MB_TEST ? PTX_T_b64 : PTX_T_u32)
                                  : dec_const(d, 1, 4);
  u->kind = PTX_K_MEM;
  u->h = PTX_H_mbarrier;
}

/* A cache policy changes nothing that a program can see, and its bits mean nothing to it. */
static void decode_policy(struct decoder *d) {
  d->uop->d = dst(d, 0);
  d->uop->a = dec_const(d, 0, 8);
  plain(d, PTX_H_mov_b64);
}

/* ---- control and synchronisation ---- */

static uint32_t label_at(const struct decoder *d, uint32_t label) {
  return d->prog->funcs[d->func].entry + label;
}

/* Where the sides of the branch at IR index i meet. */
static uint32_t meeting_point(const struct decoder *d, uint32_t i) {
  const struct ptx_cfg *cfg = &dec_func(d)->cfg;
  uint32_t b = cfg->blocks[cfg->block_of[i]].ipdom;
  return b >= cfg->n_blocks ? PTX_NO_RPC : label_at(d, cfg->blocks[b].first);
}

static void decode_branch(struct decoder *d, uint32_t i) {
  struct ptx_uop *u = d->uop;
  u->rpc = meeting_point(d, i);
  if (d->insn->op == PTX_OP_bra) {
    u->kind = PTX_K_BRA;
    u->target = label_at(d, d->insn->opnds[0].label);
    return;
  }
  const struct ptx_table *t = d->insn->opnds[1].table;
  uint32_t *list = dec_list(d, t->n);
  if (list == NULL) return;
  for (uint32_t k = 0; k < t->n; k++)
    list[k] = label_at(d, t->labels[k]);
  u->kind = PTX_K_BRX;
  u->a = src(d, 0, PTX_T_u32);
  u->x.list = list;
  u->target = t->n;
}

/* Where an argument or result of a call is in the caller: a register, a parameter, an immediate of
 * the formal's type. */
static bool actual_slot(struct decoder *d, const struct ptx_operand *actual,
                        const struct ptx_var *formal, bool is_result, uint32_t *slot) {
  uint32_t bytes;
  if (actual->kind == PTX_O_reg) {
    *slot = dec_reg(d, actual->reg);
    bytes = dec_reg_bytes(d, actual->reg);
  } else if (actual->kind == PTX_O_var && actual->var->space == PTX_SPACE_param) {
    *slot = dec_place(d, actual->var);
    bytes = (uint32_t)actual->var->bytes;
  } else if (!is_result && (actual->kind == PTX_O_int || actual->kind == PTX_O_f32 ||
                            actual->kind == PTX_O_f64)) {
    bytes = (uint32_t)formal->bytes;
    *slot = dec_const(d, dec_imm_bits(actual, formal->type), bytes);
  } else if (is_result && actual->kind == PTX_O_sink) {
    *slot = UINT32_MAX;
    return true;
  } else
    return dec_fail(d, "an argument has a form that a call cannot take");
  if (formal->type != PTX_T_pred && bytes != formal->bytes)
    return dec_fail(d, "argument for '%s' has %u bytes, %llu are expected", formal->name, bytes,
                    (unsigned long long)formal->bytes);
  return true;
}

/* One argument or result: from the caller's place to the callee's, or back. */
static bool decode_copy(struct decoder *d, const struct ptx_operand *actual,
                        const struct ptx_var *formal, uint32_t callee, bool is_result,
                        struct ptx_copy *out) {
  uint32_t there, here;
  if (formal->space == PTX_SPACE_reg) {
    const struct ptx_func *f = d->prog->funcs[callee].ir;
    there = UINT32_MAX;
    for (uint32_t r = 0; r < f->n_regs; r++)
      if (strcmp(f->regs[r].name, formal->name) == 0) {
        there = d->reg_offset[callee][r];
        break;
      }
    if (there == UINT32_MAX)
      return dec_fail(d, "register parameter '%s' has no register", formal->name);
  } else
    there = dec_place(d, formal);
  if (!actual_slot(d, actual, formal, is_result, &here)) return false;
  out->lane_bytes = formal->type == PTX_T_pred ? 0 : (uint32_t)formal->bytes;
  out->from = is_result ? there : here;
  out->to = is_result ? here : there;
  return true;
}

/* A function of CUDA's device library. */
static void decode_builtin(struct decoder *d, const struct ptx_func *f, enum ptx_builtin which,
                           const struct ptx_operand *rets, const struct ptx_operand *args) {
  uint32_t *list = dec_list(d, PTX_B_SLOTS);
  if (list == NULL) return;
  list[PTX_B_RESULT] = UINT32_MAX;
  if (f->n_rets > 0 && !actual_slot(d, &rets->elem[0], &f->rets[0], true, &list[PTX_B_RESULT]))
    return;
  for (uint32_t k = 0; k < f->n_params; k++)
    if (!actual_slot(d, &args->elem[k], &f->params[k], false, &list[PTX_B_ARGS + k])) return;
  d->prog->has_builtins = true;
  d->prog->uses_heap |= which == PTX_B_malloc || which == PTX_B_free;
  d->uop->kind = PTX_K_BUILTIN;
  d->uop->aux = (uint8_t)which;
  d->uop->x.list = list;
}

/* What a call of one function copies; NULL: it failed. */
static const struct ptx_call *call_of(struct decoder *d, const struct ptx_func *f,
                                      const struct ptx_operand *rets,
                                      const struct ptx_operand *args) {
  uint32_t callee = (uint32_t)dec_func_index(d, f), n_out = 0;
  struct ptx_call *call = weir_arena_alloc(&d->prog->arena, sizeof *call);
  struct ptx_copy *copies =
      weir_arena_array(&d->prog->arena, (size_t)args->n_elem + rets->n_elem + 1, sizeof *copies);
  if (call == NULL || copies == NULL) {
    dec_fail(d, "out of memory");
    return NULL;
  }
  if (args->n_elem != f->n_params || rets->n_elem != f->n_rets) {
    dec_fail(d, "'%s' takes %u arguments and gives %u results", f->name, f->n_params, f->n_rets);
    return NULL;
  }
  struct ptx_copy *out = copies + args->n_elem;
  for (uint32_t k = 0; k < args->n_elem; k++)
    if (!decode_copy(d, &args->elem[k], &f->params[k], callee, false, &copies[k])) return NULL;
  for (uint32_t k = 0; k < rets->n_elem; k++) {
    if (rets->elem[k].kind == PTX_O_sink) continue; /* a result that nobody wants */
    if (!decode_copy(d, &rets->elem[k], &f->rets[k], callee, true, &out[n_out++])) return NULL;
  }
  *call = (struct ptx_call){
      .func = callee, .n_in = args->n_elem, .n_out = n_out, .in = copies, .out = out};
  return call;
}

static void decode_indirect(struct decoder *d) {
  const struct ptx_call **calls =
      weir_arena_array(&d->prog->arena, d->prog->n_funcs, sizeof *calls);
  if (calls == NULL) {
    dec_fail(d, "out of memory");
    return;
  }
  const struct ptx_func *f;
  for (size_t k = 0; (f = dec_next_callee(d, d->insn, &k)) != NULL;) {
    int callee = dec_func_index(d, f);
    if (callee < 0) continue;
    calls[callee] = call_of(d, f, &d->insn->opnds[0], &d->insn->opnds[2]);
    if (calls[callee] == NULL) return;
  }
  d->uop->kind = PTX_K_ICALL;
  d->uop->a = src(d, 1, PTX_T_u64);
  d->uop->x.calls = calls;
}

static void decode_call(struct decoder *d) {
  const struct ptx_operand *rets = &d->insn->opnds[0], *args = &d->insn->opnds[2];
  if (d->insn->opnds[1].kind != PTX_O_func) {
    decode_indirect(d);
    return;
  }
  const struct ptx_func *f = ptx_callee(d->image->module, d->insn->opnds[1].func);
  enum ptx_builtin builtin = ptx_builtin_find(f);
  if (builtin != PTX_B_NONE) {
    decode_builtin(d, f, builtin, rets, args);
    return;
  }
  if (dec_func_index(d, f) < 0) {
    dec_fail(d, "function '%s' has no body in this module", f->name);
    return;
  }
  d->uop->kind = PTX_K_CALL;
  d->uop->x.call = call_of(d, f, rets, args);
}

static void decode_bar(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  if (has(d, PTX_M_warp)) {
    u->kind = PTX_K_SYNC;
    u->aux = PTX_SYNC_BARRIER;
    u->size = 4;
    uint32_t *list = dec_list(d, PTX_SYNC_SLOTS);
    if (list == NULL) return;
    list[PTX_SYNC_MEMBERS] = src(d, 0, PTX_T_b32);
    u->x.list = list;
    return;
  }
  u->kind = PTX_K_BAR;
  u->d = UINT32_MAX;
  u->b = UINT32_MAX;
  unsigned k = 0, n = d->insn->n_opnds;
  bool is_red = has(d, PTX_M_red);
  if (is_red) {
    bool neg = false;
    u->d = dst(d, 0);
    u->c = pred_src(d, n - 1, &neg);
    u->aux2 = neg;
    k = 1;
    n--;
  }
  u->aux = has(d, PTX_M_arrive) ? PTX_BAR_ARRIVE
           : !is_red            ? PTX_BAR_SYNC
           : has(d, PTX_M_popc) ? PTX_BAR_POPC
           : has(d, PTX_M_and)  ? PTX_BAR_AND
                                : PTX_BAR_OR;
  u->is_aligned = d->insn->op == PTX_OP_bar || has(d, PTX_M_aligned);
  u->a = src(d, k, PTX_T_u32);
  if (n > k + 1) u->b = src(d, k + 1, PTX_T_u32);
}

static void decode_sync(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  bool is_sync = has(d, PTX_M_sync);
  uint32_t *list = dec_list(d, PTX_SYNC_SLOTS);
  if (list == NULL) return;
  for (unsigned k = 0; k < PTX_SYNC_SLOTS; k++)
    list[k] = UINT32_MAX;
  u->x.list = list;
  u->kind = PTX_K_SYNC;
  u->size = 4;
  unsigned n = d->insn->n_opnds;
  if (is_sync) list[PTX_SYNC_MEMBERS] = src(d, n - 1, PTX_T_b32);
  pair_dst(d, 0, &u->d, &list[PTX_SYNC_PRED]);
  switch ((enum ptx_op)d->insn->op) {
  case PTX_OP_shfl:
    u->aux = has(d, PTX_M_up)     ? PTX_SYNC_SHFL_UP
             : has(d, PTX_M_down) ? PTX_SYNC_SHFL_DOWN
             : has(d, PTX_M_bfly) ? PTX_SYNC_SHFL_BFLY
                                  : PTX_SYNC_SHFL_IDX;
    u->a = src(d, 1, PTX_T_b32);
    u->b = src(d, 2, PTX_T_u32);
    u->c = src(d, 3, PTX_T_u32);
    break;
  case PTX_OP_vote: {
    bool neg = false;
    u->aux = has(d, PTX_M_all)   ? PTX_SYNC_VOTE_ALL
             : has(d, PTX_M_any) ? PTX_SYNC_VOTE_ANY
             : has(d, PTX_M_uni) ? PTX_SYNC_VOTE_UNI
                                 : PTX_SYNC_VOTE_BALLOT;
    u->a = pred_src(d, 1, &neg);
    u->aux2 = neg;
    break;
  }
  case PTX_OP_match:
    u->aux = has(d, PTX_M_any) ? PTX_SYNC_MATCH_ANY : PTX_SYNC_MATCH_ALL;
    u->size = (uint8_t)width(type(d, 0));
    u->a = src(d, 1, type(d, 0));
    break;
  case PTX_OP_elect:
    u->aux = PTX_SYNC_ELECT;
    break;
  default: /* redux */
    u->aux = has(d, PTX_M_add)   ? PTX_SYNC_RED_ADD
             : has(d, PTX_M_min) ? PTX_SYNC_RED_MIN
             : has(d, PTX_M_max) ? PTX_SYNC_RED_MAX
             : has(d, PTX_M_and) ? PTX_SYNC_RED_AND
             : has(d, PTX_M_or)  ? PTX_SYNC_RED_OR
                                 : PTX_SYNC_RED_XOR;
    u->is_signed = ptx_type_is_signed(type(d, 0));
    u->a = src(d, 1, type(d, 0));
    break;
  }
}

/* ---- for decode_matrix.c ---- */

uint32_t dec_src(struct decoder *d, unsigned k, enum ptx_type t) {
  return src(d, k, t);
}

uint8_t dec_space(const struct decoder *d) {
  return space_of(d);
}

void dec_address(struct decoder *d, const struct ptx_operand *o) {
  decode_address(d, o);
}

bool dec_instruction(struct decoder *d, uint32_t at) {
  struct ptx_uop *u = d->uop;
  const struct ptx_insn *in = d->insn;
  u->guard = in->guarded ? dec_reg(d, in->guard) : SLOT_TRUE;
  u->guard_xor = in->guard_neg ? FULL : 0;
  u->rpc = PTX_NO_RPC;
  u->n_vec = 1;
  switch ((enum ptx_op)in->op) {
  case PTX_OP_add:
    decode_add(d, false);
    break;
  case PTX_OP_sub:
    decode_add(d, true);
    break;
  case PTX_OP_addc:
    decode_carry(d, PTX_H_addcc, true, has(d, PTX_M_cc), 2);
    break;
  case PTX_OP_subc:
    decode_carry(d, PTX_H_subcc, true, has(d, PTX_M_cc), 2);
    break;
  case PTX_OP_madc:
    decode_carry(d, PTX_H_madcc, true, has(d, PTX_M_cc), 3);
    break;
  case PTX_OP_mul:
    decode_mul(d, false);
    keep_factors(d);
    break;
  case PTX_OP_mad:
  case PTX_OP_fma:
    decode_mul(d, true);
    break;
  case PTX_OP_mul24:
    decode_mul24(d, false);
    break;
  case PTX_OP_mad24:
    decode_mul24(d, true);
    break;
  case PTX_OP_sad:
    operands(d, type(d, 0), 3);
    plain(d, PICK_US6(sad, type(d, 0)));
    break;
  case PTX_OP_div:
    decode_div(d);
    break;
  case PTX_OP_rem:
    operands(d, type(d, 0), 2);
    plain(d, PICK_US6(rem, type(d, 0)));
    break;
  case PTX_OP_abs:
    decode_abs_neg(d, false);
    break;
  case PTX_OP_neg:
    decode_abs_neg(d, true);
    break;
  case PTX_OP_min:
    decode_minmax(d, false);
    break;
  case PTX_OP_max:
    decode_minmax(d, true);
    break;
  case PTX_OP_popc:
  case PTX_OP_clz:
  case PTX_OP_brev:
  case PTX_OP_bfind:
  case PTX_OP_fns:
  case PTX_OP_bfe:
  case PTX_OP_bfi:
  case PTX_OP_szext:
  case PTX_OP_bmsk:
  case PTX_OP_dp4a:
  case PTX_OP_dp2a:
    decode_bits(d);
    break;
  case PTX_OP_testp: {
    static const enum ptx_mod kinds[] = {PTX_M_finite,     PTX_M_infinite, PTX_M_number,
                                         PTX_M_notanumber, PTX_M_normal,   PTX_M_subnormal};
    u->d = dst(d, 0);
    u->a = src(d, 1, type(d, 0));
    for (unsigned k = 0; k < 6; k++)
      if (has(d, kinds[k])) u->aux = (uint8_t)k;
    plain(d, type(d, 0) == PTX_T_f64 ? PTX_H_testp_f64 : PTX_H_testp_f32);
    break;
  }
  case PTX_OP_copysign:
    operands(d, type(d, 0), 2);
    plain(d, type(d, 0) == PTX_T_f64 ? PTX_H_copysign_f64 : PTX_H_copysign_f32);
    break;
  case PTX_OP_rcp:
  case PTX_OP_sqrt:
  case PTX_OP_rsqrt:
    decode_roots(d);
    break;
  case PTX_OP_sin:
    approx1(d, FP_FN(ptx_f32_sin_approx));
    break;
  case PTX_OP_cos:
    approx1(d, FP_FN(ptx_f32_cos_approx));
    break;
  case PTX_OP_lg2:
    approx1(d, FP_FN(ptx_f32_lg2_approx));
    break;
  case PTX_OP_ex2:
    if (is_half(type(d, 0)))
      half_op(d, 1, ptx_half_ex2);
    else
      approx1(d, FP_FN(ptx_f32_ex2_approx));
    break;
  case PTX_OP_tanh:
    if (is_half(type(d, 0))) {
      half_op(d, 1, ptx_half_tanh);
      break;
    }
    operands(d, PTX_T_f32, 1);
    plain(d, PTX_H_tanh_f32);
    break;
  case PTX_OP_setp:
    decode_set(d, true);
    break;
  case PTX_OP_set:
    decode_set(d, false);
    break;
  case PTX_OP_selp:
  case PTX_OP_slct:
    decode_select(d);
    break;
  case PTX_OP_and:
    decode_logic(d, PTX_H_and_pred, PTX_H_and_b16, PTX_H_and_b32, PTX_H_and_b64, 2);
    break;
  case PTX_OP_or:
    decode_logic(d, PTX_H_or_pred, PTX_H_or_b16, PTX_H_or_b32, PTX_H_or_b64, 2);
    break;
  case PTX_OP_xor:
    decode_logic(d, PTX_H_xor_pred, PTX_H_xor_b16, PTX_H_xor_b32, PTX_H_xor_b64, 2);
    break;
  case PTX_OP_not:
    decode_logic(d, PTX_H_not_pred, PTX_H_not_b16, PTX_H_not_b32, PTX_H_not_b64, 1);
    break;
  case PTX_OP_cnot:
    decode_logic(d, PTX_H_none, PTX_H_cnot_b16, PTX_H_cnot_b32, PTX_H_cnot_b64, 1);
    break;
  case PTX_OP_lop3:
    decode_lop3(d);
    break;
  case PTX_OP_shf:
  case PTX_OP_shl:
  case PTX_OP_shr:
    decode_shift(d);
    break;
  case PTX_OP_prmt:
    decode_prmt(d);
    break;
  case PTX_OP_mov:
    decode_mov(d);
    break;
  case PTX_OP_cvta:
    decode_cvta(d);
    break;
  case PTX_OP_isspacep:
    decode_isspacep(d);
    break;
  case PTX_OP_cvt:
    decode_cvt(d);
    break;
  case PTX_OP_ld:
  case PTX_OP_ldu:
    decode_ld_st(d, false);
    break;
  case PTX_OP_st:
    decode_ld_st(d, true);
    break;
  case PTX_OP_atom:
  case PTX_OP_red:
    decode_atom(d);
    break;
  case PTX_OP_cp:
    if (has(d, PTX_M_mbarrier))
      decode_mbarrier(d);
    else
      dec_copy_async(d);
    break;
  case PTX_OP_mma:
  case PTX_OP_wmma:
  case PTX_OP_ldmatrix:
  case PTX_OP_stmatrix:
  case PTX_OP_movmatrix:
    dec_matrix(d);
    break;
  case PTX_OP_createpolicy:
    decode_policy(d);
    break;
  case PTX_OP_mbarrier:
    decode_mbarrier(d);
    break;
  case PTX_OP_tex:
  case PTX_OP_tld4:
  case PTX_OP_txq:
  case PTX_OP_suld:
  case PTX_OP_sust:
  case PTX_OP_sured:
  case PTX_OP_suq:
    dec_texture(d);
    break;
  case PTX_OP_bra:
  case PTX_OP_brx:
    decode_branch(d, at - d->prog->funcs[d->func].entry);
    break;
  case PTX_OP_call:
    decode_call(d);
    break;
  case PTX_OP_ret:
    u->kind = dec_func(d)->is_entry ? PTX_K_EXIT : PTX_K_RET;
    break;
  case PTX_OP_exit:
    u->kind = PTX_K_EXIT;
    break;
  case PTX_OP_trap:
  case PTX_OP_brkpt:
    u->kind = PTX_K_TRAP;
    break;
  case PTX_OP_bar:
  case PTX_OP_barrier:
    decode_bar(d);
    break;
  case PTX_OP_shfl:
  case PTX_OP_vote:
  case PTX_OP_match:
  case PTX_OP_redux:
  case PTX_OP_elect:
    decode_sync(d);
    break;
  case PTX_OP_activemask:
    u->d = dst(d, 0);
    plain(d, PTX_H_activemask);
    break;
  case PTX_OP_membar:
  case PTX_OP_fence:
    u->kind = PTX_K_FENCE;
    break;
  case PTX_OP_nanosleep:
    u->kind = PTX_K_SLEEP;
    break;
  case PTX_OP_prefetch:
  case PTX_OP_prefetchu:
  case PTX_OP_applypriority:
  case PTX_OP_discard:
  case PTX_OP_griddepcontrol:
  case PTX_OP_pmevent:
    u->kind = PTX_K_NOP;
    break;
  default:
    if (ptx_video_lanes((enum ptx_op)in->op) == 0)
      return dec_fail(d, "'%s' is not executed", ptx_op_name((enum ptx_op)in->op));
    decode_video(d);
    break;
  }
  return !d->is_failed;
}
