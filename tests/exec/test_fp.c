/* The floating-point semantics against MPFR, which rounds in software: directed roundings and
 * conversions must agree in every bit, approximations stay within the manual's bounds. What the
 * manual leaves open (NaNs, the edge of .ftz, sine and cosine) is as measured on an H200. A hash of
 * all results is printed, to be compared between compilers, options and hosts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MPFR_USE_INTMAX_T 1
#include <mpfr.h>

#include "exec/fp.h"

enum { L = PTX_FP_LANES };

static uint64_t rng_state, hash = UINT64_C(0xcbf29ce484222325);

static uint64_t rnd64(void) {
  uint64_t z = (rng_state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static void note(uint64_t v) {
  hash = (hash ^ v) * UINT64_C(0x100000001b3);
}

static float flt(uint32_t x) {
  float f;
  memcpy(&f, &x, sizeof f);
  return f;
}

static double dbl(uint64_t x) {
  double f;
  memcpy(&f, &x, sizeof f);
  return f;
}

static uint32_t flt_bits(float f) {
  uint32_t x;
  memcpy(&x, &f, sizeof x);
  return x;
}

static uint64_t dbl_bits(double f) {
  uint64_t x;
  memcpy(&x, &f, sizeof x);
  return x;
}

/* Without signs: zero, subnormals, the first normals, around 1, odd significands (halfway sums and
 * products), around 2^23, 2^31, 2^32, 2^63 and 2^64, the last, infinity, NaNs. */
static const uint32_t edge32[] = {
    0,          1,          2,          3,          0x00400000, 0x007fffff, 0x00800000, 0x00800001,
    0x00ffffff, 0x01000000, 0x33000000, 0x33800000, 0x33ffffff, 0x3effffff, 0x3f000000, 0x3f000001,
    0x3f7fffff, 0x3f800000, 0x3f800001, 0x3f800003, 0x3fc00000, 0x40200000, 0x42fe0000, 0x42ff0000,
    0x437f0000, 0x437f8000, 0x46ffff00, 0x477fff00, 0x4affffff, 0x4b000001, 0x4b7fffff, 0x4b800001,
    0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0x5f7fffff, 0x5f800000,
    0x7e800000, 0x7e800001, 0x7f000000, 0x7f7ffffe, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000,
    0x7fffffff, 0x477fe000, 0x477ff000, 0x33000001, 0x38800000, 0x387fc000, 0x3dcccccd, 0x40490fdb};

static uint32_t gen32(void) {
  uint64_t r = rnd64();
  uint32_t sign = (uint32_t)(r >> 63) << 31, lo = (uint32_t)r;
  switch (r >> 32 & 3) {
  case 0:
    return sign | edge32[lo % (sizeof edge32 / sizeof *edge32)];
  case 1:
    return lo;
  case 2:
    return sign | (0x3e800000u + (lo & 0x03ffffff)); /* exponents near 1 */
  default:
    return sign | (lo & 0x7f800000u) | (uint32_t)((r >> 40 & 7) << 21) | (r >> 43 & 1);
  }
}

static uint64_t gen64(void) {
  uint64_t r = rnd64(), sign = r >> 63 << 63, lo = rnd64();
  switch (r % 9) {
  case 0:
    return sign | (dbl_bits((double)fabsf(flt(gen32()))) & INT64_MAX);
  case 1:
    return lo;
  case 2:
    return sign | (lo & 7) | (lo & 8 ? UINT64_C(0x7fe0000000000000) : 0);
  case 3:
    return sign | (UINT64_C(0x0010000000000000) + (lo & 3) - 2);
  case 4:
    return sign | (UINT64_C(0x7ff0000000000000) - 2 + (lo & 3));
  case 5:
    return sign | (UINT64_C(0x3fd0000000000000) + (lo & UINT64_C(0x003fffffffffffff)));
  /* Halfway between, and next to, numbers of single precision. */
  case 6:
    return sign | (UINT64_C(0x3800000000000000) + (lo & UINT64_C(0x0fffffffe0000000)) +
                   UINT64_C(0x10000000) - 1 + (lo & 3));
  /* Around 2^-126, where .ftz decides: the last place is 2^-179, half of single precision's below
   * that point 2^-151. */
  case 7:
    return sign |
           (UINT64_C(0x3810000000000000) - (lo & 7) * UINT64_C(0x08000000) - 1 + (lo >> 8) % 3);
  default:
    return sign | (lo & UINT64_C(0x7ff8000000000001));
  }
}

static const mpfr_rnd_t mp_rnd[] = {MPFR_RNDN, MPFR_RNDZ, MPFR_RNDD, MPFR_RNDU};

static void range_of(int exp_bits, int mant_bits) {
  int bias = (1 << (exp_bits - 1)) - 1;
  mpfr_set_emin(2 - bias - mant_bits);
  mpfr_set_emax(bias + 1);
}

static void range_free(void) {
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
}

/* r was rounded with exponents unbounded, so that ftz can judge it: tiny results become zeros of
 * their sign. What remains is brought into the format's range. */
static void fit_range(mpfr_t r, int ternary, int exp_bits, int mant_bits, mpfr_rnd_t rnd,
                      bool ftz) {
  if (ftz && mpfr_number_p(r) && mpfr_cmp_d(r, 0x1p-126) < 0 && mpfr_cmp_d(r, -0x1p-126) > 0) {
    mpfr_set_zero(r, mpfr_signbit(r) ? -1 : 1);
    return;
  }
  range_of(exp_bits, mant_bits);
  ternary = mpfr_check_range(r, ternary, rnd);
  mpfr_subnormalize(r, ternary, rnd);
  range_free();
}

static uint32_t finish32(uint32_t x, bool sat) {
  if (isnan(flt(x))) x = 0x7fffffff;
  if (sat) x = flt(x) > 1.0f ? 0x3f800000 : flt(x) > 0.0f ? x : 0;
  return x;
}

static uint32_t flush_ref(uint32_t x, bool ftz) {
  return ftz && fabsf(flt(x)) < 0x1p-126f ? x & 0x80000000u : x;
}

enum op { ADD, SUB, MUL, DIV, FMA, RCP, SQRT, OPS };

