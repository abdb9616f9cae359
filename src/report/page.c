#include "report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/suggest.h"
#include "session/data.h"

const char *const weir_page_fixed_names[WEIR_PAGE_FIXED] = {"workload", "input", "gpu", "scheme",
                                                            "seed"};

size_t weir_page_key(const struct weir_page *p, const char *name) {
  for (size_t i = 0; i < p->n_keys; i++)
    if (strcmp(p->keys[i].name, name) == 0) return i;
  return SIZE_MAX;
}

size_t weir_page_stat(const struct weir_page *p, const char *name) {
  for (size_t i = 0; i < p->n_stats; i++)
    if (strcmp(p->stats[i], name) == 0) return i;
  return SIZE_MAX;
}

double weir_page_value(const struct weir_page *p, size_t run, size_t stat) {
  return p->values[run * p->n_stats + stat];
}

const char *weir_page_text(const struct weir_page *p, size_t key, size_t run) {
  return p->keys[key].values[p->keys[key].of[run]];
}

/* ---- for readers ---- */

enum weir_status weir_page_begin(struct weir_page *p, size_t n, size_t n_keys,
                                 struct weir_err *err) {
  p->has_study = true;
  p->n = n;
  p->n_keys = n_keys;
  p->runs = weir_arena_array(&p->a, n + 1, sizeof *p->runs);
  p->keys = weir_arena_array(&p->a, n_keys, sizeof *p->keys);
  p->values = weir_arena_array(&p->a, n * p->n_stats + 1, sizeof *p->values);
  if (p->runs == NULL || p->keys == NULL || p->values == NULL) return weir_no_memory(err);
  for (size_t i = 0; i < n * p->n_stats; i++)
    p->values[i] = (double)NAN;
  for (size_t i = 0; i < n; i++) {
    p->runs[i].base = WEIR_PAGE_NONE;
    p->runs[i].speedup = (double)NAN;
  }
  return WEIR_OK;
}

static int by_value(const void *a, const void *b) {
  return weir_value_order(*(const char *const *)a, *(const char *const *)b);
}

enum weir_status weir_page_set_key(struct weir_page *p, size_t key, const char *name,
                                   const char *const *texts, bool is_setting,
                                   struct weir_err *err) {
  struct weir_page_key *k = &p->keys[key];
  k->name = name;
  k->is_setting = is_setting;
  k->of = weir_arena_array(&p->a, p->n + 1, sizeof *k->of);
  k->values = weir_arena_array(&p->a, p->n + 1, sizeof *k->values);
  if (k->of == NULL || k->values == NULL) return weir_no_memory(err);
  for (size_t i = 0; i < p->n; i++)
    k->values[i] = texts[i] != NULL ? texts[i] : "-";
  if (p->n > 0) qsort(k->values, p->n, sizeof *k->values, by_value);
  for (size_t i = 0; i < p->n; i++)
    if (k->n_values == 0 || by_value(&k->values[k->n_values - 1], &k->values[i]) != 0)
      k->values[k->n_values++] = k->values[i];
  for (size_t i = 0; i < p->n; i++) {
    const char *text = texts[i] != NULL ? texts[i] : "-";
    const char **at = bsearch(&text, k->values, k->n_values, sizeof *k->values, by_value);
    k->of[i] = at != NULL ? (uint32_t)(at - k->values) : 0;
  }
  return WEIR_OK;
}

/* Kernels of runs that stand together have the same names. */
static uint32_t name_of(struct weir_page *p, const char *name) {
  for (size_t i = p->kernel_names.n; i-- > 0;)
    if (strcmp(p->kernel_names.v[i], name) == 0) return (uint32_t)i;
  const char *copy = weir_arena_strndup(&p->a, name, strlen(name));
  if (copy == NULL || !WEIR_PUSH(p->kernel_names, copy)) return WEIR_PAGE_NONE;
  return (uint32_t)(p->kernel_names.n - 1);
}

