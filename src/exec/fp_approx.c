/* The approximate instructions.
 *
 * Evaluated in double precision with + - * / and the square root alone, in an order fixed by the
 * source, so that the bits are the same everywhere. A result is within 2^-45 or so of the true
 * value before it is rounded to single precision; for sine and cosine that value is the one of an
 * H200's range reduction. */
#include "exec/fp.h"

#include <math.h>
#include <string.h>

static inline double from_bits(uint64_t x) {
  double f;
  memcpy(&f, &x, sizeof f);
  return f;
}

static inline uint64_t to_bits(double f) {
  uint64_t x;
  memcpy(&x, &f, sizeof x);
  return x;
}

static inline double load32(uint32_t x, bool ftz) {
  float f;
  x = ftz ? ptx_f32_flush(x) : x;
  memcpy(&f, &x, sizeof f);
  return (double)f;
}

static inline uint32_t round32(double r, bool ftz) {
  float f = (float)r;
  uint32_t x;
  memcpy(&x, &f, sizeof x);
  x = ptx_f32_is_nan(x) ? PTX_F32_NAN : x;
  if (!ftz) return x;
  return fabs(r) < ptx_ftz_limit(PTX_FTZ_NEAREST) ? x & 0x80000000u : ptx_f32_flush(x);
}

/* The whole number nearest to x, |x| < 2^51. */
static inline double nearest(double x) {
  const double shift = 0x1.8p52;
  return x + shift - shift;
}

/* 2^n for a whole n in [-1022, 1023]. */
static inline double pow2(double n) {
  return from_bits((uint64_t)((int64_t)n + 1023) << 52);
}

/* 2^x by x = n + f, |f| <= 1/2, and the power series of 2^f. Beyond +-160 every result is 0 or
 * infinity in single precision. */
static double exp2_core(double x) {
  static const double c[] = {1.0,
                             0x1.62e42fefa39efp-1,
                             0x1.ebfbdff82c58fp-3,
                             0x1.c6b08d704a0c0p-5,
                             0x1.3b2ab6fba4e77p-7,
                             0x1.5d87fe78a6731p-10,
                             0x1.430912f86c787p-13,
                             0x1.ffcbfc588b0c7p-17,
                             0x1.62c0223a5c824p-20,
                             0x1.b5253d395e7c4p-24,
                             0x1.e4cf5158b8ecap-28,
                             0x1.e8cac7351bb25p-32};
  if (x != x) return x;
  x = x > 160.0 ? 160.0 : x < -160.0 ? -160.0 : x;
  double n = nearest(x), f = x - n, p = c[11];
  for (int k = 10; k >= 0; k--)
    p = p * f + c[k];
  return p * pow2(n);
}

/* log2 x = e + 2/ln 2 * atanh((m - 1) / (m + 1)) with m in [0.7, 1.42), so that results near 1 keep
 * their relative accuracy. */
static double log2_core(double x) {
  if (!(x > 0.0) || x == (double)INFINITY)
    return x == 0.0 ? (double)-INFINITY : x < 0.0 ? (double)NAN : x;
  uint64_t b = to_bits(x); /* normal: single precision's subnormals are normal here */
  double e = (double)((int)(b >> 52) - 1023);
  double m = from_bits((b & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x3ff0000000000000));
  if (m > 1.4140625) m *= 0.5, e += 1.0;
  double s = (m - 1.0) / (m + 1.0), s2 = s * s, p = 1.0 / 19.0;
  for (int k = 17; k >= 1; k -= 2)
    p = p * s2 + 1.0 / (double)k;
  return e + 0x1.71547652b82fep+1 * s * p;
}

static double sin_poly(double r) {
  double r2 = r * r, p = -1.0 / 1307674368000.0;
  p = p * r2 + 1.0 / 6227020800.0;
  p = p * r2 - 1.0 / 39916800.0;
  p = p * r2 + 1.0 / 362880.0;
  p = p * r2 - 1.0 / 5040.0;
  p = p * r2 + 1.0 / 120.0;
  p = p * r2 - 1.0 / 6.0;
  return r * (1.0 + r2 * p);
}

static double cos_poly(double r) {
  double r2 = r * r, p = 1.0 / 20922789888000.0;
  p = p * r2 - 1.0 / 87178291200.0;
  p = p * r2 + 1.0 / 479001600.0;
  p = p * r2 - 1.0 / 3628800.0;
  p = p * r2 + 1.0 / 40320.0;
  p = p * r2 - 1.0 / 720.0;
  p = p * r2 + 1.0 / 24.0;
  p = p * r2 - 0.5;
  return 1.0 + r2 * p;
}

/* x / 2 pi as an H200 finds it: the single-precision product with the rounded 1/2pi, toward zero.
 * The exact product has 48 bits, of which the upper 24 are kept. */
static double turns(double x) {
  const uint64_t keep = ~UINT64_C(0x1fffffff);
  return from_bits(to_bits(x * (double)0x1.45f306p-3f) & keep);
}

