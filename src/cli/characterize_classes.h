/* The runs behind the classes of a workload, several at a time. */
#ifndef WEIR_CLI_CHARACTERIZE_CLASSES_H
#define WEIR_CLI_CHARACTERIZE_CLASSES_H

#include "cli/compare_progress.h"
#include "study/run_classes.h"

struct weir_class_runs {
  const char *gpu;
  const struct weir_machine *machine; /* whose own L1 was timed */
  const struct weir_settings *given;  /* on the command line, and nothing else */
  const struct ptx_exec_cfg *exec;
  uint32_t jobs;
  bool check, is_quiet;
  /* Private. */
  struct weir_study study;
  struct weir_settings settings[WEIR_CLASS_RUNS];
  struct weir_setup setups[WEIR_CLASS_RUNS];
  struct weir_study_setup study_setups[WEIR_CLASS_RUNS];
  const char *gpus[WEIR_CLASS_RUNS], *names[WEIR_CLASS_RUNS];
  struct weir_compare_progress progress;
  struct weir_arena arena;
};

/* All but out->own is filled in; its texts live until the runs are freed. A run that fails is part
 * of the result. WEIR_ELIMIT: it was interrupted. After a failure it is to be freed, too. */
enum weir_status weir_class_runs(struct weir_class_runs *c, struct weir_study_workload *workload,
                                 struct weir_run_classes *out, struct weir_err *err);
void weir_class_runs_free(struct weir_class_runs *c);

#endif
