#include "report/export.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "base/table.h"
#include "study/runs.h"

struct writer {
  const struct weir_export_options *o;
  struct weir_runs runs;
  const char **keys; /* of settings that are columns */
  size_t n_keys;
  uint32_t *stats; /* those that are columns: which of the names */
  size_t n_stats;
  struct weir_value *values; /* of the row, one for each name */
  struct weir_pieces out;
  struct weir_text cell;
  size_t column; /* of the cell that comes next */
};

/* ---- which columns ---- */

/* Is a name that of one of the patterns? */
static bool matches(const char *patterns, const char *name) {
  char one[256];
  while (weir_next_word(&patterns, one, sizeof one))
    if (fnmatch(one, name, 0) == 0) return true;
  return false;
}

/* Every pattern must be that of some name. */
static enum weir_status check_patterns(const char *option, const char *patterns,
                                       const char *const *names, size_t n, struct weir_err *err) {
  char one[256];
  while (weir_next_word(&patterns, one, sizeof one)) {
    size_t i = 0;
    while (i < n && fnmatch(one, names[i], 0) != 0)
      i++;
    if (i < n) continue;
    weir_fail(err, WEIR_ENOENT, "%s: the store has no '%s'", option, one);
    const char *near = weir_nearest(one, names, n);
    if (near != NULL) weir_err_add(err, "did you mean '%s'?", near);
    weir_err_add(err, "'weir query STORE' shows what there is");
    return WEIR_ENOENT;
  }
  return WEIR_OK;
}

static enum weir_status choose_settings(struct writer *w, struct weir_err *err) {
  const char *wanted = w->o->settings != NULL ? w->o->settings : "varying";
  bool is_varying = strcmp(wanted, "varying") == 0;
  if (strcmp(wanted, "none") == 0) return WEIR_OK;
  w->keys = weir_runs_keys(&w->runs, is_varying, &w->n_keys);
  if (w->keys == NULL) return weir_no_memory(err);
  if (is_varying || strcmp(wanted, "all") == 0) return WEIR_OK;
  enum weir_status st = WEIR_OK;
  if (w->runs.n > 0) st = check_patterns("--settings", wanted, w->keys, w->n_keys, err);
  size_t n = 0;
  for (size_t i = 0; st == WEIR_OK && i < w->n_keys; i++)
    if (matches(wanted, w->keys[i])) w->keys[n++] = w->keys[i];
  w->n_keys = n;
  return st;
}

static enum weir_status choose_stats(struct writer *w, struct weir_err *err) {
  const struct weir_runs *r = &w->runs;
  const char *wanted = w->o->stats;
  enum weir_status st = WEIR_OK;
  if (wanted != NULL) st = check_patterns("--stats", wanted, r->names, r->n_names, err);
  if (st != WEIR_OK) return st;
  w->stats = weir_calloc(r->n_names + 1, sizeof *w->stats);
  w->values = weir_calloc(r->n_names + 1, sizeof *w->values);
  if (w->stats == NULL || w->values == NULL) return weir_no_memory(err);
  for (size_t i = 0; i < r->n_names; i++)
    if (wanted == NULL || matches(wanted, r->names[i])) w->stats[w->n_stats++] = (uint32_t)i;
  return WEIR_OK;
}

/* ---- lines ---- */

static void cell(struct writer *w, const char *text) {
  weir_csv_cell(&w->out.text, w->column++ == 0, text != NULL ? text : "");
}

static void end_line(struct writer *w) {
  weir_text_puts(&w->out.text, "\n");
  w->column = 0;
}

static void number_cell(struct writer *w, int64_t v) {
  char text[32];
  snprintf(text, sizeof text, "%" PRId64, v);
  cell(w, text);
}

static void real_cell(struct writer *w, double v) {
  w->cell.n = 0;
  weir_text_puts(&w->cell, "");
  if (!isnan(v)) weir_text_real(&w->cell, v);
  w->out.text.failed |= w->cell.failed;
  cell(w, w->cell.v);
}

static void value_cell(struct writer *w, const struct weir_value *v) {
  if (v->kind == WEIR_VALUE_WHOLE)
    number_cell(w, v->whole);
  else
    real_cell(w, weir_value_real(v));
}

/* Names of columns are different: the second of two is NAME:1, as in the views of the store. */
struct heads {
  const char **v;
  size_t n, cap;
};

static void head(struct writer *w, struct heads *all, const char *name) {
  struct weir_text text = {0};
  int before = 0;
  for (size_t i = 0; i < all->n; i++)
    before += strcmp(all->v[i], name) == 0;
  weir_text_puts(&text, name);
  if (before > 0) weir_text_printf(&text, ":%d", before);
  w->out.text.failed |= text.failed || !WEIR_PUSH(*all, name);
  cell(w, text.v);
  weir_text_free(&text);
}