enum weir_status weir_page_add_kernel(struct weir_page *p, uint32_t run, int64_t number,
                                      const char *name, const double values[WEIR_PAGE_KERNEL_STATS],
                                      struct weir_err *err) {
  struct weir_page_kernel k = {run, name_of(p, name), number, (double)NAN};
  if (k.name == WEIR_PAGE_NONE || !WEIR_PUSH(p->kernels, k)) return weir_no_memory(err);
  for (size_t i = 0; i < WEIR_PAGE_KERNEL_STATS; i++)
    if (!WEIR_PUSH(p->kernel_values, values[i])) return weir_no_memory(err);
  if (p->runs[run].n++ == 0) p->runs[run].first = p->kernels.n - 1;
  return WEIR_OK;
}

/* The JSON may be another's: what the scripts read must be there. */
static bool are_decisions(const json_t *o) {
  const json_t *series = json_object_get(o, "series"), *of;
  const char *name;
  size_t n = json_array_size(json_object_get(o, "cycles"));
  if (n == 0 || !json_is_array(json_object_get(o, "launches")) || !json_is_object(series) ||
      !json_is_integer(json_object_get(o, "end")) || !json_is_integer(json_object_get(o, "every")))
    return false;
  json_object_foreach((json_t *)series, name,
                      of) if (json_array_size(json_object_get(of, "values")) != n ||
                              !json_is_string(json_object_get(of, "kind")) ||
                              !json_is_string(json_object_get(of, "unit"))) return false;
  return true;
}

void weir_page_add_decisions(struct weir_page *p, size_t run, json_t *decisions) {
  if (!are_decisions(decisions)) {
    json_decref(decisions);
    return;
  }
  weir_json_push(&p->decisions, decisions);
  if (p->decisions != NULL)
    p->runs[run].decisions = decisions;
  else
    p->failed = true;
}

/* ---- schemes ---- */

/* A scheme that is not known here, such as one of the user's own, is a design. */
static enum weir_status look_up(struct weir_page *p, const char *name, struct weir_page_scheme *out,
                                struct weir_err *err) {
  struct weir_arena a = {0};
  struct weir_scheme s = {0};
  struct weir_err why;
  const char *path;
  *out = (struct weir_page_scheme){name, WEIR_ROLE_DESIGN};
  if (strpbrk(name, "/.") != NULL) return WEIR_OK;
  enum weir_status st = weir_data_scheme(&a, name, &path, &why);
  if (st == WEIR_OK) st = weir_scheme_load(&s, name, path, NULL, &why);
  if (st == WEIR_OK) {
    out->role = s.role;
    out->label = s.label != NULL ? weir_arena_strndup(&p->a, s.label, strlen(s.label)) : name;
    weir_scheme_free(&s);
  }
  weir_arena_free(&a);
  return st != WEIR_ENOMEM && out->label != NULL ? WEIR_OK : weir_no_memory(err);
}

/* Baseline, designs, what papers compared with, controls, bounds. */
static unsigned rank_of(const struct weir_page_scheme *s, const char *name) {
  static const unsigned rank[] = {[WEIR_ROLE_DESIGN] = 1,
                                  [WEIR_ROLE_COMPARATOR] = 2,
                                  [WEIR_ROLE_CONTROL] = 3,
                                  [WEIR_ROLE_BOUND] = 4};
  return strcmp(name, "baseline") == 0 ? 0 : rank[s->role];
}

/* In this order, by insertion: there are few. */
static enum weir_status order_schemes(struct weir_page *p, struct weir_err *err) {
  struct weir_page_key *k = &p->keys[WEIR_PAGE_SCHEME];
  size_t n = k->n_values;
  struct weir_page_scheme *found = weir_arena_array(&p->a, n + 1, sizeof *found);
  uint32_t *order = weir_arena_array(&p->a, n + 1, sizeof *order),
           *place = weir_arena_array(&p->a, n + 1, sizeof *place);
  const char **names = weir_arena_array(&p->a, n + 1, sizeof *names);
  p->schemes = weir_arena_array(&p->a, n + 1, sizeof *p->schemes);
  if (found == NULL || order == NULL || place == NULL || names == NULL || p->schemes == NULL)
    return weir_no_memory(err);
  for (size_t i = 0; i < n; i++) {
    enum weir_status st = look_up(p, k->values[i], &found[i], err);
    if (st != WEIR_OK) return st;
    size_t at = i;
    for (; at > 0 && rank_of(&found[order[at - 1]], k->values[order[at - 1]]) >
                         rank_of(&found[i], k->values[i]);
         at--)
      order[at] = order[at - 1];
    order[at] = (uint32_t)i;
  }
  for (size_t i = 0; i < n; i++) {
    place[order[i]] = (uint32_t)i;
    names[i] = k->values[order[i]];
    p->schemes[i] = found[order[i]];
  }
  k->values = names;
  for (size_t i = 0; i < p->n; i++)
    k->of[i] = place[k->of[i]];
  return WEIR_OK;
}

