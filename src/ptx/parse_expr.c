/* Constant expressions and initialisers. */
#include <string.h>

#include "ptx/parse.h"

/* ---- constant expressions, C's operators and precedence on s64, u64 and (literals only) floats
 * ---- */

static bool cond_expr(struct parser *p, struct const_value *out);

static bool deeper(struct parser *p) {
  if (++p->depth > PARSE_MAX_DEPTH)
    return parse_error(p, &p->tok, "expression is nested more than %d deep", PARSE_MAX_DEPTH);
  return true;
}

bool parse_starts_const(const struct parser *p) {
  return p->tok.kind == PTX_TOK_int || p->tok.kind == PTX_TOK_f32 || p->tok.kind == PTX_TOK_f64 ||
         parse_is(p, '-') || parse_is(p, '+') || parse_is(p, '~') || parse_is(p, '(') ||
         (p->tok.kind == PTX_TOK_ident && p->tok.len == 7 && !memcmp(p->tok.s, "WARP_SZ", 7));
}

/* primary = integer | float | "WARP_SZ" | "(" expr ")" */
static bool primary(struct parser *p, struct const_value *out) {
  char buf[80];
  if (parse_accept(p, '(')) return cond_expr(p, out) && parse_expect(p, ')', "an expression");
  *out = (struct const_value){.bits = p->tok.imm, .is_unsigned = p->tok.is_unsigned};
  if (p->tok.kind == PTX_TOK_f32) {
    out->kind = CV_F32;
  } else if (p->tok.kind == PTX_TOK_f64) {
    out->kind = CV_F64;
  } else if (p->tok.kind == PTX_TOK_ident && parse_starts_const(p)) {
    out->bits = 32;
  } else if (p->tok.kind != PTX_TOK_int) {
    return parse_error(p, &p->tok, "expected a constant, found %s",
                       parse_show(&p->tok, buf, sizeof buf));
  }
  parse_next(p);
  return true;
}

static bool need_int(struct parser *p, const struct ptx_tok *at, const struct const_value *v) {
  if (v->kind == CV_INT) return true;
  return parse_error(p, at, "this operator works on integers only");
}

/* A cast: "(" ".s64" ")" or "(" ".u64" ")" in front of a unary expression */
static bool is_cast(const struct parser *p, bool *to_unsigned) {
  struct ptx_lexer lx = p->lx;
  struct ptx_tok t, close;
  if (!parse_is(p, '(')) return false;
  ptx_lex_next(&lx, &t);
  ptx_lex_next(&lx, &close);
  if (t.kind != PTX_TOK_dot || t.len != 4 || close.punct != ')') return false;
  *to_unsigned = !memcmp(t.s, ".u64", 4);
  return *to_unsigned || !memcmp(t.s, ".s64", 4);
}

/* unary = ("+" | "-" | "!" | "~" | cast) unary | primary */
static bool unary(struct parser *p, struct const_value *out) {
  struct ptx_tok at = p->tok;
  unsigned op = p->tok.kind == PTX_TOK_punct ? p->tok.punct : 0;
  bool to_unsigned;
  if (!deeper(p)) return false;
  bool ok = true;
  if (is_cast(p, &to_unsigned)) {
    parse_next(p);
    parse_next(p);
    parse_next(p);
    ok = unary(p, out) && need_int(p, &at, out);
    out->is_unsigned = to_unsigned;
  } else if (op == '+' || op == '-' || op == '!' || op == '~') {
    parse_next(p);
    ok = unary(p, out) && (op == '-' || op == '+' || need_int(p, &at, out));
    if (op == '-' && out->kind == CV_F32) out->bits ^= UINT64_C(1) << 31;
    if (op == '-' && out->kind == CV_F64) out->bits ^= UINT64_C(1) << 63;
    if (op == '-' && out->kind == CV_INT) out->bits = 0 - out->bits;
    if (op == '~') out->bits = ~out->bits;
    if (op == '!') out->bits = !out->bits;
    /* -9223372036854775808 is a number of s64, although 9223372036854775808 is not */
    if (op == '-' && out->bits == UINT64_C(1) << 63) out->is_unsigned = false;
  } else {
    ok = primary(p, out);
  }
  p->depth--;
  return ok;
}

