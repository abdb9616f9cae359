/* Fundamental types: sizes, names, and which register fits which instruction type. */
#include "ptx/parse.h"

unsigned ptx_type_bytes(enum ptx_type t) {
  static const uint8_t bytes[PTX_N_TYPES] = {
      [PTX_T_u8] = 1,     [PTX_T_u16] = 2,    [PTX_T_u32] = 4,        [PTX_T_u64] = 8,
      [PTX_T_s8] = 1,     [PTX_T_s16] = 2,    [PTX_T_s32] = 4,        [PTX_T_s64] = 8,
      [PTX_T_b8] = 1,     [PTX_T_b16] = 2,    [PTX_T_b32] = 4,        [PTX_T_b64] = 8,
      [PTX_T_b128] = 16,  [PTX_T_f16] = 2,    [PTX_T_f16x2] = 4,      [PTX_T_bf16] = 2,
      [PTX_T_bf16x2] = 4, [PTX_T_tf32] = 4,   [PTX_T_f32] = 4,        [PTX_T_f64] = 8,
      [PTX_T_pred] = 1,   [PTX_T_texref] = 8, [PTX_T_samplerref] = 8, [PTX_T_surfref] = 8,
  };
  return (unsigned)t < PTX_N_TYPES ? bytes[t] : 0;
}

const char *ptx_type_name(enum ptx_type t) {
  return ptx_mod_name((enum ptx_mod)t);
}

static bool is_bits(enum ptx_type t) {
  return t >= PTX_T_b8 && t <= PTX_T_b128;
}

static bool is_integer(enum ptx_type t) {
  return t >= PTX_T_u8 && t <= PTX_T_s64;
}

/* PTX ISA, "Operand Type Checking": bit types agree with any type of their size, signed and
 * unsigned integers with each other, floats with themselves. Packed halves (f16x2) live in 32-bit
 * bit registers or registers of their own type. */
bool ptx_type_fits(enum ptx_type insn, enum ptx_type reg, bool wider_ok) {
  if (insn == PTX_T_pred || reg == PTX_T_pred) return insn == reg;
  if (insn == reg) return true;
  unsigned want = ptx_type_bytes(insn), have = ptx_type_bytes(reg);
  if (have == want) return is_bits(insn) || is_bits(reg) || (is_integer(insn) && is_integer(reg));

  if (!wider_ok || have < want) return false;
  if (is_bits(reg)) return true;
  return is_integer(reg) && !ptx_type_is_float(insn);
}
