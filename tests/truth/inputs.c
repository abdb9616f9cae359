/* Operand values. They depend on kind, slot and case only: variants of one instruction get the same
 * operands, which makes their results comparable (and the stored ones small). */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "truth.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static uint64_t rnd(enum truth_kind kind, unsigned slot, unsigned i, unsigned salt) {
  return weir_splitmix64(((uint64_t)kind << 40 | (uint64_t)slot << 32 | i) * 16 + salt);
}

/* Which of n edges: slots walk the list at different strides, so that all sorts of pairs meet. */
static size_t edge(unsigned slot, unsigned i, size_t n) {
  static const unsigned stride[TRUTH_IN] = {1, 7, 11, 13, 17, 3, 5, 19};
  return (i * stride[slot] + i / n * (2 * slot + 1) + slot * 3) % n;
}

static const uint64_t int_edges[] = {
    0,
    1,
    2,
    3,
    UINT64_MAX,
    UINT64_MAX - 1,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x10000,
    0x7fffff,
    0x800000,
    0xffffff,
    0x1000000,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xffffffff,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x8000000000000001,
    0xfffffffeffffffff,
    0x5555555555555555,
    0xaaaaaaaaaaaaaaaa,
    0x8000000080000000,
    0xffff8000ffff8000,
};

/* Edges of the upper half of a narrow type are needed as well: 0x8000 matters for 16 bits. */
static uint64_t int_value(enum truth_kind kind, unsigned slot, unsigned i) {
  uint64_t r = rnd(kind, slot, i, 0);
  switch (i % 8) {
  case 0:
  case 1:
  case 2:
    return int_edges[edge(slot, i / 8 * 3 + i % 8, COUNT(int_edges))];
  case 3:
    return slot % 2 == i / 8 % 2 ? int_edges[edge(slot, i / 8, COUNT(int_edges))] : r;
  case 6:
    return r >> (rnd(kind, slot, i, 1) % 64);
  case 7:
    return (uint64_t)((int64_t)r >> (rnd(kind, slot, i, 1) % 64));
  default:
    return r;
  }
}

static const uint32_t f32_edges[] = {
    0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0x3f000000, 0x7f800000,
    0xff800000, 0x7fc00000, 0xffc12345, 0x7f812345, 0xff800001, 0x7fffffff, 0x00000001, 0x80000001,
    0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001, 0x7f7fffff, 0xff7fffff, 0x3f7fffff,
    0x3f800001, 0xbf7fffff, 0x4b000000, 0x4b800001, 0xcb7fffff, 0x34000000, 0x33800000, 0x00400000,
    0x01000000, 0x3eaaaaab, 0x7e800000, 0x7f000000, 0x00ffffff,
};

/* Cases in which a result lies on a boundary: just below the smallest normal number and rounded up
 * to it, sums that cancel, halfway values, overflow by rounding. */