static int precedence(unsigned op) {
  switch (op) {
  case '*':
  case '/':
  case '%':
    return 10;
  case '+':
  case '-':
    return 9;
  case PTX_PUNCT2('<', '<'):
  case PTX_PUNCT2('>', '>'):
    return 8;
  case '<':
  case '>':
  case PTX_PUNCT2('<', '='):
  case PTX_PUNCT2('>', '='):
    return 7;
  case PTX_PUNCT2('=', '='):
  case PTX_PUNCT2('!', '='):
    return 6;
  case '&':
    return 5;
  case '^':
    return 4;
  case '|':
    return 3;
  case PTX_PUNCT2('&', '&'):
    return 2;
  case PTX_PUNCT2('|', '|'):
    return 1;
  default:
    return 0;
  }
}

static bool divide(struct parser *p, const struct ptx_tok *at, unsigned op, bool uns,
                   struct const_value *a, uint64_t b) {
  if (b == 0) return parse_error(p, at, "division by zero in a constant expression");
  if (uns) {
    a->bits = op == '/' ? a->bits / b : a->bits % b;
  } else if (b == UINT64_MAX) { /* by -1: the one that would overflow wraps */
    a->bits = op == '/' ? 0 - a->bits : 0;
  } else {
    a->bits = (uint64_t)(op == '/' ? (int64_t)a->bits / (int64_t)b : (int64_t)a->bits % (int64_t)b);
  }
  return true;
}

static bool less(bool uns, uint64_t a, uint64_t b) {
  return uns ? a < b : (int64_t)a < (int64_t)b;
}

/* a = a op b */
static bool apply(struct parser *p, const struct ptx_tok *at, unsigned op, struct const_value *a,
                  const struct const_value *b) {
  if (!need_int(p, at, a) || !need_int(p, at, b)) return false;
  bool uns = a->is_unsigned || b->is_unsigned, logic = false;
  uint64_t x = a->bits, y = b->bits;
  switch (op) {
  case '*':
    a->bits = x * y;
    break;
  case '/':
  case '%':
    if (!divide(p, at, op, uns, a, y)) return false;
    break;
  case '+':
    a->bits = x + y;
    break;
  case '-':
    a->bits = x - y;
    break;
  case PTX_PUNCT2('<', '<'):
    a->bits = y > 63 ? 0 : x << y;
    uns = a->is_unsigned;
    break;
  case PTX_PUNCT2('>', '>'):
    uns = a->is_unsigned;
    if (y > 63) y = 63;
    a->bits = uns ? (b->bits > 63 ? 0 : x >> y) : (uint64_t)((int64_t)x >> y);
    break;
  case '&':
    a->bits = x & y;
    break;
  case '^':
    a->bits = x ^ y;
    break;
  case '|':
    a->bits = x | y;
    break;
  case '<':
    a->bits = less(uns, x, y), logic = true;
    break;
  case '>':
    a->bits = less(uns, y, x), logic = true;
    break;
  case PTX_PUNCT2('<', '='):
    a->bits = !less(uns, y, x), logic = true;
    break;
  case PTX_PUNCT2('>', '='):
    a->bits = !less(uns, x, y), logic = true;
    break;
  case PTX_PUNCT2('=', '='):
    a->bits = x == y, logic = true;
    break;
  case PTX_PUNCT2('!', '='):
    a->bits = x != y, logic = true;
    break;
  case PTX_PUNCT2('&', '&'):
    a->bits = x && y, logic = true;
    break;
  default:
    a->bits = x || y, logic = true;
    break;
  }
  a->is_unsigned = logic ? false : uns;
  return true;
}

