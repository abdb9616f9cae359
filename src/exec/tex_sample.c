/* What is not in the manuals was found out on an H200, whose results all of this reproduces bit for
 * bit (tests/truth/tex_cases.h):
 *
 * - A normalised coordinate is cut to 21 fractional bits (22 or 23 for large textures) before it is
 *   multiplied by the size. Subnormal coordinates are 0, and so is a NaN.
 * - A linear filter rounds the coordinate to 8 fractional bits. Weights are distributed over the
 *   texels in whole 256ths, axis after axis, each part rounded (struct span, spread).
 * - Texels are mixed in fixed point: integers as numbers of 16 bits, floats aligned to the largest
 * of their plane with four bits to spare (mix_floats).
 * - A 1D texture is a 2D texture of height 1 that is read at y = 0: with a border as address mode
 * of y, a linear filter sees half of it. */
#include "exec/tex_sample.h"

#include <math.h>
#include <string.h>

#include "exec/fp.h"

enum {
  COORD_BITS = 23, /* of coordinates, before those that are normalised are cut */
  WEIGHT_BITS = 8,
  ONE = 1 << WEIGHT_BITS,
  HALF = ONE / 2
};

/* ---- channels ---- */

static uint32_t bits_of(float f) {
  uint32_t b;
  memcpy(&b, &f, sizeof b);
  return b;
}

/* Exact. */
static uint32_t half_to_float(uint32_t h) {
  uint32_t sign = (h & 0x8000) << 16, e = h >> 10 & 31, m = h & 0x3ff;
  if (e == 0) return sign | bits_of((float)m * 0x1p-24f);
  return sign | (e == 31 ? 0x7f800000 : (e + 112) << 23) | m << 13;
}

static bool is_normalised_read(const struct ptx_tex_desc *d) {
  return d->read == PTX_TEX_NORMALISED_FLOAT && d->texels.texel.kind != PTX_CHANNEL_FLOAT;
}

/* The bits of a channel as they lie in memory, signed ones extended. */
static uint32_t channel_bits(struct ptx_texel x, const uint8_t *from) {
  uint32_t v = 0;
  memcpy(&v, from, x.bits / 8u);
  if (x.kind != PTX_CHANNEL_SIGNED || x.bits == 32) return v;
  return x.bits == 8 ? (uint32_t)(int8_t)v : (uint32_t)(int16_t)v;
}

/* As float, or as they are. */
static uint32_t channel_value(struct ptx_texel x, uint32_t v) {
  return x.kind == PTX_CHANNEL_FLOAT && x.bits == 16 ? half_to_float(v) : v;
}

void ptx_texel_load(struct ptx_texel x, const uint8_t *from, uint32_t out[4]) {
  for (unsigned k = 0; k < 4; k++)
    out[k] = k < x.channels ? channel_value(x, channel_bits(x, from + k * (x.bits / 8u))) : 0;
}

static uint32_t float_to_half(uint32_t v, uint8_t rounding) {
  const struct ptx_cvtmode mode = {.rnd = rounding};
  uint32_t in[32] = {v};
  uint16_t out[32];
  ptx_cvt(PTX_CVT_F16, PTX_CVT_F32, mode, out, in);
  return out[0];
}

/* Integers become the nearest that fits, floats are cut. */
static uint32_t fit_channel(struct ptx_texel x, uint32_t v) {
  if (x.bits == 32) return v;
  if (x.kind == PTX_CHANNEL_FLOAT && (v & 0x7fffffff) > 0x7f800000)
    return (v >> 16 & 0x8000) | 0x7e00 | (v >> 13 & 0x3ff); /* a NaN stays what it is */
  if (x.kind == PTX_CHANNEL_FLOAT) return float_to_half(v, PTX_RZ);
  int32_t most = (1 << (x.bits - (x.kind == PTX_CHANNEL_SIGNED ? 1 : 0))) - 1, s = (int32_t)v;
  if (x.kind == PTX_CHANNEL_UNSIGNED) return v > (uint32_t)most ? (uint32_t)most : v;
  return (uint32_t)(s > most ? most : s < -most - 1 ? -most - 1 : s);
}

