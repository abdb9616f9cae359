#include "tex_cases.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* ---- the list ---- */

struct list {
  struct tex_case *v;
  size_t n, cap;
  bool is_failed;
};

__attribute__((format(printf, 3, 4))) static struct tex_case *add(struct list *l, struct tex_case c,
                                                                  const char *fmt, ...) {
  char mods[200];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(mods, sizeof mods, fmt, ap);
  va_end(ap);
  if (l->n == l->cap) {
    size_t cap = l->cap ? 2 * l->cap : 256;
    void *v = realloc(l->v, cap * sizeof *l->v);
    if (v == NULL) {
      l->is_failed = true;
      return NULL;
    }
    l->v = v;
    l->cap = cap;
  }
  c.mods = strdup(mods);
  if (c.n == 0) c.n = tex_case_writes(&c) ? 128 : 64;
  l->is_failed |= c.mods == NULL;
  l->v[l->n] = c;
  return &l->v[l->n++];
}

static const struct ptx_texel formats[] = {
    {1, 8, PTX_CHANNEL_UNSIGNED},  {2, 8, PTX_CHANNEL_UNSIGNED},  {4, 8, PTX_CHANNEL_UNSIGNED},
    {1, 8, PTX_CHANNEL_SIGNED},    {2, 8, PTX_CHANNEL_SIGNED},    {4, 8, PTX_CHANNEL_SIGNED},
    {1, 16, PTX_CHANNEL_UNSIGNED}, {2, 16, PTX_CHANNEL_UNSIGNED}, {4, 16, PTX_CHANNEL_UNSIGNED},
    {1, 16, PTX_CHANNEL_SIGNED},   {2, 16, PTX_CHANNEL_SIGNED},   {4, 16, PTX_CHANNEL_SIGNED},
    {1, 32, PTX_CHANNEL_UNSIGNED}, {2, 32, PTX_CHANNEL_UNSIGNED}, {4, 32, PTX_CHANNEL_UNSIGNED},
    {1, 32, PTX_CHANNEL_SIGNED},   {2, 32, PTX_CHANNEL_SIGNED},   {4, 32, PTX_CHANNEL_SIGNED},
    {1, 16, PTX_CHANNEL_FLOAT},    {2, 16, PTX_CHANNEL_FLOAT},    {4, 16, PTX_CHANNEL_FLOAT},
    {1, 32, PTX_CHANNEL_FLOAT},    {2, 32, PTX_CHANNEL_FLOAT},    {4, 32, PTX_CHANNEL_FLOAT}};
enum {
  N_FORMATS = sizeof formats / sizeof *formats,
  F32X1 = 21,
  F32X4 = 23,
  U8X4 = 2,
  F16X2 = 19,
  U32X1 = 12
};

/* The result type that a texture gives. */
static const char *result_of(const struct ptx_tex_desc *d) {
  struct ptx_texel x = d->texels.texel;
  if (x.kind == PTX_CHANNEL_FLOAT || d->read == PTX_TEX_NORMALISED_FLOAT) return "f32";
  return x.kind == PTX_CHANNEL_SIGNED ? "s32" : "u32";
}

struct geometry {
  const char *name;
  enum ptx_tex_dim dim;
  bool is_layered;
  uint32_t width, height, depth, layers;
};
static const struct geometry geometries[] = {
    {"1d", PTX_TEX_1D, false, 13, 0, 0, 0},   {"2d", PTX_TEX_2D, false, 13, 7, 0, 0},
    {"3d", PTX_TEX_3D, false, 13, 7, 5, 0},   {"a1d", PTX_TEX_1D, true, 13, 0, 0, 3},
    {"a2d", PTX_TEX_2D, true, 13, 7, 0, 3},   {"cube", PTX_TEX_CUBE, false, 6, 6, 0, 0},
    {"acube", PTX_TEX_CUBE, true, 6, 6, 0, 2}};
enum { N_GEOMETRIES = sizeof geometries / sizeof *geometries };

static struct tex_case base(const struct geometry *g, unsigned format) {
  return (struct tex_case){.coords = g->dim == PTX_TEX_CUBE ? TEX_DIRECTION : TEX_ANY,
                           .desc = {.texels = {.dim = g->dim,
                                               .is_layered = g->is_layered,
                                               .width = g->width,
                                               .height = g->height,
                                               .depth = g->depth,
                                               .layers = g->layers,
                                               .texel = formats[format]},
                                    .address = {PTX_TEX_CLAMP, PTX_TEX_CLAMP, PTX_TEX_CLAMP}}};
}

static void set_address(struct tex_case *c, unsigned mode) {
  memset(c->desc.address, (int)mode, sizeof c->desc.address);
}

static void set_border(struct tex_case *c) {
  static const float border[4] = {0.25f, -0.5f, 2.0f, 1000.0f};
  memcpy(c->desc.border, border, sizeof border);
}

