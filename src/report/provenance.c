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

/* False: no memory, of which `o` may be a sign, too. */
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

static bool set_value(json_t *out, const struct weir_setting *v) {
  char key[256];
  return set(out, key_of(v, key, sizeof key), v->text);
}

/* Does another value follow from this one? Which one does depends on which were said. */
static bool is_followed(const struct weir_settings *s, const struct weir_setting *v) {
  char key[256];
  key_of(v, key, sizeof key);
  for (size_t i = 0; i < s->n; i++)
    if (s->v[i].derived != NULL && strstr(s->v[i].derived, key) != NULL) return true;
  return false;
}

/* What follows from other values will follow again. */
void weir_provenance_settings(struct weir_provenance *p, const struct weir_settings *s,
                              const struct weir_settings *base) {
  json_t *out = json_object_get(p->root, "settings");
  for (size_t i = 0; p->root != NULL && i < s->n; i++) {
    const struct weir_setting *v = &s->v[i];
    bool is_other = strcmp(v->text, base->v[i].text) != 0;
    bool is_given = is_other || (weir_setting_is_users(v) && is_followed(s, v));
    if (v->derived == NULL && is_given && !set_value(out, v)) p->failed = true;
  }
}

/* What files said, from source `first` on. NULL: no memory. */
static json_t *values_of_files(const struct weir_settings *s, uint32_t first) {
  json_t *out = json_object();
  bool ok = out != NULL;
  for (size_t i = 0; ok && i < s->n; i++)
    if (s->v[i].layer == WEIR_LAYER_FILE && s->v[i].source >= first) ok = set_value(out, &s->v[i]);
  if (ok) return out;
  json_decref(out);
  return NULL;
}

/* The object of that name and, if it has one, that input. Both as they stand in JSON. */
static json_t *find(const json_t *list, const char *name, const char *input) {
  json_t *o;
  size_t i;
  json_array_foreach((json_t *)(uintptr_t)list, i, o) {
    const char *is = json_string_value(json_object_get(o, "name")),
               *on = json_string_value(json_object_get(o, "input"));
    bool is_input = on == NULL || input == NULL ? on == input : strcmp(on, input) == 0;
    if (is != NULL && is_input && strcmp(is, name) == 0) return o;
  }
  return NULL;
}

/* Is it to be added? Not if it is there already. */
static bool is_new(struct weir_provenance *p, const char *list, const char *name) {
  if (p->root == NULL) return false;
  json_t *text = weir_json_text(name);
  bool is =
      text != NULL && find(json_object_get(p->root, list), json_string_value(text), NULL) == NULL;
  p->failed |= text == NULL;
  json_decref(text);
  return is;
}

/* Of an object that has all that counts. */
static bool hash_json(const json_t *o, char out[WEIR_HASH_TEXT]) {
  char *text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
  if (text != NULL) weir_hash_bytes(text, strlen(text), out);
  free(text);
  return text != NULL;
}

bool weir_provenance_machine(struct weir_provenance *p, const char *name,
                             const struct weir_settings *s, bool is_own) {
  char hash[WEIR_HASH_TEXT];
  if (!is_new(p, "machines", name)) return false;
  json_t *values = values_of_files(s, 0), *o = json_object();
  bool ok = values != NULL && hash_json(values, hash) && set(o, "name", name) &&
            set(o, "hash", hash) && (!is_own || json_object_set(o, "values", values) == 0) &&
            (!is_own || json_object_set_new(o, "files", json_array()) == 0);
  json_decref(values);
  append(p, "machines", ok ? o : NULL);
  if (!ok) json_decref(o);
  return ok;
}

static json_t *file_json(const char *name, const char *text) {
  json_t *o = json_object();
  if (set(o, "name", name) && set(o, "text", text)) return o;
  json_decref(o);
  return NULL;
}

void weir_provenance_machine_file(struct weir_provenance *p, const char *name, const char *text) {
  const json_t *list = json_object_get(p->root, "machines");
  json_t *last = json_array_get(list, json_array_size(list) - 1);
  if (json_array_append_new(json_object_get(last, "files"), file_json(name, text)) != 0)
    p->failed = true;
}

static json_t *scheme_json(const struct weir_scheme *of, const struct weir_settings *s,
                           uint32_t first) {
  json_t *values = values_of_files(s, first), *policies = json_array();
  bool ok = values != NULL && policies != NULL;
  bool is_classified = of->prepare != NULL && strcmp(of->prepare, WEIR_PREPARE_CLASSIFY) == 0;
  for (uint32_t i = 0; ok && i < of->n_policies; i++)
    ok = json_array_append_new(policies, weir_json_text(of->policy[i]->part.name)) == 0;
  json_t *o = ok ? json_pack("{s:s, s:O, s:O, s:b}", "organisation",
                             of->org != NULL ? of->org->part.name : "", "policies", policies,
                             "values", values, "classify", (int)is_classified)
                 : NULL;
  if (of->prepare != NULL && !is_classified && o != NULL && !set(o, "prepare", of->prepare)) {
    json_decref(o);
    o = NULL;
  }
  json_decref(values);
  json_decref(policies);
  return o;
}

