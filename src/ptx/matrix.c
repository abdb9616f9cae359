/* The arithmetic of matrix instructions, and matrices between registers and memory. */
#include "ptx/matrix.h"

#include <string.h>

#include "ptx/fp.h"

enum { LANES = 32 };

/* ---- elements ---- */

static uint64_t get(const struct ptx_frag *f, const uint32_t *at, const uint8_t *reg, unsigned lane,
                    unsigned e) {
  if (f->reg_bytes == 8) {
    uint64_t v;
    memcpy(&v, reg + at[e] + 8 * (size_t)lane, sizeof v);
    return v;
  }
  unsigned p = ptx_frag_per_register(f);
  uint32_t v;
  memcpy(&v, reg + at[e / p] + 4 * (size_t)lane, sizeof v);
  return p == 1 ? v : v >> (e % p * f->bits) & ((1u << f->bits) - 1);
}

static void put(const struct ptx_frag *f, const uint32_t *at, uint8_t *reg, unsigned lane,
                unsigned e, uint64_t value) {
  if (f->reg_bytes == 8) {
    memcpy(reg + at[e] + 8 * (size_t)lane, &value, sizeof value);
    return;
  }
  unsigned p = ptx_frag_per_register(f), shift = e % p * f->bits;
  uint32_t v, mask = p == 1 ? UINT32_MAX : ((1u << f->bits) - 1) << shift;
  uint8_t *where = reg + at[e / p] + 4 * (size_t)lane;
  memcpy(&v, where, sizeof v);
  v = (v & ~mask) | ((uint32_t)value << shift & mask);
  memcpy(where, &v, sizeof v);
}

/* Lanes of one product: all, or the eight of a pair of quads. */
static bool takes_part(const struct ptx_frag *f, unsigned lane, unsigned quad) {
  return !f->is_quad || lane / 4 % 4 == quad;
}

/* A fragment as a matrix of raw elements, row by row. */
static void gather(const struct ptx_matrix *x, enum ptx_role role, const uint8_t *reg,
                   unsigned quad, uint64_t *m) {
  const struct ptx_frag *f = &x->frag[role];
  unsigned n = ptx_frag_elems(f), row, col;
  for (unsigned lane = 0; lane < LANES; lane++)
    for (unsigned e = 0; takes_part(f, lane, quad) && e < n; e++) {
      ptx_frag_place(f, lane, e, &row, &col);
      m[row * f->cols + col] = get(f, x->reg[role], reg, lane, e);
    }
}

static void scatter(const struct ptx_matrix *x, uint8_t *reg, uint32_t mask, unsigned quad,
                    const uint64_t *m) {
  const struct ptx_frag *f = &x->frag[PTX_FRAG_D];
  unsigned n = ptx_frag_elems(f), row, col;
  for (unsigned lane = 0; lane < LANES; lane++)
    for (unsigned e = 0; (mask >> lane & 1) && takes_part(f, lane, quad) && e < n; e++) {
      ptx_frag_place(f, lane, e, &row, &col);
      put(f, x->reg[PTX_FRAG_D], reg, lane, e, m[row * f->cols + col]);
    }
}

/* ---- arithmetic ---- */

static double to_double(uint64_t v, uint8_t elem) {
  float f;
  uint32_t w = (uint32_t)v;
  if (elem == PTX_E_F16 || elem == PTX_E_BF16)
    return ptx_half_value((uint16_t)v, elem == PTX_E_BF16);
  if (elem == PTX_E_TF32) w &= 0xffffe000u; /* only its 19 bits are read */
  memcpy(&f, &w, sizeof f);
  return (double)f;
}

static uint64_t from_double(double v, uint8_t elem) {
  if (elem == PTX_E_F16) return ptx_half_round(v, false);
  float f = (float)v;
  uint32_t w;
  memcpy(&w, &f, sizeof w);
  return ptx_f32_is_nan(w) ? PTX_F32_NAN : w;
}

static int64_t to_int(uint64_t v, uint8_t elem) {
  switch ((enum ptx_elem)elem) {
  case PTX_E_S8:
    return (int8_t)v;
  case PTX_E_S4:
    return (int64_t)(v << 60) >> 60;
  case PTX_E_S32:
    return (int32_t)v;
  default:
    return (int64_t)v;
  }
}

struct operands {
  uint64_t a[PTX_MATRIX_MOST], b[PTX_MATRIX_MOST], c[PTX_MATRIX_MOST];
  unsigned m, n, k;
};

