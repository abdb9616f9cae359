#include "ptx/tex_sample.h"

#include <math.h>
#include <string.h>

/* Weights of linear filtering have 8 fractional bits. */
enum { ONE = 256, HALF = ONE / 2 };

/* ---- texels ---- */

static float half_to_float(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 0x3ff, bits;
  float f;
  if (e == 0) { /* exact: 11 bits times a power of two */
    f = (float)m * 0x1p-24f;
    memcpy(&bits, &f, sizeof bits);
    bits |= sign;
  } else if (e == 31) {
    bits = sign | 0x7f800000 | m << 13;
  } else {
    bits = sign | (e + 112) << 23 | m << 13;
  }
  memcpy(&f, &bits, sizeof f);
  return f;
}

static uint32_t bits_of(float f) {
  uint32_t b;
  memcpy(&b, &f, sizeof b);
  return b;
}

static float float_of(uint32_t b) {
  float f;
  memcpy(&f, &b, sizeof f);
  return f;
}

static uint32_t channel_load(struct ptx_texel x, const uint8_t *from) {
  uint32_t v = 0;
  memcpy(&v, from, x.bits / 8u);
  if (x.kind == PTX_CHANNEL_FLOAT && x.bits == 16) return bits_of(half_to_float((uint16_t)v));
  if (x.kind != PTX_CHANNEL_SIGNED || x.bits == 32) return v;
  return x.bits == 8 ? (uint32_t)(int8_t)v : (uint32_t)(int16_t)v;
}

void ptx_texel_load(struct ptx_texel x, const uint8_t *from, uint32_t out[4]) {
  static const uint32_t none[4] = {0, 0, 0, 1};
  for (unsigned k = 0; k < 4; k++)
    out[k] = k < x.channels ? channel_load(x, from + k * (x.bits / 8u)) : none[k];
  if (x.channels < 4 && x.kind == PTX_CHANNEL_FLOAT) out[3] = bits_of(1.0f);
}

void ptx_texel_store(struct ptx_texel x, uint8_t *to, const uint32_t in[4]) {
  for (unsigned k = 0; k < x.channels; k++)
    memcpy(to + k * (x.bits / 8u), &in[k], x.bits / 8u);
}

static bool is_normalised_read(const struct ptx_tex_desc *d) {
  return d->read == PTX_TEX_NORMALISED_FLOAT && d->texels.texel.kind != PTX_CHANNEL_FLOAT;
}

/* Integers as floats from 0 or -1 to 1; the lowest signed number counts as -1, too. */
static float normalise(struct ptx_texel x, uint32_t v) {
  if (x.kind == PTX_CHANNEL_UNSIGNED) return (float)v / (x.bits == 8 ? 255.0f : 65535.0f);
  float f = (float)(int32_t)v / (x.bits == 8 ? 127.0f : 32767.0f);
  return f < -1.0f ? -1.0f : f;
}

/* ---- coordinates ---- */

/* The texels along one axis, and the weight of the second one in 1/256. Index -1: outside. */
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

static struct span span_of(const struct ptx_tex_desc *d, unsigned axis, uint32_t size, float x,
                           int32_t offset, bool is_linear) {
  unsigned mode = d->address[axis];
  int64_t n = size, first;
  struct span s = {.weight = 0};
  if (!d->is_normalised && mode != PTX_TEX_BORDER) mode = PTX_TEX_CLAMP;
  if (d->is_normalised) x = x * (float)size;
  if (x != x) x = 0;
  if (x > 1e9f) x = 1e9f;
  if (x < -1e9f) x = -1e9f;
  if (is_linear) {
    int64_t fixed = (int64_t)floor((double)x * ONE + 0.5) - HALF;
    first = fixed >> 8;
    s.weight = (uint32_t)(fixed & (ONE - 1));
  } else {
    first = (int64_t)floorf(x);
  }
  s.i[0] = put_inside(first + offset, n, mode);
  s.i[1] = put_inside(first + offset + 1, n, mode);
  return s;
}

/* ---- reading ---- */

struct reader {
  const struct ptx_tex_desc *d;
  const uint8_t *texels;
  struct ptx_tex_touch *t;
};

static void border(const struct ptx_tex_desc *d, uint32_t out[4]) {
  for (unsigned k = 0; k < 4; k++)
    out[k] = bits_of(d->border[k]);
}

/* A texel as the texture gives it; an index of -1 is the border. */
static void read_texel(const struct reader *r, int64_t x, int64_t y, int64_t z, uint32_t out[4]) {
  const struct ptx_texels *t = &r->d->texels;
  if (x < 0 || y < 0 || z < 0) {
    border(r->d, out);
    return;
  }
  uint64_t at =
      (uint64_t)z * t->slice + (uint64_t)y * t->pitch + (uint64_t)x * ptx_texel_bytes(t->texel);
  r->t->at[r->t->n++] = at;
  ptx_texel_load(t->texel, r->texels + at, out);
  if (!is_normalised_read(r->d)) return;
  for (unsigned k = 0; k < 4; k++)
    out[k] = k < t->texel.channels ? bits_of(normalise(t->texel, out[k]))
             : k == 3              ? bits_of(1.0f)
                                   : 0;
}

/* ---- cubemaps ---- */

