#include "report/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "l1/scheme.h"
#include "session/groups.h"

static bool is_same(const char *a, const char *b) {
  return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* ---- what pairs are found by ---- */

static bool is_varying(const struct weir_diff_side *s, int part) {
  for (size_t i = 1; i < s->n; i++)
    if (!is_same(s->v[i].part[part], s->v[0].part[part])) return true;
  return false;
}

static int by_parts(const void *a, const void *b) {
  const struct weir_diff_item *x = a, *y = b;
  for (int i = 0; i < WEIR_DIFF_PARTS; i++) {
    const char *p = x->part[i] != NULL ? x->part[i] : "", *q = y->part[i] != NULL ? y->part[i] : "";
    int order = strcmp(p, q);
    if (order != 0) return order;
  }
  return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

/* Walks two lists that are sorted by key. */
struct walk {
  const struct weir_diff_item *a, *b;
  size_t i, k;
};

/* The next key that one of them has, and the values; NULL: there is none. */
static const char *next_key(struct walk *w, const char **a, const char **b) {
  const struct weir_store_setting *x = w->i < w->a->n_settings ? &w->a->setting[w->i] : NULL;
  const struct weir_store_setting *y = w->k < w->b->n_settings ? &w->b->setting[w->k] : NULL;
  *a = *b = NULL;
  if (x == NULL && y == NULL) return NULL;
  int order = x == NULL ? 1 : y == NULL ? -1 : strcmp(x->key, y->key);
  if (order <= 0) {
    *a = x->value;
    w->i++;
  }
  if (order >= 0) {
    *b = y->value;
    w->k++;
  }
  return order <= 0 ? x->key : y->key;
}

/* "" for none. */
static const char *setting_of(const struct weir_diff_item *item, const char *key) {
  const struct weir_store_setting *s = weir_setting_find(item->setting, item->n_settings, key);
  return s != NULL ? s->value : "";
}

static int by_parts_and_keys(const void *a, const void *b, void *self) {
  const struct weir_diff_names *keys = self;
  int order = by_parts(a, b);
  for (size_t i = 0; order == 0 && i < keys->n; i++)
    order = strcmp(setting_of(a, keys->v[i]), setting_of(b, keys->v[i]));
  return order;
}

/* Rather what somebody set than what follows from it. */
static int rank_of(const struct weir_diff_item *item, const char *key) {
  const struct weir_store_setting *s = weir_setting_find(item->setting, item->n_settings, key);
  if (s == NULL) return 2;
  return s->origin == NULL ? 1 : strncmp(s->origin, "--", 2) == 0 ? 0 : 2;
}

/* A setting in which two items differ; NULL: there is none. */
static const char *best_key(const struct weir_diff_item *a, const struct weir_diff_item *b) {
  const char *x, *y, *best = NULL;
  struct walk w = {.a = a, .b = b};
  for (const char *key; (key = next_key(&w, &x, &y)) != NULL;)
    if (!is_same(x, y) && (best == NULL || rank_of(a, key) < rank_of(a, best))) best = key;
  return best;
}

/* Settings that tell apart runs of the same thing, and no more of them than that takes: each is
 * chosen for two that those before it leave together. */
static bool find_swept(struct weir_diff_side *s, struct weir_diff_names *keys) {
  for (const char *key = ""; key != NULL;) {
    if (s->n > 0) qsort_r(s->v, s->n, sizeof *s->v, by_parts_and_keys, keys);
    key = NULL;
    for (size_t i = 1; key == NULL && i < s->n; i++)
      if (by_parts_and_keys(&s->v[i - 1], &s->v[i], keys) == 0)
        key = best_key(&s->v[i - 1], &s->v[i]);
    if (key != NULL && !WEIR_PUSH(*keys, key)) return false;
  }
  return true;
}

static enum weir_status find_keys(struct weir_diff *d, struct weir_err *err) {
  struct weir_diff_names keys = {0};
  bool is_good = find_swept(&d->a, &keys) && find_swept(&d->b, &keys);
  if (keys.n > 0) qsort(keys.v, keys.n, sizeof *keys.v, weir_by_text);
  d->swept = is_good ? weir_arena_copy(&d->arena, keys.v, keys.n, sizeof *keys.v) : NULL;
  d->n_swept = d->swept != NULL ? keys.n : 0;
  free(keys.v);
  for (int i = 0; i < WEIR_DIFF_PARTS; i++)
    d->is_key[i] = is_varying(&d->a, i) || is_varying(&d->b, i);
  return d->swept != NULL ? WEIR_OK : weir_no_memory(err);
}

/* ---- pairs ---- */

/* Nothing that stands in a text is below a blank. */
static enum weir_status make_keys(struct weir_diff *d, struct weir_diff_side *s,
                                  struct weir_err *err) {
  struct weir_text t = {0};
  for (size_t i = 0; i < s->n; i++) {
    struct weir_diff_item *item = &s->v[i];
    t.n = 0;
    weir_text_puts(&t, "");
    for (int p = 0; p < WEIR_DIFF_PARTS; p++)
      if (d->is_key[p]) weir_text_printf(&t, "%s\x1f", item->part[p] != NULL ? item->part[p] : "");
    for (size_t k = 0; k < d->n_swept; k++) {
      weir_text_printf(&t, "%s\x1f", setting_of(item, d->swept[k]));
    }
    weir_text_printf(&t, "%08lld %s", (long long)item->kernel,
                     item->kernel_name != NULL ? item->kernel_name : "");
    item->key = t.failed ? NULL : weir_arena_strndup(&d->arena, t.v, t.n);
    if (item->key == NULL) break;
  }
  bool is_good = s->n == 0 || s->v[s->n - 1].key != NULL;
  weir_text_free(&t);
  return is_good ? WEIR_OK : weir_no_memory(err);
}

/* Runs that settings do not tell apart are of several models: by their identities. */
static int by_pair_key(const void *a, const void *b) {
  const struct weir_diff_item *x = a, *y = b;
  int order = strcmp(x->key, y->key);
  if (order == 0) order = by_parts(a, b);
  if (order == 0 && x->run != NULL && y->run != NULL)
    order = strcmp(x->run->identity, y->run->identity);
  return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

/* Of several with one key the first goes with the first. */
static enum weir_status pair(struct weir_diff *d, struct weir_err *err) {
  bool is_good = true;
  if (d->a.n > 0) qsort(d->a.v, d->a.n, sizeof *d->a.v, by_pair_key);
  if (d->b.n > 0) qsort(d->b.v, d->b.n, sizeof *d->b.v, by_pair_key);
  for (size_t i = 0, k = 0; is_good && (i < d->a.n || k < d->b.n);) {
    int order = i == d->a.n ? 1 : k == d->b.n ? -1 : strcmp(d->a.v[i].key, d->b.v[k].key);
    if (order == 0) {
      is_good = WEIR_PUSH(d->pairs, ((struct weir_diff_pair){i++, k++}));
    } else if (order < 0) {
      is_good = WEIR_PUSH(d->only_a, i);
      i++;
    } else {
      is_good = WEIR_PUSH(d->only_b, k);
      k++;
    }
  }
  return is_good ? WEIR_OK : weir_no_memory(err);
}

/* ---- settings ---- */

const char *weir_diff_certainty(const struct weir_diff_item *item) {
  const struct weir_store_setting *s =
      weir_setting_find(item->setting, item->n_settings, WEIR_CERTAINTY_KEY);
  return s != NULL ? s->value : NULL;
}

static bool add_setting(struct weir_diff *d, const char *key, const char *a, const char *b) {
  return is_same(a, b) ||
         WEIR_PUSH(d->settings, ((struct weir_diff_setting){key, a, b, 1, NULL, NULL}));
}

/* Another machine has another hash, which says nothing more. */
static bool is_said(const struct weir_diff_item *a, const struct weir_diff_item *b,
                    const char *key) {
  int part = strcmp(key, WEIR_DIFF_MACHINE_HASH) == 0  ? WEIR_DIFF_GPU
             : strcmp(key, WEIR_DIFF_SCHEME_HASH) == 0 ? WEIR_DIFF_SCHEME
                                                       : WEIR_DIFF_PARTS;
  return part < WEIR_DIFF_PARTS && !is_same(a->part[part], b->part[part]);
}

static enum weir_status compare_settings(struct weir_diff *d, const struct weir_diff_item *a,
                                         const struct weir_diff_item *b, struct weir_err *err) {
  const char *x, *y;
  struct walk w = {.a = a, .b = b};
  size_t before = d->settings.n;
  bool is_good = true;
  for (int i = 0; is_good && i < WEIR_DIFF_PARTS; i++)
    if (a->part[i] != NULL && b->part[i] != NULL) /* else an output does not say it */
      is_good = add_setting(d, weir_diff_part_names[i], a->part[i], b->part[i]);
  for (size_t i = before; i < d->settings.n; i++)
    if (d->settings.v[i].key == weir_diff_part_names[WEIR_DIFF_SCHEME]) {
      d->settings.v[i].said_a = weir_diff_certainty(a);
      d->settings.v[i].said_b = weir_diff_certainty(b);
    }
  is_good = is_good && add_setting(d, "status", a->status, b->status);
  for (const char *key; is_good && (key = next_key(&w, &x, &y)) != NULL;)
    is_good = is_said(a, b, key) || add_setting(d, key, x, y);
  return is_good ? WEIR_OK : weir_no_memory(err);
}

/* What was run stands before settings. */
static int rank(const char *key) {
  for (int i = 0; i < WEIR_DIFF_PARTS; i++)
    if (strcmp(key, weir_diff_part_names[i]) == 0) return i;
  return strcmp(key, "status") == 0 ? WEIR_DIFF_PARTS : WEIR_DIFF_PARTS + 1;
}

static int by_setting(const void *a, const void *b) {
  const struct weir_diff_setting *x = a, *y = b;
  int order = rank(x->key) - rank(y->key);
  if (order == 0) order = strcmp(x->key, y->key);
  if (order == 0) order = strcmp(x->a != NULL ? x->a : "", y->a != NULL ? y->a : "");
  return order != 0 ? order : strcmp(x->b != NULL ? x->b : "", y->b != NULL ? y->b : "");
}

static void count_settings(struct weir_diff *d) {
  size_t n = 0;
  if (d->settings.n > 0) qsort(d->settings.v, d->settings.n, sizeof *d->settings.v, by_setting);
  for (size_t i = 0; i < d->settings.n; i++) {
    if (n > 0 && by_setting(&d->settings.v[n - 1], &d->settings.v[i]) == 0)
      d->settings.v[n - 1].pairs++;
    else
      d->settings.v[n++] = d->settings.v[i];
  }
  d->settings.n = n;
}

/* ---- statistics ---- */

/* A change, in percent or in hundredths, and where it is largest. */
struct most {
  double change;
  size_t pair;
  struct weir_value a, b;
};

struct name {
  const char *text;
  size_t a, b;                       /* place on its side; SIZE_MAX: none */
  bool is_in_a, is_in_b, is_in_both; /* of some pair */
  bool is_share;                     /* all values are reals from 0 to 1 */
  size_t pairs;
  struct most relative, points;
};

struct comparer {
  struct weir_diff *d;
  struct name *names;
  size_t n_names;
  struct weir_value *a, *b;
};

/* Of statistics that weir knows their unit says it; of others (a plug-in's) their name, or that all
 * values are such. */
static bool is_in_points(const char *name, bool is_share) {
  size_t len = strlen(name);
  const struct weir_stat *row = weir_stat_named(name, NULL);
  if (row != NULL) return row->kind == WEIR_RATIO && strcmp(row->unit, "1") == 0;
  return is_share || strstr(name, "_rate") != NULL ||
         (len > 5 && strcmp(name + len - 5, "_frac") == 0);
}

static void note(struct most *m, double change, size_t at, const struct weir_value *a,
                 const struct weir_value *b, bool is_first) {
  if (!is_first && fabs(change) <= fabs(m->change)) return;
  *m = (struct most){change, at, *a, *b};
}

static bool is_share(const struct weir_value *v) {
  return v->kind == WEIR_VALUE_NONE || (v->kind == WEIR_VALUE_REAL && v->real >= 0 && v->real <= 1);
}

/* True: they differ. */
static bool compare_values(struct name *n, const struct weir_value *a, const struct weir_value *b,
                           size_t at) {
  double x = weir_value_real(a), y = weir_value_real(b);
  double points = 100 * (y - x), relative = points / fabs(x);
  n->is_share = n->is_share && is_share(a) && is_share(b);
  if (a->kind == WEIR_VALUE_WHOLE && b->kind == WEIR_VALUE_WHOLE ? a->whole == b->whole
                                                                 : x == y || (isnan(x) && isnan(y)))
    return false;
  if (isnan(x) || isnan(y)) points = relative = (double)INFINITY;
  note(&n->relative, relative, at, a, b, n->pairs == 0);
  note(&n->points, points, at, a, b, n->pairs == 0);
  n->pairs++;
  return true;
}

static void add_cycles(struct weir_diff *d, const struct weir_value *a,
                       const struct weir_value *b) {
  double x = weir_value_real(a), y = weir_value_real(b);
  if (!(x > 0) || !(y > 0)) return;
  d->cycle_logs += log(y / x);
  d->n_cycles++;
}

/* Of a run that ended on one side only, that is said, and nothing else. */
static enum weir_status compare_stats(struct comparer *c, size_t at, bool *is_different,
                                      struct weir_err *err) {
  static const struct weir_value none = {.kind = WEIR_VALUE_NOT_THERE};
  struct weir_diff *d = c->d;
  const struct weir_diff_pair *p = &d->pairs.v[at];
  const struct weir_diff_item *x = &d->a.v[p->a], *y = &d->b.v[p->b];
  if (!is_same(x->status, y->status)) {
    *is_different = true;
    return WEIR_OK;
  }
  enum weir_status st = weir_diff_values(&d->a, x, c->a, err);
  if (st == WEIR_OK) st = weir_diff_values(&d->b, y, c->b, err);
  for (size_t i = 0; st == WEIR_OK && i < c->n_names; i++) {
    struct name *n = &c->names[i];
    const struct weir_value *a = n->a < SIZE_MAX ? &c->a[n->a] : &none;
    const struct weir_value *b = n->b < SIZE_MAX ? &c->b[n->b] : &none;
    bool is_in_a = a->kind != WEIR_VALUE_NOT_THERE, is_in_b = b->kind != WEIR_VALUE_NOT_THERE;
    n->is_in_a |= is_in_a;
    n->is_in_b |= is_in_b;
    n->is_in_both |= is_in_a && is_in_b;
    if (is_in_a && is_in_b) *is_different |= compare_values(n, a, b, at);
    if (strcmp(n->text, "cycles") == 0) add_cycles(d, a, b);
    *is_different |= is_in_a != is_in_b;
  }
  return st;
}

static enum weir_status join_names(struct comparer *c, struct weir_err *err) {
  const struct weir_diff_side *a = &c->d->a, *b = &c->d->b;
  c->names = weir_calloc(a->n_names + b->n_names + 1, sizeof *c->names);
  c->a = weir_calloc(a->n_names + 1, sizeof *c->a);
  c->b = weir_calloc(b->n_names + 1, sizeof *c->b);
  if (c->names == NULL || c->a == NULL || c->b == NULL) return weir_no_memory(err);
  for (size_t i = 0, k = 0; i < a->n_names || k < b->n_names;) {
    int order = i == a->n_names ? 1 : k == b->n_names ? -1 : strcmp(a->names[i], b->names[k]);
    struct name *n = &c->names[c->n_names++];
    *n = (struct name){.text = order <= 0 ? a->names[i] : b->names[k], .is_share = true};
    n->a = order <= 0 ? i++ : SIZE_MAX;
    n->b = order >= 0 ? k++ : SIZE_MAX;
  }
  return WEIR_OK;
}

/* Larger changes first; of equal ones, from 0 that is, larger values, and then names. */
static int by_change(const void *a, const void *b) {
  const struct weir_diff_stat *x = a, *y = b;
  double p = fabs(x->change), q = fabs(y->change);
  if (p != q) return p > q ? -1 : 1;
  p = fabs(weir_value_real(&x->b));
  q = fabs(weir_value_real(&y->b));
  if (isinf(x->change) && !isnan(p) && !isnan(q) && p != q) return p > q ? -1 : 1;
  return strcmp(x->name, y->name);
}

static enum weir_status list_stats(struct comparer *c, struct weir_err *err) {
  struct weir_diff *d = c->d;
  bool is_good = true;
  for (size_t i = 0; is_good && i < c->n_names; i++) {
    const struct name *n = &c->names[i];
    bool is_points = is_in_points(n->text, n->is_share);
    const struct most *m = is_points ? &n->points : &n->relative;
    const struct weir_diff_stat stat = {.name = n->text,
                                        .pairs = n->pairs,
                                        .pair = m->pair,
                                        .a = m->a,
                                        .b = m->b,
                                        .is_points = is_points,
                                        .change = m->change};
    d->n_compared += n->is_in_both;
    if (n->pairs > 0) is_good = WEIR_PUSH(d->stats, stat);
    if (is_good && n->is_in_a && !n->is_in_both) is_good = WEIR_PUSH(d->stats_a, n->text);
    if (is_good && n->is_in_b && !n->is_in_both) is_good = WEIR_PUSH(d->stats_b, n->text);
  }
  if (d->stats.n > 0) qsort(d->stats.v, d->stats.n, sizeof *d->stats.v, by_change);
  return is_good ? WEIR_OK : weir_no_memory(err);
}

static enum weir_status compare(struct weir_diff *d, struct weir_err *err) {
  struct comparer c = {.d = d};
  enum weir_status st = join_names(&c, err);
  for (size_t i = 0; st == WEIR_OK && i < d->pairs.n; i++) {
    bool is_different = false;
    st = compare_settings(d, &d->a.v[d->pairs.v[i].a], &d->b.v[d->pairs.v[i].b], err);
    if (st == WEIR_OK) st = compare_stats(&c, i, &is_different, err);
    d->n_different += is_different;
  }
  count_settings(d);
  if (st == WEIR_OK) st = list_stats(&c, err);
  free(c.names);
  free(c.a);
  free(c.b);
  return st;
}

/* ---- all ---- */

enum weir_status weir_diff(struct weir_diff_side *a, struct weir_diff_side *b,
                           struct weir_diff *out, struct weir_err *err) {
  *out = (struct weir_diff){.a = *a, .b = *b};
  *a = *b = (struct weir_diff_side){0};
  enum weir_status st = find_keys(out, err);
  if (st == WEIR_OK) st = make_keys(out, &out->a, err);
  if (st == WEIR_OK) st = make_keys(out, &out->b, err);
  if (st == WEIR_OK) st = pair(out, err);
  if (st == WEIR_OK) st = compare(out, err);
  if (st != WEIR_OK) weir_diff_free(out);
  return st;
}

void weir_diff_free(struct weir_diff *d) {
  weir_diff_side_free(&d->a);
  weir_diff_side_free(&d->b);
  free(d->pairs.v);
  free(d->only_a.v);
  free(d->only_b.v);
  free(d->settings.v);
  free(d->stats.v);
  free(d->stats_a.v);
  free(d->stats_b.v);
  weir_arena_free(&d->arena);
  *d = (struct weir_diff){0};
}

double weir_diff_cycles(const struct weir_diff *d) {
  return d->n_cycles > 0 ? exp(d->cycle_logs / (double)d->n_cycles) : (double)NAN;
}

/* Settings that differ do not count: what came out is what is compared. */
bool weir_diff_is_equal(const struct weir_diff *d) {
  return d->n_different == 0 && d->only_a.n == 0 && d->only_b.n == 0;
}
