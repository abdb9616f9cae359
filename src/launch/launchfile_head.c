/* The head of a launch file: what it is, which input and which build of its kernels are meant. */
#include <inttypes.h>
#include <string.h>

#include "base/suggest.h"
#include "launch/launchfile_load.h"

/* ---- what it is ---- */

static enum weir_status read_set_names(struct loader *l) {
  const char **names;
  uint32_t list, n = 0;
  TRY(weir_config_child(l->c, 0, "sets", WEIR_SEQ, false, &list, l->err));
  if (!list) return WEIR_OK;
  TRY(weir_lf_limit_count(l, list, WEIR_LF_SETS, "sets"));
  NEW(names, weir_config_count(l->c, list));
  for (uint32_t i = weir_config_first(l->c, list); i; i = weir_config_next(l->c, i)) {
    TRY(weir_config_want(l->c, i, WEIR_SCALAR, l->err));
    if (!weir_expr_is_name(entry(l, i)->text) || strcmp(entry(l, i)->text, "all") == 0)
      return weir_config_fail(l->c, i, WEIR_EINVAL, l->err, "'%.60s' cannot name a set",
                              entry(l, i)->text);
    names[n++] = entry(l, i)->text;
  }
  l->lf->sets = names;
  l->lf->n_sets = n;
  return WEIR_OK;
}

static enum weir_status read_papers(struct loader *l, uint32_t origin) {
  struct weir_lf_paper *v;
  uint32_t map, n = 0;
  TRY(weir_config_child(l->c, origin, "papers", WEIR_MAP, false, &map, l->err));
  if (!map) return WEIR_OK;
  NEW(v, weir_config_count(l->c, map));
  for (uint32_t i = weir_config_first(l->c, map); i; i = weir_config_next(l->c, i)) {
    TRY(weir_config_want(l->c, i, WEIR_SCALAR, l->err));
    v[n++] = (struct weir_lf_paper){.set = entry(l, i)->key, .name = entry(l, i)->text};
  }
  l->lf->origin.papers = v;
  l->lf->origin.n_papers = n;
  return WEIR_OK;
}

static enum weir_status read_origin(struct loader *l) {
  struct weir_lf_origin *o = &l->lf->origin;
  const struct {
    const char *key, **text;
    bool is_needed;
  } field[] = {{"program", &o->program, true},   {"kernels", &o->kernels, true},
               {"launches", &o->launches, true}, {"block", &o->block, true},
               {"shared", &o->shared, true},     {"size", &o->size, true},
               {"lost", &o->lost, true},         {"loads", &o->loads, false},
               {"sketch", &o->sketch, false}};
  const char *keys[COUNT(field) + 1] = {"papers"};
  uint32_t map, i;
  TRY(weir_config_child(l->c, 0, "origin", WEIR_MAP, false, &map, l->err));
  if (!map) return WEIR_OK;
  for (size_t k = 0; k < COUNT(field); k++)
    keys[k + 1] = field[k].key;
  TRY(weir_config_only(l->c, map, keys, COUNT(keys), l->err));
  for (size_t k = 0; k < COUNT(field); k++) {
    TRY(weir_config_child(l->c, map, field[k].key, WEIR_SCALAR, field[k].is_needed, &i, l->err));
    if (i) *field[k].text = entry(l, i)->text;
  }
  return read_papers(l, map);
}

