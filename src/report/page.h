/* What a page of results and its charts draw: the runs of a study by what tells them apart, some of
 * their statistics, speed-ups over a baseline, kernels, and characterised workloads. It is read
 * from a store, from the JSON of `weir compare`, or from that of `weir characterize`. */
#ifndef WEIR_REPORT_PAGE_H
#define WEIR_REPORT_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"
#include "l1/scheme.h"
#include "report/interval.h"
#include "study/runs.h"
#include "weir/err.h"

#define WEIR_PAGE_NONE UINT32_MAX

/* The first keys; settings that a user varied follow. */
enum weir_page_fixed {
  WEIR_PAGE_WORKLOAD,
  WEIR_PAGE_INPUT,
  WEIR_PAGE_GPU,
  WEIR_PAGE_SCHEME,
  WEIR_PAGE_SEED,
  WEIR_PAGE_FIXED
};
extern const char *const weir_page_fixed_names[WEIR_PAGE_FIXED];

struct weir_page_key {
  const char *name;
  const char **values; /* in the order in which they are shown; "-": none */
  size_t n_values;
  uint32_t *of; /* of each run */
  bool is_setting;
};

struct weir_page_run {
  int64_t id; /* in the store; 0: of a comparison */
  const char *status;
  const char *message;     /* NULL: none */
  uint32_t base;           /* the run it is compared with, or WEIR_PAGE_NONE */
  double speedup;          /* NaN: none */
  bool is_drawn;           /* it ended, and so did those that are the same but for the seed */
  size_t first, n;         /* its kernels */
  const json_t *decisions; /* of the page's list; NULL: none */
};

struct weir_page_kernel {
  uint32_t run, name; /* of kernel_names */
  int64_t number;
  double speedup;
};

/* ---- page_stats.c: which statistics a page has ---- */

/* The first WEIR_PAGE_KERNEL_STATS are those of kernels, too. */
enum { WEIR_PAGE_CYCLES, WEIR_PAGE_KERNEL_STATS = 13 };
extern const char *const weir_page_stats[];
size_t weir_page_n_stats(void);

/* A whole and its parts, drawn as one stack; a part is the sum of statistics. */
struct weir_page_part {
  const char *label, *colour;
  const char *stats[6];
};
struct weir_page_stack {
  const char *name, *title, *y;
  const char *whole; /* shares of this statistic; NULL: of the sum of the parts */
  struct weir_page_part parts[14];
};
extern const struct weir_page_stack weir_page_stacks[]; /* ends with a NULL name */
const struct weir_page_stack *weir_page_stack(const char *name);

struct weir_page {
  struct weir_arena a;
  const char *title;
  bool has_study;
  bool failed;          /* for want of memory: kept, and said in the end */
  const char *study;    /* its file */
  const char *baseline; /* "scheme=baseline"; NULL: nothing is relative */
  struct weir_page_key *keys;
  size_t n_keys;
  struct weir_page_run *runs;
  size_t n;
  const char **stats; /* weir_page_stats, and what was asked for besides */
  size_t n_stats;
  double *values; /* n_stats of each run; NaN: none */
  struct weir_page_kernels {
    struct weir_page_kernel *v;
    size_t n, cap;
  } kernels;
  struct weir_page_values {
    double *v; /* WEIR_PAGE_KERNEL_STATS of each kernel */
    size_t n, cap;
  } kernel_values;
  struct weir_page_names {
    const char **v;
    size_t n, cap;
  } kernel_names;
  struct weir_page_scheme { /* of each value of the key scheme */
    const char *label;
    enum weir_role role;
  } * schemes;
  json_t *characters; /* list: characterised workloads */
  json_t *provenance; /* list: how results were made */
  json_t *decisions;  /* list: samples of runs (session/decisions.h) */
};

struct weir_page_options {
  const char *title;    /* NULL: from the files */
  const char *baseline; /* KEY=VALUE[,...]; NULL: the scheme baseline, if there is one */
  const char *where;    /* of stores */
  const char *const *only;
  size_t n_only; /* KEY=VALUE[,VALUE...] */
  const char *const *stats;
  size_t n_stats; /* more statistics */
  const char *const *sources;
  size_t n_sources; /* folders of source files */
};

/* One study at most, and any number of characterised workloads. Freed in any case. */
enum weir_status weir_page_read(struct weir_page *p, const char *const *files, size_t n,
                                const struct weir_page_options *o, struct weir_err *err);
void weir_page_free(struct weir_page *p);

/* The place of a key or a statistic; SIZE_MAX: there is none. */
size_t weir_page_key(const struct weir_page *p, const char *name);
size_t weir_page_stat(const struct weir_page *p, const char *name);
double weir_page_value(const struct weir_page *p, size_t run, size_t stat);
const char *weir_page_text(const struct weir_page *p, size_t key, size_t run);
/* Is it the run that it is compared with? */
static inline bool weir_page_is_base(const struct weir_page *p, size_t run) {
  return p->runs[run].base == run;
}

/* ---- page_store.c, page_store_character.c, page_compare.c, page_character.c: readers ---- */

enum weir_status weir_page_from_store(struct weir_page *p, const char *path,
                                      const struct weir_page_options *o, struct weir_err *err);
enum weir_status weir_page_from_compare(struct weir_page *p, const json_t *root,
                                        struct weir_err *err);
/* `path` is that of the file, beside which sources are looked for. */
enum weir_status weir_page_from_character(struct weir_page *p, const json_t *root, const char *path,
                                          const struct weir_page_options *o, struct weir_err *err);

/* Those of a store: statistics of a run that ended are added to `list` (`values` has room for all
 * names); then, when the runs were freed, their kernels and loads are read, and all put on the
 * page. */
enum weir_status weir_page_stored_traits(struct weir_runs *runs, const struct weir_stored_run *r,
                                         struct weir_value *values, json_t **list,
                                         struct weir_err *err);
enum weir_status weir_page_stored_characters(struct weir_page *p, struct weir_store *store,
                                             const json_t *list, const char *path,
                                             const struct weir_page_options *o,
                                             struct weir_err *err);

/* For readers: room for `n` runs and the keys; values NaN. */
enum weir_status weir_page_begin(struct weir_page *p, size_t n, size_t n_keys,
                                 struct weir_err *err);
/* The texts of a key, one for each run (NULL: none), become its values in order. */
enum weir_status weir_page_set_key(struct weir_page *p, size_t key, const char *name,
                                   const char *const *texts, bool is_setting, struct weir_err *err);
/* Adds a kernel of the run that was added last; its values follow by weir_page_kernel_value. */
enum weir_status weir_page_add_kernel(struct weir_page *p, uint32_t run, int64_t number,
                                      const char *name, const double values[WEIR_PAGE_KERNEL_STATS],
                                      struct weir_err *err);

/* Takes over the samples of a run; what is none is left. */
void weir_page_add_decisions(struct weir_page *p, size_t run, json_t *decisions);

/* ---- page_speedup.c ---- */

/* Which runs are drawn: a mean of those seeds that did not fail would be no mean. */
enum weir_status weir_page_find_drawn(struct weir_page *p, struct weir_err *err);
/* The baseline of each run, and speed-ups. */
enum weir_status weir_page_compare(struct weir_page *p, const struct weir_page_options *o,
                                   struct weir_err *err);

/* ---- page_model.c, page_html.c ---- */

/* All of it as JSON; NULL: no memory. */
json_t *weir_page_model(const struct weir_page *p);
/* The page, complete. `version` is that of the program. */
enum weir_status weir_page_html(const struct weir_page *p, const char *version,
                                struct weir_text *out, struct weir_err *err);

#endif