/* sin(2 pi y + quarter * pi/2) for y = x / 2 pi, x >= 0. */
static double sin_quarter(double x, unsigned quarter) {
  if (!(x < (double)INFINITY)) return (double)NAN;
  double y = turns(x);
  y = y < 0x1p40 ? y - nearest(y) : 0.0; /* whole turns, and beyond 2^24 there are no others */
  double n = nearest(4.0 * y);
  unsigned q = (unsigned)((int)n + 4) + quarter;
  double r = (4.0 * y - n) * 0x1.921fb54442d18p+0, s = q & 1 ? cos_poly(r) : sin_poly(r);
  return q & 2 ? -s : s;
}

static double sin_core(double x) {
  double s = sin_quarter(fabs(x), 0);
  return signbit(x) ? -s : s;
}

static double cos_core(double x) {
  return sin_quarter(fabs(x), 1);
}

/* tanh x = t / (t + 2) with t = e^2x - 1; near zero t is summed without the 1. */
static double tanh_core(double x) {
  double y = 2.0 * fabs(x), t;
  if (x != x) return x;
  if (y < 0.35) {
    double p = 1.0 / 39916800.0, fact = 3628800.0;
    for (int k = 10; k >= 1; k--)
      p = p * y + 1.0 / fact, fact /= (double)k;
    t = p * y;
  } else {
    t = exp2_core((y < 60.0 ? y : 60.0) * 0x1.71547652b82fep+0) - 1.0;
  }
  t = t / (t + 2.0);
  return signbit(x) ? -t : t;
}

static double rcp_core(double x) {
  return 1.0 / x;
}

static double rsqrt_core(double x) {
  return 1.0 / sqrt(x);
}

#define APPROX(name, core)                                                                         \
  void ptx_f32_##name##_approx(uint32_t *d, const uint32_t *a, bool ftz) {                         \
    PTX_FP_EACH_LANE(i) d[i] = round32(core(load32(a[i], ftz)), ftz);                              \
  }
APPROX(rcp, rcp_core)
APPROX(sqrt, sqrt)
APPROX(rsqrt, rsqrt_core)
APPROX(ex2, exp2_core)
APPROX(lg2, log2_core)
APPROX(sin, sin_core)
APPROX(cos, cos_core)

void ptx_f32_tanh_approx(uint32_t *d, const uint32_t *a) {
  PTX_FP_EACH_LANE(i) d[i] = round32(tanh_core(load32(a[i], false)), false);
}

/* The reciprocal is rounded to single precision before the multiplication, as where it is an
 * instruction of its own; above 2^126 it underflows to zero. */
void ptx_f32_div_approx(uint32_t *d, const uint32_t *a, const uint32_t *b, bool ftz) {
  PTX_FP_EACH_LANE(i) {
    double x = load32(a[i], ftz), y = load32(b[i], ftz), r = 1.0 / y;
    if (fabs(y) >= 0x1p-126) r = (double)(float)r;
    if (fabs(y) > 0x1p126) r = signbit(y) ? -0.0 : 0.0;
    d[i] = round32(x * r, ftz);
  }
}

void ptx_f32_div_full(uint32_t *d, const uint32_t *a, const uint32_t *b, bool ftz) {
  PTX_FP_EACH_LANE(i) d[i] = round32(load32(a[i], ftz) / load32(b[i], ftz), ftz);
}

/* The two f64 instructions see and make 1.11.20 numbers, the upper words of doubles. */

static inline double load_upper(uint64_t x) {
  x &= UINT64_C(0xffffffff00000000);
  if ((x & UINT64_C(0x7ff0000000000000)) == 0) x &= UINT64_C(1) << 63;
  return from_bits(x);
}

static inline uint64_t round_upper(double r) {
  uint64_t x = to_bits(r);
  if (ptx_f64_is_nan(x)) return PTX_F64_NAN_HI;
  x += UINT64_C(0x7fffffff) + (x >> 32 & 1);
  if ((x & UINT64_C(0x7ff0000000000000)) == 0) x &= UINT64_C(1) << 63;
  return x & UINT64_C(0xffffffff00000000);
}

void ptx_f64_rcp_approx_ftz(uint64_t *d, const uint64_t *a) {
  PTX_FP_EACH_LANE(i) d[i] = round_upper(rcp_core(load_upper(a[i])));
}

void ptx_f64_rsqrt_approx_ftz(uint64_t *d, const uint64_t *a) {
  PTX_FP_EACH_LANE(i) d[i] = round_upper(rsqrt_core(load_upper(a[i])));
}

void ptx_f64_rsqrt_approx(uint64_t *d, const uint64_t *a) {
  PTX_FP_EACH_LANE(i) {
    uint64_t r = to_bits(rsqrt_core(from_bits(a[i])));
    d[i] = ptx_f64_is_nan(r) ? ptx_f64_nan(a[i], a[i], a[i]) : r;
  }
}
