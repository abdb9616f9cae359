/* The runs of a page as rows and columns, each one value of some keys. */
#ifndef WEIR_REPORT_GRID_H
#define WEIR_REPORT_GRID_H

#include "report/page.h"

enum { WEIR_GRID_KEYS = 24 };

struct weir_grid_axis {
  size_t key[WEIR_GRID_KEYS];
  size_t n;
  const char **names; /* of each place */
  uint32_t *run;      /* of each place a run */
  size_t n_places;
  uint32_t *of; /* of each run its place, or WEIR_PAGE_NONE: it is not drawn */
};

struct weir_grid {
  struct weir_arena a;
  const struct weir_page *p;
  struct weir_grid_axis rows, columns;
};

/* Workloads by scheme and the settings that vary, for one machine: WEIR_EINVAL if there are
 * several. `has_base`: the baseline is a column, too. */
enum weir_status weir_grid_of_schemes(struct weir_grid *g, const struct weir_page *p, bool has_base,
                                      struct weir_err *err);
/* By two keys. */
enum weir_status weir_grid_of_keys(struct weir_grid *g, const struct weir_page *p, size_t y,
                                   size_t x, struct weir_err *err);
void weir_grid_free(struct weir_grid *g);

/* Values of a cell, by seed: n of them, at most `most`. `value` has one for each run. */
size_t weir_grid_cell(const struct weir_grid *g, size_t row, size_t column, const double *value,
                      double *out, size_t most);
/* Geometric mean and interval of a cell; NaN: it has no value. */
struct weir_interval weir_grid_ratio(const struct weir_grid *g, size_t row, size_t column,
                                     const double *value, struct weir_err *err);
/* Those of a column, over the rows that all columns with a value have; *n: how many these are. */
struct weir_interval weir_grid_mean(const struct weir_grid *g, size_t column, const double *value,
                                    size_t *n, struct weir_err *err);

#endif
