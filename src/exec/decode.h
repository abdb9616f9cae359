/* From IR to micro-operations: the decoder, its slots and functions. Steps of building a program
 * are in decode_program.h, operands of instructions in decode_operand.h, a function for each kind
 * of instruction in decode_ops.h. */
#ifndef WEIR_EXEC_DECODE_H
#define WEIR_EXEC_DECODE_H

#include "exec/contract.h"
#include "exec/core.h"
#include "exec/exec.h"
#include "exec/image.h"
#include "ptx/isa.h"

struct dec_place { /* where a variable is: shared or local offset, or call-frame parameter */
  const struct ptx_var *var;
  uint32_t offset;
};

struct decoder {
  struct ptx_program *prog;
  const struct ptx_image *image;
  const struct ptx_exec_cfg *cfg;
  struct weir_err *err;
  uint32_t func;         /* being decoded */
  uint32_t **reg_offset; /* per function, per register */
  uint32_t *reg_base;    /* per function: number of its first register in the stream's numbering */
  const struct ptx_fused **fused; /* per function, per instruction; NULL: nothing in it is fused */
  uint32_t (**kept)[2]; /* per function, per instruction: where the factors of a product are kept */
  struct {
    struct dec_place *v;
    size_t n, cap;
  } places;
  struct {
    struct ptx_const_slot *v;
    size_t n, cap;
  } consts;
  struct {
    struct ptx_param_slot *v;
    size_t n, cap;
  } params;
  struct {
    struct ptx_sreg_slot *v;
    size_t n, cap;
  } sregs;
  struct {
    const struct ptx_func **v;
    size_t n, cap;
  } taken; /* functions whose address is taken; filled when there is an indirect call */
  bool has_taken;
  uint32_t next_slot; /* end of the register block so far */
  const struct ptx_insn *insn;
  struct ptx_uop *uop;
  bool is_failed;
};

/* All of these note a failure in the decoder and return 0 then. */
uint32_t dec_reg(struct decoder *d, uint32_t reg);
uint32_t dec_const(struct decoder *d, uint64_t value, unsigned bytes);
uint32_t dec_sreg(struct decoder *d, enum ptx_sreg sreg, unsigned bytes);
uint32_t dec_param(struct decoder *d, uint32_t offset, unsigned bytes, unsigned reg_bytes,
                   bool is_signed);
/* Offset given to a shared, local or call-frame variable. */
uint32_t dec_place(struct decoder *d, const struct ptx_var *var);
unsigned dec_reg_bytes(const struct decoder *d, uint32_t reg); /* 0: predicate */
enum ptx_type dec_reg_type(const struct decoder *d, uint32_t reg);
const struct ptx_func *dec_func(const struct decoder *d);
int dec_func_index(const struct decoder *d, const struct ptx_func *f);
/* What is fused with an instruction of the function being decoded, or NULL; where the factors of
 * product i are kept. */
const struct ptx_fused *dec_fused(const struct decoder *d, const struct ptx_insn *in);
const uint32_t *dec_kept(const struct decoder *d, uint32_t i);
uint32_t *dec_list(struct decoder *d, unsigned n);
/* The functions that a call can reach, one at a time; *k begins with 0. NULL after the last. */
const struct ptx_func *dec_next_callee(struct decoder *d, const struct ptx_insn *in, size_t *k);
bool dec_fail(struct decoder *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Fill d->uop from d->insn. */
bool dec_instruction(struct decoder *d);

#endif
