/* Comparisons, choices, logic, shifts and fields of bits. */
#include "exec/decode_fp.h"
#include "exec/decode_ops.h"

/* ---- comparisons and choices ---- */

enum ptx_cmp dec_comparison(const struct decoder *d) {
  static const struct {
    enum ptx_mod m;
    enum ptx_cmp c;
  } map[] = {{PTX_M_eq, PTX_CMP_EQ},   {PTX_M_ne, PTX_CMP_NE},   {PTX_M_lt, PTX_CMP_LT},
             {PTX_M_le, PTX_CMP_LE},   {PTX_M_gt, PTX_CMP_GT},   {PTX_M_ge, PTX_CMP_GE},
             {PTX_M_lo, PTX_CMP_LT},   {PTX_M_ls, PTX_CMP_LE},   {PTX_M_hi, PTX_CMP_GT},
             {PTX_M_hs, PTX_CMP_GE},   {PTX_M_equ, PTX_CMP_EQU}, {PTX_M_neu, PTX_CMP_NEU},
             {PTX_M_ltu, PTX_CMP_LTU}, {PTX_M_leu, PTX_CMP_LEU}, {PTX_M_gtu, PTX_CMP_GTU},
             {PTX_M_geu, PTX_CMP_GEU}, {PTX_M_num, PTX_CMP_NUM}, {PTX_M_nan, PTX_CMP_NAN}};
  for (unsigned i = 0; i < d->insn->n_mods; i++)
    for (size_t k = 0; k < sizeof map / sizeof *map; k++)
      if (d->insn->mods[i] == (uint16_t)map[k].m) return map[k].c;
  return PTX_CMP_EQ;
}

static enum ptx_handler set_handler(enum ptx_cmp c, enum ptx_type t, bool ftz) {
#define ROW(T)                                                                                     \
  {                                                                                                \
    PTX_H_set_eq_##T, PTX_H_set_ne_##T, PTX_H_set_lt_##T, PTX_H_set_le_##T, PTX_H_set_gt_##T,      \
        PTX_H_set_ge_##T                                                                           \
  }
  static const uint16_t rows[8][6] = {ROW(u16), ROW(s16), ROW(u32), ROW(s32),
                                      ROW(u64), ROW(s64), ROW(f32), ROW(f64)};
#undef ROW
  if (t == PTX_T_f32) return c <= PTX_CMP_GE && !ftz ? rows[6][c] : PTX_H_set_f32;
  if (t == PTX_T_f64) return c <= PTX_CMP_GE ? rows[7][c] : PTX_H_set_f64;
  if (dec_is_half(t)) return PTX_H_set_half;
  unsigned w = ptx_type_bytes(t) == 2 ? 0 : ptx_type_bytes(t) == 4 ? 2 : 4;
  return rows[w + (ptx_type_is_signed(t) ? 1 : 0)][c];
}

static enum ptx_set set_kind(enum ptx_type t) {
  return ptx_type_bytes(t) == 2 ? SET_B16 : t == PTX_T_f32 ? SET_F32 : SET_U32;
}

/* What `set` makes of true in 16 bits. */
static uint16_t true_value(enum ptx_type t) {
  return t == PTX_T_f16 || t == PTX_T_f16x2     ? 0x3c00
         : t == PTX_T_bf16 || t == PTX_T_bf16x2 ? 0x3f80
                                                : 0xffff;
}