void weir_provenance_scheme(struct weir_provenance *p, const char *name,
                            const struct weir_scheme *of, const struct weir_settings *s,
                            uint32_t first, const char *text) {
  char hash[WEIR_HASH_TEXT];
  const char *certainty = weir_certainty_said(of->certainty);
  if (!is_new(p, "schemes", name)) return;
  json_t *about = scheme_json(of, s, first), *o = json_object();
  bool ok = about != NULL && hash_json(about, hash) && set(o, "name", name) &&
            set(o, "hash", hash) &&
            json_object_set(o, "organisation", json_object_get(about, "organisation")) == 0 &&
            json_object_set(o, "policies", json_object_get(about, "policies")) == 0 &&
            (certainty == NULL || set(o, "certainty", certainty)) &&
            (text == NULL || set(o, "text", text));
  json_decref(about);
  append(p, "schemes", ok ? o : NULL);
  if (!ok) json_decref(o);
}

void weir_provenance_file(struct weir_provenance *p, const char *name, const char *text) {
  char hash[WEIR_HASH_TEXT];
  if (!is_new(p, "files", name)) return;
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

void weir_provenance_preparation(struct weir_provenance *p, const char *workload,
                                 const char *machine, const struct weir_preparation *made) {
  json_t *list, *o, *was;
  size_t i;
  if (p->root == NULL) return;
  o = json_object();
  bool ok = set(o, "name", made->name) && set(o, "workload", workload) &&
            set(o, "machine", machine) && set(o, "input", made->input) && set(o, "key", made->key);
  if (ok && json_object_get(p->root, "preparations") == NULL)
    ok = json_object_set_new(p->root, "preparations", json_array()) == 0;
  list = json_object_get(p->root, "preparations");
  bool is_there = false; /* several schemes may need it */
  json_array_foreach(list, i, was) {
    is_there |= json_equal(was, o);
  }
  p->failed |= !ok;
  if (ok && !is_there)
    append(p, "preparations", o);
  else
    json_decref(o);
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

/* Lines at the top, without "# ". *is_cut: there may be more of them. */
static json_t *from_csv(const char *text, bool *is_cut) {
  struct weir_text out = {0};
  while (text[0] == '#') {
    size_t n = strcspn(text, "\n"), skip = text[1] == ' ' ? 2 : 1;
    if (n >= skip) weir_text_add(&out, text + skip, n - skip);
    weir_text_puts(&out, "\n");
    text += n + (text[n] == '\n');
  }
  *is_cut = text[0] == 0;
  json_t *o = out.v != NULL && !out.failed ? json_loads(out.v, 0, NULL) : NULL;
  weir_text_free(&out);
  return o;
}

/* Only the first value is looked at: the rest may be large. *is_cut: it may go on. */
static json_t *from_json(const char *text, bool *is_cut) {
  static const char key[] = "\"provenance\"";
  const char *at = text + strspn(text, " \t\r\n");
  *is_cut = false;
  if (*at != '{') return NULL;
  at += 1 + strspn(at + 1, " \t\r\n");
  if (strncmp(at, key, sizeof key - 1) != 0) return NULL;
  at += sizeof key - 1;
  at += strspn(at, " \t\r\n");
  *is_cut = true;
  return *at == ':' ? json_loads(at + 1, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
}

/* The block of whatever kind of output it is, or NULL. The rest of it may be gigabytes. */
static enum weir_status read_block(const char *path, json_t **out, struct weir_err *err) {
  bool is_cut = true;
  for (size_t most = 1 << 20; is_cut && *out == NULL; most *= 16) {
    char *text;
    size_t n;
    enum weir_status st = weir_file_read_start(path, most, &text, &n, err);
    if (st != WEIR_OK) return st;
    bool is_trace = (unsigned char)text[0] == 0x89;
    if (!is_trace) *out = text[0] == '#' ? from_csv(text, &is_cut) : from_json(text, &is_cut);
    free(text);
    if (is_trace) return from_trace(path, out, err);
    is_cut &= n == most;
  }
  return WEIR_OK;
}

/* What is taken from it is what it should be; keys may be missing. */
static bool is_sound(const json_t *o) {
  static const char *const lists[] = {"arguments", "machines", "schemes", "files", "inputs"};
  const json_t *settings = json_object_get(o, "settings");
  bool is = settings == NULL || json_is_object(settings);
  const char *key;
  json_t *v;
  size_t k;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    json_t *list = json_object_get(o, lists[i]);
    is &= list == NULL || json_is_array(list);
    json_array_foreach(list, k, v) {
      is &= i == 0 ? json_is_string(v) : json_is_object(v);
    }
  }
  json_object_foreach((json_t *)(uintptr_t)settings, key, v) {
    is &= json_is_string(v);
  }
  return is;
}

enum weir_status weir_provenance_read(const char *path, json_t **out, struct weir_err *err) {
  *out = NULL;
  enum weir_status st = read_block(path, out, err);
  if (st != WEIR_OK) return st;
  const json_t *format = json_object_get(*out, "format");
  long long number = json_integer_value(format);
  if (!json_is_integer(format))
    st = none(path, err);
  else if (number != WEIR_PROVENANCE_FORMAT)
    st = weir_fail(err, WEIR_EINVAL, "%s says how it was made in format %lld; this weir knows %d",
                   path, number, WEIR_PROVENANCE_FORMAT);
  else if (!is_sound(*out))
    st = none(path, err);
  if (st == WEIR_OK) return WEIR_OK;
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
      const json_t *was = find(json_object_get(earlier, lists[k].list), *name, input);
      const char *before = json_string_value(json_object_get(was, "hash"));
      if (was != NULL && (before == NULL || strcmp(before, hash) != 0)) return false;
    }
  }
  return true;
}
