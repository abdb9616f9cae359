#include "analysis/cuda_hint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- types that can be loaded ---- */

struct type {
  const char *name, *ptx, *in, *as; /* constraint of inline assembly, and the register's type */
  uint32_t parts;                   /* of a vector */
  bool has_ldcg;
};

static const struct type types[] = {
    {"bool", "u8", "r", "unsigned int", 1, false},
    {"char", "s8", "r", "int", 1, true},
    {"signed char", "s8", "r", "int", 1, true},
    {"unsigned char", "u8", "r", "unsigned int", 1, true},
    {"short", "s16", "h", "short", 1, true},
    {"unsigned short", "u16", "h", "unsigned short", 1, true},
    {"int", "s32", "r", "int", 1, true},
    {"unsigned int", "u32", "r", "unsigned int", 1, true},
    {"long", "s64", "l", "long", 1, true},
    {"unsigned long", "u64", "l", "unsigned long", 1, true},
    {"long long", "s64", "l", "long long", 1, true},
    {"unsigned long long", "u64", "l", "unsigned long long", 1, true},
    {"float", "f32", "f", "float", 1, true},
    {"double", "f64", "d", "double", 1, true},
    {"int2", "s32", "r", NULL, 2, true},
    {"int4", "s32", "r", NULL, 4, true},
    {"uint2", "u32", "r", NULL, 2, true},
    {"uint4", "u32", "r", NULL, 4, true},
    {"float2", "f32", "f", NULL, 2, true},
    {"float4", "f32", "f", NULL, 4, true},
    {"double2", "f64", "d", NULL, 2, true}};
enum { N_TYPES = sizeof types / sizeof *types };

static const char *const aliases[][2] = {{"unsigned", "unsigned int"},
                                         {"uint", "unsigned int"},
                                         {"int8_t", "signed char"},
                                         {"uint8_t", "unsigned char"},
                                         {"int16_t", "short"},
                                         {"uint16_t", "unsigned short"},
                                         {"int32_t", "int"},
                                         {"uint32_t", "unsigned int"},
                                         {"int64_t", "long"},
                                         {"uint64_t", "unsigned long"},
                                         {"size_t", "unsigned long"},
                                         {"long int", "long"},
                                         {"unsigned char", "unsigned char"}};

/* The words of a type without const, one blank between them. */
static void plain_type(const struct weir_cuda_param *p, char *out, size_t room) {
  size_t n = 0;
  for (size_t i = 0; i < p->n_type;) {
    size_t from = i;
    while (i < p->n_type && weir_cuda_is_word(p->type[i]))
      i++;
    size_t len = i - from;
    bool is_const = len == 5 && memcmp(p->type + from, "const", 5) == 0;
    if (len > 0 && !is_const && n + len + 2 < room) {
      if (n > 0) out[n++] = ' ';
      memcpy(out + n, p->type + from, len);
      n += len;
    }
    if (len == 0 && !isspace((unsigned char)p->type[i])) n = 0; /* ns::type and the like */
    if (len == 0) i++;
  }
  out[n] = 0;
}

static uint32_t type_of(const struct weir_cuda_param *p) {
  char name[64];
  const char *is = name;
  plain_type(p, name, sizeof name);
  for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
    if (strcmp(name, aliases[i][0]) == 0) is = aliases[i][1];
  for (uint32_t i = 0; i < N_TYPES; i++)
    if (strcmp(is, types[i].name) == 0) return i;
  return N_TYPES;
}

/* ---- one place of the array's name ---- */

enum kind { NOT_READ, READ_INDEX, READ_STAR, READ_LDG, NOT_UNDERSTOOD };

struct place {
  size_t at, end;   /* of "x[i]", or of the name in "*x" */
  size_t star, ldg; /* where these stand */
};

static bool is_one_of(char c, const char *list) {
  return c != 0 && strchr(list, c) != NULL;
}

/* What follows: is it written, or a part of something else? */
static enum kind look_behind(const struct weir_cuda_text *t, size_t end) {
  size_t at = weir_cuda_skip(t, end);
  char c = at < t->n ? t->mask[at] : ';', next = at + 1 < t->n ? t->mask[at + 1] : ';';
  char third = at + 2 < t->n ? t->mask[at + 2] : ';';
  if (c == '=' && next != '=') return NOT_READ;
  if (is_one_of(c, ".[(") || (c == '-' && next == '>')) return NOT_UNDERSTOOD;
  if ((c == '+' || c == '-') && next == c) return NOT_UNDERSTOOD;
  if (is_one_of(c, "+-*/%&|^") && next == '=') return NOT_UNDERSTOOD;
  if ((c == '<' || c == '>') && next == c && third == '=') return NOT_UNDERSTOOD;
  return READ_INDEX;
}

