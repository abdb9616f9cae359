#include "study/runs.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "study/query.h"
#include "study/store_db.h"

static enum weir_status no_memory(struct weir_err *err) {
  return weir_fail(err, WEIR_ENOMEM, "out of memory");
}

double weir_value_real(const struct weir_value *v) {
  if (v->kind == WEIR_VALUE_WHOLE) return (double)v->whole;
  return v->kind == WEIR_VALUE_REAL ? v->real : (double)NAN;
}

/* ---- reading ---- */

struct reader {
  struct weir_runs *r;
  const struct weir_runs_options *o;
  bool is_failed; /* no memory */
};

static const char *text_at(struct reader *d, sqlite3_stmt *q, int column) {
  const char *text = (const char *)sqlite3_column_text(q, column);
  if (text == NULL) return NULL;
  const char *copy = weir_arena_strndup(&d->r->a, text, strlen(text));
  d->is_failed |= copy == NULL;
  return copy;
}

static enum weir_stored status_of(const char *name) {
  static const enum weir_stored all[] = {WEIR_STORED_OK, WEIR_STORED_REFUSED};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (name != NULL && strcmp(name, weir_stored_name(all[i])) == 0) return all[i];
  return WEIR_STORED_FAILED;
}

typedef void row_of(struct reader *d, sqlite3_stmt *q, void *self);

/* Hands each row of a statement, whose ?1 is a run, to a function. */
static enum weir_status each(struct reader *d, const char *sql, int64_t run, row_of *row,
                             void *self, struct weir_err *err) {
  sqlite3_stmt *q = NULL;
  bool is_row = true;
  enum weir_status st = sqlite3_prepare_v2(d->r->store->db, sql, -1, &q, NULL) == SQLITE_OK
                            ? WEIR_OK
                            : weir_store_fail(d->r->store, err);
  if (st == WEIR_OK && sqlite3_bind_parameter_count(q) > 0) sqlite3_bind_int64(q, 1, run);
  while (st == WEIR_OK) {
    st = weir_store_step(d->r->store, q, &is_row, err);
    if (st != WEIR_OK || !is_row) break;
    row(d, q, self);
    if (d->is_failed) st = no_memory(err);
  }
  sqlite3_finalize(q);
  return st;
}

static void run_row(struct reader *d, sqlite3_stmt *q, void *self) {
  struct weir_stored_run *run = self;
  *run = (struct weir_stored_run){.id = sqlite3_column_int64(q, 0),
                                  .seed = sqlite3_column_int64(q, 1),
                                  .status = status_of((const char *)sqlite3_column_text(q, 2)),
                                  .seconds = sqlite3_column_type(q, 3) == SQLITE_NULL
                                                 ? (double)NAN
                                                 : sqlite3_column_double(q, 3)};
  const char **texts[] = {&run->identity, &run->workload, &run->input, &run->gpu,
                          &run->scheme,   &run->message,  &run->host};
  for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++)
    *texts[i] = text_at(d, q, 4 + i);
}

struct settings {
  struct weir_store_setting *v;
  size_t n, cap;
  const struct weir_stored_run *before; /* the run that was read last, or NULL */
};

/* Most settings are those of the run before, and take no more memory. */
static const char *shared(struct reader *d, sqlite3_stmt *q, int column, const char *before) {
  const char *text = (const char *)sqlite3_column_text(q, column);
  if (text != NULL && before != NULL && strcmp(text, before) == 0) return before;
  return text_at(d, q, column);
}

static void setting_row(struct reader *d, sqlite3_stmt *q, void *self) {
  struct settings *s = self;
  const struct weir_store_setting none = {0}, *before = &none;
  if (s->before != NULL && s->n < s->before->n_settings) before = &s->before->setting[s->n];
  struct weir_store_setting new = {.key = shared(d, q, 0, before->key),
                                   .value = shared(d, q, 1, before->value),
                                   .origin = shared(d, q, 2, before->origin)};
  if (new.key == NULL || new.value == NULL || !WEIR_PUSH(*s, new)) d->is_failed = true;
}

