/* Function bodies: declarations, labels, scopes, line information; instructions are in
 * parse_insn.c. */
#include <stdlib.h>
#include <string.h>

#include "ptx/parse.h"

/* loc = ".loc" file line column [ "," "function_name" name ["+" n] "," "inlined_at" file line
 * column ] */
bool parse_loc(struct parser *p) {
  struct ptx_loc l = {.at = (uint32_t)p->insns.n};
  parse_next(p);
  if (!parse_uint(p, &l.file, "a file number") || !parse_uint(p, &l.line, "a line number") ||
      !parse_uint(p, &l.col, "a column"))
    return false;
  if (parse_is(p, ',')) { /* the rest of the line, as written */
    uint32_t line = p->tok.line;
    parse_next(p);
    const char *start = p->tok.s, *end = start;
    while (p->tok.kind != PTX_TOK_end && p->tok.line == line) {
      if (p->tok.kind == PTX_TOK_bad || parse_is(p, '}'))
        return parse_error(p, &p->tok, "expected function_name and inlined_at");
      end = p->tok.s + p->tok.len;
      parse_next(p);
    }
    l.rest = parse_text(p, start, (size_t)(end - start));
    if (!l.rest) return false;
  }
  if (!WEIR_PUSH(p->locs, l)) return parse_oom(p);
  p->loc = (uint32_t)p->locs.n;
  return true;
}

/* targets = name { "," name } */
static bool parse_targets(struct parser *p, struct ptx_table *t) {
  VEC(struct ident *) ids = {0};
  VEC(struct ptx_tok) toks = {0};
  bool ok = true;
  do {
    struct ident *id;
    struct ptx_tok at;
    ok = parse_name(p, &id, &at, t->kind == PTX_BRANCHTARGETS ? "a label" : "a function");
    if (ok && (!WEIR_PUSH(ids, id) || !WEIR_PUSH(toks, at))) ok = parse_oom(p);
  } while (ok && parse_accept(p, ','));
  if (ok) {
    t->n = (uint32_t)ids.n;
    t->names = parse_alloc(p, ids.n, sizeof *t->names);
    t->labels = parse_alloc(p, ids.n, sizeof *t->labels);
    t->funcs = parse_alloc(p, ids.n, sizeof *t->funcs);
    ok = t->names && t->labels && t->funcs;
  }
  for (uint32_t i = 0; ok && i < t->n; i++) {
    uint32_t reg;
    t->names[i] = ids.v[i]->name;
    if (t->kind == PTX_BRANCHTARGETS) {
      struct ptx_tok at = toks.v[i]; // NOLINT(*NullDereference): as many tokens as names
      struct fixup f = {.ident = ids.v[i], .scope = p->scope, .at = at, .table = t, .slot = i};
      ok = WEIR_PUSH(p->fixups, f) || parse_oom(p);
    } else {
      struct binding *b = sym_find(p, ids.v[i], &reg);
      if (b && b->kind == BIND_FUNC)
        t->funcs[i] = b->func;
      else
        ok = parse_error(p, &toks.v[i], "'%s' is not a function declared above", ids.v[i]->name);
    }
  }
  free(ids.v);
  free(toks.v);
  return ok;
}

/* prototype = ".callprototype" [params] "_" [params] [tuning] ";" */
static bool parse_prototype(struct parser *p, struct ptx_table *t) {
  uint64_t ignored;
  struct ptx_tok at = p->tok;
  if (!sym_push_scope(p, &at)) return false;
  bool ok = (!parse_is(p, '(') || parse_param_list(p, &t->rets, &t->n_rets, false, &ignored));
  if (ok && p->tok.kind == PTX_TOK_ident && p->tok.len == 1 && p->tok.s[0] == '_') {
    parse_next(p);
    if (parse_is(p, '(')) ok = parse_param_list(p, &t->params, &t->n_params, false, &ignored);
  } else if (ok) {
    ok = parse_error(p, &p->tok, "expected '_' in place of the function's name");
  }
  /* its names mean nothing outside, and it is not a block of the body */
  sym_pop_scope(p);
  p->scopes.n--;
  parse_accept_dot(p, ".noreturn");
  return ok;
}

