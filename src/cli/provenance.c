#include "cli/provenance.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/timing.h"
#include "cli/version.h"
#include "study/input_hash.h"
#include "trace/accelsim.h"
#include "trace/wtrace.h"

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

/* Is the name one of " a b c"? */
static bool is_in(const char *names, const char *name) {
  size_t n = strlen(name);
  for (const char *at = names != NULL ? strchr(names, ' ') : NULL; at != NULL;
       at = strchr(at + 1, ' '))
    if (strncmp(at + 1, name, n) == 0 && (at[n + 1] == ' ' || at[n + 1] == 0)) return true;
  return false;
}

/* ---- the command line ---- */

static const struct weir_opt *row_of(const struct weir_usage *u, int id) {
  const struct weir_opt *o = u->opts;
  while (o->name != NULL && o->id != id)
    o++;
  return o->name != NULL ? o : NULL;
}

static size_t rank(const struct weir_usage *u, const char *name) {
  size_t i = 0;
  while (u->opts[i].name != NULL && strcmp(u->opts[i].name, name) != 0)
    i++;
  return i;
}

/* In the order of the help, words first: the same run has the same text, however it was typed. */
static bool add_item(struct weir_prov *p, const char *name, const char *value) {
  struct weir_prov_item item = {name, value};
  size_t at = 0, order = name != NULL ? rank(p->usage, name) + 1 : 0;
  while (at < p->items.n) {
    const char *other = p->items.v[at].name;
    size_t its = other != NULL ? rank(p->usage, other) + 1 : 0;
    if (its > order) break;
    if (its == order && name != NULL && !is_in(p->usage->repeated, name)) {
      p->items.v[at] = item;
      return true;
    }
    at++;
  }
  if (!WEIR_PUSH(p->items, item)) return false;
  memmove(p->items.v + at + 1, p->items.v + at, (p->items.n - 1 - at) * sizeof item);
  p->items.v[at] = item;
  return true;
}

/* Options that can change results, and words. Returns -1, or the exit code. */
static int collect(struct weir_prov *p, int argc, char **argv) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  struct weir_err err;
  p->items.n = 0;
  for (int id; (id = weir_opt_next(&args, p->usage)) != WEIR_OPT_END;) {
    if (id == WEIR_OPT_DONE) return args.exit_code;
    const struct weir_opt *row = id == WEIR_OPT_WORD ? NULL : row_of(p->usage, id);
    p->is_quiet |= row != NULL && strcmp(row->name, "quiet") == 0;
    p->is_left_out |= id == WEIR_PROV_OPT_NONE;
    p->may_differ |= id == WEIR_PROV_OPT_CHANGED;
    if (id == WEIR_PROV_OPT_LIKE) p->like = args.value;
    if (row != NULL && (is_in(p->usage->neutral, row->name) || weir_is_prov_option(id))) continue;
    if (add_item(p, row != NULL ? row->name : NULL, args.value)) continue;
    no_memory(&err);
    return weir_cli_error(&err);
  }
  p->program = args.program;
  return -1;
}

/* ---- back from an output ---- */

struct line {
  char **v;
  size_t n, cap;
  bool failed;
};

static void push(struct line *l, const char *word) {
  char *text = (char *)(uintptr_t)word;
  if (word == NULL || !WEIR_PUSH(*l, text)) l->failed = true;
}

/* "key: value" lines of "prefix.name" entries, as nested maps. */
static void put_values(struct weir_text *out, const json_t *values) {
  const char *key, *other;
  json_t *v, *w, *all = (json_t *)(uintptr_t)values;
  json_object_foreach(all, key, v) {
    const char *dot = strrchr(key, '.');
    size_t n = dot != NULL ? (size_t)(dot - key) : 0;
    bool is_first = true;
    json_object_foreach(all, other, w) {
      if (other == key) break;
      is_first &= !(strncmp(other, key, n + 1) == 0 && strchr(other + n + 1, '.') == NULL);
    }
    if (dot == NULL || !is_first) continue;
    weir_text_printf(out, "%.*s:\n", (int)n, key);
    json_object_foreach(all, other, w) {
      if (strncmp(other, key, n + 1) != 0 || strchr(other + n + 1, '.') != NULL) continue;
      char *text = json_dumps(w, JSON_ENCODE_ANY);
      weir_text_printf(out, "  %s: %s\n", other + n + 1, text != NULL ? text : "");
      out->failed |= text == NULL;
      free(text);
    }
  }
}

static bool has_option(const struct weir_usage *u, const char *name) {
  return u->opts[rank(u, name)].name != NULL;
}

