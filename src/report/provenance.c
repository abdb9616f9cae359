#include "report/provenance.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "study/input_hash.h"
#include "trace/wtrace.h"

/* ---- filling ---- */

void weir_provenance_init(struct weir_provenance *p, const char *version, const char *commit,
                          const char *command) {
  /* Keys stand in the order in which they come. */
  p->root = json_pack("{s:i, s:s, s:s, s:s, s:[], s:{}, s:[], s:[], s:[], s:[]}", "format",
                      WEIR_PROVENANCE_FORMAT, "weir", version, "commit", commit, "command", command,
                      "arguments", "settings", "machines", "schemes", "files", "inputs");
  p->failed = p->root == NULL;
}

void weir_provenance_free(struct weir_provenance *p) {
  json_decref(p->root);
  *p = (struct weir_provenance){0};
}

enum weir_status weir_provenance_check(const struct weir_provenance *p, struct weir_err *err) {
  return p->failed ? weir_fail(err, WEIR_ENOMEM, "out of memory") : WEIR_OK;
}

static void append(struct weir_provenance *p, const char *list, json_t *value) {
  if (json_array_append_new(json_object_get(p->root, list), value) != 0) p->failed = true;
}

static bool set(json_t *o, const char *key, const char *value) {
  return json_object_set_new(o, key, weir_json_text(value)) == 0;
}

void weir_provenance_argument(struct weir_provenance *p, const char *text) {
  if (p->root != NULL) append(p, "arguments", weir_json_text(text));
}

static const char *key_of(const struct weir_setting *v, char *key, size_t len) {
  snprintf(key, len, "%s.%s", v->group->prefix, v->param->name);
  return key;
}

/* What `s` has other than `base` (NULL: than the defaults). What follows from other values will
 * follow again. */
static bool differences(json_t *out, const struct weir_settings *s,
                        const struct weir_settings *base) {
  char key[256];
  bool ok = out != NULL;
  for (size_t i = 0; ok && i < s->n; i++) {
    const char *than = base != NULL ? base->v[i].text : s->v[i].param->def;
    if (s->v[i].derived == NULL && strcmp(s->v[i].text, than) != 0)
      ok = set(out, key_of(&s->v[i], key, sizeof key), s->v[i].text);
  }
  return ok;
}

void weir_provenance_settings(struct weir_provenance *p, const struct weir_settings *s,
                              const struct weir_settings *base) {
  if (p->root != NULL && !differences(json_object_get(p->root, "settings"), s, base))
    p->failed = true;
}

static json_t *named(const json_t *list, const char *name, const char *input) {
  json_t *wanted = weir_json_text(name), *o;
  const char *text = json_string_value(wanted);
  json_t *found = NULL;
  size_t i;
  json_array_foreach((json_t *)(uintptr_t)list, i, o) {
    const char *is = json_string_value(json_object_get(o, "name")),
               *on = json_string_value(json_object_get(o, "input"));
    bool is_input = on == NULL || input == NULL ? on == input : strcmp(on, input) == 0;
    if (found == NULL && text != NULL && is != NULL && is_input && strcmp(is, text) == 0) found = o;
  }
  json_decref(wanted);
  return found;
}

/* Of an object that has all that counts. */
static bool hash_json(const json_t *o, char out[WEIR_HASH_TEXT]) {
  char *text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
  if (text != NULL) weir_hash_bytes(text, strlen(text), out);
  free(text);
  return text != NULL;
}

/* All that was set: what a size follows from, and what a comparison shows, depends on it, also
 * where it is the default. */
static bool set_values(json_t *o, const struct weir_settings *s) {
  char key[256];
  json_t *values = json_object();
  bool ok = values != NULL;
  for (size_t i = 0; ok && i < s->n; i++)
    if (s->v[i].derived == NULL && s->v[i].layer != WEIR_LAYER_DEFAULT)
      ok = set(values, key_of(&s->v[i], key, sizeof key), s->v[i].text);
  ok = ok && json_object_set(o, "values", values) == 0;
  json_decref(values);
  return ok;
}

void weir_provenance_machine(struct weir_provenance *p, const char *name,
                             const struct weir_settings *s, bool is_own) {
  char hash[WEIR_HASH_TEXT];
  if (p->root == NULL || named(json_object_get(p->root, "machines"), name, NULL) != NULL) return;
  json_t *cells = json_object(), *o = json_object();
  bool ok = differences(cells, s, NULL) && hash_json(cells, hash) && set(o, "name", name) &&
            set(o, "hash", hash) && (!is_own || set_values(o, s));
  json_decref(cells);
  append(p, "machines", ok ? o : NULL);
  if (!ok) json_decref(o);
}

