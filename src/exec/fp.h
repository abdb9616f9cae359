/* Scalar floating-point semantics of PTX.
 *
 * Every function works on the 32 lanes of a warp at once and on raw bits, so that a caller pays one
 * call for a warp instruction. All lanes are computed; the caller masks. A destination may be the
 * same array as a source, but must not overlap one otherwise. Nothing traps.
 *
 * The calling thread must be in round-to-nearest mode with gradual underflow (the state in which
 * every program starts); functions that need another rounding mode set it and put it back.
 *
 * Results are the same on every host: no function depends on the host's NaN propagation, on its
 * having a fused multiply-add, or on a transcendental function of its C library. Arithmetic must
 * not be contracted, so these files are compiled with -ffp-contract=off. */
#ifndef WEIR_EXEC_FP_H
#define WEIR_EXEC_FP_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "ptx/rounding.h"

enum { PTX_FP_LANES = 32 };

/* A loop over the lanes. Lanes are independent even where the destination is a source, which the
 * compiler cannot know. */
#if defined(__GNUC__) && !defined(__clang__)
#define PTX_FP_EACH_LANE(i) _Pragma("GCC ivdep") for (unsigned i = 0; i < PTX_FP_LANES; i++)
#else
#define PTX_FP_EACH_LANE(i) for (unsigned i = 0; i < PTX_FP_LANES; i++)
#endif

/* ftz and sat are instructions' .ftz and .sat; the f64 functions ignore both. */
struct ptx_fpmode {
  uint8_t rnd, ftz, sat;
};

/* The canonical NaN of single precision: every f32 instruction that yields a NaN yields this one.
 */
#define PTX_F32_NAN UINT32_C(0x7fffffff)
/* The canonical NaN of the two f64 instructions that work on the upper word only. */
#define PTX_F64_NAN_HI UINT64_C(0x7fffffff00000000)

static inline bool ptx_f32_is_nan(uint32_t x) {
  return (x & 0x7fffffffu) > 0x7f800000u;
}

/* .ftz of one value: a subnormal becomes a zero of its sign. */
static inline uint32_t ptx_f32_flush(uint32_t x) {
  return (x & 0x7f800000u) == 0 ? x & 0x80000000u : x;
}

/* .sat of one value: [0, 1], and +0 for a NaN or a negative zero. */
static inline uint32_t ptx_f32_saturate(uint32_t x) {
  uint32_t y = x > 0x3f800000u ? 0x3f800000u : x;
  return x >> 31 || x > 0x7f800000u ? 0 : y;
}

static inline bool ptx_f64_is_nan(uint64_t x) {
  return (x & ~(UINT64_C(1) << 63)) > UINT64_C(0x7ff0000000000000);
}

/* The NaN that a double-precision instruction yields for operands a, b, c (repeat one where there
 * are fewer): b, else c, else a, quieted; else the default NaN of an invalid operation. The manual
 * says only that payloads are supported; this is the order of an H200. */
static inline uint64_t ptx_f64_nan(uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t quiet = UINT64_C(0x0008000000000000);
  if (ptx_f64_is_nan(b)) return b | quiet;
  if (ptx_f64_is_nan(c)) return c | quiet;
  if (ptx_f64_is_nan(a)) return a | quiet;
  return UINT64_C(0xfff8000000000000);
}

/* .ftz: an H200 rounds to 24 bits as if exponents had no lower end, and gives zero if that lies
 * below 2^-126. So a result of 2^-126 stays only if the exact value reached it at 24 bits. The
 * three thresholds: round to nearest (a tie goes up, to even), away from zero, toward zero. */
enum ptx_ftz_kind { PTX_FTZ_NEAREST, PTX_FTZ_AWAY, PTX_FTZ_TOWARD };
static inline enum ptx_ftz_kind ptx_ftz_kind(unsigned rnd, bool negative) {
  return rnd == PTX_RN                         ? PTX_FTZ_NEAREST
         : rnd == (negative ? PTX_RM : PTX_RP) ? PTX_FTZ_AWAY
                                               : PTX_FTZ_TOWARD;
}
static inline double ptx_ftz_limit(enum ptx_ftz_kind k) {
  return k == PTX_FTZ_NEAREST ? 0x1p-126 - 0x1p-151
         : k == PTX_FTZ_AWAY  ? 0x1p-126 - 0x1p-150
                              : 0x1p-126;
}
/* Is the exact value mag + err (err the rounding error of mag) flushed? `scale`: the limit is for
 * mag = scale * value. */