/* ---- some of the runs ---- */

static enum weir_status no_value(const struct weir_page_key *k, const char *option,
                                 const char *value, struct weir_err *err) {
  weir_fail(err, WEIR_ENOENT, "%s: no run has %s '%.100s'", option, k->name, value);
  const char *near = weir_nearest(value, k->values, k->n_values);
  if (near != NULL)
    weir_err_add(err, "did you mean '%s'?", near);
  else if (k->n_values > 0)
    weir_err_add(err, "there is %s%s%s", k->values[0], k->n_values > 1 ? ", " : "",
                 k->n_values > 1 ? k->values[1] : "");
  return WEIR_ENOENT;
}

/* KEY=VALUE[,VALUE...]: drops the runs that have none of the values. */
static enum weir_status mark(const struct weir_page *p, const char *only, bool *keep,
                             struct weir_err *err) {
  char name[128], value[256];
  const char *sign = strchr(only, '=');
  if (sign == NULL || sign == only || sign[1] == 0)
    return weir_fail(err, WEIR_EINVAL, "--only '%.200s': want KEY=VALUE, such as gpu=v100", only);
  snprintf(name, sizeof name, "%.*s", (int)(sign - only), only);
  size_t key = weir_page_key(p, name);
  if (key == SIZE_MAX) {
    weir_fail(err, WEIR_ENOENT, "--only: there is no key '%s'", name);
    weir_err_add(err, "keys are workload, input, gpu, scheme, seed, and settings that were varied");
    return WEIR_ENOENT;
  }
  const struct weir_page_key *k = &p->keys[key];
  bool *is_wanted = weir_calloc(k->n_values + 1, sizeof *is_wanted);
  if (is_wanted == NULL) return weir_no_memory(err);
  const char *at = sign + 1;
  enum weir_status st = WEIR_OK;
  while (st == WEIR_OK && weir_next_word(&at, value, sizeof value)) {
    size_t i = 0;
    while (i < k->n_values && !weir_value_equal(k->values[i], value))
      i++;
    if (i < k->n_values)
      is_wanted[i] = true;
    else
      st = no_value(k, "--only", value, err);
  }
  for (size_t i = 0; i < p->n; i++)
    keep[i] = keep[i] && is_wanted[k->of[i]];
  free(is_wanted);
  return st;
}

/* Values that no run has any more go. */
static void prune_key(struct weir_page *p, size_t key, uint32_t *place) {
  struct weir_page_key *k = &p->keys[key];
  uint32_t n = 0;
  memset(place, 0, k->n_values * sizeof *place);
  for (size_t i = 0; i < p->n; i++)
    place[k->of[i]] = 1;
  for (size_t i = 0; i < k->n_values; i++) {
    if (place[i] == 0) continue;
    k->values[n] = k->values[i];
    if (key == WEIR_PAGE_SCHEME) p->schemes[n] = p->schemes[i];
    place[i] = n++;
  }
  k->n_values = n;
  for (size_t i = 0; i < p->n; i++)
    k->of[i] = place[k->of[i]];
}

static void move_kernels(struct weir_page *p, const uint32_t *place) {
  size_t n = 0, width = WEIR_PAGE_KERNEL_STATS;
  for (size_t i = 0; i < p->kernels.n; i++) {
    struct weir_page_kernel k = p->kernels.v[i];
    if (place[k.run] == WEIR_PAGE_NONE) continue;
    k.run = place[k.run];
    p->kernels.v[n] = k;
    memmove(&p->kernel_values.v[n * width], &p->kernel_values.v[i * width],
            width * sizeof *p->kernel_values.v);
    if (n == 0 || p->kernels.v[n - 1].run != k.run) p->runs[k.run].first = n;
    n++;
  }
  p->kernels.n = n;
  p->kernel_values.n = n * width;
}

