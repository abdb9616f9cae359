/* Integer, logic, bit-field, compare, select and move micro-operations (PTX ISA: Integer
 * Arithmetic, Extended-Precision, Comparison and Selection, Logic and Shift, Data Movement). */
#include "exec/vec.h"

#define UN(id, T, EXPR)                                                                            \
  HANDLER(id) {                                                                                    \
    const T *a = REG(T, u->a);                                                                     \
    STORE_LANES(T, EXPR);                                                                          \
  }
#define BIN(id, T, EXPR)                                                                           \
  HANDLER(id) {                                                                                    \
    const T *a = REG(T, u->a), *b = REG(T, u->b);                                                  \
    STORE_LANES(T, EXPR);                                                                          \
  }
#define TER(id, T, EXPR)                                                                           \
  HANDLER(id) {                                                                                    \
    const T *a = REG(T, u->a), *b = REG(T, u->b), *c = REG(T, u->c);                               \
    STORE_LANES(T, EXPR);                                                                          \
  }
#define W3(M, id, EXPR)                                                                            \
  M(id##_b16, uint16_t, EXPR) M(id##_b32, uint32_t, EXPR) M(id##_b64, uint64_t, EXPR)
#define S3(M, id, EXPR)                                                                            \
  M(id##_s16, int16_t, EXPR) M(id##_s32, int32_t, EXPR) M(id##_s64, int64_t, EXPR)
#define U3(M, id, EXPR)                                                                            \
  M(id##_u16, uint16_t, EXPR) M(id##_u32, uint32_t, EXPR) M(id##_u64, uint64_t, EXPR)
#define US6(M, id, EXPR) U3(M, id, EXPR) S3(M, id, EXPR)

typedef __int128 wide_s128;
typedef unsigned __int128 wide_u128;

/* ---- add, subtract, multiply ---- */
W3(BIN, add, a[i] + b[i])
W3(BIN, sub, a[i] - b[i])
BIN(mullo_b16, uint16_t, (uint32_t)a[i] * b[i])
BIN(mullo_b32, uint32_t, a[i] * b[i])
BIN(mullo_b64, uint64_t, a[i] * b[i])
BIN(mulhi_u16, uint16_t, ((uint32_t)a[i] * b[i]) >> 16)
BIN(mulhi_s16, int16_t, ((int32_t)a[i] * b[i]) >> 16)
BIN(mulhi_u32, uint32_t, ((uint64_t)a[i] * b[i]) >> 32)
BIN(mulhi_s32, int32_t, ((int64_t)a[i] * b[i]) >> 32)
BIN(mulhi_u64, uint64_t, (uint64_t)(((wide_u128)a[i] * b[i]) >> 64))
BIN(mulhi_s64, int64_t, (int64_t)(((wide_s128)a[i] * b[i]) >> 64))
TER(madlo_b16, uint16_t, (uint32_t)a[i] * b[i] + c[i])
TER(madlo_b32, uint32_t, a[i] * b[i] + c[i])
TER(madlo_b64, uint64_t, a[i] * b[i] + c[i])
TER(madhi_u16, uint16_t, (((uint32_t)a[i] * b[i]) >> 16) + c[i])
TER(madhi_s16, int16_t, (((int32_t)a[i] * b[i]) >> 16) + c[i])
TER(madhi_u32, uint32_t, (uint32_t)(((uint64_t)a[i] * b[i]) >> 32) + c[i])
TER(madhi_s32, int32_t, (uint32_t)(((int64_t)a[i] * b[i]) >> 32) + (uint32_t)c[i])
TER(madhi_u64, uint64_t, (uint64_t)(((wide_u128)a[i] * b[i]) >> 64) + c[i])
TER(madhi_s64, int64_t, (uint64_t)(((wide_s128)a[i] * b[i]) >> 64) + (uint64_t)c[i])

#define WIDE(id, T, W, UW)                                                                         \
  HANDLER(mulwide_##id) {                                                                          \
    const T *a = REG(T, u->a), *b = REG(T, u->b);                                                  \
    W t[LANES] __attribute__((aligned(64)));                                                       \
    EACH_LANE t[i] = (W)a[i] * (W)b[i];                                                            \
    BLEND(W, t);                                                                                   \
  }                                                                                                \
  HANDLER(madwide_##id) {                                                                          \
    const T *a = REG(T, u->a), *b = REG(T, u->b);                                                  \
    const W *c = REG(W, u->c);                                                                     \
    W t[LANES] __attribute__((aligned(64)));                                                       \
    EACH_LANE t[i] = (W)((UW)((W)a[i] * (W)b[i]) + (UW)c[i]);                                      \
    BLEND(W, t);                                                                                   \
  }
WIDE(u16, uint16_t, uint32_t, uint32_t)
WIDE(s16, int16_t, int32_t, uint32_t)
WIDE(u32, uint32_t, uint64_t, uint64_t)
WIDE(s32, int32_t, int64_t, uint64_t)

static inline int32_t clamp_s32(int64_t v) {
  return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
}
BIN(addsat_s32, int32_t, clamp_s32((int64_t)a[i] + b[i]))
BIN(subsat_s32, int32_t, clamp_s32((int64_t)a[i] - b[i]))
TER(madhisat_s32, int32_t, clamp_s32((((int64_t)a[i] * b[i]) >> 32) + c[i]))

/* 24-bit operands: the lower 24 bits, sign-extended for s32; .lo gives bits 31..0 of the 48-bit
 * product, .hi bits 47..16. */
static inline int64_t s24(int32_t v) {
  return (int32_t)((uint32_t)v << 8) >> 8;
}
static inline uint64_t u24(uint32_t v) {
  return v & 0xffffffu;
}
BIN(mul24lo_u32, uint32_t, u24(a[i]) * u24(b[i]))
BIN(mul24lo_s32, int32_t, s24(a[i]) * s24(b[i]))
BIN(mul24hi_u32, uint32_t, (u24(a[i]) * u24(b[i])) >> 16)
BIN(mul24hi_s32, int32_t, (s24(a[i]) * s24(b[i])) >> 16)
TER(mad24lo_u32, uint32_t, (uint32_t)(u24(a[i]) * u24(b[i])) + c[i])
TER(mad24lo_s32, int32_t, (uint32_t)(s24(a[i]) * s24(b[i])) + (uint32_t)c[i])
TER(mad24hi_u32, uint32_t, (uint32_t)((u24(a[i]) * u24(b[i])) >> 16) + c[i])
TER(mad24hi_s32, int32_t, (uint32_t)((s24(a[i]) * s24(b[i])) >> 16) + (uint32_t)c[i])
TER(mad24hisat_s32, int32_t, clamp_s32((int64_t)(int32_t)((s24(a[i]) * s24(b[i])) >> 16) + c[i]))

TER(sad_u16, uint16_t, c[i] + (a[i] < b[i] ? b[i] - a[i] : a[i] - b[i]))
TER(sad_s16, int16_t, c[i] + (a[i] < b[i] ? b[i] - a[i] : a[i] - b[i]))
TER(sad_u32, uint32_t, c[i] + (a[i] < b[i] ? b[i] - a[i] : a[i] - b[i]))
TER(sad_s32, int32_t,
    (uint32_t)c[i] +
        (a[i] < b[i] ? (uint32_t)b[i] - (uint32_t)a[i] : (uint32_t)a[i] - (uint32_t)b[i]))
TER(sad_u64, uint64_t, c[i] + (a[i] < b[i] ? b[i] - a[i] : a[i] - b[i]))
TER(sad_s64, int64_t,
    (uint64_t)c[i] +
        (a[i] < b[i] ? (uint64_t)b[i] - (uint64_t)a[i] : (uint64_t)a[i] - (uint64_t)b[i]))

/* Division by zero gives all ones, quotient and remainder; the overflow of signed division wraps.
 * That is what an H200 does; the manual leaves both unspecified. */
#define DIVU(T)                                                                                    \
  static inline T div_##T(T a, T b) {                                                              \
    if (b == 0) return (T) ~(T)0;                                                                  \
    return (T)(a / b);                                                                             \
  }                                                                                                \
  static inline T rem_##T(T a, T b) {                                                              \
    if (b == 0) return (T) ~(T)0;                                                                  \
    return (T)(a % b);                                                                             \
  }
#define DIVS(T, U)                                                                                 \
  static inline T div_##T(T a, T b) {                                                              \
    if (b == 0) return -1;                                                                         \
    if (b == -1) return (T)(0 - (U)a);                                                             \
    return (T)(a / b);                                                                             \
  }                                                                                                \
  static inline T rem_##T(T a, T b) {                                                              \
    if (b == 0) return -1;                                                                         \
    if (b == -1) return 0;                                                                         \
    return (T)(a % b);                                                                             \
  }