static void head_line(struct writer *w) {
  static const char *const what[] = {"workload", "input", "gpu", "scheme", "seed", "status"};
  static const char *const times[] = {"message", "host", "seconds"};
  struct heads all = {0};
  for (size_t i = 0; i < sizeof what / sizeof *what; i++)
    head(w, &all, what[i]);
  for (size_t i = 0; !w->o->no_times && i < sizeof times / sizeof *times; i++)
    head(w, &all, times[i]);
  if (w->o->has_kernels) {
    head(w, &all, "kernel");
    head(w, &all, "kernel_name");
  }
  for (size_t i = 0; i < w->n_keys; i++)
    head(w, &all, w->keys[i]);
  for (size_t i = 0; !w->o->is_long && i < w->n_stats; i++)
    head(w, &all, w->runs.names[w->stats[i]]);
  if (w->o->is_long) {
    head(w, &all, "name");
    head(w, &all, "value");
  }
  end_line(w);
  free(all.v);
}

/* What stands at the begin of each line of a run, or of a kernel. */
static void first_cells(struct writer *w, const struct weir_stored_run *run,
                        const struct weir_stored_kernel *kernel) {
  cell(w, run->workload);
  cell(w, run->input);
  cell(w, run->gpu);
  cell(w, run->scheme);
  number_cell(w, run->seed);
  cell(w, weir_stored_name(run->status));
  if (!w->o->no_times) {
    cell(w, run->message);
    cell(w, run->host);
    real_cell(w, run->seconds);
  }
  if (w->o->has_kernels && kernel != NULL) {
    number_cell(w, kernel->number);
    cell(w, kernel->name);
  } else if (w->o->has_kernels) {
    cell(w, "");
    cell(w, "");
  }
  for (size_t i = 0; i < w->n_keys; i++)
    cell(w, weir_run_setting(run, w->keys[i]));
}

/* A run that did not end, or without what was chosen, has a line all the same. */
static void long_lines(struct writer *w, const struct weir_stored_run *run,
                       const struct weir_stored_kernel *kernel) {
  size_t n = 0;
  for (size_t i = 0; i < w->n_stats; i++) {
    const struct weir_value *v = &w->values[w->stats[i]];
    if (v->kind == WEIR_VALUE_NOT_THERE) continue;
    first_cells(w, run, kernel);
    cell(w, w->runs.names[w->stats[i]]);
    value_cell(w, v);
    end_line(w);
    n++;
  }
  if (n > 0) return;
  first_cells(w, run, kernel);
  cell(w, "");
  cell(w, "");
  end_line(w);
}

static enum weir_status lines_of(struct writer *w, const struct weir_stored_run *run,
                                 const struct weir_stored_kernel *kernel, struct weir_err *err) {
  enum weir_status st =
      weir_runs_stats(&w->runs, run, kernel != NULL ? kernel->number : 0, w->values, err);
  if (st != WEIR_OK) return st;
  /* Without kernels a line of a run has nothing of its own to say. */
  for (size_t i = 0; w->o->has_kernels && kernel == NULL && i < w->runs.n_names; i++)
    w->values[i].kind = WEIR_VALUE_NOT_THERE;
  if (w->o->is_long) {
    long_lines(w, run, kernel);
  } else {
    first_cells(w, run, kernel);
    for (size_t i = 0; i < w->n_stats; i++)
      value_cell(w, &w->values[w->stats[i]]);
    end_line(w);
  }
  return weir_pieces_hand_on(&w->out, WEIR_PIECE, err);
}

static enum weir_status run_lines(struct writer *w, const struct weir_stored_run *run,
                                  struct weir_err *err) {
  enum weir_status st = WEIR_OK;
  if (!w->o->has_kernels || run->n_kernels == 0) return lines_of(w, run, NULL, err);
  for (size_t i = 0; st == WEIR_OK && i < run->n_kernels; i++)
    st = lines_of(w, run, &w->runs.kernels.v[run->first_kernel + i], err);
  return st;
}

/* Settings that were swept order the runs, also where they are no columns. */
static enum weir_status sort(struct writer *w, struct weir_err *err) {
  size_t n;
  const char **varying = weir_runs_keys(&w->runs, true, &n);
  if (varying == NULL) return weir_no_memory(err);
  weir_runs_sort(&w->runs, varying, n);
  return WEIR_OK;
}

enum weir_status weir_export_csv(struct weir_store *s, const struct weir_export_options *o,
                                 const struct weir_sink *to, struct weir_err *err) {
  struct writer w = {.o = o, .out.to = to};
  const struct weir_runs_options runs = {.where = o->where,
                                         .only_ok = o->only_ok,
                                         .has_kernels = o->has_kernels,
                                         .how_by_kernel = "kernels instead of runs: --kernels"};
  enum weir_status st = weir_runs_load(s, &runs, &w.runs, err);
  if (st != WEIR_OK) return st;
  st = choose_settings(&w, err);
  if (st == WEIR_OK) st = choose_stats(&w, err);
  if (st == WEIR_OK) st = sort(&w, err);
  if (st == WEIR_OK) head_line(&w);
  for (size_t i = 0; st == WEIR_OK && i < w.runs.n; i++)
    st = run_lines(&w, &w.runs.v[i], err);
  if (st == WEIR_OK) st = weir_pieces_hand_on(&w.out, 0, err);
  weir_text_free(&w.out.text);
  weir_text_free(&w.cell);
  free(w.stats);
  free(w.values);
  weir_runs_free(&w.runs);
  return st;
}
