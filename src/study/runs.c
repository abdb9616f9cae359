#include "study/runs.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "l1/scheme.h"
#include "study/condition.h"
#include "study/store_db.h"

double weir_value_real(const struct weir_value *v) {
  if (v->kind == WEIR_VALUE_WHOLE) return (double)v->whole;
  return v->kind == WEIR_VALUE_REAL ? v->real : (double)NAN;
}

/* ---- reading ---- */

struct reader {
  struct weir_runs *r;
  const struct weir_runs_options *o;
  bool is_failed; /* no memory */
  struct {
    struct weir_store_setting *v;
    size_t n, cap;
  } settings; /* of the run that is being read */
};

static const char *copy(struct reader *d, const char *text) {
  if (text == NULL) return NULL;
  const char *kept = weir_arena_strndup(&d->r->a, text, strlen(text));
  d->is_failed |= kept == NULL;
  return kept;
}

static const char *text_at(struct reader *d, sqlite3_stmt *q, int column) {
  return copy(d, (const char *)sqlite3_column_text(q, column));
}

static enum weir_stored status_of(const char *name) {
  static const enum weir_stored all[] = {WEIR_STORED_OK, WEIR_STORED_REFUSED};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (name != NULL && strcmp(name, weir_stored_name(all[i])) == 0) return all[i];
  return WEIR_STORED_FAILED;
}

/* The columns that are read, in their order. */
#define RUN_COLUMNS                                                                                \
  "run, seed, status, seconds, identity, workload, input, gpu, scheme, message, host"
enum { RUN_ID, RUN_SEED, RUN_STATUS, RUN_SECONDS, RUN_TEXTS, RUN_KERNEL = 11, RUN_KERNEL_NAME };

static struct weir_stored_run run_at(struct reader *d, sqlite3_stmt *q) {
  bool is_timed = sqlite3_column_type(q, RUN_SECONDS) != SQLITE_NULL;
  struct weir_stored_run run = {
      .id = sqlite3_column_int64(q, RUN_ID),
      .seed = sqlite3_column_int64(q, RUN_SEED),
      .status = status_of((const char *)sqlite3_column_text(q, RUN_STATUS)),
      .seconds = is_timed ? sqlite3_column_double(q, RUN_SECONDS) : (double)NAN,
      .first_kernel = d->r->kernels.n};
  const char **texts[] = {&run.identity, &run.workload, &run.input, &run.gpu,
                          &run.scheme,   &run.message,  &run.host};
  for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++)
    *texts[i] = text_at(d, q, RUN_TEXTS + i);
  return run;
}

/* Most settings are those of the run before, and take no more memory. */
static const char *shared(struct reader *d, sqlite3_stmt *q, int column, const char *before) {
  const char *text = (const char *)sqlite3_column_text(q, column);
  bool is_same = text != NULL && before != NULL && strcmp(text, before) == 0;
  return is_same ? before : copy(d, text);
}

/* `before`: the settings of the run before from some key on; goes on to the one that follows. */
static bool add_setting(struct reader *d, sqlite3_stmt *q, const struct weir_store_setting **before,
                        const struct weir_store_setting *end) {
  static const struct weir_store_setting none;
  const struct weir_store_setting *like = &none;
  const char *key = (const char *)sqlite3_column_text(q, 0);
  for (int order = -1; key != NULL && *before < end && order < 0; *before += order <= 0) {
    order = strcmp((*before)->key, key);
    if (order == 0) like = *before;
  }
  struct weir_store_setting new = {.key = like->key != NULL ? like->key : copy(d, key),
                                   .value = shared(d, q, 1, like->value),
                                   .origin = shared(d, q, 2, like->origin)};
  return new.key != NULL &&new.value != NULL && !d->is_failed &&WEIR_PUSH(d->settings, new);
}

