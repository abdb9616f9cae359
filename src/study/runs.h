/* The runs of a store in memory, for reports: what was run and with which settings. Statistics are
 * read run by run, since there may be many. All of it is as it was at one moment. */
#ifndef WEIR_STUDY_RUNS_H
#define WEIR_STUDY_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "study/store.h"

struct sqlite3_stmt;

/* Texts are NULL where the store has none. */
struct weir_stored_run {
  int64_t id, seed;
  const char *identity, *workload, *input, *gpu, *scheme, *message, *host;
  enum weir_stored status;
  double seconds;                           /* NaN: not known */
  const struct weir_store_setting *setting; /* by key */
  size_t n_settings;
  size_t first_kernel, n_kernels; /* if they were asked for */
};

struct weir_stored_kernel {
  int64_t number;
  const char *name;
};

enum weir_value_kind {
  WEIR_VALUE_NOT_THERE, /* the run has no such statistic */
  WEIR_VALUE_NONE,      /* it has, and there is no value: a ratio of nothing */
  WEIR_VALUE_WHOLE,
  WEIR_VALUE_REAL
};
struct weir_value {
  enum weir_value_kind kind;
  int64_t whole;
  double real;
};
/* As a real; NaN: there is none. */
double weir_value_real(const struct weir_value *v);

struct weir_runs {
  struct weir_arena a;
  struct weir_stored_run *v;
  size_t n, cap;
  struct {
    struct weir_stored_kernel *v;
    size_t n, cap;
  } kernels; /* of a run they stand together */
  /* Of statistics, sorted: those of runs that ended. */
  const char **names;
  size_t n_names;
  /* Private: the place of each name by its number in the store, + 1; for reading statistics. */
  uint32_t *place;
  size_t n_places;
  struct weir_store *store;
  bool has_kernels;
  struct sqlite3_stmt *stats, *value;
};

struct weir_runs_options {
  const char *where; /* a condition (study/condition.h); NULL: all */
  bool only_ok;      /* those that ended */
  bool has_kernels;  /* kernels of runs that ended, too; with `where`, those that it is true for */
  const char *how_by_kernel; /* as in study/condition.h */
  bool no_stats;             /* weir_runs_stats will not be asked; there are no names */
};

/* The store stays open until they are freed, and is not used for anything else meanwhile. */
enum weir_status weir_runs_load(struct weir_store *s, const struct weir_runs_options *o,
                                struct weir_runs *out, struct weir_err *err);
void weir_runs_free(struct weir_runs *r);

/* For qsort. */
int weir_setting_by_key(const void *a, const void *b);
/* In a list by key; NULL: it is not there. */
const struct weir_store_setting *weir_setting_find(const struct weir_store_setting *v, size_t n,
                                                   const char *key);
/* The value of a setting of a run, or NULL. */
const char *weir_run_setting(const struct weir_stored_run *run, const char *key);
/* Keys of all settings of the runs, sorted; with `varying`, those whose value is not the same in
 * all of them, and the certainty of schemes if anything is to be said of one. In the arena of the
 * runs; NULL: no memory. */
const char **weir_runs_keys(struct weir_runs *r, bool varying, size_t *n);
/* By what was run: workload, input, machine, scheme, these settings (as numbers if they are some),
 * seed. */
void weir_runs_sort(struct weir_runs *r, const char *const *keys, size_t n);

/* The statistics of a run (kernel 0) or of a kernel, in the order of the names: n_names values. Of
 * a run that did not end there is none. */
enum weir_status weir_runs_stats(struct weir_runs *r, const struct weir_stored_run *run,
                                 int64_t kernel, struct weir_value *out, struct weir_err *err);

/* ---- runs_value.c ---- */

/* One value of each, by which --value: the name of a statistic, or of a metric of the store, or an
 * expression with names in brackets. WEIR_ENOENT, WEIR_EINVAL: there is none, it makes no sense. */
enum weir_status weir_runs_choose_value(struct weir_runs *r, const char *what,
                                        struct weir_err *err);
/* That of a run (kernel 0) or of a kernel. NaN: it has none. */
enum weir_status weir_runs_value(struct weir_runs *r, int64_t run, int64_t kernel, double *out,
                                 struct weir_err *err);

#endif