void ptx_texel_store(struct ptx_texel x, uint8_t *to, const uint32_t in[4]) {
  for (unsigned k = 0; k < x.channels; k++) {
    uint32_t v = fit_channel(x, in[k]);
    memcpy(to + k * (x.bits / 8u), &v, x.bits / 8u);
  }
}

/* Of 16 bits: 0 to 1, or -1 to 1. */
static float unorm16(int64_t v) {
  return (float)v / 65535.0f;
}
static float snorm16(int64_t v) {
  return v < -32767 ? -1.0f : (float)v / 32767.0f;
}

/* One channel of one texel as the texture gives it. */
static uint32_t convert(const struct ptx_tex_desc *d, uint32_t v) {
  struct ptx_texel x = d->texels.texel;
  if (!is_normalised_read(d)) return channel_value(x, v);
  if (x.kind == PTX_CHANNEL_UNSIGNED) return bits_of(unorm16(x.bits == 8 ? 257 * v : v));
  if (x.bits == 16) return bits_of(snorm16((int32_t)v));
  float f = (float)(int32_t)v / 127.0f;
  return bits_of(f < -1.0f ? -1.0f : f);
}

/* The border's channel as if it lay in memory. */
static uint32_t border_bits(const struct ptx_tex_desc *d, unsigned channel) {
  struct ptx_texel x = d->texels.texel;
  float f = d->border[channel];
  if (!is_normalised_read(d)) {
    uint32_t v = bits_of(f);
    if (x.kind == PTX_CHANNEL_FLOAT) return x.bits == 16 ? float_to_half(v, PTX_RN) : v;
    return x.bits == 32 ? v : channel_bits(x, (const uint8_t *)&v);
  }
  bool is_signed = x.kind == PTX_CHANNEL_SIGNED;
  float most = (float)((1u << (x.bits - (is_signed ? 1u : 0u))) - 1), least = is_signed ? -1 : 0;
  f = !(f > least) ? least : f > 1 ? 1 : f;
  return (uint32_t)(int32_t)floorf(f * most + 0.5f);
}

/* ---- coordinates ---- */

enum reading { READ_POINT, READ_LINEAR, READ_GATHER };

/* The texels along one axis, and the weight of the second one in 256ths. Index -1: outside. */
struct span {
  int64_t i[2];
  uint32_t weight;
};

static int64_t put_inside(int64_t i, int64_t n, unsigned mode) {
  switch (mode) {
  case PTX_TEX_WRAP:
    i %= n;
    return i < 0 ? i + n : i;
  case PTX_TEX_MIRROR:
    i %= 2 * n;
    if (i < 0) i += 2 * n;
    return i < n ? i : 2 * n - 1 - i;
  case PTX_TEX_CLAMP:
    return i < 0 ? 0 : i >= n ? n - 1 : i;
  default:
    return i < 0 || i >= n ? -1 : i;
  }
}

static unsigned mode_of(const struct ptx_tex_desc *d, unsigned axis) {
  unsigned mode = d->address[axis];
  return d->is_normalised || mode == PTX_TEX_BORDER ? mode : PTX_TEX_CLAMP;
}

/* A coordinate with COORD_BITS fractional bits. Large ones stay far outside, or where they are
 * repeated. */
static int64_t to_fixed(float x, unsigned mode) {
  double far = 0x1p22, v = x;
  bool is_repeated = mode == PTX_TEX_WRAP || mode == PTX_TEX_MIRROR;
  if (x != x || (isinf(x) && is_repeated) || fabs(v) < 0x1p-126) return 0;
  if (mode == PTX_TEX_WRAP) v -= floor(v);
  if (mode == PTX_TEX_MIRROR) v -= 2 * floor(v / 2);
  v = v > far ? far : v < -far ? -far : v;
  return (int64_t)floor(v * (double)(INT64_C(1) << COORD_BITS));
}

/* Fractional bits of COORD_BITS that a normalised coordinate does not have: the largest size
 * decides for all axes. */
static unsigned cut_bits(const struct ptx_texels *t) {
  uint32_t n = t->width > t->height ? t->width : t->height;
  if (t->depth > n) n = t->depth;
  return n <= 8192 ? 2 : n <= (t->is_layered ? 16384u : 65536u) ? 1 : 0;
}

