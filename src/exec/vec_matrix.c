/* Products of matrices: fragments become matrices of numbers, these are multiplied, and the result
 * goes back into registers. */
#include "exec/vec.h"
#include "ptx/matrix.h"

/* Element e of all lanes, as bits. */
static inline void take_bits(const struct ptx_warp *w, const struct ptx_frag *f,
                             const uint32_t *reg, unsigned e, uint32_t *t) {
  unsigned p = ptx_frag_per_register(f), shift = e % p * f->bits;
  const uint32_t *r = REG(uint32_t, reg[e / p]);
  const uint32_t keep = f->bits == 32 ? UINT32_MAX : (1u << f->bits) - 1;
  EACH_LANE t[i] = r[i] >> shift & keep;
}

static inline void give_bits(struct ptx_warp *w, const struct ptx_frag *f, const uint32_t *reg,
                             unsigned e, uint32_t mask, const uint32_t *t) {
  unsigned p = ptx_frag_per_register(f), shift = e % p * f->bits;
  uint32_t *r = REG(uint32_t, reg[e / p]);
  const uint32_t keep = f->bits == 32 ? 0 : ~(((1u << f->bits) - 1) << shift);
  EACH_LANE r[i] = (mask >> i) & 1 ? (r[i] & keep) | t[i] << shift : r[i];
}

static inline float f32_of(uint32_t x) {
  float f;
  memcpy(&f, &x, sizeof f);
  return f;
}

/* ---- f16, bf16, tf32: in double precision ---- */

static void take_floats(const struct ptx_warp *w, const struct ptx_matrix *x, enum ptx_role role,
                        double *m) {
  const struct ptx_frag *f = &x->frag[role];
  uint32_t t[LANES] __attribute__((aligned(64)));
  double v[LANES] __attribute__((aligned(64)));
  for (unsigned e = 0; e < x->n_at[role]; e++) {
    const uint16_t *at = x->at[role] + (size_t)e * LANES;
    take_bits(w, f, x->reg[role], e, t);
    if (f->elem == PTX_E_F16)
      EACH_LANE v[i] = ptx_half_value((uint16_t)t[i], false);
    else if (f->elem == PTX_E_BF16)
      EACH_LANE v[i] = (double)f32_of(t[i] << 16);
    else if (f->elem == PTX_E_TF32)
      EACH_LANE v[i] = (double)f32_of(t[i] & 0xffffe000u); /* only its 19 bits are read */
    else
      EACH_LANE v[i] = (double)f32_of(t[i]);
    for (unsigned i = 0; i < LANES; i++)
      m[at[i]] = v[i];
  }
}

static void give_floats(struct ptx_warp *w, const struct ptx_matrix *x, uint32_t mask,
                        const double *m) {
  const struct ptx_frag *f = &x->frag[PTX_FRAG_D];
  for (unsigned e = 0; e < x->n_at[PTX_FRAG_D]; e++) {
    const uint16_t *at = x->at[PTX_FRAG_D] + (size_t)e * LANES;
    uint32_t t[LANES] __attribute__((aligned(64)));
    for (unsigned i = 0; i < LANES; i++) {
      const float r = (float)m[at[i]];
      memcpy(&t[i], &r, sizeof r);
      if (f->elem == PTX_E_F16)
        t[i] = ptx_half_round(m[at[i]], false);
      else if (ptx_f32_is_nan(t[i]))
        t[i] = PTX_F32_NAN;
    }
    give_bits(w, f, x->reg[PTX_FRAG_D], e, mask, t);
  }
}

/* C += A * B, by ascending k for every element; eight columns at a time. */
enum { BLOCK = 8 };
#define MULTIPLY(T, name)                                                                          \
  static void name(unsigned rows, unsigned cols, unsigned ks, const T *a, const T *b, T *c) {      \
    for (unsigned row = 0; row < rows; row++)                                                      \
      for (unsigned from = 0; from < cols; from += BLOCK) {                                        \
        T sum[BLOCK], *to = c + row * cols + from;                                                 \
        memcpy(sum, to, sizeof sum);                                                               \
        for (unsigned k = 0; k < ks; k++) {                                                        \
          const T x = a[row * ks + k], *y = b + k * cols + from;                                   \
          for (unsigned i = 0; i < BLOCK; i++)                                                     \
            sum[i] += x * y[i];                                                                    \
        }                                                                                          \
        memcpy(to, sum, sizeof sum);                                                               \
      }                                                                                            \
  }
MULTIPLY(double, multiply_floats)
MULTIPLY(int32_t, multiply_ints)

static void mma_floats(struct ptx_warp *w, const struct ptx_matrix *x, uint32_t mask) {
  double a[PTX_MATRIX_MOST], b[PTX_MATRIX_MOST], c[PTX_MATRIX_MOST];
  const struct ptx_frag *d = &x->frag[PTX_FRAG_D];
  unsigned m = d->rows, n = d->cols, k = x->frag[PTX_FRAG_A].cols;
  take_floats(w, x, PTX_FRAG_A, a);
  take_floats(w, x, PTX_FRAG_B, b);
  take_floats(w, x, PTX_FRAG_C, c);
  for (unsigned q = 0; q < (d->is_quad ? 4u : 1u); q++)
    multiply_floats(m, n, k, a + q * m * k, b + q * k * n, c + q * m * n);
  give_floats(w, x, mask, c);
}

/* ---- integers and bits ---- */

