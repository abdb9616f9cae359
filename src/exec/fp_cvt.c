/* cvt: between any two of the scalar types.
 *
 * The general path takes every value apart into sign, integer significand and exponent, and rounds
 * with integers, so it needs no rounding mode of the host. The conversions that compilers emit most
 * have loops of their own, which say the same thing in a form that vectorises. */
#include "exec/fp.h"

#include <math.h>

#include <string.h>

struct format {
  uint8_t exp_bits, mant_bits;
};

static const struct format formats[PTX_CVT_TYPES] = {
    [PTX_CVT_F16] = {5, 10}, [PTX_CVT_BF16] = {8, 7},  [PTX_CVT_TF32] = {8, 10},
    [PTX_CVT_F32] = {8, 23}, [PTX_CVT_F64] = {11, 52},
};

static const uint8_t type_bytes[PTX_CVT_TYPES] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 4, 8};

static bool is_float(enum ptx_cvt_type t) {
  return t >= PTX_CVT_F16;
}

static bool is_signed(enum ptx_cvt_type t) {
  return t & 1; /* integers only */
}

/* A value: (neg ? -1 : 1) * mant * 2^exp. A NaN keeps its payload in mant, aligned as in f64. */
struct number {
  uint64_t mant;
  int exp;
  bool neg, inf, nan;
};

static int format_bias(struct format f) {
  return (1 << (f.exp_bits - 1)) - 1;
}

static uint64_t format_inf(struct format f) {
  return ((UINT64_C(1) << f.exp_bits) - 1) << f.mant_bits;
}

static struct number unpack_float(uint64_t bits, struct format f) {
  uint64_t frac = bits & ((UINT64_C(1) << f.mant_bits) - 1);
  int e = (int)(bits >> f.mant_bits) & ((1 << f.exp_bits) - 1);
  struct number v = {.neg = bits >> (f.exp_bits + f.mant_bits) & 1};
  if (e == (1 << f.exp_bits) - 1) {
    v.inf = frac == 0;
    v.nan = frac != 0;
    v.mant = frac << (52 - f.mant_bits);
    return v;
  }
  v.mant = e == 0 ? frac : frac | UINT64_C(1) << f.mant_bits;
  v.exp = (e == 0 ? 1 : e) - format_bias(f) - f.mant_bits;
  return v;
}

static struct number unpack_int(uint64_t bits, enum ptx_cvt_type t) {
  struct number v = {.neg = is_signed(t) && (int64_t)bits < 0};
  v.mant = v.neg ? 0 - bits : bits;
  return v;
}

/* mant / 2^shift, rounded to a whole number; the sign matters to the directed modes. */
static uint64_t shift_round(uint64_t mant, unsigned shift, unsigned rnd, bool neg) {
  if (shift == 0) return mant;
  uint64_t keep = shift < 64 ? mant >> shift : 0;
  /* The part shifted out, with half of the last place kept at bit 63. */
  uint64_t rem = shift < 64 ? mant << (64 - shift) : shift == 64 ? mant : mant != 0;
  const uint64_t half = UINT64_C(1) << 63;
  bool up = false;
  switch (rnd) {
  case PTX_RN:
    up = rem > half || (rem == half && (keep & 1));
    break;
  case PTX_RNA:
    up = rem >= half;
    break;
  case PTX_RM:
    up = neg && rem;
    break;
  case PTX_RP:
    up = !neg && rem;
    break;
  default:
    break;
  }
  return keep + up;
}

/* To and from f64 a NaN keeps its sign and the upper part of its payload, quieted; between the
 * smaller types it becomes the canonical one (H200). */
static uint64_t pack_nan(struct number v, enum ptx_cvt_type t, enum ptx_cvt_type st) {
  const struct format f = formats[t];
  if (t == PTX_CVT_F64 || st == PTX_CVT_F64)
    return (uint64_t)v.neg << (f.exp_bits + f.mant_bits) | format_inf(f) |
           UINT64_C(1) << (f.mant_bits - 1) | v.mant >> (52 - f.mant_bits);
  return t == PTX_CVT_F32 ? PTX_F32_NAN : 0x7fff;
}