static const uint32_t f32_triples[][3] = {
    {0x3f7fffff, 0x00800000, 0x00000000}, {0x00800000, 0x3f7fffff, 0x80000000},
    {0x3f7ffffe, 0x00800000, 0x00000001}, {0x80800000, 0x3f7fffff, 0x00000000},
    {0x00ffffff, 0x3f000000, 0x00000000}, {0x00fffffe, 0x3f000000, 0x80000000},
    {0x00800000, 0x80000001, 0x00000001}, {0x00800001, 0x80000002, 0x80800000},
    {0x3f800000, 0x33800000, 0x33800000}, {0x3f800001, 0x33800000, 0xb3800000},
    {0x3f800000, 0xb3000000, 0x3f800000}, {0x7f7fffff, 0x73000000, 0x73000000},
    {0x7f7fffff, 0x72ffffff, 0x7f7fffff}, {0x7f000000, 0x40000000, 0xff7fffff},
    {0x5f800000, 0x5f800000, 0xff800000}, {0x1a000000, 0x1a000000, 0x00000001},
    {0x20000000, 0x1f800000, 0x80000001}, {0x3f800000, 0x3f800000, 0xbf800000},
    {0x3f800001, 0x3f7fffff, 0xbf800000}, {0x7f800000, 0x00000000, 0x3f800000},
    {0x00000000, 0xff800000, 0x7fc00000}, {0x7f800000, 0xff800000, 0x7f800000},
    {0x00000000, 0x00000000, 0x80000000}, {0x80000000, 0x3f800000, 0x80000000},
    {0x80000000, 0x80000000, 0x80000000}, {0x3f800000, 0x00000000, 0x3f800000},
    {0x7fc00001, 0x7fc00002, 0x7fc00003}, {0x3f800000, 0xffc00002, 0x7fc00003},
    {0x3f800000, 0x3f800000, 0xff800003}, {0xff812345, 0x3f800000, 0x3f800000},
    {0x0cb504f3, 0x2db504f3, 0x00000000}, {0x007fffff, 0x3f800001, 0x00000001},
    {0x20000001, 0x1ffffffe, 0x00000000}, {0xa0000001, 0x1ffffffe, 0x80000000},
    {0x20000001, 0x1ffffffe, 0x80000001}, {0x20000001, 0x1ffffffe, 0x00000001},
    {0x00ffffff, 0x40000000, 0x00000000}, {0x80ffffff, 0x40000000, 0x00000000},
    {0x00fffffe, 0x40000000, 0x00000000}, {0x1ffffffe, 0x5f800001, 0x80800000},
    {0x1fffffff, 0x5f000000, 0x00000000}, {0x7e800000, 0x3f7fffff, 0x00000000},
    {0x7e800001, 0x7e800000, 0x00000000}, {0x00200000, 0x00200000, 0x00600000},
    {0x00080000, 0x7f000000, 0x7f7fffff},
};

static const uint64_t f64_edges[] = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
    0x4000000000000000, 0xc000000000000000, 0x3fe0000000000000, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff8000000000000, 0xfff8000012345678, 0x7ff0000000000001,
    0xfff4000000012345, 0x7fffffffffffffff, 0x0000000000000001, 0x8000000000000001,
    0x000fffffffffffff, 0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000,
    0x0010000000000001, 0x7fefffffffffffff, 0xffefffffffffffff, 0x3fefffffffffffff,
    0x3ff0000000000001, 0xbfefffffffffffff, 0x4330000000000000, 0x4340000000000001,
    0xc34fffffffffffff, 0x3cb0000000000000, 0x3ca0000000000000, 0x0008000000000000,
    0x0020000000000000, 0x3fd5555555555555, 0x7fd0000000000000, 0x7fe0000000000000,
    0x001fffffffffffff, 0x36a0000000000000, 0x3800000000000000, 0x47efffffe0000000,
    0x47effffff0000000, 0x380fffffe0000000, 0x380ffffff0000000,
};

static const uint64_t f64_triples[][3] = {
    {0x3fefffffffffffff, 0x0010000000000000, 0},
    {0x0010000000000000, 0x8000000000000001, 1},
    {0x3ff0000000000000, 0x3ca0000000000000, 0x3ca0000000000000},
    {0x3ff0000000000001, 0x3ca0000000000000, 0xbca0000000000000},
    {0x7fefffffffffffff, 0x7c90000000000000, 0x7c90000000000000},
    {0x7fe0000000000000, 0x4000000000000000, 0xffefffffffffffff},
    {0x3ff0000000000001, 0x3fefffffffffffff, 0xbff0000000000000},
    {0x7ff0000000000000, 0, 0x3ff0000000000000},
    {0, 0xfff0000000000000, 0x7ff8000000000000},
    {0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000000},
    {0, 0, 0x8000000000000000},
    {0x8000000000000000, 0x8000000000000000, 0x8000000000000000},
    {0x7ff8000000000001, 0x7ff8000000000002, 0x7ff8000000000003},
    {0x3ff0000000000000, 0xfff8000000000002, 0x7ff8000000000003},
    {0x3ff0000000000000, 0x3ff0000000000000, 0xfff0000000000003},
    {0xfff4000000000005, 0x3ff0000000000000, 0x3ff0000000000000},
    {0x7ff0000000000001, 0x7ff8000000000002, 0x3ff0000000000000},
    {0x7ff8000000000001, 0xfff0000000000002, 0x3ff0000000000000},
    {0x3ff0000000000000, 0x7ff0000000000002, 0xfff8000000000003},
    {0x7ff0000000000000, 0, 0x7ff8000000000007},
};

