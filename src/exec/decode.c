/* Programs: from a kernel and what it calls to micro-operations and the tables that timing needs.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exec/decode_program.h"
#include "exec/stray.h"
#include "ptx/outline.h"
#include "ptx/registers.h"

static bool allocate_code(struct decoder *d) {
  struct ptx_program *p = d->prog;
  uint64_t n = 0;
  for (uint32_t f = 0; f < p->n_funcs; f++) {
    p->funcs[f].entry = (uint32_t)n;
    n += p->funcs[f].ir->n_insns + 1u; /* falling off the end is a return */
    p->funcs[f].end = (uint32_t)n;
  }
  p->n_code = (uint32_t)n;
  p->code = weir_arena_array(&p->arena, n, sizeof *p->code);
  p->insn = weir_arena_array(&p->arena, n, sizeof *p->insn);
  p->func_of = weir_arena_array(&p->arena, n, sizeof *p->func_of);
  p->statics = weir_arena_array(&p->arena, n, sizeof *p->statics);
  if (p->code == NULL || p->insn == NULL || p->func_of == NULL || p->statics == NULL)
    return dec_fail(d, "out of memory");
  return true;
}

static bool decode_all(struct decoder *d) {
  struct ptx_program *p = d->prog;
  static const struct ptx_insn implied_ret = {.op = PTX_OP_ret};
  if (!allocate_code(d)) return false;
  for (uint32_t f = 0; f < p->n_funcs; f++) {
    const struct ptx_func *ir = p->funcs[f].ir;
    d->func = f;
    for (uint32_t i = 0; i <= ir->n_insns; i++) {
      uint32_t pc = p->funcs[f].entry + i;
      p->func_of[pc] = f;
      p->insn[pc] = i < ir->n_insns ? &ir->insns[i] : &implied_ret;
      d->insn = p->insn[pc];
      d->uop = &p->code[pc];
      if (!dec_instruction(d)) return false;
    }
  }
  d->insn = NULL;
  for (uint32_t pc = 0; pc < p->n_code; pc++)
    dec_fill_static(d, pc, p->insn[pc] == &implied_ret);
  dec_mark_code(d);
  return true;
}

/* What is known of the text to who orders instructions; the return that it does not have is none of
 * it. */
static bool make_outline(struct decoder *d) {
  struct ptx_program *p = d->prog;
  struct weir_outline_insn *insns = weir_arena_array(&p->arena, p->n_code, sizeof *insns);
  struct ptx_outline_loops loops = {0};
  bool ok = insns != NULL;
  for (uint32_t f = 0; ok && f < p->n_funcs; f++) {
    size_t before = loops.n;
    uint32_t at = p->funcs[f].entry;
    ok = ptx_outline_find(p->funcs[f].ir, d->reg_base[f], insns + at, &loops);
    insns[p->funcs[f].end - 1] =
        (struct weir_outline_insn){.flags = WEIR_OUTLINE_LEADER, .base = WEIR_NO_REG};
    for (size_t i = before; i < loops.n; i++)
      loops.v[i].first += at, loops.v[i].last += at;
  }
  struct weir_outline *outline = weir_arena_alloc(&p->arena, sizeof *outline);
  const struct weir_outline_loop *copy =
      ok ? weir_arena_copy(&p->arena, loops.v, loops.n, sizeof *loops.v) : NULL;
  free(loops.v);
  if (outline == NULL || copy == NULL) return dec_fail(d, "out of memory");
  *outline = (struct weir_outline){.insns = insns, .loops = copy, .n_loops = (uint32_t)loops.n};
  p->outline = outline;
  return true;
}

static bool copy_slots(struct decoder *d) {
  struct ptx_program *p = d->prog;
#define KEEP(field)                                                                                \
  p->field = weir_arena_array(&p->arena, d->field.n + 1, sizeof *p->field);                        \
  if (p->field == NULL) return dec_fail(d, "out of memory");                                       \
  if (d->field.n > 0) memcpy(p->field, d->field.v, d->field.n * sizeof *p->field);                 \
  p->n_##field = (uint32_t)d->field.n;
  KEEP(consts)
  KEEP(params)
  KEEP(sregs)
#undef KEEP
  return true;
}