/* Every format with every read mode and filter that it has. */
static void add_formats(struct list *l) {
  for (unsigned g = 0; g < 3; g++)
    for (unsigned f = 0; f < N_FORMATS; f++)
      for (unsigned read = 0; read < 2; read++)
        for (unsigned filter = 0; filter < 2; filter++) {
          struct tex_case c = base(&geometries[g], f);
          bool is_float = formats[f].kind == PTX_CHANNEL_FLOAT;
          if (read && (is_float || formats[f].bits == 32)) continue;
          if (filter && !read && !is_float) continue;
          c.desc.read = (uint8_t)read;
          c.desc.filter = (uint8_t)filter;
          add(l, c, ".%s.v4.%s.f32", geometries[g].name, result_of(&c.desc));
        }
}

/* Address modes, filters, normalised coordinates, in every geometry. */
static void add_addresses(struct list *l) {
  static const unsigned some[] = {F32X1, U8X4};
  for (unsigned g = 0; g < N_GEOMETRIES; g++)
    for (unsigned k = 0; k < 2; k++)
      for (unsigned mode = 0; mode < 4; mode++)
        for (unsigned norm = 0; norm < 2; norm++)
          for (unsigned filter = 0; filter < 2; filter++)
            for (unsigned edge = 0; edge < (mode == PTX_TEX_BORDER ? 2u : 1u); edge++) {
              struct tex_case c = base(&geometries[g], some[k]);
              c.desc.read = k == 1;
              c.desc.filter = (uint8_t)filter;
              c.desc.is_normalised = norm;
              set_address(&c, mode);
              if (edge) set_border(&c);
              add(l, c, ".%s.v4.f32.f32", geometries[g].name);
            }
  /* A mode of its own for each coordinate, sizes that are powers of two, a single texel. */
  for (unsigned k = 0; k < 8; k++) {
    struct tex_case c = base(&geometries[2], F32X1);
    for (unsigned a = 0; a < 3; a++)
      c.desc.address[a] = (uint8_t)((k + a) % 4);
    c.desc.is_normalised = true;
    c.desc.filter = (uint8_t)(k / 4);
    add(l, c, ".3d.v4.f32.f32");
    c = base(&geometries[1], F32X1);
    c.desc.texels.width = k % 2 ? 1 : 16;
    c.desc.texels.height = k % 2 ? 1 : 8;
    set_address(&c, k / 2);
    c.desc.is_normalised = true;
    add(l, c, ".2d.v4.f32.f32");
    c.desc.filter = PTX_TEX_LINEAR;
    add(l, c, ".2d.v4.f32.f32");
  }
  /* Borders of textures that give integers. */
  for (unsigned f = 0; f < 18; f++) {
    struct tex_case c = base(&geometries[1], f);
    set_address(&c, PTX_TEX_BORDER);
    set_border(&c);
    add(l, c, ".2d.v4.%s.f32", result_of(&c.desc));
  }
}

/* Fetches from linear memory, by index, and 2D with a pitch. */
static void add_linear(struct list *l) {
  for (unsigned f = 0; f < N_FORMATS; f++)
    for (unsigned read = 0; read < 2; read++) {
      struct tex_case c = base(&geometries[0], f);
      if (read && (formats[f].kind == PTX_CHANNEL_FLOAT || formats[f].bits == 32)) continue;
      c.desc.read = (uint8_t)read;
      c.desc.texels.is_buffer = true;
      c.desc.texels.width = 37;
      c.is_integer = true;
      add(l, c, ".1d.v4.%s.s32", result_of(&c.desc));
      c = base(&geometries[1], f);
      c.desc.read = (uint8_t)read;
      c.is_pitched = true;
      if (formats[f].kind == PTX_CHANNEL_FLOAT || read) c.desc.filter = PTX_TEX_LINEAR;
      add(l, c, ".2d.v4.%s.f32", result_of(&c.desc));
    }
  struct tex_case c = base(&geometries[0], F32X1);
  c.desc.texels.is_buffer = true;
  c.desc.texels.width = 37;
  add(l, c, ".1d.v4.f32.f32");
  set_address(&c, PTX_TEX_BORDER);
  set_border(&c);
  add(l, c, ".1d.v4.f32.f32");
  c.is_integer = true;
  add(l, c, ".1d.v4.f32.s32");
}

/* Integer coordinates for arrays, in every address mode; other result types than the texels'. */
static void add_integer(struct list *l) {
  for (unsigned g = 0; g < 5; g++)
    for (unsigned mode = 0; mode < 4; mode++)
      for (unsigned norm = 0; norm < 2; norm++) {
        struct tex_case c = base(&geometries[g], F32X1);
        c.is_integer = true;
        c.desc.is_normalised = norm;
        set_address(&c, mode);
        if (mode == PTX_TEX_BORDER) set_border(&c);
        add(l, c, ".%s.v4.f32.s32", geometries[g].name);
        c.desc.filter = PTX_TEX_LINEAR;
        add(l, c, ".%s.v4.f32.s32", geometries[g].name);
      }
  static const char *const types[] = {"f32", "s32", "u32"};
  for (unsigned f = 0; f < N_FORMATS; f += 5)
    for (unsigned t = 0; t < 3; t++) {
      struct tex_case c = base(&geometries[1], f);
      add(l, c, ".2d.v4.%s.f32", types[t]);
      if (formats[f].bits == 32 || formats[f].kind == PTX_CHANNEL_FLOAT) continue;
      c.desc.read = PTX_TEX_NORMALISED_FLOAT;
      add(l, c, ".2d.v4.%s.f32", types[t]);
    }
}

