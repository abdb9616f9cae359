/* The parser: recursive descent, one function per rule of the grammar, the rule above it. A
 * function that returns bool returns false after it has reported an error; the statement that
 * called it then skips to the next ';' or '}'.
 *
 * This file has the module level and the helpers; parse_var.c declarations, parse_expr.c constants
 * and initialisers, parse_body.c function bodies, parse_insn.c instructions, parse_sym.c names. */
#include "ptx/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ---- errors ---- */

bool parse_oom(struct parser *p) {
  if (p->no_memory) return false;
  p->no_memory = p->stop = true;
  struct weir_err e;
  if (p->arena->limit && p->arena->used > p->arena->limit / 2) {
    weir_fail(&e, WEIR_ELIMIT,
              "%s: the module needs more than %zu MB, which is out of proportion to its text",
              p->m->path, p->arena->limit >> 20);
  } else {
    weir_fail(&e, WEIR_ENOMEM, "%s: out of memory", p->m->path);
  }
  if (p->diags->n < p->diags->cap ||
      weir_vec_grow((void **)&p->diags->v, &p->diags->cap, p->diags->n + 1, sizeof e))
    p->diags->v[p->diags->n++] = e;
  return false;
}

bool parse_error(struct parser *p, const struct ptx_tok *at, const char *fmt, ...) {
  if (p->stop) return false;
  struct weir_where w = {.file = p->m->path,
                         .source = p->m->source,
                         .source_len = p->m->source_len,
                         .line = at->line,
                         .col = at->col,
                         .width = at->kind == PTX_TOK_bad ? 1 : at->len};
  struct weir_err e;
  va_list ap;
  va_start(ap, fmt);
  weir_vfail_at(&e, WEIR_EPARSE, &w, fmt, ap);
  va_end(ap);
  if (!WEIR_PUSH(*p->diags, e)) return parse_oom(p);
  /* Labels are resolved at the end of a function: put the message where its line belongs. */
  uint64_t key = (uint64_t)at->line << 32 | at->col;
  size_t n = p->diags->n - 1 - p->first_diag, i = n;
  struct weir_err *v = p->diags->v + p->first_diag;
  for (; i > 0 && p->diag_at[i - 1] > key; i--) {
    p->diag_at[i] = p->diag_at[i - 1];
    v[i] = v[i - 1];
  }
  p->diag_at[i] = key;
  v[i] = e;
  p->last_diag = p->first_diag + i;
  if (n + 1 >= PARSE_MAX_ERRORS) p->stop = true;
  return false;
}

void parse_remedy(struct parser *p, const char *fmt, ...) {
  if (p->no_memory || p->diags->n == p->first_diag) return;
  char buf[1200];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(buf, sizeof buf, fmt, ap);
  va_end(ap);
  weir_err_add(&p->diags->v[p->last_diag], "%s", buf);
}

const char *parse_show(const struct ptx_tok *t, char *buf, size_t len) {
  if (t->kind == PTX_TOK_end) {
    snprintf(buf, len, "the end of the file");
  } else if (t->kind == PTX_TOK_bad) {
    snprintf(buf, len, "%s", t->what);
  } else {
    snprintf(buf, len, "'%.*s'", t->len > 60 ? 60 : (int)t->len, t->s);
  }
  return buf;
}

void ptx_diags_free(struct ptx_diags *d) {
  free(d->v);
  *d = (struct ptx_diags){0};
}

/* ---- tokens ---- */

void parse_next(struct parser *p) {
  ptx_lex_next(&p->lx, &p->tok);
}

bool parse_is(const struct parser *p, unsigned punct) {
  return p->tok.kind == PTX_TOK_punct && p->tok.punct == punct;
}

bool parse_is_dot(const struct parser *p, const char *word) {
  return p->tok.kind == PTX_TOK_dot && strlen(word) == p->tok.len &&
         !memcmp(p->tok.s, word, p->tok.len);
}

bool parse_accept(struct parser *p, unsigned punct) {
  if (!parse_is(p, punct)) return false;
  parse_next(p);
  return true;
}

