/* A module as PTX text. What the parser made of this text prints as this text again. */
#include <stdlib.h>

#include "base/text.h"
#include "ptx/ir.h"

static void put(struct weir_text *t, const char *s) {
  weir_text_puts(t, s);
}
#define putf weir_text_printf

static char *finish(struct weir_text *t) {
  put(t, "");
  if (!t->failed) return t->v;
  weir_text_free(t);
  return NULL;
}

/* ---- operands ---- */

static void put_int(struct weir_text *t, uint64_t v, bool is_unsigned) {
  if (is_unsigned) {
    /* beyond s64 a plain decimal is unsigned by itself */
    putf(t, "%llu%s", (unsigned long long)v, v > INT64_MAX ? "" : "U");
  } else {
    putf(t, "%lld", (long long)v);
  }
}

static void put_offset(struct weir_text *t, uint64_t v) {
  if (v) putf(t, "+%lld", (long long)v);
}

static void put_selector(struct weir_text *t, const struct ptx_operand *o) {
  static const char *const one[] = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
  if (o->half < 7) {
    put(t, one[o->half]);
    return;
  }
  put(t, o->half == 7 ? ".b" : ".h");
  for (unsigned i = (unsigned)(o->imm >> 32); i-- > 0;)
    putf(t, "%u", (unsigned)(o->imm >> 4 * i) & 15);
}

static void put_operand(struct weir_text *t, const struct ptx_func *f, const struct ptx_operand *o);

static void put_elems(struct weir_text *t, const struct ptx_func *f, const struct ptx_operand *o,
                      const char *sep) {
  for (unsigned i = 0; i < o->n_elem; i++) {
    if (i) put(t, sep);
    put_operand(t, f, &o->elem[i]);
  }
}

static void put_address(struct weir_text *t, const struct ptx_func *f,
                        const struct ptx_operand *o) {
  put(t, "[");
  if (o->has_base) {
    put(t, f->regs[o->reg].name);
    put_offset(t, o->imm);
  } else if (o->var) {
    put(t, o->var->name);
    put_offset(t, o->imm);
  } else {
    put_int(t, o->imm, o->is_unsigned);
  }
  put(t, "]");
}

/* The first part of a texture address carries no brackets of its own. */
static void put_tex(struct weir_text *t, const struct ptx_func *f, const struct ptx_operand *o) {
  put(t, "[");
  put_elems(t, f, o, ", ");
  put(t, "]");
}

static void put_operand(struct weir_text *t, const struct ptx_func *f,
                        const struct ptx_operand *o) {
  if (o->neg) put(t, "!");
  if (o->minus) put(t, "-");
  switch (o->kind) {
  case PTX_O_none:
    break;
  case PTX_O_reg:
    put(t, f->regs[o->reg].name);
    put_selector(t, o);
    break;
  case PTX_O_sreg:
    put(t, ptx_sreg_name(o->sreg));
    break;
  case PTX_O_int:
    put_int(t, o->imm, o->is_unsigned);
    break;
  case PTX_O_f32:
    putf(t, "0f%08X", (unsigned)o->imm);
    break;
  case PTX_O_f64:
    putf(t, "0d%016llX", (unsigned long long)o->imm);
    break;
  case PTX_O_addr:
    put_address(t, f, o);
    break;
  case PTX_O_var:
    put(t, o->var->name);
    put_offset(t, o->imm);
    break;
  case PTX_O_func:
    put(t, o->func->name);
    break;
  case PTX_O_label:
    put(t, f->labels[o->imm].name);
    break;
  case PTX_O_vec:
    put(t, "{");
    put_elems(t, f, o, ", ");
    put(t, "}");
    break;
  case PTX_O_list:
    put(t, "(");
    put_elems(t, f, o, ", ");
    put(t, ")");
    break;
  case PTX_O_pair:
    put_elems(t, f, o, "|");
    break;
  case PTX_O_sink:
    put(t, "_");
    break;
  case PTX_O_table:
    put(t, o->table->name);
    break;
  case PTX_O_tex:
    put_tex(t, f, o);
    break;
  }
}

