/* What is compared, from stores and from JSON. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/stat_io.h"
#include "l1/scheme.h"
#include "report/diff.h"
#include "session/groups.h"
#include "sim/derived.h"

const char *const weir_diff_part_names[WEIR_DIFF_PARTS] = {"workload", "input", "gpu", "scheme",
                                                           "seed"};

/* ---- names ---- */

/* What can be read only once, such as a pipe, is no store. */
static enum weir_status look_at(struct weir_diff_source *s, struct weir_err *err) {
  static const char magic[] = "SQLite format 3";
  struct stat info;
  char *data;
  size_t n;
  if (stat(s->path, &info) == 0 && !S_ISREG(info.st_mode)) return WEIR_OK;
  enum weir_status st = weir_file_read_start(s->path, sizeof magic, &data, &n, err);
  if (st != WEIR_OK) return st;
  s->is_store = n == sizeof magic && memcmp(data, magic, sizeof magic) == 0;
  free(data);
  return WEIR_OK;
}

/* A file that has such a name itself is meant. */
enum weir_status weir_diff_source(const char *name, struct weir_arena *a,
                                  struct weir_diff_source *out, struct weir_err *err) {
  struct stat info;
  const char *hash = strrchr(name, '#');
  *out = (struct weir_diff_source){.name = name};
  size_t n = strlen(name);
  if (hash != NULL && stat(name, &info) != 0) {
    n = (size_t)(hash - name);
    if (!weir_parse_int(hash + 1, &out->run) || out->run < 1)
      return weir_fail(err, WEIR_EINVAL, "'%s': after '#' stands the number of a run, from 1 on",
                       name);
  }
  out->path = weir_arena_strndup(a, name, n);
  return out->path != NULL ? look_at(out, err) : weir_no_memory(err);
}

/* ---- building ---- */

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct weir_diff_stat_of *)a)->name,
                ((const struct weir_diff_stat_of *)b)->name);
}

/* Statistics of an item that is being read. */
struct stats {
  struct weir_diff_stat_of *v;
  size_t n, cap;
  bool is_failed;
};

struct reader {
  struct weir_diff_side *side;
  const struct weir_diff_source *source;
  bool has_kernels;
  const json_t *root;
  struct weir_store_setting *settings; /* of weir run */
  size_t n_settings;
};

static void add_stat(struct stats *s, const char *name, struct weir_value v) {
  if (name == NULL || !WEIR_PUSH(*s, ((struct weir_diff_stat_of){name, v}))) s->is_failed = true;
}

static struct weir_diff_stat_of *find_stat(const struct stats *s, const char *name) {
  const struct weir_diff_stat_of wanted = {.name = name};
  return s->n > 0 ? bsearch(&wanted, s->v, s->n, sizeof wanted, by_name) : NULL;
}

static void sort_stats(struct stats *s) {
  if (s->n > 0) qsort(s->v, s->n, sizeof *s->v, by_name);
}

static enum weir_status add_item(struct reader *d, struct weir_diff_item *item, struct stats *s,
                                 struct weir_err *err) {
  sort_stats(s);
  item->stat = weir_arena_copy(&d->side->a, s->v, s->n, sizeof *s->v);
  item->n_stats = s->n;
  bool is_good = item->stat != NULL && !s->is_failed;
  item->order = d->side->n;
  is_good = is_good && WEIR_PUSH(*d->side, *item);
  free(s->v);
  *s = (struct stats){0};
  return is_good ? WEIR_OK : weir_no_memory(err);
}

/* ---- JSON ---- */

static struct weir_value value_of(const json_t *o) {
  struct weir_value v = {.kind = WEIR_VALUE_NONE};
  if (json_is_integer(o)) {
    v.kind = WEIR_VALUE_WHOLE;
    v.whole = json_integer_value(o);
  } else if (json_is_real(o)) {
    v.kind = WEIR_VALUE_REAL;
    v.real = json_real_value(o);
  }
  return v;
}