static void compact(struct weir_page *p, const bool *keep, uint32_t *place) {
  size_t n = 0;
  for (size_t i = 0; i < p->n; i++)
    place[i] = keep[i] ? (uint32_t)n++ : WEIR_PAGE_NONE;
  for (size_t i = 0; i < p->n; i++) {
    size_t to = place[i];
    if (to == WEIR_PAGE_NONE) continue;
    p->runs[to] = p->runs[i];
    if (p->runs[to].base != WEIR_PAGE_NONE) p->runs[to].base = place[p->runs[to].base];
    memmove(&p->values[to * p->n_stats], &p->values[i * p->n_stats],
            p->n_stats * sizeof *p->values);
    for (size_t k = 0; k < p->n_keys; k++)
      p->keys[k].of[to] = p->keys[k].of[i];
  }
  p->n = n;
  move_kernels(p, place);
}

static enum weir_status choose(struct weir_page *p, const struct weir_page_options *o,
                               struct weir_err *err) {
  if (o->n_only == 0) return WEIR_OK;
  size_t most = p->n + 1;
  for (size_t k = 0; k < p->n_keys; k++)
    most = p->keys[k].n_values > most ? p->keys[k].n_values : most;
  bool *keep = weir_malloc(p->n + 1);
  uint32_t *place = weir_calloc(most, sizeof *place);
  enum weir_status st = keep != NULL && place != NULL ? WEIR_OK : weir_no_memory(err);
  if (keep != NULL) memset(keep, true, p->n + 1);
  for (size_t i = 0; st == WEIR_OK && i < o->n_only; i++)
    st = mark(p, o->only[i], keep, err);
  if (st == WEIR_OK) {
    compact(p, keep, place);
    for (size_t k = 0; k < p->n_keys; k++)
      prune_key(p, k, place);
    if (p->n == 0) st = weir_fail(err, WEIR_ENOENT, "--only: no run has all of that");
  }
  free(keep);
  free(place);
  return st;
}

/* ---- files ---- */

/* What can be read only once, such as a pipe, is no store. */
static enum weir_status is_store(const char *path, bool *out, struct weir_err *err) {
  static const char magic[] = "SQLite format 3";
  struct stat info;
  char *data;
  size_t n;
  *out = false;
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return WEIR_OK;
  enum weir_status st = weir_file_read_start(path, sizeof magic, &data, &n, err);
  if (st != WEIR_OK) return st;
  *out = n == sizeof magic && memcmp(data, magic, sizeof magic) == 0;
  free(data);
  return WEIR_OK;
}

static enum weir_status one_study(const struct weir_page *p, const char *path,
                                  struct weir_err *err) {
  if (!p->has_study) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL, "one study at a time: '%s' or '%s'?", p->study, path);
  weir_err_add(err, "'weir merge' joins stores; files of weir characterize may be several");
  return WEIR_EINVAL;
}

static enum weir_status from_json(struct weir_page *p, const json_t *root, const char *path,
                                  const struct weir_page_options *o, struct weir_err *err) {
  const json_t *compare = json_object_get(root, "weir_compare");
  const json_t *character = json_object_get(root, "weir_characterize");
  const json_t *format = compare != NULL ? compare : character;
  if (format == NULL) {
    weir_fail(err, WEIR_EINVAL, "'%s' is JSON, but no output of weir compare or characterize",
              path);
    weir_err_add(err, "weir compare ... --json FILE, weir characterize ... --json FILE, or weir "
                      "sweep ... --store FILE write what can be drawn");
    return WEIR_EINVAL;
  }
  if (json_integer_value(format) != 1)
    return weir_fail(err, WEIR_EINVAL,
                     "'%s' has format %" JSON_INTEGER_FORMAT "; this weir reads 1", path,
                     json_integer_value(format));
  json_t *made = json_object_get(root, "provenance");
  if (made != NULL)
    weir_json_push(&p->provenance,
                   json_pack("{s:o, s:O}", "file", weir_json_text(path), "made", made));
  if (character != NULL) return weir_page_from_character(p, root, path, o, err);
  if (o->where != NULL)
    return weir_fail(err, WEIR_EINVAL, "--where is for stores; of '%s', --only KEY=VALUE chooses",
                     path);
  enum weir_status st = one_study(p, path, err);
  p->study = path;
  return st == WEIR_OK ? weir_page_from_compare(p, root, err) : st;
}