/* ---- instructions ---- */

static void put_call(struct weir_text *t, const struct ptx_func *f, const struct ptx_insn *in) {
  put(t, " ");
  if (in->opnds[0].n_elem) {
    put_operand(t, f, &in->opnds[0]);
    put(t, ", ");
  }
  put_operand(t, f, &in->opnds[1]);
  if (in->opnds[2].n_elem) {
    put(t, ", ");
    put_operand(t, f, &in->opnds[2]);
  }
  if (in->n_opnds == 4) {
    put(t, ", ");
    put_operand(t, f, &in->opnds[3]);
  }
}

static void put_insn(struct weir_text *t, const struct ptx_func *f, const struct ptx_insn *in) {
  if (in->guarded) putf(t, "@%s%s ", in->guard_neg ? "!" : "", f->regs[in->guard].name);
  put(t, ptx_op_name((enum ptx_op)in->op));
  for (unsigned i = 0; i < in->n_mods; i++)
    putf(t, ".%s", ptx_mod_name((enum ptx_mod)in->mods[i]));
  if (in->op == PTX_OP_call) {
    put_call(t, f, in);
  } else {
    for (unsigned i = 0; i < in->n_opnds; i++) {
      put(t, i ? ", " : " ");
      put_operand(t, f, &in->opnds[i]);
    }
  }
  put(t, ";");
}

char *ptx_print_insn(const struct ptx_func *f, const struct ptx_insn *in) {
  struct weir_text t = {0};
  put_insn(&t, f, in);
  return finish(&t);
}

/* ---- variables ---- */

static const char *space_word(enum ptx_space s) {
  static const char *const words[] = {"",       ".reg",   ".sreg",   ".const", ".global",
                                      ".local", ".param", ".shared", ".tex"};
  return words[s];
}

static const char *linkage_word(enum ptx_linkage l) {
  static const char *const words[] = {"", ".visible ", ".extern ", ".weak ", ".common "};
  return words[l];
}

static void put_reloc(struct weir_text *t, const struct ptx_reloc *r) {
  if (r->mask_byte) putf(t, "0x%llX(", 0xffull << 8 * (r->mask_byte - 1));
  putf(t, "%s%s%s", r->is_generic ? "generic(" : "", r->name, r->is_generic ? ")" : "");
  put_offset(t, (uint64_t)r->addend);
  if (r->mask_byte) put(t, ")");
}

static void put_value(struct weir_text *t, const struct ptx_var *v, uint64_t offset) {
  unsigned n = ptx_type_bytes(v->type);
  uint64_t bits = 0;
  for (unsigned i = 0; i < n && i < 8 && offset + i < v->init_bytes; i++)
    bits |= (uint64_t)v->init[offset + i] << 8 * i;
  if (v->type == PTX_T_f32) {
    putf(t, "0f%08X", (unsigned)bits);
  } else if (v->type == PTX_T_f64) {
    putf(t, "0d%016llX", (unsigned long long)bits);
  } else if (ptx_type_is_signed(v->type) && n > 0 && n <= 8 && bits >> (8 * n - 1)) {
    putf(t, "%lld", (long long)(n == 8 ? bits : bits | ~UINT64_C(0) << 8 * n));
  } else {
    putf(t, "%llu", (unsigned long long)bits);
  }
}

struct init_cursor {
  const struct ptx_var *v;
  uint32_t reloc;
};

static void put_init(struct weir_text *t, struct init_cursor *c, unsigned dim, uint64_t offset) {
  const struct ptx_var *v = c->v;
  unsigned levels = v->n_dims + (v->vec > 1), small = ptx_type_bytes(v->type);
  if (dim == levels) {
    while (c->reloc < v->n_relocs && v->relocs[c->reloc].offset < offset)
      c->reloc++;
    if (c->reloc < v->n_relocs && v->relocs[c->reloc].offset == offset) {
      put_reloc(t, &v->relocs[c->reloc++]);
    } else {
      put_value(t, v, offset);
    }
    return;
  }
  uint64_t n = dim < v->n_dims ? v->dims[dim] : v->vec, entry = small;
  for (unsigned i = dim + 1; i < levels; i++)
    entry *= i < v->n_dims ? v->dims[i] : v->vec;
  put(t, "{");
  for (uint64_t i = 0; i < n && offset + i * entry < v->init_bytes; i++) {
    if (i) put(t, ", ");
    put_init(t, c, dim + 1, offset + i * entry);
  }
  put(t, "}");
}