/* Addresses that indirect calls can meet. */
static bool index_functions(struct decoder *d) {
  const struct ptx_module *m = d->image->module;
  struct ptx_program *p = d->prog;
  bool has_indirect = false;
  for (uint32_t pc = 0; pc < p->n_code; pc++)
    has_indirect |= p->code[pc].kind == PTX_K_ICALL;
  if (!has_indirect) return true;
  p->func_at = weir_arena_array(&p->arena, m->n_funcs + 1u, sizeof *p->func_at);
  if (p->func_at == NULL) return dec_fail(d, "out of memory");
  for (uint32_t i = 0; i < m->n_funcs; i++) {
    int f = dec_func_index(d, m->funcs[i]);
    p->func_at[i] = f >= 0 ? (uint32_t)f : UINT32_MAX;
  }
  return true;
}

static bool build_program(struct decoder *d, const struct ptx_func *entry) {
  struct ptx_program *p = d->prog;
  d->next_slot = SLOT_FIRST;
  if (!dec_reach_functions(d, entry)) return false;
  d->reg_offset = weir_arena_array(&p->arena, p->n_funcs, sizeof *d->reg_offset);
  d->reg_base = weir_arena_array(&p->arena, p->n_funcs, sizeof *d->reg_base);
  d->fused = weir_arena_array(&p->arena, p->n_funcs, sizeof *d->fused);
  d->kept = weir_arena_array(&p->arena, p->n_funcs, sizeof *d->kept);
  if (d->reg_offset == NULL || d->reg_base == NULL || d->fused == NULL || d->kept == NULL)
    return dec_fail(d, "out of memory");
  uint32_t n_regs = 0, peak = 0;
  for (uint32_t f = 0; f < p->n_funcs; f++)
    if (!dec_lay_out(d, f, &n_regs) || !dec_find_zeroed(d, f, &peak) || !dec_contract(d, f))
      return false;
  p->n_stream_regs = n_regs;
  p->regs_estimate = ptx_estimate_registers(entry, d->image->module->sm, peak);
  dec_place_shared(d);
  if (d->is_failed || !dec_find_stack(d) || !dec_find_interleaving(d)) return false;
  p->fixed_lo = (d->next_slot + 63) & ~63u;
  d->next_slot = p->fixed_lo;
  if (!decode_all(d) || !make_outline(d) || !copy_slots(d) || !index_functions(d)) return false;
  p->reg_bytes = (d->next_slot + 63) & ~63u;
  return true;
}

enum weir_status ptx_program_build(const struct ptx_image *image, const char *kernel,
                                   const struct ptx_exec_cfg *cfg, struct ptx_program **out,
                                   struct weir_err *err) {
  *out = NULL;
  const struct ptx_func *entry = ptx_find_func(image->module, kernel);
  if (entry == NULL || !entry->is_entry || !entry->has_body) {
    weir_fail(err, WEIR_ENOENT, "%s: no kernel '%s'", image->module->path, kernel);
    for (uint32_t i = 0, n = 0; i < image->module->n_funcs && n < 8; i++)
      if (image->module->funcs[i]->is_entry) {
        weir_err_add(err, "it has: %s", image->module->funcs[i]->name);
        n++;
      }
    return WEIR_ENOENT;
  }
  struct ptx_program *p = weir_calloc(1, sizeof *p);
  if (p == NULL) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  p->image = image;
  p->entry = entry;
  struct weir_err local = {0};
  struct decoder d = {.prog = p, .image = image, .cfg = cfg, .err = err != NULL ? err : &local};
  bool ok = build_program(&d, entry);
  if (ok && image->dev->mem.is_chunked && !ptx_homes_find(p)) ok = dec_fail(&d, "out of memory");
  free(d.places.v);
  free(d.consts.v);
  free(d.params.v);
  free(d.sregs.v);
  free(d.taken.v);
  if (!ok) {
    ptx_program_free(p);
    return WEIR_EPARSE;
  }
  *out = p;
  return WEIR_OK;
}

void ptx_program_free(struct ptx_program *prog) {
  if (prog == NULL) return;
  weir_arena_free(&prog->arena);
  free(prog);
}

const struct ptx_func *ptx_program_entry(const struct ptx_program *prog) {
  return prog->entry;
}

const struct ptx_module *ptx_program_module(const struct ptx_program *prog) {
  return prog->image->module;
}

uint32_t ptx_program_n_insns(const struct ptx_program *prog) {
  return prog->n_code;
}

const struct ptx_func *ptx_program_func(const struct ptx_program *prog, uint32_t i,
                                        uint32_t *first) {
  if (i >= prog->n_funcs) return NULL;
  *first = prog->funcs[i].entry;
  return prog->funcs[i].ir;
}