bool parse_accept_dot(struct parser *p, const char *word) {
  if (!parse_is_dot(p, word)) return false;
  parse_next(p);
  return true;
}

bool parse_expect(struct parser *p, unsigned punct, const char *after) {
  if (parse_accept(p, punct)) return true;
  char buf[80];
  if (p->tok.kind == PTX_TOK_bad) return parse_error(p, &p->tok, "%s", p->tok.what);
  return parse_error(p, &p->tok, "expected '%c' after %s, found %s", (int)punct, after,
                     parse_show(&p->tok, buf, sizeof buf));
}

/* Skip what is left of a statement that had an error: to behind its ';', or to the '}' that ends
 * its block. */
void parse_recover(struct parser *p) {
  uint32_t depth = p->braces;
  p->braces = 0;
  while (p->tok.kind != PTX_TOK_end) {
    if (parse_is(p, '{')) depth++;
    if (parse_is(p, '}') && depth-- == 0) return;
    if (parse_is(p, ';')) {
      parse_next(p);
      return;
    }
    parse_next(p);
  }
}

void *parse_alloc(struct parser *p, size_t n, size_t size) {
  void *v = weir_arena_array(p->arena, n, size);
  if (!v) parse_oom(p);
  return v;
}

void *parse_keep(struct parser *p, const void *v, size_t n, size_t size) {
  if (!n) return NULL;
  void *copy = parse_alloc(p, n, size);
  if (copy) memcpy(copy, v, n * size);
  return copy;
}

char *parse_text(struct parser *p, const char *s, size_t len) {
  char *t = weir_arena_strndup(p->arena, s, len);
  if (!t) parse_oom(p);
  return t;
}

bool parse_uint(struct parser *p, uint32_t *out, const char *what) {
  char buf[80];
  if (p->tok.kind != PTX_TOK_int)
    return parse_error(p, &p->tok, "expected %s, found %s", what,
                       parse_show(&p->tok, buf, sizeof buf));
  if (p->tok.imm > UINT32_MAX) return parse_error(p, &p->tok, "%s is too large", what);
  *out = (uint32_t)p->tok.imm;
  parse_next(p);
  return true;
}

bool parse_name(struct parser *p, struct ident **out, struct ptx_tok *tok, const char *what) {
  char buf[80];
  if (p->tok.kind != PTX_TOK_ident)
    return parse_error(p, &p->tok, "expected %s, found %s", what,
                       parse_show(&p->tok, buf, sizeof buf));
  if (p->tok.len > PARSE_MAX_NAME) return parse_error(p, &p->tok, "name is too long");
  *tok = p->tok;
  *out = sym_ident(p, p->tok.s, p->tok.len);
  parse_next(p);
  return *out != NULL;
}

/* ---- directives ---- */

/* version = ".version" major "." minor */
static bool parse_version(struct parser *p) {
  parse_next(p);
  const struct ptx_tok *t = &p->tok;
  unsigned major = 0, minor = 0;
  size_t i = 0;
  bool ok = t->kind == PTX_TOK_f64 || t->kind == PTX_TOK_int;
  for (; ok && i < t->len && t->s[i] != '.' && i < 3; i++) {
    ok = t->s[i] >= '0' && t->s[i] <= '9';
    major = major * 10 + (unsigned)(t->s[i] - '0');
  }
  ok = ok && i < t->len && t->s[i] == '.' && t->len - i <= 3 && t->len - i > 1;
  for (i++; ok && i < t->len; i++) {
    ok = t->s[i] >= '0' && t->s[i] <= '9';
    minor = minor * 10 + (unsigned)(t->s[i] - '0');
  }
  if (!ok) return parse_error(p, t, "expected a version such as 8.0 after .version");
  if (major < 3 || major > 9)
    return parse_error(p, t, "PTX version %u.%u is not known; 3.0 to 9.x are", major, minor);
  p->m->version_major = major;
  p->m->version_minor = minor;
  parse_next(p);
  return true;
}

