/* Floating-point micro-operations. Round-to-nearest add, subtract, multiply and fused multiply-add
 * are done here in vector code; every other rounding mode, and all that is rare, goes through fp.h.
 */
#include "exec/vec.h"
#include "exec/vec_set.h"

static inline float f32_of(uint32_t v) {
  float f;
  memcpy(&f, &v, sizeof f);
  return f;
}
static inline uint32_t bits_of(float f) {
  uint32_t v;
  memcpy(&v, &f, sizeof v);
  return v;
}

/* Every NaN that a single-precision instruction makes is the canonical one. */
static inline uint32_t canon32(float f) {
  return f != f ? PTX_F32_NAN : bits_of(f);
}
static inline float flush(float f) {
  return f32_of(ptx_f32_flush(bits_of(f)));
}

#define F32_2(id, EXPR)                                                                            \
  HANDLER(id##_f32) {                                                                              \
    const float *a = REG(float, u->a), *b = REG(float, u->b);                                      \
    STORE_LANES(uint32_t, canon32(EXPR));                                                          \
  }
F32_2(add, a[i] + b[i])
F32_2(sub, a[i] - b[i])
F32_2(mul, a[i] * b[i])
F32_2(add_ftz, flush(flush(a[i]) + flush(b[i])))
F32_2(sub_ftz, flush(flush(a[i]) - flush(b[i])))
F32_2(div, a[i] / b[i])
HANDLER(sqrt_f32) {
  const float *a = REG(float, u->a);
  STORE_LANES(uint32_t, canon32(__builtin_sqrtf(a[i])));
}
HANDLER(rcp_f32) {
  const float *a = REG(float, u->a);
  STORE_LANES(uint32_t, canon32(1.0f / a[i]));
}
/* fms, fnma, fnms: with the addend, the product or both negated. */
#define FMA32(id, EXPR)                                                                            \
  HANDLER(id##_f32) {                                                                              \
    const float *a = REG(float, u->a), *b = REG(float, u->b), *c = REG(float, u->c);               \
    STORE_LANES(uint32_t, canon32(EXPR));                                                          \
  }
FMA32(fma, __builtin_fmaf(a[i], b[i], c[i]))
FMA32(fms, __builtin_fmaf(a[i], b[i], -c[i]))
FMA32(fnma, __builtin_fmaf(-a[i], b[i], c[i]))
FMA32(fnms, __builtin_fmaf(-a[i], b[i], -c[i]))
/* A result of exactly 2^-126 may have to be flushed (fp.h). */
#define PRODUCT_FTZ(id, C, A, Z, EXPR)                                                             \
  HANDLER(id##_ftz_f32) {                                                                          \
    const float *a = REG(float, u->a), *b = REG(float, u->b), *c = REG(float, C);                  \
    uint32_t t[LANES] __attribute__((aligned(64))), edge = 0;                                      \
    (void)c;                                                                                       \
    EACH_LANE t[i] = canon32(flush(EXPR));                                                         \
    EACH_LANE edge |= (uint32_t)ptx_f32_is_edge(t[i]);                                             \
    for (unsigned i = 0; edge && i < LANES; i++)                                                   \
      if (ptx_f32_is_edge(t[i]) && ptx_f32_is_tiny(A, flush(b[i]), Z, PTX_RN))                     \
        t[i] &= 0x80000000u;                                                                       \
    BLEND(uint32_t, t);                                                                            \
  }
PRODUCT_FTZ(mul, u->b, flush(a[i]), 0.0f, flush(a[i]) * flush(b[i]))
#define FMA_FTZ(id, A, Z) PRODUCT_FTZ(id, u->c, A, Z, __builtin_fmaf(A, flush(b[i]), Z))
FMA_FTZ(fma, flush(a[i]), flush(c[i]))
FMA_FTZ(fms, flush(a[i]), -flush(c[i]))
FMA_FTZ(fnma, -flush(a[i]), flush(c[i]))
FMA_FTZ(fnms, -flush(a[i]), -flush(c[i]))

/* The host's choice of NaN is not the GPU's: where a result is one, it is made again by
 * ptx_f64_nan. */