/* The numbers of an object as PREFIX.NAME; `prefix` "": as NAME. */
static void add_numbers(struct reader *d, const json_t *o, const char *prefix, struct stats *s) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)o, key, value) {
    if (!json_is_number(value) && !(json_is_null(value) && prefix[0] != 0)) continue;
    add_stat(s, weir_arena_printf(&d->side->a, "%s%s%s", prefix, prefix[0] != 0 ? "." : "", key),
             value_of(value));
  }
}

/* Those of the objects within: "l1": {"hits": ...} as l1.hits, and of parts by their names. */
static void add_groups(struct reader *d, const json_t *o, struct stats *s) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)o, key, value) {
    if (!json_is_object(value)) continue;
    if (strcmp(key, "parts") == 0)
      add_groups(d, value, s);
    else
      add_numbers(d, value, key, s);
  }
}

static const char *text_of(struct reader *d, const json_t *o, const char *key) {
  const json_t *v = json_object_get(o, key);
  if (json_is_integer(v))
    return weir_arena_printf(&d->side->a, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
  const char *text = json_string_value(v);
  return text != NULL ? weir_arena_strndup(&d->side->a, text, strlen(text)) : NULL;
}

/* An object of texts, sorted by its keys. */
static enum weir_status read_settings(struct reader *d, const json_t *o,
                                      struct weir_store_setting **out, size_t *n,
                                      struct weir_err *err) {
  const char *key;
  json_t *value;
  enum { MORE = 3 }; /* those of add_first */
  struct weir_store_setting *v =
      weir_arena_array(&d->side->a, json_object_size(o) + MORE, sizeof *v);
  *n = 0;
  if (v == NULL) return weir_no_memory(err);
  json_object_foreach((json_t *)o, key, value) {
    v[*n].key = weir_arena_strndup(&d->side->a, key, strlen(key));
    v[*n].value = text_of(d, o, key);
    if (v[*n].key == NULL) return weir_no_memory(err);
    if (v[*n].value != NULL) ++*n;
  }
  if (*n > 0) qsort(v, *n, sizeof *v, weir_setting_by_key);
  *out = v;
  return WEIR_OK;
}

/* ---- weir compare ---- */

static enum weir_status compare_settings(struct reader *d, struct weir_diff_item *item,
                                         struct weir_err *err) {
  const json_t *setups = json_object_get(d->root, "setups");
  for (size_t i = 0; i < json_array_size(setups); i++) {
    const json_t *setup = json_array_get(setups, i);
    const char *gpu = json_string_value(json_object_get(setup, "gpu"));
    const char *scheme = json_string_value(json_object_get(setup, "scheme"));
    if (gpu == NULL || scheme == NULL || item->part[WEIR_DIFF_GPU] == NULL ||
        item->part[WEIR_DIFF_SCHEME] == NULL || strcmp(gpu, item->part[WEIR_DIFF_GPU]) != 0 ||
        strcmp(scheme, item->part[WEIR_DIFF_SCHEME]) != 0)
      continue;
    struct weir_store_setting *v = NULL;
    enum weir_status st =
        read_settings(d, json_object_get(setup, "settings"), &v, &item->n_settings, err);
    const char *certainty = text_of(d, setup, "certainty");
    if (st == WEIR_OK && certainty != NULL) {
      v[item->n_settings++] =
          (struct weir_store_setting){.key = WEIR_CERTAINTY_KEY, .value = certainty};
      qsort(v, item->n_settings, sizeof *v, weir_setting_by_key);
    }
    item->setting = v;
    return st;
  }
  return WEIR_OK;
}

static enum weir_status read_compared(struct reader *d, const json_t *run, struct weir_err *err) {
  struct stats s = {0};
  struct weir_diff_item item = {.status = text_of(d, run, "status")};
  for (int i = 0; i < WEIR_DIFF_PARTS; i++)
    item.part[i] = text_of(d, run, weir_diff_part_names[i]);
  json_t *bare = json_copy((json_t *)run);
  if (bare == NULL) return weir_no_memory(err);
  json_object_del(bare, "seed");
  json_object_del(bare, "repeat");
  add_numbers(d, bare, "", &s);
  json_decref(bare);
  add_groups(d, run, &s);
  enum weir_status st = compare_settings(d, &item, err);
  if (st == WEIR_OK) return add_item(d, &item, &s, err);
  free(s.v);
  return st;
}

/* ---- weir run, replay ---- */

/* How a statistic of several launches follows from theirs. */
enum sum { ADDS_UP, IS_LARGEST, IS_NONE };

static enum sum sum_of(const char *name) {
  size_t len = strlen(name);
  if (strcmp(name, "cycles") == 0) return ADDS_UP;
  if (strncmp(name, "storage.", 8) == 0) return IS_LARGEST;
  if (strncmp(name, "energy.", 7) == 0 && len > 3 && strcmp(name + len - 3, "_nj") == 0)
    return ADDS_UP; /* shown as a ratio, to have a point */
  const struct weir_stat *row = weir_stat_named(name, NULL);
  if (row == NULL) return IS_NONE;
  return row->kind == WEIR_COUNTER ? ADDS_UP : row->kind == WEIR_MAXIMUM ? IS_LARGEST : IS_NONE;
}

static void sum_value(enum sum how, struct weir_value *into, const struct weir_value *v) {
  double x = weir_value_real(into), y = weir_value_real(v);
  if (how == IS_LARGEST) {
    if (y > x) *into = *v;
  } else if (into->kind == WEIR_VALUE_WHOLE && v->kind == WEIR_VALUE_WHOLE) {
    into->whole += v->whole;
  } else {
    *into = (struct weir_value){.kind = WEIR_VALUE_REAL, .real = x + y};
  }
}

/* Adds a launch. What has no sum is left out, and so is what the output has of the run as well. */
static void sum_launch(struct stats *sum, struct stats *launch) {
  size_t before = sum->n;
  sort_stats(launch);
  for (size_t i = 0; i < launch->n; i++) {
    const struct weir_diff_stat_of *v = &launch->v[i];
    enum sum how = strncmp(v->name, "func.", 5) != 0 ? sum_of(v->name) : IS_NONE;
    const struct stats old = {.v = sum->v, .n = before};
    struct weir_diff_stat_of *into = find_stat(&old, v->name);
    if (how == IS_NONE) continue;
    if (into != NULL)
      sum_value(how, &into->value, &v->value);
    else
      add_stat(sum, v->name, v->value);
  }
  sort_stats(sum);
}

/* From the sums of counters. What also depends on the number of SMs is left out. */
static void add_derived(struct reader *d, struct stats *s) {
  struct weir_derived derived;
  struct weir_sim_result *r = weir_calloc(1, sizeof *r);
  if (r == NULL) {
    s->is_failed = true;
    return;
  }
  const struct {
    const struct weir_stat_group *group;
    void *base;
  } groups[] = {{&weir_sm_stat_group, &r->sm},
                {&weir_l1_stat_group, &r->l1},
                {&weir_l2_stat_group, &r->l2},
                {&weir_dram_stat_group, &r->dram}};
  const struct weir_diff_stat_of *cycles = find_stat(s, "cycles");
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
    for (const struct weir_stat *row = groups[g].group->table; row->name != NULL; row++) {
      char name[160];
      snprintf(name, sizeof name, "%s.%s", groups[g].group->prefix, row->name);
      const struct weir_diff_stat_of *v = find_stat(s, name);
      if (v != NULL && row->kind != WEIR_RATIO)
        *(uint64_t *)((char *)groups[g].base + row->offset) = (uint64_t)v->value.whole;
    }
  r->cycles = cycles != NULL ? (uint64_t)cycles->value.whole : 0;
  weir_derive(r, 0, &derived); /* no SMs: no value */
  for (const struct weir_stat *row = weir_derived_stat_table; row->name != NULL; row++) {
    double v = weir_stat_value(row, &derived);
    struct weir_value value = {isnan(v) ? WEIR_VALUE_NONE : WEIR_VALUE_REAL, 0, v};
    add_stat(s, weir_arena_printf(&d->side->a, "derived.%s", row->name), value);
  }
  free(r);
}

static void read_launch(struct reader *d, const json_t *launch, struct stats *s) {
  const json_t *timing = json_object_get(launch, "timing");
  add_numbers(d, json_object_get(launch, "statistics"), "func", s);
  add_numbers(d, timing, "", s);
  add_groups(d, timing, s);
}

static enum weir_status read_kernels(struct reader *d, const json_t *launches,
                                     struct weir_diff_item *item, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; st == WEIR_OK && i < json_array_size(launches); i++) {
    struct stats s = {0};
    const json_t *launch = json_array_get(launches, i);
    read_launch(d, launch, &s);
    item->kernel = (int64_t)i + 1;
    item->kernel_name = text_of(d, launch, "kernel");
    st = add_item(d, item, &s, err);
  }
  return st;
}