static float f32_of(uint32_t x) {
  float f;
  memcpy(&f, &x, sizeof f);
  return f;
}

static uint32_t bits32(float f) {
  uint32_t x;
  memcpy(&x, &f, sizeof x);
  return x;
}

static double f64_of(uint64_t x) {
  double f;
  memcpy(&f, &x, sizeof f);
  return f;
}

static uint64_t bits64(double f) {
  uint64_t x;
  memcpy(&x, &f, sizeof x);
  return x;
}

/* Exponents near each other and mantissas of few bits, so that sums and products are inexact by
 * halves. */
static uint32_t f32_near(enum truth_kind kind, unsigned slot, unsigned i) {
  uint64_t r = rnd(kind, slot, i, 0);
  unsigned e = 127 - 13 + (unsigned)(r >> 32) % 27;
  uint32_t m = (uint32_t)r & 0x7fffff;
  if (i % 3 == 0) m &= 0x7ff000;
  if (i % 3 == 1) m = (m & 0x780000) | (uint32_t)(r >> 60);
  return (uint32_t)(r >> 63) << 31 | (uint32_t)e << 23 | m;
}

static uint64_t f64_near(enum truth_kind kind, unsigned slot, unsigned i) {
  uint64_t r = rnd(kind, slot, i, 0), s = rnd(kind, slot, i, 1);
  uint64_t e = 1023 - 27 + s % 55, m = r & 0xfffffffffffff;
  if (i % 3 == 0) m &= UINT64_C(0xffffff0000000);
  if (i % 3 == 1) m = (m & UINT64_C(0xf000000000000)) | s >> 60;
  return (s >> 33) << 63 | e << 52 | m;
}

static uint32_t f32_value(unsigned slot, unsigned i) {
  if (i < COUNT(f32_triples) && slot < 3) return f32_triples[i][slot];
  uint64_t r = rnd(TK_F32, slot, i, 0);
  switch (i % 8) {
  case 0:
  case 1:
    return f32_edges[edge(slot, i / 8 * 2 + i % 8, COUNT(f32_edges))];
  case 2:
    return slot % 2 == i / 8 % 2 ? f32_edges[edge(slot, i / 8, COUNT(f32_edges))] : (uint32_t)r;
  case 3:
    return (uint32_t)r;
  case 4: /* products about the smallest normal and the subnormal numbers; as sums, subnormal
             operands */
    if (i % 16 == 4) return (uint32_t)r & 0x80ffffff;
    return (uint32_t)(r & 0x807fffff) | (uint32_t)(127 - 75 + (r >> 40) % 14) << 23;
  case 5: /* cancellation: slot 1 is close to -slot 0, slot 2 to -(slot 0 * slot 1) */
    if (slot == 1) return f32_near(TK_F32, 0, i) ^ 0x80000000u ^ (uint32_t)(r & 3);
    if (slot == 2) {
      volatile float p = f32_of(f32_near(TK_F32, 0, i)) * f32_of(f32_value(1, i));
      return bits32(-p) ^ (uint32_t)(r & 1);
    }
    return f32_near(TK_F32, 0, i);
  default:
    return f32_near(TK_F32, slot, i);
  }
}