static void mend_nans(uint64_t *t, const uint64_t *a, const uint64_t *b, const uint64_t *c) {
  for (unsigned i = 0; i < LANES; i++)
    if (ptx_f64_is_nan(t[i])) t[i] = ptx_f64_nan(a[i], b[i], c[i]);
}
#define F64(id, C, EXPR)                                                                           \
  HANDLER(id##_f64) {                                                                              \
    const double *a = REG(double, u->a), *b = REG(double, u->b), *c = REG(double, C);              \
    double t[LANES] __attribute__((aligned(64)));                                                  \
    uint64_t bad = 0;                                                                              \
    (void)c;                                                                                       \
    EACH_LANE t[i] = EXPR;                                                                         \
    EACH_LANE bad |= (uint64_t)(t[i] != t[i]);                                                     \
    if (bad)                                                                                       \
      mend_nans((uint64_t *)(void *)t, REG(uint64_t, u->a), REG(uint64_t, u->b),                   \
                REG(uint64_t, C));                                                                 \
    BLEND(double, t);                                                                              \
  }
F64(add, u->b, a[i] + b[i])
F64(sub, u->b, a[i] - b[i])
F64(mul, u->b, a[i] * b[i])
F64(fma, u->c, __builtin_fma(a[i], b[i], c[i]))
F64(fms, u->c, __builtin_fma(a[i], b[i], -c[i]))
F64(fnma, u->c, __builtin_fma(-a[i], b[i], c[i]))
F64(fnms, u->c, __builtin_fma(-a[i], b[i], -c[i]))

/* ---- through fp.h: x.p is the function ---- */
typedef void (*fp1_32)(uint32_t *, const uint32_t *, struct ptx_fpmode);
typedef void (*fp2_32)(uint32_t *, const uint32_t *, const uint32_t *, struct ptx_fpmode);
typedef void (*fp3_32)(uint32_t *, const uint32_t *, const uint32_t *, const uint32_t *,
                       struct ptx_fpmode);
typedef void (*fp1_64)(uint64_t *, const uint64_t *, struct ptx_fpmode);
typedef void (*fp2_64)(uint64_t *, const uint64_t *, const uint64_t *, struct ptx_fpmode);
typedef void (*fp3_64)(uint64_t *, const uint64_t *, const uint64_t *, const uint64_t *,
                       struct ptx_fpmode);
typedef void (*fpx1_32)(uint32_t *, const uint32_t *, bool);
typedef void (*fpx2_32)(uint32_t *, const uint32_t *, const uint32_t *, bool);
typedef void (*fpx1_64)(uint64_t *, const uint64_t *);

#define VIA(id, T, CALL)                                                                           \
  HANDLER(id) {                                                                                    \
    const T *a = REG(T, u->a);                                                                     \
    T t[LANES] __attribute__((aligned(64)));                                                       \
    CALL;                                                                                          \
    BLEND(T, t);                                                                                   \
  }
VIA(fp1_f32, uint32_t, ((fp1_32)u->x.fn)(t, a, u->mode))
VIA(fp2_f32, uint32_t, ((fp2_32)u->x.fn)(t, a, REG(uint32_t, u->b), u->mode))
VIA(fp3_f32, uint32_t, ((fp3_32)u->x.fn)(t, a, REG(uint32_t, u->b), REG(uint32_t, u->c), u->mode))
VIA(fp1_f64, uint64_t, ((fp1_64)u->x.fn)(t, a, u->mode))
VIA(fp2_f64, uint64_t, ((fp2_64)u->x.fn)(t, a, REG(uint64_t, u->b), u->mode))
VIA(fp3_f64, uint64_t, ((fp3_64)u->x.fn)(t, a, REG(uint64_t, u->b), REG(uint64_t, u->c), u->mode))
VIA(approx1_f32, uint32_t, ((fpx1_32)u->x.fn)(t, a, u->mode.ftz))
VIA(approx2_f32, uint32_t, ((fpx2_32)u->x.fn)(t, a, REG(uint32_t, u->b), u->mode.ftz))
VIA(approx1_f64, uint64_t, ((fpx1_64)u->x.fn)(t, a))
VIA(tanh_f32, uint32_t, ptx_f32_tanh_approx(t, a))
/* aux: 0 min, 1 max; aux2: .NaN; aux3: .xorsign.abs; n_vec 3: three operands. */
#define MINMAX(f, T)                                                                               \
  HANDLER(minmax_##f) {                                                                            \
    const T *a = REG(T, u->a), *b = REG(T, u->b);                                                  \
    struct ptx_minmax m = {.ftz = u->mode.ftz, .nan = u->aux2, .xorsign_abs = u->aux3};            \
    T t[LANES] __attribute__((aligned(64)));                                                       \
    if (u->aux)                                                                                    \
      ptx_##f##_max(t, a, b, m);                                                                   \
    else                                                                                           \
      ptx_##f##_min(t, a, b, m);                                                                   \
    if (u->n_vec == 3) {                                                                           \
      if (u->aux)                                                                                  \
        ptx_##f##_max(t, t, REG(T, u->c), m);                                                      \
      else                                                                                         \
        ptx_##f##_min(t, t, REG(T, u->c), m);                                                      \
    }                                                                                              \
    BLEND(T, t);                                                                                   \
  }