static enum weir_status read_launches(struct reader *d, const json_t *launches, const json_t *total,
                                      struct weir_diff_item *item, struct weir_err *err) {
  struct stats sum = {0};
  size_t n = json_array_size(launches);
  for (size_t i = 0; i < n; i++) {
    struct stats s = {0};
    read_launch(d, json_array_get(launches, i), &s);
    if (n == 1) {
      sum = s;
      break;
    }
    sum.is_failed |= s.is_failed;
    sum_launch(&sum, &s);
    free(s.v);
  }
  if (n > 1 && find_stat(&sum, "cycles") != NULL) add_derived(d, &sum);
  if (n != 1) add_numbers(d, total, "func", &sum);
  struct weir_value launched = {WEIR_VALUE_WHOLE, (int64_t)n, 0};
  add_stat(&sum, "launches", launched);
  return add_item(d, item, &sum, err);
}

/* The first of a list of the provenance, which has all that the runs have in common. */
static const char *first_of(struct reader *d, const char *list, const char *key) {
  const json_t *provenance = json_object_get(d->root, "provenance");
  return text_of(d, json_array_get(json_object_get(provenance, list), 0), key);
}

static void add_first(struct reader *d, const char *key, const char *list, const char *what) {
  const char *value = first_of(d, list, what);
  if (value == NULL) return;
  d->settings[d->n_settings++] = (struct weir_store_setting){.key = key, .value = value};
}