static enum weir_status read_run(struct reader *d, int64_t id, struct weir_stored_run *run,
                                 struct weir_err *err) {
  struct settings s = {.before = d->r->n > 0 ? &d->r->v[d->r->n - 1] : NULL};
  enum weir_status st = each(d,
                             "SELECT id, seed, status, seconds, identity, workload, input, gpu,"
                             " scheme, message, host FROM runs WHERE id = ?1",
                             id, run_row, run, err);
  if (st == WEIR_OK)
    st = each(d, "SELECT key, value, origin FROM settings WHERE run = ?1 ORDER BY key", id,
              setting_row, &s, err);
  if (st == WEIR_OK && s.n > 0) {
    struct weir_store_setting *kept = weir_arena_array(&d->r->a, s.n, sizeof *kept);
    if (kept == NULL)
      st = no_memory(err);
    else
      memcpy(kept, s.v, s.n * sizeof *kept);
    run->setting = kept;
    run->n_settings = s.n;
  }
  free(s.v);
  return st;
}

/* Of each row the first column is a run; the second, if there is one, a kernel, NULL for a run
 * without. */
static enum weir_status take_row(struct reader *d, sqlite3_stmt *q, struct weir_err *err) {
  struct weir_runs *r = d->r;
  int64_t id = sqlite3_column_int64(q, 0);
  enum weir_status st = WEIR_OK;
  if (r->n == 0 || r->v[r->n - 1].id != id) {
    struct weir_stored_run run;
    st = read_run(d, id, &run, err);
    if (st != WEIR_OK) return st;
    if (d->o->only_ok && run.status != WEIR_STORED_OK) return WEIR_OK;
    run.first_kernel = r->kernels.n;
    if (!WEIR_PUSH(*r, run)) return no_memory(err);
  }
  if (!d->o->has_kernels || sqlite3_column_type(q, 1) == SQLITE_NULL ||
      r->v[r->n - 1].status != WEIR_STORED_OK)
    return WEIR_OK;
  struct weir_stored_kernel k = {sqlite3_column_int64(q, 1), text_at(d, q, 2)};
  if (k.name == NULL || !WEIR_PUSH(r->kernels, k)) return no_memory(err);
  r->v[r->n - 1].n_kernels++;
  return WEIR_OK;
}

static enum weir_status choose(struct reader *d, struct weir_err *err) {
  const struct weir_runs_options *o = d->o;
  struct weir_query_options q = {.origin = "--where",
                                 .before = o->has_kernels ? "SELECT run, kernel, kernel_name FROM"
                                                            " kernel_results WHERE ("
                                                          : "SELECT run FROM run_results WHERE (",
                                 .after =
                                     o->has_kernels ? ") ORDER BY run, kernel" : ") ORDER BY run"};
  const char *text = o->where;
  if (text == NULL) {
    q.before = q.after = NULL;
    text = o->has_kernels ? "SELECT runs.id, kernels.number, kernels.name FROM runs LEFT JOIN"
                            " kernels ON kernels.run = runs.id ORDER BY runs.id, kernels.number"
                          : "SELECT id FROM runs ORDER BY id";
  }
  bool is_row = true;
  enum weir_status st = weir_query_open(d->r->store, text, &q, &d->r->query, err);
  while (st == WEIR_OK) {
    st = weir_query_step(d->r->query, 0, &is_row, err);
    if (st != WEIR_OK || !is_row) break;
    st = take_row(d, weir_query_stmt(d->r->query, 0), err);
  }
  return st;
}

/* ---- names ---- */

struct names {
  const char **v;
  size_t n, cap;
};

static void name_row(struct reader *d, sqlite3_stmt *q, void *self) {
  struct names *names = self;
  int64_t id = sqlite3_column_int64(q, 0);
  const char *name = text_at(d, q, 1);
  while (d->r->n_places <= (size_t)id && !d->is_failed) {
    size_t cap = d->r->n_places;
    if (!weir_vec_grow((void **)&d->r->place, &cap, (size_t)id + 1, sizeof *d->r->place)) {
      d->is_failed = true;
      return;
    }
    memset(d->r->place + d->r->n_places, 0, (cap - d->r->n_places) * sizeof *d->r->place);
    d->r->n_places = cap;
  }
  if (name == NULL || !WEIR_PUSH(*names, name))
    d->is_failed = true;
  else
    d->r->place[id] = (uint32_t)names->n;
}