/* `at` is the coordinate from to_fixed. */
static struct span span_of(const struct ptx_tex_desc *d, unsigned axis, uint32_t n, int64_t at,
                           int32_t offset, enum reading how) {
  unsigned mode = mode_of(d, axis), drop = COORD_BITS - WEIGHT_BITS, cut = cut_bits(&d->texels);
  struct span s = {.weight = 0};
  if (d->is_normalised) at = (at & ~((INT64_C(1) << cut) - 1)) * n;
  int64_t first = (at >> COORD_BITS) + offset;
  if (how != READ_POINT) {
    int64_t fixed = ((at + (INT64_C(1) << (drop - 1))) >> drop) - HALF + offset * (int64_t)ONE;
    int64_t last = (n - 1) * (int64_t)ONE;
    /* Clamping is done to the coordinate: at the edge one texel has all the weight. */
    if (mode == PTX_TEX_CLAMP && how == READ_LINEAR)
      fixed = fixed < 0 ? 0 : fixed > last ? last : fixed;
    first = fixed >> WEIGHT_BITS;
    s.weight = (uint32_t)(fixed & (ONE - 1));
  }
  s.i[0] = put_inside(first, n, mode);
  s.i[1] = put_inside(first + 1, n, mode);
  return s;
}

/* ---- cubemaps ---- */

/* CUDA C++ Programming Guide, "Cubemap Textures": the face that a direction meets, and where, with
 * COORD_BITS fractional bits. A part that is NaN or subnormal is 0. The others are multiplied by
 * the reciprocal of the largest: of a very large one that is 0, and then there is no direction
 * left. */
static unsigned face_of(const float direction[3], int64_t at[2]) {
  float v[3], m = 0, s, t;
  unsigned face;
  const double half = (double)(INT64_C(1) << (COORD_BITS - 1));
  for (unsigned k = 0; k < 3; k++) {
    v[k] = direction[k] != direction[k] || fabsf(direction[k]) < 0x1p-126f ? 0 : direction[k];
    if (fabsf(v[k]) > m) m = fabsf(v[k]);
  }
  if (m > 0x1p126f || m == 0) v[0] = v[1] = v[2] = 0, m = 1;
  float ax = fabsf(v[0]), ay = fabsf(v[1]), az = fabsf(v[2]);
  if (az >= ax && az >= ay)
    face = v[2] < 0 ? 5 : 4, s = v[2] < 0 ? -v[0] : v[0], t = -v[1];
  else if (ay >= ax)
    face = v[1] < 0 ? 3 : 2, s = v[0], t = v[1] < 0 ? -v[2] : v[2];
  else
    face = v[0] < 0 ? 1 : 0, s = v[0] < 0 ? v[2] : -v[2], t = -v[1];
  if (isinf(direction[2])) face = 2;
  at[0] = (int64_t)(half + floor((double)s / m * half));
  at[1] = (int64_t)(half + floor((double)t / m * half));
  return face;
}

/* ---- which texels ---- */

struct taps {
  unsigned n; /* 1, 4 or 8: x fastest, then y, then z */
  int64_t x[PTX_TEX_MAX_TEXELS], y[PTX_TEX_MAX_TEXELS], z[PTX_TEX_MAX_TEXELS];
  uint32_t weight[PTX_TEX_MAX_TEXELS];
  bool is_used[PTX_TEX_MAX_TEXELS]; /* it has a weight, if only one that was rounded to 0 */
};

/* `total` over the four texels of a plane. Of two halves the one that was rounded keeps its
 * rounding; the other gets the rest. */
static void spread(uint32_t total, uint32_t wx, uint32_t wy, uint32_t w[4]) {
  uint32_t right = (total * wx + HALF) >> WEIGHT_BITS, left = total - right;
  w[3] = (right * wy + HALF) >> WEIGHT_BITS;
  w[2] = (left * wy + HALF - 1) >> WEIGHT_BITS;
  w[1] = right - w[3];
  w[0] = left - w[2];
}

static uint32_t layer_of(const struct ptx_texels *t, uint32_t layer) {
  return !t->is_layered ? 0 : layer < t->layers ? layer : t->layers - 1;
}