static enum weir_status read_common(struct reader *d, struct weir_err *err) {
  const json_t *provenance = json_object_get(d->root, "provenance");
  enum weir_status st =
      read_settings(d, json_object_get(provenance, "settings"), &d->settings, &d->n_settings, err);
  if (st != WEIR_OK) return st;
  add_first(d, WEIR_DIFF_MACHINE_HASH, "machines", "hash");
  add_first(d, WEIR_DIFF_SCHEME_HASH, "schemes", "hash");
  add_first(d, WEIR_CERTAINTY_KEY, "schemes", "certainty");
  qsort(d->settings, d->n_settings, sizeof *d->settings, weir_setting_by_key);
  return WEIR_OK;
}

static const char *either(const char *a, const char *b) {
  return a != NULL ? a : b;
}

/* A run; of a replay, which is one, its kernels are its launches. */
static enum weir_status read_result(struct reader *d, const json_t *run, struct weir_err *err) {
  const json_t *kernels = json_object_get(run, "kernels");
  const json_t *launches = kernels != NULL ? kernels : json_object_get(run, "launches");
  struct weir_diff_item item = {
      .status = "ok", .setting = d->settings, .n_settings = d->n_settings};
  item.part[WEIR_DIFF_WORKLOAD] = either(text_of(d, run, "workload"), text_of(d, run, "trace"));
  item.part[WEIR_DIFF_INPUT] = text_of(d, run, "input");
  item.part[WEIR_DIFF_GPU] = either(text_of(d, run, "gpu"), first_of(d, "machines", "name"));
  item.part[WEIR_DIFF_SCHEME] = either(text_of(d, run, "scheme"), first_of(d, "schemes", "name"));
  return d->has_kernels ? read_kernels(d, launches, &item, err)
                        : read_launches(d, launches, json_object_get(run, "total"), &item, err);
}

