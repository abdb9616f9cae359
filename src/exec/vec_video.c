/* Video instructions, as the PTX manual defines them. They are rare and have many forms, so one
 * handler serves each kind and works lane by lane. */
#include "exec/vec.h"

#include "exec/video.h"

/* Selectors: 0 the whole register, 1 to 4 a byte, 5 and 6 a half. */
static inline unsigned bits_of(unsigned sel) {
  return sel == 0 ? 32 : sel <= 4 ? 8 : 16;
}
static inline unsigned shift_of(unsigned sel) {
  return sel == 0 ? 0 : sel <= 4 ? 8 * (sel - 1) : 16 * (sel - 5);
}

static inline int64_t extend(uint64_t v, unsigned bits, bool is_signed) {
  return is_signed ? (int64_t)(v << (64 - bits)) >> (64 - bits)
                   : (int64_t)(v << (64 - bits) >> (64 - bits));
}

static inline int64_t clamp(int64_t v, unsigned bits, bool is_signed) {
  int64_t hi = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1, lo = is_signed ? -hi - 1 : 0;
  return v < lo ? lo : v > hi ? hi : v;
}

static inline bool holds(unsigned cmp, int64_t a, int64_t b) {
  switch ((enum ptx_cmp)cmp) {
  case PTX_CMP_EQ:
    return a == b;
  case PTX_CMP_NE:
    return a != b;
  case PTX_CMP_LT:
    return a < b;
  case PTX_CMP_LE:
    return a <= b;
  case PTX_CMP_GT:
    return a > b;
  default:
    return a >= b;
  }
}

/* Operands have up to 33 bits with their sign. Shifted by 32 they may need more than 64; then a
 * number with the same sign and the same low half stands for the result. */
static inline int64_t shift_left(int64_t a, unsigned by) {
  if (by < 32) return a * (INT64_C(1) << by);
  return a == 0 ? 0 : a > 0 ? INT64_C(1) << 62 : -(INT64_C(1) << 62);
}

static inline int64_t operate(const struct ptx_video *v, int64_t a, int64_t b) {
  switch ((enum ptx_video_op)v->op) {
  case PTX_V_ADD:
    return a + b;
  case PTX_V_SUB:
    return a - b;
  case PTX_V_ABSDIFF:
    return a < b ? b - a : a - b;
  case PTX_V_AVRG:
    return (a + b + (a + b >= 0)) >> 1;
  case PTX_V_MIN:
    return a < b ? a : b;
  case PTX_V_MAX:
    return a < b ? b : a;
  case PTX_V_SHL:
    return shift_left(a, (unsigned)(v->wrap ? b & 31 : b > 32 ? 32 : b));
  case PTX_V_SHR:
    return a >> (v->wrap ? b & 31 : b > 32 ? 32 : b);
  default:
    return holds(v->cmp, a, b);
  }
}

static inline uint32_t then(const struct ptx_video *v, int64_t r, uint32_t c) {
  int64_t x = extend((uint32_t)r, 32, v->d_signed), y = extend(c, 32, v->d_signed);
  switch ((enum ptx_video_then)v->then) {
  case PTX_V_THEN_ADD:
    return (uint32_t)r + c;
  case PTX_V_THEN_MIN:
    return (uint32_t)(x < y ? x : y);
  case PTX_V_THEN_MAX:
    return (uint32_t)(x < y ? y : x);
  default:
    break;
  }
  if (v->d_at == 0) return (uint32_t)r;
  unsigned shift = shift_of(v->d_at);
  uint32_t part = (bits_of(v->d_at) == 8 ? UINT32_C(0xff) : UINT32_C(0xffff)) << shift;
  return ((uint32_t)r << shift & part) | (c & ~part);
}

HANDLER(video) {
  const struct ptx_video *v = u->x.video;
  const uint32_t *a = REG(uint32_t, u->a), *b = REG(uint32_t, u->b), *c = REG(uint32_t, u->c);
  uint32_t t[LANES] __attribute__((aligned(64)));
  for (unsigned i = 0; i < LANES; i++) {
    int64_t x = extend(a[i] >> shift_of(v->a_at[0]), bits_of(v->a_at[0]), v->a_signed);
    int64_t y = extend(b[i] >> shift_of(v->b_at[0]), bits_of(v->b_at[0]), v->b_signed);
    int64_t r = operate(v, x, y);
    if (v->sat) r = clamp(r, bits_of(v->d_at), v->d_signed);
    t[i] = then(v, r, c[i]);
  }
  BLEND(uint32_t, t);
}

HANDLER(video_simd) {
  const struct ptx_video *v = u->x.video;
  const uint32_t *a = REG(uint32_t, u->a), *b = REG(uint32_t, u->b), *c = REG(uint32_t, u->c);
  const unsigned bits = 32u / v->lanes;
  const uint32_t part = (UINT32_C(1) << bits) - 1;
  uint32_t t[LANES] __attribute__((aligned(64)));
  for (unsigned i = 0; i < LANES; i++) {
    uint64_t both = (uint64_t)b[i] << 32 | a[i];
    uint32_t d = c[i];
    for (unsigned k = 0; k < v->lanes; k++) {
      if ((v->mask >> k & 1) == 0) continue;
      int64_t r = operate(v, extend(both >> (bits * v->a_at[k]), bits, v->a_signed),
                          extend(both >> (bits * v->b_at[k]), bits, v->b_signed));
      if (v->sat) r = clamp(r, bits, v->d_signed);
      if (v->then == PTX_V_THEN_ADD)
        d += (uint32_t)r;
      else
        d = (d & ~(part << (bits * k))) | ((uint32_t)r & part) << (bits * k);
    }
    t[i] = d;
  }
  BLEND(uint32_t, t);
}

/* a * b + c in 128 bits. */
HANDLER(vmad) {
  const struct ptx_video *v = u->x.video;
  const uint32_t *a = REG(uint32_t, u->a), *b = REG(uint32_t, u->b), *c = REG(uint32_t, u->c);
  const bool is_signed = v->a_signed || v->b_signed || v->neg_ab || v->neg_c;
  const int64_t lo = is_signed ? INT32_MIN : 0, hi = is_signed ? INT32_MAX : UINT32_MAX;
  uint32_t t[LANES] __attribute__((aligned(64)));
  for (unsigned i = 0; i < LANES; i++) {
    __int128 x = extend(a[i] >> shift_of(v->a_at[0]), bits_of(v->a_at[0]), v->a_signed);
    __int128 y = extend(b[i] >> shift_of(v->b_at[0]), bits_of(v->b_at[0]), v->b_signed);
    __int128 product = v->neg_ab ? ~(x * y) : x * y;
    int64_t addend = extend(v->neg_c ? ~c[i] : c[i], 32, is_signed);
    __int128 sum = (product + addend + (v->plus_one || v->neg_ab || v->neg_c)) >> v->scale;
    if (v->sat) sum = sum < lo ? lo : sum > hi ? hi : sum;
    t[i] = (uint32_t)sum;
  }
  BLEND(uint32_t, t);
}
