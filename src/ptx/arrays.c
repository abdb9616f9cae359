#include "ptx/arrays.h"

#include <stdlib.h>

#include "base/mem.h"
#include "ptx/liveness.h"

/* What is known about a register's value, each level above the ones before: iteration only climbs,
 * so that it ends. */
enum level {
  NUMBER,     /* no address, as far as anybody says */
  LOADED,     /* was in memory, and may be any address; added to one, it is an offset */
  MAYBE,      /* comes from one parameter, which may be a pointer */
  MAYBE_MANY, /* from several of these */
  POINTER,    /* an address in one array */
  MANY        /* in one of several, or in an unknown one */
};

struct finder {
  struct weir_arrays *a;
  struct {
    struct weir_array *v;
    size_t n, cap;
  } list;
  bool changed, failed;
  bool is_settled; /* sums are complete: definitions may be held against each other */
};

/* Both parts are in the value. */
static struct weir_origin both(struct weir_origin x, struct weir_origin y) {
  if (x.level != y.level) return x.level > y.level ? x : y;
  if (x.array != y.array && (x.level == MAYBE || x.level == POINTER)) x.level++;
  return x;
}

static struct weir_origin array_origin(struct finder *f, const struct ptx_var *var, uint64_t offset,
                                       enum level level) {
  struct weir_array array = {var, offset};
  uint32_t i = 0;
  while (i < f->list.n && (f->list.v[i].var != var || f->list.v[i].offset != offset))
    i++;
  if (i == f->list.n && !WEIR_PUSH(f->list, array)) f->failed = true;
  return (struct weir_origin){(uint8_t)level, i};
}

static struct weir_origin of_operand(struct finder *f, const struct ptx_operand *o) {
  if (o->kind == PTX_O_reg) return f->a->origin[o->reg];
  if (o->kind == PTX_O_var) return array_origin(f, o->var, 0, POINTER);
  return (struct weir_origin){0};
}

/* One definition of a register whose others are in an array leads somewhere else, as that of a
 * pointer does that starts in an array and walks along a list. */
static bool leads_away(struct weir_origin all, struct weir_origin one) {
  if (all.level != MAYBE && all.level != POINTER) return false;
  return one.level == LOADED || one.level == MAYBE_MANY ||
         (one.level == MAYBE && one.array != all.array);
}

static void raise_to(struct finder *f, uint32_t reg, struct weir_origin o) {
  struct weir_origin *old = &f->a->origin[reg], now = both(*old, o);
  if (f->is_settled && leads_away(now, o)) now.level++;
  if (now.level != old->level) f->changed = true;
  *old = now;
}

static void define(struct finder *f, const struct ptx_insn *in, struct weir_origin o) {
  if (in->opnds[0].kind == PTX_O_reg) raise_to(f, in->opnds[0].reg, o);
}

/* ---- instructions ---- */

static bool is_param(const struct ptx_func *f, const struct ptx_operand *o) {
  return f->is_entry && o->kind == PTX_O_addr && !o->has_base && o->var != NULL &&
         o->var->space == PTX_SPACE_param;
}

static void load_target(void *ctx, uint32_t reg, bool is_def) {
  struct finder *f = ctx;
  if (is_def && ptx_type_bytes(f->a->func->regs[reg].type) == 8)
    raise_to(f, reg, (struct weir_origin){.level = LOADED});
}

static void load(struct finder *f, const struct ptx_insn *in) {
  const struct ptx_operand *to = &in->opnds[0], *from = &in->opnds[1];
  unsigned bytes = ptx_type_bytes(ptx_insn_type(in, 0));
  if (!is_param(f->a->func, from)) ptx_visit_regs(in, load_target, f);
  if (!is_param(f->a->func, from) || bytes != 8) return;
  enum level level = from->var->has_ptr_attr ? POINTER : MAYBE;
  if (to->kind == PTX_O_reg) raise_to(f, to->reg, array_origin(f, from->var, from->imm, level));
  for (uint16_t k = 0; to->kind == PTX_O_vec && k < to->n_elem; k++)
    if (to->elem[k].kind == PTX_O_reg)
      raise_to(f, to->elem[k].reg, array_origin(f, from->var, from->imm + k * bytes, level));
}

struct mix {
  struct finder *f;
  uint8_t level; /* the highest that goes in */
};

static void note_source(void *ctx, uint32_t reg, bool is_def) {
  struct mix *m = ctx;
  uint8_t level = m->f->a->origin[reg].level;
  if (!is_def && level > m->level) m->level = level;
}

static void lose_target(void *ctx, uint32_t reg, bool is_def) {
  struct mix *m = ctx;
  if (is_def) raise_to(m->f, reg, (struct weir_origin){.level = m->level > LOADED ? MANY : LOADED});
}

/* Of an instruction that nobody makes addresses with: one that goes in comes out unknown. */
static void mix(struct finder *f, const struct ptx_insn *in) {
  struct mix m = {f, NUMBER};
  ptx_visit_regs(in, note_source, &m);
  if (m.level > NUMBER) ptx_visit_regs(in, lose_target, &m);
}