enum weir_status weir_lf_head(struct loader *l) {
  static const char *const keys[] = {"weir",   "name",   "about",    "modules",  "builds",
                                     "inputs", "vars",   "buffers",  "textures", "surfaces",
                                     "sets",   "origin", "launches", "expect",   "link"};
  struct weir_launchfile *lf = l->lf;
  uint32_t i;
  TRY(weir_config_only(l->c, 0, keys, COUNT(keys), l->err));
  TRY(weir_config_child(l->c, 0, "weir", WEIR_SCALAR, true, &i, l->err));
  if (strcmp(entry(l, i)->text, "1") != 0)
    return weir_config_fail(l->c, i, WEIR_EINVAL, l->err,
                            "version '%.20s' of launch files is not known; this program reads 1",
                            entry(l, i)->text);
  TRY(weir_config_child(l->c, 0, "about", WEIR_SCALAR, false, &i, l->err));
  lf->about = i ? entry(l, i)->text : "";
  TRY(read_set_names(l));
  TRY(read_origin(l));
  TRY(weir_config_child(l->c, 0, "name", WEIR_SCALAR, false, &i, l->err));
  if (i) {
    lf->name = entry(l, i)->text;
    return WEIR_OK;
  }
  const char *slash = strrchr(lf->path, '/'), *base = slash ? slash + 1 : lf->path;
  const char *dot = strrchr(base, '.');
  lf->name = weir_arena_strndup(l->arena, base, dot ? (size_t)(dot - base) : strlen(base));
  return lf->name ? WEIR_OK : weir_lf_no_memory(l);
}

/* ---- the input and the build ---- */

/* Names under `key`, and the entry of the one that is wanted (`len` bytes; 0: the first). */
static enum weir_status choose(struct loader *l, const char *key, const char *what, uint32_t limit,
                               const char *wanted, size_t len, const char *const **all, uint32_t *n,
                               uint32_t *chosen) {
  const char **names;
  uint32_t map, k = 0;
  *chosen = 0;
  TRY(weir_config_child(l->c, 0, key, WEIR_MAP, false, &map, l->err));
  *n = map ? weir_config_count(l->c, map) : 0;
  if (map && *n == 0)
    return weir_config_fail(l->c, map, WEIR_EINVAL, l->err, "no %s is defined; write NAME: {..}",
                            what);
  if (map) TRY(weir_lf_limit_count(l, map, limit, key));
  NEW(names, *n);
  *all = names;
  for (uint32_t i = map ? weir_config_first(l->c, map) : 0; i; i = weir_config_next(l->c, i)) {
    TRY(weir_config_want(l->c, i, WEIR_MAP, l->err));
    const char *name = names[k++] = entry(l, i)->key;
    if (strchr(name, '@'))
      return weir_config_fail(l->c, i, WEIR_EINVAL, l->err,
                              "a name has no '@' here: it would choose a build");
    if (!*chosen && (len == 0 || (strlen(name) == len && strncmp(name, wanted, len) == 0)))
      *chosen = i;
  }
  if (*chosen || len == 0) return WEIR_OK;
  const char *text = weir_arena_strndup(l->arena, wanted, len);
  if (text == NULL) return weir_lf_no_memory(l);
  weir_fail(l->err, WEIR_ENOENT, "%s: there is no %s '%.60s'", l->c->file, what, text);
  const char *near = weir_nearest(text, names, *n);
  if (near)
    weir_err_add(l->err, "did you mean '%s'?", near);
  else if (*n == 0)
    weir_err_add(l->err, "this file has no %s: run it without naming one", key);
  else
    weir_err_add(l->err, "the first %s is '%s'", what, names[0]);
  return WEIR_ENOENT;
}

