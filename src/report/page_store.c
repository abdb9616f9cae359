/* A page from a store. */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/number.h"
#include "report/page.h"
#include "study/points.h"
#include "study/query.h"
#include "study/runs.h"

struct reader {
  struct weir_page *p;
  struct weir_store *store;
  struct weir_points points;
  struct weir_runs runs;
  bool has_runs;
  uint32_t *of; /* of each run of the page its place in `runs` */
  size_t n;
  size_t *place; /* of each statistic of the page its place among the names, or SIZE_MAX */
  struct weir_value *values;
};

/* A workload that was characterised is a run of its own kind. */
static bool is_character(const struct weir_stored_run *r) {
  return r->scheme != NULL && strcmp(r->scheme, "characterize") == 0;
}

static int by_id(const void *a, const void *b) {
  int64_t x = ((const struct weir_stored_run *)a)->id, y = ((const struct weir_stored_run *)b)->id;
  return (x > y) - (x < y);
}

/* ---- keys ---- */

/* Points and runs are of one file, read one after the other: what came between is not there. */
static enum weir_status pair(struct reader *d, uint32_t **point, struct weir_err *err) {
  d->of = weir_arena_array(&d->p->a, d->points.points.n + 1, sizeof *d->of);
  *point = weir_arena_array(&d->p->a, d->points.points.n + 1, sizeof **point);
  if (d->of == NULL || *point == NULL) return weir_no_memory(err);
  if (d->runs.n > 0) qsort(d->runs.v, d->runs.n, sizeof *d->runs.v, by_id);
  for (size_t i = 0; i < d->points.points.n; i++) {
    const struct weir_stored_run wanted = {.id = d->points.points.v[i].run};
    const struct weir_stored_run *r =
        d->runs.n > 0 ? bsearch(&wanted, d->runs.v, d->runs.n, sizeof *r, by_id) : NULL;
    if (r == NULL || is_character(r)) continue;
    (*point)[d->n] = (uint32_t)i;
    d->of[d->n++] = (uint32_t)(r - d->runs.v);
  }
  return WEIR_OK;
}

static const char *text_at(struct reader *d, const struct weir_key *k, uint32_t point) {
  const char *text = weir_key_text(k, point);
  return k->of[point] == 0 ? NULL : weir_arena_strndup(&d->p->a, text, strlen(text));
}

static enum weir_status add_keys(struct reader *d, const uint32_t *point, struct weir_err *err) {
  struct weir_page *p = d->p;
  const char **texts = weir_arena_array(&p->a, d->n + 1, sizeof *texts);
  size_t n = 0;
  enum weir_status st = WEIR_OK;
  if (texts == NULL) return weir_no_memory(err);
  for (size_t i = 0; st == WEIR_OK && i < d->points.keys.n; i++) {
    const struct weir_key *k = &d->points.keys.v[i];
    if (i == WEIR_KEY_KERNEL || (k->is_setting && !k->is_users)) continue;
    for (size_t r = 0; r < d->n; r++) {
      texts[r] = text_at(d, k, point[r]);
      if (texts[r] == NULL && k->of[point[r]] != 0) return weir_no_memory(err);
    }
    const char *name = weir_arena_strndup(&p->a, k->name, strlen(k->name));
    if (name == NULL) return weir_no_memory(err);
    st = weir_page_set_key(p, n++, name, texts, k->is_setting, err);
  }
  return st;
}

static size_t count_keys(const struct weir_points *points) {
  size_t n = 0;
  for (size_t i = 0; i < points->keys.n; i++)
    n += i != WEIR_KEY_KERNEL && (!points->keys.v[i].is_setting || points->keys.v[i].is_users);
  return n;
}

/* ---- statistics ---- */

static enum weir_status find_places(struct reader *d, struct weir_err *err) {
  d->place = weir_arena_array(&d->p->a, d->p->n_stats, sizeof *d->place);
  d->values = weir_arena_array(&d->p->a, d->runs.n_names + 1, sizeof *d->values);
  if (d->place == NULL || d->values == NULL) return weir_no_memory(err);
  for (size_t s = 0; s < d->p->n_stats; s++) {
    const char **at = d->runs.n_names > 0 ? bsearch(&d->p->stats[s], d->runs.names, d->runs.n_names,
                                                    sizeof *at, weir_by_text)
                                          : NULL;
    d->place[s] = at != NULL ? (size_t)(at - d->runs.names) : SIZE_MAX;
  }
  return WEIR_OK;
}