/* Explicit levels and gradients of textures with one level; offsets. */
static void add_levels(struct list *l) {
  for (unsigned g = 0; g < N_GEOMETRIES; g++)
    for (unsigned filter = 0; filter < 2; filter++)
      for (unsigned norm = 0; norm < 2; norm++) {
        struct tex_case c = base(&geometries[g], F32X1);
        c.desc.filter = (uint8_t)filter;
        c.desc.is_normalised = norm;
        c.op = TEX_LEVEL;
        add(l, c, ".level.%s.v4.f32.f32", geometries[g].name);
        c.op = TEX_GRAD;
        add(l, c, ".grad.%s.v4.f32.f32", geometries[g].name);
        if (geometries[g].dim == PTX_TEX_CUBE) continue;
        c.op = TEX_OFFSET;
        add(l, c, ".%s.v4.f32.f32", geometries[g].name);
        set_address(&c, PTX_TEX_WRAP);
        add(l, c, ".%s.v4.f32.f32", geometries[g].name);
      }
}

static void add_gathers(struct list *l) {
  static const unsigned some[] = {F32X4, U8X4, F16X2, U32X1, 9};
  static const unsigned where[] = {1, 4, 5, 6};
  for (unsigned g = 0; g < 4; g++)
    for (unsigned k = 0; k < 5; k++)
      for (unsigned part = 0; part < 4; part++)
        for (unsigned read = 0; read < 2; read++) {
          struct tex_case c = base(&geometries[where[g]], some[k]);
          if (read &&
              (c.desc.texels.texel.kind == PTX_CHANNEL_FLOAT || c.desc.texels.texel.bits == 32))
            continue;
          if (g > 0 && part % 2) continue;
          c.op = TEX_TLD4;
          c.desc.read = (uint8_t)read;
          c.desc.is_normalised = part / 2;
          set_address(&c, (k + part) % 4);
          c.desc.filter = (c.desc.texels.texel.kind == PTX_CHANNEL_FLOAT || read) && part == 1;
          add(l, c, ".%c.%s.v4.%s.f32", "rgba"[part], geometries[where[g]].name,
              result_of(&c.desc));
        }
}

/* Small steps, to find out how weights and sums are rounded. */
static void add_sweeps(struct list *l) {
  static const unsigned some[] = {F32X1, 18, 0, 3, 6, 9};
  for (unsigned g = 0; g < 3; g++)
    for (unsigned k = 0; k < 6; k++)
      for (unsigned norm = 0; norm < 2; norm++) {
        struct tex_case c = base(&geometries[g], some[k]);
        c.coords = TEX_SWEEP;
        c.n = 128;
        c.desc.filter = PTX_TEX_LINEAR;
        c.desc.read = c.desc.texels.texel.kind != PTX_CHANNEL_FLOAT;
        c.desc.is_normalised = norm;
        add(l, c, ".%s.v4.f32.f32", geometries[g].name);
      }
}

static void add_specials(struct list *l) {
  for (unsigned g = 0; g < 3; g++)
    for (unsigned f = 18; f < N_FORMATS; f++) {
      struct tex_case c = base(&geometries[g], f);
      c.has_specials = true;
      c.desc.filter = PTX_TEX_LINEAR;
      add(l, c, ".%s.v4.f32.f32", geometries[g].name);
    }
}

/* Large ones: does the precision of coordinates depend on the size? */
static void add_large(struct list *l) {
  static const uint32_t sizes[][2] = {{1000, 3}, {4096, 2}, {20000, 1},
                                      {3, 777},  {64, 64},  {131072, 1}};
  for (unsigned k = 0; k < 6; k++)
    for (unsigned mode = 0; mode < 4; mode++)
      for (unsigned filter = 0; filter < 2; filter++)
        for (unsigned norm = 0; norm < 2; norm++) {
          struct tex_case c = base(&geometries[1], k % 2 ? F32X1 : 6);
          c.desc.texels.width = sizes[k][0];
          c.desc.texels.height = sizes[k][1];
          c.desc.is_normalised = norm;
          c.desc.filter = (uint8_t)filter;
          c.desc.read = k % 2 == 0;
          set_address(&c, mode);
          if (!norm && mode != PTX_TEX_CLAMP && mode != PTX_TEX_BORDER) continue;
          add(l, c, ".2d.v4.f32.f32");
        }
}