static int mp_apply(enum op op, mpfr_t r, mpfr_t a, mpfr_t b, mpfr_t c, mpfr_rnd_t rnd) {
  switch (op) {
  case ADD:
    return mpfr_add(r, a, b, rnd);
  case SUB:
    return mpfr_sub(r, a, b, rnd);
  case MUL:
    return mpfr_mul(r, a, b, rnd);
  case DIV:
    return mpfr_div(r, a, b, rnd);
  case FMA:
    return mpfr_fma(r, a, b, c, rnd);
  case RCP:
    return mpfr_ui_div(r, 1, a, rnd);
  default:
    return mpfr_sqrt(r, a, rnd);
  }
}

#define CALL(f, op, d, a, b, c, m)                                                                 \
  switch (op) {                                                                                    \
  case ADD:                                                                                        \
    ptx_##f##_add(d, a, b, m);                                                                     \
    break;                                                                                         \
  case SUB:                                                                                        \
    ptx_##f##_sub(d, a, b, m);                                                                     \
    break;                                                                                         \
  case MUL:                                                                                        \
    ptx_##f##_mul(d, a, b, m);                                                                     \
    break;                                                                                         \
  case DIV:                                                                                        \
    ptx_##f##_div(d, a, b, m);                                                                     \
    break;                                                                                         \
  case FMA:                                                                                        \
    ptx_##f##_fma(d, a, b, c, m);                                                                  \
    break;                                                                                         \
  case RCP:                                                                                        \
    ptx_##f##_rcp(d, a, m);                                                                        \
    break;                                                                                         \
  default:                                                                                         \
    ptx_##f##_sqrt(d, a, m);                                                                       \
    break;                                                                                         \
  }

/* Replaces operands so that the result is 2^-126 or a few units away, on either side. */
static void aim_at_the_edge(enum op op, uint32_t *x, uint32_t *y, uint32_t *z) {
  const float edge = 0x1p-126f;
  uint64_t r = rnd64();
  uint32_t off = (uint32_t)(r & 7) - 4, sign = (uint32_t)(r >> 8 & 1) << 31;
  *x = (uint32_t)(r >> 63) << 31 | (0x1f000000u + (uint32_t)(r >> 32 & 0x01ffffff));
  float f = fabsf(flt(*x));
  switch (op) {
  case MUL:
    *y = sign ^ (flt_bits(edge / f) + off);
    break;
  case DIV:
    *x = (uint32_t)(r >> 63) << 31 | (0x00800000u + (uint32_t)(r >> 32 & 0x00ffffff));
    *y = sign ^ (flt_bits(fabsf(flt(*x)) * 0x1p126f) + off);
    break;
  case FMA: /* as a product and little more, or as a tiny product from 2^-126 */
    *y = sign ^ (flt_bits(edge / f) + off);
    if (r & 16) *y = sign ^ flt_bits((float)(0x1p-152 / (double)f * (double)(r >> 12 & 15)));
    *z = (uint32_t)(r >> 9 & 1) << 31 | (r & 16 ? 0x00800000 : 0);
    break;
  default:
    *x = sign ^ (0x7e800000u + off);
  }
}

static void f32_is_exact(void **state) {
  (void)state;
  mpfr_t a, b, c, r;
  unsigned edges = 0;
  mpfr_inits2(24, a, b, c, r, (mpfr_ptr)0);
  rng_state = 1;
  for (enum op op = 0; op < OPS; op++)
    for (unsigned n = 0; n < 12000; n++) {
      struct ptx_fpmode m = {(uint8_t)(n & 3), n >> 2 & 1, (n >> 3 & 3) == 3};
      uint32_t x[L], y[L], z[L], d[L];
      for (int i = 0; i < L; i++) {
        x[i] = gen32(), y[i] = gen32(), z[i] = gen32();
        if (op == FMA && rnd64() % 4 == 0) z[i] = flt_bits(-(flt(x[i]) * flt(y[i])));
        if (op == ADD && rnd64() % 4 == 0) y[i] = x[i] ^ (uint32_t)(rnd64() & 0x80ffffff);
        if (i % 8 == 0) aim_at_the_edge(op, &x[i], &y[i], &z[i]);
      }
      CALL(f32, op, d, x, y, z, m);
      assert_int_equal(fegetround(), FE_TONEAREST);
      for (int i = 0; i < L; i++) {
        mpfr_set_flt(a, flt(flush_ref(x[i], m.ftz)), MPFR_RNDN);
        mpfr_set_flt(b, flt(flush_ref(y[i], m.ftz)), MPFR_RNDN);
        mpfr_set_flt(c, flt(flush_ref(z[i], m.ftz)), MPFR_RNDN);
        int t = mp_apply(op, r, a, b, c, mp_rnd[m.rnd]);
        bool rounded = t != 0;
        fit_range(r, t, 8, 23, mp_rnd[m.rnd], m.ftz);
        uint32_t want = finish32(flt_bits(mpfr_get_flt(r, MPFR_RNDN)), m.sat);
        edges += m.ftz && rounded && (want << 1) == 0x01000000;
        if (want != d[i])
          fail_msg("op %d rnd %d ftz %d sat %d: %08x %08x %08x -> %08x, want %08x", (int)op, m.rnd,
                   m.ftz, m.sat, x[i], y[i], z[i], d[i], want);
        note(d[i]);
      }
      /* The destination may be a source. */
      uint32_t keep[L];
      memcpy(keep, d, sizeof d);
      CALL(f32, op, x, x, y, z, m);
      assert_memory_equal(keep, x, sizeof keep);
    }
  assert_true(edges > 100); /* 2^-126 was reached by rounding, often */
  mpfr_clears(a, b, c, r, (mpfr_ptr)0);
}

/* The first NaN in the order given, quieted; the default one where there is none. */
static uint64_t nan_ref(uint64_t first, uint64_t second, uint64_t third) {
  uint64_t v[] = {first, second, third};
  for (int i = 0; i < 3; i++)
    if (isnan(dbl(v[i]))) return v[i] | UINT64_C(0x0008000000000000);
  return UINT64_C(0xfff8000000000000);
}