MINMAX(f32, uint32_t)
MINMAX(f64, uint64_t)
VIA(abs_f32, uint32_t, ptx_f32_abs(t, a, u->mode.ftz))
VIA(neg_f32, uint32_t, ptx_f32_neg(t, a, u->mode.ftz))
VIA(abs_f64, uint64_t, ptx_f64_abs(t, a, false))
VIA(neg_f64, uint64_t, ptx_f64_neg(t, a, false))
VIA(copysign_f32, uint32_t, ptx_f32_copysign(t, a, REG(uint32_t, u->b)))
VIA(copysign_f64, uint64_t, ptx_f64_copysign(t, a, REG(uint64_t, u->b)))
HANDLER(testp_f32) {
  uint32_t r = ptx_f32_testp((enum ptx_testp)u->aux, REG(uint32_t, u->a));
  PRED(u->d) = (PRED(u->d) & ~mask) | (r & mask);
}
HANDLER(testp_f64) {
  uint32_t r = ptx_f64_testp((enum ptx_testp)u->aux, REG(uint64_t, u->a));
  PRED(u->d) = (PRED(u->d) & ~mask) | (r & mask);
}

/* ---- comparison: aux3 = enum ptx_cmp ---- */
HANDLER(set_f32) {
  set_result(
      w, u, mask,
      ptx_f32_cmp((enum ptx_cmp)u->aux3, REG(uint32_t, u->a), REG(uint32_t, u->b), u->mode.ftz));
}
HANDLER(set_f64) {
  set_result(w, u, mask,
             ptx_f64_cmp((enum ptx_cmp)u->aux3, REG(uint64_t, u->a), REG(uint64_t, u->b), false));
}
/* Ordered comparisons without .ftz; ne is false for NaNs. */
#define CMPF(id, T, EXPR)                                                                          \
  HANDLER(id) {                                                                                    \
    const T *a = REG(T, u->a), *b = REG(T, u->b);                                                  \
    uint32_t t[LANES] __attribute__((aligned(64)));                                                \
    EACH_LANE t[i] = (EXPR) ? FULL : 0;                                                            \
    set_result(w, u, mask, mask_of32(t));                                                          \
  }