static void add_larger(struct list *l) {
  static const uint32_t sizes[][3] = {
      {5000, 2, 0},  {8192, 2, 0},  {10000, 2, 0}, {16384, 2, 0},  {16385, 2, 0}, {24000, 2, 0},
      {32768, 2, 0}, {32769, 2, 0}, {50000, 2, 0}, {65536, 2, 0},  {65537, 2, 0}, {100000, 2, 0},
      {2, 16384, 0}, {2, 16385, 0}, {2, 30000, 0}, {2, 32768, 0},  {2, 32769, 0}, {2, 65000, 0},
      {2, 2, 16384}, {2, 16384, 2}, {16384, 2, 2}, {20000, 300, 0}};
  for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (unsigned filter = 0; filter < 2; filter++) {
      struct tex_case c = base(&geometries[sizes[k][2] ? 2 : 1], 6);
      c.desc.texels.width = sizes[k][0];
      c.desc.texels.height = sizes[k][1];
      c.desc.texels.depth = sizes[k][2];
      c.desc.is_normalised = true;
      c.desc.filter = (uint8_t)filter;
      c.desc.read = PTX_TEX_NORMALISED_FLOAT;
      set_address(&c, PTX_TEX_WRAP);
      add(l, c, ".%s.v4.f32.f32", sizes[k][2] ? "3d" : "2d");
      if (sizes[k][2] || sizes[k][1] > 2 || sizes[k][0] > 131072) continue;
      c.desc.texels.dim = PTX_TEX_1D;
      c.desc.texels.height = 0;
      add(l, c, ".1d.v4.f32.f32");
      if (sizes[k][0] > 32768) continue;
      c.desc.texels.is_layered = true;
      c.desc.texels.layers = 2;
      add(l, c, ".a1d.v4.f32.f32");
    }
}

/* Many samples of what is mixed: weights and exponents of all kinds. */
static void add_mixes(struct list *l) {
  static const unsigned some[] = {F32X4, 20, 5, U8X4};
  for (unsigned g = 0; g < 7; g++)
    for (unsigned k = 0; k < 4; k++) {
      struct tex_case c = base(&geometries[g], some[k]);
      c.n = 128;
      c.desc.filter = PTX_TEX_LINEAR;
      c.desc.read = c.desc.texels.texel.kind != PTX_CHANNEL_FLOAT;
      c.desc.is_normalised = true;
      set_address(&c, g % 2 ? PTX_TEX_WRAP : PTX_TEX_MIRROR);
      c.has_specials = k < 2;
      add(l, c, ".%s.v4.f32.f32", geometries[g].name);
    }
}

static void add_queries(struct list *l) {
  static const char *const tex[] = {"width",
                                    "height",
                                    "depth",
                                    "array_size",
                                    "channel_data_type",
                                    "channel_order",
                                    "normalized_coords",
                                    "num_mipmap_levels",
                                    "num_samples",
                                    "filter_mode",
                                    "addr_mode_0",
                                    "addr_mode_1",
                                    "addr_mode_2",
                                    "force_unnormalized_coords"};
  static const char *const surf[] = {
      "width",         "height",       "depth", "array_size", "channel_data_type",
      "channel_order", "memory_layout"};
  for (unsigned g = 0; g < N_GEOMETRIES; g++)
    for (unsigned k = 0; k < 14; k++) {
      struct tex_case c = base(&geometries[g], U8X4);
      c.op = TEX_TXQ;
      c.n = TEX_CASE_THREADS;
      c.desc.is_normalised = g % 2;
      add(l, c, ".%s.b32", tex[k]);
      if (k >= 3 && k < 7 && g == 1)
        for (unsigned f = 0; f < N_FORMATS; f++) {
          c.desc.texels.texel = formats[f];
          c.desc.read = f < 12 && f % 2;
          add(l, c, ".%s.b32", tex[k]);
        }
      if (k >= 7) continue;
      c = base(&geometries[g], g % 2 ? F32X1 : U8X4);
      c.op = TEX_SUQ;
      c.n = TEX_CASE_THREADS;
      add(l, c, ".%s.b32", surf[k]);
    }
}

/* Surfaces: x is a byte offset. Writes go to different places, so that the order does not matter.
 */