static inline bool ptx_ftz_flushes(double mag, double err, double scale, enum ptx_ftz_kind k) {
  const double limit = ptx_ftz_limit(k) * scale;
  return mag < limit || (mag == limit && (err < 0 || (err == 0 && k == PTX_FTZ_AWAY)));
}
/* a * b + c whose rounded result is 2^-126 or its negative. The product is exact in double; the
 * sum's rounding error is recovered. */
static inline bool ptx_f32_is_tiny(float a, float b, float c, unsigned rnd) {
  const double p = (double)a * (double)b, z = c, s = p + z;
  const double zz = s - p, err = (p - (s - zz)) + (z - zz);
  return ptx_ftz_flushes(s < 0 ? -s : s, s < 0 ? -err : err, 1.0, ptx_ftz_kind(rnd, s < 0));
}
/* The same of a / b: |a| against the limit times |b|, which is exact (25 and 24 bits). */
static inline bool ptx_f32_is_tiny_quotient(float a, float b, unsigned rnd) {
  const double x = a < 0 ? -(double)a : (double)a, y = b < 0 ? -(double)b : (double)b;
  return ptx_ftz_flushes(x, 0.0, y, ptx_ftz_kind(rnd, (a < 0) != (b < 0)));
}
/* Is this the result for which the question arises? */
static inline bool ptx_f32_is_edge(uint32_t x) {
  return (x & 0x7fffffffu) == 0x00800000u;
}

/* Correctly rounded arithmetic. */
#define PTX_FP_DECL_ARITH(f, u)                                                                    \
  void ptx_##f##_add(u *d, const u *a, const u *b, struct ptx_fpmode m);                           \
  void ptx_##f##_sub(u *d, const u *a, const u *b, struct ptx_fpmode m);                           \
  void ptx_##f##_mul(u *d, const u *a, const u *b, struct ptx_fpmode m);                           \
  void ptx_##f##_div(u *d, const u *a, const u *b, struct ptx_fpmode m);                           \
  void ptx_##f##_fma(u *d, const u *a, const u *b, const u *c, struct ptx_fpmode m);               \
  void ptx_##f##_rcp(u *d, const u *a, struct ptx_fpmode m);                                       \
  void ptx_##f##_sqrt(u *d, const u *a, struct ptx_fpmode m);
PTX_FP_DECL_ARITH(f32, uint32_t)
PTX_FP_DECL_ARITH(f64, uint64_t)
#undef PTX_FP_DECL_ARITH

/* min and max: nan is .NaN (a NaN operand wins instead of losing), xorsign_abs is .xorsign.abs.
 * -0 is less than +0. */
struct ptx_minmax {
  uint8_t ftz, nan, xorsign_abs;
};

/* Comparison operators of setp, set and slct. lo ls hi hs are spellings for unsigned integers and
 * mean lt le gt ge here. */
enum ptx_cmp {
  PTX_CMP_EQ,
  PTX_CMP_NE,
  PTX_CMP_LT,
  PTX_CMP_LE,
  PTX_CMP_GT,
  PTX_CMP_GE,
  PTX_CMP_LO,
  PTX_CMP_LS,
  PTX_CMP_HI,
  PTX_CMP_HS,
  PTX_CMP_EQU,
  PTX_CMP_NEU,
  PTX_CMP_LTU,
  PTX_CMP_LEU,
  PTX_CMP_GTU,
  PTX_CMP_GEU,
  PTX_CMP_NUM,
  PTX_CMP_NAN,
  PTX_CMP_COUNT
};

enum ptx_testp {
  PTX_TESTP_FINITE,
  PTX_TESTP_INFINITE,
  PTX_TESTP_NUMBER,
  PTX_TESTP_NOTANUMBER,
  PTX_TESTP_NORMAL,
  PTX_TESTP_SUBNORMAL
};

/* abs and neg of a NaN give the canonical one in f32 and the quieted operand in f64. copysign gives
 * b with the sign of a. cmp and testp return a mask with bit i for lane i. In testp a zero is
 * normal (H200). */