/* binary = unary { operator unary }, by precedence climbing */
static bool binary(struct parser *p, int min_prec, struct const_value *out) {
  if (!deeper(p) || !unary(p, out)) return false;
  for (;;) {
    struct ptx_tok at = p->tok;
    int prec = p->tok.kind == PTX_TOK_punct ? precedence(p->tok.punct) : 0;
    if (prec < min_prec || prec == 0) break;
    struct const_value rhs;
    parse_next(p);
    if (!binary(p, prec + 1, &rhs) || !apply(p, &at, at.punct, out, &rhs)) return false;
  }
  p->depth--;
  return true;
}

/* expr = binary [ "?" expr ":" expr ] */
static bool cond_expr(struct parser *p, struct const_value *out) {
  struct const_value yes, no;
  struct ptx_tok at = p->tok;
  if (!deeper(p) || !binary(p, 1, out)) return false;
  if (parse_accept(p, '?')) {
    if (!need_int(p, &at, out)) return false;
    if (!cond_expr(p, &yes) || !parse_expect(p, ':', "a choice") || !cond_expr(p, &no))
      return false;
    *out = out->bits ? yes : no;
  }
  p->depth--;
  return true;
}

bool parse_const(struct parser *p, struct const_value *out) {
  p->depth = 0;
  return cond_expr(p, out);
}

bool parse_const_int(struct parser *p, struct const_value *out) {
  struct ptx_tok at = p->tok;
  return parse_const(p, out) &&
         (out->kind == CV_INT || parse_error(p, &at, "expected an integer constant"));
}

/* ---- initialisers ---- */

static bool put_bytes(struct parser *p, struct ptx_var *v, uint64_t offset, const void *data,
                      size_t n, const struct ptx_tok *at) {
  if (v->bytes && offset + n > v->bytes)
    return parse_error(p, at, "too many initialisers for '%s'", v->name);
  if (offset + n > p->arena->limit) /* a few braces can name a byte far away */
    return parse_error(p, at, "the initialiser of '%s' spans too many bytes", v->name);
  static const uint8_t zeros[64];
  while (p->bytes.n < offset + n) {
    if (p->bytes.n + 1 > p->bytes.cap &&
        !weir_vec_grow((void **)&p->bytes.v, &p->bytes.cap, (size_t)offset + n, 1))
      return parse_oom(p);
    size_t gap = (size_t)offset + n - p->bytes.n;
    if (gap > sizeof zeros) gap = sizeof zeros;
    if (gap > p->bytes.cap - p->bytes.n) gap = p->bytes.cap - p->bytes.n;
    memcpy(p->bytes.v + p->bytes.n, zeros, gap);
    p->bytes.n += gap;
  }
  memcpy(p->bytes.v + offset, data, n);
  return true;
}

static uint64_t float_bits(const struct const_value *c, enum ptx_type t) {
  double d;
  float f;
  uint32_t u;
  if (c->kind == CV_F32) {
    u = (uint32_t)c->bits;
    if (t == PTX_T_f32) return u;
    memcpy(&f, &u, sizeof f);
    d = f;
  } else if (c->kind == CV_F64) {
    memcpy(&d, &c->bits, sizeof d);
  } else {
    d = c->is_unsigned ? (double)c->bits : (double)(int64_t)c->bits;
  }
  if (t == PTX_T_f64) {
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
  }
  f = (float)d;
  memcpy(&u, &f, sizeof u);
  return u;
}

