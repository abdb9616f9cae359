/* The register block of a warp as it is laid out: slots of constants, parameters and special
 * registers, places of variables. */
#include <stdarg.h>

#include "base/mem.h"
#include "exec/decode_program.h"

enum { MAX_REG_BLOCK = 256 << 20 };

bool dec_fail(struct decoder *d, const char *fmt, ...) {
  if (d->is_failed) return false;
  d->is_failed = true;
  const struct ptx_module *m = d->insn != NULL ? dec_func(d)->module : d->image->module;
  struct weir_where where = {.file = m->path, .source = m->source, .source_len = m->source_len};
  if (d->insn != NULL) where.line = d->insn->line, where.col = d->insn->col;
  va_list ap;
  va_start(ap, fmt);
  weir_vfail_at(d->err, WEIR_EPARSE, &where, fmt, ap);
  va_end(ap);
  return false;
}

/* ---- slots ---- */

uint32_t dec_new_slot(struct decoder *d, unsigned bytes_per_lane) {
  if (d->next_slot > MAX_REG_BLOCK) {
    dec_fail(d, "the kernel needs more than %d MiB of registers for one warp", MAX_REG_BLOCK >> 20);
    return 0;
  }
  uint32_t at = (d->next_slot + 63) & ~63u;
  d->next_slot = at + bytes_per_lane * LANES;
  return at;
}

uint32_t dec_reg(struct decoder *d, uint32_t reg) {
  return d->reg_offset[d->func][reg];
}

const struct ptx_func *dec_func(const struct decoder *d) {
  return d->prog->funcs[d->func].ir;
}

enum ptx_type dec_reg_type(const struct decoder *d, uint32_t reg) {
  return dec_func(d)->regs[reg].type;
}

unsigned dec_reg_bytes(const struct decoder *d, uint32_t reg) {
  enum ptx_type t = dec_reg_type(d, reg);
  return t == PTX_T_pred ? 0 : ptx_type_bytes(t);
}

int dec_func_index(const struct decoder *d, const struct ptx_func *f) {
  for (uint32_t i = 0; i < d->prog->n_funcs; i++)
    if (d->prog->funcs[i].ir == f) return (int)i;
  return -1;
}

const struct ptx_fused *dec_fused(const struct decoder *d, const struct ptx_insn *in) {
  const struct ptx_fused *f = d->fused[d->func];
  return f != NULL ? &f[in - dec_func(d)->insns] : NULL;
}

const uint32_t *dec_kept(const struct decoder *d, uint32_t i) {
  return d->kept[d->func][i];
}

uint32_t *dec_list(struct decoder *d, unsigned n) {
  uint32_t *list = weir_arena_array(&d->prog->arena, n ? n : 1, sizeof *list);
  if (list == NULL) dec_fail(d, "out of memory");
  return list;
}

uint32_t dec_const(struct decoder *d, uint64_t value, unsigned bytes) {
  if (bytes > 8) {
    dec_fail(d, "a 16-byte operand must be a register");
    return 0;
  }
  if (bytes < 8) value &= (UINT64_C(1) << (8 * bytes)) - 1;
  for (size_t i = 0; i < d->consts.n; i++)
    if (d->consts.v[i].value == value && d->consts.v[i].bytes == bytes) return d->consts.v[i].slot;
  struct ptx_const_slot s = {
      .slot = dec_new_slot(d, bytes), .bytes = (uint8_t)bytes, .value = value};
  if (!WEIR_PUSH(d->consts, s)) dec_fail(d, "out of memory");
  return s.slot;
}

uint32_t dec_sreg(struct decoder *d, enum ptx_sreg sreg, unsigned bytes) {
  for (size_t i = 0; i < d->sregs.n; i++)
    if (d->sregs.v[i].sreg == (uint16_t)sreg && d->sregs.v[i].bytes == bytes)
      return d->sregs.v[i].slot;
  struct ptx_sreg_slot s = {
      .slot = dec_new_slot(d, bytes), .bytes = (uint8_t)bytes, .sreg = (uint16_t)sreg};
  if (!WEIR_PUSH(d->sregs, s)) dec_fail(d, "out of memory");
  return s.slot;
}

uint32_t dec_param(struct decoder *d, uint32_t offset, unsigned bytes, unsigned reg_bytes,
                   bool is_signed) {
  for (size_t i = 0; i < d->params.n; i++) {
    const struct ptx_param_slot *p = &d->params.v[i];
    if (p->offset == offset && p->bytes == bytes && p->reg_bytes == reg_bytes &&
        p->is_signed == is_signed)
      return p->slot;
  }
  struct ptx_param_slot s = {.slot = dec_new_slot(d, reg_bytes),
                             .offset = offset,
                             .bytes = (uint8_t)bytes,
                             .reg_bytes = (uint8_t)reg_bytes,
                             .is_signed = is_signed};
  if (!WEIR_PUSH(d->params, s)) dec_fail(d, "out of memory");
  return s.slot;
}

/* ---- variables ---- */

static struct dec_place *find_place(struct decoder *d, const struct ptx_var *var) {
  var = ptx_linked_var(d->image->module, var);
  for (size_t i = 0; i < d->places.n; i++)
    if (d->places.v[i].var == var) return &d->places.v[i];
  return NULL;
}

uint32_t dec_place(struct decoder *d, const struct ptx_var *var) {
  const struct dec_place *p = find_place(d, var);
  if (p == NULL) {
    dec_fail(d, "variable '%s' cannot be used here", var->name);
    return 0;
  }
  return p->offset;
}

void dec_put_place(struct decoder *d, const struct ptx_var *var, uint64_t offset) {
  if (offset > UINT32_MAX / 2) {
    dec_fail(d, "variable '%s' does not fit", var->name);
    return;
  }
  struct dec_place p = {var, (uint32_t)offset};
  if (!WEIR_PUSH(d->places, p)) dec_fail(d, "out of memory");
}

/* Shared variables that the kernel names, in order of first use; unsized ones begin where the
 * static ones end. */
static void place_shared(struct decoder *d, const struct ptx_operand *o, bool unsized,
                         uint64_t *end) {
  for (uint16_t k = 0; k < o->n_elem; k++)
    place_shared(d, &o->elem[k], unsized, end);
  if (o->var == NULL || o->var->space != PTX_SPACE_shared || find_place(d, o->var) != NULL) return;
  const struct ptx_var *v = ptx_linked_var(d->image->module, o->var);
  bool is_unsized = v->linkage == PTX_LINK_extern && v->bytes == 0;
  if (is_unsized != unsized) return;
  uint64_t at = dec_align_up(*end, v->align ? v->align : 1);
  dec_put_place(d, v, at);
  if (!unsized) *end = at + v->bytes;
}

void dec_place_shared(struct decoder *d) {
  uint64_t end = 0;
  for (int unsized = 0; unsized < 2; unsized++) {
    if (unsized) {
      end = dec_align_up(end, 16);
      d->prog->static_shared = (uint32_t)end;
    }
    for (uint32_t f = 0; f < d->prog->n_funcs; f++) {
      const struct ptx_func *ir = d->prog->funcs[f].ir;
      for (uint32_t i = 0; i < ir->n_insns && !d->is_failed; i++)
        for (unsigned k = 0; k < ir->insns[i].n_opnds; k++)
          place_shared(d, &ir->insns[i].opnds[k], unsized != 0, &end);
    }
  }
}
