/* f16 and bf16, one value or two in a register.
 *
 * Sums and products are formed in double precision, where a product of two halves is exact. What a
 * sum loses there is put back as the lowest bit (round to odd), so that the one rounding that
 * follows is that of the exact value. */
#include "exec/fp.h"

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

static inline float f32_of(uint32_t x) {
  float f;
  memcpy(&f, &x, sizeof f);
  return f;
}

enum { F16_INF = 0x7c00, BF16_INF = 0x7f80, F16_ONE = 0x3c00, BF16_ONE = 0x3f80 };

static inline bool is_nan(uint16_t x, bool bf16) {
  return (x & 0x7fff) > (bf16 ? BF16_INF : F16_INF);
}

static inline uint16_t flush(uint16_t x, bool bf16) {
  return (x & (bf16 ? BF16_INF : F16_INF)) == 0 ? x & 0x8000 : x;
}

/* The sum of two doubles, rounded to odd: never to be mistaken for a value halfway between two
 * halves unless it is one. */
static inline double add_odd(double a, double b) {
  const double s = a + b, t = s - a, err = (a - (s - t)) + (b - t);
  uint64_t u = to_bits(s);
  if ((err > 0 || err < 0) && !(u & 1)) u = (err > 0) == (s > 0) ? u + 1 : u - 1;
  return from_bits(u);
}

/* A result of an instruction: .ftz flushes as for single precision (fp.h), .sat and .relu limit it.
 */
static inline uint16_t finish(double v, struct ptx_halfmode m) {
  uint16_t x = ptx_half_round(v, m.is_bf16);
  if (m.ftz) {
    const double least = m.is_bf16 ? 0x1p-126 : 0x1p-14, eps = m.is_bf16 ? 0x1p-9 : 0x1p-12;
    if ((v < 0 ? -v : v) < least - least * eps) x &= 0x8000;
  }
  if (m.sat) {
    const uint16_t one = m.is_bf16 ? BF16_ONE : F16_ONE;
    x = x >> 15 || is_nan(x, m.is_bf16) ? 0 : x > one ? one : x;
  }
  if (m.relu && x >> 15) x = 0;
  return x;
}

static inline double take(uint16_t x, struct ptx_halfmode m) {
  return ptx_half_value(m.ftz ? flush(x, m.is_bf16) : x, m.is_bf16);
}

#define ARITH(name, expr)                                                                          \
  void ptx_half_##name(uint16_t *d, const uint16_t *a, const uint16_t *b, const uint16_t *c,       \
                       struct ptx_halfmode m) {                                                    \
    for (unsigned i = 0; i < m.n; i++) {                                                           \
      const double x = take(a[i], m), y = take(b[i], m), z = take(c[i], m);                        \
      (void)z;                                                                                     \
      d[i] = finish(expr, m);                                                                      \
    }                                                                                              \
  }
ARITH(add, add_odd(x, y))
ARITH(sub, add_odd(x, -y))
ARITH(mul, x *y)
ARITH(fma, add_odd(x *y, z))

#define SIGN(name, expr)                                                                           \
  void ptx_half_##name(uint16_t *d, const uint16_t *a, const uint16_t *b, const uint16_t *c,       \
                       struct ptx_halfmode m) {                                                    \
    (void)b, (void)c;                                                                              \
    for (unsigned i = 0; i < m.n; i++) {                                                           \
      const uint16_t x = m.ftz ? flush(a[i], m.is_bf16) : a[i];                                    \
      d[i] = is_nan(x, m.is_bf16) ? PTX_HALF_NAN : (uint16_t)(expr);                               \
    }                                                                                              \
  }
SIGN(abs, x & 0x7fff)
SIGN(neg, x ^ 0x8000)

/* Orders all numbers, with -0 below +0. */
static inline int16_t key(uint16_t x) {
  return (int16_t)(x >> 15 ? x ^ 0x7fff : x);
}

static inline uint16_t choose(uint16_t x, uint16_t y, bool is_max, struct ptx_halfmode m) {
  const uint16_t clear = m.xorsign_abs ? 0x8000 : 0;
  if (m.ftz) x = flush(x, m.is_bf16), y = flush(y, m.is_bf16);
  const bool xn = is_nan(x, m.is_bf16), yn = is_nan(y, m.is_bf16);
  if ((xn && yn) || (m.nan && (xn || yn))) return PTX_HALF_NAN;
  const uint16_t p = x & (uint16_t)~clear, q = y & (uint16_t)~clear;
  const bool first = is_max ? key(p) > key(q) : key(p) < key(q);
  const uint16_t r = xn ? q : yn || first ? p : q;
  return (uint16_t)(r | ((x ^ y) & clear));
}

#define MINMAX(name, is_max)                                                                       \
  void ptx_half_##name(uint16_t *d, const uint16_t *a, const uint16_t *b, const uint16_t *c,       \
                       struct ptx_halfmode m) {                                                    \
    (void)c;                                                                                       \
    for (unsigned i = 0; i < m.n; i++)                                                             \
      d[i] = choose(a[i], b[i], is_max, m);                                                        \
  }
MINMAX(min, false)
MINMAX(max, true)

/* Through single precision, whose result is accurate to far more bits than are kept. */
#define APPROX(name, call)                                                                         \
  void ptx_half_##name(uint16_t *d, const uint16_t *a, const uint16_t *b, const uint16_t *c,       \
                       struct ptx_halfmode m) {                                                    \
    (void)b, (void)c;                                                                              \
    for (unsigned from = 0; from < m.n; from += PTX_FP_LANES) {                                    \
      uint32_t x[PTX_FP_LANES];                                                                    \
      for (unsigned i = 0; i < PTX_FP_LANES; i++) {                                                \
        const float f = (float)take(a[from + i], m);                                               \
        memcpy(&x[i], &f, sizeof f);                                                               \
      }                                                                                            \
      call;                                                                                        \
      for (unsigned i = 0; i < PTX_FP_LANES; i++)                                                  \
        d[from + i] = finish((double)f32_of(x[i]), m);                                             \
    }                                                                                              \
  }
APPROX(ex2, ptx_f32_ex2_approx(x, x, false))
APPROX(tanh, ptx_f32_tanh_approx(x, x))

/* Comparison by single precision's, which the values fit. */
uint64_t ptx_half_cmp(enum ptx_cmp op, const uint16_t *a, const uint16_t *b,
                      struct ptx_halfmode m) {
  uint64_t mask = 0;
  for (unsigned from = 0; from < m.n; from += PTX_FP_LANES) {
    uint32_t x[PTX_FP_LANES], y[PTX_FP_LANES];
    for (unsigned i = 0; i < PTX_FP_LANES; i++) {
      const float f = (float)take(a[from + i], m), g = (float)take(b[from + i], m);
      memcpy(&x[i], &f, sizeof f);
      memcpy(&y[i], &g, sizeof g);
    }
    mask |= (uint64_t)ptx_f32_cmp(op, x, y, false) << from;
  }
  return mask;
}

/* Bit 2i of the value order is the lower half of lane i: to one mask for each half. */
void ptx_half_unzip(uint64_t mask, uint32_t *lower, uint32_t *upper) {
  *lower = *upper = 0;
  for (unsigned i = 0; i < PTX_FP_LANES; i++) {
    *lower |= (uint32_t)(mask >> (2 * i) & 1) << i;
    *upper |= (uint32_t)(mask >> (2 * i + 1) & 1) << i;
  }
}