static struct taps find_taps(const struct ptx_tex_desc *d, const struct ptx_tex_point *p,
                             enum reading how) {
  const struct ptx_texels *t = &d->texels;
  struct ptx_tex_desc other = *d;
  struct span z = {.weight = 0};
  int64_t at[3] = {0};
  z.i[0] = layer_of(t, p->layer);
  if (t->dim == PTX_TEX_1D && t->is_layered) other.address[1] = PTX_TEX_CLAMP;
  if (t->dim == PTX_TEX_CUBE) {
    z.i[0] = 6 * z.i[0] + face_of(p->f, at);
    other.is_normalised = true;
  } else {
    for (unsigned k = 0; k < t->dim; k++)
      at[k] = to_fixed(p->f[k], mode_of(d, k));
  }
  struct span x = span_of(&other, 0, t->width, at[0], p->offset[0], how);
  struct span y = span_of(&other, 1, t->height, at[1], p->offset[1], how);
  if (t->dim == PTX_TEX_3D) z = span_of(&other, 2, t->depth, at[2], p->offset[2], how);
  struct taps taps = {.n = how == READ_POINT ? 1 : t->dim == PTX_TEX_3D ? 8 : 4};
  for (unsigned k = 0; k < taps.n; k++) {
    taps.x[k] = x.i[k & 1];
    taps.y[k] = y.i[k >> 1 & 1];
    taps.z[k] = z.i[k >> 2];
    taps.is_used[k] = (!(k & 1) || x.weight != 0) && (!(k >> 1 & 1) || y.weight != 0) &&
                      (!(k >> 2) || z.weight != 0);
  }
  spread(ONE - z.weight, x.weight, y.weight, taps.weight);
  if (taps.n == 8) spread(z.weight, x.weight, y.weight, taps.weight + 4);
  return taps;
}

/* ---- reading ---- */

struct reader {
  const struct ptx_tex_desc *d;
  const uint8_t *texels;
  struct ptx_tex_touch *t;
};

/* The channels of a texel as they lie in memory; an index of -1 is the border. */
static void read_texel(const struct reader *r, int64_t x, int64_t y, int64_t z, uint32_t out[4]) {
  const struct ptx_texels *t = &r->d->texels;
  bool is_outside = x < 0 || y < 0 || z < 0;
  uint64_t at = 0;
  if (!is_outside) {
    at = (uint64_t)z * t->slice + (uint64_t)y * t->pitch + (uint64_t)x * ptx_texel_bytes(t->texel);
    r->t->at[r->t->n++] = at;
  }
  for (unsigned k = 0; k < t->texel.channels; k++)
    out[k] = is_outside ? border_bits(r->d, k)
                        : channel_bits(t->texel, r->texels + at + k * (t->texel.bits / 8u));
}

static void give(const struct ptx_tex_desc *d, const uint32_t in[4], uint32_t out[4]) {
  for (unsigned k = 0; k < 4; k++)
    out[k] = k < d->texels.texel.channels ? convert(d, in[k]) : 0;
}

/* ---- mixing ---- */

/* The sum of a plane's texels times their weights: value = sum * 2^(exponent - SUM_BITS). */
struct sum {
  int exponent; /* of the largest texel */
  int64_t v;
  bool is_empty;
};
enum { SPARE_BITS = 4, SUM_BITS = 23 + SPARE_BITS + WEIGHT_BITS };

struct float_parts {
  int exponent;
  uint32_t mantissa; /* of 24 bits, or 11 */
  bool is_negative;
};

static struct float_parts take_apart(uint32_t v, bool is_half) {
  struct float_parts p;
  if (is_half) {
    p.exponent = v >> 10 & 31;
    p.mantissa = p.exponent == 0 ? v & 0x3ff : (v & 0x3ff) | 0x400;
    p.exponent = p.exponent == 0 ? 1 - 15 : p.exponent - 15;
    p.is_negative = v >> 15 & 1;
  } else {
    p.exponent = (int)(v >> 23 & 255) - 127;
    p.mantissa = p.exponent == -127 ? 0 : (v & 0x7fffff) | 0x800000; /* subnormals count as 0 */
    p.is_negative = v >> 31;
  }
  return p;
}

