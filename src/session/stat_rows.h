/* The statistics that runs of a set-up have, by name: those of the components, of the parts of its
 * L1, and what follows from them. */
#ifndef WEIR_SESSION_STAT_ROWS_H
#define WEIR_SESSION_STAT_ROWS_H

#include "base/arena.h"
#include "session/setup.h"
#include "stream/func_stats.h"

/* Where a statistic lies. */
enum weir_stat_place {
  WEIR_IN_RUN,
  WEIR_IN_DERIVED,
  WEIR_IN_SM,
  WEIR_IN_L1,
  WEIR_IN_PART,
  WEIR_IN_L2,
  WEIR_IN_L3,
  WEIR_IN_DRAM,
  WEIR_IN_ENERGY,
  WEIR_IN_EXECUTION, /* the last of a list: a run of a trace does not have them */
  WEIR_N_PLACES
};

struct weir_stat_row {
  const char *name;
  const struct weir_stat *stat;
  enum weir_stat_place place;
  uint32_t part;
};

struct weir_stat_rows {
  struct weir_stat_row *v;
  size_t n, cap;
};

#define WEIR_STAT_STORAGE "storage.bits_per_sm"

/* The list, in the order in which statistics are shown; free(rows->v) in the end. Names live in the
 * arena. Parts need not say what hardware they add: then WEIR_STAT_STORAGE is not there. */
enum weir_status weir_stat_rows(const struct weir_setup *setup, struct weir_arena *a,
                                struct weir_stat_rows *rows, struct weir_err *err);

/* What is said besides the tables of components. */
struct weir_run_stats {
  uint64_t cycles, launches, storage_bits, baseline_bits, l2_bits;
};

/* A result with all that follows from it. It points into `r`, which outlives it. */
struct weir_stat_values {
  struct weir_run_stats run;
  struct weir_energy energy;
  const struct weir_sim_result *result;
  const struct weir_setup *setup;
  const struct weir_func_stats *executed; /* NULL: nothing was executed */
};
void weir_stat_values(struct weir_stat_values *v, const struct weir_setup *setup,
                      const struct weir_sim_result *r, uint64_t launches,
                      const struct weir_func_stats *executed);
/* `count` is that of counters and maxima; `value` is any kind's, NaN for a ratio of nothing. */
void weir_stat_row_read(const struct weir_stat_values *v, const struct weir_stat_row *row,
                        uint64_t *count, double *value);

/* The way back: does a result keep this row (or does it follow from others), and put it there. */
bool weir_stat_row_is_kept(const struct weir_stat_row *row);
void weir_stat_row_put(const struct weir_stat_row *row, uint64_t count, struct weir_sim_result *r,
                       uint64_t *launches);

#endif
