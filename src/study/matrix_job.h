/* One piece of a study's work, in a process of its own: a workload is recorded, or one run timed.
 */
#ifndef WEIR_STUDY_MATRIX_JOB_H
#define WEIR_STUDY_MATRIX_JOB_H

#include "study/crew.h"
#include "study/matrix.h"

struct weir_study_job {
  struct weir_worker worker;
  const struct weir_study *study;
  struct weir_study_workload *workload;
  const struct weir_setup *setup;       /* NULL: record */
  uint64_t seed;                        /* of several repeats: that of this one */
  const struct weir_prepared *prepared; /* NULL: nothing */
  struct weir_run *run;
  char trace[4096];
  const char *folder; /* of files that go with the study */
  int kernels;        /* what each kernel did; a file without a name */
  char *decisions;    /* after a good end, if they are wanted: for the run */
  uint64_t reserved;  /* bytes of memory that it is taken to need */
  double began;       /* seconds of a clock */
};

struct weir_study_answer {
  enum weir_status status;
  uint64_t launches, n_kernels;
  struct weir_sim_result sum;
  struct weir_err err;
};

enum weir_status weir_study_job_start(struct weir_study_job *j, struct weir_err *err);
/* Wait for its end. Of a run that was good *kernels gets what each did, a->n_kernels of them: freed
 * by the caller. `seconds` and `peak` (bytes) are what it took. */
void weir_study_job_end(struct weir_study_job *j, struct weir_study_answer *a,
                        struct weir_run_kernel **kernels, double *seconds, uint64_t *peak);
void weir_study_job_kill(struct weir_study_job *j);

void weir_run_kernels_free(struct weir_run_kernel *v, size_t n);

#endif
