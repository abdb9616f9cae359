/* Instructions of floating point: which function rounds as the instruction says. */
#include "exec/decode_fp.h"

#include "exec/decode_ops.h"

uint8_t dec_rounding(const struct decoder *d) {
  return dec_has(d, PTX_M_rz) || dec_has(d, PTX_M_rzi)   ? PTX_RZ
         : dec_has(d, PTX_M_rm) || dec_has(d, PTX_M_rmi) ? PTX_RM
         : dec_has(d, PTX_M_rp) || dec_has(d, PTX_M_rpi) ? PTX_RP
                                                         : PTX_RN;
}

void dec_fp_mode(struct decoder *d) {
  d->uop->mode = (struct ptx_fpmode){
      .rnd = dec_rounding(d), .ftz = dec_has(d, PTX_M_ftz), .sat = dec_has(d, PTX_M_sat)};
}

void dec_fp_op(struct decoder *d, unsigned n_src, void (*f32)(void), void (*f64)(void),
               enum ptx_handler fast32, enum ptx_handler fast32_ftz, enum ptx_handler fast64) {
  enum ptx_type t = dec_type(d, 0);
  dec_operands(d, t, n_src);
  dec_fp_mode(d);
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
  dec_set_handler(d, h);
}

static void approx_op(struct decoder *d, void (*f32)(void)) {
  dec_operands(d, dec_type(d, 0), 1);
  dec_fp_mode(d);
  d->uop->x.fn = f32;
  dec_set_handler(d, PTX_H_approx1_f32);
}

void dec_half_type(struct decoder *d, enum ptx_type t) {
  d->uop->is_signed = t == PTX_T_bf16 || t == PTX_T_bf16x2;
  d->uop->n_vec = t == PTX_T_f16x2 || t == PTX_T_bf16x2 ? 2 : 1;
}

void dec_half_op(struct decoder *d, unsigned n_src, ptx_half_fn fn) {
  enum ptx_type t = dec_type(d, 0);
  dec_operands(d, t, n_src);
  dec_fp_mode(d);
  dec_half_type(d, t);
  d->uop->aux = dec_has(d, PTX_M_relu);
  d->uop->aux2 = dec_has(d, PTX_M_NaN);
  d->uop->aux3 = dec_has(d, PTX_M_xorsign);
  d->uop->x.half = fn;
  dec_set_handler(d, PTX_H_half);
}

/* ---- functions of one operand ---- */

static void approx_f64(struct decoder *d, void (*f64)(void)) {
  dec_operands(d, PTX_T_f64, 1);
  d->uop->x.fn = f64;
  dec_set_handler(d, PTX_H_approx1_f64);
}

void dec_rcp(struct decoder *d) {
  if (!dec_has(d, PTX_M_approx))
    dec_fp_op(d, 1, FP_FN(ptx_f32_rcp), FP_FN(ptx_f64_rcp), PTX_H_rcp_f32, PTX_H_none, PTX_H_none);
  else if (dec_type(d, 0) == PTX_T_f64)
    approx_f64(d, FP_FN(ptx_f64_rcp_approx_ftz));
  else
    approx_op(d, FP_FN(ptx_f32_rcp_approx));
}

void dec_sqrt(struct decoder *d) {
  if (dec_has(d, PTX_M_approx))
    approx_op(d, FP_FN(ptx_f32_sqrt_approx));
  else
    dec_fp_op(d, 1, FP_FN(ptx_f32_sqrt), FP_FN(ptx_f64_sqrt), PTX_H_sqrt_f32, PTX_H_none,
              PTX_H_none);
}

void dec_rsqrt(struct decoder *d) {
  if (dec_type(d, 0) != PTX_T_f64)
    approx_op(d, FP_FN(ptx_f32_rsqrt_approx));
  else
    approx_f64(d, dec_has(d, PTX_M_ftz) ? FP_FN(ptx_f64_rsqrt_approx_ftz)
                                        : FP_FN(ptx_f64_rsqrt_approx));
}

void dec_sin(struct decoder *d) {
  approx_op(d, FP_FN(ptx_f32_sin_approx));
}

void dec_cos(struct decoder *d) {
  approx_op(d, FP_FN(ptx_f32_cos_approx));
}

void dec_lg2(struct decoder *d) {
  approx_op(d, FP_FN(ptx_f32_lg2_approx));
}

void dec_ex2(struct decoder *d) {
  if (dec_is_half(dec_type(d, 0)))
    dec_half_op(d, 1, ptx_half_ex2);
  else
    approx_op(d, FP_FN(ptx_f32_ex2_approx));
}

void dec_tanh(struct decoder *d) {
  if (dec_is_half(dec_type(d, 0))) {
    dec_half_op(d, 1, ptx_half_tanh);
    return;
  }
  dec_operands(d, PTX_T_f32, 1);
  dec_set_handler(d, PTX_H_tanh_f32);
}

void dec_testp(struct decoder *d) {
  static const enum ptx_mod kinds[] = {PTX_M_finite,     PTX_M_infinite, PTX_M_number,
                                       PTX_M_notanumber, PTX_M_normal,   PTX_M_subnormal};
  enum ptx_type t = dec_type(d, 0);
  d->uop->d = dec_dst(d, 0);
  d->uop->a = dec_src(d, 1, t);
  for (unsigned k = 0; k < 6; k++)
    if (dec_has(d, kinds[k])) d->uop->aux = (uint8_t)k;
  dec_set_handler(d, t == PTX_T_f64 ? PTX_H_testp_f64 : PTX_H_testp_f32);
}

void dec_copysign(struct decoder *d) {
  enum ptx_type t = dec_type(d, 0);
  dec_operands(d, t, 2);
  dec_set_handler(d, t == PTX_T_f64 ? PTX_H_copysign_f64 : PTX_H_copysign_f32);
}