static void multiply_floats(const struct ptx_matrix *x, struct operands *o) {
  double a[PTX_MATRIX_MOST], b[PTX_MATRIX_MOST];
  uint8_t ae = x->frag[PTX_FRAG_A].elem, be = x->frag[PTX_FRAG_B].elem;
  for (unsigned i = 0; i < o->m * o->k; i++)
    a[i] = to_double(o->a[i], ae);
  for (unsigned i = 0; i < o->k * o->n; i++)
    b[i] = to_double(o->b[i], be);
  for (unsigned row = 0; row < o->m; row++)
    for (unsigned col = 0; col < o->n; col++) {
      uint64_t *d = &o->c[row * o->n + col];
      double sum = to_double(*d, x->frag[PTX_FRAG_C].elem);
      for (unsigned i = 0; i < o->k; i++)
        sum += a[row * o->k + i] * b[i * o->n + col];
      *d = from_double(sum, x->frag[PTX_FRAG_D].elem);
    }
}

/* Batches of 32 results, for the function that knows rounding modes. */
static void multiply_doubles(const struct ptx_matrix *x, struct operands *o) {
  const struct ptx_fpmode mode = {.rnd = x->rnd};
  for (unsigned at = 0; at < o->m * o->n; at += LANES)
    for (unsigned i = 0; i < o->k; i++) {
      uint64_t a[LANES], b[LANES];
      for (unsigned l = 0; l < LANES; l++) {
        a[l] = o->a[(at + l) / o->n * o->k + i];
        b[l] = o->b[i * o->n + (at + l) % o->n];
      }
      ptx_f64_fma(o->c + at, a, b, o->c + at, mode);
    }
}

static int64_t product(const struct ptx_matrix *x, uint64_t a, uint64_t b) {
  uint8_t ae = x->frag[PTX_FRAG_A].elem, be = x->frag[PTX_FRAG_B].elem;
  if (ae == PTX_E_B1) return __builtin_popcount((uint32_t)(x->is_and ? a & b : a ^ b));
  return to_int(a, ae) * to_int(b, be);
}

static void multiply_ints(const struct ptx_matrix *x, struct operands *o) {
  for (unsigned row = 0; row < o->m; row++)
    for (unsigned col = 0; col < o->n; col++) {
      int64_t sum = to_int(o->c[row * o->n + col], PTX_E_S32);
      for (unsigned i = 0; i < o->k; i++)
        sum += product(x, o->a[row * o->k + i], o->b[i * o->n + col]);
      if (x->satfinite) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
      o->c[row * o->n + col] = (uint32_t)sum;
    }
}

void ptx_matrix_mma(const struct ptx_matrix *x, uint8_t *reg, uint32_t mask) {
  struct operands o;
  const struct ptx_frag *d = &x->frag[PTX_FRAG_D];
  o.m = d->rows;
  o.n = d->cols;
  o.k = x->frag[PTX_FRAG_A].cols;
  for (unsigned quad = 0; quad < (d->is_quad ? 4u : 1u); quad++) {
    gather(x, PTX_FRAG_A, reg, quad, o.a);
    gather(x, PTX_FRAG_B, reg, quad, o.b);
    gather(x, PTX_FRAG_C, reg, quad, o.c);
    if (d->elem == PTX_E_F64)
      multiply_doubles(x, &o);
    else if (d->elem == PTX_E_S32)
      multiply_ints(x, &o);
    else
      multiply_floats(x, &o);
    scatter(x, reg, mask, quad, o.c);
  }
}

/* ---- memory ---- */

/* Byte and bit at which an element begins. */
static size_t element_bit(const struct ptx_matrix *x, const struct ptx_frag *f, unsigned lane,
                          unsigned e) {
  unsigned row, col;
  ptx_frag_place(f, lane, e, &row, &col);
  unsigned line = x->is_col ? col : row, at = x->is_col ? row : col;
  return 8 * (size_t)line * ptx_matrix_line(x, f) + (size_t)at * f->bits;
}

void ptx_matrix_take(const struct ptx_matrix *x, const struct ptx_frag *f, uint8_t *reg,
                     uint32_t mask, const uint8_t *bytes) {
  unsigned n = ptx_frag_elems(f), width = f->bits < 8 ? 1 : f->bits / 8u;
  for (unsigned lane = 0; lane < LANES; lane++)
    for (unsigned e = 0; (mask >> lane & 1) && e < n; e++) {
      size_t bit = element_bit(x, f, lane, e);
      uint64_t v = 0;
      memcpy(&v, bytes + bit / 8, width);
      put(f, x->reg[f->role], reg, lane, e, v >> bit % 8);
    }
}

void ptx_matrix_give(const struct ptx_matrix *x, const struct ptx_frag *f, const uint8_t *reg,
                     uint8_t *bytes) {
  unsigned n = ptx_frag_elems(f);
  for (unsigned lane = 0; lane < LANES; lane++)
    for (unsigned e = 0; e < n; e++) {
      uint64_t v = get(f, x->reg[f->role], reg, lane, e);
      memcpy(bytes + element_bit(x, f, lane, e) / 8, &v, f->bits / 8u);
    }
}