#define PTX_FP_DECL_BITS(f, u)                                                                     \
  void ptx_##f##_min(u *d, const u *a, const u *b, struct ptx_minmax m);                           \
  void ptx_##f##_max(u *d, const u *a, const u *b, struct ptx_minmax m);                           \
  void ptx_##f##_abs(u *d, const u *a, bool ftz);                                                  \
  void ptx_##f##_neg(u *d, const u *a, bool ftz);                                                  \
  void ptx_##f##_copysign(u *d, const u *a, const u *b);                                           \
  uint32_t ptx_##f##_cmp(enum ptx_cmp op, const u *a, const u *b, bool ftz);                       \
  uint32_t ptx_##f##_testp(enum ptx_testp op, const u *a);
PTX_FP_DECL_BITS(f32, uint32_t)
PTX_FP_DECL_BITS(f64, uint64_t)
#undef PTX_FP_DECL_BITS

/* Approximate instructions. Each keeps the manual's bound, given here, and most are far more
 * accurate; a simulated program therefore sees a legal result, not the bits of a particular GPU. */
void ptx_f32_rcp_approx(uint32_t *d, const uint32_t *a, bool ftz);   /* 1 ulp */
void ptx_f32_sqrt_approx(uint32_t *d, const uint32_t *a, bool ftz);  /* relative 2^-23 */
void ptx_f32_rsqrt_approx(uint32_t *d, const uint32_t *a, bool ftz); /* relative 2^-22.9 */
void ptx_f32_ex2_approx(uint32_t *d, const uint32_t *a, bool ftz);   /* 2 ulp */
/* Absolute 2^-22 in (0.5, 2), relative 2^-22 elsewhere. */
void ptx_f32_lg2_approx(uint32_t *d, const uint32_t *a, bool ftz);
/* Absolute 2^-20.5 in [-2pi, 2pi], 2^-14.7 in [-100pi, 100pi]; no bound beyond. The operand is
 * reduced as on an H200; results were within 2^-21.5 of its own wherever measured. */
void ptx_f32_sin_approx(uint32_t *d, const uint32_t *a, bool ftz);
void ptx_f32_cos_approx(uint32_t *d, const uint32_t *a, bool ftz);
void ptx_f32_tanh_approx(uint32_t *d, const uint32_t *a); /* relative 2^-11 */
/* a * (1/b): 2 ulp for |b| in [2^-126, 2^126]; beyond 2^126 zero, or NaN if a is infinite. */
void ptx_f32_div_approx(uint32_t *d, const uint32_t *a, const uint32_t *b, bool ftz);
void ptx_f32_div_full(uint32_t *d, const uint32_t *a, const uint32_t *b, bool ftz); /* 2 ulp */
/* Only the upper 32 bits of the operand are used and the result's lower 32 bits are zero; the
 * manual gives no bound. Subnormal operands and results are flushed. */
void ptx_f64_rcp_approx_ftz(uint64_t *d, const uint64_t *a);
void ptx_f64_rsqrt_approx_ftz(uint64_t *d, const uint64_t *a);
/* No bound in the manual; here two correctly rounded steps, hence under 1.5 ulp. */
void ptx_f64_rsqrt_approx(uint64_t *d, const uint64_t *a);

/* Half precision: m.n values, 32 or (packed pairs, the lower half first) 64, f16 or bf16. Operands
 * that an instruction has not are not looked at, but must be readable. Arithmetic is correctly
 * rounded; every NaN is the canonical one of either type. ex2 and tanh are the single-precision
 * approximation, rounded: within the manual's 2^-9.9 and 2^-10.98 for f16, 2^-7 and 2^-8 for bf16.
 */
#define PTX_HALF_NAN 0x7fff
struct ptx_halfmode {
  uint8_t is_bf16, n;
  uint8_t ftz, sat, relu;
  uint8_t nan, xorsign_abs; /* of min and max */
};
typedef void (*ptx_half_fn)(uint16_t *d, const uint16_t *a, const uint16_t *b, const uint16_t *c,
                            struct ptx_halfmode m);
#define PTX_HALF_DECL(name)                                                                        \
  void ptx_half_##name(uint16_t *d, const uint16_t *a, const uint16_t *b, const uint16_t *c,       \
                       struct ptx_halfmode m);