static uint64_t f64_value(unsigned slot, unsigned i) {
  if (i < COUNT(f64_triples) && slot < 3) return f64_triples[i][slot];
  uint64_t r = rnd(TK_F64, slot, i, 0);
  switch (i % 8) {
  case 0:
  case 1:
    return f64_edges[edge(slot, i / 8 * 2 + i % 8, COUNT(f64_edges))];
  case 2:
    return slot % 2 == i / 8 % 2 ? f64_edges[edge(slot, i / 8, COUNT(f64_edges))] : r;
  case 3:
    return r;
  case 4:
    if (i % 16 == 4) return r & UINT64_C(0x801fffffffffffff);
    return (r & UINT64_C(0x800fffffffffffff)) | (1023 - 540 + rnd(TK_F64, slot, i, 1) % 30) << 52;
  case 5:
    if (slot == 1) return f64_near(TK_F64, 0, i) ^ (r & 3) ^ UINT64_C(1) << 63;
    if (slot == 2) {
      volatile double p = f64_of(f64_near(TK_F64, 0, i)) * f64_of(f64_value(1, i));
      return bits64(-p) ^ (r & 1);
    }
    return f64_near(TK_F64, 0, i);
  default:
    return f64_near(TK_F64, slot, i);
  }
}

static uint32_t f16_value(unsigned slot, unsigned i) {
  static const uint16_t edges[] = {0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0xfe01,
                                   0x7c01, 0xfd55, 0x7fff, 1,      0x8001, 0x03ff, 0x83ff, 0x0400,
                                   0x8400, 0x7bff, 0xfbff, 0x3bff, 0x3c01, 0x3800, 0x3e00, 0x4100,
                                   0xc300, 0x6400, 0x6bff, 0x57f8, 0x5a40, 0xd7ff};
  uint32_t r = (uint32_t)rnd(TK_F16, slot, i, 0);
  if (i % 4 == 0) return edges[edge(slot, i / 4, COUNT(edges))];
  if (i % 4 == 1) return (r & 0x83ff) | (0x3000 + (r >> 16 & 15) * 0x400);
  return r & 0xffff;
}

static uint32_t bf16_value(unsigned slot, unsigned i) {
  static const uint16_t edges[] = {0,      0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 0xffc1,
                                   0x7f81, 0xffa5, 0x7fff, 1,      0x8001, 0x007f, 0x807f, 0x0080,
                                   0x8080, 0x7f7f, 0xff7f, 0x3f7f, 0x3f81, 0x3f00, 0x3fc0, 0x4020,
                                   0xc060, 0x4300, 0x437f, 0x42ff, 0x4f00, 0xcf00, 0x5f00, 0x0100};
  uint32_t r = (uint32_t)rnd(TK_BF16, slot, i, 0);
  if (i % 4 == 0) return edges[edge(slot, i / 4, COUNT(edges))];
  if (i % 4 == 1) return (r & 0x807f) | (0x3d00 + (r >> 16 & 15) * 0x80);
  if (i % 8 == 2)
    return (r & 0x807f) | (0x1f80 + (r >> 16 & 31) * 0x80); /* products about 2^-126 */
  return r & 0xffff;
}

/* For sums and products of three: one rounding of the exact value differs from two, or lies
 * halfway, or just at the smallest normal number. */