/* table = label ":" (".branchtargets" | ".calltargets") targets ";" | label ":" prototype */
bool parse_table(struct parser *p, struct ident *id, const struct ptx_tok *at) {
  struct ptx_table *t = parse_alloc(p, 1, sizeof *t);
  if (!t) return false;
  t->kind = parse_is_dot(p, ".branchtargets") ? PTX_BRANCHTARGETS
            : parse_is_dot(p, ".calltargets") ? PTX_CALLTARGETS
                                              : PTX_CALLPROTOTYPE;
  t->name = id->name;
  t->line = at->line;
  t->at = (uint32_t)p->insns.n;
  if (id->func_serial == p->func_serial && (id->labels || id->table))
    return parse_error(p, at, "label '%s' is defined twice", id->name);
  parse_next(p);
  bool ok = t->kind == PTX_CALLPROTOTYPE ? parse_prototype(p, t) : parse_targets(p, t);
  if (!ok || !parse_expect(p, ';', "the directive")) return false;
  id->func_serial = p->func_serial;
  id->labels = NULL;
  id->table = t;
  return WEIR_PUSH(p->tables, t) || parse_oom(p);
}

static bool is_table(const struct parser *p) {
  return parse_is_dot(p, ".branchtargets") || parse_is_dot(p, ".calltargets") ||
         parse_is_dot(p, ".callprototype");
}

static bool next_is_colon(const struct parser *p) {
  struct ptx_lexer lx = p->lx;
  struct ptx_tok t;
  ptx_lex_next(&lx, &t);
  return t.kind == PTX_TOK_punct && t.punct == ':';
}

/* directive = reg | variable | loc | file | pragma | section */
static bool parse_directive(struct parser *p) {
  if (parse_is_dot(p, ".reg")) return parse_reg_decl(p);
  if (parse_is_dot(p, ".loc")) return parse_loc(p);
  if (parse_is_dot(p, ".file")) return parse_file(p);
  if (parse_is_dot(p, ".section")) return parse_section(p);
  if (parse_is_dot(p, ".pragma")) {
    struct ptx_pragma pr = {.at = (uint32_t)p->insns.n};
    return parse_pragma(p, &pr.text) && (WEIR_PUSH(p->pragmas, pr) || parse_oom(p));
  }
  enum ptx_linkage linkage = parse_accept_dot(p, ".extern") ? PTX_LINK_extern : PTX_LINK_none;
  return parse_var_decl(p, linkage);
}

/* statement = label ":" | table | directive | instruction | ";" */
static bool parse_statement(struct parser *p) {
  if (parse_accept(p, ';')) return true;
  if (p->tok.kind == PTX_TOK_dot) return parse_directive(p);
  if (p->tok.kind == PTX_TOK_ident && next_is_colon(p)) {
    struct ident *id;
    struct ptx_tok at;
    if (!parse_name(p, &id, &at, "a label")) return false;
    parse_next(p);
    return is_table(p) ? parse_table(p, id, &at) : sym_label(p, id, &at);
  }
  if (p->tok.kind == PTX_TOK_ident || parse_is(p, '@')) return parse_insn(p);
  char buf[80];
  return parse_error(p, &p->tok, "expected an instruction, a label or a directive, found %s",
                     parse_show(&p->tok, buf, sizeof buf));
}

/* body = "{" { statement | body } "}"; blocks are kept on a list, not on the stack */
static bool parse_blocks(struct parser *p, const struct ptx_tok *open) {
  uint32_t outer = p->scope_depth;
  while (!p->stop) {
    p->braces = 0;
    struct ptx_tok at = p->tok;
    if (p->tok.kind == PTX_TOK_end) return parse_error(p, open, "this '{' has no matching '}'");
    if (parse_accept(p, '}')) {
      if (p->scope_depth == outer) return true;
      sym_pop_scope(p);
    } else if (parse_accept(p, '{')) {
      if (!sym_push_scope(p, &at)) { /* too deep: nothing sensible can follow */
        p->stop = true;
        return false;
      }
    } else if (!parse_statement(p)) {
      parse_recover(p);
    }
  }
  return false;
}

bool parse_body(struct parser *p, struct ptx_func *f) {
  struct ptx_tok open = p->tok;
  if (!parse_expect(p, '{', "the head of a function")) return false;
  bool ok = parse_blocks(p, &open);
  if (!ok) return false;
  p->scopes.v[0].last = (uint32_t)p->insns.n;
  sym_resolve(p);
  PARSE_KEEP(f->insns, f->n_insns, p->insns);
  PARSE_KEEP(f->regs, f->n_regs, p->regs);
  PARSE_KEEP(f->reg_decls, f->n_reg_decls, p->reg_decls);
  PARSE_KEEP(f->scopes, f->n_scopes, p->scopes);
  PARSE_KEEP(f->labels, f->n_labels, p->labels);
  PARSE_KEEP(f->locs, f->n_locs, p->locs);
  PARSE_KEEP(f->pragmas, f->n_pragmas, p->pragmas);
  PARSE_KEEP(f->tables, f->n_tables, p->tables);
  PARSE_KEEP(f->vars, f->n_vars, p->func_vars);
  return !p->no_memory;
}
