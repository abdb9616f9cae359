/* Instructions and their operands. Operands are read by shape; verify.c compares them with the row
 * of isa.def. */
#include <stdio.h>
#include <string.h>

#include "ptx/parse.h"

static bool parse_operand(struct parser *p, struct ptx_operand *o, bool nested);

/* ---- names ---- */

static bool undeclared(struct parser *p, const struct ptx_tok *at) {
  int len = at->len > 200 ? 200 : (int)at->len;
  return parse_error(p, at, "%s '%.*s' is not declared", at->s[0] == '%' ? "register" : "name", len,
                     at->s);
}

/* sreg = "%tid" ".x" | "%clock64" | ...; true if the current token begins one, which is then
 * consumed */
static bool accept_sreg(struct parser *p, struct ptx_operand *o) {
  struct ptx_lexer lx = p->lx;
  struct ptx_tok next;
  ptx_lex_next(&lx, &next);
  enum ptx_sreg s = PTX_N_SREGS;
  if (next.kind == PTX_TOK_dot && next.s == p->tok.s + p->tok.len) {
    s = ptx_sreg_find(p->tok.s, (size_t)p->tok.len + next.len);
    if (s != PTX_N_SREGS) parse_next(p);
  }
  if (s == PTX_N_SREGS) s = ptx_sreg_find(p->tok.s, p->tok.len);
  if (s == PTX_N_SREGS) return false;
  parse_next(p);
  o->kind = PTX_O_sreg;
  o->sreg = s;
  return true;
}

/* component = ".x" | ".y" | ".z" | ".w" | ".r" | ".g" | ".b" | ".a" */
static int component_of(const struct ptx_tok *t) {
  if (t->kind != PTX_TOK_dot || t->len != 2) return -1;
  static const char names[] = "xyzwrgba";
  const char *at = strchr(names, t->s[1]);
  return at && *at ? (int)((at - names) % 4) : -1;
}

/* selector = ".b0" .. ".b3" | ".h0" | ".h1" | ".b3210" | ".h10": of video instructions */
static bool selector_of(const struct ptx_tok *t, struct ptx_operand *o) {
  if (t->kind != PTX_TOK_dot || t->len < 3 || t->len > 6) return false;
  bool half = t->s[1] == 'h';
  if (!half && t->s[1] != 'b') return false;
  uint64_t nibbles = 0;
  for (uint32_t i = 2; i < t->len; i++) {
    if (t->s[i] < '0' || t->s[i] > (half ? '3' : '7')) return false;
    nibbles = nibbles << 4 | (uint64_t)(t->s[i] - '0');
  }
  uint32_t n = t->len - 2;
  if (n == 1 && nibbles <= (half ? 1u : 3u)) {
    o->half = (uint8_t)(half ? 5 + nibbles : 1 + nibbles);
  } else {
    o->half = half ? 8 : 7;
    o->imm = (uint64_t)n << 32 | nibbles;
  }
  return true;
}

static bool vector_register(struct parser *p, struct ptx_operand *o, uint32_t first, uint32_t n) {
  int c = component_of(&p->tok);
  if (c >= 0) {
    if ((uint32_t)c >= n)
      return parse_error(p, &p->tok, "the vector register has only %u components", n);
    o->kind = PTX_O_reg;
    o->reg = first + (uint32_t)c;
    o->component = (uint8_t)(c + 1);
    parse_next(p);
    return true;
  }
  o->kind = PTX_O_vec;
  o->n_elem = (uint16_t)n;
  o->elem = parse_alloc(p, n, sizeof *o->elem);
  if (!o->elem) return false;
  for (uint32_t i = 0; i < n; i++) {
    o->elem[i].kind = PTX_O_reg;
    o->elem[i].reg = first + i;
    o->elem[i].component = (uint8_t)(i + 1);
    o->elem[i].col = o->col;
  }
  return true;
}

/* offset = ("+" | "-") constant */
static bool parse_offset(struct parser *p, uint64_t *imm) {
  struct const_value c;
  bool minus = parse_is(p, '-');
  parse_next(p);
  if (!parse_const_int(p, &c)) return false;
  *imm = minus ? 0 - c.bits : c.bits;
  return true;
}

