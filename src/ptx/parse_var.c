/* Declarations: variables, parameters, registers. */
#include <string.h>

#include "ptx/parse.h"

/* type = ".u32" | ".f64" | ... */
bool parse_type(struct parser *p, enum ptx_type *out) {
  char buf[80];
  enum ptx_mod m = PTX_M_none;
  if (p->tok.kind == PTX_TOK_dot) m = ptx_mod_find(p->tok.s + 1, p->tok.len - 1);
  if (m == PTX_M_none || (unsigned)m >= PTX_N_TYPES)
    return parse_error(p, &p->tok, "expected a type such as .u32, found %s",
                       parse_show(&p->tok, buf, sizeof buf));
  *out = (enum ptx_type)m;
  parse_next(p);
  return true;
}

static bool parse_vector(struct parser *p, uint8_t *vec) {
  *vec = 1;
  if (parse_accept_dot(p, ".v2")) {
    *vec = 2;
  } else if (parse_accept_dot(p, ".v4")) {
    *vec = 4;
  } else {
    return false;
  }
  return true;
}

/* align = ".align" power of two */
static bool parse_align(struct parser *p, uint32_t *out) {
  parse_next(p);
  struct ptx_tok at = p->tok;
  if (!parse_uint(p, out, "an alignment")) return false;
  if (*out == 0 || (*out & (*out - 1)) || *out > 1u << 20)
    return parse_error(p, &at, "an alignment is a power of two up to %u, not %u", 1u << 20, *out);
  return true;
}

/* ---- registers ---- */

/* reg = ".reg" [vector] type [vector] name ["<" n ">"] { "," name ["<" n ">"] } ";" */
bool parse_reg_decl(struct parser *p) {
  enum ptx_type type = PTX_T_none;
  uint8_t vec;
  parse_next(p);
  bool has_vec = parse_vector(p, &vec);
  struct ptx_tok type_at = p->tok;
  if (!parse_type(p, &type)) return false;
  if (!has_vec) parse_vector(p, &vec);
  if (type >= PTX_T_texref)
    return parse_error(p, &type_at, "a register cannot have type .%s", ptx_type_name(type));
  if (type == PTX_T_pred && vec > 1)
    return parse_error(p, &type_at, "a predicate register cannot be a vector");
  do {
    struct ident *id;
    struct ptx_tok at;
    struct const_value count = {.bits = 1};
    if (!parse_name(p, &id, &at, "the name of a register")) return false;
    bool is_range = parse_accept(p, '<');
    if (is_range) {
      struct ptx_tok n = p->tok;
      uint32_t v;
      if (!parse_uint(p, &v, "a number of registers")) return false;
      count.bits = v;
      if (v == 0 || v > PARSE_MAX_REGS)
        return parse_error(p, &n, "%s<%u>: a function has between 1 and %d registers", id->name, v,
                           PARSE_MAX_REGS);
      if (!parse_expect(p, '>', "the number of registers")) return false;
    }
    if (!sym_declare_regs(p, id, &at, type, vec, is_range, (uint32_t)count.bits, false))
      return false;
  } while (parse_accept(p, ','));
  return parse_expect(p, ';', "a register declaration");
}

/* ---- variables ---- */

static bool parse_space(struct parser *p, enum ptx_space *out) {
  static const struct {
    const char *word;
    enum ptx_space space;
  } words[] = {{".reg", PTX_SPACE_reg},       {".sreg", PTX_SPACE_sreg},
               {".const", PTX_SPACE_const},   {".global", PTX_SPACE_global},
               {".local", PTX_SPACE_local},   {".param", PTX_SPACE_param},
               {".shared", PTX_SPACE_shared}, {".tex", PTX_SPACE_tex}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (!parse_is_dot(p, words[i].word)) continue;
    *out = words[i].space;
    parse_next(p);
    return true;
  }
  return false;
}

/* attribute = ".attribute" "(" ... ")", kept as text */
static bool parse_attribute(struct parser *p, struct ptx_var *v) {
  enum { MAX_ATTRS = 4 };
  unsigned n = 0, depth = 0;
  struct ptx_tok at = p->tok;
  while (v->attrs && v->attrs[n])
    n++;
  parse_next(p);
  if (!parse_is(p, '(')) return parse_expect(p, '(', ".attribute");
  const char *start = p->tok.s + 1, *end = NULL;
  do {
    if (p->tok.kind == PTX_TOK_end || parse_is(p, ';') || p->tok.kind == PTX_TOK_bad)
      return parse_error(p, &at, "this .attribute has no closing ')'");
    if (parse_is(p, '(')) depth++;
    if (parse_is(p, ')')) depth--;
    end = p->tok.s;
    parse_next(p);
  } while (depth);
  if (n == MAX_ATTRS) return parse_error(p, &at, "too many attributes");
  const char *text = parse_text(p, start, (size_t)(end - start));
  const char **list = parse_alloc(p, MAX_ATTRS + 1, sizeof *list);
  if (!text || !list) return false;
  for (unsigned i = 0; i < n; i++)
    list[i] = v->attrs[i];
  list[n] = text;
  v->attrs = list;
  return true;
}