static enum weir_status read_stats(struct reader *d, const struct weir_stored_run *r, double *out,
                                   size_t n, struct weir_err *err) {
  enum weir_status st = weir_runs_stats(&d->runs, r, 0, d->values, err);
  for (size_t s = 0; st == WEIR_OK && s < n; s++)
    out[s] = d->place[s] != SIZE_MAX ? weir_value_real(&d->values[d->place[s]]) : (double)NAN;
  return st;
}

static const char *copy_of(struct reader *d, const char *text) {
  const char *copy = text != NULL ? weir_arena_strndup(&d->p->a, text, strlen(text)) : NULL;
  if (text != NULL && copy == NULL) d->p->failed = true;
  return copy;
}

static enum weir_status add_run(struct reader *d, size_t at, struct weir_err *err) {
  const struct weir_stored_run *r = &d->runs.v[d->of[at]];
  struct weir_page_run *out = &d->p->runs[at];
  out->id = r->id;
  out->status = weir_stored_name(r->status);
  out->message = copy_of(d, r->message);
  return read_stats(d, r, &d->p->values[at * d->p->n_stats], d->p->n_stats, err);
}

/* ---- kernels ---- */

/* Of all statistics of all kernels few are wanted: they are asked for by name. */
static enum weir_status kernel_query(struct reader *d, struct weir_query **q,
                                     struct weir_err *err) {
  const struct weir_query_options o = {.origin = "kernels"};
  struct weir_text sql = {0};
  weir_text_puts(&sql, "SELECT run, kernel, kernel_name");
  for (size_t s = 0; s < WEIR_PAGE_KERNEL_STATS; s++)
    if (d->place[s] != SIZE_MAX)
      weir_text_printf(&sql, ", [%s]", weir_page_stats[s]);
    else
      weir_text_puts(&sql, ", NULL");
  weir_text_puts(&sql, " FROM kernel_results ORDER BY run, kernel");
  enum weir_status st =
      sql.failed ? weir_no_memory(err) : weir_query_open(d->store, sql.v, &o, q, err);
  weir_text_free(&sql);
  return st;
}

static enum weir_status add_kernel(struct reader *d, uint32_t run, sqlite3_stmt *row,
                                   struct weir_err *err) {
  char name[WEIR_DEMANGLED];
  double values[WEIR_PAGE_KERNEL_STATS];
  const char *mangled = (const char *)sqlite3_column_text(row, 2);
  for (int s = 0; s < WEIR_PAGE_KERNEL_STATS; s++)
    values[s] = sqlite3_column_type(row, s + 3) != SQLITE_NULL ? sqlite3_column_double(row, s + 3)
                                                               : (double)NAN;
  return weir_page_add_kernel(d->p, run, sqlite3_column_int64(row, 1),
                              mangled != NULL ? weir_demangle(mangled, name, sizeof name) : "?",
                              values, err);
}

/* Both are in the order of runs. */
static enum weir_status add_kernels(struct reader *d, struct weir_err *err) {
  struct weir_query *q = NULL;
  bool is_row = true;
  size_t at = 0;
  enum weir_status st = kernel_query(d, &q, err);
  while (st == WEIR_OK) {
    st = weir_query_step(q, 0, &is_row, err);
    if (st != WEIR_OK || !is_row) break;
    sqlite3_stmt *row = weir_query_stmt(q, 0);
    int64_t run = sqlite3_column_int64(row, 0);
    while (at < d->n && d->p->runs[at].id < run)
      at++;
    if (at < d->n && d->p->runs[at].id == run) st = add_kernel(d, (uint32_t)at, row, err);
  }
  weir_query_close(q);
  return st;
}

/* ---- samples ---- */

/* As kernels. */
static enum weir_status add_decisions(struct reader *d, struct weir_err *err) {
  const struct weir_query_options o = {.origin = "decisions"};
  struct weir_query *q = NULL;
  bool is_row = true;
  size_t at = 0;
  if (!weir_store_has_table(d->store, "decisions")) return WEIR_OK;
  enum weir_status st =
      weir_query_open(d->store, "SELECT run, samples FROM decisions ORDER BY run", &o, &q, err);
  while (st == WEIR_OK) {
    st = weir_query_step(q, 0, &is_row, err);
    if (st != WEIR_OK || !is_row) break;
    int64_t run = sqlite3_column_int64(weir_query_stmt(q, 0), 0);
    const char *text = (const char *)sqlite3_column_text(weir_query_stmt(q, 0), 1);
    while (at < d->n && d->p->runs[at].id < run)
      at++;
    if (at < d->n && d->p->runs[at].id == run && text != NULL)
      weir_page_add_decisions(d->p, at, json_loads(text, 0, NULL));
  }
  weir_query_close(q);
  return st;
}

