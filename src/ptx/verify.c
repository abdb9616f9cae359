/* Operands against the slots of isa.def: kinds, types, spaces, calls. Immediates get the slot's
 * type here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ptx/device_library.h"
#include "ptx/geometry.h"
#include "ptx/matrix.h"
#include "ptx/parse.h"

struct check {
  struct parser *p;
  struct ptx_insn *in;
  const struct ptx_slot *slot;
  enum ptx_type type; /* the slot's, PTX_T_none = unchecked */
  const struct ptx_tok *at;
  unsigned number; /* of the operand, from 1 */
};

static const char *insn_name(const struct ptx_insn *in, char *buf, size_t len) {
  size_t used = (size_t)snprintf(buf, len, "%s", ptx_op_name((enum ptx_op)in->op));
  for (unsigned i = 0; i < in->n_mods && used < len; i++)
    used +=
        (size_t)snprintf(buf + used, len - used, ".%s", ptx_mod_name((enum ptx_mod)in->mods[i]));
  return buf;
}

static bool fail(const struct check *c, const char *what) {
  char name[200];
  return parse_error(c->p, c->at, "operand %u of '%s' must be %s", c->number,
                     insn_name(c->in, name, sizeof name), what);
}

static enum ptx_type reg_type(const struct check *c, const struct ptx_operand *o) {
  return c->p->regs.v[o->reg].type;
}

static bool check_reg(const struct check *c, const struct ptx_operand *o, enum ptx_type want,
                      bool wider_ok) {
  char name[200];
  enum ptx_type have = reg_type(c, o);
  if (o->neg) return parse_error(c->p, c->at, "'!' is for predicates that are read");
  if (o->half && c->slot->kind != 'v' && c->slot->kind != 'u' && c->slot->kind != 'V')
    return parse_error(c->p, c->at, "only video instructions select parts of a register");
  if (want == PTX_T_none || ptx_type_fits(want, have, wider_ok)) return true;
  return parse_error(c->p, c->at,
                     "operand %u of '%s': register '%s' has type .%s, which does not fit .%s",
                     c->number, insn_name(c->in, name, sizeof name), c->p->regs.v[o->reg].name,
                     ptx_type_name(have), ptx_type_name(want));
}

static bool is_imm(const struct ptx_operand *o) {
  return o->kind == PTX_O_int || o->kind == PTX_O_f32 || o->kind == PTX_O_f64;
}

static void to_f32(struct ptx_operand *o) {
  if (o->kind != PTX_O_f64) return;
  double d;
  uint32_t u;
  memcpy(&d, &o->imm, sizeof d);
  float f = (float)d;
  memcpy(&u, &f, sizeof u);
  o->kind = PTX_O_f32;
  o->imm = u;
}

static void to_f64(struct ptx_operand *o) {
  if (o->kind != PTX_O_f32) return;
  uint32_t u = (uint32_t)o->imm;
  float f;
  memcpy(&f, &u, sizeof f);
  double d = f;
  memcpy(&o->imm, &d, sizeof d);
  o->kind = PTX_O_f64;
}

/* An immediate takes the type of its slot: 1.5 becomes 0f3FC00000 in an .f32 instruction. */
static bool check_imm(const struct check *c, struct ptx_operand *o, enum ptx_type want) {
  char name[200];
  bool is_float = o->kind != PTX_O_int;
  if (want == PTX_T_none) return true;
  if (want >= PTX_T_f16 && want <= PTX_T_bf16x2) {
    fail(c, "a register: half-precision types have no constants");
    parse_remedy(c->p, "remedy: move the bits into a register with mov.b16 or mov.b32 first");
    return false;
  }
  if (want == PTX_T_f32 || want == PTX_T_f64) {
    if (!is_float) {
      parse_error(c->p, c->at, "operand %u of '%s' must be a floating-point constant", c->number,
                  insn_name(c->in, name, sizeof name));
      parse_remedy(c->p, "write it with a point, or as 0f... or 0d...");
      return false;
    }
    if (want == PTX_T_f32) to_f32(o);
    if (want == PTX_T_f64) to_f64(o);
    return true;
  }
  if (!is_float) return true;
  if (want == PTX_T_b32) {
    to_f32(o);
  } else if (want == PTX_T_b64) {
    to_f64(o);
  } else if (!ptx_type_is_float(want)) {
    return parse_error(c->p, c->at,
                       "operand %u of '%s': a floating-point constant does not fit .%s", c->number,
                       insn_name(c->in, name, sizeof name), ptx_type_name(want));
  }
  return true;
}