/* ptr = ".ptr" [space] [align] */
static bool parse_ptr(struct parser *p, struct ptx_var *v) {
  parse_next(p);
  v->has_ptr_attr = true;
  parse_space(p, &v->ptr_space);
  return !parse_is_dot(p, ".align") || parse_align(p, &v->ptr_align);
}

/* The part of a declaration in front of the name: { align | attribute | vector | type | ptr } */
static bool parse_specifiers(struct parser *p, struct ptx_var *v) {
  v->vec = 1;
  while (p->tok.kind == PTX_TOK_dot) {
    bool ok = true;
    if (parse_is_dot(p, ".align")) {
      ok = parse_align(p, &v->align);
    } else if (parse_is_dot(p, ".attribute")) {
      ok = parse_attribute(p, v);
    } else if (parse_is_dot(p, ".ptr")) {
      ok = parse_ptr(p, v);
    } else if (v->vec == 1 && parse_vector(p, &v->vec)) {
      continue;
    } else if (v->type == PTX_T_none) {
      struct ptx_tok at = p->tok;
      ok = parse_type(p, &v->type);
      if (ok && v->type == PTX_T_pred && v->space != PTX_SPACE_reg)
        return parse_error(p, &at, "a variable in memory cannot have type .pred");
    } else {
      return parse_error(p, &p->tok, "'%.*s' is not expected in this declaration", (int)p->tok.len,
                         p->tok.s);
    }
    if (!ok) return false;
  }
  char buf[80];
  if (v->type == PTX_T_none)
    return parse_error(p, &p->tok, "expected a type such as .b32, found %s",
                       parse_show(&p->tok, buf, sizeof buf));
  return true;
}

/* dims = { "[" [constant] "]" } */
static bool parse_dimensions(struct parser *p, struct ptx_var *v) {
  uint64_t bytes = (uint64_t)ptx_type_bytes(v->type) * v->vec;
  while (parse_is(p, '[')) {
    struct ptx_tok at = p->tok;
    struct const_value c = {.bits = 0};
    parse_next(p);
    if (v->n_dims == 4) return parse_error(p, &at, "an array has at most 4 dimensions");
    bool unsized = parse_is(p, ']');
    if (!unsized && !parse_const_int(p, &c)) return false;
    if (unsized && v->n_dims) return parse_error(p, &at, "only the first dimension may be empty");
    if (!unsized && (c.bits == 0 || c.bits > PARSE_MAX_BYTES))
      return parse_error(p, &at, "an array has at least one element and less than 2^40 bytes");
    v->dims[v->n_dims++] = c.bits;
    if (!unsized && (__builtin_mul_overflow(bytes, c.bits, &bytes) || bytes > PARSE_MAX_BYTES))
      return parse_error(p, &at, "'%s' is larger than 2^40 bytes", v->name);
    if (!parse_expect(p, ']', "a dimension")) return false;
  }
  bool unsized = v->n_dims && v->dims[0] == 0;
  v->bytes = unsized ? 0 : bytes;
  uint32_t natural = ptx_type_bytes(v->type) * v->vec;
  if (!v->align) v->align = natural;
  return true;
}

/* declarator = name dims [ "=" init ] */
static bool parse_declarator(struct parser *p, struct ptx_var *v, struct ident **id,
                             struct ptx_tok *at) {
  if (!parse_name(p, id, at, "the name of a variable")) return false;
  v->name = (*id)->name;
  v->line = at->line;
  v->col = at->col;
  return parse_dimensions(p, v);
}

static bool add_var(struct parser *p, struct ptx_var *v) {
  if (p->func) return WEIR_PUSH(p->func_vars, v) || parse_oom(p);
  struct ptx_item it = {'v', (uint32_t)p->vars.n};
  return (WEIR_PUSH(p->vars, v) && WEIR_PUSH(p->items, it)) || parse_oom(p);
}

/* An extern or weak variable may be declared again; the second declaration must look the same. */
static bool redeclared(struct parser *p, struct ident *id, const struct ptx_var *v) {
  struct binding *b = id->top;
  if (!b || b->kind != BIND_VAR || b->depth != p->scope_depth || p->func) return false;
  struct ptx_var *old = b->var;
  return old->linkage == PTX_LINK_extern && old->space == v->space && old->type == v->type &&
         (old->bytes == v->bytes || !old->bytes || !v->bytes);
}

static bool declare_var(struct parser *p, struct ident *id, const struct ptx_tok *at,
                        struct ptx_var *v) {
  if (redeclared(p, id, v)) {
    id->top->var->linkage = PTX_LINK_extern;
    id->top->var = v;
    return add_var(p, v);
  }
  struct binding b = {.kind = BIND_VAR, .var = v};
  return sym_bind(p, id, at, b) && add_var(p, v);
}