static size_t word_before(const struct weir_cuda_text *t, size_t end) {
  while (end > 0 && weir_cuda_is_word(t->mask[end - 1]))
    end--;
  return end;
}

static bool is_text(const struct weir_cuda_text *t, size_t from, size_t to, const char *word) {
  return to - from == strlen(word) && memcmp(t->mask + from, word, to - from) == 0;
}

/* The name before the bracket that is open at `at`; false: none is. */
static bool find_callee(const struct weir_cuda_text *t, size_t at, size_t body, size_t *from,
                        size_t *to) {
  unsigned depth = 0;
  for (; at > body; at--) {
    char c = t->mask[at - 1];
    if (c == ';' || c == '{' || c == '}') return false;
    if (c == ')' || c == ']') depth++;
    if ((c == '(' || c == '[') && depth-- == 0) {
      size_t where;
      if (c == '[') return false;
      weir_cuda_before(t, at - 1, &where);
      *to = where + 1;
      *from = word_before(t, *to);
      return *from < *to;
    }
  }
  return false;
}

/* A whole argument may be taken by reference; those of these functions are not. */
static bool takes_values(const struct weir_cuda_text *t, size_t from, size_t to) {
  static const char *const names[] = {"if",   "while", "for",  "switch", "return", "fma",   "fmaf",
                                      "min",  "max",   "fmin", "fmax",   "fminf",  "fmaxf", "abs",
                                      "fabs", "fabsf", "sqrt", "sqrtf",  "exp",    "expf",  "log",
                                      "logf", "pow",   "powf", "rsqrt",  "rsqrtf"};
  if (to - from > 2 && memcmp(t->mask + from, "__", 2) == 0) return true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (is_text(t, from, to, names[i])) return true;
  return false;
}

static bool may_be_reference(const struct weir_cuda_text *t, const struct weir_cuda_param *p,
                             const struct place *x, char before) {
  size_t from, to, behind = weir_cuda_skip(t, x->end);
  if (p->is_const || !is_one_of(before, "(,") || !is_one_of(t->mask[behind], "),")) return false;
  if (!find_callee(t, x->at, p->body, &from, &to)) return false;
  return !takes_values(t, from, to);
}

/* "float &r = x[i]" keeps the place, not the value. */
static bool is_bound(const struct weir_cuda_text *t, size_t at, size_t body) {
  size_t where;
  char c = weir_cuda_before(t, at, &where);
  if (c != '=' || where == 0 || is_one_of(t->mask[where - 1], "=!<>+-*/%&|^")) return false;
  c = weir_cuda_before(t, where, &where);
  if (!weir_cuda_is_word(c)) return false;
  size_t name = word_before(t, where + 1);
  return name > body && weir_cuda_before(t, name, &where) == '&';
}

static bool is_ldg(const struct weir_cuda_text *t, size_t ampersand, size_t *word) {
  size_t where;
  if (weir_cuda_before(t, ampersand, &where) != '(') return false;
  weir_cuda_before(t, where, &where);
  *word = word_before(t, where + 1);
  return is_text(t, *word, where + 1, "__ldg");
}

static enum kind look_before(const struct weir_cuda_text *t, const struct weir_cuda_param *p,
                             struct place *x, bool has_index) {
  size_t where;
  char c = weir_cuda_before(t, x->at, &where);
  char earlier = where > 0 ? t->mask[where - 1] : ';';
  if (c == '.' || (c == '>' && earlier == '-') || (c == ':' && earlier == ':'))
    return NOT_READ; /* another x */
  if ((c == '+' || c == '-') && earlier == c) return NOT_UNDERSTOOD;
  if (c == '&' && earlier != '&') return is_ldg(t, where, &x->ldg) ? READ_LDG : NOT_READ;
  if (has_index) {
    if (is_bound(t, x->at, p->body) || may_be_reference(t, p, x, c)) return NOT_UNDERSTOOD;
    return READ_INDEX;
  }
  if (c != '*') return NOT_READ;
  x->star = where;
  c = weir_cuda_before(t, where, &where);
  if (weir_cuda_is_word(c) || is_one_of(c, ")]*&")) return NOT_UNDERSTOOD; /* a product, perhaps */
  if (is_bound(t, x->star, p->body)) return NOT_UNDERSTOOD;
  return READ_STAR;
}

