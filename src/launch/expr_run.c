/* The stack machine of expressions, and elements of buffers. */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "launch/expr_code.h"

/* ---- numbers and elements ---- */

int64_t weir_double_to_s64(double d) {
  if (isnan(d)) return 0;
  if (d >= 0x1p63) return INT64_MAX;
  if (d <= -0x1p63) return INT64_MIN;
  return (int64_t)d;
}

uint64_t weir_double_to_u64(double d) {
  if (d >= 0x1p64) return UINT64_MAX;
  if (d >= 0x1p63) return (uint64_t)d;
  return (uint64_t)weir_double_to_s64(d);
}

static const struct {
  enum ptx_type type;
  uint8_t bytes;
  const char *name;
} elements[] = {
    {PTX_T_u8, 1, "u8"},   {PTX_T_s8, 1, "s8"},   {PTX_T_u16, 2, "u16"}, {PTX_T_s16, 2, "s16"},
    {PTX_T_u32, 4, "u32"}, {PTX_T_s32, 4, "s32"}, {PTX_T_u64, 8, "u64"}, {PTX_T_s64, 8, "s64"},
    {PTX_T_f32, 4, "f32"}, {PTX_T_f64, 8, "f64"},
};
enum { N_ELEMENTS = sizeof elements / sizeof elements[0] };

unsigned weir_element_bytes(enum ptx_type type) {
  for (unsigned e = 0; e < N_ELEMENTS; e++)
    if (elements[e].type == type) return elements[e].bytes;
  return 0;
}

const char *weir_element_name(enum ptx_type type) {
  for (unsigned e = 0; e < N_ELEMENTS; e++)
    if (elements[e].type == type) return elements[e].name;
  return "?";
}

static void store_f32(void *at, struct weir_value v) {
  float f = v.is_double ? (float)v.d : (float)v.i;
  uint32_t bits = UINT32_C(0x7fc00000);
  if (!isnan(f)) memcpy(&bits, &f, sizeof bits);
  memcpy(at, &bits, sizeof bits);
}

static void store_f64(void *at, struct weir_value v) {
  double d = v.is_double ? v.d : (double)v.i;
  uint64_t bits = UINT64_C(0x7ff8000000000000);
  if (!isnan(d)) memcpy(&bits, &d, sizeof bits);
  memcpy(at, &bits, sizeof bits);
}

void weir_element_store(enum ptx_type type, void *at, struct weir_value v) {
  if (type == PTX_T_f32) {
    store_f32(at, v);
    return;
  }
  if (type == PTX_T_f64) {
    store_f64(at, v);
    return;
  }
  uint64_t bits = (uint64_t)v.i;
  if (v.is_double)
    bits = type == PTX_T_u64 ? weir_double_to_u64(v.d) : (uint64_t)weir_double_to_s64(v.d);
  switch (type) {
  case PTX_T_u8:
  case PTX_T_s8:
    *(uint8_t *)at = (uint8_t)bits;
    break;
  case PTX_T_u16:
  case PTX_T_s16:
    memcpy(at, &(uint16_t){(uint16_t)bits}, 2);
    break;
  case PTX_T_u32:
  case PTX_T_s32:
    memcpy(at, &(uint32_t){(uint32_t)bits}, 4);
    break;
  default:
    memcpy(at, &bits, 8);
    break;
  }
}

/* Two's complement of the low `bits`. */
static int64_t sign_extend(uint64_t v, unsigned bits) {
  uint64_t sign = UINT64_C(1) << (bits - 1);
  return (int64_t)((v ^ sign) - sign);
}

struct weir_value weir_element_load(enum ptx_type type, const void *at) {
  uint16_t h = 0;
  uint32_t w = 0;
  uint64_t x = 0;
  float f;
  struct weir_value v = {0};
  switch (type) {
  case PTX_T_u8:
    v.i = *(const uint8_t *)at;
    return v;
  case PTX_T_s8:
    v.i = sign_extend(*(const uint8_t *)at, 8);
    return v;
  case PTX_T_u16:
    memcpy(&h, at, 2), v.i = h;
    return v;
  case PTX_T_s16:
    memcpy(&h, at, 2), v.i = sign_extend(h, 16);
    return v;
  case PTX_T_u32:
    memcpy(&w, at, 4), v.i = w;
    return v;
  case PTX_T_s32:
    memcpy(&w, at, 4), v.i = sign_extend(w, 32);
    return v;
  case PTX_T_f32:
    memcpy(&f, at, 4);
    v.is_double = true;
    v.d = (double)f;
    return v;
  case PTX_T_f64:
    v.is_double = true;
    memcpy(&v.d, at, 8);
    return v;
  default:
    memcpy(&x, at, 8);
    v.i = (int64_t)x;
    return v;
  }
}

/* ---- the machine ---- */