static bool check_source(const struct check *c, struct ptx_operand *o) {
  if (o->kind == PTX_O_reg) return check_reg(c, o, c->type, c->slot->wider_ok);
  if (is_imm(o)) return check_imm(c, o, c->type);
  if (o->kind == PTX_O_sreg) {
    parse_error(c->p, c->at, "'%s' does not read special registers",
                ptx_op_name((enum ptx_op)c->in->op));
    parse_remedy(c->p, "remedy: copy %s into a register with mov first", ptx_sreg_name(o->sreg));
    return false;
  }
  return fail(c, "a register or a constant");
}

static enum ptx_type sreg_type(enum ptx_sreg s) {
  static const uint8_t types[] = {
#define PTX_SREG(id, text, type) PTX_T_##type,
#include "ptx/sregs.def"
#undef PTX_SREG
  };
  return (enum ptx_type)types[s];
}

static bool check_sreg(const struct check *c, const struct ptx_operand *o) {
  char name[200];
  enum ptx_type have = sreg_type(o->sreg);
  /* 16-bit moves of 32-bit special registers come from old code and take the low half. */
  if (ptx_type_fits(c->type, have, true) &&
      (ptx_type_bytes(c->type) == ptx_type_bytes(have) || ptx_type_bytes(have) == 4))
    return true;
  return parse_error(c->p, c->at, "operand %u of '%s': special register %s has type .%s", c->number,
                     insn_name(c->in, name, sizeof name), ptx_sreg_name(o->sreg),
                     ptx_type_name(have));
}

/* mov packs and unpacks: the elements together have the size of the type. */
static bool check_pack(const struct check *c, struct ptx_operand *o, bool is_dst) {
  unsigned bytes = 0, n = o->n_elem;
  if (n != 2 && n != 4) return fail(c, "a register, or a vector of 2 or 4");
  for (unsigned i = 0; i < n; i++) {
    struct ptx_operand *e = &o->elem[i];
    unsigned each = ptx_type_bytes(c->type) / n;
    if (e->kind == PTX_O_reg && !e->neg && reg_type(c, e) != PTX_T_pred)
      each = ptx_type_bytes(reg_type(c, e));
    else if (!(is_dst ? e->kind == PTX_O_sink : e->kind == PTX_O_int))
      return fail(c, "a vector of registers");
    bytes += each;
  }
  char name[200];
  if (bytes == ptx_type_bytes(c->type)) return true;
  return parse_error(c->p, c->at, "operand %u of '%s': the vector has %u bits, not %u", c->number,
                     insn_name(c->in, name, sizeof name), bytes * 8, ptx_type_bytes(c->type) * 8);
}

static bool check_mov_source(const struct check *c, struct ptx_operand *o) {
  if (o->kind == PTX_O_vec) return check_pack(c, o, false);
  if (o->kind == PTX_O_sreg) return check_sreg(c, o);
  if (o->kind == PTX_O_var || o->kind == PTX_O_func)
    return ptx_type_is_float(c->type) || ptx_type_bytes(c->type) < 4
               ? fail(c, "an integer type wide enough for an address")
               : true;
  return check_source(c, o);
}

static unsigned vector_width(const struct ptx_insn *in) {
  return ptx_has(in, PTX_M_v2) ? 2 : ptx_has(in, PTX_M_v4) ? 4 : ptx_has(in, PTX_M_v8) ? 8 : 1;
}

static bool check_data_part(const struct check *c, struct ptx_operand *o, bool is_store) {
  if (o->kind == PTX_O_reg) return check_reg(c, o, c->type, true);
  if (is_store && is_imm(o)) return check_imm(c, o, c->type);
  return fail(c, is_store ? "a register or a constant" : "a register");
}