/* As a file of settings, which later files and --set override; some commands know only --set. */
static bool add_settings(struct weir_prov *p, struct line *l) {
  const json_t *settings = json_object_get(p->earlier, "settings");
  const char *key;
  json_t *v;
  if (json_object_size(settings) == 0) return true;
  if (!has_option(p->usage, "config")) {
    json_object_foreach((json_t *)(uintptr_t)settings, key, v) {
      push(l, "--set");
      const char *value = weir_json_bytes(v, &p->arena);
      push(l, value != NULL ? weir_arena_printf(&p->arena, "%s=%s", key, value) : NULL);
    }
    return true;
  }
  struct weir_text text = {0};
  const char *name = weir_arena_printf(&p->arena, "the settings of %s", p->like);
  put_values(&text, settings);
  bool ok = !text.failed && name != NULL && weir_file_stand_in(name, text.v);
  weir_text_free(&text);
  push(l, "--config");
  push(l, name);
  return ok;
}

static bool is_given(const struct weir_prov *p, const char *name) {
  for (size_t i = 0; i < p->items.n; i++) {
    const char *its = p->items.v[i].name;
    if (name == NULL || its == NULL ? name == its : strcmp(its, name) == 0) return true;
  }
  return false;
}

/* What a new option makes meaningless goes with the one that it replaces. */
static bool is_replaced(const struct weir_prov *given, const char *name) {
  static const struct {
    const char *name, *by;
  } rules[] = {{"functional", "gpu"}, {"policies", "scheme"}, {"organisation", "scheme"},
               {"tags", "scheme"},    {"tags", "schemes"},    {"baseline", "schemes"},
               {"bypass", "scheme"},  {"bypass", "schemes"}};
  if (is_given(given, name)) return true;
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (strcmp(rules[i].name, name) == 0 && is_given(given, rules[i].by)) return true;
  return false;
}

/* Texts of a list, in place of the files that they are of. */
static bool stand_in(struct weir_prov *p, const json_t *list) {
  bool ok = true;
  size_t i;
  json_t *o;
  json_array_foreach((json_t *)(uintptr_t)list, i, o) {
    if (json_object_get(o, "text") == NULL) continue; /* comes with weir */
    const char *name = weir_json_bytes(json_object_get(o, "name"), &p->arena),
               *text = weir_json_bytes(json_object_get(o, "text"), &p->arena);
    ok = ok && name != NULL && text != NULL && weir_file_stand_in(name, text);
  }
  return ok;
}

/* Files of the user's own need not be there any more. Those that are named now are read. */
static bool add_files(struct weir_prov *p) {
  bool ok = true;
  size_t i;
  json_t *o;
  if (!is_given(p, "gpu") && !is_given(p, "gpus"))
    json_array_foreach(json_object_get(p->earlier, "machines"), i, o) {
      ok = ok && stand_in(p, json_object_get(o, "files"));
    }
  if (!is_given(p, "scheme") && !is_given(p, "schemes"))
    ok = ok && stand_in(p, json_object_get(p->earlier, "schemes"));
  if (!is_replaced(p, "tags")) ok = ok && stand_in(p, json_object_get(p->earlier, "files"));
  return ok;
}

/* Options that go with a program are none for workloads, and the other way round. */
static bool is_for_others(const char *name, bool is_program) {
  return is_in(is_program ? " input opcode-class" : " kernels skip count profiler-region memcheck",
               name);
}

static bool has_workloads(const struct weir_prov *given, int argc, char **argv) {
  struct weir_args args = {.argc = argc, .argv = argv, .at = 1};
  bool has = given->program != NULL || is_given(given, NULL);
  for (int id; (id = weir_opt_next(&args, given->usage)) > WEIR_OPT_END || id == WEIR_OPT_WORD;) {
    const struct weir_opt *row = row_of(given->usage, id);
    has |= row != NULL && strcmp(row->name, "workloads") == 0;
  }
  return has;
}

