/* The steps in which a program is built (decode.c). Each notes a failure in the decoder and returns
 * false then. */
#ifndef WEIR_EXEC_DECODE_PROGRAM_H
#define WEIR_EXEC_DECODE_PROGRAM_H

#include "exec/decode.h"

static inline uint64_t dec_align_up(uint64_t v, uint64_t a) {
  return a > 1 ? (v + a - 1) / a * a : v;
}

/* decode_slots.c: room in the register block, places of variables; all shared ones. */
uint32_t dec_new_slot(struct decoder *d, unsigned bytes_per_lane);
void dec_put_place(struct decoder *d, const struct ptx_var *var, uint64_t offset);
void dec_place_shared(struct decoder *d);

/* decode_calls.c: the functions that the entry reaches, and the stack that they need. */
bool dec_reach_functions(struct decoder *d, const struct ptx_func *entry);
bool dec_find_stack(struct decoder *d);

/* decode_layout.c, of function f: registers and variables, numbered from *n_regs on in streams;
 * what must be zero at its entry, and the most registers that are live; what is fused. */
bool dec_lay_out(struct decoder *d, uint32_t f, uint32_t *n_regs);
bool dec_find_zeroed(struct decoder *d, uint32_t f, uint32_t *peak);
bool dec_contract(struct decoder *d, uint32_t f);

/* decode_marks.c: whether blocks are interleaved (before code is decoded); marks of the code. */
bool dec_find_interleaving(struct decoder *d);
void dec_mark_code(struct decoder *d);

/* decode_static.c: a row of the table for streams. is_implied: a return that the text has not. */
void dec_fill_static(struct decoder *d, uint32_t pc, bool is_implied);

#endif
