/* Several modules as one: symbols with linkage are sorted by name, and each name gets one
 * definition.
 *
 * Nothing is copied or changed. Declarations that lose (and weak definitions that are not needed)
 * become aliases of functions, or links of variables, to the definition that wins. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ptx/device_library.h"
#include "ptx/parse.h"

enum rank { DECLARED, COMMON, WEAK, STRONG }; /* of two definitions the higher one wins */

struct symbol {
  const char *name;
  uint32_t part; /* module, by number */
  uint32_t line;
  enum rank rank;
  struct ptx_func *func; /* one of the two */
  struct ptx_var *var;
};

struct linker {
  const struct ptx_module *const *modules;
  uint32_t n;
  struct ptx_module *m;
  VEC(struct symbol) symbols;
  VEC(struct ptx_func *) funcs;
  VEC(struct ptx_var *) vars;
  VEC(struct ptx_alias) aliases;
  VEC(struct ptx_var_link) links;
  VEC(const struct symbol *) missing; /* used, and defined nowhere */
  struct weir_err *err;
};

static enum weir_status no_memory(struct linker *l) {
  return weir_fail(l->err, WEIR_ENOMEM, "out of memory while linking %u modules", l->n);
}

/* ---- symbols ---- */

static bool is_alias(const struct ptx_module *m, const struct ptx_func *f) {
  for (uint32_t i = 0; i < m->n_aliases; i++)
    if (m->aliases[i].name == f) return true;
  return false;
}

static enum rank func_rank(const struct ptx_module *m, const struct ptx_func *f) {
  if (!f->has_body && !is_alias(m, f)) return DECLARED;
  return f->linkage == PTX_LINK_weak ? WEAK : STRONG;
}

static enum rank var_rank(const struct ptx_var *v) {
  return v->linkage == PTX_LINK_extern   ? DECLARED
         : v->linkage == PTX_LINK_common ? COMMON
         : v->linkage == PTX_LINK_weak   ? WEAK
                                         : STRONG;
}

/* Memory whose size the launch sets: every declaration of it begins at the same place. */
static bool is_dynamic_shared(const struct ptx_var *v) {
  return v->space == PTX_SPACE_shared && v->linkage == PTX_LINK_extern && v->bytes == 0;
}

static bool add_symbols(struct linker *l, uint32_t part) {
  const struct ptx_module *m = l->modules[part];
  for (uint32_t i = 0; i < m->n_funcs; i++) {
    struct ptx_func *f = m->funcs[i];
    struct symbol s = {f->name, part, f->line, func_rank(m, f), f, NULL};
    if (f->linkage == PTX_LINK_none ? !WEIR_PUSH(l->funcs, f) : !WEIR_PUSH(l->symbols, s))
      return false;
  }
  for (uint32_t i = 0; i < m->n_vars; i++) {
    struct ptx_var *v = m->vars[i];
    struct symbol s = {v->name, part, v->line, var_rank(v), NULL, v};
    bool is_own = v->linkage == PTX_LINK_none || is_dynamic_shared(v);
    if (is_own ? !WEIR_PUSH(l->vars, v) : !WEIR_PUSH(l->symbols, s)) return false;
  }
  for (uint32_t i = 0; i < m->n_aliases; i++)
    if (!WEIR_PUSH(l->aliases, m->aliases[i])) return false;
  return true;
}

static int by_name(const void *a, const void *b) {
  const struct symbol *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order != 0 ? order : (x->part > y->part) - (x->part < y->part);
}

/* ---- one name ---- */

static const char *place(const struct linker *l, const struct symbol *s, char *buf, size_t len) {
  snprintf(buf, len, "%s:%u", l->modules[s->part]->path, s->line);
  return buf;
}

static enum weir_status clash(struct linker *l, const struct symbol *a, const struct symbol *b,
                              const char *what) {
  char x[300], y[300];
  return weir_fail(l->err, WEIR_EPARSE, "'%s' %s: %s and %s", a->name, what,
                   place(l, a, x, sizeof x), place(l, b, y, sizeof y));
}

/* The definition among n symbols of one name; NULL: none. */
static enum weir_status choose(struct linker *l, const struct symbol *s, size_t n,
                               const struct symbol **out) {
  const struct symbol *best = NULL;
  for (size_t i = 0; i < n; i++) {
    if (s[i].rank == DECLARED) continue;
    if (best != NULL && best->rank == STRONG && s[i].rank == STRONG)
      return clash(l, best, &s[i], "is defined twice");
    bool is_larger = best != NULL && best->rank == COMMON && s[i].rank == COMMON &&
                     s[i].var->bytes > best->var->bytes;
    if (best == NULL || s[i].rank > best->rank || is_larger) best = &s[i];
  }
  *out = best;
  return WEIR_OK;
}