/* Its options before those that are given, its words and program if none are. */
static int expand(struct weir_prov *p, struct weir_prov *was, int *argc, char ***argv) {
  struct line l = {0};
  struct weir_err err;
  bool is_whole = !has_workloads(p, *argc, *argv);
  push(&l, (*argv)[0]);
  for (size_t i = 0; i < was->items.n; i++) {
    const struct weir_prov_item *o = &was->items.v[i];
    if (o->name == NULL || is_replaced(p, o->name)) continue;
    if (!is_whole && is_for_others(o->name, p->program != NULL)) continue;
    push(&l, weir_arena_printf(&p->arena, "--%s", o->name));
    if (o->value != NULL) push(&l, o->value);
  }
  bool ok = add_settings(p, &l) && add_files(p);
  for (int i = 1; i < *argc; i++)
    push(&l, (*argv)[i]);
  for (size_t i = 0; is_whole && i < was->items.n; i++)
    if (was->items.v[i].name == NULL) push(&l, was->items.v[i].value);
  if (is_whole && was->program != NULL) push(&l, "--");
  for (char **a = was->program; is_whole && a != NULL && *a != NULL; a++)
    push(&l, *a);
  char **out = l.failed || !ok ? NULL : weir_arena_array(&p->arena, l.n + 1, sizeof *out);
  if (out != NULL) {
    memcpy(out, l.v, l.n * sizeof *out);
    *argc = (int)l.n;
    *argv = out;
  }
  free(l.v);
  if (out != NULL) return -1;
  no_memory(&err);
  return weir_cli_error(&err);
}

/* Before its code runs. */
static enum weir_status check_plugins(struct weir_prov *p, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  size_t i;
  json_t *o;
  json_array_foreach(json_object_get(p->earlier, "inputs"), i, o) {
    const char *kind = json_string_value(json_object_get(o, "kind")),
               *name = weir_json_bytes(json_object_get(o, "name"), &p->arena),
               *hash = json_string_value(json_object_get(o, "hash"));
    char now[WEIR_HASH_TEXT] = "";
    if (kind == NULL || strcmp(kind, "plug-in") != 0 || hash == NULL) continue;
    if (is_given(p, "plugin")) continue;
    if (name == NULL) return no_memory(err);
    if (st == WEIR_OK) st = weir_hash_file(name, now, err);
    if (st != WEIR_OK || p->may_differ || strcmp(now, hash) == 0) continue;
    st = weir_fail(err, WEIR_EINVAL, "the plug-in %s is not what it was when %s was made", name,
                   p->like);
    weir_err_add(err, "--allow-changed goes on with what it is now");
  }
  return st;
}

static enum weir_status read_earlier(struct weir_prov *p, struct weir_err *err) {
  enum weir_status st = weir_provenance_read(p->like, &p->earlier, err);
  if (st != WEIR_OK) return st;
  const char *command = json_string_value(json_object_get(p->earlier, "command"));
  if (command != NULL && strcmp(command, p->usage->command) == 0) return check_plugins(p, err);
  weir_fail(err, WEIR_EINVAL, "%s was made by 'weir %s'", p->like, command != NULL ? command : "?");
  if (command != NULL) weir_err_add(err, "to repeat it: weir %s --like %s", command, p->like);
  return WEIR_EINVAL;
}

/* Another weir may give other results. */
static void note_version(const struct weir_prov *p) {
  const char *version = json_string_value(json_object_get(p->earlier, "weir")),
             *commit = json_string_value(json_object_get(p->earlier, "commit"));
  if (p->is_quiet || version == NULL || commit == NULL ||
      (strcmp(version, weir_cli_version()) == 0 && strcmp(commit, weir_cli_commit_id()) == 0))
    return;
  fprintf(stderr, "weir: %s was made by weir %s (%s), this is %s (%s)\n", p->like, version, commit,
          weir_cli_version(), weir_cli_commit_id());
}

/* The earlier line, as the command's own options. */
static int take_earlier(struct weir_prov *p, int *argc, char ***argv) {
  struct weir_prov was = {.usage = p->usage};
  struct line l = {0};
  struct weir_err err;
  json_t *word;
  size_t i;
  push(&l, (*argv)[0]);
  json_array_foreach(json_object_get(p->earlier, "arguments"), i, word) {
    push(&l, weir_json_bytes(word, &p->arena));
  }
  push(&l, "");
  if (l.failed) {
    free(l.v);
    no_memory(&err);
    return weir_cli_error(&err);
  }
  l.v[--l.n] = NULL;
  int code = collect(&was, (int)l.n, l.v);
  if (code < 0) code = expand(p, &was, argc, argv);
  free(was.items.v);
  free(l.v);
  return code;
}

int weir_prov_begin(struct weir_prov *p, const struct weir_usage *u, int *argc, char ***argv) {
  struct weir_err err;
  *p = (struct weir_prov){.usage = u};
  int code = collect(p, *argc, *argv);
  if (code >= 0 || p->like == NULL) return code;
  if (read_earlier(p, &err) != WEIR_OK) return weir_cli_error(&err);
  note_version(p);
  code = take_earlier(p, argc, argv);
  return code >= 0 ? code : collect(p, *argc, *argv);
}

