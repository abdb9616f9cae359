/* Parameter values in layers. */
#include "base/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "base/text.h"

const char *const weir_evidence_names[WEIR_N_EVIDENCES] = {WEIR_EVIDENCES(WEIR_CHOICE_NAME)};

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory for the settings");
}

enum weir_status weir_settings_init(struct weir_settings *s,
                                    const struct weir_param_group *const *groups,
                                    struct weir_err *err) {
  *s = (struct weir_settings){0};
  size_t n = 0;
  for (size_t g = 0; groups[g]; g++)
    n += weir_param_count(groups[g]->table);
  s->v = weir_arena_array(&s->arena, n, sizeof *s->v);
  if (!s->v) return no_memory(err);
  for (size_t g = 0; groups[g]; g++) {
    for (const struct weir_param *p = groups[g]->table; p->name; p++) {
      s->v[s->n++] = (struct weir_setting){.group = groups[g], .param = p, .text = p->def};
    }
  }
  return WEIR_OK;
}

void weir_settings_free(struct weir_settings *s) {
  weir_arena_free(&s->arena);
  *s = (struct weir_settings){0};
}

enum weir_status weir_settings_copy(struct weir_settings *s, const struct weir_settings *of,
                                    struct weir_err *err) {
  *s = (struct weir_settings){.n = of->n, .n_sources = of->n_sources};
  s->v = weir_arena_array(&s->arena, of->n, sizeof *s->v);
  if (!s->v) return no_memory(err);
  memcpy(s->v, of->v, of->n * sizeof *s->v);
  return WEIR_OK;
}

/* Whether `path` is "prefix.name". */
static bool matches(const struct weir_setting *v, const char *path) {
  size_t n = strlen(v->group->prefix);
  return !strncmp(path, v->group->prefix, n) && path[n] == '.' &&
         !strcmp(path + n + 1, v->param->name);
}

static struct weir_setting *find(const struct weir_settings *s, const char *path) {
  for (size_t i = 0; i < s->n; i++) {
    if (matches(&s->v[i], path)) return &s->v[i];
  }
  return NULL;
}

const struct weir_setting *weir_settings_find(const struct weir_settings *s, const char *path) {
  return find(s, path);
}

enum weir_status weir_settings_unknown(const struct weir_settings *s, const char *path,
                                       const struct weir_where *where, struct weir_err *err) {
  struct weir_arena scratch = {0};
  const char **names = weir_arena_array(&scratch, s->n, sizeof *names);
  size_t n = 0;
  for (size_t i = 0; names && i < s->n; i++) {
    const struct weir_setting *v = &s->v[i];
    names[i] = weir_arena_printf(&scratch, "%s.%s", v->group->prefix, v->param->name);
    if (!names[i]) break;
    n++;
  }
  weir_fail_at(err, WEIR_ENOENT, where, "there is no parameter '%.200s'", path);
  const char *near = n ? weir_nearest(path, names, n) : NULL;
  /* A name without its prefix is worth more than a near miss. */
  for (size_t i = 0; i < n; i++) {
    if (!strcmp(path, s->v[i].param->name)) near = names[i];
  }
  if (near) {
    weir_err_add(err, "did you mean '%s'?", near);
  } else {
    weir_err_add(err, "'weir list params' shows all");
  }
  weir_arena_free(&scratch);
  return WEIR_ENOENT;
}

static enum weir_status check_value(const struct weir_setting *v, const char *path,
                                    const char *text, const struct weir_where *where,
                                    struct weir_err *err) {
  void *cfg = weir_calloc(1, v->group->cfg_bytes);
  if (!cfg) return no_memory(err);
  /* The message shall name the whole path, so the row is checked under that name. */
  struct weir_param row[2] = {*v->param, WEIR_PARAM_END};
  row[0].name = path;
  enum weir_status status = weir_param_set(row, cfg, path, text, where, err);
  free(cfg);
  return status;
}

enum weir_status weir_settings_set(struct weir_settings *s, enum weir_layer layer, const char *path,
                                   const char *text, const struct weir_where *where,
                                   struct weir_err *err) {
  struct weir_setting *v = find(s, path);
  if (!v) return weir_settings_unknown(s, path, where, err);
  enum weir_status status = check_value(v, path, text, where, err);
  if (status || layer < v->layer) return status;
  const char *copy = weir_arena_strndup(&s->arena, text, strlen(text));
  const char *file =
      where && where->file ? weir_arena_strndup(&s->arena, where->file, strlen(where->file)) : NULL;
  if (!copy || (where && where->file && !file)) return no_memory(err);
  v->text = copy;
  v->layer = layer;
  v->source = s->n_sources;
  v->derived = NULL;
  v->kind = WEIR_BY_NOBODY;
  v->document = NULL;
  v->where = (struct weir_where){.file = file};
  if (where) {
    v->where.line = where->line;
    v->where.col = where->col;
  }
  return WEIR_OK;
}