static void step(struct finder *f, const struct ptx_insn *in) {
  struct weir_origin o;
  switch ((enum ptx_op)in->op) {
  case PTX_OP_ld:
    load(f, in);
    break;
  case PTX_OP_ldu:
  case PTX_OP_atom:
    ptx_visit_regs(in, load_target, f);
    break;
  case PTX_OP_call:
    mix(f, in);
    ptx_visit_regs(in, load_target, f);
    break;
  case PTX_OP_selp: /* one of two, no sum */
    define(f, in, of_operand(f, &in->opnds[1]));
    define(f, in, of_operand(f, &in->opnds[2]));
    break;
  case PTX_OP_cvta:
    o = of_operand(f, &in->opnds[1]);
    if (o.level == MAYBE || o.level == MAYBE_MANY) o.level = o.level == MAYBE ? POINTER : MANY;
    define(f, in, o);
    break;
  case PTX_OP_mov:
    if (in->opnds[0].kind == PTX_O_reg && in->opnds[1].kind != PTX_O_vec)
      define(f, in, of_operand(f, &in->opnds[1]));
    else
      mix(f, in);
    break;
  case PTX_OP_cvt:
    define(f, in, of_operand(f, &in->opnds[1]));
    break;
  case PTX_OP_add:
  case PTX_OP_sub:
  case PTX_OP_and:
  case PTX_OP_or:
  case PTX_OP_xor:
  case PTX_OP_min:
  case PTX_OP_max:
    define(f, in, both(of_operand(f, &in->opnds[1]), of_operand(f, &in->opnds[2])));
    break;
  case PTX_OP_mad:
    define(f, in, of_operand(f, &in->opnds[3]));
    break;
  case PTX_OP_mul:
  case PTX_OP_shl:
  case PTX_OP_shr:
  case PTX_OP_div:
  case PTX_OP_rem:
  case PTX_OP_setp:
  case PTX_OP_st:
  case PTX_OP_red:
    break; /* what comes out is a number */
  default:
    mix(f, in);
  }
}

/* ---- all of it ---- */

static bool find(struct finder *f) {
  struct weir_arrays *a = f->a;
  const struct ptx_func *fn = a->func;
  a->origin = weir_arena_array(&a->arena, fn->n_regs + 1u, sizeof *a->origin);
  if (a->origin == NULL) return false;
  /* A sum whose pointer is not known yet looks like what was loaded: definitions are compared when
   * all are known. From then on only the levels of many are reached. */
  for (bool is_done = false; !is_done && !f->failed; f->is_settled |= !f->changed) {
    f->changed = false;
    for (uint32_t i = 0; !f->failed && i < fn->n_insns; i++)
      step(f, &fn->insns[i]);
    is_done = !f->changed && f->is_settled;
  }
  /* Variables that instructions name themselves. */
  for (uint32_t i = 0; !f->failed && i < fn->n_insns; i++)
    for (unsigned k = 0; k < fn->insns[i].n_opnds; k++) {
      const struct ptx_operand *o = &fn->insns[i].opnds[k];
      if (o->kind == PTX_O_addr && !o->has_base && o->var != NULL)
        array_origin(f, o->var, o->var->space == PTX_SPACE_param ? o->imm : 0, POINTER);
    }
  a->v = f->failed ? NULL : weir_arena_array(&a->arena, f->list.n + 1, sizeof *a->v);
  if (a->v == NULL) return false;
  for (a->n = 0; a->n < f->list.n; a->n++)
    a->v[a->n] = f->list.v[a->n];
  return true;
}

enum weir_status weir_arrays_find(struct weir_arrays *a, const struct ptx_func *f,
                                  struct weir_err *err) {
  *a = (struct weir_arrays){.func = f};
  struct finder finder = {.a = a};
  bool ok = find(&finder);
  free(finder.list.v);
  if (ok) return WEIR_OK;
  weir_arrays_free(a);
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

void weir_arrays_free(struct weir_arrays *a) {
  weir_arena_free(&a->arena);
  *a = (struct weir_arrays){0};
}

uint32_t weir_array_at(const struct weir_arrays *a, const struct ptx_operand *o) {
  if (o->has_base) {
    const struct weir_origin *r = &a->origin[o->reg];
    return r->level == MAYBE || r->level == POINTER ? r->array : WEIR_NO_ARRAY;
  }
  for (uint32_t i = 0; i < a->n; i++)
    if (o->var != NULL && a->v[i].var == o->var &&
        (o->var->space != PTX_SPACE_param || a->v[i].offset == o->imm))
      return i;
  return WEIR_NO_ARRAY;
}

uint32_t weir_array_of(const struct weir_arrays *a, const struct ptx_insn *in) {
  uint32_t found = WEIR_NO_ARRAY;
  for (unsigned k = 0; k < in->n_opnds && found == WEIR_NO_ARRAY; k++) {
    if (in->opnds[k].kind != PTX_O_addr) continue;
    found = weir_array_at(a, &in->opnds[k]);
    if (in->opnds[k].has_base) break;
  }
  return found;
}