#define CMPF6(id, T)                                                                               \
  CMPF(set_eq_##id, T, a[i] == b[i])                                                               \
  CMPF(set_ne_##id, T, a[i]<b[i] || a[i]> b[i])                                                    \
  CMPF(set_lt_##id, T, a[i] < b[i])                                                                \
  CMPF(set_le_##id, T, a[i] <= b[i])                                                               \
  CMPF(set_gt_##id, T, a[i] > b[i]) CMPF(set_ge_##id, T, a[i] >= b[i])
CMPF6(f32, float)
CMPF6(f64, double)

/* ---- half precision: x.half is the function, n_vec 2 for packed pairs, is_signed for bf16 ---- */
static inline struct ptx_halfmode half_mode(const struct ptx_uop *u) {
  return (struct ptx_halfmode){.is_bf16 = u->is_signed,
                               .n = (uint8_t)(u->n_vec * LANES),
                               .ftz = u->mode.ftz,
                               .sat = u->mode.sat,
                               .relu = u->aux,
                               .nan = u->aux2,
                               .xorsign_abs = u->aux3};
}
HANDLER(half) {
  uint16_t t[2 * LANES] __attribute__((aligned(64)));
  u->x.half(t, REG(uint16_t, u->a), REG(uint16_t, u->b), REG(uint16_t, u->c), half_mode(u));
  if (u->n_vec == 1)
    BLEND(uint16_t, t);
  else
    BLEND(uint32_t, (const uint32_t *)(const void *)t);
}

/* ---- fused sums that are rare: aux has the signs, 2 for the product's, 1 for the addend's ---- */
HANDLER(fused_f32) {
  uint32_t a[LANES] __attribute__((aligned(64))), c[LANES] __attribute__((aligned(64)));
  uint32_t t[LANES] __attribute__((aligned(64)));
  const uint32_t *ra = REG(uint32_t, u->a), *rc = REG(uint32_t, u->c);
  const uint32_t minus = u->aux & 2 ? 0x80000000u : 0, less = u->aux & 1 ? 0x80000000u : 0;
  EACH_LANE a[i] = ra[i] ^ minus;
  EACH_LANE c[i] = rc[i] ^ less;
  ptx_f32_fma(t, a, REG(uint32_t, u->b), c, u->mode);
  BLEND(uint32_t, t);
}
HANDLER(fused_half) {
  uint16_t a[2 * LANES] __attribute__((aligned(64))), c[2 * LANES] __attribute__((aligned(64)));
  uint16_t t[2 * LANES] __attribute__((aligned(64)));
  const uint16_t *ra = REG(uint16_t, u->a), *rc = REG(uint16_t, u->c);
  const uint16_t minus = u->aux & 2 ? 0x8000 : 0, less = u->aux & 1 ? 0x8000 : 0;
  struct ptx_halfmode m = {.is_bf16 = u->is_signed,
                           .n = (uint8_t)(u->n_vec * LANES),
                           .ftz = u->mode.ftz,
                           .sat = u->mode.sat};
  for (unsigned i = 0; i < m.n; i++) {
    a[i] = ra[i] ^ minus;
    c[i] = rc[i] ^ less;
  }
  ptx_half_fma(t, a, REG(uint16_t, u->b), c, m);
  if (u->n_vec == 1)
    BLEND(uint16_t, t);
  else
    BLEND(uint32_t, (const uint32_t *)(const void *)t);
}

/* A product (target is its handler) whose factors are kept for a sum: imm says where. */
HANDLER(mul_kept) {
  uint32_t a = (uint32_t)u->imm, b = (uint32_t)(u->imm >> 32);
  for (unsigned i = 0; i < LANES; i++)
    if (mask >> i & 1) {
      memcpy(w->reg + a + i * u->size, w->reg + u->a + i * u->size, u->size);
      memcpy(w->reg + b + i * u->size, w->reg + u->b + i * u->size, u->size);
    }
  switch (u->target) {
  case PTX_H_mul_f32:
    HN(mul_f32)(w, u, mask);
    break;
  case PTX_H_mul_ftz_f32:
    HN(mul_ftz_f32)(w, u, mask);
    break;
  case PTX_H_mul_f64:
    HN(mul_f64)(w, u, mask);
    break;
  default:
    HN(half)(w, u, mask);
    break;
  }
}

/* Of pairs each half is compared: setp gives two predicates, set a value for each half (imm). */
static void set_pairs(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask, uint64_t r) {
  uint32_t lower, upper;
  ptx_half_unzip(r, &lower, &upper);
  lower = set_combine(w, u, lower);
  upper = set_combine(w, u, upper);
  if (u->aux == SET_PRED_FULL) {
    if (u->d != UINT32_MAX) PRED(u->d) = (PRED(u->d) & ~mask) | (lower & mask);
    if (u->x.list[0] != UINT32_MAX)
      PRED(u->x.list[0]) = (PRED(u->x.list[0]) & ~mask) | (upper & mask);
    return;
  }
  const uint32_t yes = (uint32_t)u->imm;
  STORE_LANES(uint32_t, ((lower >> i) & 1 ? yes : 0) | ((upper >> i) & 1 ? yes << 16 : 0));
}
HANDLER(set_half) {
  struct ptx_halfmode m = {
      .is_bf16 = u->is_signed, .n = (uint8_t)(u->n_vec * LANES), .ftz = u->mode.ftz};
  uint64_t r = ptx_half_cmp((enum ptx_cmp)u->aux3, REG(uint16_t, u->a), REG(uint16_t, u->b), m);
  if (u->n_vec == 2)
    set_pairs(w, u, mask, r);
  else
    set_result(w, u, mask, (uint32_t)r);
}

/* ---- conversion ---- */
#define CVT(id, S, D, EXPR)                                                                        \
  HANDLER(id) {                                                                                    \
    const S *a = REG(S, u->a);                                                                     \
    D t[LANES] __attribute__((aligned(64)));                                                       \
    EACH_LANE t[i] = (D)(EXPR);                                                                    \
    BLEND(D, t);                                                                                   \
  }
CVT(cvt_s64_s32, int32_t, int64_t, a[i])
CVT(cvt_u64_u32, uint32_t, uint64_t, a[i])
CVT(cvt_u32_u64, uint64_t, uint32_t, a[i])
CVT(cvt_f32_s32, int32_t, float, a[i])
CVT(cvt_f32_u32, uint32_t, float, a[i])

/* The general one: source register of size bytes holds a value of type aux2 (its low bytes),
 * destination register of reg_bytes gets the value of type aux, extended by its sign (is_signed).
 * imm = (rounding, integral, ftz, sat, relu, satfinite), a byte each. */
static inline struct ptx_cvtmode cvt_mode(const struct ptx_uop *u) {
  return (struct ptx_cvtmode){(uint8_t)u->imm,         (uint8_t)(u->imm >> 8),
                              (uint8_t)(u->imm >> 16), (uint8_t)(u->imm >> 24),
                              (uint8_t)(u->imm >> 32), (uint8_t)(u->imm >> 40)};
}
static unsigned cvt_bytes(unsigned t) {
  static const uint8_t bytes[PTX_CVT_TYPES] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 4, 8};
  return bytes[t];
}
static void resize(void *d, unsigned db, const void *s, unsigned sb, bool is_signed) {
  for (unsigned i = 0; i < LANES; i++) {
    uint64_t v = 0;
    memcpy(&v, (const uint8_t *)s + i * sb, sb);
    if (is_signed && sb < 8) v = (uint64_t)((int64_t)(v << (64 - 8 * sb)) >> (64 - 8 * sb));
    memcpy((uint8_t *)d + i * db, &v, db);
  }
}
HANDLER(cvt) {
  uint64_t in[LANES] __attribute__((aligned(64))), out[LANES] __attribute__((aligned(64)));
  uint64_t wide[LANES] __attribute__((aligned(64)));
  struct ptx_cvtmode m = cvt_mode(u);
  unsigned db = cvt_bytes(u->aux), sb = cvt_bytes(u->aux2);
  const void *s = w->reg + u->a;
  if (u->size != sb) {
    resize(in, sb, s, u->size, false);
    s = in;
  }
  u->x.cvt((enum ptx_cvt_type)u->aux, (enum ptx_cvt_type)u->aux2, m, out, s);
  const void *r = out;
  if (u->reg_bytes != db) {
    resize(wide, u->reg_bytes, out, db, u->is_signed);
    r = wide;
  }
  switch (u->reg_bytes) {
  case 1:
    BLEND(uint8_t, (const uint8_t *)r);
    break;
  case 2:
    BLEND(uint16_t, (const uint16_t *)r);
    break;
  case 4:
    BLEND(uint32_t, (const uint32_t *)r);
    break;
  default:
    BLEND(uint64_t, (const uint64_t *)r);
    break;
  }
}

/* Two numbers to a pair of halves of type aux. */
HANDLER(cvt_pack2) {
  uint32_t t[LANES] __attribute__((aligned(64)));
  ptx_cvt_pack2((enum ptx_cvt_type)u->aux, cvt_mode(u), t, REG(uint32_t, u->a),
                REG(uint32_t, u->b));
  BLEND(uint32_t, t);
}