/* sm_75, sm_90a, sm_100f */
static bool parse_sm(struct parser *p, const struct ptx_tok *t) {
  unsigned sm = 0;
  size_t i = 3;
  bool ok = t->len > 3 && !memcmp(t->s, "sm_", 3);
  for (; ok && i < t->len && t->s[i] >= '0' && t->s[i] <= '9' && i < 7; i++)
    sm = sm * 10 + (unsigned)(t->s[i] - '0');
  if (ok && i + 1 == t->len && (t->s[i] == 'a' || t->s[i] == 'f')) i++;
  if (!ok || i != t->len || i == 3)
    return parse_error(p, t, "expected a target such as sm_75, found '%.*s'", (int)t->len, t->s);
  if (sm < 30 || sm > 129)
    return parse_error(p, t, "target sm_%u is not known; sm_30 to sm_121 are", sm);
  p->m->sm = sm;
  return true;
}

/* target = ".target" sm { "," word } */
static bool parse_target(struct parser *p) {
  struct ptx_tok first;
  parse_next(p);
  first = p->tok;
  char buf[80];
  if (first.kind != PTX_TOK_ident)
    return parse_error(p, &first, "expected a target such as sm_75, found %s",
                       parse_show(&first, buf, sizeof buf));
  if (!parse_sm(p, &first)) return false;
  const char *text = parse_text(p, first.s, first.len);
  parse_next(p);
  while (text && parse_accept(p, ',')) {
    if (p->tok.kind != PTX_TOK_ident)
      return parse_error(p, &p->tok, "expected a target option, found %s",
                         parse_show(&p->tok, buf, sizeof buf));
    text = weir_arena_printf(p->arena, "%s, %.*s", text, (int)p->tok.len, p->tok.s);
    parse_next(p);
  }
  p->m->target = text;
  return text || parse_oom(p);
}

/* address_size = ".address_size" "64" */
static bool parse_address_size(struct parser *p) {
  struct ptx_tok at;
  uint32_t bits = 0;
  parse_next(p);
  at = p->tok;
  if (!parse_uint(p, &bits, "an address size")) return false;
  if (bits == 32) {
    parse_error(p, &at, "32-bit addresses are not supported");
    parse_remedy(p, "remedy: compile for a 64-bit target (nvcc -m64, clang --target=nvptx64)");
    return false;
  }
  if (bits != 64) return parse_error(p, &at, "an address has 64 bits, not %u", bits);
  p->m->address_bits = bits;
  return true;
}

/* pragma = ".pragma" string { "," string } ";" */
bool parse_pragma(struct parser *p, const char **out) {
  parse_next(p);
  const char *start = p->tok.s, *end;
  char buf[80];
  do {
    if (p->tok.kind != PTX_TOK_string)
      return parse_error(p, &p->tok, "expected a string after .pragma, found %s",
                         parse_show(&p->tok, buf, sizeof buf));
    end = p->tok.s + p->tok.len;
    parse_next(p);
  } while (parse_accept(p, ','));
  *out = parse_text(p, start, (size_t)(end - start));
  return *out && parse_expect(p, ';', "a .pragma");
}

/* file = ".file" number [folder] name [ "," number "," number ]; clang writes the folder apart */
bool parse_file(struct parser *p) {
  struct ptx_file f = {0};
  char buf[80];
  parse_next(p);
  if (!parse_uint(p, &f.index, "a file number")) return false;
  if (p->tok.kind != PTX_TOK_string)
    return parse_error(p, &p->tok, "expected a file name, found %s",
                       parse_show(&p->tok, buf, sizeof buf));
  f.name = parse_text(p, p->tok.s + 1, p->tok.len - 2);
  parse_next(p);
  if (f.name && p->tok.kind == PTX_TOK_string) {
    f.name = weir_arena_printf(p->arena, "%s/%.*s", f.name, (int)p->tok.len - 2, p->tok.s + 1);
    parse_next(p);
  }
  if (parse_accept(p, ',')) {
    if (p->tok.kind != PTX_TOK_int) return parse_error(p, &p->tok, "expected a time stamp");
    uint64_t stamp = p->tok.imm;
    parse_next(p);
    if (!parse_expect(p, ',', "the time stamp")) return false;
    if (p->tok.kind != PTX_TOK_int) return parse_error(p, &p->tok, "expected a file size");
    f.rest = weir_arena_printf(p->arena, "%llu, %llu", (unsigned long long)stamp,
                               (unsigned long long)p->tok.imm);
    if (!f.rest) return parse_oom(p);
    parse_next(p);
  }
  struct ptx_item it = {'i', (uint32_t)p->files.n};
  if (!f.name || !WEIR_PUSH(p->files, f) || !WEIR_PUSH(p->items, it)) return parse_oom(p);
  return true;
}

