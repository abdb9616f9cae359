/* What instructions of all families need to become micro-operations: modifiers, types, operands as
 * slots, the handler. All functions are about the instruction being decoded. */
#ifndef WEIR_EXEC_DECODE_OPERAND_H
#define WEIR_EXEC_DECODE_OPERAND_H

#include "exec/decode.h"

static inline bool dec_has(const struct decoder *d, enum ptx_mod m) {
  return ptx_has(d->insn, m);
}
static inline enum ptx_type dec_type(const struct decoder *d, unsigned k) {
  return ptx_insn_type(d->insn, k);
}

/* Bits of an immediate as type t. A float literal in an integer slot of its size keeps its bits; an
 * integer literal in a float slot is a value. */
uint64_t dec_imm_bits(const struct ptx_operand *o, enum ptx_type t);
/* Address of a variable in its own space, without the frame of local variables. */
uint64_t dec_var_addr(struct decoder *d, const struct ptx_var *v);
/* Slot of a source operand, as type t; of source operand k. */
uint32_t dec_source(struct decoder *d, const struct ptx_operand *o, enum ptx_type t);
uint32_t dec_src(struct decoder *d, unsigned k, enum ptx_type t);
/* A predicate source: slot, and whether it is negated. */
uint32_t dec_pred_src(struct decoder *d, unsigned k, bool *neg);
/* Slot of a destination; UINT32_MAX: `_`. First and second part of `d|p`, or one destination. */
uint32_t dec_dst(struct decoder *d, unsigned k);
void dec_pair_dst(struct decoder *d, unsigned k, uint32_t *first, uint32_t *second);
/* d, a[, b[, c]] all of type t. */
void dec_operands(struct decoder *d, enum ptx_type t, unsigned n_src);
/* The handler that executes the instruction. One whose destination is `_` needs no execution. */
void dec_set_handler(struct decoder *d, enum ptx_handler h);
/* An instruction whose one or two sources and destination are predicates. */
void dec_pred_op(struct decoder *d, enum ptx_handler h, unsigned n_src);

/* The modifier that compares, .eq where there is none. */
enum ptx_cmp dec_comparison(const struct decoder *d);

/* State space of a memory access, and the micro-operation's address from an operand (its space must
 * be set). Data registers of a load or store: one, or a vector; all have one width. */
uint8_t dec_space(const struct decoder *d);
void dec_address(struct decoder *d, const struct ptx_operand *o);
void dec_data(struct decoder *d, const struct ptx_operand *o, bool is_store);

/* ---- handlers by type: of n, for the width (and sign) of t ---- */
#define PICK_W2(n, t) (ptx_type_bytes(t) == 4 ? PTX_H_##n##_b32 : PTX_H_##n##_b64)
#define PICK_W3(n, t)                                                                              \
  (ptx_type_bytes(t) == 2   ? PTX_H_##n##_b16                                                      \
   : ptx_type_bytes(t) == 4 ? PTX_H_##n##_b32                                                      \
                            : PTX_H_##n##_b64)
#define PICK_S3(n, t)                                                                              \
  (ptx_type_bytes(t) == 2   ? PTX_H_##n##_s16                                                      \
   : ptx_type_bytes(t) == 4 ? PTX_H_##n##_s32                                                      \
                            : PTX_H_##n##_s64)
#define PICK_US6(n, t)                                                                             \
  (ptx_type_is_signed(t) ? PICK_S3(n, t)                                                           \
                         : (ptx_type_bytes(t) == 2   ? PTX_H_##n##_u16                             \
                            : ptx_type_bytes(t) == 4 ? PTX_H_##n##_u32                             \
                                                     : PTX_H_##n##_u64))
#define PICK_US4(n, t)                                                                             \
  (ptx_type_is_signed(t) ? (ptx_type_bytes(t) == 4 ? PTX_H_##n##_s32 : PTX_H_##n##_s64)            \
                         : (ptx_type_bytes(t) == 4 ? PTX_H_##n##_u32 : PTX_H_##n##_u64))
#define PICK_US2(n, t) (ptx_type_is_signed(t) ? PTX_H_##n##_s32 : PTX_H_##n##_u32)
#define PICK_WIDE(n, t)                                                                            \
  (ptx_type_bytes(t) == 2 ? (ptx_type_is_signed(t) ? PTX_H_##n##_s16 : PTX_H_##n##_u16)            \
                          : (ptx_type_is_signed(t) ? PTX_H_##n##_s32 : PTX_H_##n##_u32))

#endif
