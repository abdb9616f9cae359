/* Which runs of a store, or which of their kernels, by a condition of SQL: --where.
 *
 * Its columns are those of the view run_results, of kernels those of kernel_results too, and
 * settings, which stand in brackets or quotes: [l1.size]. These compare as numbers where both sides
 * are: [l1.size] > '16K' is true for 128K. The functions are those of queries (study/query.h). */
#ifndef WEIR_STUDY_CONDITION_H
#define WEIR_STUDY_CONDITION_H

#include <stdbool.h>

#include "weir/err.h"

struct weir_store;
struct sqlite3_stmt;

struct weir_condition {
  const char *text; /* NULL: all */
  bool by_kernel;   /* a row for each kernel, and for each run without any */
  /* What a user says who wants kernels, for those who ask for one without that. */
  const char *how_by_kernel;
};

/* A statement that gives these columns, by run and kernel; WEIR_EINVAL: what is wrong with the
 * condition. */
enum weir_status weir_condition_prepare(struct weir_store *s, const struct weir_condition *c,
                                        const char *columns, struct sqlite3_stmt **out,
                                        struct weir_err *err);
/* Its next row; *is_row is false at their end. */
enum weir_status weir_condition_step(struct weir_store *s, const struct weir_condition *c,
                                     struct sqlite3_stmt *q, bool *is_row, struct weir_err *err);

#endif