/* CUDA C++ Programming Guide, "Cubemap Textures": the face that a direction meets, and where. */
static unsigned face_of(const float v[3], float *s, float *t) {
  float ax = fabsf(v[0]), ay = fabsf(v[1]), az = fabsf(v[2]), m, sc, tc;
  unsigned face;
  if (ax >= ay && ax >= az)
    face = v[0] < 0 ? 1 : 0, m = ax, sc = v[0] < 0 ? v[2] : -v[2], tc = -v[1];
  else if (ay >= az)
    face = v[1] < 0 ? 3 : 2, m = ay, sc = v[0], tc = v[1] < 0 ? -v[2] : v[2];
  else
    face = v[2] < 0 ? 5 : 4, m = az, sc = v[2] < 0 ? -v[0] : v[0], tc = -v[1];
  *s = (sc / m + 1.0f) / 2.0f;
  *t = (tc / m + 1.0f) / 2.0f;
  return face;
}

/* ---- sampling ---- */

static uint32_t layer_of(const struct ptx_texels *t, uint32_t layer) {
  return !t->is_layered ? 0 : layer < t->layers ? layer : t->layers - 1;
}

struct spans {
  struct span x, y;
  struct span z; /* slices; both the same unless the texture is 3D */
  unsigned n;    /* dimensions that are filtered */
};

static void fetch_integer(const struct reader *r, const struct ptx_tex_point *p, uint32_t out[4]) {
  const struct ptx_texels *t = &r->d->texels;
  const uint32_t size[3] = {t->width, t->height, t->depth};
  unsigned axes = t->dim;
  int64_t c[3] = {0};
  for (unsigned k = 0; k < axes; k++)
    c[k] = put_inside((int64_t)p->s[k] + p->offset[k], size[k], PTX_TEX_BORDER);
  if (t->dim != PTX_TEX_3D) c[2] = layer_of(t, p->layer);
  read_texel(r, c[0], c[1], c[2], out);
}

static struct spans find_spans(const struct ptx_tex_desc *d, const struct ptx_tex_point *p,
                               bool is_linear) {
  const struct ptx_texels *t = &d->texels;
  struct spans s = {.n = t->dim == PTX_TEX_CUBE ? 2 : t->dim};
  struct ptx_tex_desc cube = *d;
  float f[3] = {p->f[0], p->f[1], p->f[2]};
  int64_t slice = layer_of(t, p->layer);
  if (t->dim == PTX_TEX_CUBE) {
    slice = 6 * slice + face_of(p->f, &f[0], &f[1]);
    cube.is_normalised = true;
    memset(cube.address, PTX_TEX_CLAMP, sizeof cube.address);
    d = &cube;
  }
  s.x = span_of(d, 0, t->width, f[0], p->offset[0], is_linear);
  if (s.n > 1) s.y = span_of(d, 1, t->height, f[1], p->offset[1], is_linear);
  if (s.n > 2)
    s.z = span_of(d, 2, t->depth, f[2], p->offset[2], is_linear);
  else
    s.z.i[0] = s.z.i[1] = slice;
  return s;
}

static void filter(const struct reader *r, const struct spans *s, uint32_t out[4]) {
  double sum[4] = {0};
  for (unsigned corner = 0; corner < 1u << s->n; corner++) {
    unsigned a = corner & 1, b = corner >> 1 & 1, c = corner >> 2;
    uint32_t v[4];
    read_texel(r, s->x.i[a], s->y.i[b], s->z.i[c], v);
    double w = (a ? s->x.weight : ONE - s->x.weight) / 256.0;
    if (s->n > 1) w *= (b ? s->y.weight : ONE - s->y.weight) / 256.0;
    if (s->n > 2) w *= (c ? s->z.weight : ONE - s->z.weight) / 256.0;
    for (unsigned k = 0; k < 4; k++)
      sum[k] += w * (double)float_of(v[k]);
  }
  for (unsigned k = 0; k < 4; k++)
    out[k] = bits_of((float)sum[k]);
}

void ptx_tex_sample(const struct ptx_tex_desc *desc, const uint8_t *texels,
                    const struct ptx_tex_point *p, uint32_t out[4], struct ptx_tex_touch *t) {
  const struct reader r = {desc, texels, t};
  t->n = 0;
  if (p->is_integer) {
    fetch_integer(&r, p, out);
    return;
  }
  bool is_linear = desc->filter == PTX_TEX_LINEAR && !desc->texels.is_buffer;
  struct spans s = find_spans(desc, p, is_linear);
  if (is_linear)
    filter(&r, &s, out);
  else
    read_texel(&r, s.x.i[0], s.y.i[0], s.z.i[0], out);
}

void ptx_tex_gather(const struct ptx_tex_desc *desc, const uint8_t *texels,
                    const struct ptx_tex_point *p, unsigned channel, uint32_t out[4],
                    struct ptx_tex_touch *t) {
  /* Counter-clockwise from the lower left, as the CUDA C++ Programming Guide orders them. */
  static const uint8_t dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
  const struct reader r = {desc, texels, t};
  t->n = 0;
  struct spans s = find_spans(desc, p, true);
  for (unsigned k = 0; k < 4; k++) {
    uint32_t v[4];
    read_texel(&r, s.x.i[dx[k]], s.y.i[dy[k]], s.z.i[0], v);
    out[k] = v[channel];
  }
}
