/* Correctly rounded arithmetic, and the operations that only look at bits.
 *
 * Compiled with -frounding-math. A kernel is a loop of one operation over the lanes that the
 * optimiser may neither inline nor analyse from outside: its operands come from memory and its
 * results go to memory between the two changes of the rounding mode, so no arithmetic can leave. */
#include "exec/fp.h"

#include <fenv.h>
#include <math.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#ifdef __clang__
#pragma STDC FENV_ACCESS ON
#define KERNEL static __attribute__((noinline))
#else
#define KERNEL static __attribute__((noipa))
#endif

#define FENCE() __asm__ volatile("" ::: "memory")

static inline float to_f32(uint32_t x) {
  float f;
  memcpy(&f, &x, sizeof f);
  return f;
}

static inline double to_f64(uint64_t x) {
  double f;
  memcpy(&f, &x, sizeof f);
  return f;
}

static inline uint32_t from_f32(float f) {
  uint32_t x;
  memcpy(&x, &f, sizeof x);
  return ptx_f32_is_nan(x) ? PTX_F32_NAN : x;
}

static inline uint64_t from_f64(double f) {
  uint64_t x;
  memcpy(&x, &f, sizeof x);
  return x;
}

typedef void kernel32(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c);
typedef void kernel64(uint64_t *d, const uint64_t *a, const uint64_t *b, const uint64_t *c);

/* Both kernels of an operation on x, y, z. */
#define KERNELS(name, expr32, expr64)                                                              \
  KERNEL void name##_k32(uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c) {   \
    PTX_FP_EACH_LANE(i) {                                                                          \
      float x = to_f32(a[i]), y = to_f32(b[i]), z = to_f32(c[i]);                                  \
      (void)y, (void)z;                                                                            \
      d[i] = from_f32(expr32);                                                                     \
    }                                                                                              \
  }                                                                                                \
  KERNEL void name##_k64(uint64_t *d, const uint64_t *a, const uint64_t *b, const uint64_t *c) {   \
    PTX_FP_EACH_LANE(i) {                                                                          \
      double x = to_f64(a[i]), y = to_f64(b[i]), z = to_f64(c[i]);                                 \
      (void)y, (void)z;                                                                            \
      d[i] = from_f64(expr64);                                                                     \
    }                                                                                              \
  }

KERNELS(add, x + y, x + y)
KERNELS(sub, x - y, x - y)
KERNELS(mul, x *y, x *y)
KERNELS(div, x / y, x / y)
KERNELS(rcp, 1.0f / x, 1.0 / x)
KERNELS(sqrt, sqrtf(x), sqrt(x))
/* The C library's fmaf and fma round as the mode says, with or without the instruction. */
KERNELS(fma, fmaf(x, y, z), fma(x, y, z))

/* A build for plain x86-64 still uses the instruction, eight lanes at a time, where the host has
 * it: a fused multiply-add has one correct result, so this changes nothing but the speed.
 * Intrinsics, because gcc leaves such calls scalar under -frounding-math. */
#ifdef __x86_64__
__attribute__((target("avx2,fma"))) KERNEL void fma_hw_k32(uint32_t *d, const uint32_t *a,
                                                           const uint32_t *b, const uint32_t *c) {
  for (unsigned i = 0; i < PTX_FP_LANES; i += 8) {
    __m256 x = _mm256_loadu_ps((const float *)(a + i)), y = _mm256_loadu_ps((const float *)(b + i));
    __m256 r = _mm256_fmadd_ps(x, y, _mm256_loadu_ps((const float *)(c + i)));
    __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32((int)PTX_F32_NAN));
    r = _mm256_blendv_ps(r, nan, _mm256_cmp_ps(r, r, _CMP_UNORD_Q));
    _mm256_storeu_ps((float *)(d + i), r);
  }
}

__attribute__((target("avx2,fma"))) KERNEL void fma_hw_k64(uint64_t *d, const uint64_t *a,
                                                           const uint64_t *b, const uint64_t *c) {
  for (unsigned i = 0; i < PTX_FP_LANES; i += 4) {
    __m256d x = _mm256_loadu_pd((const double *)(a + i));
    __m256d y = _mm256_loadu_pd((const double *)(b + i));
    __m256d r = _mm256_fmadd_pd(x, y, _mm256_loadu_pd((const double *)(c + i)));
    _mm256_storeu_pd((double *)(d + i), r);
  }
}