/* Data of ld and st. */
static bool check_data(const struct check *c, struct ptx_operand *o) {
  bool is_store = c->slot->kind == 'S';
  unsigned width = vector_width(c->in);
  char name[200];
  if (width == 1 && o->kind == PTX_O_sink && !is_store) return fail(c, "a register");
  if (width == 1) return check_data_part(c, o, is_store);
  if (o->kind != PTX_O_vec || o->n_elem != width)
    return parse_error(c->p, c->at, "operand %u of '%s' must be a vector of %u", c->number,
                       insn_name(c->in, name, sizeof name), width);
  unsigned bytes = width * ptx_type_bytes(c->type);
  if (bytes > 32 || c->type == PTX_T_b128 || (width == 8 && bytes < 32))
    return parse_error(c->p, c->at, "'%s': no vector of %u .%s can be accessed at once",
                       insn_name(c->in, name, sizeof name), width, ptx_type_name(c->type));
  for (unsigned i = 0; i < width; i++) {
    if (o->elem[i].kind == PTX_O_sink && !is_store) continue;
    if (!check_data_part(c, &o->elem[i], is_store)) return false;
  }
  return true;
}

static enum ptx_space insn_space(const struct ptx_insn *in) {
  for (unsigned i = 0; i < in->n_mods; i++) {
    switch ((int)in->mods[i]) {
    case PTX_M_const:
      return PTX_SPACE_const;
    case PTX_M_global:
      return PTX_SPACE_global;
    case PTX_M_local:
      return PTX_SPACE_local;
    case PTX_M_param:
    case PTX_M_param_entry:
    case PTX_M_param_func:
      return PTX_SPACE_param;
    case PTX_M_shared:
    case PTX_M_shared_cta:
    case PTX_M_shared_cluster:
      return PTX_SPACE_shared;
    default:
      break;
    }
  }
  return PTX_SPACE_none;
}

static const char *space_name(enum ptx_space s) {
  static const char *const names[] = {"generic", ".reg",   ".sreg",   ".const", ".global",
                                      ".local",  ".param", ".shared", ".tex"};
  return names[s];
}

static bool check_addr(const struct check *c, const struct ptx_operand *o) {
  if (o->kind != PTX_O_addr) return fail(c, "an address in brackets");
  enum ptx_space space = insn_space(c->in);
  bool exact = c->in->op == PTX_OP_ld || c->in->op == PTX_OP_st || c->in->op == PTX_OP_atom ||
               c->in->op == PTX_OP_red || c->in->op == PTX_OP_ldu;
  if (o->var) {
    if (exact && space != PTX_SPACE_none && o->var->space != space)
      return parse_error(c->p, c->at, "variable '%s' is in %s, the instruction accesses %s",
                         o->var->name, space_name(o->var->space), space_name(space));
    return true;
  }
  if (!o->has_base) return true; /* absolute */
  enum ptx_type t = reg_type(c, o);
  unsigned bytes = ptx_type_bytes(t);
  if (t == PTX_T_pred || ptx_type_is_float(t) || (bytes != 4 && bytes != 8))
    return parse_error(c->p, c->at, "register '%s' of type .%s cannot hold an address",
                       c->p->regs.v[o->reg].name, ptx_type_name(t));
  if (bytes == 4 && exact && (space == PTX_SPACE_none || space == PTX_SPACE_global))
    return parse_error(c->p, c->at, "a %s address needs a 64-bit register, '%s' has type .%s",
                       space_name(space), c->p->regs.v[o->reg].name, ptx_type_name(t));
  return true;
}

static bool is_pred_or_sink(const struct check *c, const struct ptx_operand *o) {
  return o->kind == PTX_O_sink || (o->kind == PTX_O_reg && !o->neg && reg_type(c, o) == PTX_T_pred);
}

/* ---- textures and surfaces ---- */

