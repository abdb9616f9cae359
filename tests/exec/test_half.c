/* Half precision against exact integer arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "exec/fp.h"

enum { N = 64 };
static uint64_t rng_state;

static uint64_t rng(void) {
  rng_state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = rng_state;
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

struct format {
  int exp_bits, mant_bits;
};
static const struct format f16 = {5, 10}, bf16 = {8, 7};
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

/* A value is mant * 2^(exp + low), low being the exponent of the format's last place of subnormals.
 */
struct exact {
  wide mant;
  int exp;
  bool neg, inf, nan;
};

static struct exact take(uint16_t x, struct format f) {
  int e = x >> f.mant_bits & ((1 << f.exp_bits) - 1), m = x & ((1 << f.mant_bits) - 1);
  struct exact v = {.neg = x >> 15};
  v.inf = e == (1 << f.exp_bits) - 1 && m == 0;
  v.nan = e == (1 << f.exp_bits) - 1 && m != 0;
  v.mant = e == 0 ? m : m | 1 << f.mant_bits;
  v.exp = e == 0 ? 0 : e - 1;
  return v;
}

/* mant * 2^shift of the last place, to nearest even; `ftz` flushes what rounds to less than the
 * smallest normal number at full precision. */
static uint16_t give(wide mant, int shift, struct format f, bool ftz) {
  uint16_t sign = (uint16_t)(mant < 0 ? 0x8000 : 0);
  uwide a = (uwide)(mant < 0 ? -mant : mant);
  int top = -1;
  for (uwide t = a; t; t >>= 1)
    top++;
  if (top < 0) return 0;
  bool tiny = top + shift < f.mant_bits;
  int keep = top + shift < f.mant_bits && !ftz ? -shift : top - f.mant_bits; /* bits to drop */
  uwide q = a;
  if (keep > 0) {
    uwide half = (uwide)1 << (keep - 1), rest = a & (2 * half - 1);
    q = a >> keep;
    if (rest > half || (rest == half && (q & 1))) q++;
  } else {
    q = a << -keep;
  }
  int e = shift + keep; /* exponent of q's last place */
  if (q >> (f.mant_bits + 1)) q >>= 1, e++;
  if (ftz && tiny && e < 0) return sign;
  if (!(q >> f.mant_bits)) return (uint16_t)(sign | (uint16_t)q);
  int field = e + 1;
  int most = (1 << f.exp_bits) - 1;
  if (field >= most) return (uint16_t)(sign | most << f.mant_bits);
  return (uint16_t)(sign | field << f.mant_bits | ((int)q & ((1 << f.mant_bits) - 1)));
}

static int bias_of(struct format f) {
  return (1 << (f.exp_bits - 1)) - 1;
}

/* a * b + c. Exponents must be close enough for 128 bits. */
static uint16_t fma_exact(uint16_t x, uint16_t y, uint16_t z, struct format f, bool ftz) {
  struct exact a = take(x, f), b = take(y, f), c = take(z, f);
  if (ftz && !(a.mant >> f.mant_bits)) a.mant = 0;
  if (ftz && !(b.mant >> f.mant_bits)) b.mant = 0;
  if (ftz && !(c.mant >> f.mant_bits)) c.mant = 0;
  uint16_t inf = (uint16_t)(((1 << f.exp_bits) - 1) << f.mant_bits);
  bool product_inf = a.inf || b.inf, neg = a.neg != b.neg;
  bool bad = a.nan || b.nan || c.nan || (a.inf && b.mant == 0 && !b.inf) ||
             (b.inf && a.mant == 0 && !a.inf) || (product_inf && c.inf && neg != c.neg);
  if (bad) return 0x7fff;
  if (product_inf) return (uint16_t)(inf | (neg ? 0x8000 : 0));
  if (c.inf) return (uint16_t)(inf | (c.neg ? 0x8000 : 0));
  if (a.mant == 0 || b.mant == 0) {
    if (c.mant == 0) return neg && c.neg ? 0x8000 : 0;
    return give(c.neg ? -c.mant : c.mant, c.exp, f, ftz);
  }
  /* In units of the product's last place: 2^(ea + eb - low), low = bias + mant_bits - 1. */
  int low = bias_of(f) + f.mant_bits - 1, ep = a.exp + b.exp - low;
  wide p = a.mant * b.mant * (neg ? -1 : 1), s = c.neg ? -c.mant : c.mant;
  int e = ep < c.exp || s == 0 ? ep : c.exp;
  int dp = ep - e, dc = c.exp - e;
  if (s == 0) dc = 0;
  assert_true(dp < 90 && dc < 100);
  wide sum = p * ((wide)1 << dp) + s * ((wide)1 << dc);
  if (sum == 0) return 0; /* what cancels is +0 */
  return give(sum, e, f, ftz);
}