/* variable = name [offset] | name "[" constant "]" */
static bool variable(struct parser *p, struct ptx_operand *o, struct ptx_var *v) {
  o->kind = PTX_O_var;
  o->var = v;
  if (parse_is(p, '+') || parse_is(p, '-')) return parse_offset(p, &o->imm);
  if (parse_accept(p, '[')) {
    struct const_value c;
    if (!parse_const_int(p, &c)) return false;
    o->kind = PTX_O_addr;
    o->imm = c.bits * ptx_type_bytes(v->type) * v->vec;
    return parse_expect(p, ']', "an index");
  }
  return true;
}

/* named = register ["." component] | sreg | variable | function | "_" */
static bool parse_named(struct parser *p, struct ptx_operand *o) {
  struct ptx_tok at = p->tok;
  uint32_t reg = 0;
  o->col = at.col;
  if (at.len == 1 && at.s[0] == '_') {
    o->kind = PTX_O_sink;
    parse_next(p);
    return true;
  }
  if (at.len > PARSE_MAX_NAME) return parse_error(p, &at, "name is too long");
  struct ident *id = sym_ident(p, at.s, at.len);
  if (!id) return false;
  struct binding *b = sym_find(p, id, &reg);
  if (!b) return (at.s[0] == '%' && accept_sreg(p, o)) || undeclared(p, &at);
  parse_next(p);
  switch (b->kind) {
  case BIND_VECREG:
    return vector_register(p, o, b->reg, b->count);
  case BIND_REG:
  case BIND_RANGE:
    o->kind = PTX_O_reg;
    o->reg = reg;
    if (selector_of(&p->tok, o)) parse_next(p);
    return true;
  case BIND_FUNC:
    o->kind = PTX_O_func;
    o->func = b->func;
    return true;
  case BIND_VAR:
    return variable(p, o, b->var);
  }
  return false;
}

/* ---- operands ---- */

/* constant = a constant expression */
static bool parse_immediate(struct parser *p, struct ptx_operand *o) {
  struct const_value c;
  if (!parse_const(p, &c)) return false;
  o->kind = c.kind == CV_INT ? PTX_O_int : c.kind == CV_F32 ? PTX_O_f32 : PTX_O_f64;
  o->imm = c.bits;
  o->is_unsigned = c.is_unsigned;
  if (o->kind == PTX_O_int && selector_of(&p->tok, o))
    return parse_error(p, &p->tok, "a constant has no selector");
  return true;
}

/* list = open [ operand { "," operand } ] close */
static bool parse_list(struct parser *p, struct ptx_operand *o, unsigned close) {
  size_t base = p->opnds.n;
  struct ptx_tok at = p->tok;
  bool brace = close == '}';
  parse_next(p);
  if (brace) p->braces++;
  while (!parse_is(p, close)) {
    struct ptx_operand e = {0};
    if (p->opnds.n - base >= PARSE_MAX_LIST)
      return parse_error(p, &at, "a list has at most %d elements", PARSE_MAX_LIST);
    if (!parse_operand(p, &e, true)) return false;
    if (!WEIR_PUSH(p->opnds, e)) return parse_oom(p);
    if (!parse_accept(p, ',')) break;
  }
  if (!parse_expect(p, close, "the list")) return false;
  if (brace) p->braces--;
  size_t n = p->opnds.n - base;
  o->n_elem = (uint16_t)n;
  o->elem = n ? parse_alloc(p, n, sizeof *o->elem) : NULL;
  if (n && !o->elem) return false;
  if (n) memcpy(o->elem, p->opnds.v + base, n * sizeof *o->elem);
  p->opnds.n = base;
  return true;
}