#define FMA_KERNEL(w)                                                                              \
  (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2") ? fma_hw_k##w : fma_k##w)
#else
#define FMA_KERNEL(w) fma_k##w
#endif

/* Round-to-nearest is the callers' mode already. */
static int enter_mode(unsigned rnd) {
  static const int host[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  int old = fegetround();
  fesetround(host[rnd & 3]);
  FENCE();
  return old;
}

static void leave_mode(int old) {
  FENCE();
  fesetround(old);
}

static void flush(uint32_t *d, const uint32_t *a) {
  PTX_FP_EACH_LANE(i) d[i] = ptx_f32_flush(a[i]);
}

/* What a result is made of, for .ftz to judge it. A sum or a root never needs judging: what lies
 * below 2^-126 is an exact sum, and no root does. */
enum made_of { SUM, PRODUCT, QUOTIENT, RECIPROCAL };
static bool is_tiny(enum made_of made, uint32_t a, uint32_t b, uint32_t c, unsigned rnd) {
  switch (made) {
  case PRODUCT:
    return ptx_f32_is_tiny(to_f32(a), to_f32(b), to_f32(c), rnd);
  case QUOTIENT:
    return ptx_f32_is_tiny_quotient(to_f32(a), to_f32(b), rnd);
  case RECIPROCAL:
    return ptx_f32_is_tiny_quotient(1.0f, to_f32(a), rnd);
  default:
    return false;
  }
}

static void run32(kernel32 *k, uint32_t *d, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                  struct ptx_fpmode m, enum made_of made) {
  uint32_t r[PTX_FP_LANES];
  uint32_t fa[PTX_FP_LANES], fb[PTX_FP_LANES], fc[PTX_FP_LANES];
  if (m.ftz) {
    flush(fa, a);
    flush(fb, b);
    flush(fc, c);
    a = fa, b = fb, c = fc;
  }
  if (m.rnd == PTX_RN) {
    k(r, a, b, c);
  } else {
    int old = enter_mode(m.rnd);
    k(r, a, b, c);
    leave_mode(old);
  }
  for (unsigned i = 0; m.ftz && made != SUM && i < PTX_FP_LANES; i++)
    if (ptx_f32_is_edge(r[i]) && is_tiny(made, a[i], b[i], c[i], m.rnd)) r[i] &= 0x80000000u;
  if (m.ftz) flush(r, r);
  if (m.sat) PTX_FP_EACH_LANE(i) r[i] = ptx_f32_saturate(r[i]);
  memcpy(d, r, sizeof r);
}

/* Of two NaNs in a division the dividend wins, unlike everywhere else. */
static void run64(kernel64 *k, uint64_t *d, const uint64_t *a, const uint64_t *b, const uint64_t *c,
                  struct ptx_fpmode m, enum made_of made) {
  uint64_t r[PTX_FP_LANES], nan = 0;
  if (m.rnd == PTX_RN) {
    k(r, a, b, c);
  } else {
    int old = enter_mode(m.rnd);
    k(r, a, b, c);
    leave_mode(old);
  }
  for (unsigned i = 0; i < PTX_FP_LANES; i++)
    nan |= ptx_f64_is_nan(r[i]);
  for (unsigned i = 0; nan && i < PTX_FP_LANES; i++)
    if (ptx_f64_is_nan(r[i]))
      r[i] = made == QUOTIENT ? ptx_f64_nan(b[i], a[i], a[i]) : ptx_f64_nan(a[i], b[i], c[i]);
  memcpy(d, r, sizeof r);
}

static const uint32_t zeros32[PTX_FP_LANES];
#define ARITH1(f, u, w, name, made)                                                                \
  void ptx_##f##_##name(u *d, const u *a, struct ptx_fpmode m) {                                   \
    run##w(name##_k##w, d, a, a, a, m, made);                                                      \
  }
#define ARITH2(f, u, w, name, made)                                                                \
  void ptx_##f##_##name(u *d, const u *a, const u *b, struct ptx_fpmode m) {                       \
    run##w(name##_k##w, d, a, b, b, m, made);                                                      \
  }
#define ARITH(f, u, w)                                                                             \
  ARITH2(f, u, w, add, SUM)                                                                        \
  ARITH2(f, u, w, sub, SUM)                                                                        \
  ARITH2(f, u, w, div, QUOTIENT)                                                                   \
  ARITH1(f, u, w, rcp, RECIPROCAL)                                                                 \
  ARITH1(f, u, w, sqrt, SUM)                                                                       \
  void ptx_##f##_fma(u *d, const u *a, const u *b, const u *c, struct ptx_fpmode m) {              \
    run##w(FMA_KERNEL(w), d, a, b, c, m, PRODUCT);                                                 \
  }
void ptx_f32_mul(uint32_t *d, const uint32_t *a, const uint32_t *b, struct ptx_fpmode m) {
  run32(mul_k32, d, a, b, zeros32, m, PRODUCT);
}
ARITH2(f64, uint64_t, 64, mul, PRODUCT)
ARITH(f32, uint32_t, 32)
ARITH(f64, uint64_t, 64)