/* ---- files ---- */

static enum weir_status no_run(const struct reader *d, size_t n, struct weir_err *err) {
  return weir_fail(err, WEIR_ENOENT, "'%s' has no run %" PRId64 ": it has %zu", d->source->path,
                   d->source->run, n);
}

static enum weir_status read_runs(struct reader *d, bool is_compare, struct weir_err *err) {
  const json_t *runs = json_object_get(d->root, "runs");
  size_t n = runs != NULL ? json_array_size(runs) : 1;
  int64_t only = d->source->run;
  enum weir_status st = is_compare ? WEIR_OK : read_common(d, err);
  if (only > 0 && (uint64_t)only > n) return no_run(d, n, err);
  for (size_t i = 0; st == WEIR_OK && i < n; i++) {
    if (only > 0 && (uint64_t)only != i + 1) continue;
    const json_t *run = runs != NULL ? json_array_get(runs, i) : d->root;
    st = is_compare ? read_compared(d, run, err) : read_result(d, run, err);
  }
  return st;
}

static enum weir_status read_json(struct reader *d, struct weir_err *err) {
  char *data;
  size_t n;
  json_error_t why;
  enum weir_status st = weir_file_read(d->source->path, 0, NULL, &data, &n, err);
  if (st != WEIR_OK) return st;
  json_t *root = json_loadb(data, n, 0, &why);
  free(data);
  d->root = root;
  const json_t *result = json_object_get(root, "weir_result");
  const json_t *compare = json_object_get(root, "weir_compare");
  const json_t *format = result != NULL ? result : compare;
  if (root == NULL)
    st = weir_fail(err, WEIR_EPARSE, "'%s' is neither a store of results nor JSON: line %d: %s",
                   d->source->path, why.line, why.text);
  else if (format == NULL)
    st = weir_fail(err, WEIR_EINVAL, "'%s' is JSON, but no result of weir run, replay or compare",
                   d->source->path);
  else if (json_integer_value(format) != 1)
    st = weir_fail(err, WEIR_EINVAL, "'%s' has format %" JSON_INTEGER_FORMAT "; this weir reads 1",
                   d->source->path, json_integer_value(format));
  else if (compare != NULL && d->has_kernels)
    st = weir_fail(err, WEIR_EINVAL,
                   "'%s' has no kernels: a comparison keeps the sums of runs alone",
                   d->source->path);
  else
    st = read_runs(d, compare != NULL, err);
  json_decref(root);
  return st;
}

/* ---- stores ---- */

static enum weir_status take_run(struct reader *d, const struct weir_stored_run *run,
                                 struct weir_err *err) {
  struct weir_diff_item item = {.part = {run->workload, run->input, run->gpu, run->scheme,
                                         weir_arena_printf(&d->side->a, "%" PRId64, run->seed)},
                                .status = weir_stored_name(run->status),
                                .setting = run->setting,
                                .n_settings = run->n_settings,
                                .run = run};
  if (item.part[WEIR_DIFF_SEED] == NULL) return weir_no_memory(err);
  if (!d->has_kernels || run->n_kernels == 0)
    return WEIR_PUSH(*d->side, item) ? WEIR_OK : weir_no_memory(err);
  for (size_t i = 0; i < run->n_kernels; i++) {
    const struct weir_stored_kernel *k = &d->side->runs.kernels.v[run->first_kernel + i];
    item.kernel = k->number;
    item.kernel_name = k->name;
    if (!WEIR_PUSH(*d->side, item)) return weir_no_memory(err);
  }
  return WEIR_OK;
}