/* All that runs of the store have which ended, whatever was chosen of them: the columns of a report
 * do not depend on its rows, nor on runs that failed halfway. */
static enum weir_status read_names(struct reader *d, struct weir_err *err) {
  struct names names = {0};
  enum weir_status st = each(
      d,
      "SELECT id, name FROM names WHERE"
      " EXISTS (SELECT 1 FROM runs JOIN statistics AS s ON s.run = runs.id AND s.kernel = 0"
      "  AND s.name_id = names.id WHERE runs.status = 'ok') OR"
      " EXISTS (SELECT 1 FROM runs JOIN kernels AS k ON k.run = runs.id"
      "  JOIN statistics AS s ON s.run = k.run AND s.kernel = k.number AND s.name_id = names.id"
      "  WHERE runs.status = 'ok') ORDER BY name",
      0, name_row, &names, err);
  const char **kept = weir_arena_array(&d->r->a, names.n + 1, sizeof *kept);
  if (kept != NULL && names.n > 0) memcpy(kept, names.v, names.n * sizeof *names.v);
  if (st == WEIR_OK && kept == NULL) st = no_memory(err);
  d->r->names = kept;
  d->r->n_names = kept != NULL ? names.n : 0;
  free(names.v);
  return st;
}

enum weir_status weir_runs_load(struct weir_store *s, const struct weir_runs_options *o,
                                struct weir_runs *out, struct weir_err *err) {
  static const struct weir_runs_options all;
  *out = (struct weir_runs){.store = s};
  struct reader d = {.r = out, .o = o != NULL ? o : &all};
  enum weir_status st = choose(&d, err);
  if (st == WEIR_OK) st = read_names(&d, err);
  if (st == WEIR_OK &&
      sqlite3_prepare_v2(s->db,
                         "SELECT name_id, value FROM statistics WHERE run = ?1 AND kernel = ?2", -1,
                         &out->stats, NULL) != SQLITE_OK)
    st = weir_store_fail(s, err);
  if (st != WEIR_OK) weir_runs_free(out);
  return st;
}

void weir_runs_free(struct weir_runs *r) {
  sqlite3_finalize(r->stats);
  weir_query_close(r->query);
  free(r->v);
  free(r->kernels.v);
  free(r->place);
  weir_arena_free(&r->a);
  *r = (struct weir_runs){0};
}

/* ---- settings ---- */

static int by_key(const void *a, const void *b) {
  return strcmp(((const struct weir_store_setting *)a)->key,
                ((const struct weir_store_setting *)b)->key);
}

const char *weir_run_setting(const struct weir_stored_run *run, const char *key) {
  const struct weir_store_setting wanted = {.key = key}, *found = NULL;
  if (run->n_settings > 0)
    found = bsearch(&wanted, run->setting, run->n_settings, sizeof wanted, by_key);
  return found != NULL ? found->value : NULL;
}

