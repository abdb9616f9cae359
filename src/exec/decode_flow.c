/* Branches, calls and ends. */
#include <string.h>

#include "exec/builtin.h"
#include "exec/decode_operand.h"
#include "exec/decode_ops.h"

static uint32_t label_at(const struct decoder *d, uint32_t label) {
  return d->prog->funcs[d->func].entry + label;
}

/* Where the sides of the branch at IR index i meet. */
static uint32_t meeting_point(const struct decoder *d, uint32_t i) {
  const struct ptx_cfg *cfg = &dec_func(d)->cfg;
  uint32_t b = cfg->blocks[cfg->block_of[i]].ipdom;
  return b >= cfg->n_blocks ? PTX_NO_RPC : label_at(d, cfg->blocks[b].first);
}

void dec_branch(struct decoder *d) {
  struct ptx_uop *u = d->uop;
  u->rpc = meeting_point(d, (uint32_t)(d->insn - dec_func(d)->insns));
  if (d->insn->op == PTX_OP_bra) {
    u->kind = PTX_K_BRA;
    u->target = label_at(d, d->insn->opnds[0].label);
    return;
  }
  const struct ptx_table *t = d->insn->opnds[1].table;
  uint32_t *list = dec_list(d, t->n);
  if (list == NULL) return;
  for (uint32_t k = 0; k < t->n; k++)
    list[k] = label_at(d, t->labels[k]);
  u->kind = PTX_K_BRX;
  u->a = dec_src(d, 0, PTX_T_u32);
  u->x.list = list;
  u->target = t->n;
}

/* ---- calls ---- */

/* Where an argument or result of a call is in the caller: a register, a parameter, an immediate of
 * the formal's type. */
static bool actual_slot(struct decoder *d, const struct ptx_operand *actual,
                        const struct ptx_var *formal, bool is_result, uint32_t *slot) {
  uint32_t bytes;
  if (actual->kind == PTX_O_reg) {
    *slot = dec_reg(d, actual->reg);
    bytes = dec_reg_bytes(d, actual->reg);
  } else if (actual->kind == PTX_O_var && actual->var->space == PTX_SPACE_param) {
    *slot = dec_place(d, actual->var);
    bytes = (uint32_t)actual->var->bytes;
  } else if (!is_result && (actual->kind == PTX_O_int || actual->kind == PTX_O_f32 ||
                            actual->kind == PTX_O_f64)) {
    bytes = (uint32_t)formal->bytes;
    *slot = dec_const(d, dec_imm_bits(actual, formal->type), bytes);
  } else if (is_result && actual->kind == PTX_O_sink) {
    *slot = UINT32_MAX;
    return true;
  } else
    return dec_fail(d, "an argument has a form that a call cannot take");
  if (formal->type != PTX_T_pred && bytes != formal->bytes)
    return dec_fail(d, "argument for '%s' has %u bytes, %llu are expected", formal->name, bytes,
                    (unsigned long long)formal->bytes);
  return true;
}

/* One argument or result: from the caller's place to the callee's, or back. */
static bool decode_copy(struct decoder *d, const struct ptx_operand *actual,
                        const struct ptx_var *formal, uint32_t callee, bool is_result,
                        struct ptx_copy *out) {
  uint32_t there, here;
  if (formal->space == PTX_SPACE_reg) {
    const struct ptx_func *f = d->prog->funcs[callee].ir;
    there = UINT32_MAX;
    for (uint32_t r = 0; r < f->n_regs; r++)
      if (strcmp(f->regs[r].name, formal->name) == 0) {
        there = d->reg_offset[callee][r];
        break;
      }
    if (there == UINT32_MAX)
      return dec_fail(d, "register parameter '%s' has no register", formal->name);
  } else
    there = dec_place(d, formal);
  if (!actual_slot(d, actual, formal, is_result, &here)) return false;
  out->lane_bytes = formal->type == PTX_T_pred ? 0 : (uint32_t)formal->bytes;
  out->from = is_result ? there : here;
  out->to = is_result ? here : there;
  return true;
}