static void f64_is_exact(void **state) {
  (void)state;
  mpfr_t a, b, c, r;
  mpfr_inits2(53, a, b, c, r, (mpfr_ptr)0);
  rng_state = 2;
  for (enum op op = 0; op < OPS; op++)
    for (unsigned n = 0; n < 6000; n++) {
      struct ptx_fpmode m = {(uint8_t)(n & 3), 0, 0};
      uint64_t x[L], y[L], z[L], d[L];
      for (int i = 0; i < L; i++) {
        x[i] = gen64(), y[i] = gen64(), z[i] = gen64();
        if (rnd64() % 16 == 0) x[i] |= UINT64_C(0x7ff) << 52 | 5, y[i] |= UINT64_C(0x7ff) << 52 | 9;
        if (op == FMA && rnd64() % 4 == 0) z[i] = dbl_bits(-(dbl(x[i]) * dbl(y[i])));
        if (op == ADD && rnd64() % 4 == 0) y[i] = x[i] ^ (rnd64() & UINT64_C(0x801fffffffffffff));
        if (op == RCP || op == SQRT) y[i] = z[i] = x[i];
        if (op != FMA) z[i] = y[i];
      }
      CALL(f64, op, d, x, y, z, m);
      assert_int_equal(fegetround(), FE_TONEAREST);
      for (int i = 0; i < L; i++) {
        mpfr_set_d(a, dbl(x[i]), MPFR_RNDN);
        mpfr_set_d(b, dbl(y[i]), MPFR_RNDN);
        mpfr_set_d(c, dbl(z[i]), MPFR_RNDN);
        int t = mp_apply(op, r, a, b, c, mp_rnd[m.rnd]);
        fit_range(r, t, 11, 52, mp_rnd[m.rnd], false);
        uint64_t nan = op == DIV ? nan_ref(x[i], y[i], y[i]) : nan_ref(y[i], z[i], x[i]);
        uint64_t want = mpfr_nan_p(r) ? nan : dbl_bits(mpfr_get_d(r, MPFR_RNDN));
        if (want != d[i])
          fail_msg("op %d rnd %d: %016lx %016lx %016lx -> %016lx, want %016lx", (int)op, m.rnd,
                   (unsigned long)x[i], (unsigned long)y[i], (unsigned long)z[i],
                   (unsigned long)d[i], (unsigned long)want);
        note(d[i]);
      }
      uint64_t keep[L];
      memcpy(keep, d, sizeof d);
      CALL(f64, op, x, x, y, z, m);
      assert_memory_equal(keep, x, sizeof keep);
    }
  mpfr_clears(a, b, c, r, (mpfr_ptr)0);
}

static bool cmp_ref(enum ptx_cmp op, double x, double y) {
  bool un = isnan(x) || isnan(y);
  switch (op) {
  case PTX_CMP_EQ:
    return x == y;
  case PTX_CMP_NE:
    return !un && x != y;
  case PTX_CMP_LT:
  case PTX_CMP_LO:
    return x < y;
  case PTX_CMP_LE:
  case PTX_CMP_LS:
    return x <= y;
  case PTX_CMP_GT:
  case PTX_CMP_HI:
    return x > y;
  case PTX_CMP_GE:
  case PTX_CMP_HS:
    return x >= y;
  case PTX_CMP_EQU:
    return un || x == y;
  case PTX_CMP_NEU:
    return un || x != y;
  case PTX_CMP_LTU:
    return !(x >= y);
  case PTX_CMP_LEU:
    return !(x > y);
  case PTX_CMP_GTU:
    return !(x <= y);
  case PTX_CMP_GEU:
    return !(x < y);
  case PTX_CMP_NUM:
    return !un;
  default:
    return un;
  }
}

static bool testp_ref(enum ptx_testp op, int class) {
  switch (op) {
  case PTX_TESTP_FINITE:
    return class != FP_NAN && class != FP_INFINITE;
  case PTX_TESTP_INFINITE:
    return class == FP_INFINITE;
  case PTX_TESTP_NUMBER:
    return class != FP_NAN;
  case PTX_TESTP_NOTANUMBER:
    return class == FP_NAN;
  case PTX_TESTP_NORMAL:
    return class == FP_NORMAL || class == FP_ZERO;
  default:
    return class == FP_SUBNORMAL;
  }
}

/* As a double: every f32 is one, and only order and sign matter. nan: *isnan set. */
static double minmax_ref(double x, double y, bool max, struct ptx_minmax m, bool *nan) {
  bool sign = signbit(x) != signbit(y);
  *nan = (isnan(x) && isnan(y)) || (m.nan && (isnan(x) || isnan(y)));
  if (m.xorsign_abs) x = fabs(x), y = fabs(y);
  double r = isnan(x) ? y : isnan(y) ? x : x == y ? (signbit(x) != max ? x : y) : x < y ? x : y;
  if (max && !isnan(x) && !isnan(y) && x != y) r = x < y ? y : x;
  return m.xorsign_abs ? copysign(r, sign ? -1.0 : 1.0) : r;
}

