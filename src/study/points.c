#include "study/points.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/suggest.h"
#include "l1/scheme.h"
#include "study/runs.h"

static const char *const fixed_names[WEIR_FIXED_KEYS] = {"workload", "input", "gpu",
                                                         "scheme",   "seed",  "kernel"};

/* ---- values ---- */

bool weir_key_is_seed(const struct weir_key *k) {
  return strcmp(k->name, "jitter.seed") == 0 || strcmp(k->name, fixed_names[WEIR_KEY_SEED]) == 0;
}

const char *weir_key_text(const struct weir_key *k, size_t point) {
  return k->values.v[k->of[point]];
}

const char *weir_key_said(const struct weir_key *k, size_t point) {
  const struct weir_key *c = k->certainty;
  return c != NULL && c->of[point] != 0 ? weir_key_text(c, point) : NULL;
}

static bool find_value(const struct weir_key *k, const char *text, uint32_t *out) {
  for (uint32_t i = 1; i < k->values.n; i++)
    if (strcmp(k->values.v[i], text) == 0) {
      *out = i;
      return true;
    }
  for (uint32_t i = 1; k->is_setting && i < k->values.n; i++)
    if (weir_value_equal(k->values.v[i], text)) {
      *out = i;
      return true;
    }
  return false;
}

/* Its number among the values of a key; NULL has 0. False: no memory. */
static bool add_value(struct weir_points *p, struct weir_key *k, const char *text, uint32_t *out) {
  *out = 0;
  if (text == NULL) return true;
  *out = k->n_before; /* neighbours are alike */
  if (*out > 0 && strcmp(k->values.v[*out], text) == 0) return true;
  if (!find_value(k, text, out)) {
    const char *copy = weir_arena_strndup(&p->arena, text, strlen(text));
    if (copy == NULL || !WEIR_PUSH(k->values, copy)) return false;
    *out = (uint32_t)(k->values.n - 1);
  }
  k->n_before = *out;
  return true;
}

static struct weir_key *add_key(struct weir_points *p, const char *name, bool is_setting) {
  struct weir_key k = {.name = weir_arena_strndup(&p->arena, name, strlen(name)),
                       .is_setting = is_setting};
  k.of = weir_arena_array(&p->arena, p->points.n + 1, sizeof *k.of);
  if (k.name == NULL || k.of == NULL || !WEIR_PUSH(k.values, "-")) return NULL;
  if (WEIR_PUSH(p->keys, k)) return &p->keys.v[p->keys.n - 1];
  free(k.values.v);
  return NULL;
}

/* ---- keys ---- */

const struct weir_key *weir_points_key(const struct weir_points *p, const char *name) {
  for (size_t i = 0; i < p->keys.n; i++)
    if (strcmp(p->keys.v[i].name, name) == 0) return &p->keys.v[i];
  return NULL;
}

enum weir_status weir_points_no_key(const struct weir_points *p, const char *option,
                                    const char *name, struct weir_err *err) {
  struct {
    const char **v;
    size_t n, cap;
  } names = {0};
  for (size_t i = 0; i < p->keys.n; i++)
    if (!WEIR_PUSH(names, p->keys.v[i].name)) break;
  const char *near = weir_nearest(name, names.v, names.n);
  free(names.v);
  weir_fail(err, WEIR_ENOENT, "%s: there is no key '%.200s'", option, name);
  if (near != NULL)
    weir_err_add(err, "did you mean '%s'?", near);
  else
    weir_err_add(err, "keys are workload, input, gpu, scheme, seed, kernel, and settings of the "
                      "runs, such as l1.size");
  return WEIR_ENOENT;
}

/* ---- points ---- */