static uint32_t f16_hard(unsigned slot, unsigned i) {
  static const uint16_t triples[][3] = {
      {0x3c01, 0x3c01, 0x0001}, {0x3c01, 0x3c01, 0x8001}, {0x3bff, 0x0400, 0x0000},
      {0x3bff, 0x0400, 0x8000}, {0x3bff, 0x8400, 0x0000}, {0x3bfe, 0x0400, 0x0001},
      {0x07ff, 0x3800, 0x0000}, {0x07fe, 0x3800, 0x0000}, {0x7bff, 0x3c00, 0x4c00},
      {0x7bff, 0x3c00, 0x4bff}, {0x6400, 0x3c00, 0x3800}, {0x6401, 0x3c00, 0x3800},
      {0x6401, 0x3c00, 0xb800}, {0x6400, 0x3c00, 0x3801}, {0x6800, 0x3c00, 0x3c00},
      {0x7c00, 0x0000, 0x3c00}, {0x7c00, 0x3c00, 0xfc00}, {0x0000, 0x8000, 0x8000},
      {0x8000, 0x3c00, 0x8000}, {0x3c00, 0x3c00, 0xbc00}, {0x0001, 0x3800, 0x0000},
      {0x0001, 0x3800, 0x0001}, {0x0003, 0x3800, 0x8000}, {0x0200, 0x0200, 0x0001},
      {0x7e01, 0x7e02, 0x7e03}, {0x3c00, 0xfe02, 0x3c00}, {0x3c00, 0x3c00, 0x7d03},
      {0x3c00, 0xbc00, 0x3c00}, {0xbc00, 0x3c00, 0x0000}, {0x8001, 0x3c00, 0x0001},
      {0x5bff, 0x5bff, 0xfbff}, {0x03ff, 0x3c00, 0x0001}};
  return triples[i % COUNT(triples)][slot % 3];
}

/* Pairs and single values: the lower half is that of the single type. */
static uint64_t halves(enum truth_kind kind, unsigned slot, unsigned i) {
  unsigned j = i + 977;
  if (kind == TK_BF16X2) return bf16_value(slot, i) | bf16_value(slot, j) << 16;
  uint32_t lo = i % 8 == 6 ? f16_hard(slot, i / 8) : f16_value(slot, i);
  uint32_t hi = i % 8 == 5 ? f16_hard(slot, i / 8 + 7) : f16_value(slot, j);
  return lo | (uint64_t)hi << 16;
}

/* Multiples of a quarter whose sums over a block stay exact. */
static uint64_t exact_halves(enum truth_kind kind, unsigned slot, unsigned i) {
  static const uint16_t f16[] = {0x0000, 0x3400, 0x3800, 0xb400, 0xb800, 0x3a00, 0xba00, 0x3c00};
  static const uint16_t bf16[] = {0x0000, 0x3f80, 0x0000, 0x0000, 0xbf80, 0x0000, 0x3f80, 0x0000};
  const uint16_t *v = kind == TK_EXACT16 ? f16 : bf16;
  uint64_t r = rnd(kind, slot, i, 0);
  return v[r % 8] | (uint64_t)v[r >> 8 & 7] << 16;
}

/* An element of a matrix of floats, as a double. Warps get different sorts: whole numbers, whose
 * sums are exact; numbers of one size; of many sizes; and the same with infinities and NaNs here
 * and there. `range` is how far exponents go. */
static double element(enum truth_kind kind, unsigned slot, unsigned i, unsigned k, int range) {
  uint64_t r = rnd(kind, slot, i, k);
  unsigned sort = i / 32 % 4;
  double sign = r & 1 ? -1 : 1, m = 1 + (double)(r >> 32 & 0xfff) * 0x1p-12;
  if (sort == 0) return sign * (double)(r >> 8 & 7);
  if (sort == 1) return sign * m;
  int e = (int)(r >> 8 & 0xff) % (2 * range) - range;
  if (sort == 3 && (r >> 48) % 199 == 0) return sign * INFINITY;
  if (sort == 3 && (r >> 48) % 199 == 1) return NAN;
  return sign * ldexp(m, e);
}

static uint16_t to_half(double v, bool bf16) {
  float f = (float)v;
  uint32_t x = bits32(f);
  if (bf16) return (uint16_t)(x >> 16);
  if (isnan(v)) return 0x7e00;
  if (isinf(v)) return v < 0 ? 0xfc00 : 0x7c00;
  int e = (int)(x >> 23 & 0xff) - 112;
  uint32_t m = (x & 0x7fffff) | 0x800000, sign = x >> 16 & 0x8000;
  if (v == 0 || e < -10) return (uint16_t)sign;
  if (e <= 0) return (uint16_t)(sign | m >> (14 - e));
  return (uint16_t)(sign | (uint32_t)e << 10 | (m >> 13 & 0x3ff));
}

