/* Names: interning, scopes, registers, labels. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ptx/parse.h"

static uint32_t hash_text(const char *s, size_t n) {
  uint32_t h = 2166136261u;
  for (size_t i = 0; i < n; i++)
    h = (h ^ (unsigned char)s[i]) * 16777619u;
  return h ^ (h >> 15);
}

static bool grow_idents(struct parser *p) {
  size_t cap = p->cap_idents ? p->cap_idents * 2 : 1024;
  struct ident **grown = weir_calloc(cap, sizeof *grown);
  if (!grown) return parse_oom(p);
  for (size_t i = 0; i < p->cap_idents; i++) {
    if (!p->idents[i]) continue;
    size_t at = p->idents[i]->hash & (cap - 1);
    while (grown[at])
      at = (at + 1) & (cap - 1);
    grown[at] = p->idents[i];
  }
  free(p->idents);
  p->idents = grown;
  p->cap_idents = cap;
  return true;
}

/* The one record of a name; NULL when out of memory. */
struct ident *sym_ident(struct parser *p, const char *s, size_t len) {
  if (p->n_idents * 2 >= p->cap_idents && !grow_idents(p)) return NULL;
  uint32_t h = hash_text(s, len);
  size_t at = h & (p->cap_idents - 1);
  for (; p->idents[at]; at = (at + 1) & (p->cap_idents - 1)) {
    struct ident *id = p->idents[at];
    if (id->hash == h && id->len == len && !memcmp(id->name, s, len)) return id;
  }
  struct ident *id = parse_alloc(p, 1, sizeof *id);
  if (!id) return NULL;
  id->name = parse_text(p, s, len);
  id->len = (uint32_t)len;
  id->hash = h;
  if (!id->name) return NULL;
  p->idents[at] = id;
  p->n_idents++;
  return id;
}

/* %r17 as a member of %r<82>: the range's binding and the register's number. */
static struct binding *find_in_range(struct parser *p, const struct ident *id, uint32_t *reg) {
  size_t digits = 0;
  while (digits < id->len && id->name[id->len - 1 - digits] >= '0' &&
         id->name[id->len - 1 - digits] <= '9')
    digits++;
  /* "%r0012" is not a member; and a prefix may itself end in digits (%r1<10> has %r10..%r19), so
   * try each split. */
  for (size_t n = 1; n <= digits && n <= 8 && n < id->len; n++) {
    const char *num = id->name + id->len - n;
    if (num[0] == '0' && n > 1) continue;
    uint32_t h = hash_text(id->name, id->len - n);
    size_t at = h & (p->cap_idents - 1);
    for (; p->idents[at]; at = (at + 1) & (p->cap_idents - 1)) {
      struct ident *prefix = p->idents[at];
      if (prefix->hash != h || prefix->len != id->len - n ||
          memcmp(prefix->name, id->name, prefix->len))
        continue;
      uint32_t value = 0;
      for (size_t i = 0; i < n; i++)
        value = value * 10 + (uint32_t)(num[i] - '0');
      for (struct binding *b = prefix->top; b; b = b->outer) {
        if (b->kind == BIND_RANGE && value < b->count) {
          *reg = b->reg + value;
          return b;
        }
      }
      break;
    }
  }
  return NULL;
}

static struct binding *push_binding(struct parser *p, struct ident *id, struct binding b) {
  struct binding *nb = parse_alloc(p, 1, sizeof *nb);
  if (!nb) return NULL;
  *nb = b;
  nb->ident = id;
  nb->outer = id->top;
  nb->made = p->made[b.depth];
  id->top = nb;
  p->made[b.depth] = nb;
  return nb;
}

