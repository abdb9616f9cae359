/* Matrix instructions: which lane holds which element, and the arithmetic.
 *
 * A fragment is a lane's share of a matrix, in one or more registers. Elements are counted through
 * the registers, those in the lower bits first. With g = lane / 4, t = lane % 4 and p elements of
 * 32 bits in a register (the manual's layout of mma):
 *
 *   A, 16 rows   element i of register r:  row g + 8 * (r % 2), column (r / 2) * 4p + t * p + i
 *   A, 8 rows                              row g,               column r * 4p + t * p + i
 *   B                                      row r * 4p + t * p + i, column g
 *   C, D         element e:                row g + 8 * (e / 2), column 2 * t + e % 2
 *
 * Larger matrices, of wmma, are several of these one after the other: A and C in blocks of 16 rows,
 * B and C in blocks of 8 columns. The manual leaves the layout of wmma open; this choice makes its
 * fragments those of mma. Where a fragment has more places than the matrix has elements (f16
 * operands of wmma), it repeats.
 *
 * Sums: a product of f16, bf16 or tf32 numbers is exact in double precision; the accumulator and
 * then the products, by ascending k, are added up there, and the sum is rounded once (to nearest
 * even) to f32 or f16. So the result is within half a unit in its last place, and k * 2^-53 of the
 * sum of all magnitudes, of the exact one. f64: a chain of fused multiply-adds by ascending k.
 * Integers: exact, then wrapped, or limited with .satfinite. */
#ifndef WEIR_PTX_MATRIX_H
#define WEIR_PTX_MATRIX_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx/ir.h"

enum ptx_elem {
  PTX_E_NONE,
  PTX_E_F16,
  PTX_E_BF16,
  PTX_E_TF32,
  PTX_E_F32,
  PTX_E_F64,
  PTX_E_S32,
  PTX_E_S8,
  PTX_E_U8,
  PTX_E_S4,
  PTX_E_U4,
  PTX_E_B1 /* 32 of them are one element here; k is counted likewise */
};

enum ptx_role { PTX_FRAG_D, PTX_FRAG_A, PTX_FRAG_B, PTX_FRAG_C, PTX_FRAGS };
enum { PTX_FRAG_REGS = 8, PTX_MATRIX_MOST = 1024 /* elements of a matrix */ };

struct ptx_frag {
  uint8_t elem, role;
  uint8_t bits;              /* of an element */
  uint8_t n_regs, reg_bytes; /* n_regs 0: the instruction has no such fragment */
  uint8_t is_quad, is_col;   /* m8n8k4 of f16: four products, of the quads of lanes */
  uint16_t rows, cols;
};

struct ptx_matrix {
  struct ptx_frag frag[PTX_FRAGS];
  uint32_t reg[PTX_FRAGS][PTX_FRAG_REGS]; /* offsets in the register block */
  uint8_t rnd;                            /* f64: enum ptx_rnd */
  bool satfinite, is_and;                 /* is_and: of b1, instead of xor */
  /* memory */
  bool is_col, trans;
  uint8_t n_mats;                /* ldmatrix and stmatrix */
  const uint16_t *at[PTX_FRAGS]; /* ptx_frag_places, and the elements of a lane in it */
  uint16_t n_at[PTX_FRAGS];
  uint32_t stride_at; /* slot of wmma's stride, in elements; UINT32_MAX: lines are dense */
};

/* The fragments that an instruction's modifiers ask for. False: it is no such instruction, or none
 * that is executed. */
bool ptx_matrix_of(const struct ptx_insn *in, struct ptx_matrix *x);
/* Which fragment operand k is; PTX_FRAGS: none. */
enum ptx_role ptx_matrix_operand(const struct ptx_insn *in, unsigned k);

static inline unsigned ptx_frag_per_register(const struct ptx_frag *f) {
  return 8u * f->reg_bytes / f->bits;
}
/* Elements of one lane, and where in the matrix element e of a lane is. */
unsigned ptx_frag_elems(const struct ptx_frag *f);
void ptx_frag_place(const struct ptx_frag *f, unsigned lane, unsigned e, unsigned *row,
                    unsigned *col);

/* Places of all elements of a fragment, 32 lanes of one element after the other, each once:
 * row * cols + col, of the four products of quads one after the other; in memory the place among
 * the lines' elements. Returns the elements of a lane; `at` has room for PTX_MATRIX_MOST. */
unsigned ptx_frag_places(const struct ptx_matrix *x, const struct ptx_frag *f, bool in_memory,
                         uint16_t *at);

/* Between registers and a matrix as it lies in memory: lines (rows, or columns of a column-major
 * one) of ptx_matrix_line bytes, without gaps. */
unsigned ptx_matrix_lines(const struct ptx_matrix *x, const struct ptx_frag *f);
unsigned ptx_matrix_line(const struct ptx_matrix *x, const struct ptx_frag *f);
enum { PTX_MATRIX_BYTES = 1024 };

#endif