DIVU(uint16_t)
DIVU(uint32_t)
DIVU(uint64_t)
DIVS(int16_t, uint16_t)
DIVS(int32_t, uint32_t)
DIVS(int64_t, uint64_t)
BIN(div_u16, uint16_t, div_uint16_t(a[i], b[i]))
BIN(div_u32, uint32_t, div_uint32_t(a[i], b[i]))
BIN(div_u64, uint64_t, div_uint64_t(a[i], b[i]))
BIN(div_s16, int16_t, div_int16_t(a[i], b[i]))
BIN(div_s32, int32_t, div_int32_t(a[i], b[i]))
BIN(div_s64, int64_t, div_int64_t(a[i], b[i]))
BIN(rem_u16, uint16_t, rem_uint16_t(a[i], b[i]))
BIN(rem_u32, uint32_t, rem_uint32_t(a[i], b[i]))
BIN(rem_u64, uint64_t, rem_uint64_t(a[i], b[i]))
BIN(rem_s16, int16_t, rem_int16_t(a[i], b[i]))
BIN(rem_s32, int32_t, rem_int32_t(a[i], b[i]))
BIN(rem_s64, int64_t, rem_int64_t(a[i], b[i]))

UN(abs_s16, uint16_t, (a[i] >> 15 ? 0 - a[i] : a[i]))
UN(abs_s32, uint32_t, (a[i] >> 31 ? 0 - a[i] : a[i]))
UN(abs_s64, uint64_t, (a[i] >> 63 ? 0 - a[i] : a[i]))
UN(neg_s16, uint16_t, 0 - a[i])
UN(neg_s32, uint32_t, 0 - a[i])
UN(neg_s64, uint64_t, 0 - a[i])
US6(BIN, min, a[i] < b[i] ? a[i] : b[i])
US6(BIN, max, a[i] > b[i] ? a[i] : b[i])
BIN(minrelu_s32, int32_t, (a[i] < b[i] ? a[i] : b[i]) < 0 ? 0 : (a[i] < b[i] ? a[i] : b[i]))
BIN(maxrelu_s32, int32_t, (a[i] > b[i] ? a[i] : b[i]) < 0 ? 0 : (a[i] > b[i] ? a[i] : b[i]))

