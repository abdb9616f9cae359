/* Programs: which functions a kernel reaches, where their registers lie, and the tables that timing
 * needs. */
#include "exec/decode.h"

#include "base/mem.h"
#include "exec/stray.h"
#include "exec/sync.h"
#include "ptx/liveness.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static uint32_t new_slot(struct decoder *d, unsigned bytes_per_lane) {
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
  struct ptx_const_slot s = {.slot = new_slot(d, bytes), .bytes = (uint8_t)bytes, .value = value};
  if (!WEIR_PUSH(d->consts, s)) dec_fail(d, "out of memory");
  return s.slot;
}

uint32_t dec_sreg(struct decoder *d, enum ptx_sreg sreg, unsigned bytes) {
  for (size_t i = 0; i < d->sregs.n; i++)
    if (d->sregs.v[i].sreg == (uint16_t)sreg && d->sregs.v[i].bytes == bytes)
      return d->sregs.v[i].slot;
  struct ptx_sreg_slot s = {
      .slot = new_slot(d, bytes), .bytes = (uint8_t)bytes, .sreg = (uint16_t)sreg};
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
  struct ptx_param_slot s = {.slot = new_slot(d, reg_bytes),
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

static void put_place(struct decoder *d, const struct ptx_var *var, uint64_t offset) {
  if (offset > UINT32_MAX / 2) {
    dec_fail(d, "variable '%s' does not fit", var->name);
    return;
  }
  struct dec_place p = {var, (uint32_t)offset};
  if (!WEIR_PUSH(d->places, p)) dec_fail(d, "out of memory");
}

static uint64_t align_up(uint64_t v, uint64_t a) {
  return a > 1 ? (v + a - 1) / a * a : v;
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
  uint64_t at = align_up(*end, v->align ? v->align : 1);
  put_place(d, v, at);
  if (!unsized) *end = at + v->bytes;
}

static void place_all_shared(struct decoder *d) {
  uint64_t end = 0;
  for (int unsized = 0; unsized < 2; unsized++) {
    if (unsized) {
      end = align_up(end, 16);
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

/* ---- functions ---- */

static bool take_address(struct decoder *d, struct ptx_func *name) {
  const struct ptx_func *f = ptx_callee(d->image->module, name);
  for (size_t i = 0; i < d->taken.n; i++)
    if (d->taken.v[i] == f) return true;
  if (f->is_entry || !f->has_body) return true;
  return WEIR_PUSH(d->taken, f) || dec_fail(d, "out of memory");
}

static bool take_initialisers(struct decoder *d, const struct ptx_var *v) {
  bool ok = true;
  for (uint32_t i = 0; ok && i < v->n_relocs; i++)
    if (v->relocs[i].func != NULL) ok = take_address(d, v->relocs[i].func);
  return ok;
}

static bool take_operand(struct decoder *d, const struct ptx_operand *o) {
  bool ok = o->kind != PTX_O_func || take_address(d, o->func);
  for (uint16_t i = 0; ok && i < o->n_elem; i++)
    ok = take_operand(d, &o->elem[i]);
  return ok;
}

/* Every function of the module that an address in a register can mean. */
static bool find_taken(struct decoder *d) {
  const struct ptx_module *m = d->image->module;
  bool ok = true;
  d->has_taken = true;
  for (uint32_t i = 0; ok && i < m->n_vars; i++)
    ok = take_initialisers(d, m->vars[i]);
  for (uint32_t f = 0; ok && f < m->n_funcs; f++) {
    const struct ptx_func *ir = m->funcs[f];
    for (uint32_t i = 0; ok && i < ir->n_vars; i++)
      ok = take_initialisers(d, ir->vars[i]);
    for (uint32_t i = 0; ok && i < ir->n_insns; i++)
      for (unsigned k = 0; ok && ir->insns[i].op != PTX_OP_call && k < ir->insns[i].n_opnds; k++)
        ok = take_operand(d, &ir->insns[i].opnds[k]);
  }
  return ok;
}

static bool same_sizes(const struct ptx_var *a, const struct ptx_var *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (a[i].bytes != b[i].bytes || (a[i].type == PTX_T_pred) != (b[i].type == PTX_T_pred))
      return false;
  return true;
}

/* Can the function be called as the prototype says (or as the first of the targets can)? */
static bool fits(const struct ptx_table *t, const struct ptx_func *f) {
  bool is_list = t->kind == PTX_CALLTARGETS;
  const struct ptx_var *rets = is_list ? t->funcs[0]->rets : t->rets;
  const struct ptx_var *params = is_list ? t->funcs[0]->params : t->params;
  uint32_t n_rets = is_list ? t->funcs[0]->n_rets : t->n_rets;
  uint32_t n_params = is_list ? t->funcs[0]->n_params : t->n_params;
  return f->n_rets == n_rets && f->n_params == n_params && same_sizes(f->rets, rets, n_rets) &&
         same_sizes(f->params, params, n_params);
}

const struct ptx_func *dec_next_callee(struct decoder *d, const struct ptx_insn *in, size_t *k) {
  if (in->op != PTX_OP_call) return NULL;
  if (in->opnds[1].kind == PTX_O_func)
    return (*k)++ == 0 ? ptx_callee(d->image->module, in->opnds[1].func) : NULL;
  const struct ptx_table *t = in->opnds[3].table;
  bool is_list = t->kind == PTX_CALLTARGETS;
  if (!is_list && !d->has_taken && !find_taken(d)) return NULL;
  while (*k < (is_list ? t->n : d->taken.n)) {
    const struct ptx_func *f =
        is_list ? ptx_callee(d->image->module, t->funcs[*k]) : d->taken.v[*k];
    (*k)++;
    if (f->has_body && fits(t, f)) return f;
  }
  return NULL;
}

static bool reach_functions(struct decoder *d, const struct ptx_func *entry) {
  struct ptx_program *p = d->prog;
  p->funcs = weir_arena_array(&p->arena, d->image->module->n_funcs + 1u, sizeof *p->funcs);
  if (p->funcs == NULL) return dec_fail(d, "out of memory");
  p->funcs[p->n_funcs++].ir = entry;
  for (uint32_t f = 0; f < p->n_funcs; f++) {
    const struct ptx_func *ir = p->funcs[f].ir, *callee;
    for (uint32_t i = 0; i < ir->n_insns; i++)
      for (size_t k = 0; (callee = dec_next_callee(d, &ir->insns[i], &k)) != NULL;)
        if (callee->has_body && dec_func_index(d, callee) < 0) p->funcs[p->n_funcs++].ir = callee;
  }
  return !d->is_failed;
}

struct visit { /* of a function, while the calls are walked */
  enum { NOT_SEEN, ACTIVE, DONE } state;
  uint32_t caller, next; /* next: instruction to look at */
  size_t callee;         /* and which of the functions that it can call */
  uint64_t deepest;      /* bytes of local memory below it; with its own once it is done */
};

/* The next function that f calls, as an index; -1: no more. */
static int next_call(struct decoder *d, struct visit *v, const struct ptx_func *ir) {
  for (; v->next < ir->n_insns; v->next++, v->callee = 0) {
    const struct ptx_func *callee;
    while ((callee = dec_next_callee(d, &ir->insns[v->next], &v->callee)) != NULL) {
      int c = dec_func_index(d, callee);
      if (c >= 0) return c;
    }
  }
  return -1;
}

/* Which functions can be active twice, and the deepest stack otherwise: depth-first over the call
 * graph, without recursion because a module can nest its calls as deep as it likes. */
static uint64_t walk_calls(struct decoder *d, struct visit *v) {
  uint32_t f = 0;
  v[0].state = ACTIVE;
  for (;;) {
    uint32_t up = v[f].caller;
    int c = next_call(d, &v[f], d->prog->funcs[f].ir);
    if (c < 0) {
      v[f].state = DONE;
      v[f].deepest += d->prog->funcs[f].local_bytes;
      if (f == 0) return v[0].deepest;
      if (v[f].deepest > v[up].deepest) v[up].deepest = v[f].deepest;
      f = up;
      continue;
    }
    d->prog->has_calls = true;
    if (v[c].state == ACTIVE) {
      d->prog->is_recursive = true;
    } else if (v[c].state == NOT_SEEN) {
      v[c].state = ACTIVE;
      v[c].caller = f;
      f = (uint32_t)c;
    } else if (v[c].deepest > v[f].deepest) {
      v[f].deepest = v[c].deepest;
    }
  }
}

static bool find_stack(struct decoder *d) {
  struct visit *v = weir_calloc(d->prog->n_funcs, sizeof *v);
  if (v == NULL) return dec_fail(d, "out of memory");
  /* A stack that would be deeper than a thread's is found when it is used. */
  uint64_t deepest = walk_calls(d, v), most = align_up((uint64_t)d->cfg->stack_bytes, 16);
  d->prog->local_bytes = (uint32_t)(deepest < most ? deepest : most);
  free(v);
  /* Inside a cycle every function can be active twice: saving all of them is simple and rarely paid
   * for. */
  if (d->prog->is_recursive)
    for (uint32_t f = 1; f < d->prog->n_funcs; f++)
      d->prog->funcs[f].is_recursive = true;
  return true;
}

static uint32_t lane_bytes(enum ptx_type t) {
  return t == PTX_T_pred ? 0 : ptx_type_bytes(t);
}

/* All that a call of a recursive function must save. */
static bool list_contents(struct decoder *d, uint32_t f) {
  struct ptx_fn_info *info = &d->prog->funcs[f];
  const struct ptx_func *ir = info->ir;
  struct ptx_lanes *list = weir_arena_array(
      &d->prog->arena, (size_t)ir->n_regs + ir->n_params + ir->n_rets + ir->n_vars + 1,
      sizeof *list);
  if (list == NULL) return dec_fail(d, "out of memory");
  for (uint32_t r = 0; r < ir->n_regs; r++)
    list[info->n_contents++] =
        (struct ptx_lanes){d->reg_offset[f][r], lane_bytes(ir->regs[r].type)};
  for (uint32_t i = 0; i < ir->n_params; i++)
    if (!ir->is_entry && ir->params[i].space == PTX_SPACE_param)
      list[info->n_contents++] =
          (struct ptx_lanes){dec_place(d, &ir->params[i]), (uint32_t)ir->params[i].bytes};
  for (uint32_t i = 0; i < ir->n_rets; i++)
    if (ir->rets[i].space == PTX_SPACE_param)
      list[info->n_contents++] =
          (struct ptx_lanes){dec_place(d, &ir->rets[i]), (uint32_t)ir->rets[i].bytes};
  for (uint32_t i = 0; i < ir->n_vars; i++)
    if (ir->vars[i]->space == PTX_SPACE_param)
      list[info->n_contents++] =
          (struct ptx_lanes){dec_place(d, ir->vars[i]), (uint32_t)ir->vars[i]->bytes};
  info->contents = list;
  return !d->is_failed;
}

/* What the assembler would fuse, and room for factors that are needed longer than their registers
 * hold them. */
static bool contract_function(struct decoder *d, uint32_t f) {
  const struct ptx_func *ir = d->prog->funcs[f].ir;
  struct weir_arena *a = &d->prog->arena;
  if (!d->cfg->contract) return true;
  if (!ptx_contract(ir, a, &d->fused[f])) return dec_fail(d, "out of memory");
  if (d->fused[f] == NULL) return true;
  d->kept[f] = weir_arena_array(a, ir->n_insns, sizeof *d->kept[f]);
  if (d->kept[f] == NULL) return dec_fail(d, "out of memory");
  for (uint32_t i = 0; i < ir->n_insns; i++)
    for (uint32_t k = 0; k < 2 && d->fused[f][i].is_kept; k++)
      d->kept[f][i][k] = new_slot(d, ptx_type_bytes(ptx_insn_type(&ir->insns[i], 0)));
  return !d->is_failed;
}

static bool lay_out_function(struct decoder *d, uint32_t f, uint32_t *n_regs) {
  struct ptx_fn_info *info = &d->prog->funcs[f];
  const struct ptx_func *ir = info->ir;
  d->reg_base[f] = *n_regs;
  *n_regs += ir->n_regs;
  uint32_t *at = weir_arena_array(&d->prog->arena, ir->n_regs + 1u, sizeof *at);
  if (at == NULL) return dec_fail(d, "out of memory");
  d->reg_offset[f] = at;
  info->reg_lo = new_slot(d, 0);
  d->next_slot = info->reg_lo;
  for (uint32_t r = 0; r < ir->n_regs; r++)
    if (ir->regs[r].type == PTX_T_pred) {
      at[r] = d->next_slot;
      d->next_slot += 4;
    }
  for (uint32_t r = 0; r < ir->n_regs && !d->is_failed; r++)
    if (ir->regs[r].type != PTX_T_pred) at[r] = new_slot(d, ptx_type_bytes(ir->regs[r].type));
  for (uint32_t k = 0; k < 2 && !ir->is_entry; k++) {
    const struct ptx_var *vars = k == 0 ? ir->params : ir->rets;
    uint32_t n = k == 0 ? ir->n_params : ir->n_rets;
    for (uint32_t i = 0; i < n && !d->is_failed; i++)
      if (vars[i].space == PTX_SPACE_param)
        put_place(d, &vars[i], new_slot(d, (unsigned)vars[i].bytes));
  }
  uint64_t frame = 0;
  for (uint32_t i = 0; i < ir->n_vars && !d->is_failed; i++) {
    const struct ptx_var *v = ir->vars[i];
    if (v->space == PTX_SPACE_param) {
      if (v->bytes > 4096) return dec_fail(d, "parameter '%s' has more than 4096 bytes", v->name);
      put_place(d, v, new_slot(d, (unsigned)v->bytes));
    } else if (v->space == PTX_SPACE_local) {
      frame = align_up(frame, v->align ? v->align : 1);
      put_place(d, v, frame);
      frame += v->bytes;
    }
  }
  if (frame > (uint64_t)d->cfg->stack_bytes) {
    dec_fail(d, "function '%s' has %llu bytes of local variables, a thread has %lld", ir->name,
             (unsigned long long)frame, (long long)d->cfg->stack_bytes);
    weir_err_add(d->err, "remedy: raise exec.stack_bytes");
    return false;
  }
  info->local_bytes = (uint32_t)align_up(frame, 16);
  info->reg_hi = d->next_slot;
  return !d->is_failed && list_contents(d, f);
}

/* ---- what may be read before it is written ---- */

/* Registers live at a function's entry are zeroed there, so that results never depend on what ran
 * before. Divergence does not matter, since a use that any path reaches undefined is kept. */
static bool find_zeroed(struct decoder *d, uint32_t f, uint32_t *peak) {
  struct ptx_fn_info *info = &d->prog->funcs[f];
  const struct ptx_func *ir = info->ir;
  struct ptx_liveness live;
  uint32_t n = 0;
  if (!ptx_liveness_find(ir, NULL, &live)) return dec_fail(d, "out of memory");
  struct ptx_lanes *list = weir_arena_array(&d->prog->arena, ir->n_regs + 1u, sizeof *list);
  if (list == NULL || !ptx_peak_registers(ir, &live, &n)) dec_fail(d, "out of memory");
  for (uint32_t r = 0; ir->cfg.n_blocks > 0 && list != NULL && r < ir->n_regs; r++)
    if (ptx_is_live(&live, 0, r))
      list[info->n_zero++] = (struct ptx_lanes){d->reg_offset[f][r], lane_bytes(ir->regs[r].type)};
  info->zero = list;
  ptx_liveness_free(&live);
  if (n > *peak) *peak = n;
  return !d->is_failed;
}

/* ---- can blocks feel one another? ---- */

struct use_ctx {
  uint8_t *used;
};
static void note_use(void *ctx, uint32_t reg, bool is_def) {
  if (!is_def) ((struct use_ctx *)ctx)->used[reg] = 1;
}

static bool may_be_global(const struct ptx_insn *in) {
  return !ptx_has(in, PTX_M_shared) && !ptx_has(in, PTX_M_shared_cta) &&
         !ptx_has(in, PTX_M_local) && !ptx_has(in, PTX_M_param) && !ptx_has(in, PTX_M_const);
}

static bool is_observing_load(const struct ptx_insn *in) {
  return (in->op == PTX_OP_ld &&
          (ptx_has(in, PTX_M_volatile) || ptx_has(in, PTX_M_relaxed) ||
           ptx_has(in, PTX_M_acquire) || ptx_has(in, PTX_M_cv) || ptx_has(in, PTX_M_mmio))) ||
         in->op == PTX_OP_atom || in->op == PTX_OP_mbarrier;
}

/* A global atomic whose result is used, or a load in a loop that asks for the newest value: the
 * wave's blocks are then interleaved. */
static bool find_interleaving(struct decoder *d) {
  for (uint32_t f = 0; f < d->prog->n_funcs; f++) {
    const struct ptx_func *ir = d->prog->funcs[f].ir;
    struct use_ctx c = {weir_calloc(ir->n_regs + 1u, 1)};
    if (c.used == NULL) return dec_fail(d, "out of memory");
    for (uint32_t i = 0; i < ir->n_insns; i++)
      ptx_visit_regs(&ir->insns[i], note_use, &c);
    for (uint32_t i = 0; i < ir->n_insns; i++) {
      const struct ptx_insn *in = &ir->insns[i];
      if (!may_be_global(in)) continue;
      bool in_loop = ir->cfg.blocks[ir->cfg.block_of[i]].in_loop || !ir->is_entry;
      if (in->op == PTX_OP_atom && in->opnds[0].kind == PTX_O_reg && c.used[in->opnds[0].reg])
        d->prog->is_interleaved = true;
      if (in->op == PTX_OP_ld && is_observing_load(in) && in_loop) d->prog->is_interleaved = true;
    }
    free(c.used);
  }
  return true;
}

/* A backward branch is a likely spin if its loop body, the instructions it jumps over, looks at
 * memory that others write. */
static void mark_spins(struct decoder *d) {
  for (uint32_t pc = 0; pc < d->prog->n_code; pc++) {
    struct ptx_uop *u = &d->prog->code[pc];
    if (u->kind != PTX_K_BRA || u->target > pc) continue;
    for (uint32_t k = u->target; k <= pc && !u->aux; k++)
      u->aux = is_observing_load(d->prog->insn[k]) || d->prog->insn[k]->op == PTX_OP_call;
  }
}

/* ---- branches that become guards ---- */

/* What ptxas 13.0 makes of an arm of a branch for sm_90: up to eight machine instructions are
 * guarded instead of jumped over, if none is a load from global memory, an atomic or a fence. Some
 * of PTX's are no instruction of the machine. */
enum { SHORT_ARM = 12 };

static bool can_be_guarded(const struct ptx_program *p, uint32_t pc, uint32_t meet) {
  const struct ptx_uop *u = &p->code[pc];
  enum weir_class cls = (enum weir_class)p->statics[pc].cls;
  switch ((enum ptx_kind)u->kind) {
  case PTX_K_PLAIN:
  case PTX_K_NOP:
  case PTX_K_BAR:
    return true;
  case PTX_K_MEM:
    return cls == WEIR_C_STORE ||
           (cls == WEIR_C_LOAD && u->space != PTX_SPACE_global && u->space != PTX_SPACE_none);
  case PTX_K_BRA:
    return u->target > pc && u->target <= meet;
  default:
    return false;
  }
}

/* `meet` is where the arms of the branch meet. */
static bool is_short_arm(const struct ptx_program *p, uint32_t from, uint32_t end, uint32_t meet) {
  if (end - from > SHORT_ARM) return false;
  for (uint32_t pc = from; pc < end; pc++)
    if (!can_be_guarded(p, pc, meet)) return false;
  return true;
}

/* Barriers tell such branches from others (simt.c). The arms of one are what lies between it, its
 * target and the place where they meet. */
static void mark_short_branches(struct decoder *d) {
  const struct ptx_program *p = d->prog;
  for (uint32_t pc = 0; pc < p->n_code; pc++) {
    struct ptx_uop *u = &p->code[pc];
    if (u->kind != PTX_K_BRA || u->guard == SLOT_TRUE || u->target <= pc) continue;
    uint32_t end = u->rpc != PTX_NO_RPC ? u->rpc : p->funcs[p->func_of[pc]].end - 1;
    if (end < u->target) continue;
    if (is_short_arm(p, pc + 1, u->target, end)) u->aux2 |= PTX_BRA_NEXT_GUARDED;
    if (is_short_arm(p, u->target, end, end)) u->aux2 |= PTX_BRA_TARGET_GUARDED;
  }
}

static uint8_t watch_of(const struct ptx_insn *in) {
  switch (in->op) {
  case PTX_OP_ld:
    return PTX_WATCH_LOADS | PTX_WATCH_VALUES | (is_observing_load(in) ? PTX_WATCH_OBSERVES : 0);
  case PTX_OP_atom:
    return PTX_WATCH_LOADS | PTX_WATCH_VALUES | PTX_WATCH_STORES;
  case PTX_OP_mbarrier:
    return PTX_WATCH_LOADS;
  case PTX_OP_st:
  case PTX_OP_red:
    return PTX_WATCH_STORES;
  default:
    return 0;
  }
}

static void mark_watched(struct decoder *d) {
  for (uint32_t pc = 0; pc < d->prog->n_code; pc++)
    d->prog->code[pc].watch = watch_of(d->prog->insn[pc]);
}

/* ---- the table for streams ---- */

static uint8_t cache_op_of(const struct ptx_insn *in) {
  static const struct {
    enum ptx_mod m;
    uint8_t op;
  } map[] = {{PTX_M_volatile, WEIR_CO_VOLATILE},
             {PTX_M_relaxed, WEIR_CO_RELAXED},
             {PTX_M_acquire, WEIR_CO_ACQUIRE},
             {PTX_M_release, WEIR_CO_RELEASE},
             {PTX_M_nc, WEIR_CO_NC},
             {PTX_M_ca, WEIR_CO_CA},
             {PTX_M_cg, WEIR_CO_CG},
             {PTX_M_cs, WEIR_CO_CS},
             {PTX_M_lu, WEIR_CO_LU},
             {PTX_M_cv, WEIR_CO_CV},
             {PTX_M_wb, WEIR_CO_WB},
             {PTX_M_wt, WEIR_CO_WT}};
  for (size_t k = 0; k < sizeof map / sizeof *map; k++)
    if (ptx_has(in, map[k].m)) return map[k].op;
  return WEIR_CO_NONE;
}

static uint8_t evict_hint_of(const struct ptx_insn *in) {
  return ptx_has(in, PTX_M_L1_evict_normal)      ? WEIR_EV_NORMAL
         : ptx_has(in, PTX_M_L1_evict_unchanged) ? WEIR_EV_UNCHANGED
         : ptx_has(in, PTX_M_L1_evict_first)     ? WEIR_EV_FIRST
         : ptx_has(in, PTX_M_L1_evict_last)      ? WEIR_EV_LAST
         : ptx_has(in, PTX_M_L1_no_allocate)     ? WEIR_EV_NO_ALLOCATE
                                                 : WEIR_EV_NONE;
}

struct static_ctx {
  struct weir_static *s;
  uint32_t base;
};
static void note_static(void *ctx, uint32_t reg, bool is_def) {
  struct static_ctx *c = ctx;
  uint32_t n = c->base + reg;
  uint16_t number = n < WEIR_NO_REG ? (uint16_t)n : WEIR_NO_REG;
  if (is_def && c->s->n_dst < WEIR_MAX_DST)
    c->s->dst[c->s->n_dst++] = number;
  else if (!is_def && c->s->n_src < WEIR_MAX_SRC)
    c->s->src[c->s->n_src++] = number;
}

static bool is_matrix(const struct ptx_insn *in) {
  return in->op == PTX_OP_mma || in->op == PTX_OP_wmma || in->op == PTX_OP_ldmatrix ||
         in->op == PTX_OP_stmatrix;
}

/* Fragments have more registers than a static instruction can name. Of a source its first and last
 * one stand for all, of a destination the first three and the last. */
static void note_fragments(const struct ptx_insn *in, struct static_ctx *c) {
  const struct ptx_form *f = ptx_form(in->form);
  if (in->guarded) note_static(c, in->guard, false);
  for (unsigned k = 0; k < in->n_opnds; k++) {
    const struct ptx_operand *o = &in->opnds[k];
    bool is_def = ptx_slot_at(f, in->n_opnds, k)->kind == 'F';
    if (o->kind == PTX_O_reg || (o->kind == PTX_O_addr && o->has_base))
      note_static(c, o->reg, is_def);
    for (unsigned i = 0; o->kind == PTX_O_vec && i < o->n_elem; i++)
      if (o->elem[i].kind == PTX_O_reg && (i == 0 || i + 1 == o->n_elem || (is_def && i < 3)))
        note_static(c, o->elem[i].reg, is_def);
  }
}

/* Of operand k, if it is a number; registers are known when they are read. */
static uint64_t number_of(const struct ptx_insn *in, unsigned k) {
  return k < in->n_opnds && in->opnds[k].kind == PTX_O_int ? in->opnds[k].imm : 0;
}

static void fill_barrier(const struct ptx_insn *in, const struct ptx_uop *u,
                         struct weir_static *s) {
  unsigned at = u->aux >= PTX_BAR_POPC ? 1 : 0;
  uint64_t id = number_of(in, at), count = u->b != UINT32_MAX ? number_of(in, at + 1) : 0;
  s->width = 1; /* its records may carry a struct weir_barrier */
  s->scope = id < WEIR_BARRIERS ? (uint8_t)id : 0;
  s->bar_warps = count <= 1024 ? (uint8_t)(count / LANES) : 0;
  s->bar_arrive = u->aux == PTX_BAR_ARRIVE;
}

/* Linked modules number their source files each for itself. */
static uint32_t file_base(const struct ptx_module *m, const struct ptx_func *f) {
  for (uint32_t i = 0; i < m->n_parts; i++)
    if (m->parts[i].module == f->module) return m->parts[i].file_base;
  return 0;
}

/* cp.async.wait_all ends a group and waits for all of them. */
static void fill_copy(const struct ptx_insn *in, struct weir_static *s) {
  bool is_copy = ptx_has(in, PTX_M_global), is_wait = ptx_has(in, PTX_M_wait_group);
  s->bar_arrive = !is_wait;
  if (!is_copy && !ptx_has(in, PTX_M_commit_group)) {
    uint64_t keep = is_wait ? number_of(in, 0) : 0;
    s->bar_warps = (uint8_t)(keep < UINT8_MAX ? keep + 1 : UINT8_MAX);
  }
}

static void fill_static(struct decoder *d, uint32_t pc) {
  static const uint8_t spaces[] = {
      [PTX_SPACE_none] = WEIR_SP_GENERIC,  [PTX_SPACE_const] = WEIR_SP_CONST,
      [PTX_SPACE_global] = WEIR_SP_GLOBAL, [PTX_SPACE_local] = WEIR_SP_LOCAL,
      [PTX_SPACE_param] = WEIR_SP_PARAM,   [PTX_SPACE_shared] = WEIR_SP_SHARED,
      [PTX_SPACE_tex] = WEIR_SP_TEX};
  const struct ptx_insn *in = d->prog->insn[pc];
  const struct ptx_uop *u = &d->prog->code[pc];
  const struct ptx_func *ir = d->prog->funcs[d->prog->func_of[pc]].ir;
  struct weir_static *s = &d->prog->statics[pc];
  s->pc = pc * 8;
  s->cls = (uint8_t)ptx_form(in->form)->cls;
  s->ptx_line = in->line;
  if ((u->kind == PTX_K_MEM && u->size != 0) ||
      (u->kind == PTX_K_SYNC && u->aux == PTX_SYNC_MATRIX_MEM)) {
    s->space = spaces[u->space];
    /* A texel's size is known only when it is read, but it never crosses a sector. */
    s->width = u->h == PTX_H_tex && s->cls == WEIR_C_TEX ? 1 : (uint8_t)(u->size * u->n_vec);
    s->cache_op = cache_op_of(in);
    s->evict_hint = evict_hint_of(in);
  }
  if (u->kind == PTX_K_BAR) fill_barrier(in, u, s);
  if (in->op == PTX_OP_cp && !ptx_has(in, PTX_M_mbarrier)) fill_copy(in, s);
  if (in->loc != 0) {
    s->file = ir->locs[in->loc - 1].file + file_base(d->image->module, ir);
    s->line = ir->locs[in->loc - 1].line;
  }
  struct static_ctx c = {s, d->reg_base[d->prog->func_of[pc]]};
  if (is_matrix(in))
    note_fragments(in, &c);
  else
    ptx_visit_regs(in, note_static, &c);
}

/* ---- the whole ---- */

static bool decode_all(struct decoder *d) {
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
  static const struct ptx_insn implied_ret = {.op = PTX_OP_ret};
  if (p->code == NULL || p->insn == NULL || p->func_of == NULL || p->statics == NULL)
    return dec_fail(d, "out of memory");
  for (uint32_t f = 0; f < p->n_funcs; f++) {
    const struct ptx_func *ir = p->funcs[f].ir;
    d->func = f;
    for (uint32_t i = 0; i <= ir->n_insns; i++) {
      uint32_t pc = p->funcs[f].entry + i;
      p->func_of[pc] = f;
      p->insn[pc] = i < ir->n_insns ? &ir->insns[i] : &implied_ret;
      d->insn = p->insn[pc];
      d->uop = &p->code[pc];
      if (!dec_instruction(d, pc)) return false;
    }
  }
  d->insn = NULL;
  size_t row;
  const uint16_t *rows = ptx_forms_of(PTX_OP_ret, &row);
  for (uint32_t pc = 0; pc < p->n_code; pc++) {
    if (p->insn[pc] == &implied_ret) {
      p->statics[pc].pc = pc * 8;
      p->statics[pc].cls = row > 0 ? (uint8_t)ptx_form(rows[0])->cls : WEIR_C_BRANCH;
    } else
      fill_static(d, pc);
  }
  mark_spins(d);
  mark_short_branches(d);
  mark_watched(d);
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

static bool build(struct decoder *d, const struct ptx_func *entry) {
  struct ptx_program *p = d->prog;
  d->next_slot = SLOT_FIRST;
  if (!reach_functions(d, entry)) return false;
  d->reg_offset = weir_arena_array(&p->arena, p->n_funcs, sizeof *d->reg_offset);
  d->reg_base = weir_arena_array(&p->arena, p->n_funcs, sizeof *d->reg_base);
  d->fused = weir_arena_array(&p->arena, p->n_funcs, sizeof *d->fused);
  d->kept = weir_arena_array(&p->arena, p->n_funcs, sizeof *d->kept);
  if (d->reg_offset == NULL || d->reg_base == NULL || d->fused == NULL || d->kept == NULL)
    return dec_fail(d, "out of memory");
  uint32_t n_regs = 0, peak = 0;
  for (uint32_t f = 0; f < p->n_funcs; f++)
    if (!lay_out_function(d, f, &n_regs) || !find_zeroed(d, f, &peak) || !contract_function(d, f))
      return false;
  p->n_stream_regs = n_regs;
  p->regs_estimate = ptx_estimate_registers(entry, d->image->module->sm, peak);
  place_all_shared(d);
  if (d->is_failed || !find_stack(d) || !find_interleaving(d)) return false;
  p->fixed_lo = (d->next_slot + 63) & ~63u;
  d->next_slot = p->fixed_lo;
  if (!decode_all(d) || !copy_slots(d) || !index_functions(d)) return false;
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
  bool ok = build(&d, entry);
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