void dec_set(struct decoder *d) {
  bool is_setp = d->insn->op == PTX_OP_setp;
  struct ptx_uop *u = d->uop;
  enum ptx_type dt = dec_type(d, 0), t = is_setp ? dt : dec_type(d, 1);
  uint32_t second = UINT32_MAX;
  if (is_setp)
    dec_pair_dst(d, 0, &u->d, &second);
  else
    u->d = dec_dst(d, 0);
  u->a = dec_src(d, 1, t);
  u->b = dec_src(d, 2, t);
  u->aux3 = (uint8_t)dec_comparison(d);
  u->aux2 = dec_has(d, PTX_M_and) ? 1 : dec_has(d, PTX_M_or) ? 2 : dec_has(d, PTX_M_xor) ? 3 : 0;
  dec_half_type(d, t);
  bool one = u->aux2 == 0 && second == UINT32_MAX && u->d != UINT32_MAX && u->n_vec == 1;
  u->aux = (uint8_t)(is_setp ? one ? SET_PRED : SET_PRED_FULL : set_kind(dt));
  u->imm = true_value(dt);
  u->mode.ftz = dec_has(d, PTX_M_ftz);
  uint32_t *list = dec_list(d, 3);
  if (list == NULL) return;
  list[0] = second;
  if (u->aux2 != 0) {
    bool neg = false;
    list[1] = dec_pred_src(d, 3, &neg);
    list[2] = neg ? FULL : 0;
  }
  u->x.list = list;
  u->kind = PTX_K_PLAIN;
  u->h = (uint16_t)set_handler((enum ptx_cmp)u->aux3, t, u->mode.ftz);
}

void dec_select(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  enum ptx_type t = dec_type(d, 0);
  u->d = dec_dst(d, 0);
  u->a = dec_src(d, 1, t);
  u->b = dec_src(d, 2, t);
  if (d->insn->op == PTX_OP_selp) {
    bool neg = false;
    u->c = dec_pred_src(d, 3, &neg);
    u->aux = neg;
    dec_set_handler(d, PICK_W3(selp, t));
  } else {
    u->c = dec_src(d, 3, dec_type(d, 1));
    u->aux = dec_has(d, PTX_M_ftz);
    dec_set_handler(d, dec_type(d, 1) == PTX_T_f32 ? PICK_W3(slctf, t) : PICK_W3(slct, t));
  }
}

/* ---- logic ---- */

static void logic_op(struct decoder *d, enum ptx_handler pred, enum ptx_handler b16,
                     enum ptx_handler b32, enum ptx_handler b64, unsigned n_src) {
  enum ptx_type t = dec_type(d, 0);
  if (t == PTX_T_pred) {
    dec_pred_op(d, pred, n_src);
    return;
  }
  dec_operands(d, t, n_src);
  dec_set_handler(d, ptx_type_bytes(t) == 2 ? b16 : ptx_type_bytes(t) == 4 ? b32 : b64);
}

