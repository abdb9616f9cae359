/* Statistics of a session, by name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "session/session.h"

static size_t n_stats(const struct weir_session_design *d) {
  size_t n = d->stats.n;
  while (d->session->executed.n == 0 && n > 0 && d->stats.v[n - 1].place == WEIR_IN_EXECUTION)
    n--;
  return n;
}

size_t weir_session_n_stats(const struct weir_session *s, size_t design) {
  return design < s->designs.n ? n_stats(s->designs.v[design]) : 0;
}

/* ---- what was executed ---- */

void weir_session_forget_executed(struct weir_session *s) {
  for (size_t i = 0; i < s->executed.n; i++)
    free(s->executed.v[i].kernel);
  free(s->executed.v);
  memset(&s->executed, 0, sizeof s->executed);
  s->executed.is_whole = true;
}

static struct weir_executed *find_executed(const struct weir_session *s, const char *kernel,
                                           uint32_t n_insns) {
  for (size_t i = 0; i < s->executed.n; i++)
    if (s->executed.v[i].n_insns == n_insns && strcmp(s->executed.v[i].kernel, kernel) == 0)
      return &s->executed.v[i];
  return NULL;
}

void weir_session_executed(void *self, const struct weir_launch_report *l) {
  struct weir_session *s = self;
  struct weir_executed *row = find_executed(s, l->info->name, l->info->n_insns);
  if (row == NULL) {
    struct weir_executed new = {.kernel = weir_strdup(l->info->name), .n_insns = l->info->n_insns};
    if (new.kernel == NULL || !WEIR_PUSH(s->executed, new)) {
      free(new.kernel);
      s->executed.is_whole = false;
      return;
    }
    row = &s->executed.v[s->executed.n - 1];
  }
  weir_stat_sum(weir_func_stat_table, &row->stats, &l->stats);
  weir_stat_sum(weir_func_stat_table, &s->executed.sum, &l->stats);
}

static const struct weir_func_stats *executed_of(const struct weir_session_design *d,
                                                 size_t kernel) {
  static const struct weir_func_stats none;
  const struct weir_timed_kernel *k = &d->timing.kernels.v[kernel];
  const struct weir_executed *row = find_executed(d->session, k->kernel, k->n_insns);
  return row != NULL ? &row->stats : &none;
}

/* ---- kernels ---- */

size_t weir_session_n_kernels(const struct weir_session *s) {
  return s->has_stats ? s->designs.v[0]->timing.kernels.n : 0;
}

const char *weir_session_kernel(const struct weir_session *s, size_t kernel) {
  return kernel < weir_session_n_kernels(s) ? s->designs.v[0]->timing.kernels.v[kernel].kernel
                                            : NULL;
}

/* ---- one value ---- */

static void compute_row(const struct weir_session_design *d, size_t kernel,
                        const struct weir_stat_row *row, struct weir_statistic *out) {
  const struct weir_timing *t = &d->timing;
  bool is_all = kernel == WEIR_ALL_KERNELS;
  const struct weir_timed_kernel *k = is_all ? NULL : &t->kernels.v[kernel];
  struct weir_stat_values values;
  weir_stat_values(&values, &d->setup, is_all ? &t->sum : &k->result,
                   is_all ? t->launches : k->launches,
                   is_all ? &d->session->executed.sum : executed_of(d, kernel));
  const struct weir_stat *s = row->stat;
  *out = (struct weir_statistic){
      .name = row->name, .unit = s->unit != NULL ? s->unit : "", .help = s->help, .kind = s->kind};
  weir_stat_row_read(&values, row, &out->count, &out->value);
}

/* Whatever the caller's rounding is. */
static void read_row(const struct weir_session_design *d, size_t kernel,
                     const struct weir_stat_row *row, struct weir_statistic *out) {
  fenv_t theirs;
  fegetenv(&theirs);
  fesetenv(FE_DFL_ENV);
  compute_row(d, kernel, row, out);
  fesetenv(&theirs);
}

static enum weir_status check_place(const struct weir_session *s, size_t design, size_t kernel,
                                    struct weir_err *err) {
  if (!s->has_stats)
    return weir_fail(err, WEIR_EINVAL, "there are no statistics before a run that was good");
  if (design >= s->designs.n)
    return weir_fail(err, WEIR_EINVAL, "design %zu: the session has %zu, from 0 on", design,
                     s->designs.n);
  if (kernel != WEIR_ALL_KERNELS && kernel >= weir_session_n_kernels(s))
    return weir_fail(err, WEIR_EINVAL, "kernel %zu: the run had %zu, from 0 on", kernel,
                     weir_session_n_kernels(s));
  return WEIR_OK;
}

enum weir_status weir_session_stat_at(const struct weir_session *s, size_t design, size_t kernel,
                                      size_t i, struct weir_statistic *out, struct weir_err *err) {
  enum weir_status st = check_place(s, design, kernel, err);
  if (st != WEIR_OK) return st;
  const struct weir_session_design *d = s->designs.v[design];
  if (i >= n_stats(d))
    return weir_fail(err, WEIR_EINVAL, "statistic %zu: the design has %zu, from 0 on", i,
                     n_stats(d));
  read_row(d, kernel, &d->stats.v[i], out);
  return WEIR_OK;
}

static const struct weir_stat_row *find_row(const struct weir_session_design *d, size_t n,
                                            const char *name) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(d->stats.v[i].name, name) == 0) return &d->stats.v[i];
  return NULL;
}

static enum weir_status unknown(const struct weir_session_design *d, const char *name,
                                struct weir_err *err) {
  struct weir_arena a = {0};
  if (strcmp(name, WEIR_STAT_STORAGE) == 0)
    return weir_fail(err, WEIR_ENOENT,
                     "a part of scheme %s does not declare its hardware (.part.storage_bits)",
                     d->setup.scheme.name);
  if (find_row(d, d->stats.n, name) != NULL)
    return weir_fail(err, WEIR_ENOENT, "%.200s: nothing was executed, a trace was timed", name);
  weir_fail(err, WEIR_ENOENT, "scheme %s has no statistic '%.200s'", d->setup.scheme.name, name);
  const char **names = weir_arena_array(&a, d->stats.n, sizeof *names);
  for (size_t i = 0; names != NULL && i < d->stats.n; i++)
    names[i] = d->stats.v[i].name;
  const char *near = names != NULL ? weir_nearest(name, names, d->stats.n) : NULL;
  if (near != NULL) weir_err_add(err, "did you mean '%s'?", near);
  weir_arena_free(&a);
  return WEIR_ENOENT;
}

enum weir_status weir_session_stat(const struct weir_session *s, size_t design, size_t kernel,
                                   const char *name, struct weir_statistic *out,
                                   struct weir_err *err) {
  enum weir_status st = check_place(s, design, kernel, err);
  if (st != WEIR_OK) return st;
  const struct weir_session_design *d = s->designs.v[design];
  const struct weir_stat_row *row = find_row(d, n_stats(d), name);
  if (row == NULL) return unknown(d, name, err);
  read_row(d, kernel, row, out);
  return WEIR_OK;
}