void weir_prov_free(struct weir_prov *p) {
  weir_provenance_free(&p->block);
  json_decref(p->earlier);
  free(p->items.v);
  weir_arena_free(&p->arena);
  weir_file_stand_ins_free();
  *p = (struct weir_prov){0};
}

/* ---- what is resolved ---- */

static enum weir_status add_plugins(struct weir_prov *p, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  char hash[WEIR_HASH_TEXT];
  for (size_t i = 0; st == WEIR_OK && i < p->items.n; i++) {
    const struct weir_prov_item *o = &p->items.v[i];
    if (o->name == NULL || strcmp(o->name, "plugin") != 0) continue;
    st = weir_hash_file(o->value, hash, err);
    if (st == WEIR_OK) weir_provenance_input(&p->block, "plug-in", o->value, NULL, hash, NULL);
  }
  return st;
}

enum weir_status weir_prov_open(struct weir_prov *p, bool is_wanted, struct weir_err *err) {
  if (p->earlier == NULL && (!is_wanted || p->is_left_out)) return WEIR_OK;
  weir_provenance_init(&p->block, weir_cli_version(), weir_cli_commit_id(), p->usage->command);
  return p->block.root != NULL ? add_plugins(p, err) : no_memory(err);
}

void weir_prov_option(struct weir_prov *p, const char *name, const char *value) {
  if (p->block.root != NULL && !add_item(p, name, value)) p->block.failed = true;
}

void weir_prov_words(struct weir_prov *p, const char *const *words, size_t n) {
  if (p->block.root == NULL) return;
  size_t left = 0;
  for (size_t i = 0; i < p->items.n; i++)
    if (p->items.v[i].name != NULL) p->items.v[left++] = p->items.v[i];
  p->items.n = left;
  for (size_t i = 0; i < n; i++)
    if (!add_item(p, NULL, words[i])) p->block.failed = true;
}

static bool is_own(const char *name) {
  size_t n = strlen(name);
  return n > 5 && strcmp(name + n - 5, ".yaml") == 0;
}

enum weir_status weir_prov_file(struct weir_prov *p, const char *path, struct weir_err *err) {
  char *text;
  size_t n;
  if (p->block.root == NULL) return WEIR_OK;
  enum weir_status st = weir_hash_may_read(path, err);
  if (st == WEIR_OK) st = weir_file_read(path, 0, NULL, &text, &n, err);
  if (st != WEIR_OK) return st;
  weir_provenance_file(&p->block, path, text);
  free(text);
  return WEIR_OK;
}

static enum weir_status add_machine_files(struct weir_prov *p, const char *gpu,
                                          struct weir_err *err) {
  const char *names[WEIR_MAX_EXTENDS];
  uint32_t n = 0;
  enum weir_status st = weir_data_machine_files(gpu, &p->arena, names, &n, err);
  for (uint32_t i = 0; st == WEIR_OK && i < n; i++) {
    char *text;
    size_t len;
    st = weir_file_read(names[i], 0, NULL, &text, &len, err);
    if (st != WEIR_OK) break;
    weir_provenance_machine_file(&p->block, names[i], text);
    free(text);
  }
  return st;
}

static enum weir_status add_machine(struct weir_prov *p, const char *gpu,
                                    struct weir_settings *base, struct weir_err *err) {
  enum weir_status st = weir_data_machine(base, gpu, err);
  if (st != WEIR_OK || !weir_provenance_machine(&p->block, gpu, base, is_own(gpu)) || !is_own(gpu))
    return st;
  return add_machine_files(p, gpu, err);
}

/* `base` has the machine's values, and gets the scheme's. */
static enum weir_status add_scheme(struct weir_prov *p, const char *scheme,
                                   struct weir_settings *base, struct weir_err *err) {
  struct weir_setup setup = {0};
  char *text = NULL;
  size_t n;
  uint32_t first = base->n_sources + 1;
  enum weir_status st = weir_setup_named(&setup, scheme, base, err);
  if (st == WEIR_OK && is_own(scheme)) st = weir_file_read(scheme, 0, NULL, &text, &n, err);
  if (st == WEIR_OK) {
    weir_provenance_scheme(&p->block, scheme, &setup.scheme, base, first, text);
    if (setup.scheme.tags != NULL) st = weir_prov_file(p, setup.scheme.tags, err);
  }
  free(text);
  weir_setup_free(&setup);
  return st;
}