static uint64_t matrix_value(enum truth_kind kind, unsigned slot, unsigned i) {
  uint64_t v = 0;
  switch (kind) {
  case TK_WMMA_F16:
  case TK_WMMA_BF16:
    return matrix_value(i % 32 >= 16          ? TK_MAT_F32
                        : kind == TK_WMMA_F16 ? TK_MAT_F16
                                              : TK_MAT_BF16,
                        slot, i);
  case TK_MAT_F16:
  case TK_MAT_BF16:
    for (unsigned k = 0; k < 4; k++)
      v |= (uint64_t)to_half(element(kind, slot, i, k, kind == TK_MAT_F16 ? 8 : 20),
                             kind == TK_MAT_BF16)
           << (16 * k);
    return v;
  case TK_MAT_F32:
    for (unsigned k = 0; k < 2; k++)
      v |= (uint64_t)bits32((float)element(kind, slot, i, k, 12)) << (32 * k);
    return v;
  default:
    return bits64(element(kind, slot, i, 0, 30));
  }
}

static uint64_t sign_bits(enum truth_kind kind, unsigned i) {
  switch (kind) {
  case TK_WMMA_F16:
  case TK_WMMA_BF16:
    if (i % 32 >= 16) return UINT64_C(0x8000000080000000);
    /* fallthrough */
  case TK_MAT_F16:
  case TK_MAT_BF16:
    return UINT64_C(0x8000800080008000);
  case TK_MAT_F32:
    return UINT64_C(0x8000000080000000);
  default:
    return 0;
  }
}

/* Close to a limit of an integer type, or to a half. */
static double whole(unsigned slot, unsigned i) {
  static const double at[] = {0,
                              1,
                              2,
                              3,
                              127,
                              128,
                              255,
                              256,
                              32767,
                              32768,
                              65535,
                              65536,
                              2147483647.0,
                              2147483648.0,
                              4294967295.0,
                              4294967296.0,
                              9223372036854775807.0,
                              18446744073709551615.0,
                              8388608,
                              4503599627370496.0,
                              16777216,
                              9007199254740992.0};
  static const double by[] = {0,  0.5, -0.5, 0.25, -0.25,      0.75,      1,
                              -1, 1.5, 2.5,  -0.0, 0.49999997, 0.5000001, -2147483649.0};
  uint64_t r = rnd(TK_WHOLE64, slot, i, 0);
  double v = at[i % COUNT(at)] + by[(i / COUNT(at) * 5 + i) % COUNT(by)];
  return r & 1 ? -v : v;
}

static uint32_t uniform32(enum truth_kind kind, unsigned slot, unsigned i, double lo, double hi) {
  double u = (double)(rnd(kind, slot, i, 2) >> 11) * 0x1p-53;
  return bits32((float)(lo + (hi - lo) * u));
}

/* Arguments of ex2 and tanh: all 65536 of them would be too many, so every 32nd, two at a time. */
static uint64_t argument(enum truth_kind kind, unsigned i) {
  uint32_t r = (uint32_t)rnd(kind, 0, i, 0);
  uint32_t lo = i * 32 + r % 32, hi = (r >> 8) % 3 ? 0x3000 + (r >> 16 & 0x97ff) : r >> 16;
  return (lo & 0xffff) | (uint64_t)(hi & 0xffff) << 16;
}