/* Everything from the space to the end of the dimensions. */
static void put_declarator(struct weir_text *t, const struct ptx_var *v) {
  put(t, space_word(v->space));
  for (unsigned i = 0; v->attrs && v->attrs[i]; i++)
    putf(t, " .attribute(%s)", v->attrs[i]);
  bool natural = v->align == ptx_type_bytes(v->type) * v->vec;
  if (v->space != PTX_SPACE_reg && !(natural && !v->n_dims)) putf(t, " .align %u", v->align);
  if (v->vec > 1) putf(t, " .v%u", v->vec);
  putf(t, " .%s", ptx_type_name(v->type));
  if (v->has_ptr_attr) {
    put(t, " .ptr");
    if (v->ptr_space) putf(t, " %s", space_word(v->ptr_space));
    if (v->ptr_align) putf(t, " .align %u", v->ptr_align);
  }
  putf(t, " %s", v->name);
  for (uint32_t i = 0; i < v->n_dims; i++) {
    if (v->dims[i]) {
      putf(t, "[%llu]", (unsigned long long)v->dims[i]);
    } else {
      put(t, "[]");
    }
  }
}

static void put_var(struct weir_text *t, const struct ptx_var *v) {
  put(t, linkage_word(v->linkage));
  put_declarator(t, v);
  if (v->init) {
    struct init_cursor c = {v, 0};
    put(t, " = ");
    put_init(t, &c, 0, 0);
  }
  put(t, ";\n");
}

static void put_params(struct weir_text *t, const struct ptx_var *v, uint32_t n, const char *sep) {
  put(t, "(");
  for (uint32_t i = 0; i < n; i++) {
    if (i) put(t, ",");
    if (i || *sep == '\n') put(t, sep);
    put_declarator(t, &v[i]);
  }
  put(t, ")");
}

/* ---- functions ---- */

/* Where the printer stands in the lists that go along with the instructions. */
struct body {
  const struct ptx_func *f;
  uint32_t at; /* instruction about to be printed */
  uint32_t scope, depth, next_scope;
  uint32_t loc, pragma, table, label;
};

static void indent(struct weir_text *t, const struct body *b) {
  for (uint32_t i = 0; i < b->depth; i++)
    put(t, "  ");
}

static void put_regs(struct weir_text *t, const struct body *b) {
  const struct ptx_func *f = b->f;
  for (uint32_t i = 0; i < f->n_reg_decls; i++) {
    const struct ptx_reg_decl *d = &f->reg_decls[i];
    if (d->scope != b->scope || d->is_param) continue;
    indent(t, b);
    put(t, ".reg");
    if (d->vec > 1) putf(t, " .v%u", d->vec);
    putf(t, " .%s %s", ptx_type_name(d->type), d->name);
    if (d->is_range) putf(t, "<%u>", d->count);
    put(t, ";\n");
  }
}

static void put_scope_decls(struct weir_text *t, const struct body *b) {
  put_regs(t, b);
  for (uint32_t i = 0; i < b->f->n_vars; i++) {
    if (b->f->vars[i]->scope != b->scope) continue;
    indent(t, b);
    put_var(t, b->f->vars[i]);
  }
}