/* From here on bits only. The key of a value orders all numbers, with -0 below +0. */

static inline int32_t key32(uint32_t x) {
  return (int32_t)(x ^ (uint32_t)((int32_t)x >> 31 & 0x7fffffff));
}

static inline int64_t key64(uint64_t x) {
  return (int64_t)(x ^ (uint64_t)((int64_t)x >> 63 & INT64_MAX));
}

/* A conditional in the lane loop would keep it from being vectorised, so .ftz makes copies. */
#define FLUSHED32(a, ftz)                                                                          \
  uint32_t flushed_##a[PTX_FP_LANES];                                                              \
  if (ftz) {                                                                                       \
    flush(flushed_##a, a);                                                                         \
    a = flushed_##a;                                                                               \
  }
#define FLUSHED64(a, ftz) (void)(ftz) /* there is no .ftz for f64 */

static inline uint32_t nan32(uint32_t a, uint32_t b) {
  (void)a, (void)b;
  return PTX_F32_NAN;
}

static inline uint64_t nan64(uint64_t a, uint64_t b) {
  return ptx_f64_nan(a, b, b);
}

#define MINMAX(f, u, w, name, less)                                                                \
  void ptx_##f##_##name(u *d, const u *a, const u *b, struct ptx_minmax m) {                       \
    const u sign = (u)1 << (w - 1), clear = m.xorsign_abs ? sign : 0;                              \
    const int either = m.nan ? 1 : 0;                                                              \
    FLUSHED##w(a, m.ftz);                                                                          \
    FLUSHED##w(b, m.ftz);                                                                          \
    PTX_FP_EACH_LANE(i) {                                                                          \
      u x = a[i], y = b[i], p = x & ~clear, q = y & ~clear;                                        \
      int xn = ptx_##f##_is_nan(x), yn = ptx_##f##_is_nan(y);                                      \
      u r = key##w(p) less key##w(q) ? p : q;                                                      \
      r = yn ? p : r;                                                                              \
      r = xn ? q : r;                                                                              \
      r |= (x ^ y) & clear;                                                                        \
      d[i] = (xn & yn) | (either & (xn | yn)) ? nan##w(x, y) : r;                                  \
    }                                                                                              \
  }

/* Which of the four relations make an operator true. */
enum { IS_LT = 1, IS_EQ = 2, IS_GT = 4, IS_UN = 8 };
static const uint8_t cmp_truth[PTX_CMP_COUNT] = {
    [PTX_CMP_EQ] = IS_EQ,
    [PTX_CMP_NE] = IS_LT | IS_GT,
    [PTX_CMP_LT] = IS_LT,
    [PTX_CMP_LE] = IS_LT | IS_EQ,
    [PTX_CMP_GT] = IS_GT,
    [PTX_CMP_GE] = IS_GT | IS_EQ,
    [PTX_CMP_LO] = IS_LT,
    [PTX_CMP_LS] = IS_LT | IS_EQ,
    [PTX_CMP_HI] = IS_GT,
    [PTX_CMP_HS] = IS_GT | IS_EQ,
    [PTX_CMP_EQU] = IS_EQ | IS_UN,
    [PTX_CMP_NEU] = IS_LT | IS_GT | IS_UN,
    [PTX_CMP_LTU] = IS_LT | IS_UN,
    [PTX_CMP_LEU] = IS_LT | IS_EQ | IS_UN,
    [PTX_CMP_GTU] = IS_GT | IS_UN,
    [PTX_CMP_GEU] = IS_GT | IS_EQ | IS_UN,
    [PTX_CMP_NUM] = IS_LT | IS_EQ | IS_GT,
    [PTX_CMP_NAN] = IS_UN,
};

/* Bit i of the mask is set where lane i of the flags is not zero. */
static uint32_t lane_mask(const uint8_t *flag) {
  uint32_t mask = 0;
  for (unsigned i = 0; i < PTX_FP_LANES; i++)
    mask |= (uint32_t)(flag[i] != 0) << i;
  return mask;
}

#define BIT4(i) 1u << (i), 2u << (i), 4u << (i), 8u << (i)
#define BIT32   BIT4(0), BIT4(4), BIT4(8), BIT4(12), BIT4(16), BIT4(20), BIT4(24), BIT4(28)
static const uint32_t lane_bit32[PTX_FP_LANES] = {BIT32};
static const uint64_t lane_bit64[PTX_FP_LANES] = {BIT32};

