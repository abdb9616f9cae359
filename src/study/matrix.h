/* The run matrix: every workload on every machine with every scheme, once or several times with
 * other delays by chance.
 *
 * A workload's streams are recorded once, in a temporary folder, and replayed for each run. Each
 * recording and each run is a process of its own, `jobs` of them at a time; results do not depend
 * on how many, nor on the order in which they end. */
#ifndef WEIR_STUDY_MATRIX_H
#define WEIR_STUDY_MATRIX_H

#include "study/prepare.h"

enum weir_run_state { WEIR_RUN_WAITING, WEIR_RUN_RUNNING, WEIR_RUN_DONE, WEIR_RUN_FAILED };

struct weir_run {
  enum weir_run_state state;
  char *error; /* FAILED: why; NULL if its workload, its setup or its preparation is to blame */
  uint64_t launches;
  uint64_t storage_bits;      /* of the L1's parts on one SM, or WEIR_NOT_DECLARED */
  struct weir_sim_result sum; /* over the launches; without `limited_by` */
};

struct weir_study_workload {
  const char *name, *path;
  const char *input; /* of a launch file; NULL: its first, or it has none */
  bool is_trace;     /* path is a trace; else a launch file, to be recorded */
  const char *fault; /* why it cannot be timed, if that is known before; else NULL */
  /* Of its recording, by weir_study_run. */
  enum weir_run_state state;
  char *error;
};

struct weir_study_setup {
  const struct weir_setup *setup;
  const struct weir_settings *settings;
  const char *error; /* the scheme cannot stand on the machine: why; else NULL */
};

/* What was found out about a workload before a prepared scheme runs (study/prepare.h). */
struct weir_study_prep {
  uint32_t n_made; /* 0: nothing is, or `error` says why not */
  const struct weir_preparation *made[WEIR_MAX_PARTS];
  struct weir_prepared prepared; /* of these */
  const char *input;             /* that was profiled; "": the workload has no inputs */
  bool is_same_input;            /* it is the one that is timed */
  const char *error;
};

enum { WEIR_MAX_REPEATS = 100 };

struct weir_study {
  /* Given, and not owned. */
  struct weir_study_workload *workloads;
  const char *const *gpus, *const *schemes; /* names */
  const struct weir_study_setup *setups;    /* [gpu][scheme] */
  size_t n_workloads, n_gpus, n_schemes;
  const struct weir_study_prep *preps; /* [workload][gpu][scheme]; NULL: nothing is prepared */
  const struct ptx_exec_cfg *exec;
  uint32_t jobs; /* at least 1 */
  /* Runs of each cell; 0 is 1: as its setup says. Of several, each has a seed of its own, which all
   * schemes share. */
  uint32_t repeats;
  bool check; /* conservation rules, and that everything is back in place after a kernel */
  /* Found out. */
  uint64_t n_executions, n_replays; /* workloads executed, once each; runs timed from that */
  struct weir_run *runs;            /* [workload][gpu][scheme][repeat] */
};

enum weir_study_event { WEIR_STUDY_STARTED, WEIR_STUDY_ENDED, WEIR_STUDY_WAITING };

struct weir_study_hooks {
  /* A run, or with run NULL the recording of a workload, started or ended; or, several times a
   * second, nothing did (no workload either). */
  void (*event)(void *self, const struct weir_study *s, enum weir_study_event event,
                const struct weir_study_workload *workload, const struct weir_run *run);
  /* Asked as often: true ends what runs and leaves the rest waiting. */
  bool (*is_stopped)(void *self);
  void *self;
};

/* Fill in the runs. A run that fails is part of the result; the status is about the study itself
 * (memory, the temporary folder). */
enum weir_status weir_study_run(struct weir_study *s, const struct weir_study_hooks *hooks,
                                struct weir_err *err);
/* Free what weir_study_run made. */
void weir_study_free(struct weir_study *s);

size_t weir_study_n_runs(const struct weir_study *s);
/* Of a cell, at least 1. */
size_t weir_study_repeats(const struct weir_study *s);
struct weir_run *weir_study_repeat(const struct weir_study *s, size_t workload, size_t gpu,
                                   size_t scheme, size_t repeat);
/* What became of a cell: the first of its runs that failed; else the first that has not ended; else
 * the first. */
struct weir_run *weir_study_at(const struct weir_study *s, size_t workload, size_t gpu,
                               size_t scheme);
/* jitter.seed of a repeat: the setup's, and its number from 1 on. */
uint64_t weir_study_seed(const struct weir_study_setup *setup, size_t repeat);
/* NULL: the scheme is not prepared. */
const struct weir_study_prep *weir_study_prep(const struct weir_study *s, size_t workload,
                                              size_t gpu, size_t scheme);
const struct weir_study_setup *weir_study_setup(const struct weir_study *s, size_t gpu,
                                                size_t scheme);

#endif