static enum weir_status read_store(struct reader *d, struct weir_err *err) {
  char where[40];
  struct weir_diff_side *side = d->side;
  struct weir_runs_options o = {.has_kernels = d->has_kernels};
  snprintf(where, sizeof where, "run = %" PRId64, d->source->run);
  if (d->source->run > 0) o.where = where;
  enum weir_status st = weir_store_open(d->source->path, WEIR_STORE_READ, NULL, &side->store, err);
  if (st == WEIR_OK) st = weir_runs_load(side->store, &o, &side->runs, err);
  if (st != WEIR_OK) return st;
  if (d->source->run > 0 && side->runs.n == 0) {
    weir_fail(err, WEIR_ENOENT, "'%s' has no run %" PRId64, d->source->path, d->source->run);
    weir_err_add(err,
                 "'weir query %s \"SELECT id, workload, gpu, scheme, seed FROM runs\"' shows "
                 "them",
                 d->source->path);
    return WEIR_ENOENT;
  }
  for (size_t i = 0; st == WEIR_OK && i < side->runs.n; i++)
    st = take_run(d, &side->runs.v[i], err);
  side->names = side->runs.names;
  side->n_names = side->runs.n_names;
  return st;
}

/* The names of all items, of which most have the same. */
static enum weir_status collect_names(struct weir_diff_side *side, struct weir_err *err) {
  struct weir_diff_names all = {0};
  bool is_good = true;
  for (size_t i = 0; is_good && i < side->n; i++) {
    size_t before = all.n;
    const struct weir_diff_item *item = &side->v[i];
    for (size_t k = 0; is_good && k < item->n_stats; k++) {
      const char *name = item->stat[k].name;
      if (before > 0 && bsearch(&name, all.v, before, sizeof name, weir_by_text) != NULL) continue;
      is_good = WEIR_PUSH(all, name);
    }
    if (all.n > before) qsort(all.v, all.n, sizeof *all.v, weir_by_text);
  }
  side->names = is_good ? weir_arena_copy(&side->a, all.v, all.n, sizeof *all.v) : NULL;
  side->n_names = side->names != NULL ? all.n : 0;
  free(all.v);
  return side->names != NULL ? WEIR_OK : weir_no_memory(err);
}

enum weir_status weir_diff_read(const struct weir_diff_source *source, bool has_kernels,
                                struct weir_diff_side *out, struct weir_err *err) {
  *out = (struct weir_diff_side){.name = source->name};
  struct reader d = {.side = out, .source = source, .has_kernels = has_kernels};
  enum weir_status st = source->is_store ? read_store(&d, err) : read_json(&d, err);
  if (st == WEIR_OK && !source->is_store) st = collect_names(out, err);
  if (st != WEIR_OK) weir_diff_side_free(out);
  return st;
}

void weir_diff_side_free(struct weir_diff_side *s) {
  if (s->store != NULL) weir_runs_free(&s->runs);
  weir_store_close(s->store);
  free(s->v);
  weir_arena_free(&s->a);
  *s = (struct weir_diff_side){0};
}

enum weir_status weir_diff_values(struct weir_diff_side *s, const struct weir_diff_item *item,
                                  struct weir_value *out, struct weir_err *err) {
  if (item->run != NULL) return weir_runs_stats(&s->runs, item->run, item->kernel, out, err);
  for (size_t i = 0, k = 0; i < s->n_names; i++) {
    while (k < item->n_stats && strcmp(item->stat[k].name, s->names[i]) < 0)
      k++;
    bool is_there = k < item->n_stats && strcmp(item->stat[k].name, s->names[i]) == 0;
    out[i] = is_there ? item->stat[k].value : (struct weir_value){.kind = WEIR_VALUE_NOT_THERE};
  }
  return WEIR_OK;
}
