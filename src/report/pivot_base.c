#include "report/pivot_base.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"

enum { LISTED_KEYS = 6, LISTED_VALUES = 4 };

/* ---- what runs differ in ---- */

/* What one of them has not does not count: a scheme brings settings of its own. */
static bool do_differ(const struct weir_key *k, uint32_t a, uint32_t b) {
  bool is_without = k->is_setting && (k->of[a] == 0 || k->of[b] == 0);
  return k->of[a] != k->of[b] && !is_without && !weir_key_is_seed(k);
}

static bool is_chosen(const struct weir_key *k) {
  return !k->is_setting || k->is_users;
}

/* Of the keys that differ, those that somebody chose; else all, which follow from something that
 * the store does not have as a key. */
static void choose_keys(const struct weir_pivot *p, bool *differs) {
  bool any = false;
  for (size_t i = 0; i < p->of->keys.n; i++)
    any = any || (differs[i] && is_chosen(&p->of->keys.v[i]));
  for (size_t i = 0; any && i < p->of->keys.n; i++)
    differs[i] = differs[i] && is_chosen(&p->of->keys.v[i]);
}

static void put_values(struct weir_text *t, const struct weir_key *k) {
  const char *shown[LISTED_VALUES + 1];
  size_t n = 0;
  for (size_t i = 1; i < k->values.n; i++) { /* the first in order, by insertion */
    size_t at = n;
    while (at > 0 && weir_value_order(k->values.v[i], shown[at - 1]) < 0)
      at--;
    if (at >= LISTED_VALUES) continue;
    size_t last = n < LISTED_VALUES ? n++ : LISTED_VALUES - 1;
    memmove(&shown[at + 1], &shown[at], (last - at) * sizeof *shown);
    shown[at] = k->values.v[i];
  }
  for (size_t i = 0; i < n; i++)
    weir_text_printf(t, "%s%.60s", i > 0 ? ", " : "", shown[i]);
  if (k->values.n - 1 > n) weir_text_puts(t, ", ...");
}

/* "l1.size (16K, 32K), l1.ways (4, 8)" */
static void put_keys(struct weir_text *t, const struct weir_pivot *p, const bool *differs) {
  size_t n = 0;
  for (size_t i = 0; i < p->of->keys.n; i++) {
    if (!differs[i]) continue;
    if (n++ == LISTED_KEYS) {
      weir_text_puts(t, ", ...");
      return;
    }
    weir_text_printf(t, "%s%s (", n > 1 ? ", " : "", p->of->keys.v[i].name);
    put_values(t, &p->of->keys.v[i]);
    weir_text_puts(t, ")");
  }
}

/* Where a run is, for people: "spmv, eval, fermi-s3, tsc". */
static void put_point(struct weir_text *t, const struct weir_pivot *p, uint32_t point) {
  const char *mark = "";
  for (size_t k = 0; k < WEIR_FIXED_KEYS; k++) {
    const struct weir_key *key = &p->of->keys.v[k];
    if (k == WEIR_KEY_SEED || key->of[point] == 0) continue;
    weir_text_printf(t, "%s%s", mark, weir_key_text(key, point));
    mark = ", ";
  }
}

/* ---- runs of a cell ---- */

struct conflict {
  bool *differs; /* each key */
  uint32_t a, b; /* the first two that should not be in one cell */
  bool is_there;
  bool is_twice; /* nothing tells them apart */
};

static void look_at(const struct weir_pivot *p, const struct weir_pivot_cell *c,
                    struct conflict *found) {
  const struct weir_key *seed = &p->of->keys.v[WEIR_KEY_SEED];
  for (size_t i = 1; i < c->n; i++) {
    bool any = false;
    for (size_t k = 0; k < p->of->keys.n; k++) {
      bool does = do_differ(&p->of->keys.v[k], c->point[0], c->point[i]);
      found->differs[k] = found->differs[k] || does;
      any = any || does;
    }
    bool is_twice = !any && seed->of[c->point[i - 1]] == seed->of[c->point[i]];
    if ((any || is_twice) && !found->is_there) {
      found->a = any ? c->point[0] : c->point[i - 1];
      found->b = c->point[i];
      found->is_there = true;
    }
    found->is_twice = found->is_twice || is_twice;
  }
}