enum weir_status weir_settings_assign(struct weir_settings *s, const char *assignment,
                                      struct weir_err *err) {
  const char *equals = strchr(assignment, '=');
  if (!equals || equals == assignment) {
    return weir_fail(err, WEIR_EINVAL, "'%.200s' is not of the form KEY=VALUE", assignment);
  }
  size_t n = (size_t)(equals - assignment);
  char *path = weir_malloc(n + 1);
  if (!path) return no_memory(err);
  memcpy(path, assignment, n);
  path[n] = '\0';
  static const struct weir_where where = {.file = "--set"};
  enum weir_status status = weir_settings_set(s, WEIR_LAYER_SET, path, equals + 1, &where, err);
  free(path);
  return status;
}

/* Whether some group's prefix is `path` or lies below it. */
static bool leads_to_group(const struct weir_settings *s, const char *path) {
  size_t n = strlen(path);
  for (size_t i = 0; i < s->n; i++) {
    const char *prefix = s->v[i].group->prefix;
    if (!strncmp(prefix, path, n) && (!prefix[n] || prefix[n] == '.')) return true;
  }
  return false;
}

/* The reader sees to keys that are the same; "l1: {size: 1}" and "l1.size: 2" are not. */
static enum weir_status said_twice(const struct weir_config *c, uint32_t i,
                                   const struct weir_setting *first, struct weir_err *err) {
  struct weir_where where = weir_config_key_where(c, i);
  return weir_fail_at(err, WEIR_EPARSE, &where, "%s.%s is set twice; first on line %u",
                      first->group->prefix, first->param->name, first->where.line);
}

enum weir_status weir_settings_config(struct weir_settings *s, enum weir_layer layer,
                                      struct weir_config *c, uint32_t top, struct weir_err *err) {
  struct weir_documents none = {0};
  return weir_settings_documented(s, layer, c, top, &none, err);
}

enum weir_evidence weir_evidence_find(const char *name) {
  for (unsigned k = WEIR_BY_NOBODY + 1; k < WEIR_N_EVIDENCES; k++)
    if (!strcmp(weir_evidence_names[k], name)) return k;
  return WEIR_BY_NOBODY;
}

enum weir_status weir_evidences_known(const char *name, struct weir_err *err) {
  struct weir_text list = {0};
  const char *near = weir_nearest(name, weir_evidence_names + 1, WEIR_N_EVIDENCES - 1);
  for (unsigned k = WEIR_BY_NOBODY + 1; k < WEIR_N_EVIDENCES; k++)
    weir_text_printf(&list, "%s%s", k > 1 ? ", " : "", weir_evidence_names[k]);
  if (near) weir_err_add(err, "did you mean '%s'?", near);
  if (list.v && !list.failed) weir_err_add(err, "there are %s", list.v);
  weir_text_free(&list);
  return WEIR_ENOENT;
}

/* The kind that a value's tag names, which the file must explain. */
static enum weir_status find_kind(const struct weir_config *c, uint32_t i,
                                  struct weir_documents *docs, enum weir_evidence *kind,
                                  struct weir_err *err) {
  const char *tag = c->entry[i].tag;
  *kind = tag ? weir_evidence_find(tag) : WEIR_BY_NOBODY;
  if (!tag) return WEIR_OK;
  if (*kind == WEIR_BY_NOBODY) {
    weir_config_fail(c, i, WEIR_ENOENT, err, "there is no kind of source '!%s'", tag);
    return weir_evidences_known(tag, err);
  }
  if (!docs->text[*kind]) {
    weir_config_fail(c, i, WEIR_EINVAL, err, "nothing says what '!%s' is in this file", tag);
    weir_err_add(err, "remedy: 'sources: {%s: WHICH}' at the top of it", tag);
    return WEIR_EINVAL;
  }
  docs->is_used[*kind] = true;
  return WEIR_OK;
}