/* tex = "[" name { "," (name | vector) } "]"; the first element is read already */
static bool parse_tex(struct parser *p, struct ptx_operand *o, const struct ptx_operand *first) {
  enum { MAX_TEX = 4 };
  o->elem = parse_alloc(p, MAX_TEX, sizeof *o->elem);
  if (!o->elem) return false;
  o->kind = PTX_O_tex;
  o->elem[0] = *first;
  o->n_elem = 1;
  while (parse_accept(p, ',')) {
    if (o->n_elem == MAX_TEX) return parse_error(p, &p->tok, "too many parts in this address");
    struct ptx_operand *e = &o->elem[o->n_elem++];
    e->col = p->tok.col;
    if (parse_is(p, '{')) {
      e->kind = PTX_O_vec;
      if (!parse_list(p, e, '}')) return false;
    } else if (!parse_operand(p, e, true)) {
      return false;
    }
  }
  return parse_expect(p, ']', "an address");
}

/* address = "[" (register | variable | constant) [offset] "]" | tex */
static bool parse_address(struct parser *p, struct ptx_operand *o) {
  struct ptx_operand base = {.col = p->tok.col};
  parse_next(p);
  struct ptx_tok at = p->tok;
  if (parse_starts_const(p)) {
    struct const_value c;
    if (!parse_const_int(p, &c)) return false;
    base.kind = PTX_O_addr;
    base.imm = c.bits;
  } else if (p->tok.kind == PTX_TOK_ident) {
    if (!parse_named(p, &base)) return false;
    if (base.kind == PTX_O_reg && (parse_is(p, '+') || parse_is(p, '-')) &&
        !parse_offset(p, &base.imm))
      return false;
  } else {
    char buf[80];
    return parse_error(p, &at, "expected a register, a variable or a number, found %s",
                       parse_show(&at, buf, sizeof buf));
  }
  if (parse_is(p, ',')) return parse_tex(p, o, &base);
  if (base.kind != PTX_O_reg && base.kind != PTX_O_var && base.kind != PTX_O_addr)
    return parse_error(p, &at, "this cannot be an address");
  uint32_t col = o->col;
  *o = base;
  o->kind = PTX_O_addr;
  o->col = col;
  o->has_base = base.kind == PTX_O_reg;
  return parse_expect(p, ']', "an address");
}

static bool next_is_register(struct parser *p) {
  struct ptx_lexer lx = p->lx;
  struct ptx_tok t;
  uint32_t reg;
  ptx_lex_next(&lx, &t);
  if (t.kind != PTX_TOK_ident || t.len > PARSE_MAX_NAME) return false;
  struct ident *id = sym_ident(p, t.s, t.len);
  struct binding *b = id ? sym_find(p, id, &reg) : NULL;
  return b && (b->kind == BIND_REG || b->kind == BIND_RANGE);
}

/* operand = address | vector | ["!" | "-"] named ["|" named] | constant */
static bool parse_operand(struct parser *p, struct ptx_operand *o, bool nested) {
  o->col = p->tok.col;
  if (!nested && parse_is(p, '[')) return parse_address(p, o);
  if (!nested && parse_is(p, '{')) {
    o->kind = PTX_O_vec;
    return parse_list(p, o, '}');
  }
  if (parse_accept(p, '!')) {
    uint32_t col = o->col;
    if (p->tok.kind != PTX_TOK_ident)
      return parse_error(p, &p->tok, "expected a predicate after '!'");
    if (!parse_named(p, o)) return false;
    o->neg = true;
    o->col = col;
    return true;
  }
  if (!nested && parse_is(p, '-') && next_is_register(p)) {
    uint32_t col = o->col;
    parse_next(p);
    if (!parse_named(p, o)) return false;
    o->minus = true;
    o->col = col;
    return true;
  }
  if (parse_starts_const(p)) return parse_immediate(p, o);
  if (p->tok.kind == PTX_TOK_bad) return parse_error(p, &p->tok, "%s", p->tok.what);
  if (p->tok.kind != PTX_TOK_ident) {
    char buf[80];
    return parse_error(p, &p->tok, "expected an operand, found %s",
                       parse_show(&p->tok, buf, sizeof buf));
  }
  if (!parse_named(p, o)) return false;
  return true;
}