/* Data of texture and surface instructions; `is_store`: it is read. */
static bool check_tex_data(const struct check *c, struct ptx_operand *o, bool is_store) {
  unsigned width = vector_width(c->in);
  char name[200];
  if (!is_store && o->kind == PTX_O_pair) {
    if (!is_pred_or_sink(c, &o->elem[1])) return fail(c, "a vector, or a vector and a predicate");
    o = &o->elem[0];
  }
  if (width * ptx_type_bytes(c->type) > 16)
    return parse_error(c->p, c->at, "'%s' moves more than 16 bytes",
                       insn_name(c->in, name, sizeof name));
  if (width == 1 && o->kind != PTX_O_vec) return check_data_part(c, o, is_store);
  if (o->kind != PTX_O_vec || o->n_elem != width)
    return parse_error(c->p, c->at, "operand %u of '%s' must be a vector of %u", c->number,
                       insn_name(c->in, name, sizeof name), width);
  for (unsigned i = 0; i < width; i++) {
    if (o->elem[i].kind == PTX_O_sink && !is_store) continue;
    if (!check_data_part(c, &o->elem[i], is_store)) return false;
  }
  return true;
}

/* One coordinate, gradient or offset. */
static bool check_tex_part(const struct check *c, struct ptx_operand *o, enum ptx_type type) {
  if (o->kind == PTX_O_reg) return check_reg(c, o, type, false);
  if (is_imm(o)) return check_imm(c, o, type);
  return fail(c, "made of registers and constants");
}

static bool check_tex_vector(const struct check *c, struct ptx_operand *o) {
  unsigned axes = ptx_geometry_of(c->in).n_axes;
  if (o->kind != PTX_O_vec && axes == 1) return check_tex_part(c, o, c->type);
  if (o->kind != PTX_O_vec || o->n_elem > 4 || o->n_elem == 3 || o->n_elem < axes)
    return fail(c, axes == 1 ? "a vector" : axes == 2 ? "a vector of 2" : "a vector of 4");
  for (unsigned i = 0; i < o->n_elem; i++)
    if (!check_tex_part(c, &o->elem[i], c->type)) return false;
  return true;
}

static bool is_tex_object(const struct check *c, const struct ptx_operand *o) {
  if (o->kind == PTX_O_var) return o->var->type >= PTX_T_texref && o->imm == 0;
  return o->kind == PTX_O_reg && o->imm == 0 && ptx_type_fits(PTX_T_b64, reg_type(c, o), false);
}

/* [object, {coordinates}] or [object, sampler, {coordinates}]; the layer comes first. Vectors have
 * 1, 2 or 4 elements, and what is too much is ignored. */
static bool check_tex(const struct check *c, struct ptx_operand *o) {
  if (o->kind != PTX_O_tex) return fail(c, "a texture or surface with its coordinates");
  if (c->in->op == PTX_OP_cp) return true; /* a tensor: not executed */
  if (o->n_elem > 3) return fail(c, "a texture or surface with its coordinates");
  for (unsigned i = 0; i + 1 < o->n_elem; i++)
    if (!is_tex_object(c, &o->elem[i]))
      return fail(c, "a texture or surface (a variable or a 64-bit register) with its coordinates");
  struct ptx_geometry g = ptx_geometry_of(c->in);
  if (g.dim == 0) return true; /* multisampled: not executed */
  struct ptx_operand *v = &o->elem[o->n_elem - 1];
  unsigned wanted = g.n_axes + (g.is_layered ? 1u : 0u), n = v->kind == PTX_O_vec ? v->n_elem : 1;
  char name[200];
  if (n < wanted || n > 4 || n == 3)
    return parse_error(c->p, c->at, "'%s' takes %u coordinates%s, not %u",
                       insn_name(c->in, name, sizeof name), wanted,
                       wanted == 3 ? " in a vector of 4" : "", n);
  bool is_surface = ptx_form(c->in->form)->cls != WEIR_C_TEX;
  enum ptx_type type = is_surface ? PTX_T_b32 : ptx_insn_type(c->in, 1);
  for (unsigned i = 0; i < n; i++)
    if (!check_tex_part(c, v->kind == PTX_O_vec ? &v->elem[i] : v,
                        g.is_layered && i == 0 ? PTX_T_b32 : type))
      return false;
  return true;
}

