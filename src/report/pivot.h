/* Runs of a store as a table: a row for each value of some keys, a column for each value of
 * others. */
#ifndef WEIR_REPORT_PIVOT_H
#define WEIR_REPORT_PIVOT_H

#include <jansson.h>

#include "base/table.h"
#include "report/interval.h"
#include "study/points.h"

/* What is shown of a value and its baseline's. */
enum weir_relative {
  WEIR_RELATIVE_AUTO, /* speed-up where less is better, else ratio */
  WEIR_RELATIVE_NONE, /* the value itself */
  WEIR_RELATIVE_RATIO,
  WEIR_RELATIVE_SPEEDUP, /* above 1: better; the ratio, or 1 / ratio unless more is better */
  WEIR_RELATIVE_PERCENT  /* by how much the ratio differs from 1 */
};

/* Which number of a row stands out. */
enum weir_best { WEIR_BEST_AUTO, WEIR_BEST_NONE, WEIR_BEST_MIN, WEIR_BEST_MAX };

struct weir_pivot_want {
  const char *statistic;
  const char *rows, *columns; /* keys, with commas between them; NULL: what a user would choose */
  const char *baseline;       /* KEY=VALUE, with commas between them; NULL: none */
  enum weir_relative relative;
  enum weir_best best;
};

enum { WEIR_AXIS_KEYS = 16 };

struct weir_pivot_axis {
  const struct weir_key *key[WEIR_AXIS_KEYS];
  size_t n;
};

enum weir_cell_state {
  WEIR_CELL_EMPTY, /* no such run */
  WEIR_CELL_GOOD,
  WEIR_CELL_FAILED,
  WEIR_CELL_REFUSED,
  WEIR_CELL_NO_VALUE,   /* a run has no such statistic, or it is a ratio of nothing */
  WEIR_CELL_NO_BASELINE /* what it is relative to has no value */
};

struct weir_pivot_cell {
  const uint32_t *point; /* its runs, by seed */
  size_t n;
  enum weir_cell_state state;
  struct weir_interval v; /* as it is shown; of several runs the mean */
  bool is_baseline;       /* relative to itself */
  bool is_best;           /* or may be it: the intervals meet */
};

/* Of a machine, or of all. */
struct weir_pivot_table {
  const char *gpu;        /* NULL: on an axis */
  const uint32_t *row;    /* a point of each row, which has its keys */
  const uint32_t *column; /* a point of each column */
  size_t n_rows, n_columns;
  struct weir_pivot_cell *cell; /* row by row */
  /* Geometric means of columns, over the rows that all columns with a value have. */
  struct weir_pivot_cell *mean; /* NULL: nothing is relative */
  size_t n_mean_rows;
  /* With kernels on an axis: runs without any, which failed or were refused. A cell that they would
   * be in is as they are. */
  const uint32_t *lost;
  size_t n_lost;
};

struct weir_pivot {
  const struct weir_points *of;
  const char *statistic;
  struct weir_pivot_axis rows, columns;
  struct weir_pivot_axis base;            /* keys of the baseline */
  const char *base_value[WEIR_AXIS_KEYS]; /* their values */
  const char *baseline;                   /* as it was written */
  enum weir_relative relative;            /* not AUTO */
  bool is_inverse;                        /* baseline / value */
  enum weir_best best;                    /* not AUTO */
  const char *input;                      /* that all runs have, if it is on no axis; or NULL */
  size_t n_seeds;                         /* runs of a cell, if all have as many; else 0 */
  struct weir_pivot_table *table;
  size_t n_tables;
  const uint32_t *column; /* a point of each column of any table */
  size_t n_columns;
  struct weir_arena arena;
};

/* Does `rows` or `columns` name the key kernel? */
bool weir_pivot_is_by_kernel(const struct weir_pivot_want *want);

/* `of` must outlive it. WEIR_EINVAL: runs of a cell differ in more than the seed, or there are
 * several baselines for one; which keys, and what to do, is said. Freed in any case. */
enum weir_status weir_pivot_make(struct weir_pivot *p, const struct weir_points *of,
                                 const struct weir_pivot_want *want, struct weir_err *err);
void weir_pivot_free(struct weir_pivot *p);

/* Would the point be in the cell, but for the kernel? */
bool weir_pivot_is_at(const struct weir_pivot *p, const struct weir_pivot_table *t, size_t cell,
                      uint32_t point);
/* The table's column with the keys of `point`; n_columns: none. */
size_t weir_pivot_column_of(const struct weir_pivot *p, const struct weir_pivot_table *t,
                            uint32_t point);

/* Below 0: less of it is better; above 0: more is; 0: that depends. */
int weir_stat_direction(const char *statistic);

/* Tables with what there is to say of them. */
enum weir_status weir_pivot_text(const struct weir_pivot *p, struct weir_text *out,
                                 struct weir_err *err);
enum weir_status weir_pivot_markdown(const struct weir_pivot *p, struct weir_text *out,
                                     struct weir_err *err);
/* One table of numbers alone. */
enum weir_status weir_pivot_csv(const struct weir_pivot *p, struct weir_text *out,
                                struct weir_err *err);
/* NULL: no memory. */
json_t *weir_pivot_json(const struct weir_pivot *p);

#endif