static void add_surfaces(struct list *l) {
  static const char *const vec[] = {"", ".v2", ".v4"};
  static const unsigned format_of[] = {0, 1, 2, 12, 13, 14}; /* texels of 1 2 4 4 8 16 bytes */
  for (unsigned g = 0; g < 5; g++)
    for (unsigned bits = 8; bits <= 64; bits *= 2)
      for (unsigned v = 0; v < 3; v++) {
        unsigned bytes = bits / 8 << v, f = 0;
        if (bytes > 16) continue;
        while (ptx_texel_bytes(formats[format_of[f]]) != bytes)
          f++;
        for (unsigned clamp = 0; clamp < 2; clamp++) {
          struct tex_case c = base(&geometries[g], format_of[f]);
          const char *mode = clamp ? "clamp" : "zero";
          c.is_integer = true;
          c.op = TEX_SULD;
          add(l, c, ".b.%s%s.b%u.%s", geometries[g].name, vec[v], bits, mode);
          c.op = TEX_SUST;
          add(l, c, ".b.%s%s.b%u.%s", geometries[g].name, vec[v], bits, mode);
        }
      }
  for (unsigned g = 0; g < 5; g++)
    for (unsigned clamp = 0; clamp < 2; clamp++) {
      static const char *const ops[][2] = {{"add", "u32"}, {"min", "u32"}, {"max", "u32"},
                                           {"min", "s32"}, {"max", "s32"}, {"and", "b32"},
                                           {"or", "b32"},  {"add", "u64"}};
      const char *name = geometries[g].name, *mode = clamp ? "clamp" : "zero";
      for (unsigned k = 0; g < 3 && k < 8; k++) {
        struct tex_case c = base(&geometries[g], k == 7 ? 13 : U32X1);
        c.op = TEX_SURED;
        c.is_integer = true;
        add(l, c, ".b.%s.%s.%s.%s", ops[k][0], name, ops[k][1], mode);
        if (k == 0) add(l, c, ".p.%s.%s.b32.%s", ops[k][0], name, mode);
      }
      for (unsigned f = 0; f < N_FORMATS; f += 3) {
        struct tex_case c = base(&geometries[g], f + f / 3 % 3);
        c.op = TEX_SUST;
        c.is_integer = true;
        add(l, c, ".p.%s.v4.b32.%s", name, mode);
      }
    }
}

struct tex_case *tex_cases(size_t *n) {
  struct list l = {0};
  add_formats(&l);
  add_addresses(&l);
  add_linear(&l);
  add_integer(&l);
  add_levels(&l);
  add_gathers(&l);
  add_sweeps(&l);
  add_specials(&l);
  add_queries(&l);
  add_surfaces(&l);
  add_large(&l);
  add_mixes(&l);
  add_larger(&l);
  *n = l.n;
  if (!l.is_failed) return l.v;
  tex_cases_free(l.v, l.n);
  return NULL;
}

void tex_cases_free(struct tex_case *cases, size_t n) {
  for (size_t i = 0; i < n; i++)
    free((char *)(uintptr_t)cases[i].mods);
  free(cases);
}

/* ---- kernels ---- */

static bool is_surface(const struct tex_case *c) {
  return c->op >= TEX_SULD;
}

bool tex_case_writes(const struct tex_case *c) {
  return c->op == TEX_SUST || c->op == TEX_SURED;
}

/* The coordinate vector as the instruction wants it; registers %c0.. hold them in the order x, y,
 * z, layer. */
static const char *coordinates(const struct tex_case *c) {
  const struct ptx_texels *t = &c->desc.texels;
  static const char *const f[] = {"{%f0}",     "{%f0, %f1}",          "{%f0, %f1, %f2, %f2}",
                                  "{%l, %f0}", "{%l, %f0, %f1, %f1}", "{%l, %f0, %f1, %f2}"};
  static const char *const s[] = {"{%x0}",     "{%x0, %x1}",          "{%x0, %x1, %x2, %x2}",
                                  "{%l, %x0}", "{%l, %x0, %x1, %x1}", "{%l, %x0, %x1, %x2}"};
  unsigned k = t->dim == PTX_TEX_1D ? 0 : t->dim == PTX_TEX_2D ? 1 : 2;
  return (c->is_integer ? s : f)[k + (t->is_layered ? 3 : 0)];
}

static const char *gradients(const struct tex_case *c) {
  return c->desc.texels.dim == PTX_TEX_1D   ? "{%g0}, {%g1}"
         : c->desc.texels.dim == PTX_TEX_2D ? "{%g0, %g1}, {%g1, %g2}"
                                            : "{%g0, %g1, %g2, %g2}, {%g1, %g2, %g0, %g0}";
}

static const char *offsets(const struct tex_case *c) {
  return c->desc.texels.dim == PTX_TEX_1D   ? "{3}"
         : c->desc.texels.dim == PTX_TEX_2D ? "{-2, 5}"
                                            : "{7, -8, 1, 0}";
}

/* What a surface instruction moves: registers of its size. */
static void data_of(const char *mods, char data[64], unsigned *bits, unsigned *n) {
  const char *b = strstr(mods, ".b8.");
  *bits = b ? 8 : strstr(mods, ".b16.") ? 16 : strstr(mods, "64.") ? 64 : 32;
  *n = strstr(mods, ".v4") ? 4 : strstr(mods, ".v2") ? 2 : 1;
  const char *r = *bits == 8 || *bits == 16 ? "h" : *bits == 64 ? "d" : "r";
  if (*n == 1)
    snprintf(data, 64, "%%%s0", r);
  else if (*n == 2)
    snprintf(data, 64, "{%%%s0, %%%s1}", r, r);
  else
    snprintf(data, 64, "{%%%s0, %%%s1, %%%s2, %%%s3}", r, r, r, r);
}

