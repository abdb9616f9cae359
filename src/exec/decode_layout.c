/* Where the registers and variables of a function lie. */
#include "exec/decode_program.h"
#include "ptx/registers.h"

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
bool dec_contract(struct decoder *d, uint32_t f) {
  const struct ptx_func *ir = d->prog->funcs[f].ir;
  struct weir_arena *a = &d->prog->arena;
  if (!d->cfg->contract) return true;
  if (!ptx_contract(ir, a, &d->fused[f])) return dec_fail(d, "out of memory");
  if (d->fused[f] == NULL) return true;
  d->kept[f] = weir_arena_array(a, ir->n_insns, sizeof *d->kept[f]);
  if (d->kept[f] == NULL) return dec_fail(d, "out of memory");
  for (uint32_t i = 0; i < ir->n_insns; i++)
    for (uint32_t k = 0; k < 2 && d->fused[f][i].is_kept; k++)
      d->kept[f][i][k] = dec_new_slot(d, ptx_type_bytes(ptx_insn_type(&ir->insns[i], 0)));
  return !d->is_failed;
}

/* Predicates first: they are masks, and lie side by side. */
static void place_registers(struct decoder *d, const struct ptx_func *ir, uint32_t *at) {
  for (uint32_t r = 0; r < ir->n_regs; r++)
    if (ir->regs[r].type == PTX_T_pred) {
      at[r] = d->next_slot;
      d->next_slot += 4;
    }
  for (uint32_t r = 0; r < ir->n_regs && !d->is_failed; r++)
    if (ir->regs[r].type != PTX_T_pred) at[r] = dec_new_slot(d, ptx_type_bytes(ir->regs[r].type));
}

/* Parameters and results of a function that is called. */
static void place_formals(struct decoder *d, const struct ptx_func *ir) {
  for (uint32_t k = 0; k < 2 && !ir->is_entry; k++) {
    const struct ptx_var *vars = k == 0 ? ir->params : ir->rets;
    uint32_t n = k == 0 ? ir->n_params : ir->n_rets;
    for (uint32_t i = 0; i < n && !d->is_failed; i++)
      if (vars[i].space == PTX_SPACE_param)
        dec_put_place(d, &vars[i], dec_new_slot(d, (unsigned)vars[i].bytes));
  }
}

/* Parameters of calls are slots, local variables are bytes of the frame. */
static bool place_variables(struct decoder *d, const struct ptx_func *ir, uint64_t *frame) {
  for (uint32_t i = 0; i < ir->n_vars && !d->is_failed; i++) {
    const struct ptx_var *v = ir->vars[i];
    if (v->space == PTX_SPACE_param) {
      if (v->bytes > 4096) return dec_fail(d, "parameter '%s' has more than 4096 bytes", v->name);
      dec_put_place(d, v, dec_new_slot(d, (unsigned)v->bytes));
    } else if (v->space == PTX_SPACE_local) {
      *frame = dec_align_up(*frame, v->align ? v->align : 1);
      dec_put_place(d, v, *frame);
      *frame += v->bytes;
    }
  }
  if (*frame > (uint64_t)d->cfg->stack_bytes) {
    dec_fail(d, "function '%s' has %llu bytes of local variables, a thread has %lld", ir->name,
             (unsigned long long)*frame, (long long)d->cfg->stack_bytes);
    weir_err_add(d->err, "remedy: raise exec.stack_bytes");
    return false;
  }
  return true;
}

bool dec_lay_out(struct decoder *d, uint32_t f, uint32_t *n_regs) {
  struct ptx_fn_info *info = &d->prog->funcs[f];
  const struct ptx_func *ir = info->ir;
  d->reg_base[f] = *n_regs;
  *n_regs += ir->n_regs;
  uint32_t *at = weir_arena_array(&d->prog->arena, ir->n_regs + 1u, sizeof *at);
  if (at == NULL) return dec_fail(d, "out of memory");
  d->reg_offset[f] = at;
  info->reg_lo = dec_new_slot(d, 0);
  d->next_slot = info->reg_lo;
  place_registers(d, ir, at);
  place_formals(d, ir);
  uint64_t frame = 0;
  if (!place_variables(d, ir, &frame)) return false;
  info->local_bytes = (uint32_t)dec_align_up(frame, 16);
  info->reg_hi = d->next_slot;
  return !d->is_failed && list_contents(d, f);
}

/* ---- what may be read before it is written ---- */

/* Registers live at a function's entry are zeroed there, so that results never depend on what ran
 * before. Divergence does not matter, since a use that any path reaches undefined is kept. */
bool dec_find_zeroed(struct decoder *d, uint32_t f, uint32_t *peak) {
  struct ptx_fn_info *info = &d->prog->funcs[f];
  const struct ptx_func *ir = info->ir;
  struct ptx_liveness live;
  uint32_t n = 0;
  if (!ptx_liveness_find(ir, NULL, &live)) return dec_fail(d, "out of memory");
  struct ptx_lanes *list = weir_arena_array(&d->prog->arena, ir->n_regs + 1u, sizeof *list);
  if (list == NULL || !ptx_peak_registers(ir, &live, d->image->module->sm, &n))
    dec_fail(d, "out of memory");
  for (uint32_t r = 0; ir->cfg.n_blocks > 0 && list != NULL && r < ir->n_regs; r++)
    if (ptx_is_live(&live, 0, r))
      list[info->n_zero++] = (struct ptx_lanes){d->reg_offset[f][r], lane_bytes(ir->regs[r].type)};
  info->zero = list;
  ptx_liveness_free(&live);
  if (n > *peak) *peak = n;
  return !d->is_failed;
}