static uint16_t limited(uint16_t x, struct ptx_halfmode m) {
  uint16_t one = m.is_bf16 ? 0x3f80 : 0x3c00;
  bool nan = (x & 0x7fff) > (m.is_bf16 ? 0x7f80 : 0x7c00);
  if (m.sat) return x >> 15 || nan ? 0 : x > one ? one : x;
  return m.relu && x >> 15 ? 0 : x;
}

/* Operands whose exponents are within reach of 128 bits: all of f16, a window of bf16. */
static uint16_t operand(bool is_bf16, unsigned window) {
  uint64_t r = rng();
  static const uint16_t edges[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00,
                                   0x3bff, 0x7bff, 0x7c00, 0xfc00, 0x7e01, 0x3801, 0x0401, 0x83ff};
  if (!is_bf16) return r % 5 == 0 ? edges[r >> 8 & 15] : (uint16_t)(r >> 16);
  uint16_t e = (uint16_t)(window + (r >> 8) % 24);
  return (uint16_t)((r >> 16 & 0x807f) | (uint32_t)e << 7);
}

static void arithmetic_is_exact(void **state) {
  (void)state;
  rng_state = 1;
  static const unsigned windows[] = {110, 52, 1, 180};
  for (unsigned n = 0; n < 6000; n++) {
    struct ptx_halfmode m = {.is_bf16 = n & 1, .n = N, .ftz = n >> 1 & 1};
    if (m.is_bf16) m.ftz = 0; /* no such instruction */
    m.sat = !m.is_bf16 && n % 7 == 3;
    m.relu = !m.sat && n % 5 == 2;
    struct format f = m.is_bf16 ? bf16 : f16;
    uint16_t a[N], b[N], c[N], add[N], sub[N], mul[N], fma[N];
    unsigned w = windows[n / 2 % 4];
    unsigned wc = w == 52 ? 1 : w == 180 ? 230 : w == 110 ? 95 : w;
    for (unsigned i = 0; i < N; i++) {
      a[i] = operand(m.is_bf16, w);
      b[i] = operand(m.is_bf16, w == 1 ? 120 : w);
      c[i] = operand(m.is_bf16, wc);
    }
    ptx_half_mul(mul, a, b, b, m);
    ptx_half_fma(fma, a, b, c, m);
    uint16_t one = m.is_bf16 ? 0x3f80 : 0x3c00;
    for (unsigned i = 0; i < N; i++) {
      uint16_t zero = (uint16_t)((a[i] ^ b[i]) & 0x8000); /* keeps the sign of a zero product */
      assert_int_equal(mul[i], limited(fma_exact(a[i], b[i], zero, f, m.ftz), m));
      assert_int_equal(fma[i], limited(fma_exact(a[i], b[i], c[i], f, m.ftz), m));
    }
    ptx_half_add(add, a, c, a, m);
    ptx_half_sub(sub, a, c, a, m);
    for (unsigned i = 0; i < N && (!m.is_bf16 || wc == w); i++) {
      assert_int_equal(add[i], limited(fma_exact(a[i], one, c[i], f, m.ftz), m));
      uint16_t minus = take(c[i], f).nan ? c[i] : c[i] ^ 0x8000;
      assert_int_equal(sub[i], limited(fma_exact(a[i], one, minus, f, m.ftz), m));
    }
  }
}