static enum weir_status read_file(struct weir_page *p, const char *path,
                                  const struct weir_page_options *o, struct weir_err *err) {
  bool is_db;
  char *data;
  size_t n;
  json_error_t why;
  enum weir_status st = is_store(path, &is_db, err);
  if (st != WEIR_OK) return st;
  if (is_db) {
    st = one_study(p, path, err);
    p->study = path;
    return st == WEIR_OK ? weir_page_from_store(p, path, o, err) : st;
  }
  st = weir_file_read(path, 0, NULL, &data, &n, err);
  if (st != WEIR_OK) return st;
  json_t *root = json_loadb(data, n, 0, &why);
  free(data);
  st = root != NULL
           ? from_json(p, root, path, o, err)
           : weir_fail(err, WEIR_EPARSE, "'%s' is neither a store of results nor JSON: line %d: %s",
                       path, why.line, why.text);
  json_decref(root);
  return st;
}

static enum weir_status name_stats(struct weir_page *p, const struct weir_page_options *o,
                                   struct weir_err *err) {
  p->stats = weir_arena_array(&p->a, weir_page_n_stats() + o->n_stats, sizeof *p->stats);
  if (p->stats == NULL) return weir_no_memory(err);
  for (; p->n_stats < weir_page_n_stats(); p->n_stats++)
    p->stats[p->n_stats] = weir_page_stats[p->n_stats];
  for (size_t i = 0; i < o->n_stats; i++)
    if (weir_page_stat(p, o->stats[i]) == SIZE_MAX) p->stats[p->n_stats++] = o->stats[i];
  return WEIR_OK;
}

/* A statistic that was asked for and that no run has is a mistake. */
static enum weir_status check_stats(const struct weir_page *p, const struct weir_page_options *o,
                                    struct weir_err *err) {
  for (size_t s = 0; s < o->n_stats && p->n > 0; s++) {
    size_t stat = weir_page_stat(p, o->stats[s]), i = 0;
    while (i < p->n && isnan(weir_page_value(p, i, stat)))
      i++;
    if (i < p->n) continue;
    weir_fail(err, WEIR_ENOENT, "no run of '%s' has the statistic '%.200s'", p->study, o->stats[s]);
    const char *near = weir_nearest(o->stats[s], weir_page_stats, weir_page_n_stats());
    if (near != NULL) weir_err_add(err, "did you mean '%s'?", near);
    return WEIR_ENOENT;
  }
  return WEIR_OK;
}

enum weir_status weir_page_read(struct weir_page *p, const char *const *files, size_t n,
                                const struct weir_page_options *o, struct weir_err *err) {
  *p = (struct weir_page){.title = o->title};
  p->characters = json_array();
  p->provenance = json_array();
  p->decisions = json_array();
  enum weir_status st = name_stats(p, o, err);
  for (size_t i = 0; st == WEIR_OK && i < n; i++)
    st = read_file(p, files[i], o, err);
  if (st == WEIR_OK &&
      (p->characters == NULL || p->provenance == NULL || p->decisions == NULL || p->failed))
    st = weir_no_memory(err);
  if (st == WEIR_OK && p->has_study) {
    st = order_schemes(p, err);
    if (st == WEIR_OK) st = weir_page_find_drawn(p, err);
    if (st == WEIR_OK) st = weir_page_compare(p, o, err);
    if (st == WEIR_OK) st = choose(p, o, err);
    if (st == WEIR_OK) st = check_stats(p, o, err);
  } else if (st == WEIR_OK && (o->n_only > 0 || o->baseline != NULL || o->where != NULL)) {
    st = weir_fail(
        err, WEIR_EINVAL,
        "--only, --baseline and --where are for studies, and '%s' is a characterised workload",
        files[0]);
  }
  if (p->title == NULL && n > 0)
    p->title = strrchr(files[0], '/') != NULL ? strrchr(files[0], '/') + 1 : files[0];
  return st;
}

void weir_page_free(struct weir_page *p) {
  json_decref(p->characters);
  json_decref(p->provenance);
  json_decref(p->decisions);
  free(p->kernels.v);
  free(p->kernel_values.v);
  free(p->kernel_names.v);
  weir_arena_free(&p->a);
  *p = (struct weir_page){0};
}