static void put_table(struct weir_text *t, const struct body *b, const struct ptx_table *tab) {
  indent(t, b);
  putf(t, "%s: ", tab->name);
  if (tab->kind == PTX_CALLPROTOTYPE) {
    put(t, ".callprototype ");
    if (tab->n_rets) {
      put_params(t, tab->rets, tab->n_rets, " ");
      put(t, " ");
    }
    put(t, "_");
    if (tab->n_params) {
      put(t, " ");
      put_params(t, tab->params, tab->n_params, " ");
    }
  } else {
    put(t, tab->kind == PTX_BRANCHTARGETS ? ".branchtargets" : ".calltargets");
    for (uint32_t i = 0; i < tab->n; i++)
      putf(t, "%s %s", i ? "," : "", tab->names[i]);
  }
  put(t, ";\n");
}

/* Labels, tables, pragmas and line marks in front of instruction `at`, those of the current scope.
 */
static void put_marks(struct weir_text *t, struct body *b) {
  const struct ptx_func *f = b->f;
  for (; b->table < f->n_tables && f->tables[b->table]->at == b->at; b->table++)
    put_table(t, b, f->tables[b->table]);
  for (; b->label < f->n_labels && f->labels[b->label].at == b->at &&
         f->labels[b->label].scope == b->scope;
       b->label++)
    putf(t, "%s:\n", f->labels[b->label].name);
}

static void put_notes(struct weir_text *t, struct body *b) {
  const struct ptx_func *f = b->f;
  for (; b->loc < f->n_locs && f->locs[b->loc].at == b->at; b->loc++) {
    const struct ptx_loc *l = &f->locs[b->loc];
    indent(t, b);
    putf(t, ".loc %u %u %u", l->file, l->line, l->col);
    if (l->rest) putf(t, ", %s", l->rest);
    put(t, "\n");
  }
  for (; b->pragma < f->n_pragmas && f->pragmas[b->pragma].at == b->at; b->pragma++) {
    indent(t, b);
    putf(t, ".pragma %s;\n", f->pragmas[b->pragma].text);
  }
}

static void open_scope(struct weir_text *t, struct body *b, uint32_t scope) {
  if (scope) {
    indent(t, b);
    put(t, "{\n");
  }
  b->scope = scope;
  b->depth++;
  put_scope_decls(t, b);
}

static void close_scope(struct weir_text *t, struct body *b) {
  b->depth--;
  indent(t, b);
  put(t, "}\n");
  b->scope = b->f->scopes[b->scope].parent;
}

/* Blocks that open and close in front of instruction `at`. */
static void put_scopes(struct weir_text *t, struct body *b) {
  const struct ptx_func *f = b->f;
  for (;;) {
    put_marks(t, b);
    bool opens = b->next_scope < f->n_scopes && f->scopes[b->next_scope].first == b->at &&
                 f->scopes[b->next_scope].parent == b->scope;
    if (opens) {
      open_scope(t, b, b->next_scope++);
    } else if (b->scope && f->scopes[b->scope].last == b->at) {
      close_scope(t, b);
    } else {
      return;
    }
  }
}

static void put_body(struct weir_text *t, const struct ptx_func *f) {
  struct body b = {.f = f, .next_scope = 1};
  put(t, "{\n");
  open_scope(t, &b, 0);
  for (b.at = 0; b.at <= f->n_insns; b.at++) {
    put_scopes(t, &b);
    put_notes(t, &b);
    if (b.at == f->n_insns) break;
    indent(t, &b);
    put_insn(t, f, &f->insns[b.at]);
    put(t, "\n");
  }
  put(t, "}\n");
}

static void put_dims(struct weir_text *t, const char *word, const uint32_t d[3]) {
  if (d[0]) putf(t, "\n%s %u, %u, %u", word, d[0], d[1], d[2]);
}

static void put_func(struct weir_text *t, const struct ptx_func *f, bool body) {
  put(t, linkage_word(f->linkage));
  put(t, f->is_entry ? ".entry " : ".func ");
  if (f->n_rets) {
    put_params(t, f->rets, f->n_rets, " ");
    put(t, " ");
  }
  put(t, f->name);
  if (f->n_params || !f->is_entry) put_params(t, f->params, f->n_params, "\n  ");
  put_dims(t, ".maxntid", f->maxntid);
  put_dims(t, ".reqntid", f->reqntid);
  if (f->minnctapersm) putf(t, "\n.minnctapersm %u", f->minnctapersm);
  if (f->maxnctapersm) putf(t, "\n.maxnctapersm %u", f->maxnctapersm);
  if (f->maxnreg) putf(t, "\n.maxnreg %u", f->maxnreg);
  if (f->is_noreturn) put(t, "\n.noreturn");
  for (unsigned i = 0; f->extra_directives && f->extra_directives[i]; i++)
    putf(t, "\n%s", f->extra_directives[i]);
  if (body) {
    put(t, "\n");
    put_body(t, f);
  } else {
    put(t, ";\n");
  }
}