/* Two 16-bit halves. minmax: aux = max, aux2 = .relu. */
BIN(add_16x2, uint32_t, ((a[i] + b[i]) & 0xffffu) | ((a[i] & 0xffff0000u) + (b[i] & 0xffff0000u)))
static inline uint32_t minmax16(uint32_t x, uint32_t y, bool is_signed, bool is_max, bool relu) {
  int32_t p = is_signed ? (int16_t)x : (int32_t)(x & 0xffff),
          q = is_signed ? (int16_t)y : (int32_t)(y & 0xffff);
  int32_t r = is_max ? (p > q ? p : q) : (p < q ? p : q);
  return relu && r < 0 ? 0 : (uint32_t)r & 0xffff;
}
HANDLER(minmax_16x2) {
  const uint32_t *a = REG(uint32_t, u->a), *b = REG(uint32_t, u->b);
  STORE_LANES(uint32_t, minmax16(a[i], b[i], u->is_signed, u->aux, u->aux2) |
                            minmax16(a[i] >> 16, b[i] >> 16, u->is_signed, u->aux, u->aux2) << 16);
}

/* ---- carry chains: aux bit 0 takes CC.CF in, bit 1 writes it; size 4 or 8. A subtraction is a +
 * ~b + CF: it leaves CF = 1 where there was no borrow, as an H200 shows when addc reads what sub.cc
 * wrote. ---- */
enum { CARRY_IN = 1, CARRY_OUT = 2 };
#define CARRY(id, T, NONE, Y)                                                                      \
  static void id(struct ptx_warp *w, const struct ptx_uop *u, uint32_t mask, const T *a,           \
                 const T *b) {                                                                     \
    uint32_t in = u->aux & CARRY_IN ? PRED(SLOT_CC) : NONE, out = 0;                               \
    T t[LANES] __attribute__((aligned(64)));                                                       \
    for (unsigned i = 0; i < LANES; i++) {                                                         \
      T x = a[i], y = (T)(Y b[i]), k = (in >> i) & 1, sum = (T)(x + y);                            \
      t[i] = (T)(sum + k);                                                                         \
      out |= (uint32_t)(sum < x || t[i] < k) << i;                                                 \
    }                                                                                              \
    BLEND(T, t);                                                                                   \
    if (u->aux & CARRY_OUT) PRED(SLOT_CC) = (PRED(SLOT_CC) & ~mask) | (out & mask);                \
  }
CARRY(add_carry32, uint32_t, 0, +)
CARRY(add_carry64, uint64_t, 0, +)
CARRY(sub_carry32, uint32_t, FULL, ~)
CARRY(sub_carry64, uint64_t, FULL, ~)

HANDLER(addcc) {
  if (u->size == 8)
    add_carry64(w, u, mask, REG(uint64_t, u->a), REG(uint64_t, u->b));
  else
    add_carry32(w, u, mask, REG(uint32_t, u->a), REG(uint32_t, u->b));
}
HANDLER(subcc) {
  if (u->size == 8)
    sub_carry64(w, u, mask, REG(uint64_t, u->a), REG(uint64_t, u->b));
  else
    sub_carry32(w, u, mask, REG(uint32_t, u->a), REG(uint32_t, u->b));
}
/* aux2: 1 = .hi; the product's half is added to c with the carry. */
HANDLER(madcc) {
  if (u->size == 8) {
    const uint64_t *a = REG(uint64_t, u->a), *b = REG(uint64_t, u->b);
    uint64_t p[LANES] __attribute__((aligned(64)));
    for (unsigned i = 0; i < LANES; i++) {
      if (!u->aux2)
        p[i] = a[i] * b[i];
      else if (u->is_signed)
        p[i] = (uint64_t)(((wide_s128)(int64_t)a[i] * (int64_t)b[i]) >> 64);
      else
        p[i] = (uint64_t)(((wide_u128)a[i] * b[i]) >> 64);
    }
    add_carry64(w, u, mask, p, REG(uint64_t, u->c));
  } else {
    const uint32_t *a = REG(uint32_t, u->a), *b = REG(uint32_t, u->b);
    uint32_t p[LANES] __attribute__((aligned(64)));
    for (unsigned i = 0; i < LANES; i++) {
      if (!u->aux2)
        p[i] = a[i] * b[i];
      else if (u->is_signed)
        p[i] = (uint32_t)(((int64_t)(int32_t)a[i] * (int32_t)b[i]) >> 32);
      else
        p[i] = (uint32_t)(((uint64_t)a[i] * b[i]) >> 32);
    }
    add_carry32(w, u, mask, p, REG(uint32_t, u->c));
  }
}

/* ---- bits ---- */
#define TO32(id, T, EXPR)                                                                          \
  HANDLER(id) {                                                                                    \
    const T *a = REG(T, u->a);                                                                     \
    uint32_t t[LANES] __attribute__((aligned(64)));                                                \
    for (unsigned i = 0; i < LANES; i++)                                                           \
      t[i] = (uint32_t)(EXPR);                                                                     \
    BLEND(uint32_t, t);                                                                            \
  }
