/* Which functions a kernel reaches, and how deep their calls go. */
#include <stdlib.h>

#include "base/mem.h"
#include "exec/decode_program.h"

/* ---- functions whose address is taken ---- */

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

/* ---- callees ---- */

static bool same_sizes(const struct ptx_var *a, const struct ptx_var *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (a[i].bytes != b[i].bytes || (a[i].type == PTX_T_pred) != (b[i].type == PTX_T_pred))
      return false;
  return true;
}

/* Can the function be called as the prototype says (or as the first of the targets can)? */
static bool fits_table(const struct ptx_table *t, const struct ptx_func *f) {
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
    if (f->has_body && fits_table(t, f)) return f;
  }
  return NULL;
}

bool dec_reach_functions(struct decoder *d, const struct ptx_func *entry) {
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

/* ---- the stack ---- */

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

bool dec_find_stack(struct decoder *d) {
  struct visit *v = weir_calloc(d->prog->n_funcs, sizeof *v);
  if (v == NULL) return dec_fail(d, "out of memory");
  /* A stack that would be deeper than a thread's is found when it is used. */
  uint64_t deepest = walk_calls(d, v), most = dec_align_up((uint64_t)d->cfg->stack_bytes, 16);
  d->prog->local_bytes = (uint32_t)(deepest < most ? deepest : most);
  free(v);
  /* Inside a cycle every function can be active twice: saving all of them is simple and rarely paid
   * for. */
  if (d->prog->is_recursive)
    for (uint32_t f = 1; f < d->prog->n_funcs; f++)
      d->prog->funcs[f].is_recursive = true;
  return true;
}