PTX_HALF_DECL(add)
PTX_HALF_DECL(sub)
PTX_HALF_DECL(mul)
PTX_HALF_DECL(fma)
PTX_HALF_DECL(abs)
PTX_HALF_DECL(neg)
PTX_HALF_DECL(min)
PTX_HALF_DECL(max)
PTX_HALF_DECL(ex2)
PTX_HALF_DECL(tanh)
#undef PTX_HALF_DECL
/* Bit i for value i. */
uint64_t ptx_half_cmp(enum ptx_cmp op, const uint16_t *a, const uint16_t *b, struct ptx_halfmode m);
/* Of 64 packed values: a mask for the lower halves of the lanes and one for the upper. */
void ptx_half_unzip(uint64_t mask, uint32_t *lower, uint32_t *upper);
/* One value to double precision, exactly. */
static inline double ptx_half_value(uint16_t x, bool bf16) {
  /* Moved into single precision's place, the exponent of f16 is short by 112; that of infinities
   * and NaNs becomes the largest there is. */
  const uint32_t mag = x & 0x7fffu, sign = (uint32_t)(x & 0x8000) << 16;
  uint32_t bits = bf16 ? (uint32_t)x << 16 : sign | mag << 13 | (mag >= 0x7c00 ? 0x7f800000u : 0);
  float f;
  memcpy(&f, &bits, sizeof f);
  return (double)f * (bf16 ? 1.0 : 0x1p112);
}
/* And back, rounded to nearest even. */
static inline uint16_t ptx_half_round(double v, bool bf16) {
  const unsigned drop = bf16 ? 45 : 42;
  const uint64_t inf = bf16 ? 0x7f80 : 0x7c00, magic = UINT64_C(0x4330000000000000); /* 2^52 */
  uint64_t u, fixed;
  memcpy(&u, &v, sizeof u);
  const uint64_t mag = u & ~(UINT64_C(1) << 63), sign = u >> 63 << 15;
  const uint64_t bias = (uint64_t)(bf16 ? 1023 - 127 : 1023 - 15) << 52;
  uint64_t h = (mag - bias + (UINT64_C(1) << (drop - 1)) - 1 + (mag >> drop & 1)) >> drop;
  h = h > inf ? inf : h;
  /* Subnormals have a fixed last place. */
  const double r = (v < 0 ? -v : v) * (bf16 ? 0x1p133 : 0x1p24) + 0x1p52;
  memcpy(&fixed, &r, sizeof fixed);
  h = mag < bias + (UINT64_C(1) << 52) ? fixed - magic : h;
  return mag > UINT64_C(0x7ff0000000000000) ? PTX_HALF_NAN : (uint16_t)(sign | h);
}

/* Conversions. TF32 is a destination only, held in 32 bits; BF16 and F16 are held in 16 bits. */
enum ptx_cvt_type {
  PTX_CVT_U8,
  PTX_CVT_S8,
  PTX_CVT_U16,
  PTX_CVT_S16,
  PTX_CVT_U32,
  PTX_CVT_S32,
  PTX_CVT_U64,
  PTX_CVT_S64,
  PTX_CVT_F16,
  PTX_CVT_BF16,
  PTX_CVT_TF32,
  PTX_CVT_F32,
  PTX_CVT_F64,
  PTX_CVT_TYPES
};

/* rnd is the direction. integral says that it was written .rni .rzi .rmi .rpi: it matters between
 * floating-point types of one size, where the value becomes a whole number; conversions to integers
 * always round to a whole number. Conversions that need no rounding ignore rnd. */
struct ptx_cvtmode {
  uint8_t rnd, integral, ftz, sat;
  uint8_t relu;      /* what is negative becomes +0; for f16, bf16 and tf32 */
  uint8_t satfinite; /* the largest finite number instead of an infinity; likewise */
};

/* d and s are arrays of 32 lanes, each of its own type's width, in host byte order. They must not
 * overlap unless they are the same array of equal width. */
typedef void (*ptx_cvt_fn)(enum ptx_cvt_type dt, enum ptx_cvt_type st, struct ptx_cvtmode m,
                           void *d, const void *s);

/* Any conversion, through the function that ptx_cvt_select would give. */
void ptx_cvt(enum ptx_cvt_type dt, enum ptx_cvt_type st, struct ptx_cvtmode m, void *d,
             const void *s);

/* The fastest function for a conversion, to be called with the same dt, st and m. */
ptx_cvt_fn ptx_cvt_select(enum ptx_cvt_type dt, enum ptx_cvt_type st, struct ptx_cvtmode m);

/* cvt.f16x2.f32 and cvt.bf16x2.f32 (half is PTX_CVT_F16 or PTX_CVT_BF16): a fills the upper half
 * of a lane of d, b the lower. */
void ptx_cvt_pack2(enum ptx_cvt_type half, struct ptx_cvtmode m, uint32_t *d, const uint32_t *a,
                   const uint32_t *b);

#endif
