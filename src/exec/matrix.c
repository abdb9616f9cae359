#include "exec/matrix.h"

#include <string.h>

enum { LANES = 32 };

void ptx_matrix_take(const struct ptx_matrix *x, const struct ptx_frag *f, uint8_t *reg,
                     uint32_t mask, const uint8_t *bytes) {
  unsigned n = ptx_frag_elems(f), p = ptx_frag_per_register(f), r = f->role;
  unsigned width = f->bits < 8 ? 1 : f->bits / 8u;
  for (unsigned e = 0; e < n; e += p)
    for (unsigned lane = 0; lane < LANES; lane++) {
      if (!(mask >> lane & 1)) continue;
      uint64_t v = 0, part = 0;
      for (unsigned k = 0; k < p; k++) {
        size_t bit = (size_t)x->at[r][(e + k) % x->n_at[r] * LANES + lane] * f->bits;
        memcpy(&part, bytes + bit / 8, width);
        if (f->bits < 8) part = part >> bit % 8 & ((1u << f->bits) - 1);
        v |= part << (k * f->bits);
      }
      // NOLINTNEXTLINE(*DivideZero): a register holds an element
      memcpy(reg + x->reg[r][e / p] + (size_t)lane * f->reg_bytes, &v, f->reg_bytes);
    }
}

void ptx_matrix_give(const struct ptx_matrix *x, const struct ptx_frag *f, const uint8_t *reg,
                     uint8_t *bytes) {
  unsigned p = ptx_frag_per_register(f), r = f->role;
  for (unsigned e = 0; e < x->n_at[r]; e++)
    for (unsigned lane = 0; lane < LANES; lane++) {
      const uint8_t *from = reg + x->reg[r][e / p] + (size_t)lane * f->reg_bytes;
      memcpy(bytes + (size_t)x->at[r][e * LANES + lane] * f->bits / 8, from + e % p * f->bits / 8,
             f->bits / 8u);
    }
}
