/* Moves, addresses of state spaces, conversions. */
#include "exec/decode_fp.h"
#include "exec/decode_ops.h"

static bool decode_clock(struct decoder *d, enum ptx_sreg s) {
  struct ptx_uop *u = d->uop;
  u->imm = (uint64_t)d->cfg->clock_factor;
  switch (s) {
  case PTX_SR_clock:
  case PTX_SR_clock64:
    break;
  case PTX_SR_clock_hi:
    u->aux2 = 1;
    break;
  case PTX_SR_globaltimer:
  case PTX_SR_globaltimer_lo:
    u->aux = 1;
    break;
  case PTX_SR_globaltimer_hi:
    u->aux = 1, u->aux2 = 1;
    break;
  default:
    return false;
  }
  u->d = dec_dst(d, 0);
  u->reg_bytes = (uint8_t)ptx_type_bytes(dec_type(d, 0));
  u->size = 8;
  dec_set_handler(d, PTX_H_mov_clock);
  return true;
}

/* Of a conversion, the narrower of its two types decides which bits are left. */
static void decode_clock_cvt(struct decoder *d, enum ptx_type to, enum ptx_type from) {
  const struct ptx_operand *o = d->insn->opnds;
  if (ptx_type_is_float(to) || ptx_type_is_float(from) || dec_has(d, PTX_M_sat)) {
    dec_fail(d, "a clock is converted to integers only, without .sat; move it to a register first");
    return;
  }
  decode_clock(d, o[1].sreg);
  enum ptx_type narrow = ptx_type_bytes(to) <= ptx_type_bytes(from) ? to : from;
  d->uop->size = (uint8_t)ptx_type_bytes(narrow);
  d->uop->is_signed = ptx_type_is_signed(narrow);
  d->uop->reg_bytes = (uint8_t)dec_reg_bytes(d, o[0].reg);
}

/* Between a register and a vector of its parts. */
static void decode_vector_mov(struct decoder *d, const struct ptx_operand *v, enum ptx_type t) {
  struct ptx_uop *u = d->uop;
  uint32_t *list = dec_list(d, v->n_elem);
  if (list == NULL) return;
  u->n_vec = (uint8_t)v->n_elem;
  u->reg_bytes = (uint8_t)ptx_type_bytes(t);
  u->size = (uint8_t)(u->reg_bytes / v->n_elem);
  for (unsigned k = 0; k < v->n_elem; k++) {
    const struct ptx_operand *e = &v->elem[k];
    if (e->kind == PTX_O_sink)
      list[k] = UINT32_MAX;
    else if (e->kind == PTX_O_reg)
      list[k] = dec_reg(d, e->reg);
    else
      list[k] = dec_const(d, dec_imm_bits(e, PTX_T_none), u->size);
  }
  u->x.list = list;
  u->kind = PTX_K_PLAIN;
  if (v == &d->insn->opnds[0]) {
    u->a = dec_src(d, 1, t);
    u->h = u->reg_bytes == 16 ? PTX_H_unpack_b128 : PTX_H_unpack;
    return;
  }
  u->d = dec_dst(d, 0);
  u->h = u->reg_bytes == 16 ? PTX_H_pack_b128 : PTX_H_pack;
  if (u->d == UINT32_MAX) u->kind = PTX_K_NOP;
}

void dec_mov(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  enum ptx_type t = dec_type(d, 0);
  const struct ptx_operand *to = &d->insn->opnds[0], *from = &d->insn->opnds[1];
  if (t == PTX_T_pred) {
    dec_pred_op(d, PTX_H_mov_pred, 1);
    return;
  }
  if (to->kind == PTX_O_vec || from->kind == PTX_O_vec) {
    decode_vector_mov(d, to->kind == PTX_O_vec ? to : from, t);
    return;
  }
  if (from->kind == PTX_O_sreg && decode_clock(d, from->sreg)) return;
  if (from->kind == PTX_O_var && from->var->space == PTX_SPACE_local) {
    u->d = dec_dst(d, 0);
    u->imm = dec_var_addr(d, from->var) + from->imm;
    u->reg_bytes = (uint8_t)ptx_type_bytes(t);
    dec_set_handler(d, PTX_H_mov_frame);
    return;
  }
  dec_operands(d, t, 1);
  dec_set_handler(d, ptx_type_bytes(t) == 16 ? PTX_H_mov_b128 : PICK_W3(mov, t));
}

