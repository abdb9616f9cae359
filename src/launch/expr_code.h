/* The code of a compiled expression: what expr.c writes and expr_run.c runs. */
#ifndef WEIR_LAUNCH_EXPR_CODE_H
#define WEIR_LAUNCH_EXPR_CODE_H

#include "launch/expr.h"

enum { WEIR_EXPR_STACK = 128 }; /* entries while running; the compiler keeps below */

/* clang-format off */
enum op {
  OP_CONST, OP_SLOT, OP_ADDRESS, OP_AT, OP_NOP, OP_I2D, OP_I2D_UNDER, OP_D2I, OP_BOOL_I,
  OP_BOOL_D, OP_JUMP, OP_JUMP_ZERO, OP_AND_THEN, OP_OR_ELSE, OP_ADD_I, OP_SUB_I, OP_MUL_I,
  OP_DIV_I, OP_MOD_I, OP_AND_I, OP_OR_I, OP_XOR_I, OP_SHL_I, OP_SHR_I, OP_EQ_I, OP_NE_I, OP_LT_I,
  OP_LE_I, OP_GT_I, OP_GE_I, OP_NEG_I, OP_NOT_I, OP_LNOT_I, OP_MIN_I, OP_MAX_I, OP_ABS_I, OP_HASH,
  OP_ADD_D, OP_SUB_D, OP_MUL_D, OP_DIV_D, OP_MOD_D, OP_EQ_D, OP_NE_D, OP_LT_D, OP_LE_D, OP_GT_D,
  OP_GE_D, OP_NEG_D, OP_LNOT_D, OP_MIN_D, OP_MAX_D, OP_ABS_D, OP_SQRT_D, OP_FLOOR_D, OP_F32_D,
  OP_FMA32_D
};
/* clang-format on */

union bits {
  int64_t i;
  uint64_t u;
  double d;
};

struct insn {
  uint16_t op;
  uint16_t width; /* characters of the text to underline */
  uint32_t at;    /* offset in the text */
  union bits v;   /* constant; slot, address or array index; distance of a jump */
};

enum fault { FAULT_NONE, FAULT_DIVIDE, FAULT_INDEX, FAULT_CONTEXT };

/* Runs [pc, end). On a fault *at is its instruction and *result what was on top. */
enum fault weir_expr_run(const struct insn *pc, const struct insn *end,
                         const struct weir_expr_ctx *ctx, union bits *result,
                         const struct insn **at);

#endif
