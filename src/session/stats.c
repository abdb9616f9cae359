/* Statistics of a session, by name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stat_io.h"
#include "base/suggest.h"
#include "session/session.h"
#include "sim/derived.h"

/* What is said besides the tables of components. */
struct run_stats {
  uint64_t cycles, launches, storage_bits, baseline_bits, l2_bits;
};
#define R(n, f, k, u, h)                                                                           \
  { .name = n, .unit = u, .help = h, .kind = k, .offset = offsetof(struct run_stats, f) }
enum { STORAGE_ROW = 2 };
static const struct weir_stat run_table[] = {
    R("cycles", cycles, WEIR_COUNTER, "cycle", "from the begin of a kernel to its end"),
    R("launches", launches, WEIR_COUNTER, "launch", "of kernels"),
    [STORAGE_ROW] = R("storage.bits_per_sm", storage_bits, WEIR_MAXIMUM, "bit",
                      "hardware of the L1 beside tags and data"),
    R("storage.baseline_bits_per_sm", baseline_bits, WEIR_MAXIMUM, "bit",
      "the same of the machine's own L1"),
    R("storage.l2_bits", l2_bits, WEIR_MAXIMUM, "bit", "hardware that the L1 needs in the L2"),
    WEIR_STAT_END};

/* Parts need not say what hardware they add: then there is no such statistic. */
static bool is_undeclared(const struct weir_session_design *d, const struct weir_stat *s) {
  return s == &run_table[STORAGE_ROW] && d->setup.storage_bits == WEIR_NOT_DECLARED;
}

/* ---- the list ---- */

static bool add_table(struct weir_session_design *d, const char *prefix,
                      const struct weir_stat *table, enum weir_stat_place place, uint32_t part) {
  struct weir_arena *a = &d->session->arena;
  for (const struct weir_stat *s = table; s != NULL && s->name != NULL; s++) {
    if (is_undeclared(d, s)) continue;
    struct weir_stat_row row = {.stat = s, .place = place, .part = part};
    row.name = prefix != NULL ? weir_arena_printf(a, "%s.%s", prefix, s->name) : s->name;
    if (row.name == NULL || !WEIR_PUSH(d->stats, row)) return false;
  }
  return true;
}

enum weir_status weir_session_list_stats(struct weir_session_design *d, struct weir_err *err) {
  const struct weir_part *part;
  bool ok = add_table(d, NULL, run_table, WEIR_IN_RUN, 0) &&
            add_table(d, "derived", weir_derived_stat_table, WEIR_IN_DERIVED, 0) &&
            add_table(d, "sm", weir_sm_stat_table, WEIR_IN_SM, 0) &&
            add_table(d, "l1", weir_l1_stat_table, WEIR_IN_L1, 0);
  for (uint32_t i = 0; ok && (part = weir_setup_part(&d->setup, i)) != NULL; i++)
    ok = add_table(d, part->name, part->stats, WEIR_IN_PART, i);
  ok = ok && add_table(d, "l2", weir_l2_stat_table, WEIR_IN_L2, 0);
  if (d->setup.machine.l3.enabled) ok = ok && add_table(d, "l3", weir_l3_stat_table, WEIR_IN_L3, 0);
  ok = ok && add_table(d, "dram", weir_dram_stat_table, WEIR_IN_DRAM, 0) &&
       add_table(d, "energy", weir_energy_stat_table, WEIR_IN_ENERGY, 0) &&
       add_table(d, "func", weir_func_stat_table, WEIR_IN_EXECUTION, 0);
  return ok ? WEIR_OK : weir_fail(err, WEIR_ENOMEM, "out of memory");
}

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
  const struct weir_setup *setup = &d->setup;
  bool is_all = kernel == WEIR_ALL_KERNELS;
  const struct weir_sim_result *r = is_all ? &t->sum : &t->kernels.v[kernel].result;
  struct run_stats run = {.cycles = r->cycles,
                          .launches = is_all ? t->launches : t->kernels.v[kernel].launches,
                          .storage_bits = setup->storage_bits,
                          .baseline_bits = setup->baseline_bits,
                          .l2_bits = setup->l2_bits};
  struct weir_derived derived;
  struct weir_energy energy;
  const void *base[] = {&run,   &derived, &r->sm,   &r->l1,  r->part[row->part],
                        &r->l2, &r->l3,   &r->dram, &energy, &d->session->executed.sum};
  if (row->place == WEIR_IN_EXECUTION && !is_all) base[row->place] = executed_of(d, kernel);
  if (row->place == WEIR_IN_DERIVED) weir_derive(r, (uint32_t)setup->machine.sm.count, &derived);
  if (row->place == WEIR_IN_ENERGY) weir_energy(&setup->energy, &setup->machine, r, &energy);
  const struct weir_stat *s = row->stat;
  *out = (struct weir_statistic){.name = row->name,
                                 .unit = s->unit != NULL ? s->unit : "",
                                 .help = s->help,
                                 .kind = s->kind,
                                 .value = weir_stat_value(s, base[row->place])};
  if (s->kind != WEIR_RATIO) out->count = weir_stat_count_of(s, base[row->place]);
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
  if (strcmp(name, run_table[STORAGE_ROW].name) == 0)
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
