/* Characterised workloads of a store, as weir characterize writes them in JSON. */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/number.h"
#include "report/page.h"
#include "study/query.h"
#include "study/runs.h"

/* ---- statistics ---- */

struct traits {
  const struct weir_runs *runs;
  const struct weir_value *values; /* of the run or the kernel that is looked at */
};

static double named(const struct traits *d, const char *name) {
  const char **at = d->runs->n_names > 0 ? bsearch(&name, d->runs->names, d->runs->n_names,
                                                   sizeof name, weir_by_text)
                                         : NULL;
  return at != NULL ? weir_value_real(&d->values[at - d->runs->names]) : (double)NAN;
}

/* The parts of a trait that is counted in bins: {"0": n, "1": n, ...}. */
static json_t *bins_of(const struct traits *d, const char *trait) {
  json_t *o = json_object();
  char prefix[96];
  size_t n = (size_t)snprintf(prefix, sizeof prefix, "characterize.%s.", trait);
  for (size_t i = 0; i < d->runs->n_names; i++) {
    double v = weir_value_real(&d->values[i]);
    if (strncmp(d->runs->names[i], prefix, n) == 0 && !isnan(v))
      weir_json_put(&o, d->runs->names[i] + n, json_integer((json_int_t)v));
  }
  return o;
}

/* Misses of an L1 that could put its lines anywhere, for each number of lines. */
static json_t *curve_of(const struct traits *d, double references, double line) {
  json_t *list = json_array();
  double hits = 0;
  for (unsigned i = 0; i < 40 && references > 0; i++) {
    char name[64];
    double lines = ldexp(1, (int)i);
    snprintf(name, sizeof name, "characterize.needs_lines.%.0f", lines);
    double more = named(d, name);
    if (isnan(more)) break;
    hits += more;
    weir_json_push(&list, json_pack("{s:f, s:f, s:f}", "lines", lines, "bytes", lines * line,
                                    "miss_ratio", (references - hits) / references));
    if (hits >= references - named(d, "characterize.first")) break; /* all that can be hit */
  }
  return list;
}

/* Of the workload or of a kernel. */
static json_t *traits_json(const struct traits *d, double line) {
  static const char *const names[] = {"stack_distance", "access_distance", "reuse", "misses"};
  double references = named(d, "characterize.references");
  json_t *locality = json_pack("{s:f}", "references", references);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    weir_json_put(&locality, names[i], bins_of(d, names[i]));
  return json_pack("{s:o, s:o}", "locality", locality, "miss_ratio_curve",
                   curve_of(d, references, line));
}

enum weir_status weir_page_stored_traits(struct weir_runs *runs, const struct weir_stored_run *r,
                                         struct weir_value *values, json_t **list,
                                         struct weir_err *err) {
  const struct traits d = {runs, values};
  const char *text = weir_run_setting(r, "l1.line");
  double line;
  if (text == NULL || !weir_parse_number(text, &line)) line = 128;
  enum weir_status st = weir_runs_stats(runs, r, 0, values, err);
  if (st != WEIR_OK || !(named(&d, "characterize.references") > 0)) return st;
  json_t *o = traits_json(&d, line), *kernels = json_array();
  for (int64_t k = 1; st == WEIR_OK; k++) {
    st = weir_runs_stats(runs, r, k, values, err);
    if (st != WEIR_OK || isnan(named(&d, "characterize.references"))) break;
    weir_json_push(&kernels, traits_json(&d, line));
  }
  weir_json_put(&o, "kernels", kernels);
  weir_json_put(&o, "run", json_integer((json_int_t)r->id));
  weir_json_put(&o, "workload", weir_json_text(r->workload));
  weir_json_put(&o, "input", weir_json_text_or_null(r->input));
  weir_json_put(&o, "gpu", weir_json_text_or_null(r->gpu));
  weir_json_push(list, o);
  if (st == WEIR_OK && *list == NULL) st = weir_no_memory(err);
  return st;
}

/* ---- kernels and loads ---- */

static json_t *text_at(sqlite3_stmt *row, int column) {
  return weir_json_text_or_null((const char *)sqlite3_column_text(row, column));
}

static bool add_name(json_t *kernel, sqlite3_stmt *row) {
  return json_object_set_new(kernel, "kernel", text_at(row, 1)) == 0 &&
         json_object_set_new(kernel, "loads", json_array()) == 0;
}

static bool add_load(json_t *kernel, sqlite3_stmt *row) {
  const char *locality = (const char *)sqlite3_column_text(row, 7);
  json_t *o = json_pack("{s:I, s:I, s:I, s:o, s:I, s:o, s:o}", "insn",
                        (json_int_t)sqlite3_column_int64(row, 1), "pc",
                        (json_int_t)sqlite3_column_int64(row, 2), "ptx_line",
                        (json_int_t)sqlite3_column_int64(row, 3), "file", text_at(row, 4), "line",
                        (json_int_t)sqlite3_column_int64(row, 5), "array", text_at(row, 6),
                        "locality", locality != NULL ? json_loads(locality, 0, NULL) : json_null());
  return json_array_append_new(json_object_get(kernel, "loads"), o) == 0;
}

/* The first column of each row is the number of a kernel. */
static enum weir_status each_row(struct weir_store *store, const char *what, json_t *character,
                                 bool (*add)(json_t *kernel, sqlite3_stmt *row),
                                 struct weir_err *err) {
  const struct weir_query_options o = {.origin = "characterised workloads"};
  char sql[192];
  struct weir_query *q = NULL;
  bool is_row = true;
  snprintf(sql, sizeof sql, "SELECT %s WHERE run = %" JSON_INTEGER_FORMAT " ORDER BY 1, 2", what,
           json_integer_value(json_object_get(character, "run")));
  enum weir_status st = weir_query_open(store, sql, &o, &q, err);
  while (st == WEIR_OK) {
    st = weir_query_step(q, 0, &is_row, err);
    if (st != WEIR_OK || !is_row) break;
    sqlite3_stmt *row = weir_query_stmt(q, 0);
    json_t *kernel = json_array_get(json_object_get(character, "kernels"),
                                    (size_t)sqlite3_column_int64(row, 0) - 1);
    if (kernel != NULL && !add(kernel, row)) st = weir_no_memory(err);
  }
  weir_query_close(q);
  return st;
}

enum weir_status weir_page_stored_characters(struct weir_page *p, struct weir_store *store,
                                             const json_t *list, const char *path,
                                             const struct weir_page_options *o,
                                             struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  bool has_loads = weir_store_has_table(store, "loads");
  for (size_t i = 0; st == WEIR_OK && i < json_array_size(list); i++) {
    json_t *c = json_array_get(list, i);
    st = each_row(store, "number, name FROM kernels", c, add_name, err);
    if (st == WEIR_OK && has_loads)
      st = each_row(store, "kernel, insn, pc, ptx_line, file, line, array, locality FROM loads", c,
                    add_load, err);
    if (st == WEIR_OK) st = weir_page_from_character(p, c, path, o, err);
  }
  return st;
}