/* section = ".section" .name "{" ... "}"; the debugger's business, kept as text */
bool parse_section(struct parser *p) {
  const char *start = p->tok.s;
  struct ptx_tok at = p->tok;
  parse_next(p);
  char buf[80];
  if (p->tok.kind != PTX_TOK_dot && p->tok.kind != PTX_TOK_ident && p->tok.kind != PTX_TOK_string)
    return parse_error(p, &p->tok, "expected the name of a section, found %s",
                       parse_show(&p->tok, buf, sizeof buf));
  parse_next(p);
  if (!parse_expect(p, '{', "the name of the section")) return false;
  while (!parse_is(p, '}')) {
    if (p->tok.kind == PTX_TOK_end) return parse_error(p, &at, "this section has no closing '}'");
    if (p->tok.kind == PTX_TOK_bad) return parse_error(p, &p->tok, "%s", p->tok.what);
    parse_next(p);
  }
  const char *text = parse_text(p, start, (size_t)(p->tok.s + 1 - start));
  parse_next(p);
  struct ptx_item it = {'s', (uint32_t)p->sections.n};
  if (!text || !WEIR_PUSH(p->sections, text) || !WEIR_PUSH(p->items, it)) return parse_oom(p);
  return true;
}

/* alias = ".alias" name "," name ";" */
static bool parse_alias(struct parser *p) {
  struct ident *id[2];
  struct ptx_tok at[2];
  struct binding *b[2];
  uint32_t reg;
  parse_next(p);
  for (int i = 0; i < 2; i++) {
    if (!parse_name(p, &id[i], &at[i], "the name of a function")) return false;
    b[i] = sym_find(p, id[i], &reg);
    if (!b[i] || b[i]->kind != BIND_FUNC)
      return parse_error(p, &at[i], "'%s' is not a function declared above", id[i]->name);
    if (i == 0 && !parse_expect(p, ',', "the alias")) return false;
  }
  struct ptx_alias a = {b[0]->func, b[1]->func};
  struct ptx_item it = {'a', (uint32_t)p->aliases.n};
  if (!WEIR_PUSH(p->aliases, a) || !WEIR_PUSH(p->items, it)) return parse_oom(p);
  return parse_expect(p, ';', "an .alias");
}

/* ---- the module ---- */

static bool parse_linkage(struct parser *p, enum ptx_linkage *out) {
  static const struct {
    const char *word;
    enum ptx_linkage linkage;
  } words[] = {{".visible", PTX_LINK_visible},
               {".extern", PTX_LINK_extern},
               {".weak", PTX_LINK_weak},
               {".common", PTX_LINK_common}};
  *out = PTX_LINK_none;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (!parse_is_dot(p, words[i].word)) continue;
    *out = words[i].linkage;
    parse_next(p);
    return true;
  }
  return false;
}

/* item = version | target | address_size | file | section | pragma | alias | [linkage] (function |
 * variable) */