/* A pair "d|p": the second part of an operand whose first is read. */
static bool parse_pair(struct parser *p, struct ptx_operand *o) {
  struct ptx_operand *both = parse_alloc(p, 2, sizeof *both);
  if (!both) return false;
  parse_next(p);
  both[0] = *o;
  if (p->tok.kind != PTX_TOK_ident)
    return parse_error(p, &p->tok, "expected a predicate after '|'");
  if (!parse_named(p, &both[1])) return false;
  *o = (struct ptx_operand){.kind = PTX_O_pair, .n_elem = 2, .elem = both, .col = both[0].col};
  return true;
}

/* operands = [ operand ["|" named] { "," ... } ] */
static bool parse_operands(struct parser *p, struct ptx_insn *in, struct ptx_operand *ops,
                           struct ptx_tok *toks) {
  if (parse_is(p, ';')) return true;
  do {
    if (in->n_opnds == PTX_MAX_OPNDS)
      return parse_error(p, &p->tok, "an instruction has at most %d operands", PTX_MAX_OPNDS);
    struct ptx_operand *o = &ops[in->n_opnds];
    toks[in->n_opnds] = p->tok;
    *o = (struct ptx_operand){0};
    if (!parse_operand(p, o, false)) return false;
    if (parse_is(p, '|') && !parse_pair(p, o)) return false;
    in->n_opnds++;
  } while (parse_accept(p, ','));
  return true;
}

/* ---- branches and calls ---- */

static bool label_operand(struct parser *p, struct ptx_operand *o, bool is_table) {
  struct fixup f = {.opnd = o, .scope = p->scope, .is_table = is_table};
  o->kind = is_table ? PTX_O_table : PTX_O_label;
  o->col = p->tok.col;
  if (!parse_name(p, &f.ident, &f.at, "a label")) return false;
  return WEIR_PUSH(p->fixups, f) || parse_oom(p);
}

/* bra = "bra" label;  brx = "brx.idx" index "," label */
static bool parse_branch(struct parser *p, struct ptx_insn *in, struct ptx_tok *toks) {
  bool indexed = in->op == PTX_OP_brx;
  in->n_opnds = indexed ? 2 : 1;
  in->opnds = parse_alloc(p, in->n_opnds, sizeof *in->opnds);
  if (!in->opnds) return false;
  toks[0] = p->tok;
  if (!indexed) return label_operand(p, &in->opnds[0], false);
  if (!parse_operand(p, &in->opnds[0], false) || !parse_expect(p, ',', "the index")) return false;
  toks[1] = p->tok;
  return label_operand(p, &in->opnds[1], true);
}

/* A variable that holds addresses of functions can stand for the list of targets. */
static bool jump_table(const struct ptx_var *v) {
  for (uint32_t i = 0; i < v->n_relocs; i++)
    if (!v->relocs[i].func) return false;
  return v->n_relocs > 0;
}

static bool table_of(struct parser *p, const struct ptx_var *v, struct ptx_table **out) {
  struct ptx_table *t = parse_alloc(p, 1, sizeof *t);
  if (!t) return false;
  *t = (struct ptx_table){.name = v->name, .kind = PTX_CALLTARGETS, .n = v->n_relocs};
  t->funcs = parse_alloc(p, t->n, sizeof *t->funcs);
  for (uint32_t i = 0; t->funcs && i < t->n; i++)
    t->funcs[i] = v->relocs[i].func;
  *out = t;
  return t->funcs != NULL;
}