static bool is_varying(const struct weir_runs *r, const char *key) {
  const char *first = weir_run_setting(&r->v[0], key);
  for (size_t i = 1; i < r->n; i++) {
    const char *value = weir_run_setting(&r->v[i], key);
    if (value == first) continue;
    if (value == NULL || first == NULL || strcmp(value, first) != 0) return true;
  }
  return false;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Runs with the same keys as the one before it, which most are, add none. */
static bool has_keys_of(const struct weir_stored_run *a, const struct weir_stored_run *b) {
  if (a->n_settings != b->n_settings) return false;
  for (size_t i = 0; i < a->n_settings; i++)
    if (strcmp(a->setting[i].key, b->setting[i].key) != 0) return false;
  return true;
}

const char **weir_runs_keys(struct weir_runs *r, bool varying, size_t *n) {
  struct names all = {0};
  bool is_good = true;
  *n = 0;
  for (size_t i = 0; is_good && i < r->n; i++)
    for (size_t k = 0;
         (i == 0 || !has_keys_of(&r->v[i - 1], &r->v[i])) && is_good && k < r->v[i].n_settings; k++)
      is_good = WEIR_PUSH(all, r->v[i].setting[k].key);
  if (all.n > 0) qsort(all.v, all.n, sizeof *all.v, by_text);
  const char **keys = is_good ? weir_arena_array(&r->a, all.n + 1, sizeof *keys) : NULL;
  for (size_t i = 0; keys != NULL && i < all.n; i++)
    if ((i == 0 || strcmp(all.v[i - 1], all.v[i]) != 0) && (!varying || is_varying(r, all.v[i])))
      keys[(*n)++] = all.v[i];
  free(all.v);
  return keys;
}

/* ---- order ---- */

struct order {
  const char *const *keys;
  size_t n;
};

/* No value is before all others. */
static int compare_texts(const char *a, const char *b) {
  if (a == NULL || b == NULL) return (a != NULL) - (b != NULL);
  return strcmp(a, b);
}

static int compare_values(const char *a, const char *b) {
  double x, y;
  if (a != NULL && b != NULL && weir_parse_real(a, &x) && weir_parse_real(b, &y) && x != y)
    return x < y ? -1 : 1;
  return compare_texts(a, b);
}

static int by_what(const void *a, const void *b, void *self) {
  const struct weir_stored_run *x = a, *y = b;
  const struct order *o = self;
  int order = compare_texts(x->workload, y->workload);
  if (order == 0) order = compare_texts(x->input, y->input);
  if (order == 0) order = compare_texts(x->gpu, y->gpu);
  if (order == 0) order = compare_texts(x->scheme, y->scheme);
  for (size_t i = 0; order == 0 && i < o->n; i++)
    order = compare_values(weir_run_setting(x, o->keys[i]), weir_run_setting(y, o->keys[i]));
  if (order == 0) order = (x->seed > y->seed) - (x->seed < y->seed);
  return order != 0 ? order : compare_texts(x->identity, y->identity);
}

void weir_runs_sort(struct weir_runs *r, const char *const *keys, size_t n) {
  struct order o = {keys, n};
  if (r->n > 0) qsort_r(r->v, r->n, sizeof *r->v, by_what, &o);
}

/* ---- statistics ---- */

static struct weir_value value_at(sqlite3_stmt *q, int column) {
  struct weir_value v = {.kind = WEIR_VALUE_NONE};
  int type = sqlite3_column_type(q, column);
  if (type == SQLITE_INTEGER) {
    v.kind = WEIR_VALUE_WHOLE;
    v.whole = sqlite3_column_int64(q, column);
  } else if (type == SQLITE_FLOAT) {
    v.kind = WEIR_VALUE_REAL;
    v.real = sqlite3_column_double(q, column);
  }
  return v;
}

enum weir_status weir_runs_stats(struct weir_runs *r, const struct weir_stored_run *run,
                                 int64_t kernel, struct weir_value *out, struct weir_err *err) {
  bool is_row = true;
  enum weir_status st = WEIR_OK;
  for (size_t i = 0; i < r->n_names; i++)
    out[i] = (struct weir_value){.kind = WEIR_VALUE_NOT_THERE};
  if (run->status != WEIR_STORED_OK) return WEIR_OK;
  sqlite3_reset(r->stats);
  sqlite3_bind_int64(r->stats, 1, run->id);
  sqlite3_bind_int64(r->stats, 2, kernel);
  while (st == WEIR_OK) {
    st = weir_store_step(r->store, r->stats, &is_row, err);
    if (st != WEIR_OK || !is_row) break;
    int64_t id = sqlite3_column_int64(r->stats, 0);
    if (id < 0 || (uint64_t)id >= r->n_places || r->place[id] == 0) continue;
    out[r->place[id] - 1] = value_at(r->stats, 1);
  }
  return st;
}