static enum kind look(const struct weir_cuda_text *t, const struct weir_cuda_param *p, size_t at,
                      size_t line_end, struct place *x) {
  size_t next = weir_cuda_skip(t, at + p->n_name);
  bool has_index = next < t->n && t->mask[next] == '[';
  *x = (struct place){.at = at, .end = at + p->n_name};
  if (has_index) {
    x->end = weir_cuda_close(t, next, line_end) + 1;
    if (x->end > line_end) return NOT_UNDERSTOOD;
  }
  enum kind before = look_before(t, p, x, has_index);
  if (before == NOT_READ || before == NOT_UNDERSTOOD) return before;
  enum kind behind = look_behind(t, x->end);
  if (before == READ_LDG)
    return t->mask[weir_cuda_skip(t, x->end)] == ')' ? READ_LDG : NOT_UNDERSTOOD;
  if (before == READ_STAR && behind == NOT_READ) return NOT_READ;
  return behind == READ_INDEX ? before : behind;
}

/* ---- the name within the kernel ---- */

/* A second variable of this name, or the pointer set to something else: then nothing is known. */
static bool is_redefined(const struct weir_cuda_text *t, const struct weir_cuda_param *p) {
  for (size_t at = weir_cuda_find(t, p->name, p->n_name, p->body, p->body_end); at < p->body_end;
       at = weir_cuda_find(t, p->name, p->n_name, at + 1, p->body_end)) {
    size_t where, next = weir_cuda_skip(t, at + p->n_name);
    char c = weir_cuda_before(t, at, &where), earlier;
    if (t->mask[next] == '=' && t->mask[next + 1] != '=' && !is_one_of(c, "*")) return true;
    if (is_one_of(c, "*&")) {
      earlier = weir_cuda_before(t, where, &where);
      /* TYPE *x = or TYPE &x = */
      if (weir_cuda_is_word(earlier) && t->mask[next] == '=' && t->mask[next + 1] != '=')
        return true;
    } else if (weir_cuda_is_word(c) &&
               !is_text(t, word_before(t, where + 1), where + 1, "return") &&
               !is_text(t, word_before(t, where + 1), where + 1, "else")) {
      return true;
    }
  }
  return false;
}

/* ---- edits ---- */

static void add_edit(struct weir_cuda_edits *e, size_t at, size_t n, const char *put) {
  struct weir_cuda_edit new = {at, n, put};
  if (put == NULL || !WEIR_PUSH(e->list, new)) e->has_failed = true;
}

static void need_helper(struct weir_cuda_edits *e, struct weir_cuda_helper new) {
  for (size_t i = 0; i < e->helpers.n; i++) {
    const struct weir_cuda_helper *h = &e->helpers.v[i];
    if (h->hint == new.hint && h->type == new.type && h->is_nc == new.is_nc) return;
  }
  if (!WEIR_PUSH(e->helpers, new)) e->has_failed = true;
}

static bool is_priority(enum weir_hint hint) {
  return hint == WEIR_HINT_NO_ALLOCATE || hint == WEIR_HINT_EVICT_LAST;
}

static const char *helper_name(const struct weir_cuda_helper *h) {
  static const char *const names[WEIR_N_HINTS] = {"", "weir_ld_ca", "weir_ld_cg",
                                                  "weir_ld_no_allocate", "weir_ld_evict_last"};
  static const char *const nc[WEIR_N_HINTS] = {"", "", "", "weir_ld_no_allocate_nc",
                                               "weir_ld_evict_last_nc"};
  return h->is_nc ? nc[h->hint] : names[h->hint];
}

/* CUDA's own function for it, or NULL. A compiler may move that past stores, so that it is for
 * arrays only which nothing writes. */
static const char *own_function(const struct weir_cuda_param *p, enum weir_hint hint,
                                uint32_t type) {
  if (!types[type].has_ldcg || !p->is_const || !p->is_restrict || is_priority(hint)) return NULL;
  return hint == WEIR_HINT_CG ? "__ldcg" : "__ldca";
}

static void put_call(struct weir_cuda_edits *e, const struct place *x, enum kind kind,
                     const char *function) {
  if (kind == READ_LDG) {
    add_edit(e, x->ldg, strlen("__ldg"), function);
  } else if (kind == READ_STAR) {
    add_edit(e, x->star, 1, weir_arena_printf(e->arena, "%s(", function));
    add_edit(e, x->end, 0, ")");
  } else {
    add_edit(e, x->at, 0, weir_arena_printf(e->arena, "%s(&", function));
    add_edit(e, x->end, 0, ")");
  }
}