static uint64_t pack_float(struct number v, struct format f, unsigned rnd) {
  const uint64_t inf = format_inf(f), sign = (uint64_t)v.neg << (f.exp_bits + f.mant_bits);
  if (v.inf) return sign | inf;
  if (v.mant == 0) return sign;
  const int bias = format_bias(f), top = v.exp + 63 - __builtin_clzll(v.mant);
  const int lead = top < 1 - bias ? 1 - bias : top; /* subnormals have a fixed last place */
  const int shift = lead - f.mant_bits - v.exp;
  uint64_t q = shift <= 0 ? v.mant << -shift : shift_round(v.mant, (unsigned)shift, rnd, v.neg);
  /* The leading bit of q is added to the exponent field; so is a carry out of the significand. */
  uint64_t bits = q + ((uint64_t)(lead + bias - 1) << f.mant_bits);
  if (bits < inf) return sign | bits;
  bool to_inf = rnd == PTX_RN || rnd == PTX_RNA || rnd == (v.neg ? PTX_RM : PTX_RP);
  return sign | (to_inf ? inf : inf - 1);
}

/* Rounded to a whole number and limited to the type's range. */
static uint64_t pack_int(struct number v, enum ptx_cvt_type t, unsigned rnd) {
  const unsigned width = type_bytes[t] * 8u;
  const uint64_t all = ~UINT64_C(0) >> (64 - width);
  const uint64_t limit = is_signed(t) ? v.neg ? (all >> 1) + 1 : all >> 1 : v.neg ? 0 : all;
  uint64_t mag = v.mant;
  if (v.inf || (v.mant && v.exp > 0 && (v.exp > 63 || v.mant > ~UINT64_C(0) >> v.exp)))
    mag = ~UINT64_C(0);
  else if (v.mant && v.exp > 0)
    mag <<= v.exp;
  else if (v.exp < 0)
    mag = shift_round(v.mant, (unsigned)-v.exp, rnd, v.neg);
  if (mag > limit) mag = limit;
  return v.neg ? 0 - mag : mag;
}

static struct number round_integral(struct number v, unsigned rnd) {
  if (v.inf || v.nan || v.exp >= 0) return v;
  v.mant = shift_round(v.mant, (unsigned)-v.exp, rnd, v.neg);
  v.exp = 0;
  return v;
}

static uint64_t saturate_float(uint64_t bits, struct number v, struct format f) {
  const uint64_t one = (uint64_t)format_bias(f) << f.mant_bits;
  if (v.nan || v.neg) return 0;
  return bits > one ? one : bits;
}

/* A double that becomes 2^-126 or its negative in single precision. */
static bool is_tiny(struct number v, unsigned rnd) {
  const double mag = ldexp((double)v.mant, v.exp); /* exact: it was a double */
  return ptx_ftz_flushes(mag, 0.0, 1.0, ptx_ftz_kind(rnd, v.neg));
}

static uint64_t to_float(struct number v, enum ptx_cvt_type dt, enum ptx_cvt_type st,
                         struct ptx_cvtmode m) {
  const struct format f = formats[dt];
  uint64_t bits = v.nan ? pack_nan(v, dt, st) : pack_float(v, f, m.rnd);
  if (m.ftz && dt == PTX_CVT_F32) {
    bits = ptx_f32_flush((uint32_t)bits);
    if (st == PTX_CVT_F64 && ptx_f32_is_edge((uint32_t)bits) && is_tiny(v, m.rnd))
      bits &= 0x80000000u;
  }
  if (m.sat) bits = saturate_float(bits, v, f);
  if (m.satfinite && !v.nan && (bits & format_inf(f)) == format_inf(f))
    bits = (bits & UINT64_C(1) << (f.exp_bits + f.mant_bits)) | (format_inf(f) - 1);
  if (m.relu && v.neg && !v.nan) bits = 0;
  return dt == PTX_CVT_TF32 ? bits << 13 : bits; /* the upper part of an f32 number */
}

/* .ftz makes a NaN canonical as well. */
static inline uint32_t flush_input(uint32_t x) {
  return ptx_f32_is_nan(x) ? PTX_F32_NAN : ptx_f32_flush(x);
}

/* .rna only drops bits of a NaN, of which an infinity may remain, and .satfinite takes one off; the
 * other modes have a canonical one (H200). */