static bool parse_item(struct parser *p) {
  enum ptx_linkage linkage;
  if (parse_is_dot(p, ".version")) return parse_version(p);
  if (parse_is_dot(p, ".target")) return parse_target(p);
  if (parse_is_dot(p, ".address_size")) return parse_address_size(p);
  if (parse_is_dot(p, ".file")) return parse_file(p);
  if (parse_is_dot(p, ".section")) return parse_section(p);
  if (parse_is_dot(p, ".alias")) return parse_alias(p);
  if (parse_is_dot(p, ".pragma")) {
    const char *text;
    struct ptx_item it = {'p', (uint32_t)p->mod_pragmas.n};
    if (!parse_pragma(p, &text)) return false;
    return (WEIR_PUSH(p->mod_pragmas, text) && WEIR_PUSH(p->items, it)) || parse_oom(p);
  }
  if (parse_accept(p, ';')) return true;
  parse_linkage(p, &linkage);
  if (parse_is_dot(p, ".entry") || parse_is_dot(p, ".func")) return parse_func(p, linkage);
  if (p->tok.kind == PTX_TOK_dot) return parse_var_decl(p, linkage);
  char buf[80];
  return parse_error(p, &p->tok, "expected a function, a variable or a directive, found %s",
                     parse_show(&p->tok, buf, sizeof buf));
}

/* Skip what is left of a module-level item: to behind its ';' or its body. */
static void recover_item(struct parser *p) {
  uint32_t depth = p->braces;
  p->braces = 0;
  for (; p->tok.kind != PTX_TOK_end; parse_next(p)) {
    if (parse_is(p, '{')) depth++;
    if (parse_is(p, '}') && depth > 0 && --depth == 0) break;
    if (parse_is(p, ';') && depth == 0) break;
  }
  parse_next(p);
  parse_accept(p, ';');
}

static void check_header(struct parser *p, bool *complained) {
  if (*complained || p->tok.kind == PTX_TOK_end) return;
  if (parse_is_dot(p, ".version")) return;
  if (p->m->version_major == 0) {
    *complained = true;
    parse_error(p, &p->tok, "the module does not begin with .version");
    parse_remedy(
        p, "remedy: PTX begins with .version, .target and .address_size, as nvcc -ptx writes them");
  } else if (!p->m->target && !parse_is_dot(p, ".target")) {
    *complained = true;
    parse_error(p, &p->tok, "the module has no .target after .version");
  }
}

/* module = { item } */
static void parse_module(struct parser *p) {
  bool complained = false;
  while (p->tok.kind != PTX_TOK_end && !p->stop) {
    check_header(p, &complained);
    p->braces = 0;
    if (!parse_item(p) && !p->stop) recover_item(p);
  }
  if (p->stop) return;
  if (p->diags->n == p->first_diag && (p->m->version_major == 0 || !p->m->target))
    parse_error(p, &p->tok, "the module has no %s",
                p->m->version_major == 0 ? ".version" : ".target");
}

static void finish_module(struct parser *p) {
  struct ptx_module *m = p->m;
  PARSE_KEEP(m->vars, m->n_vars, p->vars);
  PARSE_KEEP(m->funcs, m->n_funcs, p->funcs);
  PARSE_KEEP(m->files, m->n_files, p->files);
  PARSE_KEEP(m->items, m->n_items, p->items);
  PARSE_KEEP(m->aliases, m->n_aliases, p->aliases);
  const char **sections;
  PARSE_KEEP(sections, m->n_sections, p->sections);
  m->sections = sections;
  PARSE_KEEP(m->pragmas, m->n_pragmas, p->mod_pragmas);
  if (!m->address_bits) m->address_bits = 64;
  for (uint32_t i = 0; i < m->n_funcs && !p->stop; i++)
    if (!ptx_cfg_build(m->funcs[i], p->arena)) parse_oom(p);
  if (!p->stop && !ptx_list_unsupported(m)) parse_oom(p);
}

static void free_parser(struct parser *p) {
  void *all[] = {p->idents,     p->insns.v,       p->regs.v,    p->reg_decls.v, p->scopes.v,
                 p->labels.v,   p->locs.v,        p->pragmas.v, p->tables.v,    p->func_vars.v,
                 p->fixups.v,   p->opnds.v,       p->vars.v,    p->funcs.v,     p->files.v,
                 p->sections.v, p->mod_pragmas.v, p->aliases.v, p->items.v,     p->bytes.v,
                 p->relocs.v};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
}

