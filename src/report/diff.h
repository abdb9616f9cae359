/* Two results side by side: which settings differ, and which statistics differ most. A result is a
 * store, or the JSON of weir run, replay or compare. */
#ifndef WEIR_REPORT_DIFF_H
#define WEIR_REPORT_DIFF_H

#include <jansson.h>

#include "base/text.h"
#include "study/runs.h"

/* ---- diff_read.c ---- */

/* Settings that an output does not name: what its machine and its scheme are made of. */
#define WEIR_DIFF_MACHINE_HASH "machine (hash)"
#define WEIR_DIFF_SCHEME_HASH  "scheme (hash)"

enum weir_diff_part { /* of what was run */
                      WEIR_DIFF_WORKLOAD,
                      WEIR_DIFF_INPUT,
                      WEIR_DIFF_GPU,
                      WEIR_DIFF_SCHEME,
                      WEIR_DIFF_SEED,
                      WEIR_DIFF_PARTS
};
extern const char *const weir_diff_part_names[WEIR_DIFF_PARTS];

struct weir_diff_stat_of {
  const char *name;
  struct weir_value value;
};

/* What is compared: a run, or a kernel of one. */
struct weir_diff_item {
  const char *part[WEIR_DIFF_PARTS]; /* NULL: not said */
  const char *status;
  int64_t kernel; /* 0: the run */
  const char *kernel_name;
  const struct weir_store_setting *setting; /* by key */
  size_t n_settings;
  /* Statistics: of a store's run, which are read when they are needed, or here, by name. */
  const struct weir_stored_run *run;
  struct weir_diff_stat_of *stat;
  size_t n_stats;
  char *key;    /* by which it is paired */
  size_t order; /* as it came */
};

struct weir_diff_side {
  const char *name; /* as it was given; lives on */
  struct weir_arena a;
  struct weir_diff_item *v;
  size_t n, cap;
  const char **names; /* of statistics, sorted */
  size_t n_names;
  struct weir_store *store; /* NULL: JSON */
  struct weir_runs runs;
};

/* Is it a store? WEIR_ENOENT, WEIR_EIO: it cannot be read. Before either side is read: a store that
 * is open must not be opened by other means. A name that ends with #N is that of one run, the
 * store's number N or the N-th of an output; `path` gets the name of the file, `run` N or 0. */
struct weir_diff_source {
  const char *name;
  char *path;
  int64_t run;
  bool is_store;
};
enum weir_status weir_diff_source(const char *name, struct weir_arena *a,
                                  struct weir_diff_source *out, struct weir_err *err);
enum weir_status weir_diff_read(const struct weir_diff_source *source, bool has_kernels,
                                struct weir_diff_side *out, struct weir_err *err);
void weir_diff_side_free(struct weir_diff_side *s);
/* The certainty of its scheme; NULL: nothing is to be said of it. */
const char *weir_diff_certainty(const struct weir_diff_item *item);
/* n_names values. */
enum weir_status weir_diff_values(struct weir_diff_side *s, const struct weir_diff_item *item,
                                  struct weir_value *out, struct weir_err *err);

/* ---- diff.c ---- */

struct weir_diff_pair {
  size_t a, b;
};

struct weir_diff_setting {
  const char *key, *a, *b;     /* NULL: it has no such setting */
  size_t pairs;                /* in how many it is so */
  const char *said_a, *said_b; /* of schemes: their certainty; NULL: nothing is to be said */
};

/* A statistic that differs: its values where they differ most. */
struct weir_diff_stat {
  const char *name;
  size_t pairs; /* in how many it differs */
  size_t pair;  /* where most */
  struct weir_value a, b;
  bool is_points; /* `change` is a difference, in hundredths, and not relative, in percent */
  double change;  /* infinite: from 0, or from or to no value */
};

struct weir_diff {
  struct weir_arena arena;
  struct weir_diff_side a, b;
  bool is_key[WEIR_DIFF_PARTS]; /* what pairs are found by, besides the kernel */
  const char **swept;           /* and settings */
  size_t n_swept;
  struct {
    struct weir_diff_pair *v;
    size_t n, cap;
  } pairs;
  struct weir_diff_places {
    size_t *v;
    size_t n, cap;
  } only_a, only_b;
  struct {
    struct weir_diff_setting *v;
    size_t n, cap;
  } settings;
  struct {
    struct weir_diff_stat *v;
    size_t n, cap;
  } stats; /* largest change first */
  struct weir_diff_names {
    const char **v;
    size_t n, cap;
  } stats_a, stats_b; /* of the pairs, those that one side alone has */
  size_t n_compared;  /* statistics that both have */
  size_t n_different; /* pairs */
  double cycle_logs;  /* of B's cycles by A's, summed */
  size_t n_cycles;
};

/* Takes both sides over, whatever is returned. What is the same in all runs of a side is no part of
 * the key: one run each are a pair, whatever they are. */
enum weir_status weir_diff(struct weir_diff_side *a, struct weir_diff_side *b,
                           struct weir_diff *out, struct weir_err *err);
void weir_diff_free(struct weir_diff *d);
bool weir_diff_is_equal(const struct weir_diff *d);
/* Geometric mean of B's cycles by A's; NaN: there are none. */
double weir_diff_cycles(const struct weir_diff *d);

/* ---- diff_show.c ---- */

struct weir_diff_view {
  size_t top;   /* rows of a list; 0: all */
  double least; /* change that is shown, in percent or hundredths */
};
enum weir_status weir_diff_text(const struct weir_diff *d, const struct weir_diff_view *v,
                                struct weir_text *out, struct weir_err *err);
/* NULL: no memory. */
json_t *weir_diff_json(const struct weir_diff *d, const struct weir_diff_view *v);

#endif