/* The fields of a sampler or texture, "{ filter_mode = linear, ... }": read, not used. */
static bool parse_opaque_init(struct parser *p) {
  if (!parse_expect(p, '{', "'='")) return false;
  p->braces++;
  while (!parse_is(p, '}')) {
    if (p->tok.kind != PTX_TOK_ident && p->tok.kind != PTX_TOK_int && !parse_is(p, ',') &&
        !parse_is(p, '='))
      return parse_error(p, &p->tok, "expected 'field = value'");
    parse_next(p);
  }
  parse_next(p);
  p->braces--;
  return true;
}

/* variable = space specifiers declarator { "," declarator } ";" */
bool parse_var_decl(struct parser *p, enum ptx_linkage linkage) {
  struct ptx_var proto = {.linkage = linkage};
  struct ptx_tok start = p->tok;
  while (parse_is_dot(p, ".attribute"))
    if (!parse_attribute(p, &proto)) return false;
  if (!parse_space(p, &proto.space) || proto.space == PTX_SPACE_sreg ||
      proto.space == PTX_SPACE_reg)
    return parse_error(p, &start, "directive '%.*s' is not known here", (int)start.len, start.s);
  if (!p->func && (proto.space == PTX_SPACE_local || proto.space == PTX_SPACE_param))
    return parse_error(p, &start, "'%.*s' variables are declared inside functions", (int)start.len,
                       start.s);
  if (!parse_specifiers(p, &proto)) return false;
  do {
    struct ident *id;
    struct ptx_tok at;
    struct ptx_var *v = parse_alloc(p, 1, sizeof *v);
    if (!v) return false;
    *v = proto;
    v->scope = p->scope;
    if (!parse_declarator(p, v, &id, &at) || !declare_var(p, id, &at, v)) return false;
    struct ptx_tok eq = p->tok;
    if (parse_accept(p, '=')) {
      if (v->space != PTX_SPACE_global && v->space != PTX_SPACE_const)
        return parse_error(p, &eq, "only .global and .const variables have initialisers");
      if (linkage == PTX_LINK_extern)
        return parse_error(p, &eq, "an .extern variable has no initialiser");
      bool opaque = v->type >= PTX_T_texref;
      if (opaque ? !parse_opaque_init(p) : !parse_init(p, v)) return false;
    }
    if (v->bytes == 0 && linkage != PTX_LINK_extern && v->space != PTX_SPACE_param)
      return parse_error(p, &at, "array '%s' needs a size: only .extern arrays go without",
                         v->name);
  } while (parse_accept(p, ','));
  return parse_expect(p, ';', "a variable declaration");
}

/* ---- parameters ---- */

static bool parse_param(struct parser *p, struct ptx_var *v, bool is_entry) {
  struct ptx_tok start = p->tok;
  char buf[80];
  if (!parse_space(p, &v->space) ||
      (v->space != PTX_SPACE_param && (v->space != PTX_SPACE_reg || is_entry)))
    return parse_error(p, &start, "expected .param, found %s", parse_show(&start, buf, sizeof buf));
  if (!parse_specifiers(p, v)) return false;
  if (p->tok.kind == PTX_TOK_ident && p->tok.len == 1 && p->tok.s[0] == '_') {
    parse_next(p); /* in prototypes */
    v->name = "_";
    return parse_dimensions(p, v);
  }
  struct ident *id;
  struct ptx_tok at;
  if (!parse_declarator(p, v, &id, &at)) return false;
  if (v->space == PTX_SPACE_reg) {
    v->reg = (uint32_t)p->regs.n;
    return sym_declare_regs(p, id, &at, v->type, v->vec, false, 1, true);
  }
  struct binding b = {.kind = BIND_VAR, .var = v};
  return sym_bind(p, id, &at, b);
}

static size_t count_params(const struct parser *p) {
  struct ptx_lexer lx = p->lx;
  struct ptx_tok t = p->tok;
  size_t n = 1;
  while (t.kind != PTX_TOK_end && t.punct != ')' && t.punct != '{' && t.punct != ';') {
    n += t.punct == ',';
    ptx_lex_next(&lx, &t);
  }
  return n;
}

/* params = "(" [ param { "," param } ] ")"; offsets as the CUDA ABI lays them out */
bool parse_param_list(struct parser *p, struct ptx_var **out, uint32_t *n, bool is_entry,
                      uint64_t *bytes) {
  uint64_t at = 0;
  *n = 0;
  *out = NULL;
  if (!parse_expect(p, '(', "the name")) return false;
  if (parse_accept(p, ')')) return true;
  /* Names bind to the records, so these may not move: count the parameters first. */
  size_t cap = count_params(p);
  struct ptx_var *v = parse_alloc(p, cap, sizeof *v);
  if (!v) return false;
  *out = v;
  do {
    if (*n == cap) return parse_error(p, &p->tok, "too many parameters");
    if (!parse_param(p, &v[*n], is_entry)) return false;
    struct ptx_var *param = &v[(*n)++];
    at = (at + param->align - 1) / param->align * param->align;
    param->offset = at;
    at += param->bytes;
    if (at > UINT32_MAX) return parse_error(p, &p->tok, "the parameters are too large");
  } while (parse_accept(p, ','));
  *bytes = at;
  return parse_expect(p, ')', "the parameters");
}