#define CMP(f, u, w)                                                                               \
  uint32_t ptx_##f##_cmp(enum ptx_cmp op, const u *a, const u *b, bool ftz) {                      \
    const u all = (u)-1, on_lt = cmp_truth[op] & IS_LT ? all : 0;                                  \
    const u on_eq = cmp_truth[op] & IS_EQ ? all : 0, on_gt = cmp_truth[op] & IS_GT ? all : 0;      \
    const u on_un = cmp_truth[op] & IS_UN ? all : 0;                                               \
    u mask = 0;                                                                                    \
    FLUSHED##w(a, ftz);                                                                            \
    FLUSHED##w(b, ftz);                                                                            \
    for (unsigned i = 0; i < PTX_FP_LANES; i++) {                                                  \
      u x = a[i], y = b[i], bit = lane_bit##w[i];                                                  \
      int un = (int)ptx_##f##_is_nan(x) | (int)ptx_##f##_is_nan(y);                                \
      x = (u)(x << 1) ? x : 0; /* the two zeros are one */                                         \
      y = (u)(y << 1) ? y : 0;                                                                     \
      u hit = key##w(x) < key##w(y) ? on_lt : on_eq;                                               \
      hit = key##w(x) > key##w(y) ? on_gt : hit;                                                   \
      hit = un ? on_un : hit;                                                                      \
      mask |= hit & bit;                                                                           \
    }                                                                                              \
    return (uint32_t)mask;                                                                         \
  }

enum { IS_ZERO = 1, IS_SUB = 2, IS_NORM = 4, IS_INF = 8, IS_NAN = 16 };
static const uint8_t testp_truth[] = {
    [PTX_TESTP_FINITE] = IS_ZERO | IS_SUB | IS_NORM,
    [PTX_TESTP_INFINITE] = IS_INF,
    [PTX_TESTP_NUMBER] = IS_ZERO | IS_SUB | IS_NORM | IS_INF,
    [PTX_TESTP_NOTANUMBER] = IS_NAN,
    [PTX_TESTP_NORMAL] = IS_ZERO | IS_NORM,
    [PTX_TESTP_SUBNORMAL] = IS_SUB,
};

#define TESTP(f, u, w, mant_bits)                                                                  \
  uint32_t ptx_##f##_testp(enum ptx_testp op, const u *a) {                                        \
    const u inf = (((u)1 << (w - 1 - mant_bits)) - 1) << mant_bits, min_norm = (u)1 << mant_bits;  \
    uint8_t flag[PTX_FP_LANES];                                                                    \
    PTX_FP_EACH_LANE(i) {                                                                          \
      u x = a[i] & ((u)-1 >> 1);                                                                   \
      int small = x == 0 ? IS_ZERO : x < min_norm ? IS_SUB : IS_NORM;                              \
      flag[i] = (uint8_t)(testp_truth[op] & (x > inf ? IS_NAN : x == inf ? IS_INF : small));       \
    }                                                                                              \
    return lane_mask(flag);                                                                        \
  }

static inline uint32_t sign_nan32(uint32_t x, uint32_t r) {
  return ptx_f32_is_nan(x) ? PTX_F32_NAN : r;
}
static inline uint64_t sign_nan64(uint64_t x, uint64_t r) {
  return ptx_f64_is_nan(x) ? ptx_f64_nan(x, x, x) : r;
}

#define SIGNS(f, u, w)                                                                             \
  void ptx_##f##_abs(u *d, const u *a, bool ftz) {                                                 \
    FLUSHED##w(a, ftz);                                                                            \
    PTX_FP_EACH_LANE(i) d[i] = sign_nan##w(a[i], a[i] & ((u)-1 >> 1));                             \
  }                                                                                                \
  void ptx_##f##_neg(u *d, const u *a, bool ftz) {                                                 \
    FLUSHED##w(a, ftz);                                                                            \
    PTX_FP_EACH_LANE(i) d[i] = sign_nan##w(a[i], a[i] ^ (u)1 << (w - 1));                          \
  }                                                                                                \
  void ptx_##f##_copysign(u *d, const u *a, const u *b) {                                          \
    PTX_FP_EACH_LANE(i) d[i] = (b[i] & ((u)-1 >> 1)) | (a[i] & (u)1 << (w - 1));                   \
  }

#define BITS(f, u, w, mant_bits)                                                                   \
  MINMAX(f, u, w, min, <)                                                                          \
  MINMAX(f, u, w, max, >)                                                                          \
  CMP(f, u, w)                                                                                     \
  TESTP(f, u, w, mant_bits)                                                                        \
  SIGNS(f, u, w)
BITS(f32, uint32_t, 32, 23)
BITS(f64, uint64_t, 64, 52)
