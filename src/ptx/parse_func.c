/* Functions: heads, tuning directives, and the agreement of declarations with bodies. */
#include <string.h>

#include "ptx/parse.h"

/* dims = number [ "," number [ "," number ] ] */
static bool parse_dims(struct parser *p, uint32_t out[3]) {
  out[1] = out[2] = 1;
  parse_next(p);
  if (!parse_uint(p, &out[0], "a number of threads")) return false;
  for (int i = 1; i < 3 && parse_accept(p, ','); i++)
    if (!parse_uint(p, &out[i], "a number of threads")) return false;
  return true;
}

static bool parse_one(struct parser *p, uint32_t *out) {
  parse_next(p);
  return parse_uint(p, out, "a number");
}

/* Directives that weir keeps but does not use: .name [number {"," number}] */
static bool parse_extra(struct parser *p, struct ptx_func *f, unsigned *n) {
  enum { MAX_EXTRA = 8 };
  const char *text = parse_text(p, p->tok.s, p->tok.len);
  struct ptx_tok at = p->tok;
  parse_next(p);
  for (const char *sep = " "; text && p->tok.kind == PTX_TOK_int; sep = ", ") {
    text = weir_arena_printf(p->arena, "%s%s%llu", text, sep, (unsigned long long)p->tok.imm);
    parse_next(p);
    if (!parse_accept(p, ',')) break;
  }
  if (!text) return parse_oom(p);
  if (*n == MAX_EXTRA) return parse_error(p, &at, "too many directives");
  if (!f->extra_directives) f->extra_directives = parse_alloc(p, MAX_EXTRA + 1, sizeof text);
  if (!f->extra_directives) return false;
  ((const char **)(uintptr_t)f->extra_directives)[(*n)++] = text;
  return true;
}

/* tuning = { .maxntid dims | .reqntid dims | .minnctapersm n | .maxnctapersm n | .maxnreg n |
 * .noreturn | pragma | ... } */
static bool parse_tuning(struct parser *p, struct ptx_func *f) {
  static const char *const extra[] = {".explicitcluster", ".reqnctapercluster",
                                      ".maxclusterrank",  ".blocksareclusters",
                                      ".abi_preserve",    ".abi_preserve_control"};
  unsigned n_extra = 0;
  while (p->tok.kind == PTX_TOK_dot && !p->stop) {
    bool ok, known = false;
    for (size_t i = 0; i < sizeof extra / sizeof *extra; i++)
      known |= parse_is_dot(p, extra[i]);
    if (parse_is_dot(p, ".maxntid")) {
      ok = parse_dims(p, f->maxntid);
    } else if (parse_is_dot(p, ".reqntid")) {
      ok = parse_dims(p, f->reqntid);
    } else if (parse_is_dot(p, ".minnctapersm")) {
      ok = parse_one(p, &f->minnctapersm);
    } else if (parse_is_dot(p, ".maxnctapersm")) {
      ok = parse_one(p, &f->maxnctapersm);
    } else if (parse_is_dot(p, ".maxnreg")) {
      ok = parse_one(p, &f->maxnreg);
    } else if (parse_is_dot(p, ".noreturn")) {
      parse_next(p);
      ok = f->is_noreturn = true;
    } else if (parse_is_dot(p, ".pragma")) {
      struct ptx_pragma pr = {.at = 0};
      ok = parse_pragma(p, &pr.text) && (WEIR_PUSH(p->pragmas, pr) || parse_oom(p));
    } else if (known) {
      ok = parse_extra(p, f, &n_extra);
    } else {
      return parse_error(p, &p->tok, "directive '%.*s' is not known here", (int)p->tok.len,
                         p->tok.s);
    }
    if (!ok) return false;
  }
  return true;
}

static bool same_params(const struct ptx_var *a, const struct ptx_var *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (a[i].bytes != b[i].bytes || a[i].align != b[i].align || a[i].space != b[i].space)
      return false;
  return true;
}