static bool same_params(const struct ptx_var *a, const struct ptx_var *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (a[i].bytes != b[i].bytes || (a[i].space == PTX_SPACE_reg) != (b[i].space == PTX_SPACE_reg))
      return false;
  return true;
}

static bool agrees(const struct symbol *def, const struct symbol *s) {
  if ((def->func != NULL) != (s->func != NULL)) return false;
  if (def->func == NULL)
    return def->var->space == s->var->space &&
           (s->rank != DECLARED || s->var->bytes == 0 || s->var->bytes == def->var->bytes);
  const struct ptx_func *f = def->func, *g = s->func;
  return f->is_entry == g->is_entry && f->n_params == g->n_params && f->n_rets == g->n_rets &&
         same_params(f->params, g->params, f->n_params) && same_params(f->rets, g->rets, f->n_rets);
}

static bool keep(struct linker *l, const struct symbol *s) {
  return s->func != NULL ? WEIR_PUSH(l->funcs, s->func) : WEIR_PUSH(l->vars, s->var);
}

/* A symbol stands for another one's definition. */
static bool redirect(struct linker *l, const struct symbol *s, const struct symbol *def) {
  if (s->func != NULL) {
    struct ptx_alias a = {s->func, def->func};
    return WEIR_PUSH(l->aliases, a);
  }
  struct ptx_var_link v = {s->var, def->var};
  return WEIR_PUSH(l->links, v);
}

/* ---- symbols that nothing defines ---- */

static bool names(const struct ptx_operand *o, const struct symbol *s) {
  if ((s->func != NULL && o->func == s->func) || (s->var != NULL && o->var == s->var)) return true;
  for (uint16_t i = 0; i < o->n_elem; i++)
    if (names(&o->elem[i], s)) return true;
  return false;
}

static bool inits_with(const struct ptx_var *v, const struct symbol *s) {
  for (uint32_t i = 0; i < v->n_relocs; i++)
    if ((s->func != NULL && v->relocs[i].func == s->func) ||
        (s->var != NULL && v->relocs[i].var == s->var))
      return true;
  return false;
}

static bool is_used(const struct linker *l, const struct symbol *s) {
  const struct ptx_module *m = l->modules[s->part];
  for (uint32_t i = 0; i < m->n_vars; i++)
    if (inits_with(m->vars[i], s)) return true;
  for (uint32_t f = 0; f < m->n_funcs; f++) {
    const struct ptx_func *fn = m->funcs[f];
    for (uint32_t i = 0; i < fn->n_vars; i++)
      if (inits_with(fn->vars[i], s)) return true;
    for (uint32_t i = 0; i < fn->n_insns; i++)
      for (unsigned k = 0; k < fn->insns[i].n_opnds; k++)
        if (names(&fn->insns[i].opnds[k], s)) return true;
    for (uint32_t i = 0; i < fn->n_tables; i++)
      for (uint32_t k = 0; fn->tables[i]->funcs != NULL && k < fn->tables[i]->n; k++)
        if (s->func != NULL && fn->tables[i]->funcs[k] == s->func) return true;
  }
  return false;
}

static bool undefined(struct linker *l, const struct symbol *s, size_t n) {
  for (size_t i = 0; i < n; i++) {
    bool is_builtin = s[i].func != NULL && ptx_builtin_find(s[i].func) != PTX_B_NONE;
    if (is_builtin ? !keep(l, &s[i]) : is_used(l, &s[i]) && !WEIR_PUSH(l->missing, &s[i]))
      return false;
  }
  return true;
}

static enum weir_status report_missing(const struct linker *l) {
  enum { SHOWN = 16 };
  uint32_t n = (uint32_t)l->missing.n;
  char at[300];
  weir_fail(l->err, WEIR_EPARSE, "%u symbol%s declared .extern, and no module defines %s", n,
            n == 1 ? " is" : "s are", n == 1 ? "it" : "them");
  for (uint32_t i = 0; i < n && i < SHOWN; i++)
    weir_err_add(l->err, "%s (%s)", l->missing.v[i]->name,
                 place(l, l->missing.v[i], at, sizeof at));
  if (n > SHOWN) weir_err_add(l->err, "and %u more", n - SHOWN);
  return WEIR_EPARSE;
}

static enum weir_status resolve(struct linker *l, const struct symbol *s, size_t n) {
  const struct symbol *def = NULL;
  enum weir_status st = choose(l, s, n, &def);
  if (st != WEIR_OK) return st;
  if (def == NULL) return undefined(l, s, n) ? WEIR_OK : no_memory(l);
  if (!keep(l, def)) return no_memory(l);
  for (size_t i = 0; i < n; i++) {
    if (&s[i] == def) continue;
    if (!agrees(def, &s[i]))
      return clash(l, def, &s[i],
                   def->func == NULL || s[i].func == NULL
                       ? "has not the same space and size everywhere"
                       : "has not the same parameters everywhere");
    if (!redirect(l, &s[i], def)) return no_memory(l);
  }
  return WEIR_OK;
}

