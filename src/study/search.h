/* The best of several values of a parameter, found by running them: all of them, or a few first and
 * then those between the best and its neighbours. Each value is a column of the matrix; the search
 * has one more, which shows the best of them for each workload and machine. */
#ifndef WEIR_STUDY_SEARCH_H
#define WEIR_STUDY_SEARCH_H

#include "study/matrix.h"

struct weir_study_search {
  const char *key;           /* the parameter */
  const char *const *values; /* as they were written, in order */
  size_t n;                  /* of them, at least 1 */
  size_t column;             /* that shows the best; nothing of its own is run */
  size_t first;              /* the column of the first value; the others follow */
  bool is_whole;             /* every value is tried */
};

/* The search that has this column, as the one that shows (*trial is SIZE_MAX) or as a trial; NULL:
 * none has. */
const struct weir_study_search *weir_search_of(const struct weir_study *s, size_t column,
                                               size_t *trial);
/* The trial with the fewest cycles, the first of equal ones; SIZE_MAX: none has ended. */
size_t weir_search_best(const struct weir_study *s, const struct weir_study_search *x,
                        size_t workload, size_t gpu);
/* Was it tried? */
bool weir_search_is_tried(const struct weir_study *s, const struct weir_study_search *x,
                          size_t workload, size_t gpu, size_t trial);

/* Before anything runs: what is not among the first to be tried is left. */
void weir_search_begin(struct weir_study *s);
/* Some runs of the workload have ended: searches of which nothing waits go on, if there is
 * something left between the best and what was tried next to it. */
void weir_search_go_on(struct weir_study *s, size_t workload);

#endif