static uint64_t tf32_nan(uint64_t bits, struct ptx_cvtmode m) {
  if (m.rnd != PTX_RNA) return 0x7fffe000;
  return (bits & 0xffffe000u) - (m.satfinite ? 0x2000u : 0);
}

/* One lane. bits is zero-extended, or sign-extended for a signed source. */
static uint64_t convert(enum ptx_cvt_type dt, enum ptx_cvt_type st, struct ptx_cvtmode m,
                        uint64_t bits) {
  if (!is_float(st)) {
    if (is_float(dt)) return to_float(unpack_int(bits, st), dt, st, m);
    return m.sat ? pack_int(unpack_int(bits, st), dt, PTX_RZ) : bits;
  }
  const bool whole = dt == PTX_CVT_F32 || dt == PTX_CVT_F64;
  if (dt == st && whole && !m.integral && !m.sat && !m.ftz) return bits; /* a move, NaNs included */
  if (dt == PTX_CVT_F32 && st == PTX_CVT_BF16 && !m.sat && !m.ftz) return bits << 16; /* likewise */
  if (m.ftz && st == PTX_CVT_F32 && dt != PTX_CVT_F16) bits = flush_input((uint32_t)bits);
  struct number v = unpack_float(bits, formats[st]);
  if (v.nan && dt == PTX_CVT_TF32 && !m.sat) return tf32_nan(bits, m);
  if (is_float(dt)) return to_float(m.integral ? round_integral(v, m.rnd) : v, dt, st, m);
  if (v.nan) {
    bool zero = st != PTX_CVT_F64 && type_bytes[dt] < 8;
    return zero ? 0 : UINT64_C(1) << (type_bytes[dt] * 8 - 1);
  }
  return pack_int(v, dt, m.rnd);
}

#define LOAD(type)                                                                                 \
  for (unsigned i = 0; i < PTX_FP_LANES; i++)                                                      \
    v[i] = (uint64_t)((const type *)s)[i];                                                         \
  break
static void load_lanes(uint64_t *v, enum ptx_cvt_type t, const void *s) {
  switch (t) {
  case PTX_CVT_U8:
    LOAD(uint8_t);
  case PTX_CVT_S8:
    LOAD(int8_t);
  case PTX_CVT_S16:
    LOAD(int16_t);
  case PTX_CVT_S32:
    LOAD(int32_t);
  case PTX_CVT_U16:
  case PTX_CVT_F16:
  case PTX_CVT_BF16:
    LOAD(uint16_t);
  case PTX_CVT_U32:
  case PTX_CVT_TF32:
  case PTX_CVT_F32:
    LOAD(uint32_t);
  default:
    LOAD(uint64_t);
  }
}

#define STORE(type)                                                                                \
  for (unsigned i = 0; i < PTX_FP_LANES; i++)                                                      \
    ((type *)d)[i] = (type)v[i];                                                                   \
  break
static void store_lanes(void *d, enum ptx_cvt_type t, const uint64_t *v) {
  switch (type_bytes[t]) {
  case 1:
    STORE(uint8_t);
  case 2:
    STORE(uint16_t);
  case 4:
    STORE(uint32_t);
  default:
    STORE(uint64_t);
  }
}

static void cvt_any(enum ptx_cvt_type dt, enum ptx_cvt_type st, struct ptx_cvtmode m, void *d,
                    const void *s) {
  uint64_t v[PTX_FP_LANES];
  load_lanes(v, st, s);
  for (unsigned i = 0; i < PTX_FP_LANES; i++)
    v[i] = convert(dt, st, m, v[i]);
  store_lanes(d, dt, v);
}

/* A function of the common signature whose body is one statement for lane i: from x of type S to a
 * lane of type D. */
#define FAST(name, D, S, ...)                                                                      \
  static void name(enum ptx_cvt_type dt, enum ptx_cvt_type st, struct ptx_cvtmode m, void *dv,     \
                   const void *sv) {                                                               \
    D *d = dv;                                                                                     \
    const S *s = sv;                                                                               \
    (void)dt, (void)st, (void)m;                                                                   \
    PTX_FP_EACH_LANE(i) {                                                                          \
      S x = s[i];                                                                                  \
      __VA_ARGS__;                                                                                 \
    }                                                                                              \
  }