enum weir_status weir_lf_choose(struct loader *l, const char *wanted, uint32_t *input) {
  struct weir_launchfile *lf = l->lf;
  const char *at = wanted ? strchr(wanted, '@') : NULL;
  size_t len = at ? (size_t)(at - wanted) : wanted ? strlen(wanted) : 0;
  if (wanted && (at ? at : wanted)[at != NULL] == 0) {
    weir_fail(l->err, WEIR_EINVAL, "'%.60s' names no %s", wanted, at ? "build" : "input");
    weir_err_add(l->err, "write INPUT, INPUT@BUILD, or @BUILD for the first input");
    return WEIR_EINVAL;
  }
  TRY(choose(l, "inputs", "input", WEIR_LF_INPUTS, wanted, len, &lf->inputs, &lf->n_inputs, input));
  TRY(choose(l, "builds", "build", WEIR_LF_BUILDS, at ? at + 1 : NULL, at ? strlen(at + 1) : 0,
             &lf->builds, &lf->n_builds, &l->build));
  lf->input_key = *input ? entry(l, *input)->key : "";
  lf->build = l->build ? entry(l, l->build)->key : "";
  bool is_first = lf->n_builds == 0 || strcmp(lf->build, lf->builds[0]) == 0;
  lf->input =
      is_first ? lf->input_key : weir_arena_printf(l->arena, "%s@%s", lf->input_key, lf->build);
  return lf->input ? WEIR_OK : weir_lf_no_memory(l);
}

bool weir_launchfile_has_input(const struct weir_launchfile *lf, const char *input) {
  for (uint32_t i = 0; i < lf->n_inputs; i++)
    if (strcmp(lf->inputs[i], input) == 0) return true;
  return false;
}

/* ---- its kernels ---- */

static enum weir_status module_list(struct loader *l, uint32_t *list) {
  static const char *const keys[] = {"modules", "registers"};
  uint32_t both = weir_config_find(l->c, 0, "modules");
  if (!l->build) return weir_config_child(l->c, 0, "modules", WEIR_SEQ, true, list, l->err);
  if (both)
    return weir_config_fail(l->c, both, WEIR_EINVAL, l->err,
                            "each build names its modules: leave 'modules' out here");
  TRY(weir_config_only(l->c, l->build, keys, COUNT(keys), l->err));
  TRY(weir_config_child(l->c, l->build, "registers", WEIR_MAP, false, &l->registers, l->err));
  return weir_config_child(l->c, l->build, "modules", WEIR_SEQ, true, list, l->err);
}

enum weir_status weir_lf_modules(struct loader *l) {
  const char **paths;
  struct weir_where *where;
  uint32_t list, k = 0;
  TRY(module_list(l, &list));
  TRY(weir_lf_limit_count(l, list, WEIR_LF_MODULES, "modules"));
  uint32_t n = weir_config_count(l->c, list);
  if (n == 0)
    return weir_config_fail(l->c, list, WEIR_EINVAL, l->err, "no module; write [FILE.ptx]");
  NEW(paths, n);
  NEW(where, n);
  for (uint32_t i = weir_config_first(l->c, list); i; i = weir_config_next(l->c, i), k++) {
    where[k] = weir_config_where(l->c, i);
    TRY(weir_lf_path(l, i, 0, &paths[k]));
  }
  l->lf->modules = paths;
  l->lf->module_where = where;
  l->lf->n_modules = n;
  return weir_lf_flag(l, 0, "link", &l->lf->link);
}

enum weir_status weir_lf_build_registers(struct loader *l, struct weir_lf_launch *v, uint32_t n) {
  for (uint32_t i = l->registers ? weir_config_first(l->c, l->registers) : 0; i;
       i = weir_config_next(l->c, i)) {
    const char *kernel = entry(l, i)->key;
    bool is_launched = false;
    int64_t count;
    TRY(weir_lf_int(l, i, 1, WEIR_LF_REGISTERS, &count));
    for (uint32_t k = 0; k < n; k++) {
      if (strcmp(v[k].kernel, kernel) != 0) continue;
      if (v[k].registers >= 0)
        return weir_fail_at(l->err, WEIR_EINVAL, &v[k].where,
                            "both this launch and the build give the registers of '%s'", kernel);
      is_launched = true;
    }
    for (uint32_t k = 0; k < n; k++)
      if (strcmp(v[k].kernel, kernel) == 0) v[k].registers = (int)count;
    if (!is_launched)
      return weir_config_fail(l->c, i, WEIR_ENOENT, l->err, "no launch has the kernel '%s'",
                              kernel);
  }
  return WEIR_OK;
}
