/* The table of a figure: every statistic of every cell, and expressions about them. */
#ifndef WEIR_STUDY_PAPER_TABLE_H
#define WEIR_STUDY_PAPER_TABLE_H

#include "study/matrix.h"
#include "study/paper.h"

struct sqlite3;

/* One application in one column. */
struct weir_paper_cell {
  const char *why; /* there is nothing, and why; NULL: there is */
  bool is_left;    /* it can be run, and was not yet */
  double *values;  /* of the statistics, in the order of the table's names; NaN: none */
  double shown;    /* what the figure shows of it; NaN: nothing */
};

struct weir_paper_table {
  const struct weir_paper *paper;
  const struct weir_paper_figure *figure;
  struct weir_paper_cell *cells; /* [row][column] of the figure */
  const char **names;            /* of statistics */
  size_t n_names;
  const char **sketches; /* [row] why it counts nowhere; NULL: it counts */
  /* private */
  struct weir_arena arena;
  struct sqlite3 *db;
  size_t at;                 /* the cell that [name] in an expression means */
  size_t n_asked, n_missing; /* cells that the last expression wanted, and did not find */
  size_t n_uncounted;        /* of these, cells of rows that count nowhere */
  size_t n_left;             /* of these, runs that are still to be made */
};

/* All cells are empty: `why` says so. */
enum weir_status weir_paper_table_open(struct weir_paper_table *t, const struct weir_paper *p,
                                       const struct weir_paper_figure *f, struct weir_err *err);
void weir_paper_table_close(struct weir_paper_table *t);

struct weir_paper_cell *weir_paper_cell(const struct weir_paper_table *t, size_t row,
                                        size_t column);
/* What a run has found, or of its kernels those that the figure means. */
enum weir_status weir_paper_table_put(struct weir_paper_table *t, size_t row, size_t column,
                                      const struct weir_setup *setup, const struct weir_run *run,
                                      struct weir_err *err);
/* After all cells: what each shows. */
enum weir_status weir_paper_table_show(struct weir_paper_table *t, struct weir_err *err);

/* The value of an expression (docs/paper-files.md); NaN: there is none. Where `reading` is a
 * column, its values stand for those of the column that it is another reading of; else SIZE_MAX. */
enum weir_status weir_paper_eval(struct weir_paper_table *t, const char *expression, size_t reading,
                                 const struct weir_where *where, double *out, struct weir_err *err);
/* A statistic of a cell; NaN: there is none. */
double weir_paper_stat(const struct weir_paper_table *t, size_t row, size_t column,
                       const char *name);
/* Mean over the rows that count and have a value: geometric of speed-ups and ratios. */
double weir_paper_mean(struct weir_paper_table *t, size_t column, size_t *n);
/* The place of a column of that name in the figure; SIZE_MAX: it is not there. */
size_t weir_paper_place(const struct weir_paper_table *t, const char *column);

/* ---- verdicts ---- */

enum weir_verdict {
  WEIR_REPRODUCED,
  WEIR_DIRECTION,
  WEIR_NOT,
  WEIR_NOT_COMPARABLE,
  WEIR_NOT_RUN, /* some of its cells are still to be run */
  WEIR_N_VERDICTS
};
const char *weir_verdict_name(enum weir_verdict v);
/* By the rules of docs/paper-files.md. */
enum weir_verdict weir_judge_number(enum weir_claim_as as, double paper, double ours);
enum weir_verdict weir_judge_holds(size_t held, size_t of);

struct weir_judged {
  enum weir_verdict verdict;
  double ours;           /* NaN: it is about conditions, or there is none */
  double low, high;      /* over the readings that the paper leaves open; NaN: there are none */
  size_t held;           /* conditions */
  size_t asked, missing; /* cells that it is about, and those that are not there or do not count */
  size_t uncounted;      /* of these, cells of sketches or without a workload */
  size_t left;           /* of these, runs that are still to be made */
};
enum weir_status weir_paper_judge(struct weir_paper_table *t, const struct weir_paper_claim *c,
                                  struct weir_judged *out, struct weir_err *err);

#endif