static inline uint32_t clz32(uint32_t v) {
  return v ? (uint32_t)__builtin_clz(v) : 32;
}
static inline uint32_t clz64(uint64_t v) {
  return v ? (uint32_t)__builtin_clzll(v) : 64;
}
TO32(popc_b32, uint32_t, __builtin_popcount(a[i]))
TO32(popc_b64, uint64_t, __builtin_popcountll(a[i]))
TO32(clz_b32, uint32_t, clz32(a[i]))
TO32(clz_b64, uint64_t, clz64(a[i]))
/* bfind: position of the most significant non-sign bit, ~0 if none; .shiftamt (aux) gives the shift
 * that brings it to the top. */
static inline uint32_t find32(uint32_t v, unsigned shiftamt) {
  return v == 0 ? ~0u : shiftamt ? clz32(v) : 31 - clz32(v);
}
static inline uint32_t find64(uint64_t v, unsigned shiftamt) {
  return v == 0 ? ~0u : shiftamt ? clz64(v) : 63 - clz64(v);
}
TO32(bfind_u32, uint32_t, find32(a[i], u->aux))
TO32(bfind_s32, int32_t, find32((uint32_t)(a[i] < 0 ? ~a[i] : a[i]), u->aux))
TO32(bfind_u64, uint64_t, find64(a[i], u->aux))
TO32(bfind_s64, int64_t, find64((uint64_t)(a[i] < 0 ? ~a[i] : a[i]), u->aux))

/* fns: position of the |offset|-th set bit of the mask, from bit `base` upward (offset > 0) or
 * downward (< 0). */
static uint32_t nth_set(uint32_t m, uint32_t base, int32_t offset) {
  if (base > 31) return ~0u;
  if (offset == 0) return (m >> base) & 1 ? base : ~0u;
  int step = offset > 0 ? 1 : -1;
  int64_t left = offset > 0 ? offset : -(int64_t)offset;
  for (int pos = (int)base; pos >= 0 && pos < 32; pos += step)
    if ((m >> pos) & 1 && --left == 0) return (uint32_t)pos;
  return ~0u;
}
HANDLER(fns) {
  const uint32_t *a = REG(uint32_t, u->a), *b = REG(uint32_t, u->b);
  const int32_t *c = REG(int32_t, u->c);
  uint32_t t[LANES] __attribute__((aligned(64)));
  for (unsigned i = 0; i < LANES; i++)
    t[i] = nth_set(a[i], b[i], c[i]);
  BLEND(uint32_t, t);
}

static inline uint32_t reverse32(uint32_t v) {
  v = ((v >> 1) & 0x55555555u) | ((v & 0x55555555u) << 1);
  v = ((v >> 2) & 0x33333333u) | ((v & 0x33333333u) << 2);
  v = ((v >> 4) & 0x0f0f0f0fu) | ((v & 0x0f0f0f0fu) << 4);
  return __builtin_bswap32(v);
}
static inline uint64_t reverse64(uint64_t v) {
  return (uint64_t)reverse32((uint32_t)v) << 32 | reverse32((uint32_t)(v >> 32));
}
UN(brev_b32, uint32_t, reverse32(a[i]))
UN(brev_b64, uint64_t, reverse64(a[i]))

/* bfe: the sign bit that fills a field is bit min(pos + len - 1, msb) of the source. The 32-bit
 * forms take position and length modulo 256, the 64-bit forms take all of them (H200). */
static inline uint64_t extract(uint64_t v, uint64_t pos, uint64_t len, unsigned bits,
                               bool is_signed) {
  if (bits == 32) {
    pos &= 0xff;
    len &= 0xff;
  }
  uint64_t top = pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1;
  uint64_t sign = is_signed && len != 0 ? (v >> top) & 1 : 0;
  uint64_t r = 0;
  if (pos < bits) {
    uint64_t have = bits - pos < len ? bits - pos : len;
    r = have == 0 ? 0 : (v >> pos) & (have >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << have) - 1);
    if (sign && have < 64) r |= ~UINT64_C(0) << have;
  } else if (sign)
    r = ~UINT64_C(0);
  return r;
}
#define BFE(id, T, bits, is_s)                                                                     \
  HANDLER(id) {                                                                                    \
    const T *a = REG(T, u->a);                                                                     \
    const uint32_t *b = REG(uint32_t, u->b), *c = REG(uint32_t, u->c);                             \
    T t[LANES] __attribute__((aligned(64)));                                                       \
    for (unsigned i = 0; i < LANES; i++)                                                           \
      t[i] = (T)extract(a[i], b[i], c[i], bits, is_s);                                             \
    BLEND(T, t);                                                                                   \
  }
BFE(bfe_u32, uint32_t, 32, false)
BFE(bfe_s32, uint32_t, 32, true)
BFE(bfe_u64, uint64_t, 64, false)
BFE(bfe_s64, uint64_t, 64, true)

/* bfi: d = b with `len` bits from position `pos` replaced by the low bits of a; operands a, b, then
 * pos in c, len in x.list[0]. */
