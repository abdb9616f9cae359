/* Video instructions: parts of registers as lanes. */
#include "exec/decode_operand.h"
#include "exec/decode_ops.h"
#include "exec/video.h"

static enum ptx_video_op video_op(enum ptx_op op) {
  switch ((int)op) {
  case PTX_OP_vadd:
  case PTX_OP_vadd2:
  case PTX_OP_vadd4:
    return PTX_V_ADD;
  case PTX_OP_vsub:
  case PTX_OP_vsub2:
  case PTX_OP_vsub4:
    return PTX_V_SUB;
  case PTX_OP_vabsdiff:
  case PTX_OP_vabsdiff2:
  case PTX_OP_vabsdiff4:
    return PTX_V_ABSDIFF;
  case PTX_OP_vavrg2:
  case PTX_OP_vavrg4:
    return PTX_V_AVRG;
  case PTX_OP_vmin:
  case PTX_OP_vmin2:
  case PTX_OP_vmin4:
    return PTX_V_MIN;
  case PTX_OP_vmax:
  case PTX_OP_vmax2:
  case PTX_OP_vmax4:
    return PTX_V_MAX;
  case PTX_OP_vshl:
    return PTX_V_SHL;
  case PTX_OP_vshr:
    return PTX_V_SHR;
  default: /* vset; vmad has a handler of its own */
    return PTX_V_SET;
  }
}

/* Which part each lane takes: as the selector says, or in order from `first` on. */
static void video_parts(const struct ptx_operand *o, unsigned lanes, unsigned first,
                        uint8_t at[4]) {
  if (lanes == 1) {
    at[0] = o->half;
    return;
  }
  for (unsigned k = 0; k < lanes; k++)
    at[k] = (uint8_t)(o->half == 0 ? first + k : o->imm >> 4 * k & 15);
}

static uint8_t video_mask(const struct ptx_operand *o, unsigned lanes) {
  unsigned mask = 0;
  if (o->half == 0) return (uint8_t)((1u << lanes) - 1);
  if (o->half < 7) return (uint8_t)(1u << (lanes == 2 ? o->half - 5 : o->half - 1));
  for (unsigned k = 0; k < o->imm >> 32; k++)
    mask |= 1u << (o->imm >> 4 * k & 15);
  return (uint8_t)mask;
}

void dec_video(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  const struct ptx_operand *o = d->insn->opnds;
  bool is_mad = d->insn->op == PTX_OP_vmad;
  struct ptx_video *v = weir_arena_alloc(&d->prog->arena, sizeof *v);
  if (v == NULL) {
    dec_fail(d, "out of memory");
    return;
  }
  v->op = (uint8_t)video_op((enum ptx_op)d->insn->op);
  bool is_set = v->op == PTX_V_SET && !is_mad;
  v->lanes = (uint8_t)ptx_video_lanes((enum ptx_op)d->insn->op);
  v->then = dec_has(d, PTX_M_add)   ? PTX_V_THEN_ADD
            : dec_has(d, PTX_M_min) ? PTX_V_THEN_MIN
            : dec_has(d, PTX_M_max) ? PTX_V_THEN_MAX
                                    : PTX_V_PLAIN;
  v->cmp = (uint8_t)dec_comparison(d);
  v->sat = dec_has(d, PTX_M_sat);
  v->wrap = dec_has(d, PTX_M_wrap);
  v->d_signed = ptx_type_is_signed(dec_type(d, 0)); /* of vset the first operand's, as on an H200 */
  v->a_signed = ptx_type_is_signed(dec_type(d, is_set ? 0 : 1));
  v->b_signed = ptx_type_is_signed(dec_type(d, is_set ? 1 : 2));
  video_parts(&o[1], v->lanes, 0, v->a_at);
  video_parts(&o[2], v->lanes, v->lanes, v->b_at);
  v->mask = v->lanes > 1 ? video_mask(&o[0], v->lanes) : 0;
  v->d_at = v->lanes == 1 ? o[0].half : 0;
  v->scale = dec_has(d, PTX_M_shr7) ? 7 : dec_has(d, PTX_M_shr15) ? 15 : 0;
  v->neg_ab = o[1].minus != o[2].minus;
  v->neg_c = is_mad && o[3].minus;
  v->plus_one = dec_has(d, PTX_M_po);
  u->d = dec_dst(d, 0);
  u->a = dec_src(d, 1, PTX_T_b32);
  u->b = dec_src(d, 2, PTX_T_b32);
  u->c = d->insn->n_opnds > 3 ? dec_src(d, 3, PTX_T_b32) : u->a;
  u->x.video = v;
  dec_set_handler(d, is_mad ? PTX_H_vmad : v->lanes > 1 ? PTX_H_video_simd : PTX_H_video);
}