static void values_come_back(void **state) {
  (void)state;
  for (unsigned is_bf16 = 0; is_bf16 < 2; is_bf16++)
    for (uint32_t x = 0; x < 65536; x++) {
      double v = ptx_half_value((uint16_t)x, is_bf16);
      struct exact e = take((uint16_t)x, is_bf16 ? bf16 : f16);
      int low = is_bf16 ? -133 : -24;
      if (e.nan) {
        assert_true(isnan(v));
        assert_int_equal(ptx_half_round(v, is_bf16), PTX_HALF_NAN);
        continue;
      }
      double want = e.inf ? INFINITY : ldexp((double)e.mant, e.exp + low);
      assert_true(fabs(v) == want && (signbit(v) != 0) == e.neg);
      assert_int_equal(ptx_half_round(v, is_bf16), x);
    }
}

static void order_and_signs(void **state) {
  (void)state;
  rng_state = 2;
  for (unsigned n = 0; n < 2000; n++) {
    struct ptx_halfmode m = {
        .is_bf16 = n & 1, .n = N, .nan = n >> 1 & 1, .xorsign_abs = n >> 2 & 1};
    uint16_t a[N], b[N], lo[N], hi[N], neg[N], mag[N];
    for (unsigned i = 0; i < N; i++) {
      a[i] = n % 3 ? (uint16_t)rng() : operand(false, 0);
      b[i] = i % 4 ? (uint16_t)rng() : i % 8 ? a[i] : a[i] ^ 0x8000;
    }
    ptx_half_min(lo, a, b, b, m);
    ptx_half_max(hi, a, b, b, m);
    ptx_half_neg(neg, a, a, a, m);
    ptx_half_abs(mag, a, a, a, m);
    uint64_t less = ptx_half_cmp(PTX_CMP_LT, a, b, m), un = ptx_half_cmp(PTX_CMP_NAN, a, b, m);
    uint64_t equ = ptx_half_cmp(PTX_CMP_EQU, a, b, m);
    for (unsigned i = 0; i < N; i++) {
      double x = ptx_half_value(a[i], m.is_bf16), y = ptx_half_value(b[i], m.is_bf16);
      bool nan = isnan(x) || isnan(y);
      assert_int_equal(less >> i & 1, x < y);
      assert_int_equal(un >> i & 1, nan);
      assert_int_equal(equ >> i & 1, nan || x == y);
      assert_int_equal(neg[i], isnan(x) ? 0x7fff : a[i] ^ 0x8000);
      assert_int_equal(mag[i], isnan(x) ? 0x7fff : a[i] & 0x7fff);
      if (nan && (m.nan || (isnan(x) && isnan(y)))) {
        assert_int_equal(lo[i], 0x7fff);
        assert_int_equal(hi[i], 0x7fff);
        continue;
      }
      if (nan) continue;
      double p = m.xorsign_abs ? fabs(x) : x, q = m.xorsign_abs ? fabs(y) : y;
      double sign = m.xorsign_abs && signbit(x) != signbit(y) ? -1 : 1;
      assert_true(ptx_half_value(lo[i], m.is_bf16) == sign * (p < q ? p : q));
      assert_true(ptx_half_value(hi[i], m.is_bf16) == sign * (p > q ? p : q));
    }
  }
}

static uint32_t bits(float f) {
  uint32_t x;
  memcpy(&x, &f, sizeof x);
  return x;
}

