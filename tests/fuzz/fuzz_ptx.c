/* PTX text: parsing, printing, control-flow graphs, loading and decoding. */
#include <string.h>

#include "exec/exec.h"
#include "fuzz.h"

static struct ptx_module *parse(const char *text, size_t n) {
  struct ptx_module *m;
  struct ptx_diags diags = {0};
  enum weir_status st = ptx_parse(text, n, "fuzz.ptx", &m, &diags);
  PROMISE((st == WEIR_OK) == (m != NULL));
  PROMISE(st == WEIR_OK || diags.n > 0);
  for (size_t i = 0; i < diags.n; i++)
    PROMISE(memchr(diags.v[i].msg, 0, WEIR_ERR_TEXT) != NULL);
  ptx_diags_free(&diags);
  return m;
}

static bool same_name(const char *a, const char *b) {
  return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Numbers may differ: the printer declares the registers of a scope before those of scopes in it.
 */
static bool same_reg(const struct ptx_func *fa, uint32_t a, const struct ptx_func *fb, uint32_t b) {
  if (fa->n_regs == 0 || fb->n_regs == 0) return fa->n_regs == fb->n_regs;
  return same_name(fa->regs[a].name, fb->regs[b].name) && fa->regs[a].type == fb->regs[b].type;
}

static bool uses_reg(const struct ptx_operand *o) {
  return o->kind == PTX_O_reg || o->has_base;
}

static bool same_operand(const struct ptx_func *fa, const struct ptx_operand *a,
                         const struct ptx_func *fb, const struct ptx_operand *b) {
  if (a->kind != b->kind || a->neg != b->neg || a->has_base != b->has_base || a->half != b->half ||
      a->n_elem != b->n_elem || a->sreg != b->sreg || a->label != b->label || a->imm != b->imm)
    return false;
  if (uses_reg(a) && !same_reg(fa, a->reg, fb, b->reg)) return false;
  if (!same_name(a->var ? a->var->name : NULL, b->var ? b->var->name : NULL)) return false;
  if (!same_name(a->func ? a->func->name : NULL, b->func ? b->func->name : NULL)) return false;
  if (!same_name(a->table ? a->table->name : NULL, b->table ? b->table->name : NULL)) return false;
  for (unsigned i = 0; i < a->n_elem; i++)
    if (!same_operand(fa, &a->elem[i], fb, &b->elem[i])) return false;
  return true;
}

static bool same_insn(const struct ptx_func *fa, const struct ptx_insn *a,
                      const struct ptx_func *fb, const struct ptx_insn *b) {
  if (a->op != b->op || a->form != b->form || a->n_mods != b->n_mods || a->n_opnds != b->n_opnds ||
      a->guarded != b->guarded || a->guard_neg != b->guard_neg ||
      (a->guarded && !same_reg(fa, a->guard, fb, b->guard)))
    return false;
  for (unsigned i = 0; i < a->n_mods; i++)
    if (a->mods[i] != b->mods[i]) return false;
  for (unsigned i = 0; i < a->n_opnds; i++)
    if (!same_operand(fa, &a->opnds[i], fb, &b->opnds[i])) return false;
  return true;
}

static bool same_var(const struct ptx_var *a, const struct ptx_var *b) {
  if (!same_name(a->name, b->name) || a->space != b->space || a->type != b->type ||
      a->linkage != b->linkage || a->vec != b->vec || a->align != b->align ||
      a->bytes != b->bytes || a->n_relocs != b->n_relocs)
    return false;
  for (uint64_t i = 0; i < a->init_bytes || i < b->init_bytes; i++)
    if ((i < a->init_bytes ? a->init[i] : 0) != (i < b->init_bytes ? b->init[i] : 0)) return false;
  return true;
}

static bool same_func(const struct ptx_func *a, const struct ptx_func *b) {
  if (!same_name(a->name, b->name) || a->linkage != b->linkage || a->is_entry != b->is_entry ||
      a->has_body != b->has_body || a->n_params != b->n_params || a->n_rets != b->n_rets ||
      a->param_bytes != b->param_bytes || a->n_regs != b->n_regs || a->n_vars != b->n_vars ||
      a->n_insns != b->n_insns || a->cfg.n_blocks != b->cfg.n_blocks)
    return false;
  for (uint32_t i = 0; i < a->n_params; i++)
    if (!same_var(&a->params[i], &b->params[i])) return false;
  for (uint32_t i = 0; i < a->n_vars; i++) {
    bool is_found = false;
    for (uint32_t k = 0; k < b->n_vars && !is_found; k++)
      is_found = same_var(a->vars[i], b->vars[k]);
    if (!is_found) return false;
  }
  for (uint32_t i = 0; i < a->n_insns; i++)
    if (!same_insn(a, &a->insns[i], b, &b->insns[i])) return false;
  return true;
}

/* Printed text is PTX that means and prints the same. */
static void round_trip(const struct ptx_module *m) {
  char *once = ptx_print(m);
  PROMISE(once != NULL);
  struct ptx_module *again = parse(once, strlen(once));
  PROMISE(again != NULL);
  PROMISE(m->n_funcs == again->n_funcs && m->n_vars == again->n_vars);
  for (uint32_t i = 0; i < m->n_funcs; i++)
    PROMISE(same_func(m->funcs[i], again->funcs[i]));
  for (uint32_t i = 0; i < m->n_vars; i++)
    PROMISE(same_var(m->vars[i], again->vars[i]));
  char *twice = ptx_print(again);
  PROMISE(twice != NULL && strcmp(once, twice) == 0);
  PROMISE(ptx_unsupported(m, NULL, 0) == ptx_unsupported(again, NULL, 0));
  free(once);
  free(twice);
  ptx_module_free(again);
}

static void draw(const struct ptx_module *m) {
  for (uint32_t f = 0; f < m->n_funcs; f++) {
    if (!m->funcs[f]->has_body) continue;
    char *dot = ptx_print_dot(m->funcs[f]);
    PROMISE(dot != NULL);
    free(dot);
  }
}

static void build(const struct ptx_module *m) {
  struct ptx_device dev;
  struct ptx_exec_cfg cfg;
  struct ptx_image *image;
  weir_param_defaults(ptx_exec_table, &cfg);
  cfg.device_memory = 1 << 20;
  PROMISE(ptx_device_init(&dev, &cfg, NULL) == WEIR_OK);
  if (ptx_image_load(&dev, m, &image, NULL) == WEIR_OK) {
    for (uint32_t f = 0; f < m->n_funcs; f++) {
      struct ptx_program *prog;
      if (!m->funcs[f]->is_entry || !m->funcs[f]->has_body) continue;
      if (ptx_program_build(image, m->funcs[f]->name, &cfg, &prog, NULL) == WEIR_OK)
        ptx_program_free(prog);
    }
    ptx_image_free(image);
  }
  PROMISE(dev.mem.n_allocs == 0);
  ptx_device_free(&dev);
}

/* A module alone, and with a copy of itself, which defines everything twice. */
static void link_with_itself(const struct ptx_module *m, const char *text, size_t len) {
  struct ptx_module *copy = parse(text, len), *linked;
  const struct ptx_module *both[2] = {m, copy};
  struct weir_err err;
  PROMISE(copy != NULL);
  for (uint32_t n = 1; n <= 2; n++) {
    if (ptx_link(both, n, &linked, &err) != WEIR_OK) {
      PROMISE(linked == NULL && err.msg[0] != 0);
      continue;
    }
    PROMISE(linked->n_funcs <= n * m->n_funcs && linked->n_vars <= n * m->n_vars);
    if (ptx_unsupported(linked, NULL, 0) == 0) build(linked);
    ptx_module_free(linked);
  }
  ptx_module_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct ptx_module *m = parse((const char *)data, size);
  if (m == NULL) return 0;
  struct ptx_unsupported list[4];
  size_t n_unsupported = ptx_unsupported(m, list, 4);
  for (size_t i = 0; i < n_unsupported && i < 4; i++)
    PROMISE(list[i].what != NULL);
  round_trip(m);
  draw(m);
  if (n_unsupported == 0) build(m);
  link_with_itself(m, (const char *)data, size);
  ptx_module_free(m);
  return 0;
}