static enum weir_status resolve_all(struct linker *l) {
  for (uint32_t i = 0; i < l->n; i++)
    if (!add_symbols(l, i)) return no_memory(l);
  if (l->symbols.n > 0) qsort(l->symbols.v, l->symbols.n, sizeof *l->symbols.v, by_name);
  for (size_t i = 0, n; i < l->symbols.n; i += n) {
    for (n = 1; i + n < l->symbols.n; n++)
      if (strcmp(l->symbols.v[i].name, l->symbols.v[i + n].name) != 0) break;
    enum weir_status st = resolve(l, &l->symbols.v[i], n);
    if (st != WEIR_OK) return st;
  }
  return l->missing.n == 0 ? WEIR_OK : report_missing(l);
}

/* ---- the result ---- */

static int by_var(const void *a, const void *b) {
  uintptr_t x = (uintptr_t)((const struct ptx_var_link *)a)->var,
            y = (uintptr_t)((const struct ptx_var_link *)b)->var;
  return (x > y) - (x < y);
}

static bool number_files(struct linker *l) {
  struct ptx_module *m = l->m;
  uint32_t n = 0, base = 0;
  for (uint32_t i = 0; i < l->n; i++)
    n += l->modules[i]->n_files;
  struct ptx_file *files = weir_arena_array(&m->arena, n + 1u, sizeof *files);
  struct ptx_part *parts = weir_arena_array(&m->arena, l->n + 1u, sizeof *parts);
  if (files == NULL || parts == NULL) return false;
  for (uint32_t i = 0; i < l->n; i++) {
    const struct ptx_module *part = l->modules[i];
    uint32_t end = base;
    parts[i] = (struct ptx_part){part, base};
    for (uint32_t k = 0; k < part->n_files; k++) {
      struct ptx_file *f = &files[m->n_files++];
      *f = part->files[k];
      f->index += base;
      if (f->index >= end) end = f->index + 1;
    }
    base = end;
  }
  m->files = files;
  m->parts = parts;
  m->n_parts = l->n;
  return true;
}

#define KEEP(dst, n_dst, vec)                                                                      \
  do {                                                                                             \
    (dst) = weir_arena_array(&m->arena, (vec).n + 1, sizeof *(vec).v);                             \
    if ((dst) == NULL) return false;                                                               \
    if ((vec).n > 0) memcpy((dst), (vec).v, (vec).n * sizeof *(vec).v);                            \
    (n_dst) = (uint32_t)(vec).n;                                                                   \
  } while (0)

static bool fill(struct linker *l) {
  struct ptx_module *m = l->m;
  const struct ptx_module *first = l->modules[0];
  m->path = l->n == 1 ? first->path
                      : weir_arena_printf(&m->arena, "%s and %u more", first->path, l->n - 1);
  m->source = "";
  m->version_major = first->version_major;
  m->version_minor = first->version_minor;
  m->target = first->target;
  m->sm = first->sm;
  m->address_bits = first->address_bits;
  KEEP(m->funcs, m->n_funcs, l->funcs);
  KEEP(m->vars, m->n_vars, l->vars);
  KEEP(m->aliases, m->n_aliases, l->aliases);
  struct ptx_var_link *links;
  KEEP(links, m->n_var_links, l->links);
  qsort(links, m->n_var_links, sizeof *links, by_var);
  m->var_links = links;
  return m->path != NULL && number_files(l) && ptx_list_unsupported(m);
}

static struct ptx_module *empty_module(void) {
  struct weir_arena arena = {0};
  struct ptx_module *m = weir_arena_alloc(&arena, sizeof *m);
  if (m != NULL) m->arena = arena;
  return m;
}

enum weir_status ptx_link(const struct ptx_module *const *modules, uint32_t n,
                          struct ptx_module **out, struct weir_err *err) {
  *out = NULL;
  if (n == 0) return weir_fail(err, WEIR_EINVAL, "there are no modules to link");
  struct linker l = {.modules = modules, .n = n, .m = empty_module(), .err = err};
  enum weir_status st = l.m != NULL ? resolve_all(&l) : no_memory(&l);
  if (st == WEIR_OK && !fill(&l)) st = no_memory(&l);
  void *all[] = {l.symbols.v, l.funcs.v, l.vars.v, l.aliases.v, l.links.v, l.missing.v};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
  if (st != WEIR_OK) {
    ptx_module_free(l.m);
    return st;
  }
  *out = l.m;
  return WEIR_OK;
}