#define BFI(id, T, bits)                                                                           \
  HANDLER(id) {                                                                                    \
    const T *a = REG(T, u->a), *b = REG(T, u->b);                                                  \
    const uint32_t *c = REG(uint32_t, u->c), *e = REG(uint32_t, u->x.list[0]);                     \
    T t[LANES] __attribute__((aligned(64)));                                                       \
    for (unsigned i = 0; i < LANES; i++) {                                                         \
      unsigned pos = bits == 32 ? c[i] & 0xff : c[i], len = bits == 32 ? e[i] & 0xff : e[i];       \
      T m =                                                                                        \
          pos >= bits || len == 0 ? 0 : (len >= bits ? (T) ~(T)0 : (T)(((T)1 << len) - 1)) << pos; \
      t[i] = pos >= bits ? b[i] : (T)((b[i] & ~m) | ((a[i] << pos) & m));                          \
    }                                                                                              \
    BLEND(T, t);                                                                                   \
  }
BFI(bfi_b32, uint32_t, 32)
BFI(bfi_b64, uint64_t, 64)

/* szext: b = number of low bits kept; aux 1 = wrap (mod 32), 0 = clamp; is_signed extends the sign.
 */
HANDLER(szext) {
  const uint32_t *a = REG(uint32_t, u->a), *b = REG(uint32_t, u->b);
  uint32_t t[LANES] __attribute__((aligned(64)));
  for (unsigned i = 0; i < LANES; i++) {
    uint32_t n = u->aux ? b[i] & 31 : b[i];
    if (n >= 32)
      t[i] = a[i];
    else if (n == 0)
      t[i] = 0;
    else {
      uint32_t v = a[i] & ((1u << n) - 1);
      t[i] = u->is_signed && (v >> (n - 1)) & 1 ? v | ~0u << n : v;
    }
  }
  BLEND(uint32_t, t);
}
/* bmsk: b bits from position a; aux 1 = wrap, 0 = clamp. */
HANDLER(bmsk) {
  const uint32_t *a = REG(uint32_t, u->a), *b = REG(uint32_t, u->b);
  uint32_t t[LANES] __attribute__((aligned(64)));
  for (unsigned i = 0; i < LANES; i++) {
    uint32_t pos = u->aux ? a[i] & 31 : a[i], n = u->aux ? b[i] & 31 : b[i];
    uint32_t m = n >= 32 ? ~0u : (1u << n) - 1;
    t[i] = pos >= 32 ? 0 : m << pos;
  }
  BLEND(uint32_t, t);
}
/* dp4a, dp2a: aux = a is signed, aux2 = b is signed, aux3 = .hi (dp2a). */
static inline int32_t part8(uint32_t v, unsigned k, bool s) {
  uint32_t x = (v >> (8 * k)) & 0xff;
  return s ? (int8_t)x : (int32_t)x;
}
HANDLER(dp4a) {
  const uint32_t *a = REG(uint32_t, u->a), *b = REG(uint32_t, u->b), *c = REG(uint32_t, u->c);
  uint32_t t[LANES] __attribute__((aligned(64)));
  for (unsigned i = 0; i < LANES; i++) {
    uint32_t s = c[i];
    for (unsigned k = 0; k < 4; k++)
      s += (uint32_t)(part8(a[i], k, u->aux) * part8(b[i], k, u->aux2));
    t[i] = s;
  }
  BLEND(uint32_t, t);
}
/* Of the state that an arrival at an mbarrier gave; see vec_mem.c. */
HANDLER(mbarrier_pending) {
  const uint64_t *a = REG(uint64_t, u->a);
  STORE_LANES(uint32_t, a[i] & 0xfffff);
}
HANDLER(cvt_pack) {
  const int32_t *a = REG(int32_t, u->a), *b = REG(int32_t, u->b);
  const uint32_t *c = REG(uint32_t, u->c);
  const unsigned size = u->aux;
  const int32_t hi = (1 << (u->is_signed ? size - 1 : size)) - 1, lo = u->is_signed ? -hi - 1 : 0;
  const uint32_t part = (UINT32_C(1) << size) - 1;
  STORE_LANES(uint32_t, ((uint32_t)(b[i] < lo   ? lo
                                    : b[i] > hi ? hi
                                                : b[i]) &
                         part) |
                            ((uint32_t)(a[i] < lo   ? lo
                                        : a[i] > hi ? hi
                                                    : a[i]) &
                             part)
                                << size |
                            (size < 16 ? c[i] << (2 * size) : 0));
}
HANDLER(dp2a) {
  const uint32_t *a = REG(uint32_t, u->a), *b = REG(uint32_t, u->b), *c = REG(uint32_t, u->c);
  uint32_t t[LANES] __attribute__((aligned(64)));
  for (unsigned i = 0; i < LANES; i++) {
    uint32_t s = c[i];
    for (unsigned k = 0; k < 2; k++) {
      uint32_t h = (a[i] >> (16 * k)) & 0xffff;
      int32_t x = u->aux ? (int16_t)h : (int32_t)h;
      s += (uint32_t)(x * part8(b[i], k + (u->aux3 ? 2 : 0), u->aux2));
    }
    t[i] = s;
  }
  BLEND(uint32_t, t);
}

/* ---- logic ---- */
W3(BIN, and, a[i] & b[i])
W3(BIN, or, a[i] | b[i])
W3(BIN, xor, a[i] ^ b[i])
W3(UN, not, ~a[i])
W3(UN, cnot, a[i] == 0)
#define PRED_OP(id, EXPR)                                                                          \
  HANDLER(id) {                                                                                    \
    uint32_t a = PRED(u->a), b = PRED(u->b);                                                       \
    (void)b;                                                                                       \
    PRED(u->d) = (PRED(u->d) & ~mask) | ((EXPR)&mask);                                             \
  }