/* ---- the module ---- */

static void put_item(struct weir_text *t, const struct ptx_module *m, const struct ptx_item *it) {
  switch (it->kind) {
  case 'v':
    put_var(t, m->vars[it->index]);
    break;
  case 'f':
    put(t, "\n");
    put_func(t, m->funcs[it->index], true);
    break;
  case 'd':
    put_func(t, m->funcs[it->index], false);
    break;
  case 'p':
    putf(t, ".pragma %s;\n", m->pragmas[it->index]);
    break;
  case 'a':
    putf(t, ".alias %s, %s;\n", m->aliases[it->index].name->name, m->aliases[it->index].of->name);
    break;
  case 'i': {
    const struct ptx_file *f = &m->files[it->index];
    putf(t, ".file %u \"%s\"", f->index, f->name);
    if (f->rest) putf(t, ", %s", f->rest);
    put(t, "\n");
    break;
  }
  case 's':
    putf(t, "%s\n", m->sections[it->index]);
    break;
  default:
    break;
  }
}

char *ptx_print(const struct ptx_module *m) {
  struct weir_text t = {0};
  putf(&t, ".version %u.%u\n.target %s\n.address_size %u\n\n", m->version_major, m->version_minor,
       m->target, m->address_bits);
  for (uint32_t i = 0; i < m->n_items; i++)
    put_item(&t, m, &m->items[i]);
  return finish(&t);
}

/* ---- Graphviz ---- */

static void put_escaped(struct weir_text *t, const char *s) {
  for (; *s; s++) {
    char c[3] = {*s, 0, 0};
    if (*s == '"' || *s == '\\' || *s == '{' || *s == '}' || *s == '<' || *s == '>' || *s == '|') {
      c[0] = '\\';
      c[1] = *s;
    }
    put(t, c);
  }
}

static void put_dot_block(struct weir_text *t, const struct ptx_func *f, uint32_t i) {
  const struct ptx_block *b = &f->cfg.blocks[i];
  putf(t, "  b%u [label=\"block %u", i, i);
  if (b->in_loop) put(t, ", loop");
  if (!b->reachable) put(t, ", not reachable");
  put(t, "\\l");
  for (uint32_t k = b->first; k <= b->last && !t->failed; k++) {
    char *line = ptx_print_insn(f, &f->insns[k]);
    if (!line) {
      t->failed = true;
      return;
    }
    putf(t, "%u: ", f->insns[k].line);
    put_escaped(t, line);
    put(t, "\\l");
    free(line);
  }
  put(t, "\"];\n");
  for (uint32_t s = 0; s < b->n_succ; s++)
    putf(t, "  b%u -> b%u;\n", i, b->succ[s]);
  if (b->ipdom == f->cfg.n_blocks) {
    putf(t, "  b%u -> exit [style=dashed, color=gray];\n", i);
  } else {
    putf(t, "  b%u -> b%u [style=dashed, color=gray];\n", i, b->ipdom);
  }
}

char *ptx_print_dot(const struct ptx_func *f) {
  struct weir_text t = {0};
  put(&t, "digraph \"");
  put_escaped(&t, f->name);
  put(&t, "\" {\n  node [shape=box, fontname=monospace];\n"
          "  exit [shape=oval];\n  // dashed: immediate post-dominator\n");
  for (uint32_t i = 0; i < f->cfg.n_blocks; i++)
    put_dot_block(&t, f, i);
  put(&t, "}\n");
  return finish(&t);
}