static struct ptx_module *new_module(const char *text, size_t len, const char *path) {
  struct weir_arena arena = {0};
  size_t limit;
  if (len >= UINT32_MAX / 2) return NULL;
  if (!__builtin_mul_overflow(len, 64, &limit)) arena.limit = limit + ((size_t)64 << 20);
  struct ptx_module *m = weir_arena_alloc(&arena, sizeof *m);
  if (!m) return NULL;
  m->path = weir_arena_strndup(&arena, path ? path : "<ptx>", strlen(path ? path : "<ptx>"));
  m->source = weir_arena_strndup(&arena, text, len);
  m->source_len = len;
  m->arena = arena;
  if (m->path && m->source) return m;
  weir_arena_free(&arena);
  return NULL;
}

enum weir_status ptx_parse(const char *text, size_t len, const char *path, struct ptx_module **out,
                           struct ptx_diags *diags) {
  *out = NULL;
  struct ptx_module *m = new_module(text, len, path);
  if (!m) {
    struct weir_err e;
    weir_fail(&e, WEIR_ENOMEM, "%s: too large to parse, or out of memory", path ? path : "<ptx>");
    if (!WEIR_PUSH(*diags, e)) return WEIR_ENOMEM;
    return WEIR_ENOMEM;
  }
  size_t had = diags->n;
  struct parser p = {.m = m, .diags = diags, .first_diag = had, .arena = &m->arena};
  ptx_lex_init(&p.lx, m->source, len);
  if (sym_ident(&p, "_", 1)) { /* makes the table of names */
    parse_next(&p);
    parse_module(&p);
    if (!p.stop && diags->n == had) finish_module(&p);
  }
  enum weir_status status = WEIR_OK;
  if (p.no_memory) {
    status = diags->n > had ? diags->v[diags->n - 1].code : WEIR_ENOMEM;
  } else if (diags->n > had) {
    status = WEIR_EPARSE;
  }
  free_parser(&p);
  if (status != WEIR_OK) {
    ptx_module_free(m);
    return status;
  }
  *out = m;
  return WEIR_OK;
}

void ptx_module_free(struct ptx_module *m) {
  if (!m) return;
  struct weir_arena a = m->arena; /* the module lies in it */
  weir_arena_free(&a);
}

struct ptx_func *ptx_find_func(const struct ptx_module *m, const char *name) {
  for (uint32_t i = 0; i < m->n_funcs; i++)
    if (!strcmp(m->funcs[i]->name, name)) return m->funcs[i];
  return NULL;
}

struct ptx_func *ptx_callee(const struct ptx_module *m, struct ptx_func *f) {
  /* An alias of an alias is followed; more steps than there are aliases would be a circle. */
  for (uint32_t step = 0; step < m->n_aliases; step++) {
    struct ptx_func *was = f;
    for (uint32_t i = 0; i < m->n_aliases && f == was; i++)
      if (m->aliases[i].name == was) f = m->aliases[i].of;
    if (f == was) break;
  }
  return f;
}

static int by_var(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)((const struct ptx_var_link *)a)->var,
            y = (uintptr_t)((const struct ptx_var_link *)b)->var;
  return (x > y) - (x < y);
}

const struct ptx_var *ptx_linked_var(const struct ptx_module *m, const struct ptx_var *v) {
  struct ptx_var_link key = {.var = v};
  const struct ptx_var_link *l =
      m->n_var_links > 0 ? bsearch(&key, m->var_links, m->n_var_links, sizeof key, by_var) : NULL;
  return l != NULL ? l->of : v;
}

struct ptx_var *ptx_find_var(const struct ptx_module *m, const char *name) {
  for (uint32_t i = 0; i < m->n_vars; i++)
    if (!strcmp(m->vars[i]->name, name)) return m->vars[i];
  return NULL;
}

size_t ptx_unsupported(const struct ptx_module *m, struct ptx_unsupported *out, size_t max) {
  for (size_t i = 0; i < m->n_unsupported && i < max; i++)
    out[i] = m->unsupported[i];
  return m->n_unsupported;
}