static void bits_only(void **state) {
  (void)state;
  rng_state = 3;
  for (unsigned n = 0; n < 20000; n++) {
    uint32_t x[L], y[L], d[L];
    uint64_t p[L], q[L], e[L];
    bool ftz = n & 1, max = n & 2, nan;
    struct ptx_minmax m = {ftz, n >> 2 & 1, n >> 3 & 1};
    enum ptx_cmp op = n % PTX_CMP_COUNT;
    enum ptx_testp tp = n % 6;
    for (int i = 0; i < L; i++) {
      x[i] = gen32(), y[i] = n & 16 ? gen32() : x[i] ^ (uint32_t)(rnd64() & 1) << 31;
      p[i] = gen64(), q[i] = n & 16 ? gen64() : p[i] ^ (rnd64() & 1) << 63;
    }
    uint32_t c32 = ptx_f32_cmp(op, x, y, ftz), c64 = ptx_f64_cmp(op, p, q, ftz);
    uint32_t t32 = ptx_f32_testp(tp, x), t64 = ptx_f64_testp(tp, p);
    (max ? ptx_f32_max : ptx_f32_min)(d, x, y, m);
    (max ? ptx_f64_max : ptx_f64_min)(e, p, q, m);
    for (int i = 0; i < L; i++) {
      uint32_t fx = flush_ref(x[i], ftz), fy = flush_ref(y[i], ftz);
      assert_int_equal(c32 >> i & 1, cmp_ref(op, (double)flt(fx), (double)flt(fy)));
      assert_int_equal(c64 >> i & 1, cmp_ref(op, dbl(p[i]), dbl(q[i])));
      assert_int_equal(t32 >> i & 1, testp_ref(tp, fpclassify(flt(x[i]))));
      assert_int_equal(t64 >> i & 1, testp_ref(tp, fpclassify(dbl(p[i]))));
      /* The sign of a NaN operand counts for .xorsign, so it is kept from the bits. */
      double rx = isnan(flt(fx)) ? copysign(NAN, fx >> 31 ? -1.0 : 1.0) : (double)flt(fx);
      double ry = isnan(flt(fy)) ? copysign(NAN, fy >> 31 ? -1.0 : 1.0) : (double)flt(fy);
      double r = minmax_ref(rx, ry, max, m, &nan);
      assert_int_equal(d[i], nan ? 0x7fffffff : flt_bits((float)r));
      r = minmax_ref(dbl(p[i]), dbl(q[i]), max, m, &nan);
      assert_true(e[i] == (nan ? nan_ref(q[i], p[i], p[i]) : dbl_bits(r)));
      note(d[i]), note(e[i]);
    }
    ptx_f32_neg(d, x, ftz), ptx_f64_neg(e, p, ftz);
    for (int i = 0; i < L; i++) {
      assert_int_equal(d[i], isnan(flt(x[i])) ? 0x7fffffff : flush_ref(x[i], ftz) ^ 0x80000000u);
      uint64_t want = isnan(dbl(p[i])) ? nan_ref(p[i], p[i], p[i]) : dbl_bits(-dbl(p[i]));
      assert_true(e[i] == want);
    }
    ptx_f32_abs(d, x, ftz), ptx_f64_abs(e, p, ftz);
    for (int i = 0; i < L; i++) {
      assert_int_equal(d[i], isnan(flt(x[i])) ? 0x7fffffff : flush_ref(x[i], ftz) & 0x7fffffffu);
      uint64_t want = isnan(dbl(p[i])) ? nan_ref(p[i], p[i], p[i]) : dbl_bits(fabs(dbl(p[i])));
      assert_true(e[i] == want);
    }
    ptx_f32_copysign(d, x, y), ptx_f64_copysign(e, p, q);
    for (int i = 0; i < L; i++) {
      assert_int_equal(d[i], (x[i] & 0x80000000u) | (y[i] & 0x7fffffffu));
      assert_true(e[i] == ((p[i] & ~(uint64_t)INT64_MAX) | (q[i] & INT64_MAX)));
    }
  }
}

struct type {
  uint8_t bytes, is_float, is_signed, exp_bits, mant_bits;
};

static const struct type types[PTX_CVT_TYPES] = {
    {1, 0, 0, 0, 0},  {1, 0, 1, 0, 0},  {2, 0, 0, 0, 0},  {2, 0, 1, 0, 0},  {4, 0, 0, 0, 0},
    {4, 0, 1, 0, 0},  {8, 0, 0, 0, 0},  {8, 0, 1, 0, 0},  {2, 1, 1, 5, 10}, {2, 1, 1, 8, 7},
    {4, 1, 1, 8, 10}, {4, 1, 1, 8, 23}, {8, 1, 1, 11, 52}};

static uint64_t read_lane(const void *p, struct type t, int i) {
  uint64_t v = 0;
  memcpy(&v, (const char *)p + i * t.bytes, t.bytes); /* little-endian hosts only */
  return v;
}

static uint64_t low_bits(uint64_t v, struct type t) {
  return v & ~UINT64_C(0) >> (64 - 8 * t.bytes);
}

/* Bits of a number that the format holds exactly. */
static uint64_t encode(mpfr_t v, struct type t) {
  uint64_t sign = mpfr_signbit(v) ? UINT64_C(1) << (t.exp_bits + t.mant_bits) : 0;
  int bias = (1 << (t.exp_bits - 1)) - 1, e;
  double x = fabs(mpfr_get_d(v, MPFR_RNDN));
  if (x == 0.0) return sign;
  if (isinf(x)) return sign | ((UINT64_C(1) << t.exp_bits) - 1) << t.mant_bits;
  frexp(x, &e);
  int lsb = (e - 1 < 1 - bias ? 1 - bias : e - 1) - t.mant_bits;
  uint64_t q = (uint64_t)ldexp(x, -lsb);
  bool normal = q >> t.mant_bits;
  return sign | (q + (normal ? (uint64_t)(lsb + t.mant_bits + bias - 1) << t.mant_bits : 0));
}

static void decode(mpfr_t v, uint64_t bits, struct type t) {
  if (!t.is_float) {
    int unused = 64 - 8 * t.bytes;
    if (t.is_signed)
      mpfr_set_sj(v, (int64_t)(bits << unused) >> unused, MPFR_RNDN);
    else
      mpfr_set_uj(v, bits, MPFR_RNDN);
    return;
  }
  int bias = (1 << (t.exp_bits - 1)) - 1, all = (1 << t.exp_bits) - 1;
  int e = (int)(bits >> t.mant_bits) & all;
  uint64_t frac = bits & ((UINT64_C(1) << t.mant_bits) - 1);
  if (e == all && frac) {
    mpfr_set_nan(v);
    return;
  }
  if (e == all)
    mpfr_set_inf(v, 1);
  else
    mpfr_set_uj_2exp(v, e ? frac | UINT64_C(1) << t.mant_bits : frac,
                     (e ? e : 1) - bias - t.mant_bits, MPFR_RNDN);
  mpfr_setsign(v, v, (int)(bits >> (t.exp_bits + t.mant_bits) & 1), MPFR_RNDN);
}

/* Where one of the two is f64 the sign and as many payload bits as fit survive. */
static uint64_t cvt_nan_ref(uint64_t src, enum ptx_cvt_type dt, enum ptx_cvt_type st) {
  struct type t = types[dt], from = types[st];
  if (dt == PTX_CVT_TF32) return 0x7fffe000;
  if (dt != PTX_CVT_F64 && st != PTX_CVT_F64) return t.bytes == 2 ? 0x7fff : 0x7fffffff;
  uint64_t sign = src >> (from.exp_bits + from.mant_bits);
  uint64_t frac = src << (64 - from.mant_bits) >> (64 - t.mant_bits);
  uint64_t ones = (UINT64_C(2) << t.exp_bits) - 1; /* the exponent and the quiet bit */
  return sign << (t.exp_bits + t.mant_bits) | ones << (t.mant_bits - 1) | frac;
}