static void take_ints(const struct ptx_warp *w, const struct ptx_matrix *x, enum ptx_role role,
                      int32_t *m) {
  const struct ptx_frag *f = &x->frag[role];
  bool is_signed = f->elem == PTX_E_S8 || f->elem == PTX_E_S4;
  unsigned drop = is_signed ? 32u - f->bits : 0;
  uint32_t t[LANES] __attribute__((aligned(64)));
  for (unsigned e = 0; e < x->n_at[role]; e++) {
    const uint16_t *at = x->at[role] + (size_t)e * LANES;
    take_bits(w, f, x->reg[role], e, t);
    for (unsigned i = 0; i < LANES; i++)
      m[at[i]] = (int32_t)(t[i] << drop) >> drop;
  }
}

static void count_bits(const struct ptx_matrix *x, const int32_t *a, const int32_t *b,
                       int32_t *sum) {
  unsigned n = x->frag[PTX_FRAG_D].cols, ks = x->frag[PTX_FRAG_A].cols;
  for (unsigned i = 0; i < x->frag[PTX_FRAG_D].rows * n; i++)
    for (unsigned k = 0; k < ks; k++) {
      uint32_t p = (uint32_t)a[i / n * ks + k], q = (uint32_t)b[k * n + i % n];
      sum[i] += __builtin_popcount(x->is_and ? p & q : p ^ q);
    }
}

/* The products alone fit 32 bits; the accumulator need not. */
static void mma_ints(struct ptx_warp *w, const struct ptx_matrix *x, uint32_t mask) {
  int32_t a[PTX_MATRIX_MOST], b[PTX_MATRIX_MOST], sum[PTX_MATRIX_MOST] = {0};
  const struct ptx_frag *d = &x->frag[PTX_FRAG_D];
  take_ints(w, x, PTX_FRAG_A, a);
  take_ints(w, x, PTX_FRAG_B, b);
  if (x->frag[PTX_FRAG_A].elem == PTX_E_B1)
    count_bits(x, a, b, sum);
  else
    multiply_ints(d->rows, d->cols, x->frag[PTX_FRAG_A].cols, a, b, sum);
  for (unsigned e = 0; e < x->n_at[PTX_FRAG_D]; e++) {
    const uint16_t *at = x->at[PTX_FRAG_D] + (size_t)e * LANES;
    uint32_t t[LANES] __attribute__((aligned(64)));
    take_bits(w, &x->frag[PTX_FRAG_C], x->reg[PTX_FRAG_C], e, t);
    for (unsigned i = 0; i < LANES; i++) {
      int64_t v = (int64_t)(int32_t)t[i] + sum[at[i]];
      if (x->satfinite) v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
      t[i] = (uint32_t)v;
    }
    give_bits(w, d, x->reg[PTX_FRAG_D], e, mask, t);
  }
}

/* ---- f64: lane by lane through the function that knows rounding modes ---- */

static void mma_doubles(struct ptx_warp *w, const struct ptx_matrix *x, uint32_t mask) {
  uint64_t m[3][PTX_MATRIX_MOST], sum[PTX_FRAG_REGS][LANES] __attribute__((aligned(64)));
  const struct ptx_fpmode mode = {.rnd = x->rnd};
  unsigned n = x->frag[PTX_FRAG_D].cols, ks = x->frag[PTX_FRAG_A].cols;
  for (unsigned role = PTX_FRAG_A; role <= PTX_FRAG_B; role++)
    for (unsigned e = 0; e < x->n_at[role]; e++)
      for (unsigned i = 0; i < LANES; i++)
        m[role][x->at[role][e * LANES + i]] = REG(uint64_t, x->reg[role][e])[i];
  for (unsigned e = 0; e < x->n_at[PTX_FRAG_D]; e++) {
    const uint16_t *at = x->at[PTX_FRAG_D] + (size_t)e * LANES;
    memcpy(sum[e], REG(uint64_t, x->reg[PTX_FRAG_C][e]), sizeof sum[e]);
    for (unsigned k = 0; k < ks; k++) {
      uint64_t a[LANES], b[LANES];
      for (unsigned i = 0; i < LANES; i++) {
        a[i] = m[PTX_FRAG_A][at[i] / n * ks + k];
        b[i] = m[PTX_FRAG_B][k * n + at[i] % n];
      }
      ptx_f64_fma(sum[e], a, b, sum[e], mode);
    }
  }
  for (unsigned e = 0; e < x->n_at[PTX_FRAG_D]; e++) {
    uint64_t *d = REG(uint64_t, x->reg[PTX_FRAG_D][e]);
    EACH_LANE d[i] = (mask >> i) & 1 ? sum[e][i] : d[i];
  }
}

HANDLER(mma) {
  const struct ptx_matrix *x = u->x.matrix;
  if (x->frag[PTX_FRAG_D].elem == PTX_E_F64)
    mma_doubles(w, x, mask);
  else if (x->frag[PTX_FRAG_D].elem == PTX_E_S32)
    mma_ints(w, x, mask);
  else
    mma_floats(w, x, mask);
}

HANDLER(movmatrix) {
  const uint16_t *a = REG(uint16_t, u->a);
  uint16_t t[2 * LANES] __attribute__((aligned(64)));
  for (unsigned row = 0; row < 8; row++)
    for (unsigned col = 0; col < 8; col++)
      t[8 * row + col] = a[8 * col + row];
  BLEND(uint32_t, (const uint32_t *)(const void *)t);
}
