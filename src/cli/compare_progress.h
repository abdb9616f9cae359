/* How far a study is: a line on a terminal, or some in a log. */
#ifndef WEIR_CLI_COMPARE_PROGRESS_H
#define WEIR_CLI_COMPARE_PROGRESS_H

#include "study/matrix.h"

struct weir_compare_progress {
  struct weir_run_time { /* of each run; milliseconds */
    uint64_t began, took;
  } * runs; /* NULL: nothing is shown */
  bool is_terminal;
  uint64_t show_at;
  bool showed;
};

/* Elsewhere than on a terminal a line comes once a minute. */
enum weir_status weir_compare_progress_begin(struct weir_compare_progress *p,
                                             const struct weir_study *s, struct weir_err *err);
/* The `event` hook of a study; `self` is the progress. */
void weir_compare_progress_event(void *self, const struct weir_study *s,
                                 enum weir_study_event event,
                                 const struct weir_study_workload *workload,
                                 const struct weir_run *run);
void weir_compare_progress_end(struct weir_compare_progress *p);

#endif