void dec_logic(struct decoder *d) {
#define LOGIC(n, n_src)                                                                            \
  logic_op(d, PTX_H_##n##_pred, PTX_H_##n##_b16, PTX_H_##n##_b32, PTX_H_##n##_b64, n_src)
  switch ((int)d->insn->op) {
  case PTX_OP_and:
    LOGIC(and, 2);
    break;
  case PTX_OP_or:
    LOGIC(or, 2);
    break;
  case PTX_OP_xor:
    LOGIC(xor, 2);
    break;
  case PTX_OP_not:
    LOGIC(not, 1);
    break;
  default:
    logic_op(d, PTX_H_none, PTX_H_cnot_b16, PTX_H_cnot_b32, PTX_H_cnot_b64, 1);
  }
#undef LOGIC
}

void dec_lop3(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  bool boolop = dec_has(d, PTX_M_and) || dec_has(d, PTX_M_or);
  uint32_t first, second;
  dec_pair_dst(d, 0, &first, &second);
  u->a = dec_src(d, 1, PTX_T_b32);
  u->b = dec_src(d, 2, PTX_T_b32);
  u->c = dec_src(d, 3, PTX_T_b32);
  u->aux = (uint8_t)d->insn->opnds[4].imm;
  u->d = first == UINT32_MAX ? 0 : first;
  u->aux3 = first == UINT32_MAX;
  if (boolop) {
    bool neg = false;
    uint32_t *list = dec_list(d, 3);
    if (list == NULL) return;
    u->aux2 = second == UINT32_MAX ? 0 : dec_has(d, PTX_M_and) ? 1 : 2;
    list[0] = second;
    list[1] = dec_pred_src(d, 5, &neg);
    list[2] = neg ? FULL : 0;
    u->x.list = list;
  }
  u->kind = PTX_K_PLAIN;
  u->h = PTX_H_lop3;
}

void dec_shift(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  enum ptx_type t = dec_type(d, 0);
  u->d = dec_dst(d, 0);
  u->a = dec_src(d, 1, t);
  if (d->insn->op == PTX_OP_shf) {
    u->b = dec_src(d, 2, PTX_T_b32);
    u->c = dec_src(d, 3, PTX_T_u32);
    u->aux = dec_has(d, PTX_M_wrap);
    dec_set_handler(d, dec_has(d, PTX_M_l) ? PTX_H_shf_l : PTX_H_shf_r);
    return;
  }
  u->b = dec_src(d, 2, PTX_T_u32);
  if (d->insn->op == PTX_OP_shl)
    dec_set_handler(d, PICK_W3(shl, t));
  else
    dec_set_handler(d, PICK_US6(shr, t));
}

void dec_prmt(struct decoder *d) {
  static const enum ptx_mod modes[] = {PTX_M_f4e, PTX_M_b4e, PTX_M_rc8,
                                       PTX_M_ecl, PTX_M_ecr, PTX_M_rc16};
  dec_operands(d, PTX_T_b32, 3);
  for (unsigned k = 0; k < 6; k++)
    if (dec_has(d, modes[k])) d->uop->aux = (uint8_t)(k + 1);
  dec_set_handler(d, PTX_H_prmt);
}

/* ---- fields of bits ---- */

void dec_popc(struct decoder *d) {
  dec_operands(d, dec_type(d, 0), 1);
  dec_set_handler(d, PICK_W2(popc, dec_type(d, 0)));
}

void dec_clz(struct decoder *d) {
  dec_operands(d, dec_type(d, 0), 1);
  dec_set_handler(d, PICK_W2(clz, dec_type(d, 0)));
}

void dec_brev(struct decoder *d) {
  dec_operands(d, dec_type(d, 0), 1);
  dec_set_handler(d, PICK_W2(brev, dec_type(d, 0)));
}

void dec_bfind(struct decoder *d) {
  dec_operands(d, dec_type(d, 0), 1);
  d->uop->aux = dec_has(d, PTX_M_shiftamt);
  dec_set_handler(d, PICK_US4(bfind, dec_type(d, 0)));
}

void dec_fns(struct decoder *d) {
  dec_operands(d, PTX_T_b32, 3);
  dec_set_handler(d, PTX_H_fns);
}

void dec_bfe(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  enum ptx_type t = dec_type(d, 0);
  u->d = dec_dst(d, 0);
  u->a = dec_src(d, 1, t);
  u->b = dec_src(d, 2, PTX_T_u32);
  u->c = dec_src(d, 3, PTX_T_u32);
  dec_set_handler(d, PICK_US4(bfe, t));
}

void dec_bfi(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  enum ptx_type t = dec_type(d, 0);
  uint32_t *list = dec_list(d, 1);
  if (list == NULL) return;
  u->d = dec_dst(d, 0);
  u->a = dec_src(d, 1, t);
  u->b = dec_src(d, 2, t);
  u->c = dec_src(d, 3, PTX_T_u32);
  list[0] = dec_src(d, 4, PTX_T_u32);
  u->x.list = list;
  dec_set_handler(d, PICK_W2(bfi, t));
}

void dec_szext(struct decoder *d) {
  dec_operands(d, PTX_T_b32, 2);
  d->uop->aux = dec_has(d, PTX_M_wrap);
  d->uop->is_signed = ptx_type_is_signed(dec_type(d, 0));
  dec_set_handler(d, PTX_H_szext);
}

void dec_bmsk(struct decoder *d) {
  dec_operands(d, PTX_T_b32, 2);
  d->uop->aux = dec_has(d, PTX_M_wrap);
  dec_set_handler(d, PTX_H_bmsk);
}

/* dp4a, dp2a: products of bytes, summed */
void dec_dot(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  dec_operands(d, PTX_T_b32, 3);
  u->aux = ptx_type_is_signed(dec_type(d, 0));
  u->aux2 = ptx_type_is_signed(dec_type(d, 1));
  u->aux3 = dec_has(d, PTX_M_hi);
  dec_set_handler(d, d->insn->op == PTX_OP_dp4a ? PTX_H_dp4a : PTX_H_dp2a);
}