static bool check_pred_dst(const struct check *c, const struct ptx_operand *o) {
  if (o->kind == PTX_O_pair)
    return (is_pred_or_sink(c, &o->elem[0]) && is_pred_or_sink(c, &o->elem[1])) ||
           fail(c, "one or two predicates");
  return (o->kind == PTX_O_reg && is_pred_or_sink(c, o)) || fail(c, "a predicate");
}

static bool check_reg_pred(const struct check *c, const struct ptx_operand *o) {
  if (o->kind == PTX_O_pair) {
    if (o->elem[0].kind != PTX_O_sink && o->elem[0].kind != PTX_O_reg)
      return fail(c, "a register, or a register and a predicate");
    if (!is_pred_or_sink(c, &o->elem[1])) return fail(c, "a register and a predicate");
    return o->elem[0].kind == PTX_O_sink || check_reg(c, &o->elem[0], c->type, false);
  }
  if (o->kind != PTX_O_reg) return fail(c, "a register, or a register and a predicate");
  return check_reg(c, o, c->type, false);
}

static bool check_pred_src(const struct check *c, const struct ptx_operand *o) {
  if (o->kind == PTX_O_int && !o->neg) return true;
  if (o->kind == PTX_O_sreg && sreg_type(o->sreg) == PTX_T_pred) return true;
  return (o->kind == PTX_O_reg && reg_type(c, o) == PTX_T_pred) || fail(c, "a predicate");
}

static bool check_dst(const struct check *c, const struct ptx_operand *o) {
  if (o->kind == PTX_O_sink && (c->in->op == PTX_OP_atom || c->in->op == PTX_OP_mbarrier))
    return true;
  if (o->kind != PTX_O_reg) return fail(c, "a register");
  return check_reg(c, o, c->type, c->slot->wider_ok);
}

static bool check_space_source(const struct check *c, struct ptx_operand *o) {
  if (o->kind == PTX_O_var || (o->kind == PTX_O_func)) return true;
  if (o->kind == PTX_O_reg && c->in->op == PTX_OP_isspacep &&
      ptx_type_fits(PTX_T_b32, reg_type(c, o), false))
    return true;
  return check_source(c, o);
}

/* A fragment: as many registers (of a source, or constants) as the instruction's shape and types
 * ask for, all of their size. */
static bool check_fragment(const struct check *c, struct ptx_operand *o) {
  struct ptx_matrix x;
  enum ptx_role role = ptx_matrix_operand(c->in, c->number - 1);
  char name[200];
  if (role == PTX_FRAGS || !ptx_matrix_of(c->in, &x)) return fail(c, "a matrix fragment");
  const struct ptx_frag *f = &x.frag[role];
  unsigned n = o->kind == PTX_O_vec ? o->n_elem : 1;
  if (n != f->n_regs)
    return parse_error(c->p, c->at, "operand %u of '%s' must have %u registers", c->number,
                       insn_name(c->in, name, sizeof name), f->n_regs);
  for (unsigned i = 0; i < n; i++) {
    struct ptx_operand *e = o->kind == PTX_O_vec ? &o->elem[i] : o;
    if (c->slot->kind == 'G' && is_imm(e)) {
      if (!check_imm(c, e, f->reg_bytes == 8 ? PTX_T_b64 : PTX_T_b32)) return false;
      continue;
    }
    if (e->kind != PTX_O_reg) return fail(c, "a vector of registers");
    if (!check_reg(c, e, PTX_T_none, false)) return false;
    if (reg_type(c, e) == PTX_T_pred || ptx_type_bytes(reg_type(c, e)) != f->reg_bytes)
      return fail(c, f->reg_bytes == 8 ? "of 64-bit registers" : "of 32-bit registers");
  }
  return true;
}

/* cp.async: the bytes to copy, or a predicate that says to copy none. */
static bool check_copy_size(const struct check *c, struct ptx_operand *o) {
  if (o->kind == PTX_O_reg && reg_type(c, o) == PTX_T_pred) return true;
  return check_source(c, o);
}