enum weir_status weir_prov_setup(struct weir_prov *p, const char *gpu, const char *scheme,
                                 const char *tags, const struct weir_settings *s,
                                 struct weir_err *err) {
  struct weir_settings base;
  if (p->block.root == NULL) return WEIR_OK;
  enum weir_status st = weir_settings_init(&base, weir_param_groups(), err);
  if (st != WEIR_OK) return st;
  if (gpu != NULL) st = add_machine(p, gpu, &base, err);
  if (st == WEIR_OK && scheme != NULL) st = add_scheme(p, scheme, &base, err);
  if (st == WEIR_OK && tags != NULL) st = weir_prov_file(p, tags, err);
  if (st == WEIR_OK) weir_provenance_settings(&p->block, s, &base);
  weir_settings_free(&base);
  return st;
}

enum weir_status weir_prov_workload(struct weir_prov *p, const char *name, const char *path,
                                    const char *input, struct weir_err *err) {
  char hash[WEIR_HASH_TEXT], chosen[WEIR_INPUT_NAME];
  if (p->block.root == NULL) return WEIR_OK;
  enum weir_status st = weir_hash_launchfile(path, input, hash, chosen, NULL, err);
  if (st == WEIR_OK)
    weir_provenance_input(&p->block, "workload", name, chosen[0] != 0 ? chosen : NULL, hash, NULL);
  return st;
}

static enum weir_status provenance_of(const char *path, char **out, struct weir_err *err) {
  struct weir_wtrace *t;
  *out = NULL;
  if (weir_is_accelsim(path)) return WEIR_OK;
  enum weir_status st = weir_wtrace_open(path, &t, err);
  if (st != WEIR_OK) return st;
  const char *text = weir_wtrace_provenance_text(t);
  if (text != NULL && (*out = weir_strdup(text)) == NULL) st = no_memory(err);
  weir_wtrace_close(t);
  return st;
}

enum weir_status weir_prov_trace(struct weir_prov *p, const char *path, struct weir_err *err) {
  char hash[WEIR_HASH_TEXT], *made;
  if (p->block.root == NULL) return WEIR_OK;
  enum weir_status st = weir_hash_trace(path, hash, err);
  if (st == WEIR_OK) st = provenance_of(path, &made, err);
  if (st != WEIR_OK) return st;
  weir_provenance_input(&p->block, "trace", path, NULL, hash, made);
  free(made);
  return WEIR_OK;
}

enum weir_status weir_prov_program(struct weir_prov *p, const char *name, const char *path,
                                   struct weir_err *err) {
  char hash[WEIR_HASH_TEXT];
  if (p->block.root == NULL) return WEIR_OK;
  enum weir_status st = weir_hash_file(path, hash, err);
  if (st == WEIR_OK) weir_provenance_input(&p->block, "program", name, NULL, hash, NULL);
  return st;
}

static void add_arguments(struct weir_prov *p) {
  struct weir_text option = {0};
  for (size_t i = 0; i < p->items.n; i++) {
    const struct weir_prov_item *o = &p->items.v[i];
    option.n = 0;
    weir_text_printf(&option, "--%s", o->name != NULL ? o->name : "");
    if (o->name != NULL && !option.failed) weir_provenance_argument(&p->block, option.v);
    if (o->value != NULL) weir_provenance_argument(&p->block, o->value);
  }
  p->block.failed |= option.failed;
  weir_text_free(&option);
  if (p->program != NULL) weir_provenance_argument(&p->block, "--");
  for (char **a = p->program; a != NULL && *a != NULL; a++)
    weir_provenance_argument(&p->block, *a);
}

enum weir_status weir_prov_close(struct weir_prov *p, struct weir_err *err) {
  const char *kind, *name;
  if (p->block.root == NULL) return WEIR_OK;
  add_arguments(p);
  enum weir_status st = weir_provenance_check(&p->block, err);
  if (st != WEIR_OK || p->earlier == NULL || p->may_differ ||
      weir_provenance_is_like(&p->block, p->earlier, &kind, &name))
    return st;
  weir_fail(err, WEIR_EINVAL, "the %s %s is not what it was when %s was made", kind, name, p->like);
  weir_err_add(err, "--allow-changed goes on with what it is now");
  return WEIR_EINVAL;
}

enum weir_status weir_prov_profiles(struct weir_prov *p, const char *gpu,
                                    const struct weir_timed_profiles *profiles,
                                    struct weir_err *err) {
  for (size_t i = 0; i < profiles->n; i++)
    for (uint32_t k = 0; k < profiles->v[i].n_found; k++)
      weir_provenance_preparation(&p->block, profiles->v[i].workload, gpu, profiles->v[i].found[k]);
  return weir_provenance_check(&p->block, err);
}

const struct weir_provenance *weir_prov_shown(const struct weir_prov *p) {
  return p->is_left_out || p->block.root == NULL ? NULL : &p->block;
}