static void add_remedies(const struct weir_pivot *p, const bool *differs, struct weir_err *err) {
  struct weir_text axis = {0};
  const struct weir_key *first = NULL;
  for (size_t i = 0; i < p->columns.n; i++)
    weir_text_printf(&axis, "%s,", p->columns.key[i]->name);
  for (size_t i = 0, n = 0; i < p->of->keys.n && n < LISTED_KEYS; i++) {
    if (!differs[i]) continue;
    weir_text_printf(&axis, "%s%s", n++ > 0 ? "," : "", p->of->keys.v[i].name);
    if (first == NULL) first = &p->of->keys.v[i];
  }
  if (first == NULL || axis.failed) {
    weir_text_free(&axis);
    return;
  }
  struct weir_text values = {0};
  put_values(&values, first);
  weir_err_add(err, "remedy: put it on an axis: --columns %s", axis.v);
  weir_err_add(err,
               first->is_setting ? "or choose one: --where \"[%s] = '%.*s'\""
                                 : "or choose one: --where \"%s = '%.*s'\"",
               first->name, (int)(values.v != NULL ? strcspn(values.v, ",") : 0),
               values.v != NULL ? values.v : "");
  weir_text_free(&values);
  weir_text_free(&axis);
}

static enum weir_status refuse_twice(const struct weir_pivot *p, uint32_t a, uint32_t b,
                                     struct weir_err *err) {
  struct weir_text where = {0};
  int64_t x = p->of->points.v[a].run, y = p->of->points.v[b].run;
  put_point(&where, p, a);
  weir_fail(err, WEIR_EINVAL,
            "runs %" PRId64 " and %" PRId64 " (%s) have the same keys and the same seed", x, y,
            where.v != NULL ? where.v : "");
  weir_err_add(
      err, "what tells them apart is in the column identity_text: another version of the model, "
           "or other files");
  weir_err_add(err, "remedy: leave one out: --where \"run <> %" PRId64 "\"", x);
  weir_text_free(&where);
  return WEIR_EINVAL;
}

static enum weir_status refuse_cell(const struct weir_pivot *p, struct conflict *found,
                                    struct weir_err *err) {
  struct weir_text where = {0}, keys = {0};
  bool any = false;
  for (size_t i = 0; i < p->of->keys.n; i++)
    any = any || found->differs[i];
  if (!any) return refuse_twice(p, found->a, found->b, err);
  choose_keys(p, found->differs);
  put_point(&where, p, found->a);
  put_keys(&keys, p, found->differs);
  weir_fail(err, WEIR_EINVAL, "runs of one cell differ in more than the seed: %s",
            keys.v != NULL ? keys.v : "");
  weir_err_add(err, "such as runs %" PRId64 " and %" PRId64 " (%s); no mean is made of these",
               p->of->points.v[found->a].run, p->of->points.v[found->b].run,
               where.v != NULL ? where.v : "");
  add_remedies(p, found->differs, err);
  weir_text_free(&where);
  weir_text_free(&keys);
  return WEIR_EINVAL;
}

enum weir_status weir_pivot_check_cells(const struct weir_pivot *p, struct weir_err *err) {
  struct weir_arena a = {0};
  struct conflict found = {.differs =
                               weir_arena_array(&a, p->of->keys.n + 1, sizeof *found.differs)};
  enum weir_status st = found.differs != NULL ? WEIR_OK : weir_no_memory(err);
  for (size_t t = 0; st == WEIR_OK && t < p->n_tables; t++)
    for (size_t i = 0; i < p->table[t].n_rows * p->table[t].n_columns; i++)
      look_at(p, &p->table[t].cell[i], &found);
  if (st == WEIR_OK && found.is_there) st = refuse_cell(p, &found, err);
  weir_arena_free(&a);
  return st;
}

/* ---- the baseline ---- */

static enum weir_status no_value(const struct weir_pivot *p, const struct weir_key *k,
                                 const char *value, struct weir_err *err) {
  const char *near = weir_nearest(value, k->values.v + 1, k->values.n - 1);
  struct weir_text values = {0};
  put_values(&values, k);
  weir_fail(err, WEIR_ENOENT, "--baseline %s: no run has %s=%.200s", p->baseline, k->name, value);
  if (near != NULL)
    weir_err_add(err, "did you mean '%s=%s'?", k->name, near);
  else if (values.v != NULL)
    weir_err_add(err, "there are %s", values.v);
  else
    weir_err_add(err, "none has a value of '%s'", k->name);
  if (p->of->are_chosen) weir_err_add(err, "what --where leaves out is no baseline");
  weir_text_free(&values);
  return WEIR_ENOENT;
}

static enum weir_status add_baseline(struct weir_pivot *p, const char *name, const char *value,
                                     struct weir_err *err) {
  const struct weir_key *k = weir_points_key(p->of, name);
  if (k == NULL) return weir_points_no_key(p->of, "--baseline", name, err);
  if (p->base.n == WEIR_AXIS_KEYS)
    return weir_fail(err, WEIR_EINVAL, "--baseline: more than %d keys", WEIR_AXIS_KEYS);
  for (size_t i = 0; i < p->base.n; i++)
    if (p->base.key[i] == k)
      return weir_fail(err, WEIR_EINVAL, "--baseline %s: '%s' stands there twice", p->baseline,
                       name);
  for (size_t i = 1; i < k->values.n; i++)
    if (strcmp(k->values.v[i], value) == 0 ||
        (k->is_setting && weir_value_equal(k->values.v[i], value))) {
      p->base_value[p->base.n] = k->values.v[i];
      p->base.key[p->base.n++] = k;
      return WEIR_OK;
    }
  return no_value(p, k, value, err);
}