/* One for each kernel, or for the run. */
static bool add_points(struct weir_points *p, const struct weir_runs *r,
                       const struct weir_stored_run *run) {
  struct weir_point point = {.run = run->id, .status = run->status, .value = (double)NAN};
  if (run->message != NULL) {
    point.message = weir_arena_strndup(&p->arena, run->message, strlen(run->message));
    if (point.message == NULL) return false;
  }
  if (run->n_kernels == 0) return WEIR_PUSH(p->points, point);
  for (size_t i = 0; i < run->n_kernels; i++) {
    point.kernel = r->kernels.v[run->first_kernel + i].number;
    if (!WEIR_PUSH(p->points, point)) return false;
  }
  return true;
}

/* ---- their keys ---- */

/* Of the points [first, end). False: no memory. */
static bool set(struct weir_points *p, struct weir_key *k, const char *text, size_t first,
                size_t end) {
  uint32_t number;
  if (!add_value(p, k, text, &number)) return false;
  for (size_t i = first; i < end; i++)
    k->of[i] = number;
  return true;
}

/* Runs have the same keys in the same order, or nearly so. */
static struct weir_key *setting_key(struct weir_points *p, const char *name, size_t *at) {
  if (*at < p->keys.n &&
      (p->keys.v[*at].before->key == name || strcmp(p->keys.v[*at].name, name) == 0))
    return &p->keys.v[(*at)++];
  for (size_t i = WEIR_FIXED_KEYS; i < p->keys.n; i++)
    if (strcmp(p->keys.v[i].name, name) == 0) {
      *at = i + 1;
      return &p->keys.v[i];
    }
  *at = p->keys.n + 1;
  return add_key(p, name, true);
}

static void note_origin(struct weir_key *k, const char *origin) {
  if (origin == NULL)
    k->is_said = true;
  else if (strncmp(origin, "--", 2) == 0)
    k->is_set = true;
  else if (strncmp(origin, "follows from", 12) == 0)
    k->is_derived = true;
  else if (strcmp(origin, "default") != 0)
    k->is_said = true;
}

/* Runs that have the same share its texts. */
static bool set_setting(struct weir_points *p, struct weir_key *k,
                        const struct weir_store_setting *s, size_t first, size_t end) {
  bool is_new = k->before == NULL || k->before->value != s->value || k->before->origin != s->origin;
  k->before = s;
  if (is_new) {
    note_origin(k, s->origin);
    return set(p, k, s->value, first, end);
  }
  for (size_t i = first; i < end; i++)
    k->of[i] = k->n_before;
  return true;
}

static bool set_kernel(struct weir_points *p, const struct weir_stored_kernel *kernel, size_t at) {
  char name[WEIR_DEMANGLED], text[WEIR_DEMANGLED + 24];
  snprintf(text, sizeof text, "%" PRId64 ":%s", kernel->number,
           weir_demangle(kernel->name, name, sizeof name));
  return set(p, &p->keys.v[WEIR_KEY_KERNEL], text, at, at + 1);
}

/* Of the points [first, end), which are one run. */
static bool set_keys(struct weir_points *p, const struct weir_runs *r,
                     const struct weir_stored_run *run, size_t first, size_t end) {
  char seed[24];
  snprintf(seed, sizeof seed, "%" PRId64, run->seed);
  const char *const fixed[] = {run->workload, run->input, run->gpu, run->scheme, seed};
  size_t at = WEIR_FIXED_KEYS;
  bool is_good = true;
  for (size_t k = 0; is_good && k < WEIR_KEY_KERNEL; k++)
    is_good = set(p, &p->keys.v[k], fixed[k], first, end);
  for (size_t i = 0; is_good && i < run->n_kernels; i++)
    is_good = set_kernel(p, &r->kernels.v[run->first_kernel + i], first + i);
  for (size_t i = 0; is_good && i < run->n_settings; i++) {
    struct weir_key *k = setting_key(p, run->setting[i].key, &at);
    is_good = k != NULL && set_setting(p, k, &run->setting[i], first, end);
  }
  return is_good;
}