/* Integers to integers without .sat: cut or extended, so only the destination's width matters. */
#define INT_FROM(st, S)                                                                            \
  FAST(u8_##st, uint8_t, S, d[i] = (uint8_t)x)                                                     \
  FAST(u16_##st, uint16_t, S, d[i] = (uint16_t)x)                                                  \
  FAST(u32_##st, uint32_t, S, d[i] = (uint32_t)x)                                                  \
  FAST(u64_##st, uint64_t, S, d[i] = (uint64_t)x)
INT_FROM(u8, uint8_t)
INT_FROM(s8, int8_t)
INT_FROM(u16, uint16_t)
INT_FROM(s16, int16_t)
INT_FROM(u32, uint32_t)
INT_FROM(s32, int32_t)
INT_FROM(u64, uint64_t)
INT_FROM(s64, int64_t)

#define INT_ROW(w)                                                                                 \
  { w##_u8, w##_s8, w##_u16, w##_s16, w##_u32, w##_s32, w##_u64, w##_s64 }
static const ptx_cvt_fn int_fns[4][8] = {INT_ROW(u8), INT_ROW(u16), INT_ROW(u32), INT_ROW(u64)};

static inline float f32_of(uint32_t x) {
  float f;
  memcpy(&f, &x, sizeof f);
  return f;
}

static inline uint32_t f32_bits(float f) {
  uint32_t x;
  memcpy(&x, &f, sizeof x);
  return x;
}

static inline double f64_of(uint64_t x) {
  double f;
  memcpy(&f, &x, sizeof f);
  return f;
}

static inline uint64_t f64_bits(double f) {
  uint64_t x;
  memcpy(&x, &f, sizeof x);
  return x;
}

FAST(f32_s32_rn, uint32_t, int32_t, d[i] = f32_bits((float)x))
FAST(f32_u32_rn, uint32_t, uint32_t, d[i] = f32_bits((float)x))
FAST(f64_s32, uint64_t, int32_t, d[i] = f64_bits((double)x))
FAST(f64_u32, uint64_t, uint32_t, d[i] = f64_bits((double)x))

/* What does not fit is replaced by zero before the host converts it. */
static inline uint32_t s32_rzi(uint32_t x) {
  const uint32_t mag = x & 0x7fffffffu;
  const bool fits = mag < 0x4f000000u; /* 2^31 */
  uint32_t r = (uint32_t)(int32_t)f32_of(fits ? x : 0);
  uint32_t limit = x >> 31 ? 0x80000000u : 0x7fffffffu;
  limit = mag > 0x7f800000u ? 0 : limit;
  return fits ? r : limit;
}

static inline uint32_t u32_rzi(uint32_t x) {
  const bool fits = x < 0x4f800000u; /* 2^32; negative numbers compare greater */
  uint32_t r = (uint32_t)f32_of(fits ? x : 0);
  return fits ? r : x > 0x7f800000u ? 0 : 0xffffffffu;
}

static inline uint64_t f64_from_f32(uint32_t x, bool ftz) {
  x = ftz ? flush_input(x) : x;
  uint64_t nan = (uint64_t)(x & 0x80000000u) << 32 | UINT64_C(0x7ff0000000000000) |
                 (uint64_t)(x & 0x7fffffu) << 29;
  return ptx_f32_is_nan(x) ? ptx_f64_nan(nan, nan, nan) : f64_bits((double)f32_of(x));
}

static inline uint32_t f32_from_f64_rn(uint64_t x, bool ftz) {
  uint32_t r = f32_bits((float)f64_of(x));
  uint32_t nan = (uint32_t)(x >> 32 & 0x80000000u) | 0x7fc00000u | (uint32_t)(x >> 29 & 0x7fffffu);
  r = ptx_f64_is_nan(x) ? nan : r;
  if (!ftz) return r;
  double mag = f64_of(x & ~(UINT64_C(1) << 63));
  return mag < ptx_ftz_limit(PTX_FTZ_NEAREST) ? r & 0x80000000u : ptx_f32_flush(r);
}

FAST(s32_f32_rzi, uint32_t, uint32_t, d[i] = s32_rzi(x))
FAST(u32_f32_rzi, uint32_t, uint32_t, d[i] = u32_rzi(x))
FAST(f64_f32, uint64_t, uint32_t, d[i] = f64_from_f32(x, m.ftz))
FAST(f32_f64_rn, uint32_t, uint64_t, d[i] = f32_from_f64_rn(x, m.ftz))

static inline uint32_t f32_from_f16(uint16_t x) {
  uint32_t r = f32_bits((float)ptx_half_value(x, false));
  return ptx_f32_is_nan(r) ? PTX_F32_NAN : r;
}

FAST(f32_f16, uint32_t, uint16_t, d[i] = f32_from_f16(x))
FAST(f32_bf16, uint32_t, uint16_t, d[i] = (uint32_t)x << 16)
FAST(f16_f32_rn, uint16_t, uint32_t, d[i] = ptx_half_round((double)f32_of(x), false))
FAST(bf16_f32_rn, uint16_t, uint32_t, d[i] = ptx_half_round((double)f32_of(x), true))

#define PAIR(dt, st) ((unsigned)(dt)*PTX_CVT_TYPES + (unsigned)(st))

ptx_cvt_fn ptx_cvt_select(enum ptx_cvt_type dt, enum ptx_cvt_type st, struct ptx_cvtmode m) {
  const bool rn = m.rnd == PTX_RN, rz = m.rnd == PTX_RZ;
  if (!is_float(dt) && !is_float(st) && !m.sat) return int_fns[dt / 2][st];
  /* .sat changes nothing from a float to an integer, and .ftz nothing where 2^-126 rounds to 0. */
  if (rz && PAIR(dt, st) == PAIR(PTX_CVT_S32, PTX_CVT_F32)) return s32_f32_rzi;
  if (rz && PAIR(dt, st) == PAIR(PTX_CVT_U32, PTX_CVT_F32)) return u32_f32_rzi;
  if (m.sat || m.relu || m.satfinite) return cvt_any;
  switch (PAIR(dt, st)) {
  case PAIR(PTX_CVT_F32, PTX_CVT_S32):
    return rn ? f32_s32_rn : cvt_any;
  case PAIR(PTX_CVT_F32, PTX_CVT_U32):
    return rn ? f32_u32_rn : cvt_any;
  case PAIR(PTX_CVT_F32, PTX_CVT_F64):
    return rn && !m.integral ? f32_f64_rn : cvt_any;
  case PAIR(PTX_CVT_F64, PTX_CVT_F32):
    return m.integral ? cvt_any : f64_f32;
  case PAIR(PTX_CVT_F32, PTX_CVT_F16): /* no half is too small for .ftz to matter */
    return m.integral ? cvt_any : f32_f16;
  case PAIR(PTX_CVT_F16, PTX_CVT_F32):
    return rn && !m.integral ? f16_f32_rn : cvt_any;
  case PAIR(PTX_CVT_F32, PTX_CVT_BF16):
    return m.ftz || m.integral ? cvt_any : f32_bf16;
  case PAIR(PTX_CVT_BF16, PTX_CVT_F32):
    return rn && !m.ftz && !m.integral ? bf16_f32_rn : cvt_any;
  case PAIR(PTX_CVT_F64, PTX_CVT_S32):
    return f64_s32;
  case PAIR(PTX_CVT_F64, PTX_CVT_U32):
    return f64_u32;
  default:
    return cvt_any;
  }
}

void ptx_cvt(enum ptx_cvt_type dt, enum ptx_cvt_type st, struct ptx_cvtmode m, void *d,
             const void *s) {
  ptx_cvt_select(dt, st, m)(dt, st, m, d, s);
}

void ptx_cvt_pack2(enum ptx_cvt_type half, struct ptx_cvtmode m, uint32_t *d, const uint32_t *a,
                   const uint32_t *b) {
  uint16_t hi[PTX_FP_LANES], lo[PTX_FP_LANES];
  ptx_cvt(half, PTX_CVT_F32, m, hi, a);
  ptx_cvt(half, PTX_CVT_F32, m, lo, b);
  PTX_FP_EACH_LANE(i) d[i] = (uint32_t)hi[i] << 16 | lo[i];
}