static int64_t divide(int64_t a, int64_t b) {
  return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

static int64_t remainder_of(int64_t a, int64_t b) {
  return b == -1 ? 0 : a % b;
}

/* Counts outside 0..63 behave as an endless row of shifts by one. */
static int64_t shift_left(int64_t a, int64_t count) {
  return (uint64_t)count > 63 ? 0 : (int64_t)((uint64_t)a << count);
}

static int64_t shift_right(int64_t a, int64_t count) {
  unsigned n = (uint64_t)count > 63 ? 63 : (unsigned)count;
  return a < 0 ? (int64_t) ~(~(uint64_t)a >> n) : (int64_t)((uint64_t)a >> n);
}

static enum fault load_element(const struct weir_expr_ctx *ctx, int64_t array, union bits *top) {
  if (!ctx || !ctx->arrays || !ctx->arrays[array].data) return FAULT_CONTEXT;
  const struct weir_expr_array *a = &ctx->arrays[array];
  if (top->u >= a->count) return FAULT_INDEX;
  const char *at = (const char *)a->data + top->u * weir_element_bytes(a->type);
  struct weir_value v = weir_element_load(a->type, at);
  if (v.is_double)
    top->d = v.d;
  else
    top->i = v.i;
  return FAULT_NONE;
}

#define UNARY(OP, TYPE, FROM, TO, EXPR)                                                            \
  case OP_##OP: {                                                                                  \
    TYPE a = sp[-1].FROM;                                                                          \
    sp[-1].TO = (EXPR);                                                                            \
    break;                                                                                         \
  }
#define BINARY(OP, TYPE, FROM, TO, EXPR)                                                           \
  case OP_##OP: {                                                                                  \
    TYPE a = sp[-2].FROM, b = sp[-1].FROM;                                                         \
    sp--;                                                                                          \
    sp[-1].TO = (EXPR);                                                                            \
    break;                                                                                         \
  }
#define UN_U(OP, EXPR)      UNARY(OP, uint64_t, u, u, EXPR)
#define UN_D(OP, TO, EXPR)  UNARY(OP, double, d, TO, EXPR)
#define BIN_I(OP, EXPR)     BINARY(OP, int64_t, i, i, EXPR)
#define BIN_U(OP, EXPR)     BINARY(OP, uint64_t, u, u, EXPR)
#define BIN_D(OP, TO, EXPR) BINARY(OP, double, d, TO, EXPR)

// NOLINTBEGIN(clang-analyzer-core.*): the compiler of expressions has counted what the stack holds
enum fault weir_expr_run(const struct insn *pc, const struct insn *end,
                         const struct weir_expr_ctx *ctx, union bits *result,
                         const struct insn **at) {
  union bits stack[WEIR_EXPR_STACK], *sp = stack;
  enum fault fault = FAULT_NONE;
  for (; pc < end; pc++) {
    switch ((enum op)pc->op) {
    case OP_CONST:
      *sp++ = pc->v;
      break;
    case OP_SLOT:
      if (!ctx) {
        fault = FAULT_CONTEXT;
        sp->i = 0, sp++;
        goto failed;
      }
      sp->i = ctx->slot[pc->v.i], sp++;
      break;
    case OP_ADDRESS:
      sp->u = 0, sp++;
      if (!ctx || !ctx->addresses) {
        fault = FAULT_CONTEXT;
        goto failed;
      }
      sp[-1].u = ctx->addresses[pc->v.i];
      break;
    case OP_AT:
      if ((fault = load_element(ctx, pc->v.i, sp - 1)) != FAULT_NONE) goto failed;
      break;
    case OP_NOP:
      break;
    case OP_I2D:
      sp[-1].d = (double)sp[-1].i;
      break;
    case OP_I2D_UNDER:
      sp[-2].d = (double)sp[-2].i;
      break;
    case OP_JUMP:
      pc += pc->v.i;
      break;
    case OP_JUMP_ZERO:
      if ((--sp)->i == 0) pc += pc->v.i;
      break;
    case OP_AND_THEN:
      if (sp[-1].i == 0)
        pc += pc->v.i;
      else
        sp--;
      break;
    case OP_OR_ELSE:
      if (sp[-1].i != 0)
        pc += pc->v.i;
      else
        sp--;
      break;
    case OP_DIV_I:
    case OP_MOD_I:
      if (sp[-1].i == 0) {
        fault = FAULT_DIVIDE;
        goto failed;
      }
      sp--;
      sp[-1].i = pc->op == OP_DIV_I ? divide(sp[-1].i, sp[0].i) : remainder_of(sp[-1].i, sp[0].i);
      break;
    case OP_FMA32_D:
      sp -= 2;
      sp[-1].d = (double)fmaf((float)sp[-1].d, (float)sp[0].d, (float)sp[1].d);
      break;
#include "launch/expr_ops.def"
    }
  }
  *result = sp[-1];
  return FAULT_NONE;
failed:
  *at = pc;
  *result = sp[-1];
  return fault;
}
// NOLINTEND(clang-analyzer-core.*)