static bool take_runs(struct weir_points *p, const struct weir_runs *r) {
  bool is_good = true;
  for (size_t i = 0; is_good && i < r->n; i++)
    is_good = add_points(p, r, &r->v[i]);
  for (int k = 0; is_good && k < WEIR_FIXED_KEYS; k++)
    is_good = add_key(p, fixed_names[k], false) != NULL;
  for (size_t i = 0, first = 0, end; is_good && i < r->n; i++, first = end) {
    end = first + (r->v[i].n_kernels > 0 ? r->v[i].n_kernels : 1);
    is_good = set_keys(p, r, &r->v[i], first, end);
  }
  return is_good;
}

/* ---- which settings the user set ---- */

static int by_what_was_run(const void *a, const void *b, void *self) {
  const struct weir_points *p = self;
  for (int k = 0; k <= WEIR_KEY_SCHEME; k++) {
    uint32_t x = p->keys.v[k].of[*(const size_t *)a], y = p->keys.v[k].of[*(const size_t *)b];
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

/* Files of machines, schemes and launches say the same whenever the same is run. */
static bool differs_within(const struct weir_points *p, const size_t *order,
                           const struct weir_key *k) {
  for (size_t i = 1; i < p->points.n; i++) {
    size_t a = order[i - 1], b = order[i];
    if (by_what_was_run(&a, &b, (void *)p) == 0 && k->of[a] != 0 && k->of[b] != 0 &&
        k->of[a] != k->of[b])
      return true;
  }
  return false;
}

static enum weir_status find_users(struct weir_points *p, struct weir_err *err) {
  size_t *order = weir_arena_array(&p->arena, p->points.n + 1, sizeof *order);
  if (order == NULL) return weir_no_memory(err);
  for (size_t i = 0; i < p->points.n; i++)
    order[i] = i;
  qsort_r(order, p->points.n, sizeof *order, by_what_was_run, p);
  for (size_t i = WEIR_FIXED_KEYS; i < p->keys.n; i++) {
    struct weir_key *k = &p->keys.v[i];
    k->is_users = k->values.n > 2 && !weir_key_is_seed(k) &&
                  (k->is_set || (k->is_said && !k->is_derived && differs_within(p, order, k)));
  }
  return WEIR_OK;
}

/* ---- all of it ---- */

static enum weir_status add_values(struct weir_points *p, struct weir_runs *r, const char *what,
                                   struct weir_err *err) {
  enum weir_status st = weir_runs_choose_value(r, what, err);
  for (size_t i = 0; st == WEIR_OK && i < p->points.n; i++) {
    struct weir_point *point = &p->points.v[i];
    st = weir_runs_value(r, point->run, point->kernel, &point->value, err);
  }
  return st;
}

enum weir_status weir_points_load(struct weir_store *s, const struct weir_points_want *want,
                                  struct weir_points *out, struct weir_err *err) {
  const struct weir_runs_options o = {.where = want->where,
                                      .has_kernels = want->by_kernel,
                                      .how_by_kernel = "kernel on an axis: --rows workload,kernel",
                                      .no_stats = true};
  struct weir_runs runs;
  *out = (struct weir_points){.are_chosen = want->where != NULL};
  enum weir_status st = weir_runs_load(s, &o, &runs, err);
  if (st != WEIR_OK) return st;
  st = take_runs(out, &runs) ? find_users(out, err) : weir_no_memory(err);
  if (st == WEIR_OK)
    out->keys.v[WEIR_KEY_SCHEME].certainty = weir_points_key(out, WEIR_CERTAINTY_KEY);
  if (st == WEIR_OK && out->points.n > 0 && want->statistic != NULL)
    st = add_values(out, &runs, want->statistic, err);
  weir_runs_free(&runs);
  return st;
}

void weir_points_free(struct weir_points *p) {
  for (size_t i = 0; i < p->keys.n; i++)
    free(p->keys.v[i].values.v);
  free(p->keys.v);
  free(p->points.v);
  weir_arena_free(&p->arena);
  *p = (struct weir_points){0};
}
