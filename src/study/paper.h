/* Paper files: the figures of a paper, what is run for them, and what it claims, as data
 * (docs/paper-files.md). */
#ifndef WEIR_STUDY_PAPER_H
#define WEIR_STUDY_PAPER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/config.h"
#include "weir/err.h"

enum { WEIR_PAPER_COLUMNS = 64 }; /* of a figure, at most */
enum weir_paper_show { WEIR_SHOW_SPEEDUP, WEIR_SHOW_RATIO, WEIR_SHOW_VALUE };
enum weir_claim_as { WEIR_AS_GAIN, WEIR_AS_SHARE, WEIR_AS_NUMBER };

/* An application of the paper. */
struct weir_paper_row {
  const char *group, *name;
  const char *workload; /* NULL: there is none for it here */
};

struct weir_paper_column {
  const char *name, *scheme;
  const char *const *sets; /* KEY=VALUE */
  size_t n_sets;
  const char *instead_of; /* another reading of that column; NULL: it is none */
};

/* Why a claim does not come out as in the paper: an experiment, and the number that it has given.
 */
struct weir_paper_cause {
  const char *says, *shows; /* a sentence, and an expression; NULL: the sentence says all */
  struct weir_where where;
};

struct weir_paper_claim {
  const char *says, *ours, *column, *not_comparable; /* NULL where not given */
  const struct weir_paper_cause *causes;
  size_t n_causes;
  const char *const *holds;
  size_t n_holds;
  bool has_paper;
  double paper;
  enum weir_claim_as as;
  struct weir_where where;
};

/* A number that the paper has for a cell. */
struct weir_paper_printed {
  size_t row, column; /* of the paper */
  double value;
};

struct weir_paper_figure {
  const char *id, *title, *gpu;
  const char *value, *kernel, *input, *note; /* NULL where not given */
  enum weir_paper_show show;
  const size_t *rows, *columns; /* numbers of the paper's; the baseline first, controls last */
  size_t n_rows, n_columns;
  size_t baseline; /* its place among these columns; SIZE_MAX: it is not shown */
  const struct weir_paper_printed *printed;
  size_t n_printed;
  const struct weir_paper_claim *claims;
  size_t n_claims;
};

struct weir_paper {
  const char *name, *title, *about;
  const char *control, *bound; /* names of their columns; NULL: none */
  const struct weir_paper_row *rows;
  const struct weir_paper_column *columns;
  const struct weir_paper_figure *figures;
  const char *const *open; /* what the paper leaves open */
  size_t n_rows, n_columns, n_figures, n_open;
  /* private */
  struct weir_config config;
  struct weir_arena arena;
};

enum weir_status weir_paper_load(const char *path, struct weir_paper *out, struct weir_err *err);
void weir_paper_free(struct weir_paper *p);
/* What the paper has for a row and a column of the figure, by their places there; NaN: nothing. Any
 * row: SIZE_MAX. */
double weir_paper_printed(const struct weir_paper_figure *f, size_t row, size_t column);

#endif