static uint32_t approx_value(enum truth_kind kind, unsigned slot, unsigned i) {
  if (i < COUNT(f32_edges)) return f32_edges[i];
  uint32_t r = (uint32_t)rnd(kind, slot, i, 0);
  if (i % 8 == 0) return r;
  switch (kind) {
  case TK_TRIG: /* documented within 2 pi and within 100 pi; a few beyond */
    if (i % 8 < 4) return uniform32(kind, slot, i, -6.283185, 6.283185);
    if (i % 8 < 7) return uniform32(kind, slot, i, -314.15926, 314.15926);
    return uniform32(kind, slot, i, -1e5, 1e5);
  case TK_EX2:
    if (i % 8 < 4) return uniform32(kind, slot, i, -1, 1);
    if (i % 8 < 7) return uniform32(kind, slot, i, -155, 132);
    return bits32((float)((int)(r % 300) - 160));
  case TK_NEAR1:
    if (i % 8 < 4) return uniform32(kind, slot, i, 0.4, 2.2);
    if (i % 8 < 6) return 0x3f800000u + r % 4096 - 2048;
    return r & 0x7fffffff;
  default: /* TK_TANH */
    if (i % 8 < 4) return uniform32(kind, slot, i, -1, 1);
    if (i % 8 < 6) return uniform32(kind, slot, i, -10, 10);
    return (r & 0x807fffff) | (100 + r % 28) << 23;
  }
}

static uint64_t pick(const uint64_t *v, size_t n, enum truth_kind kind, unsigned slot, unsigned i) {
  return v[(rnd(kind, slot, i, 3) >> 20) % n];
}

static uint64_t exact(unsigned slot, unsigned i) { /* a small whole number, in f32 or f64 */
  return rnd(TK_EXACT64, slot, i, 0) % 2001;
}

