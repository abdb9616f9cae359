/* Texture and surface instructions to micro-operations. */
#include "exec/decode_operand.h"
#include "exec/decode_ops.h"
#include "exec/tex_insn.h"

/* The handle: a register, or what a reference's name stands for. */
static uint32_t object_slot(struct decoder *d, const struct ptx_operand *o) {
  if (o->kind == PTX_O_reg || (o->kind == PTX_O_addr && o->has_base)) {
    if (dec_reg_bytes(d, o->reg) == 8 && o->imm == 0) return dec_reg(d, o->reg);
  } else if (o->var != NULL && o->var->type >= PTX_T_texref) {
    if (o->var->space == PTX_SPACE_param && dec_func(d)->is_entry)
      return dec_param(d, (uint32_t)o->var->offset, 8, 8, false);
    if (o->var->space != PTX_SPACE_param) return dec_const(d, ptx_image_addr(d->image, o->var), 8);
  }
  dec_fail(d, "a texture or surface must be a variable of that type or a 64-bit register");
  return 0;
}

/* Element i of a vector, or the operand itself. */
static const struct ptx_operand *part(const struct ptx_operand *o, unsigned i) {
  return o->kind == PTX_O_vec ? &o->elem[i] : o;
}

static void decode_coordinates(struct decoder *d, struct ptx_tex_op *t,
                               const struct ptx_operand *o) {
  enum ptx_type type = t->is_integer ? PTX_T_s32 : PTX_T_f32;
  const struct ptx_operand *v = &o->elem[o->n_elem - 1];
  unsigned first = t->geometry.is_layered ? 1 : 0;
  if (o->n_elem != 2) {
    dec_fail(d, "a texture with a sampler of its own is not executed");
    return;
  }
  t->object = object_slot(d, &o->elem[0]);
  if (first) t->coord[PTX_TEX_LAYER] = dec_source(d, part(v, 0), PTX_T_b32);
  for (unsigned k = 0; k < t->geometry.n_axes; k++)
    t->coord[k] = dec_source(d, part(v, first + k), type);
}

/* Offsets are the last operand of those forms that have them. */
static void decode_offset(struct decoder *d, struct ptx_tex_op *t, unsigned at) {
  if (at >= d->insn->n_opnds) return;
  t->has_offset = true;
  for (unsigned k = 0; k < t->geometry.n_axes; k++)
    t->offset[k] = dec_source(d, part(&d->insn->opnds[at], k), PTX_T_s32);
}

static uint8_t action_of(const struct decoder *d) {
  switch ((enum ptx_op)d->insn->op) {
  case PTX_OP_tex:
    return PTX_TEX_SAMPLE;
  case PTX_OP_tld4:
    return PTX_TEX_GATHER;
  case PTX_OP_suld:
    return PTX_SURF_LOAD;
  case PTX_OP_sust:
    return PTX_SURF_STORE;
  default:
    return PTX_SURF_REDUCE;
  }
}

static uint8_t atom_of(const struct decoder *d) {
  return dec_has(d, PTX_M_min)   ? PTX_ATOM_MIN
         : dec_has(d, PTX_M_max) ? PTX_ATOM_MAX
         : dec_has(d, PTX_M_and) ? PTX_ATOM_AND
         : dec_has(d, PTX_M_or)  ? PTX_ATOM_OR
                                 : PTX_ATOM_ADD;
}

static void decode_access(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  struct ptx_tex_op *t = weir_arena_alloc(&d->prog->arena, sizeof *t);
  if (t == NULL) {
    dec_fail(d, "out of memory");
    return;
  }
  uint8_t action = action_of(d);
  bool is_texture = action <= PTX_TEX_GATHER, is_store = action >= PTX_SURF_STORE;
  *t = (struct ptx_tex_op){.geometry = ptx_geometry_of(d->insn),
                           .action = action,
                           .component = dec_has(d, PTX_M_g)   ? 1
                                        : dec_has(d, PTX_M_b) ? 2
                                        : dec_has(d, PTX_M_a) ? 3
                                                              : 0,
                           .clamp = dec_has(d, PTX_M_trap)    ? PTX_SURF_TRAP
                                    : dec_has(d, PTX_M_clamp) ? PTX_SURF_CLAMP
                                                              : PTX_SURF_ZERO,
                           .atom = atom_of(d),
                           .type = (uint8_t)ptx_insn_type(d->insn, 0),
                           .is_formatted = !is_texture && dec_has(d, PTX_M_p),
                           .is_integer = !is_texture || ptx_insn_type(d->insn, 1) == PTX_T_s32,
                           .pred = UINT32_MAX};
  const struct ptx_operand *data = &d->insn->opnds[is_store ? 1 : 0];
  if (data->kind == PTX_O_pair) {
    if (data->elem[1].kind == PTX_O_reg) t->pred = dec_reg(d, data->elem[1].reg);
    data = &data->elem[0];
  }
  dec_data(d, data, is_store);
  decode_coordinates(d, t, &d->insn->opnds[is_store ? 0 : 1]);
  if (is_texture) decode_offset(d, t, dec_has(d, PTX_M_grad) ? 4 : dec_has(d, PTX_M_level) ? 3 : 2);
  t->data = u->x.list;
  u->x.tex = t;
  u->space = PTX_SPACE_tex;
  u->kind = PTX_K_MEM;
  u->h = PTX_H_tex;
}

static void decode_query(struct decoder *d) {
  static const struct {
    enum ptx_mod m;
    enum ptx_tex_query q;
  } map[] = {{PTX_M_width, PTX_Q_WIDTH},
             {PTX_M_height, PTX_Q_HEIGHT},
             {PTX_M_depth, PTX_Q_DEPTH},
             {PTX_M_array_size, PTX_Q_ARRAY_SIZE},
             {PTX_M_channel_data_type, PTX_Q_DATA_TYPE},
             {PTX_M_channel_order, PTX_Q_ORDER},
             {PTX_M_normalized_coords, PTX_Q_NORMALISED},
             {PTX_M_num_mipmap_levels, PTX_Q_LEVELS},
             {PTX_M_num_samples, PTX_Q_SAMPLES},
             {PTX_M_filter_mode, PTX_Q_FILTER},
             {PTX_M_addr_mode_0, PTX_Q_ADDRESS_0},
             {PTX_M_addr_mode_1, PTX_Q_ADDRESS_1},
             {PTX_M_addr_mode_2, PTX_Q_ADDRESS_2},
             {PTX_M_force_unnormalized_coords, PTX_Q_UNNORMALISED},
             {PTX_M_memory_layout, PTX_Q_LAYOUT}};
  struct ptx_uop *u = d->uop;
  for (size_t k = 0; k < sizeof map / sizeof *map; k++)
    if (dec_has(d, map[k].m)) u->aux = (uint8_t)map[k].q;
  u->aux2 = d->insn->op == PTX_OP_suq;
  u->d = dec_reg(d, d->insn->opnds[0].reg);
  u->a = object_slot(d, &d->insn->opnds[1]);
  u->space = PTX_SPACE_tex;
  u->kind = PTX_K_MEM; /* it may fault */
  u->h = PTX_H_tex_query;
}

void dec_texture(struct decoder *d) {
  if (d->insn->op == PTX_OP_txq || d->insn->op == PTX_OP_suq)
    decode_query(d);
  else
    decode_access(d);
}