enum weir_status weir_settings_documented(struct weir_settings *s, enum weir_layer layer,
                                          struct weir_config *c, uint32_t top,
                                          struct weir_documents *docs, struct weir_err *err) {
  char path[WEIR_CONFIG_PATH], base[WEIR_CONFIG_PATH];
  size_t skip = strlen(weir_config_path(c, top, base, sizeof base));
  if (skip) skip++;
  s->n_sources++;
  for (uint32_t i = top + 1; i < c->entry[top].end; i++) {
    struct weir_entry *e = &c->entry[i];
    e->used = true;
    weir_config_path(c, i, path, sizeof path);
    if (e->kind == WEIR_MAP) {
      /* A misspelt map shows in its values; an empty one has none. */
      if (e->end > i + 1 || leads_to_group(s, path + skip)) continue;
      struct weir_where key = weir_config_key_where(c, i);
      return weir_settings_unknown(s, path + skip, &key, err);
    }
    enum weir_status status = weir_config_want(c, i, WEIR_SCALAR, err);
    if (status) return status;
    const struct weir_setting *v = find(s, path + skip);
    struct weir_where where = v ? weir_config_where(c, i) : weir_config_key_where(c, i);
    if (v && v->layer == layer && v->source == s->n_sources) return said_twice(c, i, v, err);
    enum weir_evidence kind;
    status = find_kind(c, i, docs, &kind, err);
    if (!status) status = weir_settings_set(s, layer, path + skip, e->text, &where, err);
    if (status) return status;
    struct weir_setting *set = find(s, path + skip);
    if (set->layer != layer) continue; /* a higher one holds */
    set->kind = kind;
    set->document = docs->text[kind];
  }
  return WEIR_OK;
}

enum weir_status weir_settings_fill(const struct weir_settings *s,
                                    const struct weir_param_group *group, void *cfg,
                                    struct weir_err *err) {
  weir_param_defaults(group->table, cfg);
  for (size_t i = 0; i < s->n; i++) {
    const struct weir_setting *v = &s->v[i];
    if (v->group != group) continue;
    enum weir_status status = weir_param_set(group->table, cfg, v->param->name, v->text, NULL, err);
    if (status) return status;
  }
  return WEIR_OK;
}

int weir_setting_order(const struct weir_setting *a, const struct weir_setting *b) {
  bool has_files = a->layer == WEIR_LAYER_FILE || a->layer == WEIR_LAYER_USER;
  if (a->layer != b->layer) return a->layer < b->layer ? -1 : 1;
  if (!has_files || a->source == b->source) return 0;
  return a->source < b->source ? -1 : 1;
}

bool weir_setting_is_users(const struct weir_setting *v) {
  return !v->derived && (v->layer == WEIR_LAYER_USER || v->layer == WEIR_LAYER_SET);
}

enum weir_status weir_settings_derive(struct weir_settings *s, const char *path, const char *text,
                                      const char *from, struct weir_err *err) {
  struct weir_setting *v = find(s, path);
  if (!v) return weir_settings_unknown(s, path, NULL, err);
  const char *copy = weir_arena_strndup(&s->arena, text, strlen(text));
  const char *why = weir_arena_strndup(&s->arena, from, strlen(from));
  if (!copy || !why) return no_memory(err);
  v->text = copy;
  v->derived = why;
  return WEIR_OK;
}

const char *weir_setting_origin(const struct weir_setting *v, char *buf, size_t len) {
  if (v->derived) {
    snprintf(buf, len, "follows from %s", v->derived);
  } else if (v->layer == WEIR_LAYER_DEFAULT) {
    snprintf(buf, len, "default");
  } else if (v->where.line) {
    snprintf(buf, len, "%s:%u:%u", v->where.file ? v->where.file : "?", v->where.line,
             v->where.col);
  } else {
    snprintf(buf, len, "%s", v->where.file ? v->where.file : "--set");
  }
  return buf;
}

bool weir_setting_is_off(const struct weir_setting *v) {
  return v->derived == NULL && v->layer == WEIR_LAYER_DEFAULT && v->param->source != NULL &&
         strcmp(v->param->source, "off") == 0;
}

enum weir_evidence weir_setting_evidence(const struct weir_setting *v) {
  char word[16];
  if (v->derived) return WEIR_BY_DERIVED;
  if (v->layer != WEIR_LAYER_DEFAULT || !v->param->source) return v->kind;
  snprintf(word, sizeof word, "%.*s", (int)strcspn(v->param->source, " ,:;"), v->param->source);
  return weir_evidence_find(word);
}