/* call = [ "(" results ")" "," ] (function | register) [ "," "(" arguments ")" ] [ "," table ] */
static bool parse_call(struct parser *p, struct ptx_insn *in, struct ptx_tok *toks) {
  in->opnds = parse_alloc(p, 4, sizeof *in->opnds);
  if (!in->opnds) return false;
  in->n_opnds = 3;
  in->opnds[0].kind = in->opnds[2].kind = PTX_O_list;
  toks[0] = toks[1] = toks[2] = p->tok;
  if (parse_is(p, '(')) {
    if (!parse_list(p, &in->opnds[0], ')') || !parse_expect(p, ',', "the results")) return false;
  }
  toks[1] = p->tok;
  char buf[80];
  if (p->tok.kind != PTX_TOK_ident)
    return parse_error(p, &p->tok, "expected the name of a function, found %s",
                       parse_show(&p->tok, buf, sizeof buf));
  if (!parse_named(p, &in->opnds[1])) return false;
  if (!parse_accept(p, ',')) return true;
  toks[2] = p->tok;
  if (parse_is(p, '(')) {
    if (!parse_list(p, &in->opnds[2], ')')) return false;
    if (!parse_accept(p, ',')) return true;
  }
  struct ident *id;
  toks[3] = p->tok;
  in->n_opnds = 4;
  in->opnds[3].kind = PTX_O_table;
  in->opnds[3].col = p->tok.col;
  if (!parse_name(p, &id, &toks[3], "the label of a prototype")) return false;
  if (id->func_serial != p->func_serial || !id->table) {
    uint32_t reg;
    struct binding *b = sym_find(p, id, &reg);
    if (b && b->kind == BIND_VAR && jump_table(b->var))
      return table_of(p, b->var, &in->opnds[3].table);
  }
  if (id->func_serial != p->func_serial || !id->table || id->table->kind == PTX_BRANCHTARGETS)
    return parse_error(p, &toks[3],
                       "'%s' is not the label of a .callprototype or .calltargets above", id->name);
  in->opnds[3].table = id->table;
  return true;
}

/* ---- opcode ---- */

static void list_forms(struct parser *p, enum ptx_op op) {
  char buf[900];
  size_t n, used = 0, shown = 0;
  const uint16_t *rows = ptx_forms_of(op, &n);
  buf[0] = '\0';
  for (; shown < n; shown++) {
    const char *syntax = ptx_form(rows[shown])->syntax;
    if (used + strlen(syntax) + strlen(ptx_op_name(op)) + 40 > sizeof buf) break;
    used += (size_t)snprintf(buf + used, sizeof buf - used, "%s%s%s", shown ? ", " : "",
                             ptx_op_name(op), syntax);
  }
  if (shown < n)
    snprintf(buf + used, sizeof buf - used, "%sand %zu more", shown ? ", " : "", n - shown);
  parse_remedy(p, "forms: %s", buf);
}

/* guard = "@" ["!"] predicate */
static bool parse_guard(struct parser *p, struct ptx_insn *in) {
  struct ptx_operand o = {0};
  if (!parse_accept(p, '@')) return true;
  in->guard_neg = parse_accept(p, '!');
  struct ptx_tok at = p->tok;
  if (at.kind != PTX_TOK_ident) return parse_error(p, &at, "expected a predicate after '@'");
  if (!parse_named(p, &o)) return false;
  if (o.kind != PTX_O_reg || p->regs.v[o.reg].type != PTX_T_pred)
    return parse_error(p, &at, "'%.*s' is not a predicate register", (int)at.len, at.s);
  in->guarded = true;
  in->guard = o.reg;
  return true;
}

/* opcode = name { "." modifier } */
static bool parse_opcode(struct parser *p, struct ptx_insn *in, struct ptx_tok *at) {
  *at = p->tok;
  if (at->kind != PTX_TOK_ident) {
    char buf[80];
    return parse_error(p, at, "expected an instruction, found %s", parse_show(at, buf, sizeof buf));
  }
  enum ptx_op op = ptx_op_find(at->s, at->len);
  if (op == PTX_N_OPS) {
    parse_error(p, at, "unknown instruction '%.*s'", at->len > 60 ? 60 : (int)at->len, at->s);
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(at->len < 63 ? at->len : 63), at->s);
    const char *near = ptx_op_nearest(word);
    if (near) parse_remedy(p, "did you mean '%s'?", near);
    return false;
  }
  in->op = (uint16_t)op;
  in->line = at->line;
  in->col = at->col;
  parse_next(p);
  while (p->tok.kind == PTX_TOK_dot) {
    enum ptx_mod m = ptx_mod_find(p->tok.s + 1, p->tok.len - 1);
    if (m == PTX_M_none) {
      parse_error(p, &p->tok, "'%s' has no modifier '%.*s'", ptx_op_name(op),
                  p->tok.len > 60 ? 60 : (int)p->tok.len, p->tok.s);
      list_forms(p, op);
      return false;
    }
    if (in->n_mods == PTX_MAX_MODS) return parse_error(p, &p->tok, "too many modifiers");
    in->mods[in->n_mods++] = (uint16_t)m;
    parse_next(p);
  }
  return true;
}