static const char *hint_line(const struct weir_cuda_text *t, const struct weir_cuda_load *load,
                             const struct weir_cuda_param *p, uint32_t type,
                             struct weir_cuda_edits *e) {
  size_t from = t->line[load->line - 1], to = t->line[load->line], n = 0, first = e->list.n;
  struct weir_cuda_helper helper = {load->hint, type,
                                    is_priority(load->hint) && p->is_const && p->is_restrict};
  const char *own = own_function(p, load->hint, type);
  for (size_t at = weir_cuda_find(t, p->name, p->n_name, from, to); at < to;
       at = weir_cuda_find(t, p->name, p->n_name, at + 1, to)) {
    struct place x;
    enum kind kind = look(t, p, at, to, &x);
    if (kind == NOT_UNDERSTOOD) {
      e->list.n = first;
      return "the expression is not understood";
    }
    if (kind == NOT_READ) continue;
    put_call(e, &x, kind, own != NULL ? own : helper_name(&helper));
    n++;
  }
  if (n == 0) return "the line does not read it by its name";
  if (own == NULL) need_helper(e, helper);
  return NULL;
}

const char *weir_cuda_hint(const struct weir_cuda_text *t, const struct weir_cuda_load *load,
                           struct weir_cuda_edits *e) {
  struct weir_cuda_param p;
  if (load->line == 0 || load->line > t->n_lines) return "there is no such line";
  size_t from = t->line[load->line - 1], to = t->line[load->line];
  size_t at = weir_cuda_skip(t, from);
  if (at >= to || !weir_cuda_param(t, load->kernel, at, load->param, &p))
    return "no array of the kernel is known there";
  uint32_t type = type_of(&p);
  if (p.is_volatile || type == N_TYPES) return "its type has no function that loads it";
  if (is_redefined(t, &p)) return "the name may mean something else";
  return hint_line(t, load, &p, type, e);
}

/* ---- functions that load ---- */

static void put_operands(const struct type *x, struct weir_text *out) {
  static const char *const parts = "xyzw";
  if (x->parts == 1) {
    weir_text_printf(out, "\"=%s\"(v)", x->in);
    return;
  }
  for (uint32_t i = 0; i < x->parts; i++)
    weir_text_printf(out, "%s\"=%s\"(v.%c)", i > 0 ? ", " : "", x->in, parts[i]);
}

/* Without "memory" a compiler takes it for a function of the address alone. */
static void put_asm(const struct weir_cuda_helper *h, struct weir_text *out) {
  const struct type *x = &types[h->type];
  weir_text_printf(out, "  asm%s(\"ld.global%s.%s.", h->is_nc ? "" : " volatile",
                   h->is_nc ? ".nc" : "", weir_hint_word(h->hint));
  if (x->parts == 1)
    weir_text_printf(out, "%s %%0, [%%1];\"\n      : ", x->ptx);
  else
    weir_text_printf(out, "v%u.%s {%s}, [%%%u];\"\n      : ", x->parts, x->ptx,
                     x->parts == 2 ? "%0, %1" : "%0, %1, %2, %3", x->parts);
  put_operands(x, out);
  weir_text_printf(out, "\n      : \"l\"(__cvta_generic_to_global(p))%s);\n",
                   h->is_nc ? "" : "\n      : \"memory\"");
}

/* WEIR_LD_CG_FLOAT */
static void put_guard(const struct weir_cuda_helper *h, char *out) {
  for (const char *s = helper_name(h); *s != 0; s++)
    *out++ = (char)toupper((unsigned char)*s);
  *out++ = '_';
  for (const char *s = types[h->type].name; *s != 0; s++)
    *out++ = (char)(*s == ' ' ? '_' : toupper((unsigned char)*s));
  *out = 0;
}

static void put_helper(const struct weir_cuda_helper *h, struct weir_text *out) {
  const struct type *x = &types[h->type];
  char guard[96];
  put_guard(h, guard);
  weir_text_printf(out, "#if defined(__CUDACC__) && !defined(%s)\n#define %s\n", guard, guard);
  weir_text_printf(out, "static __device__ __forceinline__ %s %s(const %s *p) {\n  %s v;\n",
                   x->name, helper_name(h), x->name, x->as != NULL ? x->as : x->name);
  if (is_priority(h->hint)) weir_text_puts(out, "#if __CUDA_ARCH__ >= 700\n");
  put_asm(h, out);
  if (is_priority(h->hint)) weir_text_puts(out, "#else\n  v = *p;\n#endif\n");
  if (x->as != NULL && strcmp(x->as, x->name) != 0)
    weir_text_printf(out, "  return (%s)v;\n", x->name);
  else
    weir_text_puts(out, "  return v;\n");
  weir_text_puts(out, "}\n#endif\n");
}

void weir_cuda_helpers(const struct weir_cuda_edits *e, struct weir_text *out) {
  for (size_t i = 0; i < e->helpers.n; i++)
    put_helper(&e->helpers.v[i], out);
}

void weir_cuda_edits_free(struct weir_cuda_edits *e) {
  free(e->list.v);
  free(e->helpers.v);
  e->list.v = NULL;
  e->helpers.v = NULL;
  e->list.n = e->helpers.n = 0;
}