static uint64_t window_of(const struct decoder *d) {
  bool is_shared =
      dec_has(d, PTX_M_shared) || dec_has(d, PTX_M_shared_cta) || dec_has(d, PTX_M_shared_cluster);
  return is_shared                                                  ? PTX_SHARED_BASE
         : dec_has(d, PTX_M_local)                                  ? PTX_LOCAL_BASE
         : dec_has(d, PTX_M_param) || dec_has(d, PTX_M_param_entry) ? PTX_PARAM_BASE
                                                                    : 0;
}

void dec_cvta(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  const struct ptx_operand *from = &d->insn->opnds[1];
  unsigned bytes = ptx_type_bytes(dec_type(d, 0));
  u->imm = window_of(d);
  u->d = dec_dst(d, 0);
  u->size = (uint8_t)bytes;
  u->reg_bytes = (uint8_t)bytes;
  if (from->kind == PTX_O_var && from->var->space == PTX_SPACE_local && !dec_has(d, PTX_M_to)) {
    u->imm += dec_var_addr(d, from->var) + from->imm;
    dec_set_handler(d, PTX_H_mov_frame);
    return;
  }
  u->a = dec_src(d, 1, bytes == 4 ? PTX_T_u32 : PTX_T_u64);
  if (u->imm == 0)
    dec_set_handler(d, bytes == 4 ? PTX_H_mov_b32 : PTX_H_mov_b64);
  else
    dec_set_handler(d, dec_has(d, PTX_M_to) ? PTX_H_cvta_to : PTX_H_cvta_from);
}

void dec_isspacep(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  u->d = dec_dst(d, 0);
  u->imm = window_of(d);
  if (u->imm == 0) u->imm = PTX_GLOBAL_BASE;
  u->aux = dec_has(d, PTX_M_const);
  u->reg_bytes = 8;
  const struct ptx_operand *from = &d->insn->opnds[1];
  if (from->kind == PTX_O_reg) u->reg_bytes = (uint8_t)dec_reg_bytes(d, from->reg);
  u->a = dec_src(d, 1, u->reg_bytes == 4 ? PTX_T_u32 : PTX_T_u64);
  dec_set_handler(d, PTX_H_isspacep);
}

/* ---- conversions ---- */

static enum ptx_cvt_type cvt_type(enum ptx_type t) {
  switch (t) {
  case PTX_T_u8:
    return PTX_CVT_U8;
  case PTX_T_s8:
    return PTX_CVT_S8;
  case PTX_T_u16:
    return PTX_CVT_U16;
  case PTX_T_s16:
    return PTX_CVT_S16;
  case PTX_T_u32:
    return PTX_CVT_U32;
  case PTX_T_s32:
    return PTX_CVT_S32;
  case PTX_T_u64:
    return PTX_CVT_U64;
  case PTX_T_s64:
    return PTX_CVT_S64;
  case PTX_T_f16:
    return PTX_CVT_F16;
  case PTX_T_bf16:
    return PTX_CVT_BF16;
  case PTX_T_tf32:
    return PTX_CVT_TF32;
  case PTX_T_f32:
    return PTX_CVT_F32;
  default:
    return PTX_CVT_F64;
  }
}

static struct ptx_cvtmode cvt_mode(const struct decoder *d) {
  bool integral = dec_has(d, PTX_M_rni) || dec_has(d, PTX_M_rzi) || dec_has(d, PTX_M_rmi) ||
                  dec_has(d, PTX_M_rpi);
  return (struct ptx_cvtmode){.rnd = dec_has(d, PTX_M_rna) ? PTX_RNA : dec_rounding(d),
                              .integral = integral,
                              .ftz = dec_has(d, PTX_M_ftz),
                              .sat = dec_has(d, PTX_M_sat),
                              .relu = dec_has(d, PTX_M_relu),
                              .satfinite = dec_has(d, PTX_M_satfinite)};
}

static uint64_t pack_cvt_mode(struct ptx_cvtmode m) {
  return m.rnd | (uint64_t)m.integral << 8 | (uint64_t)m.ftz << 16 | (uint64_t)m.sat << 24 |
         (uint64_t)m.relu << 32 | (uint64_t)m.satfinite << 40;
}