static void full_name(const struct ptx_insn *in, char *buf, size_t len) {
  size_t used = (size_t)snprintf(buf, len, "%s", ptx_op_name((enum ptx_op)in->op));
  for (unsigned i = 0; i < in->n_mods && used < len; i++)
    used +=
        (size_t)snprintf(buf + used, len - used, ".%s", ptx_mod_name((enum ptx_mod)in->mods[i]));
}

static bool wrong_count(struct parser *p, const struct ptx_insn *in, const struct ptx_tok *at,
                        const struct ptx_form *f) {
  char name[200];
  full_name(in, name, sizeof name);
  if (f->n_required == f->n_slots)
    return parse_error(p, at, "'%s' takes %u operand%s, not %u", name, f->n_slots,
                       f->n_slots == 1 ? "" : "s", in->n_opnds);
  return parse_error(p, at, "'%s' takes %u to %u operands, not %u", name, f->n_required, f->n_slots,
                     in->n_opnds);
}

/* The first row that fits modifiers and number of operands. */
static bool choose_form(struct parser *p, struct ptx_insn *in, const struct ptx_tok *at) {
  size_t n;
  const uint16_t *rows = ptx_forms_of((enum ptx_op)in->op, &n);
  const struct ptx_form *near = NULL;
  for (int any_order = 0; any_order < 2; any_order++) {
    for (size_t i = 0; i < n; i++) {
      const struct ptx_form *f = ptx_form(rows[i]);
      if (!ptx_form_matches(f, in->mods, in->n_mods, any_order)) continue;
      in->form = rows[i];
      if (in->op == PTX_OP_call || (in->n_opnds >= f->n_required && in->n_opnds <= f->n_slots))
        return true;
      if (!near) near = f;
    }
    if (near) return wrong_count(p, in, at, near);
  }
  char name[200];
  full_name(in, name, sizeof name);
  parse_error(p, at, "'%s' is not a form of '%s'", name, ptx_op_name((enum ptx_op)in->op));
  list_forms(p, (enum ptx_op)in->op);
  return false;
}

/* instruction = [guard] opcode operands ";" */
bool parse_insn(struct parser *p) {
  struct ptx_insn in = {.loc = p->loc};
  struct ptx_operand ops[PTX_MAX_OPNDS];
  struct ptx_tok toks[PTX_MAX_OPNDS], at;
  p->opnds.n = 0;
  if (!parse_guard(p, &in) || !parse_opcode(p, &in, &at)) return false;
  bool is_branch = in.op == PTX_OP_bra || in.op == PTX_OP_brx;
  bool is_call = in.op == PTX_OP_call;
  if (is_branch ? !parse_branch(p, &in, toks)
      : is_call ? !parse_call(p, &in, toks)
                : !parse_operands(p, &in, ops, toks))
    return false;
  if (!is_branch && !is_call) in.opnds = ops;
  if (!choose_form(p, &in, &at)) return false;
  if (is_call ? !verify_call(p, &in, &at, toks) : !verify_insn(p, &in, &at, toks)) return false;
  if (in.opnds == ops) {
    in.opnds = in.n_opnds ? parse_alloc(p, in.n_opnds, sizeof *ops) : NULL;
    if (in.n_opnds && !in.opnds) return false;
    if (in.n_opnds) memcpy(in.opnds, ops, in.n_opnds * sizeof *ops);
  }
  if (!parse_expect(p, ';', "an instruction")) return false;
  return WEIR_PUSH(p->insns, in) || parse_oom(p);
}