static uint64_t cvt_float_ref(mpfr_t v, uint64_t src, enum ptx_cvt_type dt, enum ptx_cvt_type st,
                              struct ptx_cvtmode m) {
  struct type t = types[dt];
  uint64_t bits;
  if (mpfr_nan_p(v)) return m.sat ? 0 : cvt_nan_ref(src, dt, st);
  mpfr_t r;
  mpfr_init2(r, t.mant_bits + 1);
  if (m.integral) mpfr_rint(v, v, mp_rnd[m.rnd]);
  int tern = mpfr_set(r, v, mp_rnd[m.rnd]);
  fit_range(r, tern, t.exp_bits, t.mant_bits, mp_rnd[m.rnd], m.ftz && dt == PTX_CVT_F32);
  if (m.sat && (mpfr_signbit(r) || mpfr_zero_p(r))) mpfr_set_zero(r, 1);
  if (m.sat && mpfr_cmp_ui(r, 1) > 0) mpfr_set_ui(r, 1, MPFR_RNDN);
  bits = encode(r, t);
  mpfr_clear(r);
  return dt == PTX_CVT_TF32 ? bits << 13 : bits;
}

static uint64_t cvt_ref(enum ptx_cvt_type dt, enum ptx_cvt_type st, struct ptx_cvtmode m,
                        uint64_t src) {
  struct type t = types[dt];
  bool moves = dt == st && (dt == PTX_CVT_F32 || dt == PTX_CVT_F64);
  if (moves && !m.integral && !m.ftz && !m.sat) return src;
  if (dt == PTX_CVT_F32 && st == PTX_CVT_BF16 && !m.ftz && !m.sat) return src << 16;
  mpfr_t v, lo, hi;
  mpfr_inits2(128, v, lo, hi, (mpfr_ptr)0);
  if (m.ftz && st == PTX_CVT_F32 && isnan(flt((uint32_t)src))) src = 0x7fffffff;
  if (st == PTX_CVT_F32 && dt != PTX_CVT_F16) src = flush_ref((uint32_t)src, m.ftz);
  decode(v, src, types[st]);
  uint64_t out;
  if (t.is_float) {
    out = cvt_float_ref(v, src, dt, st, m);
  } else if (!types[st].is_float && !m.sat) {
    out = types[st].is_signed ? (uint64_t)mpfr_get_sj(v, MPFR_RNDN) : src;
  } else if (mpfr_nan_p(v)) {
    out = st == PTX_CVT_F64 || t.bytes == 8 ? UINT64_C(1) << (8 * t.bytes - 1) : 0;
  } else {
    mpfr_set_ui_2exp(hi, 1, 8 * t.bytes - t.is_signed, MPFR_RNDN);
    mpfr_neg(lo, hi, MPFR_RNDN);
    if (!t.is_signed) mpfr_set_zero(lo, 1);
    mpfr_sub_ui(hi, hi, 1, MPFR_RNDN);
    if (!mpfr_inf_p(v)) mpfr_rint(v, v, mp_rnd[m.rnd]);
    if (mpfr_cmp(v, lo) < 0) mpfr_set(v, lo, MPFR_RNDN);
    if (mpfr_cmp(v, hi) > 0) mpfr_set(v, hi, MPFR_RNDN);
    out = mpfr_sgn(v) < 0 ? (uint64_t)mpfr_get_sj(v, MPFR_RNDN) : mpfr_get_uj(v, MPFR_RNDN);
  }
  mpfr_clears(v, lo, hi, (mpfr_ptr)0);
  return low_bits(out, t);
}

static uint64_t gen_source(enum ptx_cvt_type st) {
  switch (st) {
  case PTX_CVT_F32:
    return gen32();
  case PTX_CVT_F64:
    return gen64();
  case PTX_CVT_F16:
  case PTX_CVT_BF16:
    return rnd64() & 0xffff;
  default: {
    uint64_t r = rnd64(), v = rnd64() >> (r & 63); /* every magnitude */
    if (r & 64) v = (UINT64_C(1) << (r >> 8 & 63)) + (r >> 16 & 3) - 2;
    return low_bits(r & 128 ? 0 - v : v, types[st]);
  }
  }
}

static void cvt_is_exact(void **state) {
  (void)state;
  rng_state = 4;
  for (enum ptx_cvt_type dt = 0; dt < PTX_CVT_TYPES; dt++)
    for (enum ptx_cvt_type st = 0; st < PTX_CVT_TYPES; st++) {
      /* Most where .ftz has an edge to meet. */
      unsigned rounds = dt == PTX_CVT_F32 && st == PTX_CVT_F64 ? 200 : 8;
      for (unsigned n = 0; n < 32 * rounds; n++) {
        struct ptx_cvtmode m = {
            .rnd = (uint8_t)(n & 3), .integral = n >> 2 & 1, .ftz = n >> 3 & 1, .sat = n >> 4 & 1};
        if (st == PTX_CVT_TF32 || (m.integral && dt != st)) continue;
        if (dt == PTX_CVT_TF32 && st != PTX_CVT_F32) continue; /* no such instruction */
        uint64_t sv[L], dv[L];
        for (int i = 0; i < L; i++) {
          uint64_t v = gen_source(st);
          memcpy((char *)sv + i * types[st].bytes, &v, types[st].bytes);
        }
        ptx_cvt(dt, st, m, dv, sv);
        for (int i = 0; i < L; i++) {
          uint64_t src = read_lane(sv, types[st], i), got = read_lane(dv, types[dt], i);
          uint64_t want = cvt_ref(dt, st, m, src);
          if (got != want)
            fail_msg("cvt %d from %d rnd %d int %d ftz %d sat %d: %lx -> %lx, want %lx", (int)dt,
                     (int)st, m.rnd, m.integral, m.ftz, m.sat, (unsigned long)src,
                     (unsigned long)got, (unsigned long)want);
          note(got);
        }
      }
    }
}