enum weir_status weir_pivot_read_baseline(struct weir_pivot *p, struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  char pair[512];
  for (const char *at = p->baseline; st == WEIR_OK && weir_next_word(&at, pair, sizeof pair);) {
    char *equals = strchr(pair, '=');
    if (equals == NULL || equals == pair || equals[1] == 0)
      return weir_fail(err, WEIR_EINVAL, "--baseline %s: want KEY=VALUE, as scheme=baseline",
                       p->baseline);
    *equals = 0;
    st = add_baseline(p, pair, equals + 1, err);
  }
  return st;
}

static bool is_baseline(const struct weir_pivot *p, uint32_t point) {
  for (size_t i = 0; i < p->base.n; i++)
    if (strcmp(weir_key_text(p->base.key[i], point), p->base_value[i]) != 0) return false;
  return p->of->points.v[point].status == WEIR_STORED_OK;
}

/* Keys that a run and its baseline have in common. */
static size_t find_match_keys(const struct weir_pivot *p, const struct weir_key **keys) {
  size_t n = 0;
  for (size_t i = 0; i < p->of->keys.n; i++) {
    const struct weir_key *k = &p->of->keys.v[i];
    bool is_base = false;
    for (size_t b = 0; b < p->base.n; b++)
      is_base = is_base || p->base.key[b] == k;
    if (is_chosen(k) && !is_base) keys[n++] = k;
  }
  return n;
}

static bool does_match(const struct weir_key *const *keys, size_t n, uint32_t a, uint32_t b) {
  for (size_t i = 0; i < n; i++) {
    bool is_without = keys[i]->is_setting && (keys[i]->of[a] == 0 || keys[i]->of[b] == 0);
    if (keys[i]->of[a] != keys[i]->of[b] && !is_without) return false;
  }
  return true;
}

static enum weir_status refuse_several(const struct weir_pivot *p, uint32_t point, uint32_t a,
                                       uint32_t b, struct weir_err *err) {
  struct weir_arena arena = {0};
  struct weir_text where = {0}, keys = {0};
  bool any = false;
  bool *differs = weir_arena_array(&arena, p->of->keys.n + 1, sizeof *differs);
  for (size_t k = 0; differs != NULL && k < p->of->keys.n; k++) {
    differs[k] = do_differ(&p->of->keys.v[k], a, b);
    any = any || differs[k];
  }
  if (!any) {
    weir_arena_free(&arena);
    return differs != NULL ? refuse_twice(p, a, b, err) : weir_no_memory(err);
  }
  choose_keys(p, differs);
  put_keys(&keys, p, differs);
  put_point(&where, p, point);
  weir_fail(err, WEIR_EINVAL, "--baseline %s: for run %" PRId64 " (%s) there are several",
            p->baseline, p->of->points.v[point].run, where.v != NULL ? where.v : "");
  weir_err_add(err, "they differ in %s", keys.v != NULL ? keys.v : "");
  for (size_t k = 0; k < p->of->keys.n; k++)
    if (differs[k]) {
      weir_err_add(err, "remedy: say which: --baseline %s,%s=%s", p->baseline,
                   p->of->keys.v[k].name, weir_key_text(&p->of->keys.v[k], a));
      break;
    }
  weir_text_free(&where);
  weir_text_free(&keys);
  weir_arena_free(&arena);
  return WEIR_EINVAL;
}

enum weir_status weir_pivot_find_baselines(struct weir_pivot *p, const uint32_t **out,
                                           struct weir_err *err) {
  size_t n = p->of->points.n, n_bases = 0;
  uint32_t *base_of = weir_arena_array(&p->arena, n + 1, sizeof *base_of);
  uint32_t *bases = weir_arena_array(&p->arena, n + 1, sizeof *bases);
  const struct weir_key **keys = weir_arena_array(&p->arena, p->of->keys.n + 1, sizeof *keys);
  if (base_of == NULL || bases == NULL || keys == NULL) return weir_no_memory(err);
  size_t n_keys = find_match_keys(p, keys);
  for (uint32_t i = 0; i < n; i++)
    if (is_baseline(p, i)) bases[n_bases++] = i;
  for (uint32_t i = 0; i < n; i++) {
    base_of[i] = WEIR_NO_POINT;
    for (size_t b = 0; b < n_bases; b++) {
      if (!does_match(keys, n_keys, i, bases[b])) continue;
      if (base_of[i] != WEIR_NO_POINT) return refuse_several(p, i, base_of[i], bases[b], err);
      base_of[i] = bases[b];
    }
  }
  *out = base_of;
  return WEIR_OK;
}