/* aux: bit 0 / 1 = operand a / b was written with a '!' */
#define NEG_A (a ^ (u->aux & 1 ? FULL : 0))
#define NEG_B (b ^ (u->aux & 2 ? FULL : 0))
PRED_OP(and_pred, NEG_A &NEG_B)
PRED_OP(or_pred, NEG_A | NEG_B)
PRED_OP(xor_pred, NEG_A ^ NEG_B)
PRED_OP(not_pred, ~NEG_A)
PRED_OP(mov_pred, NEG_A)

/* Shift amounts are unsigned 32-bit and clamp at the width. */
#define SHIFT(id, T, bits, OVER, EXPR)                                                             \
  HANDLER(id) {                                                                                    \
    const T *a = REG(T, u->a);                                                                     \
    const uint32_t *b = REG(uint32_t, u->b);                                                       \
    STORE_LANES(T, b[i] >= bits ? (T)(OVER) : (T)(EXPR));                                          \
  }
SHIFT(shl_b16, uint16_t, 16, 0, a[i] << (b[i] & 15))
SHIFT(shl_b32, uint32_t, 32, 0, a[i] << (b[i] & 31))
SHIFT(shl_b64, uint64_t, 64, 0, a[i] << (b[i] & 63))
SHIFT(shr_u16, uint16_t, 16, 0, a[i] >> (b[i] & 15))
SHIFT(shr_u32, uint32_t, 32, 0, a[i] >> (b[i] & 31))
SHIFT(shr_u64, uint64_t, 64, 0, a[i] >> (b[i] & 63))
SHIFT(shr_s16, int16_t, 16, a[i] >> 15, a[i] >> (b[i] & 15))
SHIFT(shr_s32, int32_t, 32, a[i] >> 31, a[i] >> (b[i] & 31))
SHIFT(shr_s64, int64_t, 64, a[i] >> 63, a[i] >> (b[i] & 63))

/* shf: {b:a} as 64 bits; aux 1 = wrap, 0 = clamp. */
#define SHF(id, EXPR)                                                                              \
  HANDLER(id) {                                                                                    \
    const uint32_t *a = REG(uint32_t, u->a), *b = REG(uint32_t, u->b), *c = REG(uint32_t, u->c);   \
    STORE_LANES(uint32_t, EXPR);                                                                   \
  }
static inline uint32_t funnel_amount(uint32_t c, unsigned wrap) {
  return wrap ? c & 31 : c > 32 ? 32 : c;
}
SHF(shf_l, (((uint64_t)b[i] << 32 | a[i]) << funnel_amount(c[i], u->aux)) >> 32)
SHF(shf_r, ((uint64_t)b[i] << 32 | a[i]) >> funnel_amount(c[i], u->aux))

/* prmt: aux = mode: 0 generic, 1 f4e, 2 b4e, 3 rc8, 4 ecl, 5 ecr, 6 rc16. */
static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t c, unsigned mode) {
  uint64_t v = (uint64_t)b << 32 | a;
  static const uint16_t sel[7][4] = {{0},
                                     {0x3210, 0x4321, 0x5432, 0x6543},
                                     {0x5670, 0x6701, 0x7012, 0x0123},
                                     {0x0000, 0x1111, 0x2222, 0x3333},
                                     {0x3210, 0x3211, 0x3222, 0x3333},
                                     {0x0000, 0x1110, 0x2210, 0x3210},
                                     {0x1010, 0x3232, 0x1010, 0x3232}};
  uint32_t s = mode == 0 ? c : sel[mode][c & 3], r = 0;
  for (unsigned k = 0; k < 4; k++) {
    uint32_t n = (s >> (4 * k)) & 0xf;
    uint32_t x = (uint32_t)(v >> (8 * (n & 7))) & 0xff;
    if (n & 8) x = x & 0x80 ? 0xff : 0;
    r |= x << (8 * k);
  }
  return r;
}
HANDLER(prmt) {
  const uint32_t *a = REG(uint32_t, u->a), *b = REG(uint32_t, u->b), *c = REG(uint32_t, u->c);
  uint32_t t[LANES] __attribute__((aligned(64)));
  for (unsigned i = 0; i < LANES; i++)
    t[i] = permute(a[i], b[i], c[i], u->aux);
  BLEND(uint32_t, t);
}
/* lop3: bit k of the table (aux) is the result where (a, b, c) = the bits of k, a the highest. */
HANDLER(lop3) {
  const uint32_t *a = REG(uint32_t, u->a), *b = REG(uint32_t, u->b), *c = REG(uint32_t, u->c);
  uint32_t t[LANES] __attribute__((aligned(64)));
  EACH_LANE t[i] = 0;
  for (unsigned k = 0; k < 8; k++) {
    if (!((u->aux >> k) & 1)) continue;
    uint32_t xa = k & 4 ? 0 : FULL, xb = k & 2 ? 0 : FULL, xc = k & 1 ? 0 : FULL;
    EACH_LANE t[i] |= (a[i] ^ xa) & (b[i] ^ xb) & (c[i] ^ xc);
  }
  if (u->aux2) { /* lop3.BoolOp: predicate p (x.list[0]) = (result != 0) BoolOp q (x.list[1], may be
                    negated) */
    uint32_t nz = 0, q = PRED(u->x.list[1]) ^ u->x.list[2];
    for (unsigned i = 0; i < LANES; i++)
      nz |= (uint32_t)(t[i] != 0) << i;
    uint32_t r = u->aux2 == 1 ? nz & q : u->aux2 == 2 ? nz | q : nz ^ q;
    PRED(u->x.list[0]) = (PRED(u->x.list[0]) & ~mask) | (r & mask);
  }
  if (!u->aux3) BLEND(uint32_t, t); /* aux3: the destination is _ */
}

