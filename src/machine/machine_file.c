#include "machine/machine_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

struct loader {
  weir_find_machine *find;
  void *self;
  struct weir_arena arena;
  struct weir_config file[WEIR_MAX_EXTENDS]; /* the first one is extended by nobody */
  char *real[WEIR_MAX_EXTENDS];              /* its path, without links */
  uint32_t machine[WEIR_MAX_EXTENDS];        /* the entry of that name, or 0 */
  uint32_t sources[WEIR_MAX_EXTENDS];        /* likewise */
  bool is_found[WEIR_MAX_EXTENDS];           /* by its name, not by its path */
  uint32_t n;
};

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* Only parameters have sources. */
static enum weir_status check_tags(const struct weir_config *c, uint32_t machine,
                                   struct weir_err *err) {
  for (uint32_t i = 1; i < c->n; i++) {
    if (i == machine) i = c->entry[i].end;
    if (i < c->n && c->entry[i].tag != NULL)
      return weir_config_fail(c, i, WEIR_EPARSE, err,
                              "a tag (!%s) is the source of a parameter below 'machine:'",
                              c->entry[i].tag);
  }
  return WEIR_OK;
}

/* Everything but the values: what is there is known, and something says what the machine is. */
static enum weir_status check_form(struct loader *l, uint32_t at, uint32_t *extends,
                                   struct weir_err *err) {
  static const char *const keys[] = {"weir", "about", "extends", "sources", "machine"};
  struct weir_config *c = &l->file[at];
  uint32_t version, about, *machine = &l->machine[at];
  int64_t number;
  enum weir_status st = weir_config_only(c, 0, keys, sizeof keys / sizeof *keys, err);
  if (st != WEIR_OK) {
    weir_err_add(err, "the parameters of a machine stand below 'machine:'");
    return st;
  }
  st = weir_config_child(c, 0, "weir", WEIR_SCALAR, true, &version, err);
  if (st == WEIR_OK) st = weir_config_int(c, version, 1, 1, &number, err);
  if (st == WEIR_OK) st = weir_config_child(c, 0, "about", WEIR_SCALAR, false, &about, err);
  if (st == WEIR_OK) st = weir_config_child(c, 0, "extends", WEIR_SCALAR, false, extends, err);
  if (st == WEIR_OK) st = weir_config_child(c, 0, "sources", WEIR_MAP, false, &l->sources[at], err);
  if (st == WEIR_OK) st = weir_config_child(c, 0, "machine", WEIR_MAP, false, machine, err);
  if (st == WEIR_OK) st = check_tags(c, *machine, err);
  if (st != WEIR_OK || *extends != 0 || *machine != 0) return st;
  weir_fail(err, WEIR_EPARSE, "%s: neither 'machine:' nor 'extends:' in this file", c->file);
  weir_err_add(err,
               "'machine:' holds the parameters, 'extends: NAME' begins with those of another");
  return WEIR_EPARSE;
}

static bool ends_with(const char *s, const char *suffix) {
  size_t n = strlen(s), m = strlen(suffix);
  return n > m && strcmp(s + n - m, suffix) == 0;
}

static enum weir_status find_base(struct loader *l, const struct weir_config *c, uint32_t extends,
                                  const char **path, struct weir_err *err) {
  const char *name = c->entry[extends].text;
  struct weir_err why;
  if (ends_with(name, ".yaml")) {
    *path = weir_file_beside(&l->arena, c->file, name);
    return *path != NULL ? WEIR_OK : no_memory(err);
  }
  enum weir_status st = l->find(l->self, &l->arena, name, path, &why);
  return st == WEIR_OK ? st : weir_config_fail(c, extends, st, err, "%s", why.msg);
}

/* `by`: the entry of the last file that names this one. */
static enum weir_status check_new(struct loader *l, uint32_t by, const char *path,
                                  struct weir_err *err) {
  const struct weir_config *c = l->n > 0 ? &l->file[l->n - 1] : NULL;
  /* One that cannot be found is said to be so when it is read. */
  char *real = realpath(path, NULL);
  for (uint32_t i = 0; real != NULL && i < l->n; i++) {
    if (l->real[i] == NULL || strcmp(l->real[i], real) != 0) continue;
    free(real);
    weir_config_fail(c, by, WEIR_EINVAL, err, "%s extends itself", l->file[i].file);
    for (uint32_t k = i + 1; k < l->n; k++)
      weir_err_add(err, "by way of %s", l->file[k].file);
    return WEIR_EINVAL;
  }
  if (l->n == WEIR_MAX_EXTENDS) {
    free(real);
    return weir_config_fail(c, by, WEIR_ELIMIT, err, "more than %d files, each extending the next",
                            WEIR_MAX_EXTENDS);
  }
  l->real[l->n] = real;
  return WEIR_OK;
}