/* The innermost meaning of a name, or NULL. For registers *reg is the number. */
struct binding *sym_find(struct parser *p, struct ident *id, uint32_t *reg) {
  struct binding *b = id->top;
  while (b && b->kind == BIND_RANGE)
    b = b->outer; /* "%r" alone is not a register */
  if (!b || (p->inner_ranges && b->depth < p->scope_depth)) {
    uint32_t member = 0;
    struct binding *range = p->func ? find_in_range(p, id, &member) : NULL;
    if (range && (!b || range->depth > b->depth)) {
      *reg = member;
      if (b || id->top) return range;
      /* Remembered, so that the next use of the name is one lookup. */
      struct binding member_of = {.kind = BIND_REG, .depth = range->depth, .reg = member};
      return push_binding(p, id, member_of);
    }
  }
  if (b) *reg = b->reg;
  return b;
}

bool sym_bind(struct parser *p, struct ident *id, const struct ptx_tok *at, struct binding b) {
  b.depth = p->scope_depth;
  for (struct binding *o = id->top; o && o->depth == b.depth; o = o->outer)
    return parse_error(p, at, "'%s' is declared twice in this scope", id->name);
  uint32_t member;
  struct binding *range = p->func && b.depth ? find_in_range(p, id, &member) : NULL;
  if (range && range->depth == b.depth && b.kind != BIND_RANGE)
    return parse_error(p, at, "'%s' is declared already, by the range '%s<%u>'", id->name,
                       range->ident->name, range->count);
  if (b.kind == BIND_RANGE && b.depth > 1) p->inner_ranges++;
  return push_binding(p, id, b) ? true : false;
}

bool sym_push_scope(struct parser *p, const struct ptx_tok *at) {
  if (p->scope_depth >= PARSE_MAX_SCOPES)
    return parse_error(p, at, "blocks are nested more than %d deep", PARSE_MAX_SCOPES);
  struct ptx_scope s = {.parent = p->scope, .first = (uint32_t)p->insns.n};
  if (!WEIR_PUSH(p->scopes, s)) return parse_oom(p);
  p->scope = (uint32_t)p->scopes.n - 1;
  p->made[++p->scope_depth] = NULL;
  return true;
}

void sym_pop_scope(struct parser *p) {
  for (struct binding *b = p->made[p->scope_depth]; b; b = b->made) {
    if (b->kind == BIND_RANGE && b->depth > 1) p->inner_ranges--;
    b->ident->top = b->outer;
  }
  p->made[p->scope_depth] = NULL;
  p->scopes.v[p->scope].last = (uint32_t)p->insns.n;
  p->scope = p->scopes.v[p->scope].parent;
  p->scope_depth--;
}

void sym_new_func(struct parser *p) {
  p->func_serial++;
  p->insns.n = p->regs.n = p->reg_decls.n = p->scopes.n = p->labels.n = p->locs.n = 0;
  p->pragmas.n = p->tables.n = p->func_vars.n = p->fixups.n = p->opnds.n = 0;
  p->scope = p->loc = p->inner_ranges = 0;
}

static void fresh(struct parser *p, struct ident *id) {
  if (id->func_serial == p->func_serial) return;
  id->func_serial = p->func_serial;
  id->labels = NULL;
  id->table = NULL;
}

bool sym_label(struct parser *p, struct ident *id, const struct ptx_tok *at) {
  fresh(p, id);
  for (struct label_ref *l = id->labels; l; l = l->next)
    if (l->scope == p->scope) return parse_error(p, at, "label '%s' is defined twice", id->name);
  struct label_ref *l = parse_alloc(p, 1, sizeof *l);
  if (!l) return false;
  *l = (struct label_ref){id, p->scope, (uint32_t)p->labels.n, id->labels};
  id->labels = l;
  struct ptx_label rec = {.name = id->name, .at = (uint32_t)p->insns.n, .scope = p->scope};
  return WEIR_PUSH(p->labels, rec) ? true : parse_oom(p);
}

static const struct label_ref *find_label(struct parser *p, struct ident *id, uint32_t scope) {
  fresh(p, id);
  for (;; scope = p->scopes.v[scope].parent) {
    for (const struct label_ref *l = id->labels; l; l = l->next)
      if (l->scope == scope) return l;
    if (scope == 0) return NULL;
  }
}