static bool check_operand(const struct check *c, struct ptx_operand *o) {
  switch (c->slot->kind) {
  case 'd':
    return check_dst(c, o);
  case 'o':
    if (o->kind == PTX_O_vec) return check_pack(c, o, true);
    return check_dst(c, o);
  case 'x':
    return check_mov_source(c, o);
  case 'w':
    return o->kind == PTX_O_sreg ? check_sreg(c, o) : check_source(c, o);
  case 'r':
    return check_reg_pred(c, o);
  case 'P':
    return check_pred_dst(c, o);
  case 'p':
    return check_pred_src(c, o);
  case 'i':
    return o->kind == PTX_O_int || fail(c, "an integer constant");
  case 'M':
    return check_addr(c, o);
  case 'D':
  case 'S':
    return check_data(c, o);
  case 'y':
    return check_space_source(c, o);
  case 'F':
  case 'G':
    return check_fragment(c, o);
  case 'z':
    return check_copy_size(c, o);
  case 'X':
    return check_tex(c, o);
  case 't':
  case 's':
    return check_tex_data(c, o, c->slot->kind == 's');
  case 'g':
    return check_tex_vector(c, o);
  case 'u':
    if (o->kind != PTX_O_reg) return fail(c, "a register");
    return check_reg(c, o, PTX_T_b32, false);
  case 'v':
    if (o->kind == PTX_O_reg) return check_reg(c, o, PTX_T_b32, false);
    return o->kind == PTX_O_int || fail(c, "a register or a constant");
  case 'V':
  case 'L':
  case 'T':
    return true;
  default:
    return check_source(c, o);
  }
}

/* ---- video instructions ---- */

/* .h10 or .b3210: which of the `most` parts each lane takes. */
static bool is_selection(const struct ptx_operand *o, unsigned lanes, unsigned most) {
  if (o->half == 0) return true;
  if (o->half != (lanes == 2 ? 8 : 7) || o->imm >> 32 != lanes) return false;
  for (unsigned i = 0; i < lanes; i++)
    if ((o->imm >> 4 * i & 15) >= most) return false;
  return true;
}

/* .h1 or .b20: parts that are wanted, in descending order. */
static bool is_mask(const struct ptx_operand *o, unsigned lanes) {
  if (o->half == 0) return true;
  if (o->half < 7) return lanes == 2 ? o->half >= 5 : o->half <= 4;
  if (o->half != (lanes == 2 ? 8 : 7) || o->imm >> 32 > lanes) return false;
  for (unsigned i = 0; i < o->imm >> 32; i++) {
    unsigned part = o->imm >> 4 * i & 15, above = o->imm >> 4 * (i + 1) & 15;
    if (part >= lanes || (i + 1 < o->imm >> 32 && above <= part)) return false;
  }
  return true;
}

static bool verify_video(struct parser *p, const struct ptx_insn *in, const struct ptx_tok *toks) {
  unsigned lanes = ptx_video_lanes((enum ptx_op)in->op);
  const struct ptx_operand *o = in->opnds;
  if (lanes == 0) return true;
  for (unsigned i = 0; i < in->n_opnds; i++) {
    bool ok = i == 3       ? o[i].half == 0
              : lanes == 1 ? o[i].half < 7
              : i == 0     ? is_mask(&o[i], lanes)
                           : is_selection(&o[i], lanes, 2 * lanes);
    if (!ok)
      return parse_error(p, &toks[i], "'%s' cannot have this selector at operand %u",
                         ptx_op_name((enum ptx_op)in->op), i + 1);
  }
  bool has_then = ptx_has(in, PTX_M_add) || ptx_has(in, PTX_M_min) || ptx_has(in, PTX_M_max);
  if (lanes == 1 && o[0].half != 0 && (has_then || in->n_opnds < 4 || in->op == PTX_OP_vmad))
    return parse_error(
        p, &toks[0], "a result goes into a part of a fourth operand, not of a secondary operation");
  if (in->op == PTX_OP_vmad && o[3].minus && o[1].minus != o[2].minus)
    return parse_error(p, &toks[3], "vmad negates the product or the last operand, not both");
  return true;
}