static bool init_number(struct parser *p, struct ptx_var *v, uint64_t offset,
                        const struct const_value *c, const struct ptx_tok *at) {
  enum ptx_type t = v->type;
  uint64_t bits = c->bits;
  if (t == PTX_T_f32 || t == PTX_T_f64) {
    bits = float_bits(c, t);
  } else if (c->kind == CV_F64 && (t == PTX_T_b32 || t == PTX_T_u32)) {
    return parse_error(p, at, "a 64-bit float does not fit type .%s", ptx_type_name(t));
  } else if (c->kind != CV_INT && ptx_type_bytes(t) < (c->kind == CV_F32 ? 4u : 8u)) {
    return parse_error(p, at, "a float does not fit type .%s", ptx_type_name(t));
  }
  uint8_t raw[16] = {0};
  for (int i = 0; i < 8; i++)
    raw[i] = (uint8_t)(bits >> 8 * i);
  if (t == PTX_T_b128 && !c->is_unsigned && c->bits >> 63) memset(raw + 8, 0xff, 8);
  return put_bytes(p, v, offset, raw, ptx_type_bytes(t), at);
}

/* symbol = name | "generic" "(" name ")"; then [("+" | "-") constant] */
static bool init_symbol(struct parser *p, struct ptx_reloc *r) {
  struct ident *id;
  struct ptx_tok at;
  uint32_t reg;
  if (!parse_name(p, &id, &at, "the name of a variable or function")) return false;
  if (!strcmp(id->name, "generic") && parse_is(p, '(')) {
    parse_next(p);
    r->is_generic = true;
    if (!parse_name(p, &id, &at, "the name of a variable")) return false;
    if (!parse_expect(p, ')', "the name of the variable")) return false;
  }
  struct binding *b = sym_find(p, id, &reg);
  if (!b || (b->kind != BIND_VAR && b->kind != BIND_FUNC))
    return parse_error(p, &at, "'%s' is not a variable or function declared above", id->name);
  r->name = id->name;
  r->var = b->kind == BIND_VAR ? b->var : NULL;
  r->func = b->kind == BIND_FUNC ? b->func : NULL;
  if (parse_is(p, '+') || parse_is(p, '-')) {
    struct const_value c;
    bool minus = parse_is(p, '-');
    parse_next(p);
    if (!parse_const_int(p, &c)) return false;
    r->addend = (int64_t)(minus ? 0 - c.bits : c.bits);
  }
  return true;
}

/* masked = constant "(" symbol ")": one byte of an address, 0xff00(sym) */
static bool init_masked(struct parser *p, struct ptx_reloc *r, uint64_t mask,
                        const struct ptx_tok *at) {
  unsigned byte = 0;
  while (byte < 8 && mask != UINT64_C(0xff) << 8 * byte)
    byte++;
  if (byte == 8)
    return parse_error(p, at, "a mask selects one whole byte: 0xff, 0xff00, 0xff0000, ...");
  r->mask_byte = (uint8_t)(byte + 1);
  parse_next(p);
  return init_symbol(p, r) && parse_expect(p, ')', "the masked address");
}

static bool init_reloc(struct parser *p, struct ptx_var *v, uint64_t offset, struct ptx_reloc *r,
                       const struct ptx_tok *at) {
  unsigned bytes = ptx_type_bytes(v->type);
  r->offset = offset;
  r->bytes = (uint8_t)bytes;
  if (r->mask_byte ? bytes != 1 : bytes != 8 && bytes != 4)
    return parse_error(p, at, "type .%s cannot hold %s", ptx_type_name(v->type),
                       r->mask_byte ? "one byte of an address" : "an address");
  uint8_t zero[16] = {0};
  return put_bytes(p, v, offset, zero, bytes, at) && (WEIR_PUSH(p->relocs, *r) || parse_oom(p));
}

/* element = constant | masked | symbol */
static bool init_element(struct parser *p, struct ptx_var *v, uint64_t offset) {
  struct ptx_tok at = p->tok;
  struct ptx_reloc r = {0};
  if (p->tok.kind == PTX_TOK_ident && !parse_starts_const(p))
    return init_symbol(p, &r) && init_reloc(p, v, offset, &r, &at);
  if (p->tok.kind == PTX_TOK_int) { /* a number right before "(" is a mask */
    struct ptx_lexer lx = p->lx;
    struct ptx_tok next;
    ptx_lex_next(&lx, &next);
    if (next.kind == PTX_TOK_punct && next.punct == '(') {
      uint64_t mask = p->tok.imm;
      parse_next(p);
      return init_masked(p, &r, mask, &at) && init_reloc(p, v, offset, &r, &at);
    }
  }
  struct const_value c;
  return parse_const(p, &c) && init_number(p, v, offset, &c, &at);
}