/* Ties away from zero: half a unit is added to the magnitude and the rest cut off. */
static void cvt_tf32_and_pairs(void **state) {
  (void)state;
  rng_state = 5;
  for (unsigned n = 0; n < 5000; n++) {
    uint32_t a[L], b[L], d[L];
    uint16_t hi[L], lo[L];
    struct ptx_cvtmode rna = {.rnd = PTX_RNA}, m = {.rnd = (uint8_t)(n & 1)};
    enum ptx_cvt_type half = n & 2 ? PTX_CVT_F16 : PTX_CVT_BF16;
    for (int i = 0; i < L; i++)
      a[i] = gen32(), b[i] = gen32() ^ (uint32_t)(rnd64() & 0x1000);
    ptx_cvt(PTX_CVT_TF32, PTX_CVT_F32, rna, d, b);
    for (int i = 0; i < L; i++) {
      uint32_t half_unit = (b[i] & 0x7fffffff) >= 0x7f800000 ? 0 : 0x1000;
      assert_int_equal(d[i], (b[i] + half_unit) & 0xffffe000);
    }
    ptx_cvt_pack2(half, m, d, a, b);
    ptx_cvt(half, PTX_CVT_F32, m, hi, a);
    ptx_cvt(half, PTX_CVT_F32, m, lo, b);
    for (int i = 0; i < L; i++)
      assert_int_equal(d[i], (uint32_t)hi[i] << 16 | lo[i]);
  }
}

typedef void approx_fn(uint32_t *d, const uint32_t *a, bool ftz);
typedef int mp_fn(mpfr_t r, const mpfr_t a, mpfr_rnd_t rnd);

static void tanh_fn(uint32_t *d, const uint32_t *a, bool ftz) {
  (void)ftz;
  ptx_f32_tanh_approx(d, a);
}

static int mp_rcp(mpfr_t r, const mpfr_t a, mpfr_rnd_t rnd) {
  return mpfr_ui_div(r, 1, a, rnd);
}

/* x / 2pi as the H200 finds it: single precision's product with 1/2pi, toward zero. The whole
 * turns of it are exact and count for nothing. */
static int mp_of_turns(mpfr_t r, const mpfr_t x, mp_fn *fn, mpfr_rnd_t rnd) {
  mpfr_t y, pi;
  mpfr_inits2(24, y, (mpfr_ptr)0);
  mpfr_inits2(320, pi, (mpfr_ptr)0);
  mpfr_set_flt(y, flt(0x3e22f983), MPFR_RNDN);
  mpfr_mul(y, x, y, MPFR_RNDZ);
  mpfr_frac(y, y, MPFR_RNDN);
  mpfr_const_pi(pi, MPFR_RNDN);
  mpfr_mul_2ui(pi, pi, 1, MPFR_RNDN);
  mpfr_mul(pi, pi, y, MPFR_RNDN);
  int t = fn(r, pi, rnd);
  mpfr_clears(y, pi, (mpfr_ptr)0);
  return t;
}

static int mp_sin_turns(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd) {
  return mp_of_turns(r, x, mpfr_sin, rnd);
}

static int mp_cos_turns(mpfr_t r, const mpfr_t x, mpfr_rnd_t rnd) {
  return mp_of_turns(r, x, mpfr_cos, rnd);
}

struct err {
  double ulp, rel, abs;
};

/* Is the value below 2^-126 once rounded to 24 bits? */
static bool tiny_at_24_bits(const mpfr_t v) {
  mpfr_t r;
  mpfr_init2(r, 24);
  mpfr_abs(r, v, MPFR_RNDN);
  bool tiny = mpfr_cmp_d(r, 0x1p-126) < 0;
  mpfr_clear(r);
  return tiny;
}

/* The error of got against the true value, added to the maxima. */
static void measure(struct err *e, mpfr_t truth, uint32_t got) {
  mpfr_t diff;
  mpfr_init2(diff, 300);
  mpfr_set_flt(diff, flt(got), MPFR_RNDN);
  mpfr_sub(diff, diff, truth, MPFR_RNDN);
  mpfr_abs(diff, diff, MPFR_RNDN);
  long exp = mpfr_zero_p(truth) ? -126 : (long)mpfr_get_exp(truth) - 1;
  double abs = mpfr_get_d(diff, MPFR_RNDU);
  double ulp = ldexp(abs, (int)(23 - (exp < -126 ? -126 : exp)));
  mpfr_div(diff, diff, truth, MPFR_RNDN);
  double rel = mpfr_zero_p(truth) ? 0.0 : fabs(mpfr_get_d(diff, MPFR_RNDU));
  mpfr_clear(diff);
  e->abs = fmax(e->abs, abs);
  e->ulp = fmax(e->ulp, ulp);
  if (exp >= -126) e->rel = fmax(e->rel, rel); /* a relative bound cannot hold among subnormals */
}

/* One function on inputs of magnitude [lo, hi]. Every result must be within 0.501 ulp of the model;
 * the errors against the true function are returned for the manual's bounds. */
static struct err sweep_model(const char *name, approx_fn *fn, mp_fn *ref, mp_fn *model, float lo,
                              float hi) {
  struct err e = {0}, e_model = {0};
  mpfr_t x, t;
  mpfr_init2(x, 24);
  mpfr_init2(t, 300);
  for (unsigned n = 0; n < 1200; n++) {
    uint32_t a[L], d[L], z[L];
    uint32_t from = flt_bits(lo), span = flt_bits(hi) - from + 1;
    bool odd = ref != mpfr_sqrt && ref != mpfr_rec_sqrt && ref != mpfr_log2;
    for (int i = 0; i < L; i++) {
      a[i] = from + (uint32_t)(rnd64() % span);
      if (n % 4 == 0) a[i] = edge32[rnd64() % (sizeof edge32 / sizeof *edge32)];
      if (flt(a[i]) < lo || !(flt(a[i]) <= hi)) a[i] = from;
      if (odd) a[i] |= (uint32_t)(rnd64() & 1) << 31;
    }
    fn(d, a, false);
    fn(z, a, true);
    for (int i = 0; i < L; i++) {
      note(d[i]), note(z[i]);
      mpfr_set_flt(x, flt(a[i]), MPFR_RNDN);
      model(t, x, MPFR_RNDN);
      if (mpfr_cmpabs(t, x) == 0 && mpfr_zero_p(x)) assert_int_equal(d[i], a[i]);
      if (isinf(flt(d[i]))) { /* only where the true value is out of range */
        mpfr_abs(t, t, MPFR_RNDN);
        assert_true(mpfr_cmp_d(t, 0x1.ffffffp127) >= 0);
        continue;
      }
      measure(&e_model, t, d[i]);
      bool flushed = fn != tanh_fn && fabsf(flt(a[i])) < 0x1p-126f && a[i] << 1;
      bool tiny = fn != tanh_fn && tiny_at_24_bits(t);
      if (!flushed) assert_int_equal(z[i], tiny ? d[i] & 0x80000000u : d[i]);
      if (model != ref) {
        ref(t, x, MPFR_RNDN);
        measure(&e, t, d[i]);
      }
    }
  }
  if (model == ref) e = e_model;
  print_message("%-6s |x| in [%g, %g]: %.4f ulp, relative 2^%.2f, absolute 2^%.2f\n", name,
                (double)lo, (double)hi, e_model.ulp, log2(e.rel), log2(e.abs));
  mpfr_clears(x, t, (mpfr_ptr)0);
  assert_true(e_model.ulp < 0.501);
  return e;
}

