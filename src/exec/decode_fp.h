/* Floating-point arithmetic as micro-operations, for all instructions that also have other types.
 */
#ifndef WEIR_EXEC_DECODE_FP_H
#define WEIR_EXEC_DECODE_FP_H

#include "exec/decode_operand.h"

#define FP_FN(f) ((void (*)(void))(f))

/* Rounding and the whole mode that the instruction's modifiers ask for. */
uint8_t dec_rounding(const struct decoder *d);
void dec_fp_mode(struct decoder *d);
/* Arithmetic of fp.h with a rounding mode; `fast` is the handler for round-to-nearest without .sat,
 * with and without .ftz (none = no such handler). */
void dec_fp_op(struct decoder *d, unsigned n_src, void (*f32)(void), void (*f64)(void),
               enum ptx_handler fast32, enum ptx_handler fast32_ftz, enum ptx_handler fast64);

static inline bool dec_is_half(enum ptx_type t) {
  return t >= PTX_T_f16 && t <= PTX_T_bf16x2;
}
/* Which of the two formats, and whether a register holds a pair. */
void dec_half_type(struct decoder *d, enum ptx_type t);
void dec_half_op(struct decoder *d, unsigned n_src, ptx_half_fn fn);

#endif