/* Bytes of one entry at nesting level `dim` (dims behind it, then the vector). */
static uint64_t entry_bytes(const struct ptx_var *v, unsigned dim) {
  uint64_t n = ptx_type_bytes(v->type);
  unsigned levels = v->n_dims + (v->vec > 1);
  for (unsigned i = dim + 1; i < levels; i++)
    n *= i < v->n_dims ? v->dims[i] : v->vec;
  return n;
}

/* init = element | "{" [ init { "," init } ] "}" */
static bool init_list(struct parser *p, struct ptx_var *v, unsigned dim, uint64_t offset,
                      uint64_t *used) {
  unsigned levels = v->n_dims + (v->vec > 1);
  struct ptx_tok at = p->tok;
  if (dim >= levels) return parse_error(p, &at, "more braces than '%s' has dimensions", v->name);
  parse_next(p);
  p->braces++;
  uint64_t entry = entry_bytes(v, dim), small = ptx_type_bytes(v->type), here = 0;
  uint64_t room = dim < v->n_dims ? v->dims[dim] * entry : v->vec * small;
  while (!parse_is(p, '}')) {
    if (p->stop) return false;
    if (room && here >= room)
      return parse_error(p, &p->tok, "too many initialisers for '%s'", v->name);
    if (parse_is(p, '{')) {
      here = (here + entry - 1) / entry * entry;
      uint64_t ignored;
      if (!init_list(p, v, dim + 1, offset + here, &ignored)) return false;
      here += entry;
    } else {
      if (!init_element(p, v, offset + here)) return false;
      here += small;
    }
    if (!parse_accept(p, ',')) break;
  }
  if (!parse_expect(p, '}', "an initialiser")) return false;
  p->braces--;
  *used = here;
  return true;
}

/* Read "= ..." of a variable; completes an unsized array. */
bool parse_init(struct parser *p, struct ptx_var *v) {
  struct ptx_tok at = p->tok;
  uint64_t used = 0;
  if (v->type >= PTX_T_pred)
    return parse_error(p, &at, "a variable of type .%s takes no such initialiser",
                       ptx_type_name(v->type));
  p->bytes.n = p->relocs.n = 0;
  if (parse_is(p, '{')) {
    if (!init_list(p, v, 0, 0, &used)) return false;
  } else {
    if (v->n_dims || v->vec > 1)
      return parse_error(p, &at, "the initialiser of '%s' needs braces", v->name);
    if (!init_element(p, v, 0)) return false;
  }
  if (v->n_dims && v->dims[0] == 0) {
    uint64_t entry = entry_bytes(v, 0);
    v->dims[0] = (used + entry - 1) / entry;
    v->bytes = v->dims[0] * entry;
  }
  if (v->bytes < p->bytes.n) p->bytes.n = (size_t)v->bytes;
  v->init_bytes = p->bytes.n;
  if (p->bytes.n) {
    uint8_t *kept = parse_alloc(p, p->bytes.n, 1);
    if (!kept) return false;
    memcpy(kept, p->bytes.v, p->bytes.n);
    v->init = kept;
  }
  if (p->relocs.n) {
    struct ptx_reloc *kept = parse_alloc(p, p->relocs.n, sizeof *kept);
    if (!kept) return false;
    memcpy(kept, p->relocs.v, p->relocs.n * sizeof *kept);
    v->relocs = kept;
    v->n_relocs = (uint32_t)p->relocs.n;
  }
  return true;
}