bool verify_insn(struct parser *p, struct ptx_insn *in, const struct ptx_tok *at,
                 const struct ptx_tok *toks) {
  const struct ptx_form *f = ptx_form(in->form);
  (void)at;
  for (unsigned i = 0; i < in->n_opnds; i++) {
    const struct ptx_slot *s = ptx_slot_at(f, in->n_opnds, i);
    struct check c = {p, in, s, ptx_slot_type_of(s, in), &toks[i], i + 1};
    if (in->opnds[i].minus && (in->op != PTX_OP_vmad || i == 0 || ptx_has(in, PTX_M_po)))
      return parse_error(p, &toks[i], "only vmad without .po takes the negative of a register");
    if (!check_operand(&c, &in->opnds[i])) return false;
  }
  return verify_video(p, in, toks);
}

/* ---- calls ---- */

static bool check_argument(struct parser *p, const struct ptx_operand *o,
                           const struct ptx_var *want, const struct ptx_tok *at, const char *what,
                           unsigned number) {
  struct ptx_tok here = *at;
  here.col = o->col;
  here.len = 1;
  here.line = at->line;
  if (o->kind == PTX_O_var) {
    if (o->var->bytes == want->bytes || want->bytes == 0) return true;
    return parse_error(p, &here, "%s %u has %llu bytes, the function wants %llu", what, number,
                       (unsigned long long)o->var->bytes, (unsigned long long)want->bytes);
  }
  if (o->kind == PTX_O_reg) {
    enum ptx_type have = p->regs.v[o->reg].type;
    if (want->n_dims == 0 && ptx_type_fits(want->type, have, false)) return true;
    return parse_error(p, &here, "%s %u is a register of type .%s, the function wants .%s%s", what,
                       number, ptx_type_name(have), ptx_type_name(want->type),
                       want->n_dims ? "[]" : "");
  }
  if (o->kind == PTX_O_int || o->kind == PTX_O_f32 || o->kind == PTX_O_f64) return true;
  if (o->kind == PTX_O_sink && strcmp(what, "result") == 0) return true;
  return parse_error(p, &here, "%s %u must be a .param variable, a register or a constant", what,
                     number);
}

static bool check_list(struct parser *p, const struct ptx_operand *list, const struct ptx_var *want,
                       uint32_t n, const struct ptx_tok *at, const char *what, const char *name) {
  /* A last parameter without a size takes the arguments of a variadic function. */
  if (list->n_elem != n)
    return parse_error(p, at, "'%s' has %u %s%s, this call gives %u", name, n, what,
                       n == 1 ? "" : "s", list->n_elem);
  for (uint32_t i = 0; i < n; i++)
    if (!check_argument(p, &list->elem[i], &want[i], at, what, i + 1)) return false;
  return true;
}

bool verify_call(struct parser *p, struct ptx_insn *in, const struct ptx_tok *at,
                 const struct ptx_tok *toks) {
  struct ptx_operand *target = &in->opnds[1];
  struct ptx_table *t = in->n_opnds == 4 ? in->opnds[3].table : NULL;
  if (target->kind == PTX_O_func) {
    struct ptx_func *f = target->func;
    if (f->is_entry)
      return parse_error(p, &toks[1], "'%s' is a kernel and cannot be called", f->name);
    return check_list(p, &in->opnds[0], f->rets, f->n_rets, &toks[0], "result", f->name) &&
           check_list(p, &in->opnds[2], f->params, f->n_params, &toks[2], "parameter", f->name);
  }
  if (target->kind != PTX_O_reg || !ptx_type_fits(PTX_T_b64, p->regs.v[target->reg].type, false))
    return parse_error(p, &toks[1], "a call needs a function or a 64-bit register");
  if (!t) return parse_error(p, at, "an indirect call needs a .callprototype or .calltargets");
  const struct ptx_var *rets = t->rets, *params = t->params;
  uint32_t n_rets = t->n_rets, n_params = t->n_params;
  if (t->kind == PTX_CALLTARGETS) {
    rets = t->funcs[0]->rets, n_rets = t->funcs[0]->n_rets;
    params = t->funcs[0]->params, n_params = t->funcs[0]->n_params;
  }
  return check_list(p, &in->opnds[0], rets, n_rets, &toks[0], "result", t->name) &&
         check_list(p, &in->opnds[2], params, n_params, &toks[2], "parameter", t->name);
}