static struct err sweep(const char *name, approx_fn *fn, mp_fn *ref, float lo, float hi) {
  return sweep_model(name, fn, ref, ref, lo, hi);
}

static struct err sweep_sin(float lo, float hi) {
  return sweep_model("sin", ptx_f32_sin_approx, mpfr_sin, mp_sin_turns, lo, hi);
}

static struct err sweep_cos(float lo, float hi) {
  return sweep_model("cos", ptx_f32_cos_approx, mpfr_cos, mp_cos_turns, lo, hi);
}

static void approx_is_within_bounds(void **state) {
  (void)state;
  const float tiny = 0x1p-149f, most = 0x1.fffffep127f, pi = 0x1.921fb4p1f;
  rng_state = 6;
  assert_true(sweep("rcp", ptx_f32_rcp_approx, mp_rcp, tiny, most).ulp <= 1.0);
  assert_true(sweep("sqrt", ptx_f32_sqrt_approx, mpfr_sqrt, tiny, most).rel <= 0x1p-23);
  assert_true(sweep("rsqrt", ptx_f32_rsqrt_approx, mpfr_rec_sqrt, tiny, most).rel <= pow(2, -22.9));
  assert_true(sweep("ex2", ptx_f32_ex2_approx, mpfr_exp2, tiny, 200.0f).ulp <= 2.0);
  assert_true(sweep("lg2", ptx_f32_lg2_approx, mpfr_log2, 0.5f, 2.0f).abs <= 0x1p-22);
  assert_true(sweep("lg2", ptx_f32_lg2_approx, mpfr_log2, 2.0f, most).rel <= 0x1p-22);
  assert_true(sweep("lg2", ptx_f32_lg2_approx, mpfr_log2, tiny, 0.5f).rel <= 0x1p-22);
  assert_true(sweep_sin(tiny, 2 * pi).abs <= pow(2, -20.5));
  assert_true(sweep_sin(1.0f, 100 * pi).abs <= pow(2, -14.7));
  assert_true(sweep_cos(tiny, 2 * pi).abs <= pow(2, -20.5));
  assert_true(sweep_cos(1.0f, 100 * pi).abs <= pow(2, -14.7));
  assert_true(sweep("tanh", tanh_fn, mpfr_tanh, tiny, most).rel <= 0x1p-11);
}

/* Beyond 100pi the manual promises nothing, but the model holds, to its end: from 2^24 turns on
 * every multiple is whole, so the sine is a zero of the operand's sign and the cosine is one. */
static void sin_cos_of_the_large(void **state) {
  (void)state;
  const float most = 0x1.fffffep127f;
  rng_state = 7;
  sweep("sin", ptx_f32_sin_approx, mp_sin_turns, 100.0f, 0x1p28f);
  sweep("cos", ptx_f32_cos_approx, mp_cos_turns, 100.0f, 0x1p28f);
  sweep("sin", ptx_f32_sin_approx, mp_sin_turns, 0x1p20f, most);
  sweep("cos", ptx_f32_cos_approx, mp_cos_turns, 0x1p20f, most);
  for (unsigned n = 0; n < 1000; n++) {
    uint32_t a[L], s[L], c[L];
    for (int i = 0; i < L; i++) {
      a[i] = 0x4e000000u + (uint32_t)(rnd64() % (0x7f800000u - 0x4e000000u));
      a[i] |= (uint32_t)(rnd64() & 1) << 31;
    }
    ptx_f32_sin_approx(s, a, n & 1);
    ptx_f32_cos_approx(c, a, n & 1);
    for (int i = 0; i < L; i++) {
      assert_int_equal(s[i], a[i] & 0x80000000u);
      assert_int_equal(c[i], 0x3f800000);
    }
  }
}

static void approx_division(void **state) {
  (void)state;
  struct err e = {0}, f = {0};
  mpfr_t t, y;
  mpfr_inits2(300, t, y, (mpfr_ptr)0);
  rng_state = 8;
  for (unsigned n = 0; n < 6000; n++) {
    uint32_t a[L], b[L], d[L], g[L];
    bool ftz = n & 1;
    for (int i = 0; i < L; i++) {
      uint32_t unused;
      a[i] = gen32(), b[i] = gen32();
      if (i % 8 == 0) aim_at_the_edge(DIV, &a[i], &b[i], &unused);
    }
    ptx_f32_div_approx(d, a, b, ftz);
    ptx_f32_div_full(g, a, b, ftz);
    for (int i = 0; i < L; i++) {
      note(d[i]), note(g[i]);
      float x = flt(flush_ref(a[i], ftz)), v = flt(flush_ref(b[i], ftz));
      uint32_t sign = (a[i] ^ b[i]) & 0x80000000u;
      if (isnan(x) || isnan(v) || (isinf(x) && isinf(v)) || (x == 0.0f && v == 0.0f)) {
        assert_int_equal(d[i], 0x7fffffff);
        assert_int_equal(g[i], 0x7fffffff);
        continue;
      }
      bool big = fabsf(v) > 0x1p126f;
      if (big) assert_int_equal(d[i], isinf(x) ? 0x7fffffff : sign);
      if (isinf(x) || x == 0.0f || isinf(v) || v == 0.0f) {
        uint32_t want = sign | (isinf(x) || v == 0.0f ? 0x7f800000 : 0);
        assert_int_equal(g[i], want);
        if (!big) assert_int_equal(d[i], want);
        continue;
      }
      mpfr_set_flt(t, x, MPFR_RNDN);
      mpfr_set_flt(y, v, MPFR_RNDN);
      mpfr_div(t, t, y, MPFR_RNDN);
      double q = fabs(mpfr_get_d(t, MPFR_RNDN));
      if (q > 0x1.fffffcp127) continue;
      if (ftz && tiny_at_24_bits(t))
        assert_int_equal(g[i], sign);
      else
        measure(&f, t, g[i]);
      if (big) continue;
      /* Two roundings: within their error of 2^-126 either side of it is right. */
      if (ftz && q < 0x1p-126 * (1 - 0x1p-22))
        assert_int_equal(d[i], sign);
      else if (!ftz || d[i] != sign || q > 0x1p-126 * (1 + 0x1p-22))
        measure(&e, t, d[i]);
    }
  }
  print_message("div.approx: %.4f ulp, div.full: %.4f ulp\n", e.ulp, f.ulp);
  assert_true(e.ulp <= 2.0);
  assert_true(f.ulp <= 0.501);
  mpfr_clears(t, y, (mpfr_ptr)0);
}