static struct sum sum_plane(const uint32_t v[4], const uint32_t weight[4], bool is_half) {
  struct sum s = {.exponent = -1000, .is_empty = true};
  struct float_parts p[4];
  for (unsigned k = 0; k < 4; k++) {
    p[k] = take_apart(v[k], is_half);
    if (p[k].mantissa == 0 || weight[k] == 0) continue;
    s.is_empty = false;
    if (p[k].exponent > s.exponent) s.exponent = p[k].exponent;
  }
  for (unsigned k = 0; k < 4 && !s.is_empty; k++) {
    int shift = s.exponent - p[k].exponent;
    if (p[k].mantissa == 0 || weight[k] == 0 || shift > 31) continue;
    int64_t aligned = (int64_t)(((uint64_t)p[k].mantissa << SPARE_BITS) >> shift) * weight[k];
    s.v += p[k].is_negative ? -aligned : aligned;
  }
  if (is_half) s.v *= 1 << 13;
  return s;
}

static struct sum add_sums(struct sum a, struct sum b) {
  if (a.is_empty) return b;
  if (b.is_empty) return a;
  struct sum low = a.exponent < b.exponent ? a : b, high = a.exponent < b.exponent ? b : a;
  int shift = high.exponent - low.exponent;
  high.v += low.v >> (shift > 62 ? 62 : shift);
  return high;
}

/* To the nearest with `digits` digits, halves away from zero. */
static uint32_t round_sum(struct sum s, int digits, int least) {
  uint32_t sign = s.v < 0 ? 0x80000000 : 0;
  uint64_t v = (uint64_t)(s.v < 0 ? -s.v : s.v);
  if (s.is_empty || v == 0) return 0;
  int top = 63 - __builtin_clzll(v), exponent = s.exponent - SUM_BITS + top;
  int keep = exponent < least && digits == 11 ? digits - (least - exponent) : digits;
  int drop = top + 1 - keep;
  if (exponent < least && digits == 24) return sign;
  if (drop > 62) return sign;
  if (drop > 0) v = ((v >> (drop - 1)) + 1) >> 1 << drop;
  float f = ldexpf((float)v, s.exponent - SUM_BITS);
  return sign | bits_of(f);
}

/* What texels that are no numbers make of a sum; false if all are numbers. */
static bool mix_specials(const uint32_t v[], const struct taps *t, bool is_half, uint32_t *out) {
  uint32_t top = is_half ? 0x7c00 : 0x7f800000, sign = is_half ? 0x8000 : 0x80000000;
  bool is_nan = false, is_plus = false, is_minus = false;
  for (unsigned k = 0; k < t->n; k++) {
    uint32_t size = v[k] & ~sign;
    if (!t->is_used[k] || size < top) continue;
    is_nan |= size > top;
    is_plus |= size == top && (v[k] & sign) == 0;
    is_minus |= size == top && (v[k] & sign) != 0;
  }
  *out = is_nan || (is_plus && is_minus) ? 0x7fffffff : is_minus ? 0xff800000 : 0x7f800000;
  return is_nan || is_plus || is_minus;
}

static bool are_negative(const uint32_t v[], const struct taps *t, bool is_half) {
  for (unsigned k = 0; k < t->n; k++)
    if (t->weight[k] != 0 && (v[k] >> (is_half ? 15 : 31)) == 0) return false;
  return true;
}

static uint32_t mix_floats(const uint32_t v[], const struct taps *t, bool is_half) {
  uint32_t special;
  if (mix_specials(v, t, is_half, &special)) return special;
  struct sum s = sum_plane(v, t->weight, is_half);
  if (t->n == 8) s = add_sums(s, sum_plane(v + 4, t->weight + 4, is_half));
  uint32_t out = is_half ? round_sum(s, 11, -14) : round_sum(s, 24, -126);
  return out == 0 && are_negative(v, t, is_half) ? 0x80000000 : out;
}

static uint32_t mix_integers(const uint32_t v[], const struct taps *t, struct ptx_texel x) {
  int64_t sum = 0;
  for (unsigned k = 0; k < t->n; k++)
    sum += (int64_t)(int32_t)v[k] * t->weight[k];
  if (x.kind == PTX_CHANNEL_UNSIGNED)
    return bits_of(unorm16(((x.bits == 8 ? 257 * sum : sum) + HALF) >> WEIGHT_BITS));
  if (x.bits == 16) return bits_of(snorm16((sum + HALF) >> WEIGHT_BITS));
  /* 127 is to become 32767: that is 1/128 and 1/32768 more than the sum has. */
  return bits_of(snorm16(sum + (((sum >> 4) + (sum >> 12) + 4) >> 3)));
}