static void conversions_are_limited(void **state) {
  (void)state;
  static const struct {
    float in;
    enum ptx_cvt_type to;
    struct ptx_cvtmode m;
    uint32_t want;
  } cases[] = {
      {1e6f, PTX_CVT_F16, {.rnd = PTX_RN}, 0x7c00},
      {1e6f, PTX_CVT_F16, {.rnd = PTX_RN, .satfinite = 1}, 0x7bff},
      {-1e6f, PTX_CVT_F16, {.rnd = PTX_RN, .satfinite = 1}, 0xfbff},
      {-INFINITY, PTX_CVT_BF16, {.rnd = PTX_RZ, .satfinite = 1}, 0xff7f},
      {-1.5f, PTX_CVT_BF16, {.rnd = PTX_RN, .relu = 1}, 0},
      {-0.0f, PTX_CVT_BF16, {.rnd = PTX_RN, .relu = 1}, 0},
      {-1e6f, PTX_CVT_F16, {.rnd = PTX_RN, .relu = 1, .satfinite = 1}, 0},
      {NAN, PTX_CVT_F16, {.rnd = PTX_RN, .relu = 1, .satfinite = 1}, 0x7fff},
      {1.00390625f, PTX_CVT_BF16, {.rnd = PTX_RN}, 0x3f80},
      {1.01171875f, PTX_CVT_BF16, {.rnd = PTX_RN}, 0x3f82},
      {1.00390625f, PTX_CVT_BF16, {.rnd = PTX_RP}, 0x3f81},
      {0x1.001p0f, PTX_CVT_TF32, {.rnd = PTX_RNA}, 0x3f800000},
      {0x1.002p0f, PTX_CVT_TF32, {.rnd = PTX_RNA}, 0x3f802000},
      {0x1.002p0f, PTX_CVT_TF32, {.rnd = PTX_RN}, 0x3f800000},
      {0x1.006p0f, PTX_CVT_TF32, {.rnd = PTX_RN}, 0x3f804000},
      {-2.0f, PTX_CVT_TF32, {.rnd = PTX_RZ, .relu = 1}, 0},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    uint32_t in[32], out[32] = {0};
    uint16_t half[32];
    for (unsigned i = 0; i < 32; i++)
      in[i] = bits(cases[k].in);
    bool wide_result = cases[k].to == PTX_CVT_TF32;
    ptx_cvt(cases[k].to, PTX_CVT_F32, cases[k].m, wide_result ? (void *)out : half, in);
    assert_int_equal(wide_result ? out[5] : half[5], cases[k].want);
    if (wide_result) continue;
    ptx_cvt_pack2(cases[k].to, cases[k].m, out, in, in);
    assert_int_equal(out[7], cases[k].want << 16 | cases[k].want);
  }
}

/* 2^-9.9 and 2^-10.98 (f16), 2^-7 and 2^-8 (bf16) are the manual's; the host's library is the
 * judge. */
static void approximations_are_close(void **state) {
  (void)state;
  for (unsigned is_bf16 = 0; is_bf16 < 2; is_bf16++)
    for (uint32_t x = 0; x < 65536; x += N) {
      struct ptx_halfmode m = {.is_bf16 = (uint8_t)is_bf16, .n = N, .ftz = (uint8_t)is_bf16};
      uint16_t a[N], ex2[N], tanh_[N];
      for (unsigned i = 0; i < N; i++)
        a[i] = (uint16_t)(x + i);
      ptx_half_ex2(ex2, a, a, a, m);
      m.ftz = 0;
      ptx_half_tanh(tanh_, a, a, a, m);
      for (unsigned i = 0; i < N; i++) {
        double v = ptx_half_value(a[i], is_bf16), e = ptx_half_value(ex2[i], is_bf16);
        double t = ptx_half_value(tanh_[i], is_bf16), least = is_bf16 ? 0x1p-126 : 0x1p-14;
        if (isnan(v)) {
          assert_int_equal(ex2[i], 0x7fff);
          assert_int_equal(tanh_[i], 0x7fff);
          continue;
        }
        double want = exp2(v);
        if (want >= least && want < (is_bf16 ? 3e38 : 65504))
          assert_true(fabs(e - want) <= want * (is_bf16 ? 0x1p-8 : 0x1p-11));
        assert_true(fabs(t - tanh(v)) <= (is_bf16 ? 0x1p-8 : 0x1p-11));
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_come_back),         cmocka_unit_test(arithmetic_is_exact),
      cmocka_unit_test(order_and_signs),          cmocka_unit_test(conversions_are_limited),
      cmocka_unit_test(approximations_are_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