static enum weir_status read_one(struct loader *l, uint32_t by, const char *path, uint32_t *extends,
                                 struct weir_err *err) {
  enum weir_status st = check_new(l, by, path, err);
  if (st != WEIR_OK) return st;
  st = weir_config_load_tagged(&l->file[l->n], path, err);
  if (st != WEIR_OK && by != 0) weir_err_add(err, "extended by %s", l->file[l->n - 1].file);
  if (st != WEIR_OK) {
    free(l->real[l->n]);
    return st;
  }
  uint32_t i = l->n++;
  l->is_found[i] = by != 0 && !ends_with(l->file[i - 1].entry[by].text, ".yaml");
  return check_form(l, i, extends, err);
}

/* From the file to the last that it is built upon. */
static enum weir_status read_all(struct loader *l, const char *path, struct weir_err *err) {
  uint32_t extends = 0;
  enum weir_status st = WEIR_OK;
  do {
    uint32_t by = extends;
    if (by != 0) st = find_base(l, &l->file[l->n - 1], by, &path, err);
    if (st == WEIR_OK) st = read_one(l, by, path, &extends, err);
  } while (st == WEIR_OK && extends != 0);
  return st;
}

static void free_all(struct loader *l) {
  while (l->n > 0) {
    weir_config_free(&l->file[--l->n]);
    free(l->real[l->n]);
  }
  weir_arena_free(&l->arena);
}

/* "sources:" of a file: a text for each kind. */
static enum weir_status read_sources(struct weir_config *c, uint32_t top, struct weir_settings *s,
                                     struct weir_documents *docs, struct weir_err *err) {
  for (uint32_t i = top != 0 ? weir_config_first(c, top) : 0; i != 0; i = weir_config_next(c, i)) {
    const struct weir_entry *e = &c->entry[i];
    enum weir_evidence kind = weir_evidence_find(e->key);
    struct weir_where key = weir_config_key_where(c, i);
    if (kind == WEIR_BY_NOBODY) {
      weir_fail_at(err, WEIR_ENOENT, &key, "there is no kind of source '%s'", e->key);
      return weir_evidences_known(e->key, err);
    }
    enum weir_status st = weir_config_want(c, i, WEIR_SCALAR, err);
    if (st != WEIR_OK) return st;
    if (e->text[0] == '\0')
      return weir_config_fail(c, i, WEIR_EINVAL, err, "which document, table or command?");
    docs->text[kind] = weir_arena_strndup(&s->arena, e->text, strlen(e->text));
    if (docs->text[kind] == NULL) return no_memory(err);
  }
  return WEIR_OK;
}

static enum weir_status all_used(struct weir_config *c, uint32_t top,
                                 const struct weir_documents *docs, struct weir_err *err) {
  for (uint32_t i = top != 0 ? weir_config_first(c, top) : 0; i != 0; i = weir_config_next(c, i)) {
    struct weir_where key = weir_config_key_where(c, i);
    if (docs->is_used[weir_evidence_find(c->entry[i].key)]) continue;
    return weir_fail_at(err, WEIR_EINVAL, &key, "no parameter of this file has the source '!%s'",
                        c->entry[i].key);
  }
  return WEIR_OK;
}

static enum weir_status take_values(struct loader *l, uint32_t at, struct weir_settings *s,
                                    struct weir_err *err) {
  struct weir_documents docs = {0};
  struct weir_config *c = &l->file[at];
  enum weir_status st = read_sources(c, l->sources[at], s, &docs, err);
  if (st == WEIR_OK && l->machine[at] != 0)
    st = weir_settings_documented(s, WEIR_LAYER_FILE, c, l->machine[at], &docs, err);
  return st == WEIR_OK ? all_used(c, l->sources[at], &docs, err) : st;
}

enum weir_status weir_machine_load(struct weir_settings *s, const char *path,
                                   weir_find_machine *find, void *self, struct weir_err *err) {
  struct loader l = {.find = find, .self = self};
  enum weir_status st = read_all(&l, path, err);
  for (uint32_t i = l.n; st == WEIR_OK && i-- > 0;)
    st = take_values(&l, i, s, err);
  free_all(&l);
  return st;
}

enum weir_status weir_machine_files(const char *path, weir_find_machine *find, void *self,
                                    struct weir_arena *a, const char *names[WEIR_MAX_EXTENDS],
                                    uint32_t *n, struct weir_err *err) {
  struct loader l = {.find = find, .self = self};
  enum weir_status st = read_all(&l, path, err);
  for (*n = 0; st == WEIR_OK && *n < l.n && !l.is_found[*n]; ++*n) {
    const char *name = l.file[*n].file;
    names[*n] = weir_arena_strndup(a, name, strlen(name));
    if (names[*n] == NULL) st = no_memory(err);
  }
  free_all(&l);
  return st;
}