/* A second declaration or the body of a function that is known: the two must agree. */
static bool merge_func(struct parser *p, struct ptx_func *old, struct ptx_func *f,
                       const struct ptx_tok *at) {
  if (old->is_entry != f->is_entry || old->n_params != f->n_params || old->n_rets != f->n_rets ||
      !same_params(old->params, f->params, f->n_params) ||
      !same_params(old->rets, f->rets, f->n_rets)) {
    parse_error(p, at, "'%s' does not agree with its declaration in line %u", f->name, old->line);
    parse_remedy(p, "that one has %u parameters and %u results, this one %u and %u", old->n_params,
                 old->n_rets, f->n_params, f->n_rets);
    return false;
  }
  f->is_noreturn |= old->is_noreturn;
  if (f->linkage == PTX_LINK_none || f->linkage == PTX_LINK_extern) f->linkage = old->linkage;
  return true;
}

/* The record that calls refer to: an earlier declaration's if there is one, so that pointers stay
 * valid. */
static struct ptx_func *adopt_func(struct parser *p, struct ident *id, struct ptx_func *f,
                                   const struct ptx_tok *at, bool has_body) {
  struct binding *b = id->top;
  while (b && b->depth)
    b = b->outer;
  if (b && b->kind != BIND_FUNC) {
    parse_error(p, at, "'%s' is declared already, as a variable", id->name);
    return NULL;
  }
  if (b) {
    struct ptx_func *old = b->func;
    if (old->has_body && has_body) {
      parse_error(p, at, "function '%s' has a body already, in line %u", id->name, old->line);
      return NULL;
    }
    if (!merge_func(p, old, f, at)) return NULL;
    if (has_body) *old = *f;
    return old;
  }
  struct ptx_func *kept = parse_alloc(p, 1, sizeof *kept);
  if (!kept) return NULL;
  *kept = *f;
  struct binding nb = {.kind = BIND_FUNC, .func = kept};
  uint32_t depth = p->scope_depth;
  p->scope_depth = 0;
  bool ok = sym_bind(p, id, at, nb) && (WEIR_PUSH(p->funcs, kept) || parse_oom(p));
  p->scope_depth = depth;
  return ok ? kept : NULL;
}

static uint32_t func_index(const struct parser *p, const struct ptx_func *f) {
  for (size_t i = p->funcs.n; i-- > 0;)
    if (p->funcs.v[i] == f) return (uint32_t)i;
  return 0;
}

/* function = (".entry" | ".func" [params]) name [params] tuning (";" | body) */
static bool parse_func_in_scope(struct parser *p, struct ptx_func *f) {
  struct ident *id;
  struct ptx_tok at;
  uint64_t ignored = 0;
  if (!f->is_entry && parse_is(p, '(') &&
      !parse_param_list(p, &f->rets, &f->n_rets, false, &ignored))
    return false;
  if (!parse_name(p, &id, &at, "the name of a function")) return false;
  f->name = id->name;
  f->line = at.line;
  f->col = at.col;
  if (parse_is(p, '(') &&
      !parse_param_list(p, &f->params, &f->n_params, f->is_entry, &f->param_bytes))
    return false;
  if (!parse_tuning(p, f)) return false;
  bool has_body = parse_is(p, '{');
  f->has_body = has_body;
  struct ptx_func *kept = adopt_func(p, id, f, &at, has_body);
  if (!kept) return false;
  struct ptx_item it = {has_body ? 'f' : 'd', func_index(p, kept)};
  if (!WEIR_PUSH(p->items, it)) return parse_oom(p);
  if (!has_body) return parse_expect(p, ';', "the declaration of a function");
  p->func = kept;
  return parse_body(p, kept);
}

bool parse_func(struct parser *p, enum ptx_linkage linkage) {
  struct ptx_func f = {.linkage = linkage, .is_entry = parse_is_dot(p, ".entry"), .module = p->m};
  parse_next(p);
  sym_new_func(p);
  if (!sym_push_scope(p, &p->tok)) return false;
  p->func = &f; /* parameters that are registers belong to it */
  bool ok = parse_func_in_scope(p, &f);
  while (p->scope_depth > 0)
    sym_pop_scope(p);
  p->func = NULL;
  return ok;
}