static json_t *scheme_json(const struct weir_scheme *of, const struct weir_settings *before,
                           const struct weir_settings *after) {
  json_t *values = json_object(), *policies = json_array();
  bool ok = differences(values, after, before) && policies != NULL;
  for (uint32_t i = 0; ok && i < of->n_policies; i++)
    ok = json_array_append_new(policies, weir_json_text(of->policy[i]->part.name)) == 0;
  json_t *o = ok ? json_pack("{s:s, s:O, s:O, s:b}", "organisation",
                             of->org != NULL ? of->org->part.name : "", "policies", policies,
                             "values", values, "classify", (int)of->prepare)
                 : NULL;
  json_decref(values);
  json_decref(policies);
  return o;
}

void weir_provenance_scheme(struct weir_provenance *p, const char *name,
                            const struct weir_scheme *of, const struct weir_settings *before,
                            const struct weir_settings *after, const char *text) {
  char hash[WEIR_HASH_TEXT];
  if (p->root == NULL || named(json_object_get(p->root, "schemes"), name, NULL) != NULL) return;
  json_t *about = scheme_json(of, before, after), *o = json_object();
  bool ok = about != NULL && hash_json(about, hash) && set(o, "name", name) &&
            set(o, "hash", hash) &&
            json_object_set(o, "organisation", json_object_get(about, "organisation")) == 0 &&
            json_object_set(o, "policies", json_object_get(about, "policies")) == 0 &&
            (text == NULL || set(o, "text", text));
  json_decref(about);
  append(p, "schemes", ok ? o : NULL);
  if (!ok) json_decref(o);
}

void weir_provenance_file(struct weir_provenance *p, const char *name, const char *text) {
  char hash[WEIR_HASH_TEXT];
  if (p->root == NULL || named(json_object_get(p->root, "files"), name, NULL) != NULL) return;
  json_t *o = json_object();
  weir_hash_bytes(text, strlen(text), hash);
  bool ok = set(o, "name", name) && set(o, "hash", hash) && set(o, "text", text);
  append(p, "files", ok ? o : NULL);
  if (!ok) json_decref(o);
}

void weir_provenance_input(struct weir_provenance *p, const char *kind, const char *name,
                           const char *input, const char *hash, const char *made) {
  if (p->root == NULL) return;
  json_t *o = json_object();
  json_t *from = made != NULL ? json_loads(made, 0, NULL) : NULL;
  bool ok = set(o, "kind", kind) && set(o, "name", name) &&
            (input == NULL || set(o, "input", input)) && set(o, "hash", hash) &&
            (from == NULL || json_object_set(o, "provenance", from) == 0);
  json_decref(from);
  append(p, "inputs", ok ? o : NULL);
  if (!ok) json_decref(o);
}

/* ---- in outputs ---- */

json_t *weir_provenance_first(const struct weir_provenance *p, json_t *root) {
  if (p == NULL || p->root == NULL || root == NULL) return root;
  json_t *o = json_object();
  bool ok = json_object_set(o, "provenance", p->root) == 0 && json_object_update(o, root) == 0;
  json_decref(root);
  if (ok) return o;
  json_decref(o);
  return NULL;
}

void weir_provenance_lines(const struct weir_provenance *p, struct weir_text *out) {
  if (p == NULL || p->root == NULL) return;
  json_t *o = json_copy(p->root); /* the rows below have no place for their number */
  bool ok = json_object_set_new(o, "csv", json_integer(WEIR_CSV_FORMAT)) == 0;
  char *text = ok ? json_dumps(o, JSON_INDENT(1)) : NULL;
  json_decref(o);
  out->failed |= text == NULL;
  for (const char *line = text; line != NULL && *line != 0;) {
    size_t n = strcspn(line, "\n");
    weir_text_puts(out, "# ");
    weir_text_add(out, line, n);
    weir_text_puts(out, "\n");
    line += n + (line[n] == '\n');
  }
  free(text);
}

void weir_provenance_text(const struct weir_provenance *p, struct weir_text *out) {
  if (p == NULL || p->root == NULL) return;
  char *text = json_dumps(p->root, JSON_COMPACT);
  out->failed |= text == NULL;
  if (text != NULL) weir_text_puts(out, text);
  free(text);
}

/* ---- back ---- */