/* ---- how it was made ---- */

enum { MADE_BYTES = 100000 };

static enum weir_status add_made(struct reader *d, const char *path, struct weir_err *err) {
  static const char sql[] =
      "SELECT provenance, count(*) FROM runs WHERE provenance IS NOT NULL AND "
      "length(provenance) > 2 GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20";
  struct weir_query *q = NULL;
  const struct weir_query_options o = {.origin = "provenance"};
  bool is_row = true;
  size_t bytes = 0;
  enum weir_status st = weir_query_open(d->store, sql, &o, &q, err);
  while (st == WEIR_OK) {
    st = weir_query_step(q, 0, &is_row, err);
    if (st != WEIR_OK || !is_row) break;
    const char *text = (const char *)sqlite3_column_text(weir_query_stmt(q, 0), 0);
    bytes += text != NULL ? strlen(text) : 0;
    json_t *made = text != NULL && bytes < MADE_BYTES ? json_loads(text, 0, NULL) : NULL;
    if (made == NULL) continue;
    weir_json_push(&d->p->provenance,
                   json_pack("{s:o, s:I, s:o}", "file", weir_json_text(path), "runs",
                             (json_int_t)sqlite3_column_int64(weir_query_stmt(q, 0), 1), "made",
                             made));
  }
  weir_query_close(q);
  return st;
}

/* ---- all of it ---- */

static enum weir_status load(struct reader *d, const char *path, const struct weir_page_options *o,
                             struct weir_err *err) {
  const struct weir_points_want want = {.where = o->where};
  const struct weir_runs_options all = {.where = o->where};
  enum weir_status st = weir_store_open(path, WEIR_STORE_READ, NULL, &d->store, err);
  if (st == WEIR_OK) st = add_made(d, path, err);
  if (st == WEIR_OK) st = weir_points_load(d->store, &want, &d->points, err);
  if (st == WEIR_OK) st = weir_runs_load(d->store, &all, &d->runs, err);
  d->has_runs = st == WEIR_OK;
  if (st != WEIR_OK || d->points.points.n > 0) return st;
  return o->where != NULL ? weir_fail(err, WEIR_ENOENT,
                                      "--where \"%.300s\": true for no run of '%s'", o->where, path)
                          : weir_fail(err, WEIR_ENOENT, "'%s' has no runs yet", path);
}

enum weir_status weir_page_from_store(struct weir_page *p, const char *path,
                                      const struct weir_page_options *o, struct weir_err *err) {
  struct reader d = {.p = p};
  uint32_t *point = NULL;
  enum weir_status st = load(&d, path, o, err);
  if (st == WEIR_OK) st = pair(&d, &point, err);
  if (st == WEIR_OK) st = weir_page_begin(p, d.n, count_keys(&d.points), err);
  if (st == WEIR_OK) st = add_keys(&d, point, err);
  if (st == WEIR_OK) st = find_places(&d, err);
  for (size_t i = 0; st == WEIR_OK && i < d.n; i++)
    st = add_run(&d, i, err);
  json_t *characters = json_array();
  for (size_t i = 0; st == WEIR_OK && i < d.runs.n; i++)
    if (is_character(&d.runs.v[i]))
      st = weir_page_stored_traits(&d.runs, &d.runs.v[i], d.values, &characters, err);
  if (d.has_runs) weir_runs_free(&d.runs);
  if (st == WEIR_OK) st = weir_page_stored_characters(p, d.store, characters, path, o, err);
  json_decref(characters);
  if (st == WEIR_OK && d.n > 0) st = add_kernels(&d, err);
  if (st == WEIR_OK && d.n > 0) st = add_decisions(&d, err);
  if (st == WEIR_OK && d.n == 0) p->has_study = false; /* characterised workloads alone */
  weir_points_free(&d.points);
  weir_store_close(d.store);
  return st;
}