uint64_t truth_operand(enum truth_kind kind, unsigned slot, unsigned i) {
  static const uint64_t shifts[] = {
      0,      1,       2,       7,          8,          15,         16,         17,
      24,     30,      31,      32,         33,         47,         48,         62,
      63,     64,      65,      127,        128,        255,        256,        257,
      0x8000, 0x10000, 0x10001, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0xffffffe0};
  static const uint64_t fields[] = {0,   1,   4,   5,   8,   15,  16,    20,         24,        30,
                                    31,  32,  33,  40,  48,  60,  63,    64,         65,        100,
                                    128, 200, 254, 255, 256, 257, 0x110, 0xffffffff, 0x80000001};
  static const uint64_t lanes[] = {0,  1,  2,  3,  4,  7,  8,  15, 16,
                                   17, 30, 31, 32, 33, 40, 63, 64, 0xffffffff};
  static const uint64_t segments[] = {0x1f,   0,      0x1c1f, 0x1c03,    0x181f, 0x1807,
                                      0x101f, 0x100f, 0x1e1f, 0x1f,      0x1c00, 0x1000,
                                      0xf0f,  0x1f1f, 0x0a15, 0xffffffff};
  static const uint64_t counts[] = {0,   1,   2,          3,          4,          99,
                                    100, 101, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
  uint64_t r = rnd(kind, slot, i, 0);
  switch (kind) {
  case TK_NONE:
    return 0;
  case TK_B16:
  case TK_B32:
  case TK_B64:
    return int_value(TK_B64, slot, i);
  case TK_F16:
    return f16_value(slot, i);
  case TK_F32:
    return f32_value(slot, i);
  case TK_F64:
    return f64_value(slot, i);
  case TK_PRED:
    return r >> 13 & 1;
  case TK_SHIFT:
    return pick(shifts, COUNT(shifts), kind, slot, i);
  case TK_FIELD:
    return i % 8 == 7 ? r : pick(fields, COUNT(fields), kind, slot, i);
  case TK_LANE:
    return i % 4 ? r % 32 : pick(lanes, COUNT(lanes), kind, slot, i);
  case TK_SEGMENT:
    return pick(segments, COUNT(segments), kind, slot, i);
  case TK_CLASS:
    return (i / 32 == 2 ? 0 : r % 3) * UINT64_C(0x4000000080000001) + 5;
  case TK_DIVISOR:
    if (i % 4 == 0) return r % 12;
    if (i % 4 == 1) return (uint64_t) - (int64_t)(r % 12);
    return int_value(TK_B64, slot, i);
  case TK_BASE:
    return i % 8 == 7 ? 32 + r % 64 : r % 32;
  case TK_NTH:
    return i % 8 == 7 ? r : (uint64_t)((int64_t)(r % 14) - 6);
  case TK_COUNT:
    return i % 4 ? pick(counts, COUNT(counts), kind, slot, i) : r;
  case TK_TRIG:
  case TK_EX2:
  case TK_NEAR1:
  case TK_TANH:
    return approx_value(kind, slot, i);
  case TK_WHOLE32:
    return i % 4 == 3 ? f32_value(slot, i / 4) : bits32((float)whole(slot, i));
  case TK_WHOLE64:
    return i % 4 == 3 ? f64_value(slot, i / 4) : bits64(whole(slot, i));
  case TK_EXACT32:
    return bits32((float)exact(slot, i) * 0.25f - 200.0f);
  case TK_EXACT64:
    return bits64((double)exact(slot, i) * 0.25 - 200.0);
  case TK_INDEX5:
    return r % 5;
  case TK_BF16:
    return bf16_value(slot, i);
  case TK_F16X2:
  case TK_BF16X2:
    return halves(kind, slot, i);
  case TK_EXACT16:
  case TK_EXACTBF16:
    return exact_halves(kind, slot, i);
  case TK_MAT_F16:
  case TK_MAT_BF16:
  case TK_MAT_F32:
  case TK_MAT_F64:
  case TK_WMMA_F16:
  case TK_WMMA_BF16:
    return matrix_value(kind, slot, i);
  case TK_ARG16:
  case TK_ARGBF16:
    return argument(kind, i);
  case TK_EQUAL: /* slot 1 meets slot 0; of 128 bits, slots 2 and 3 meet 0 and 1 */
    if (rnd(kind, 0, i, 4) & 1) return int_value(TK_B64, slot == 1 ? 0 : slot - 2, i);
    return int_value(TK_B64, slot, i);
  }
  return 0;
}

void truth_fill_inputs(const struct truth_variant *v, uint8_t *in) {
  for (unsigned i = 0; i < v->n_cases; i++)
    for (unsigned s = 0; s < TRUTH_IN; s++) {
      /* Slots without a kind hold data for loads. */
      uint64_t x = v->in_kind[s] == TK_NONE ? rnd(TK_NONE, s, i, 0)
                                            : truth_operand((enum truth_kind)v->in_kind[s], s, i);
      memcpy(in + (size_t)i * TRUTH_IN_BYTES + s * 8, &x, 8);
    }
}

void truth_fill_magnitudes(const struct truth_variant *v, uint8_t *in) {
  truth_fill_inputs(v, in);
  for (unsigned i = 0; i < v->n_cases; i++)
    for (unsigned s = 0; s < TRUTH_IN; s++) {
      uint64_t x;
      uint8_t *at = in + (size_t)i * TRUTH_IN_BYTES + s * 8;
      memcpy(&x, at, 8);
      x &= ~sign_bits((enum truth_kind)v->in_kind[s], i);
      memcpy(at, &x, 8);
    }
}

void truth_fill_blob(uint8_t blob[TRUTH_BLOB]) {
  for (unsigned i = 0; i < TRUTH_BLOB; i++)
    blob[i] = (uint8_t)weir_hash32(77, i);
}

uint8_t truth_const_byte(unsigned i) {
  return (uint8_t)weir_hash32(78, i);
}

uint64_t truth_input_hash(const struct truth_variant *v) {
  uint64_t h = v->n_cases;
  for (unsigned i = 0; i < v->n_cases; i++)
    for (unsigned s = 0; s < TRUTH_IN; s++)
      h = weir_splitmix64(
          h ^ (v->in_kind[s] == TK_NONE ? 0 : truth_operand((enum truth_kind)v->in_kind[s], s, i)));
  return h;
}