static void mix(const struct reader *r, const struct taps *t, uint32_t out[4]) {
  struct ptx_texel x = r->d->texels.texel;
  uint32_t v[PTX_TEX_MAX_TEXELS][4], channel[PTX_TEX_MAX_TEXELS];
  for (unsigned k = 0; k < t->n; k++)
    read_texel(r, t->x[k], t->y[k], t->z[k], v[k]);
  for (unsigned c = 0; c < 4; c++) {
    out[c] = 0;
    if (c >= x.channels) continue;
    for (unsigned k = 0; k < t->n; k++)
      channel[k] = v[k][c];
    out[c] = x.kind == PTX_CHANNEL_FLOAT ? mix_floats(channel, t, x.bits == 16)
                                         : mix_integers(channel, t, x);
  }
}

/* ---- the whole ---- */

/* By index: what lies outside is 0, and so is every texel of a 1D array, which has no such fetch.
 */
static void fetch_integer(const struct reader *r, const struct ptx_tex_point *p, uint32_t out[4]) {
  const struct ptx_texels *t = &r->d->texels;
  const uint32_t size[3] = {t->width, t->height, t->depth};
  uint32_t v[4];
  int64_t c[3] = {0};
  if (t->dim != PTX_TEX_3D) c[2] = t->is_layered ? p->layer : 0;
  bool is_outside = c[2] >= (int64_t)ptx_texels_slices(t);
  is_outside |= t->dim == PTX_TEX_1D && !t->is_layered && !t->is_buffer;
  for (unsigned k = 0; k < t->dim; k++) {
    c[k] = (int64_t)p->s[k] + p->offset[k];
    // NOLINTNEXTLINE(*UndefinedBinaryOperatorResult): at most three dimensions
    is_outside |= c[k] < 0 || c[k] >= size[k];
  }
  memset(out, 0, 4 * sizeof *out);
  if (is_outside) return;
  read_texel(r, c[0], c[1], c[2], v);
  give(r->d, v, out);
}

void ptx_tex_sample(const struct ptx_tex_desc *desc, const uint8_t *texels,
                    const struct ptx_tex_point *p, uint32_t out[4], struct ptx_tex_touch *t) {
  const struct reader r = {desc, texels, t};
  uint32_t v[4];
  t->n = 0;
  if (p->is_integer) {
    fetch_integer(&r, p, out);
    return;
  }
  memset(out, 0, 4 * sizeof *out);
  if (desc->texels.is_buffer) return; /* it is fetched by index only */
  bool is_linear = desc->filter == PTX_TEX_LINEAR;
  struct taps taps = find_taps(desc, p, is_linear ? READ_LINEAR : READ_POINT);
  if (is_linear) {
    mix(&r, &taps, out);
    return;
  }
  read_texel(&r, taps.x[0], taps.y[0], taps.z[0], v);
  give(desc, v, out);
}

/* A gathered float goes the filter's way: subnormals are flushed, a NaN loses its payload. */
static uint32_t as_filtered(uint32_t v) {
  uint32_t size = v & 0x7fffffff;
  return size > 0x7f800000 ? 0x7fffffff : size < 0x00800000 ? v & 0x80000000 : v;
}

void ptx_tex_gather(const struct ptx_tex_desc *desc, const uint8_t *texels,
                    const struct ptx_tex_point *p, unsigned channel, uint32_t out[4],
                    struct ptx_tex_touch *t) {
  /* Counter-clockwise from the lower left, as the CUDA C++ Programming Guide orders them. */
  static const uint8_t order[4] = {2, 3, 1, 0};
  const struct reader r = {desc, texels, t};
  t->n = 0;
  struct taps taps = find_taps(desc, p, READ_GATHER);
  for (unsigned k = 0; k < 4; k++) {
    uint32_t v[4], all[4];
    read_texel(&r, taps.x[order[k]], taps.y[order[k]], taps.z[order[k]], v);
    give(desc, v, all);
    bool is_f32 = desc->texels.texel.kind == PTX_CHANNEL_FLOAT && desc->texels.texel.bits == 32;
    out[k] = is_f32 ? as_filtered(all[channel]) : all[channel];
  }
}