/* ---- moves and selection ---- */
W3(UN, mov, a[i])
UN(mov_b8, uint8_t, a[i])
/* selp: predicate in c; aux = '!' */
#define SELP(id, T)                                                                                \
  HANDLER(id) {                                                                                    \
    const T *a = REG(T, u->a), *b = REG(T, u->b);                                                  \
    uint32_t p = PRED(u->c) ^ (u->aux ? FULL : 0);                                                 \
    STORE_LANES(T, (p >> i) & 1 ? a[i] : b[i]);                                                    \
  }
SELP(selp_b16, uint16_t)
SELP(selp_b32, uint32_t)
SELP(selp_b64, uint64_t)
/* slct: c >= 0 ? a : b; of a float c, -0 counts as 0 and a NaN selects b; aux = ftz. */
#define SLCT(id, T)                                                                                \
  HANDLER(slct_##id) {                                                                             \
    const T *a = REG(T, u->a), *b = REG(T, u->b);                                                  \
    const int32_t *c = REG(int32_t, u->c);                                                         \
    STORE_LANES(T, c[i] >= 0 ? a[i] : b[i]);                                                       \
  }                                                                                                \
  HANDLER(slctf_##id) {                                                                            \
    const T *a = REG(T, u->a), *b = REG(T, u->b);                                                  \
    const uint32_t *c = REG(uint32_t, u->c);                                                       \
    STORE_LANES(T, !ptx_f32_is_nan(c[i]) &&                                                        \
                           (!(c[i] >> 31) || (u->aux ? ptx_f32_flush(c[i]) : c[i]) == 0x80000000u) \
                       ? a[i]                                                                      \
                       : b[i]);                                                                    \
  }
SLCT(b16, uint16_t)
SLCT(b32, uint32_t)
SLCT(b64, uint64_t)

/* 16-byte registers: 32 pairs of 8 bytes. */
HANDLER(mov_b128) {
  const uint64_t *a = REG(uint64_t, u->a);
  uint64_t *d = REG(uint64_t, u->d);
  for (unsigned i = 0; i < LANES; i++)
    if ((mask >> i) & 1) d[2 * i] = a[2 * i], d[2 * i + 1] = a[2 * i + 1];
}
HANDLER(pack_b128) {
  const uint64_t *lo = REG(uint64_t, u->x.list[0]), *hi = REG(uint64_t, u->x.list[1]);
  uint64_t *d = REG(uint64_t, u->d);
  for (unsigned i = 0; i < LANES; i++)
    if ((mask >> i) & 1) d[2 * i] = lo[i], d[2 * i + 1] = hi[i];
}
HANDLER(unpack_b128) {
  const uint64_t *a = REG(uint64_t, u->a);
  for (unsigned k = 0; k < 2; k++) {
    if (u->x.list[k] == UINT32_MAX) continue;
    uint64_t *d = REG(uint64_t, u->x.list[k]);
    for (unsigned i = 0; i < LANES; i++)
      if ((mask >> i) & 1) d[i] = a[2 * i + k];
  }
}
/* mov {a,b,..} <-> wide: x.list = element registers, n_vec of them, size bytes each (1, 2, 4), d or
 * a = the wide register of reg_bytes bytes. */
HANDLER(pack) {
  uint64_t t[LANES] __attribute__((aligned(64)));
  for (unsigned i = 0; i < LANES; i++) {
    uint64_t v = 0;
    for (unsigned k = 0; k < u->n_vec; k++)
      v |= lane_get(w, u->x.list[k], u->size, i) << (8 * u->size * k);
    t[i] = v;
  }
  for (unsigned i = 0; i < LANES; i++)
    if ((mask >> i) & 1) lane_put(w, u->d, u->reg_bytes, i, t[i]);
}
HANDLER(unpack) {
  uint64_t t[LANES] __attribute__((aligned(64)));
  for (unsigned i = 0; i < LANES; i++)
    t[i] = lane_get(w, u->a, u->reg_bytes, i);
  for (unsigned k = 0; k < u->n_vec; k++) {
    if (u->x.list[k] == UINT32_MAX) continue; /* _ */
    for (unsigned i = 0; i < LANES; i++)
      if ((mask >> i) & 1) lane_put(w, u->x.list[k], u->size, i, t[i] >> (8 * u->size * k));
  }
}
/* Address of a local variable: its place in the frame plus this activation's base (and the window
 * for a generic one: imm). */
HANDLER(mov_frame) {
  uint64_t v = u->imm + w->local_base;
  for (unsigned i = 0; i < LANES; i++)
    if ((mask >> i) & 1) lane_put(w, u->d, u->reg_bytes, i, v);
}
/* Clocks count executed instructions times a factor (imm); aux: 0 the warp's, 1 the launch's; aux2:
 * shift right by 32; size: bytes that are left, is_signed: and are extended with their sign. */