/* Two f32 to a pair of halves: a is the upper one. */
static void decode_cvt_pack2(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  u->d = dec_dst(d, 0);
  u->a = dec_src(d, 1, PTX_T_f32);
  u->b = dec_src(d, 2, PTX_T_f32);
  u->aux = dec_type(d, 0) == PTX_T_f16x2 ? PTX_CVT_F16 : PTX_CVT_BF16;
  u->imm = pack_cvt_mode(cvt_mode(d));
  dec_set_handler(d, PTX_H_cvt_pack2);
}

/* Two numbers, saturated to `size` bits each, in the low bits of the destination. */
static void decode_pack(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  u->aux = dec_has(d, PTX_M_u16) || dec_has(d, PTX_M_s16) ? 16
           : dec_has(d, PTX_M_u8) || dec_has(d, PTX_M_s8) ? 8
           : dec_has(d, PTX_M_u4) || dec_has(d, PTX_M_s4) ? 4
                                                          : 2;
  u->is_signed =
      dec_has(d, PTX_M_s16) || dec_has(d, PTX_M_s8) || dec_has(d, PTX_M_s4) || dec_has(d, PTX_M_s2);
  u->d = dec_dst(d, 0);
  u->a = dec_src(d, 1, PTX_T_s32);
  u->b = dec_src(d, 2, PTX_T_s32);
  u->c = d->insn->n_opnds > 3 ? dec_src(d, 3, PTX_T_b32) : dec_const(d, 0, 4);
  dec_set_handler(d, PTX_H_cvt_pack);
}

/* Bare conversions between whole registers that programs make often have handlers of their own. */
static enum ptx_handler cvt_handler(const struct ptx_uop *u, enum ptx_type to, enum ptx_type from,
                                    struct ptx_cvtmode m) {
  bool same = u->reg_bytes == ptx_type_bytes(to) && u->size == ptx_type_bytes(from);
  if (!same || m.sat || m.ftz || m.rnd != PTX_RN || m.integral) return PTX_H_cvt;
  if (to == PTX_T_s64 && from == PTX_T_s32) return PTX_H_cvt_s64_s32;
  if (to == PTX_T_u64 && from == PTX_T_u32) return PTX_H_cvt_u64_u32;
  if ((to == PTX_T_u32 || to == PTX_T_s32) && (from == PTX_T_u64 || from == PTX_T_s64))
    return PTX_H_cvt_u32_u64;
  if (to == PTX_T_f32 && from == PTX_T_s32) return PTX_H_cvt_f32_s32;
  if (to == PTX_T_f32 && from == PTX_T_u32) return PTX_H_cvt_f32_u32;
  return PTX_H_cvt;
}

void dec_cvt(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  if (dec_has(d, PTX_M_pack)) {
    decode_pack(d);
    return;
  }
  enum ptx_type dt = dec_type(d, 0), st = dec_type(d, 1);
  if (dt == PTX_T_f16x2 || dt == PTX_T_bf16x2) {
    decode_cvt_pack2(d);
    return;
  }
  const struct ptx_operand *to = &d->insn->opnds[0], *from = &d->insn->opnds[1];
  u->d = dec_dst(d, 0);
  if (u->d == UINT32_MAX) {
    u->kind = PTX_K_NOP;
    return;
  }
  if (from->kind == PTX_O_sreg && ptx_sreg_is_clock(from->sreg)) {
    decode_clock_cvt(d, dt, st);
    return;
  }
  u->a = dec_src(d, 1, st);
  u->reg_bytes = (uint8_t)dec_reg_bytes(d, to->reg);
  u->size = (uint8_t)(from->kind == PTX_O_reg ? dec_reg_bytes(d, from->reg) : ptx_type_bytes(st));
  struct ptx_cvtmode m = cvt_mode(d);
  u->aux = (uint8_t)cvt_type(dt);
  u->aux2 = (uint8_t)cvt_type(st);
  u->is_signed = ptx_type_is_signed(dt);
  u->imm = pack_cvt_mode(m);
  u->x.cvt = ptx_cvt_select((enum ptx_cvt_type)u->aux, (enum ptx_cvt_type)u->aux2, m);
  u->kind = PTX_K_PLAIN;
  u->h = (uint16_t)cvt_handler(u, dt, st, m);
}