/* At the end of a body: give every label and table that was named its value. */
bool sym_resolve(struct parser *p) {
  bool ok = true;
  for (size_t i = 0; i < p->fixups.n && !p->stop; i++) {
    struct fixup *f = &p->fixups.v[i];
    if (f->is_table) {
      fresh(p, f->ident);
      if (f->ident->table && f->ident->table->kind == PTX_BRANCHTARGETS)
        f->opnd->table = f->ident->table;
      else
        ok = parse_error(p, &f->at,
                         "'%s' is not the label of a .branchtargets directive in this function",
                         f->ident->name);
      continue;
    }
    const struct label_ref *l = find_label(p, f->ident, f->scope);
    if (!l) {
      ok = parse_error(p, &f->at, "label '%s' is not defined in this function", f->ident->name);
    } else if (f->opnd) {
      f->opnd->label = p->labels.v[l->index].at;
      f->opnd->imm = l->index;
    } else {
      f->table->labels[f->slot] = p->labels.v[l->index].at;
    }
  }
  return ok;
}

static size_t put_number(char *out, uint32_t v) {
  char tmp[10];
  size_t n = 0;
  do
    tmp[n++] = (char)('0' + v % 10);
  while ((v /= 10) != 0);
  for (size_t i = 0; i < n; i++)
    out[i] = tmp[n - 1 - i];
  out[n] = '\0';
  return n + 1;
}

static bool name_range(struct parser *p, const struct ident *id, struct ptx_reg *r, uint32_t n) {
  char *names = parse_alloc(p, n, (size_t)id->len + 8);
  if (!names) return false;
  for (uint32_t i = 0; i < n; i++) {
    memcpy(names, id->name, id->len);
    r[i].name = names;
    names += id->len + put_number(names + id->len, i);
  }
  return true;
}

static bool name_vector(struct parser *p, const struct ident *id, struct ptx_reg *r, unsigned vec) {
  for (unsigned i = 0; i < vec; i++) {
    char *name = parse_alloc(p, 1, (size_t)id->len + 3);
    if (!name) return false;
    memcpy(name, id->name, id->len);
    name[id->len] = '.';
    name[id->len + 1] = "xyzw"[i];
    r[i].name = name;
  }
  return true;
}

bool sym_declare_regs(struct parser *p, struct ident *id, const struct ptx_tok *at,
                      enum ptx_type type, unsigned vec, bool is_range, uint32_t count,
                      bool is_param) {
  uint32_t n = is_range ? count : vec;
  if (n > PARSE_MAX_REGS || p->regs.n + n > PARSE_MAX_REGS)
    return parse_error(p, at, "%u registers '%s': a function may have at most %d", n, id->name,
                       PARSE_MAX_REGS);
  if (is_range && vec != 1)
    return parse_error(p, at, "a range of vector registers is not possible");
  struct ptx_reg_decl d = {
      id->name, type, (uint8_t)vec, is_range, is_param, is_range ? count : 1, (uint32_t)p->regs.n,
      p->scope};
  struct binding b = {.kind = is_range  ? BIND_RANGE
                              : vec > 1 ? BIND_VECREG
                                        : BIND_REG,
                      .reg = d.first,
                      .count = n};
  if (!sym_bind(p, id, at, b)) return false;
  if (!WEIR_PUSH(p->reg_decls, d)) return parse_oom(p);
  struct ptx_reg r = {.name = id->name, .type = type, .vec = 1};
  for (uint32_t i = 0; i < n; i++)
    if (!WEIR_PUSH(p->regs, r)) return parse_oom(p);
  if (is_range) return name_range(p, id, p->regs.v + d.first, n);
  return vec == 1 || name_vector(p, id, p->regs.v + d.first, vec);
}