HANDLER(mov_clock) {
  uint64_t v = (u->aux ? *w->launch_executed + w->executed : w->executed) * u->imm;
  const unsigned gone = 64u - 8u * u->size;
  if (u->aux2) v >>= 32;
  v = u->is_signed ? (uint64_t)((int64_t)(v << gone) >> gone) : v << gone >> gone;
  for (unsigned i = 0; i < LANES; i++)
    if ((mask >> i) & 1) lane_put(w, u->d, u->reg_bytes, i, v);
}
/* cvta: imm = base of the window; a of reg_bytes, d of size bytes. */
HANDLER(cvta_to) { /* generic -> space */
  uint64_t t[LANES] __attribute__((aligned(64)));
  for (unsigned i = 0; i < LANES; i++)
    t[i] = lane_get(w, u->a, u->reg_bytes, i) - u->imm;
  for (unsigned i = 0; i < LANES; i++)
    if ((mask >> i) & 1) lane_put(w, u->d, u->size, i, t[i]);
}
HANDLER(cvta_from) { /* space -> generic */
  uint64_t t[LANES] __attribute__((aligned(64)));
  for (unsigned i = 0; i < LANES; i++)
    t[i] = lane_get(w, u->a, u->reg_bytes, i) + u->imm;
  for (unsigned i = 0; i < LANES; i++)
    if ((mask >> i) & 1) lane_put(w, u->d, u->size, i, t[i]);
}
/* isspacep: imm = base of the window; aux: constants. */
HANDLER(isspacep) {
  uint32_t r = 0;
  for (unsigned i = 0; i < LANES; i++) {
    if (!((mask >> i) & 1)) continue;
    uint64_t v = lane_get(w, u->a, u->reg_bytes, i);
    bool in = v - u->imm < PTX_WINDOW;
    const struct ptx_alloc *al = u->imm == PTX_GLOBAL_BASE ? ptx_mem_find(w->mem, v) : NULL;
    if (u->imm == PTX_GLOBAL_BASE && (in || al != NULL)) {
      /* constants are allocations that kernels cannot write */
      in = (al != NULL && al->is_read_only) == (u->aux != 0);
    } else if (u->imm == PTX_GLOBAL_BASE && !u->aux)
      in = v - PTX_PARAM_BASE < PTX_WINDOW; /* an H200 says so */
    r |= (uint32_t)in << i;
  }
  PRED(u->d) = (PRED(u->d) & ~mask) | (r & mask);
}
HANDLER(activemask) {
  STORE_LANES(uint32_t, mask);
}
/* ---- call-frame parameters: d / a = 32 records of imm bytes, c = offset in the record; list of
 * n_vec registers, each of reg_bytes; size bytes are moved, extended by is_signed ---- */
HANDLER(param_st) {
  uint8_t *base = w->reg + u->d + u->c;
  for (unsigned k = 0; k < u->n_vec; k++)
    for (unsigned i = 0; i < LANES; i++)
      if ((mask >> i) & 1) {
        uint8_t *at = base + i * u->imm + k * u->size;
        if (u->size == 16) {
          memcpy(at, w->reg + u->x.list[k] + 16 * (size_t)i, 16);
          continue;
        }
        uint64_t v = lane_get(w, u->x.list[k], u->reg_bytes, i);
        memcpy(at, &v, u->size);
      }
}
HANDLER(param_ld) {
  const uint8_t *base = w->reg + u->a + u->c;
  for (unsigned k = 0; k < u->n_vec; k++) {
    if (u->x.list[k] == UINT32_MAX) continue;
    for (unsigned i = 0; i < LANES; i++)
      if ((mask >> i) & 1) {
        const uint8_t *at = base + i * u->imm + k * u->size;
        if (u->size == 16) {
          memcpy(w->reg + u->x.list[k] + 16 * (size_t)i, at, 16);
          continue;
        }
        uint64_t v = 0;
        memcpy(&v, at, u->size);
        if (u->is_signed && u->size < 8)
          v = (uint64_t)((int64_t)(v << (64 - 8 * u->size)) >> (64 - 8 * u->size));
        lane_put(w, u->x.list[k], u->reg_bytes, i, v);
      }
  }
}

/* ---- comparison ---- */
#include "exec/vec_set.h"
#define CMP(id, T, OP)                                                                             \
  HANDLER(id) {                                                                                    \
    const T *a = REG(T, u->a), *b = REG(T, u->b);                                                  \
    uint32_t t[LANES] __attribute__((aligned(64)));                                                \
    EACH_LANE t[i] = a[i] OP b[i] ? FULL : 0;                                                      \
    set_result(w, u, mask, mask_of32(t));                                                          \
  }
#define CMP6(id, T)                                                                                \
  CMP(set_eq_##id, T, ==)                                                                          \
  CMP(set_ne_##id, T, !=)                                                                          \
  CMP(set_lt_##id, T, <) CMP(set_le_##id, T, <=) CMP(set_gt_##id, T, >) CMP(set_ge_##id, T, >=)
CMP6(u16, uint16_t)
CMP6(s16, int16_t)
CMP6(u32, uint32_t)
CMP6(s32, int32_t)
CMP6(u64, uint64_t)
CMP6(s64, int64_t)