static void instruction(const struct tex_case *c, char *s, size_t len) {
  static const char *const names[] = {"tex", "tex",  "tex",  "tex",   "tld4",
                                      "txq", "suld", "sust", "sured", "suq"};
  char data[64];
  unsigned bits, n;
  int at = snprintf(s, len, "  %s%s ", names[c->op], c->mods);
  s += at, len -= (size_t)at;
  switch (c->op) {
  case TEX_TXQ:
  case TEX_SUQ:
    snprintf(s, len, "%%r0, [%%obj];\n");
    break;
  case TEX_SULD:
    data_of(c->mods, data, &bits, &n);
    snprintf(s, len, "%s, [%%obj, %s];\n", data, coordinates(c));
    break;
  case TEX_SUST:
  case TEX_SURED:
    data_of(c->mods, data, &bits, &n);
    snprintf(s, len, "[%%obj, %s], %s;\n", coordinates(c), data);
    break;
  default:
    snprintf(s, len, "{%%r0, %%r1, %%r2, %%r3}, [%%obj, %s]%s%s;\n", coordinates(c),
             c->op == TEX_LEVEL    ? ", "
             : c->op == TEX_GRAD   ? ", "
             : c->op == TEX_OFFSET ? ", "
                                   : "",
             c->op == TEX_LEVEL    ? "%g0"
             : c->op == TEX_GRAD   ? gradients(c)
             : c->op == TEX_OFFSET ? offsets(c)
                                   : "");
    break;
  }
}

void tex_case_text(const struct tex_case *c, char text[TEX_MAX_TEXT]) {
  char insn[300], data[64];
  unsigned bits = 32, n = 1;
  instruction(c, insn, sizeof insn);
  if (is_surface(c)) data_of(c->mods, data, &bits, &n);
  const char *get = "", *put = "";
  if (tex_case_writes(c) && bits < 32)
    get = "  cvt.u16.u32 %h0, %r0; cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2; cvt.u16.u32 %h3, "
          "%r3;\n";
  if (c->op == TEX_SULD && bits < 32)
    put = "  cvt.u32.u16 %r0, %h0; cvt.u32.u16 %r1, %h1; cvt.u32.u16 %r2, %h2; cvt.u32.u16 %r3, "
          "%h3;\n";
  if (tex_case_writes(c) && bits == 64)
    get = "  mov.b64 %d0, {%r0, %r1}; mov.b64 %d1, {%r2, %r3};\n";
  if (c->op == TEX_SULD && bits == 64)
    put = "  mov.b64 {%r0, %r1}, %d0; mov.b64 {%r2, %r3}, %d1;\n";
  snprintf(text, TEX_MAX_TEXT,
           ".version 8.0\n.target sm_90\n.address_size 64\n"
           ".visible .entry k(.param .u64 obj, .param .u64 in, .param .u64 out) {\n"
           "  .reg .b64 %%obj, %%in, %%out, %%at, %%d<4>;\n"
           "  .reg .b32 %%r<4>, %%x<3>, %%l, %%i, %%j, %%k;\n"
           "  .reg .b16 %%h<4>;\n"
           "  .reg .f32 %%f<3>, %%g<3>;\n"
           "  ld.param.u64 %%obj, [obj]; ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out];\n"
           "  mov.u32 %%i, %%tid.x; mov.u32 %%j, %%ctaid.x; mov.u32 %%k, %%ntid.x;\n"
           "  mad.lo.u32 %%i, %%j, %%k, %%i;\n"
           "  mul.wide.u32 %%at, %%i, 32; add.u64 %%in, %%in, %%at;\n"
           "  mul.wide.u32 %%at, %%i, 16; add.u64 %%out, %%out, %%at;\n"
           "  ld.global.v4.b32 {%%x0, %%x1, %%x2, %%l}, [%%in];\n"
           "  ld.global.v4.b32 {%%r0, %%r1, %%r2, %%r3}, [%%in + 16];\n"
           "  mov.u16 %%h0, 0; mov.u16 %%h1, 0; mov.u16 %%h2, 0; mov.u16 %%h3, 0;\n"
           "  mov.u64 %%d0, 0; mov.u64 %%d1, 0;\n"
           "  mov.b32 %%f0, %%x0; mov.b32 %%f1, %%x1; mov.b32 %%f2, %%x2;\n"
           "  mov.b32 %%g0, %%r0; mov.b32 %%g1, %%r1; mov.b32 %%g2, %%r2;\n"
           "%s%s%s"
           "  st.global.v4.b32 [%%out], {%%r0, %%r1, %%r2, %%r3};\n"
           "  ret;\n}\n",
           get, insn, put);
}

/* ---- operands ---- */

static float from_bits(uint32_t b) {
  float f;
  memcpy(&f, &b, sizeof f);
  return f;
}

static uint32_t bits_of(float f) {
  uint32_t b;
  memcpy(&b, &f, sizeof b);
  return b;
}