static enum weir_status read_settings(struct reader *d, int64_t run, struct weir_err *err) {
  const struct weir_runs *r = d->r;
  const struct weir_store_setting *before = r->n > 0 ? r->v[r->n - 1].setting : NULL;
  const struct weir_store_setting *end = r->n > 0 ? before + r->v[r->n - 1].n_settings : NULL;
  sqlite3_stmt *q;
  bool is_row = true;
  enum weir_status st = weir_store_prepared(r->store, WEIR_STMT_READ_SETTINGS, &q, err);
  d->settings.n = 0;
  if (st == WEIR_OK) sqlite3_bind_int64(q, 1, run);
  while (st == WEIR_OK) {
    st = weir_store_step(r->store, q, &is_row, err);
    if (st != WEIR_OK || !is_row) break;
    if (!add_setting(d, q, &before, end)) st = weir_no_memory(err);
  }
  return st;
}

static enum weir_status add_run(struct reader *d, sqlite3_stmt *q, struct weir_err *err) {
  struct weir_stored_run run = run_at(d, q);
  enum weir_status st = read_settings(d, run.id, err);
  if (st != WEIR_OK) return st;
  run.n_settings = d->settings.n;
  run.setting = weir_arena_copy(&d->r->a, d->settings.v, d->settings.n, sizeof *d->settings.v);
  return run.setting != NULL && !d->is_failed && WEIR_PUSH(*d->r, run) ? WEIR_OK
                                                                       : weir_no_memory(err);
}

/* A run, or a kernel of one: NULL for a run without. */
static enum weir_status take_row(struct reader *d, sqlite3_stmt *q, struct weir_err *err) {
  struct weir_runs *r = d->r;
  bool is_ok = status_of((const char *)sqlite3_column_text(q, RUN_STATUS)) == WEIR_STORED_OK;
  enum weir_status st = WEIR_OK;
  if (d->o->only_ok && !is_ok) return WEIR_OK;
  if (r->n == 0 || r->v[r->n - 1].id != sqlite3_column_int64(q, RUN_ID)) st = add_run(d, q, err);
  if (st != WEIR_OK || !is_ok || !d->o->has_kernels ||
      sqlite3_column_type(q, RUN_KERNEL) == SQLITE_NULL)
    return st;
  struct weir_stored_kernel k = {sqlite3_column_int64(q, RUN_KERNEL),
                                 text_at(d, q, RUN_KERNEL_NAME)};
  if (k.name == NULL || !WEIR_PUSH(r->kernels, k)) return weir_no_memory(err);
  r->v[r->n - 1].n_kernels++;
  return WEIR_OK;
}

static enum weir_status choose(struct reader *d, struct weir_err *err) {
  const struct weir_condition c = {d->o->where, d->o->has_kernels, d->o->how_by_kernel};
  sqlite3_stmt *q;
  bool is_row = true;
  enum weir_status st = weir_condition_prepare(
      d->r->store, &c, c.by_kernel ? RUN_COLUMNS ", kernel, kernel_name" : RUN_COLUMNS, &q, err);
  while (st == WEIR_OK) {
    st = weir_condition_step(d->r->store, &c, q, &is_row, err);
    if (st != WEIR_OK || !is_row) break;
    st = take_row(d, q, err);
  }
  sqlite3_finalize(q);
  return st;
}

/* ---- names ---- */

static enum weir_status prepare(struct weir_runs *r, const char *sql, sqlite3_stmt **out,
                                struct weir_err *err) {
  return sqlite3_prepare_v2(r->store->db, sql, -1, out, NULL) == SQLITE_OK
             ? WEIR_OK
             : weir_store_fail(r->store, err);
}

struct names {
  const char **v;
  size_t n, cap;
};

static bool add_name(struct reader *d, sqlite3_stmt *q, struct names *names) {
  struct weir_runs *r = d->r;
  int64_t id = sqlite3_column_int64(q, 0);
  const char *name = text_at(d, q, 1);
  while (r->n_places <= (size_t)id) {
    size_t cap = r->n_places;
    if (!weir_vec_grow((void **)&r->place, &cap, (size_t)id + 1, sizeof *r->place)) return false;
    memset(r->place + r->n_places, 0, (cap - r->n_places) * sizeof *r->place);
    r->n_places = cap;
  }
  if (name == NULL || !WEIR_PUSH(*names, name)) return false;
  r->place[id] = (uint32_t)names->n;
  return true;
}

/* All that runs of the store have which ended, whatever was chosen of them: the columns of a report
 * do not depend on its rows, nor on runs that failed halfway. */