static void special_values(void **state) {
  (void)state;
  const uint32_t inf = 0x7f800000, ninf = 0xff800000, nan = 0x7fffffff, one = 0x3f800000;
  const uint32_t zero = 0, nzero = 0x80000000, none = 0xbf800000, sub = 0x80000001;
  static const uint32_t in[] = {0xff800000, 0x80000000, 0,         0x7f800000,
                                0xffc12345, 0xbf800000, 0x80000001};
  const struct {
    approx_fn *fn;
    uint32_t want[7], want_ftz_sub;
  } rows[] = {
      /* -inf, -0, +0, +inf, NaN, -1, the greatest negative subnormal; and that one with .ftz */
      {ptx_f32_rcp_approx, {nzero, ninf, inf, zero, nan, none, ninf}, ninf},
      {ptx_f32_sqrt_approx, {nan, nzero, zero, inf, nan, nan, nan}, nzero},
      {ptx_f32_rsqrt_approx, {nan, ninf, inf, zero, nan, nan, nan}, ninf},
      {ptx_f32_ex2_approx, {zero, one, one, inf, nan, 0x3f000000, one}, one},
      {ptx_f32_lg2_approx, {nan, ninf, ninf, inf, nan, nan, nan}, ninf},
      {ptx_f32_sin_approx, {nan, nzero, zero, nan, nan, 0xbf576aa4, sub}, nzero},
      {ptx_f32_cos_approx, {nan, one, one, nan, nan, 0x3f0a5141, one}, one},
      {tanh_fn, {none, nzero, zero, one, nan, 0xbf42f7d6, sub}, sub},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    uint32_t a[L] = {0}, d[L];
    memcpy(a, in, sizeof in);
    rows[k].fn(d, a, false);
    assert_memory_equal(d, rows[k].want, sizeof in);
    rows[k].fn(d, a, true);
    assert_int_equal(d[6], rows[k].want_ftz_sub);
  }
}

static void f64_approx(void **state) {
  (void)state;
  const uint64_t nan = UINT64_C(0x7fffffff00000000), inf = UINT64_C(0x7ff0000000000000);
  const uint64_t sign = UINT64_C(1) << 63;
  uint64_t a[L] = {sign | inf,
                   sign | 5,
                   sign,
                   0,
                   5,
                   inf,
                   UINT64_C(0x7ff8000000000001),
                   dbl_bits(4.0) | 0xffffffff,
                   dbl_bits(0x1.8p1023)};
  uint64_t d[L], rcp[] = {sign, sign | inf, sign | inf, inf, inf, 0, nan, dbl_bits(0.25), 0};
  uint64_t rsq[] = {nan, sign | inf, sign | inf, inf, inf, 0, nan, dbl_bits(0.5)};
  ptx_f64_rcp_approx_ftz(d, a);
  assert_memory_equal(d, rcp, sizeof rcp);
  ptx_f64_rsqrt_approx_ftz(d, a);
  assert_memory_equal(d, rsq, sizeof rsq);
  rng_state = 9;
  for (unsigned n = 0; n < 3000; n++) {
    uint64_t r[L], q[L], s[L];
    for (int i = 0; i < L; i++)
      a[i] = gen64() & INT64_MAX;
    ptx_f64_rcp_approx_ftz(r, a);
    ptx_f64_rsqrt_approx_ftz(q, a);
    ptx_f64_rsqrt_approx(s, a);
    for (int i = 0; i < L; i++) {
      note(r[i]), note(q[i]), note(s[i]);
      assert_int_equal((uint32_t)r[i], 0);
      assert_int_equal((uint32_t)q[i], 0);
      double x = dbl(a[i]);
      if (isnan(x)) assert_true(s[i] == nan_ref(a[i], a[i], a[i]));
      if (!isnormal(x)) continue;
      if (x < 0x1p1021) assert_true(fabs(dbl(r[i]) * x - 1.0) < 0x1p-19);
      assert_true(fabs(dbl(q[i]) * sqrt(x) - 1.0) < 0x1p-19);
      assert_true(fabs(dbl(s[i]) * sqrt(x) - 1.0) < 0x1p-51);
    }
  }
}

/* The last test: nothing fails here unless earlier tests did not run. */
static void results_hash(void **state) {
  (void)state;
  print_message("hash of all results %016lx\n", (unsigned long)hash);
  assert_true(hash != UINT64_C(0xcbf29ce484222325));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(f32_is_exact),
      cmocka_unit_test(f64_is_exact),
      cmocka_unit_test(bits_only),
      cmocka_unit_test(cvt_is_exact),
      cmocka_unit_test(cvt_tf32_and_pairs),
      cmocka_unit_test(special_values),
      cmocka_unit_test(approx_is_within_bounds),
      cmocka_unit_test(sin_cos_of_the_large),
      cmocka_unit_test(approx_division),
      cmocka_unit_test(f64_approx),
      cmocka_unit_test(results_hash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