/* A coordinate along an axis of n texels, in texels. */
static float any_coordinate(uint64_t seed, uint32_t n) {
  static const uint32_t special[] = {0x7fc00000, 0xffc00000, 0x7f800000, 0xff800000, 0x00000000,
                                     0x80000000, 0x00000001, 0x80000001, 0x501502f9, 0xd01502f9,
                                     0x60ad78ec, 0x7149f2ca, 0xf149f2ca, 0x4f000000, 0xcf000000,
                                     0x4b800000, 0x4b7fffff, 0xcb800000, 0x3effffff, 0x3f000001,
                                     0x7f7fffff, 0xff7fffff, 0x7f800001, 0x00800000};
  uint32_t h = (uint32_t)(weir_splitmix64(seed) >> 32),
           k = (uint32_t)weir_splitmix64(seed ^ 0x5555);
  float around = (float)((int)(k % (5 * n)) - 2 * (int)n);
  switch (h % 16) {
  case 0:
    return from_bits(special[k % (sizeof special / sizeof *special)]);
  case 1:
  case 2:
    return around;
  case 3:
    return around + 0.5f;
  case 4:
    return nextafterf(around, h & 16 ? 1e9f : -1e9f);
  case 5:
    return around + (float)(h >> 16 & 255) / 256.0f;
  case 6:
    return around + (float)(h >> 16 & 255) / 256.0f + 1.0f / 512;
  case 7:
    return nextafterf(around + (float)(h >> 16 & 255) / 256.0f + 1.0f / 512,
                      h & 256 ? 1e9f : -1e9f);
  case 8:
  case 9:
    return around + (float)(h >> 8) / 16777216.0f;
  default:
    return (float)n * (float)(k >> 8) / 16777216.0f;
  }
}

static float component(const struct tex_case *c, size_t index, uint32_t i, unsigned axis) {
  const struct ptx_texels *t = &c->desc.texels;
  uint32_t size = axis == 0 ? t->width : axis == 1 ? t->height : t->depth;
  uint64_t seed = ((uint64_t)index << 32 | i) * 4 + axis;
  float v;
  size = size ? size : 1;
  if (c->coords == TEX_DIRECTION) {
    uint32_t h = weir_hash32(77, seed);
    v = h % 8 == 0   ? any_coordinate(seed, 3)
        : h % 8 == 1 ? (float)((int)(h >> 8 & 3) - 1)
                     : (float)(int)weir_hash32(78, seed) / 2147483648.0f;
    return v;
  }
  if (c->coords == TEX_SWEEP)
    v = axis == 0 ? 0.5f + (float)(i * 7 + weir_hash32(5, seed) % 7) / 1024.0f
                  : 0.5f + (float)weir_hash32(9, seed) / 4294967296.0f * (float)(size - 1);
  else
    v = any_coordinate(seed, size);
  return c->desc.is_normalised ? v / (float)size : v;
}

static int32_t integer(const struct tex_case *c, size_t index, uint32_t i, unsigned axis) {
  const struct ptx_texels *t = &c->desc.texels;
  uint32_t size = axis == 0 ? t->width : axis == 1 ? t->height : t->depth;
  uint32_t h = weir_hash32(3 + axis, (uint64_t)index << 32 | i);
  size = size ? size : 1;
  if (h % 16 == 0) return (int32_t)weir_hash32(99, h);
  if (h % 16 == 1) return h & 16 ? INT32_MIN : INT32_MAX;
  if (h % 4 == 2) return (int32_t)((h >> 8) % (5 * size)) - 2 * (int32_t)size;
  return (int32_t)((h >> 8) % size);
}

/* Threads that write: thread i writes the i-th element of the array, those beyond write outside. */
static void write_place(const struct tex_case *c, uint32_t i, uint32_t x[4]) {
  const struct ptx_texels *t = &c->desc.texels;
  uint32_t w = t->width, h = t->height ? t->height : 1, d = t->depth ? t->depth : 1;
  uint32_t place = c->op == TEX_SURED ? i * 5 / 2 : i * 5 % 131;
  bool is_clamped = strstr(c->mods, "clamp") != NULL;
  x[0] = place % w, x[1] = place / w % h, x[2] = place / w / h % d;
  x[3] = t->is_layered ? place / w / h % t->layers : 0;
  uint32_t n = w * h * d * (t->is_layered ? t->layers : 1);
  if (place < n || c->op == TEX_SURED) {
    if (c->op == TEX_SURED && i % 8 == 7) x[i / 8 % 3] = i % 16 == 7 ? (uint32_t)-1 - i : w + i;
    return;
  }
  if (is_clamped)
    x[0] = 0, x[1] = 0, x[2] = 0, x[3] = 0; /* all write the same */
  else
    x[i % 3 == 0 ? 0 : 0] = i & 1 ? w + i : (uint32_t)-3 - i;
}