/* A function of CUDA's device library. */
static void decode_builtin(struct decoder *d, const struct ptx_func *f, enum ptx_builtin which,
                           const struct ptx_operand *rets, const struct ptx_operand *args) {
  uint32_t *list = dec_list(d, PTX_B_SLOTS);
  if (list == NULL) return;
  list[PTX_B_RESULT] = UINT32_MAX;
  if (f->n_rets > 0 && !actual_slot(d, &rets->elem[0], &f->rets[0], true, &list[PTX_B_RESULT]))
    return;
  for (uint32_t k = 0; k < f->n_params; k++)
    if (!actual_slot(d, &args->elem[k], &f->params[k], false, &list[PTX_B_ARGS + k])) return;
  d->prog->has_builtins = true;
  d->prog->uses_heap |= which == PTX_B_malloc || which == PTX_B_free;
  d->uop->kind = PTX_K_BUILTIN;
  d->uop->aux = (uint8_t)which;
  d->uop->x.list = list;
}

/* What a call of one function copies; NULL: it failed. */
static const struct ptx_call *call_of(struct decoder *d, const struct ptx_func *f,
                                      const struct ptx_operand *rets,
                                      const struct ptx_operand *args) {
  uint32_t callee = (uint32_t)dec_func_index(d, f), n_out = 0;
  struct ptx_call *call = weir_arena_alloc(&d->prog->arena, sizeof *call);
  struct ptx_copy *copies =
      weir_arena_array(&d->prog->arena, (size_t)args->n_elem + rets->n_elem + 1, sizeof *copies);
  if (call == NULL || copies == NULL) {
    dec_fail(d, "out of memory");
    return NULL;
  }
  if (args->n_elem != f->n_params || rets->n_elem != f->n_rets) {
    dec_fail(d, "'%s' takes %u arguments and gives %u results", f->name, f->n_params, f->n_rets);
    return NULL;
  }
  struct ptx_copy *out = copies + args->n_elem;
  for (uint32_t k = 0; k < args->n_elem; k++)
    if (!decode_copy(d, &args->elem[k], &f->params[k], callee, false, &copies[k])) return NULL;
  for (uint32_t k = 0; k < rets->n_elem; k++) {
    if (rets->elem[k].kind == PTX_O_sink) continue; /* a result that nobody wants */
    if (!decode_copy(d, &rets->elem[k], &f->rets[k], callee, true, &out[n_out++])) return NULL;
  }
  *call = (struct ptx_call){
      .func = callee, .n_in = args->n_elem, .n_out = n_out, .in = copies, .out = out};
  return call;
}

static void decode_indirect(struct decoder *d) {
  const struct ptx_call **calls =
      weir_arena_array(&d->prog->arena, d->prog->n_funcs, sizeof *calls);
  if (calls == NULL) {
    dec_fail(d, "out of memory");
    return;
  }
  const struct ptx_func *f;
  for (size_t k = 0; (f = dec_next_callee(d, d->insn, &k)) != NULL;) {
    int callee = dec_func_index(d, f);
    if (callee < 0) continue;
    calls[callee] = call_of(d, f, &d->insn->opnds[0], &d->insn->opnds[2]);
    if (calls[callee] == NULL) return;
  }
  d->uop->kind = PTX_K_ICALL;
  d->uop->a = dec_src(d, 1, PTX_T_u64);
  d->uop->x.calls = calls;
}

void dec_call(struct decoder *d) {
  const struct ptx_operand *rets = &d->insn->opnds[0], *args = &d->insn->opnds[2];
  if (d->insn->opnds[1].kind != PTX_O_func) {
    decode_indirect(d);
    return;
  }
  const struct ptx_func *f = ptx_callee(d->image->module, d->insn->opnds[1].func);
  enum ptx_builtin builtin = ptx_builtin_find(f);
  if (builtin != PTX_B_NONE) {
    decode_builtin(d, f, builtin, rets, args);
    return;
  }
  if (dec_func_index(d, f) < 0) {
    dec_fail(d, "function '%s' has no body in this module", f->name);
    return;
  }
  d->uop->kind = PTX_K_CALL;
  d->uop->x.call = call_of(d, f, rets, args);
}

void dec_ret(struct decoder *d) {
  d->uop->kind = dec_func(d)->is_entry ? PTX_K_EXIT : PTX_K_RET;
}

void dec_exit(struct decoder *d) {
  d->uop->kind = PTX_K_EXIT;
}

void dec_trap(struct decoder *d) {
  d->uop->kind = PTX_K_TRAP;
}