static enum weir_status read_names(struct reader *d, struct weir_err *err) {
  static const char sql[] =
      "SELECT id, name FROM names WHERE"
      " EXISTS (SELECT 1 FROM runs JOIN statistics AS s ON s.run = runs.id AND s.kernel = 0"
      "  AND s.name_id = names.id WHERE runs.status = 'ok') OR"
      " EXISTS (SELECT 1 FROM runs JOIN kernels AS k ON k.run = runs.id"
      "  JOIN statistics AS s ON s.run = k.run AND s.kernel = k.number AND s.name_id = names.id"
      "  WHERE runs.status = 'ok') ORDER BY name";
  struct weir_runs *r = d->r;
  struct names names = {0};
  sqlite3_stmt *q;
  bool is_row = true;
  enum weir_status st = prepare(r, sql, &q, err);
  while (st == WEIR_OK) {
    st = weir_store_step(r->store, q, &is_row, err);
    if (st != WEIR_OK || !is_row) break;
    if (!add_name(d, q, &names)) st = weir_no_memory(err);
  }
  sqlite3_finalize(q);
  r->names = weir_arena_copy(&r->a, names.v, names.n, sizeof *names.v);
  r->n_names = names.n;
  free(names.v);
  return st == WEIR_OK && r->names == NULL ? weir_no_memory(err) : st;
}

enum weir_status weir_runs_load(struct weir_store *s, const struct weir_runs_options *o,
                                struct weir_runs *out, struct weir_err *err) {
  static const struct weir_runs_options all;
  *out = (struct weir_runs){.store = s};
  struct reader d = {.r = out, .o = o != NULL ? o : &all};
  out->has_kernels = d.o->has_kernels;
  enum weir_status st = weir_store_exec(s, "BEGIN", err);
  if (st == WEIR_OK) st = choose(&d, err);
  if (st == WEIR_OK && !d.o->no_stats) st = read_names(&d, err);
  if (st == WEIR_OK)
    st = prepare(out, "SELECT name_id, value FROM statistics WHERE run = ?1 AND kernel = ?2",
                 &out->stats, err);
  free(d.settings.v);
  if (st != WEIR_OK) weir_runs_free(out);
  return st;
}

void weir_runs_free(struct weir_runs *r) {
  sqlite3_finalize(r->stats);
  sqlite3_finalize(r->value);
  if (r->store != NULL) {
    sqlite3_reset(r->store->stmt[WEIR_STMT_READ_SETTINGS]);
    if (!sqlite3_get_autocommit(r->store->db))
      sqlite3_exec(r->store->db, "COMMIT", NULL, NULL, NULL);
  }
  free(r->v);
  free(r->kernels.v);
  free(r->place);
  weir_arena_free(&r->a);
  *r = (struct weir_runs){0};
}

/* ---- settings ---- */

int weir_setting_by_key(const void *a, const void *b) {
  return strcmp(((const struct weir_store_setting *)a)->key,
                ((const struct weir_store_setting *)b)->key);
}

const struct weir_store_setting *weir_setting_find(const struct weir_store_setting *v, size_t n,
                                                   const char *key) {
  const struct weir_store_setting wanted = {.key = key};
  return n > 0 ? bsearch(&wanted, v, n, sizeof wanted, weir_setting_by_key) : NULL;
}

const char *weir_run_setting(const struct weir_stored_run *run, const char *key) {
  const struct weir_store_setting *found = weir_setting_find(run->setting, run->n_settings, key);
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
  if (all.n > 0) qsort(all.v, all.n, sizeof *all.v, weir_by_text);
  const char **keys = is_good ? weir_arena_array(&r->a, all.n + 1, sizeof *keys) : NULL;
  for (size_t i = 0; keys != NULL && i < all.n; i++)
    if ((i == 0 || strcmp(all.v[i - 1], all.v[i]) != 0) &&
        (!varying || is_varying(r, all.v[i]) || strcmp(all.v[i], WEIR_CERTAINTY_KEY) == 0))
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
  return a != NULL && b != NULL ? weir_value_order(a, b) : compare_texts(a, b);
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