/* Values near the limits of a channel, and beyond. */
static uint32_t formatted_operand(struct ptx_texel x, uint32_t v) {
  static const float some[] = {65504, 65520, INFINITY, 1e9f, 6.1e-5f, 5.96e-8f, NAN, 3e-8f};
  if (x.kind == PTX_CHANNEL_FLOAT) {
    float f = (float)(int)v / (v % 4 == 0 ? 1e9f : v % 4 == 1 ? 1e5f : 3e13f);
    return v % 16 == 2   ? bits_of(some[v >> 8 & 7]) | (v & 0x80000000)
           : v % 16 == 3 ? v
                         : bits_of(f);
  }
  int64_t most = x.bits == 32 ? UINT32_MAX : (INT64_C(1) << x.bits) - 1;
  return v % 8 == 0 ? v : (uint32_t)((int64_t)(v >> 3) % (2 * most) - most / 2);
}

void tex_case_operands(const struct tex_case *c, size_t index, uint8_t *in) {
  const struct ptx_texels *t = &c->desc.texels;
  unsigned bytes = ptx_texel_bytes(t->texel);
  for (uint32_t i = 0; i < c->n; i++, in += TEX_IN_BYTES) {
    uint32_t x[8] = {0};
    uint64_t id = (uint64_t)index << 32 | i;
    for (unsigned a = 0; a < 3; a++)
      x[a] = c->is_integer ? (uint32_t)integer(c, index, i, a) : bits_of(component(c, index, i, a));
    uint32_t h = weir_hash32(1234, id);
    x[3] = h % 16 == 0 ? weir_hash32(4, id) : h % 16 == 1 ? (uint32_t)-1 : (h >> 8) % 4;
    for (unsigned k = 0; k < 4; k++)
      x[4 + k] = c->op == TEX_LEVEL || c->op == TEX_GRAD
                     ? bits_of((float)((int)(weir_hash32(k, id) >> 8) - 8388608) / 1048576.0f)
                     : weir_hash32(50 + k, id);
    if (tex_case_writes(c)) {
      write_place(c, i, x);
      if (x[0] == 0 && x[1] == 0 && x[2] == 0 && x[3] == 0 && c->op == TEX_SUST)
        x[4] = x[5] = x[6] = x[7] = 0x01020304;
    }
    if (c->op == TEX_SUST && strncmp(c->mods, ".p", 2) == 0)
      for (unsigned k = 0; k < 4; k++)
        x[4 + k] = formatted_operand(t->texel, x[4 + k]);
    if (is_surface(c) && strncmp(c->mods, ".b", 2) == 0) x[0] *= bytes;
    memcpy(in, x, sizeof x);
  }
}

/* ---- texels ---- */

static size_t texel_count(const struct tex_case *c) {
  const struct ptx_texels *t = &c->desc.texels;
  return (size_t)t->width * (t->height ? t->height : 1) * ptx_texels_slices(t);
}

size_t tex_case_texel_bytes(const struct tex_case *c) {
  return texel_count(c) * ptx_texel_bytes(c->desc.texels.texel);
}

size_t tex_case_result_bytes(const struct tex_case *c) {
  return tex_case_writes(c) ? tex_case_texel_bytes(c) : (size_t)c->n * TEX_OUT_BYTES;
}

static bool takes_any(const struct tex_case *c) {
  return c->desc.filter == PTX_TEX_POINT || c->has_specials;
}

static uint32_t channel_bits(const struct tex_case *c, uint32_t i) {
  struct ptx_texel x = c->desc.texels.texel;
  uint32_t h = weir_hash32(2024, i);
  if (x.kind != PTX_CHANNEL_FLOAT) {
    uint32_t most = x.bits == 32 ? UINT32_MAX : (1u << x.bits) - 1;
    return h % 8 == 0   ? 0
           : h % 8 == 1 ? most
           : h % 8 == 2 ? most / 2
           : h % 8 == 3 ? most / 2 + 1
                        : h >> 3 & most;
  }
  if (x.bits == 16) /* finite halves; a few special ones where nothing is filtered */
    return takes_any(c) && h % 8 == 0 ? h >> 8 & 0xffff
           : h % 4 == 1               ? h >> 8 & 0x83ff
                                      : 0x3000 | (h >> 8 & 0x8fff);
  static const uint32_t special[] = {0x7f800000, 0xff800000, 0x7fc12345, 0xffa00001,
                                     0x00000001, 0x7f7fffff, 0x80000000, 0x00400000};
  if (takes_any(c) && h % 16 == 4) return special[h >> 8 & 7];
  if (takes_any(c) && h % 4 == 0) return weir_hash32(2025, i);
  if (h % 8 == 1) return bits_of((float)(int)h * 1e-30f);
  return bits_of((float)(int)h / 1073741824.0f);
}

void tex_case_texels(const struct tex_case *c, uint8_t *texels) {
  struct ptx_texel x = c->desc.texels.texel;
  size_t n = texel_count(c) * x.channels;
  for (size_t i = 0; i < n; i++) {
    uint32_t v = channel_bits(c, (uint32_t)i);
    memcpy(texels + i * (x.bits / 8u), &v, x.bits / 8u);
  }
}