static enum weir_status none(const char *path, struct weir_err *err) {
  weir_fail(err, WEIR_EPARSE, "%s does not say how it was made", path);
  weir_err_add(err, "an output of 'weir run', 'replay', 'compare', 'classify' or 'record' does, "
                    "unless --no-provenance was given");
  return WEIR_EPARSE;
}

static enum weir_status from_trace(const char *path, json_t **out, struct weir_err *err) {
  struct weir_wtrace *t;
  enum weir_status st = weir_wtrace_open(path, &t, err);
  if (st != WEIR_OK) return st;
  const char *text = weir_wtrace_provenance_text(t);
  *out = text != NULL ? json_loads(text, 0, NULL) : NULL;
  weir_wtrace_close(t);
  return WEIR_OK;
}

/* Lines at the top, without "# ". */
static json_t *from_csv(const char *text) {
  struct weir_text out = {0};
  while (text[0] == '#') {
    size_t n = strcspn(text, "\n"), skip = text[1] == ' ' ? 2 : 1;
    if (n >= skip) weir_text_add(&out, text + skip, n - skip);
    weir_text_puts(&out, "\n");
    text += n + (text[n] == '\n');
  }
  json_t *o = out.v != NULL && !out.failed ? json_loads(out.v, 0, NULL) : NULL;
  weir_text_free(&out);
  return o;
}

/* Only the first value is looked at: the rest may be large. */
static json_t *from_json(const char *text) {
  static const char key[] = "\"provenance\"";
  const char *at = text + strspn(text, " \t\r\n");
  if (*at != '{') return NULL;
  at += 1 + strspn(at + 1, " \t\r\n");
  if (strncmp(at, key, sizeof key - 1) != 0) return NULL;
  at += sizeof key - 1;
  at += strspn(at, " \t\r\n");
  return *at == ':' ? json_loads(at + 1, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
}

enum weir_status weir_provenance_read(const char *path, json_t **out, struct weir_err *err) {
  char *text;
  size_t n;
  *out = NULL;
  enum weir_status st = weir_file_read(path, 0, NULL, &text, &n, err);
  if (st != WEIR_OK) return st;
  if ((unsigned char)text[0] == 0x89)
    st = from_trace(path, out, err);
  else
    *out = text[0] == '#' ? from_csv(text) : from_json(text);
  free(text);
  if (st != WEIR_OK) return st;
  json_t *format = json_object_get(*out, "format");
  if (!json_is_integer(format)) {
    json_decref(*out);
    *out = NULL;
    return none(path, err);
  }
  if (json_integer_value(format) == WEIR_PROVENANCE_FORMAT) return WEIR_OK;
  st = weir_fail(err, WEIR_EINVAL, "%s says how it was made in format %lld; this weir knows %d",
                 path, (long long)json_integer_value(format), WEIR_PROVENANCE_FORMAT);
  json_decref(*out);
  *out = NULL;
  return st;
}

void weir_provenance_summary(const char *text, struct weir_text *out) {
  json_t *o = json_loads(text, 0, NULL), *word;
  const char *version = json_string_value(json_object_get(o, "weir")),
             *commit = json_string_value(json_object_get(o, "commit")),
             *command = json_string_value(json_object_get(o, "command"));
  size_t i;
  if (version != NULL && commit != NULL && command != NULL)
    weir_text_printf(out, "weir %s (%s): %s", version, commit, command);
  else
    weir_text_puts(out, "?");
  json_array_foreach(json_object_get(o, "arguments"), i, word) {
    weir_text_printf(out, " %s", json_is_string(word) ? json_string_value(word) : "?");
  }
  json_decref(o);
}

bool weir_provenance_is_like(const struct weir_provenance *p, const json_t *earlier,
                             const char **kind, const char **name) {
  static const struct {
    const char *list, *kind;
  } lists[] = {{"machines", "machine"}, {"schemes", "scheme"}, {"files", "file"}, {"inputs", NULL}};
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
    json_t *list = json_object_get(p->root, lists[k].list), *o;
    size_t i;
    json_array_foreach(list, i, o) {
      const char *hash = json_string_value(json_object_get(o, "hash"));
      const char *input = json_string_value(json_object_get(o, "input"));
      *name = json_string_value(json_object_get(o, "name"));
      *kind = lists[k].kind != NULL ? lists[k].kind : json_string_value(json_object_get(o, "kind"));
      json_t *was = named(json_object_get(earlier, lists[k].list), *name, input);
      const char *before = json_string_value(json_object_get(was, "hash"));
      if (was != NULL && (before == NULL || strcmp(before, hash) != 0)) return false;
    }
  }
  return true;
}