/* ---- what cannot be executed ---- */

struct missing_list {
  struct ptx_module *m;
  struct ptx_unsupported *v;
  size_t n, cap;
};

static bool add_missing(struct missing_list *l, const char *what, uint32_t line) {
  for (size_t i = 0; i < l->n; i++) {
    if (strcmp(l->v[i].what, what)) continue;
    l->v[i].count++;
    return true;
  }
  struct ptx_unsupported u = {weir_arena_strndup(&l->m->arena, what, strlen(what)), 1, line};
  return u.what != NULL && WEIR_PUSH(*l, u);
}

/* Lines of linked modules mean nothing without their file. */
static bool add_missing_in(struct missing_list *l, const struct ptx_func *f, const char *what,
                           uint32_t line) {
  char buf[600];
  if (l->m->n_parts < 2) return add_missing(l, what, line);
  snprintf(buf, sizeof buf, "%.250s: %.300s", f->module->path, what);
  return add_missing(l, buf, line);
}

static bool missing_in_insn(struct missing_list *l, const struct ptx_func *in_func,
                            const struct ptx_insn *in) {
  char buf[300];
  if (!ptx_form(in->form)->exec)
    return add_missing_in(l, in_func, insn_name(in, buf, sizeof buf), in->line);
  for (unsigned k = 0; k < in->n_opnds; k++)
    if (in->opnds[k].kind == PTX_O_tex && in->opnds[k].n_elem > 2)
      return add_missing_in(l, in_func, "texture with a sampler of its own", in->line);
  if (in->op != PTX_OP_call) return true;
  const struct ptx_operand *target = &in->opnds[1];
  if (target->kind == PTX_O_reg) return true; /* what it reaches is known when it runs */
  const struct ptx_func *f = ptx_callee(l->m, target->func);
  if (!f->has_body && ptx_builtin_find(f) == PTX_B_NONE) {
    snprintf(buf, sizeof buf, "call of '%.200s', which has no body here", f->name);
    return add_missing_in(l, in_func, buf, in->line);
  }
  return true;
}

static int by_line(const void *a, const void *b) {
  const struct ptx_unsupported *x = a, *y = b;
  if (x->first_line != y->first_line) return x->first_line < y->first_line ? -1 : 1;
  return strcmp(x->what, y->what);
}

bool ptx_list_unsupported(struct ptx_module *m) {
  struct missing_list l = {.m = m};
  bool ok = true;
  if (strstr(m->target, "map_f64_to_f32")) ok = add_missing(&l, ".target map_f64_to_f32", 1);
  for (uint32_t i = 0; ok && i < m->n_vars; i++)
    if (m->vars[i]->type == PTX_T_samplerref || m->vars[i]->space == PTX_SPACE_tex)
      ok = add_missing(&l, "sampler variables and .tex variables", m->vars[i]->line);
    else if (m->vars[i]->type >= PTX_T_texref && m->vars[i]->n_dims > 0)
      ok = add_missing(&l, "arrays of textures and surfaces", m->vars[i]->line);
  for (uint32_t i = 0; ok && i < m->n_funcs; i++)
    for (uint32_t k = 0; ok && k < m->funcs[i]->n_insns; k++)
      ok = missing_in_insn(&l, m->funcs[i], &m->funcs[i]->insns[k]);
  if (ok && l.n) {
    struct ptx_unsupported *kept = weir_arena_array(&m->arena, l.n, sizeof *kept);
    ok = kept != NULL;
    if (ok) memcpy(kept, l.v, l.n * sizeof *kept);
    if (ok) qsort(kept, l.n, sizeof *kept, by_line);
    m->unsupported = kept;
    m->n_unsupported = ok ? (uint32_t)l.n : 0;
  }
  free(l.v);
  return ok;
}
