/* The run matrix: every workload on every machine with every scheme, once or several times with
 * other delays by chance. A machine may come several times with other settings.
 *
 * A workload's streams are recorded once, in a temporary folder, and replayed for each run. Each
 * recording and each run is a process of its own, `jobs` of them at a time; results do not depend
 * on how many, nor on the order in which they end. What was run before may be taken from elsewhere,
 * and each run is handed on when it ends (struct weir_study_hooks; study/keeper.h does both with a
 * store). */
#ifndef WEIR_STUDY_MATRIX_H
#define WEIR_STUDY_MATRIX_H

#include "study/prepare.h"

enum weir_run_state {
  WEIR_RUN_WAITING,
  WEIR_RUN_RUNNING,
  WEIR_RUN_DONE,
  WEIR_RUN_FAILED,
  WEIR_RUN_LEFT /* not to be run, and nothing is known of it */
};

struct weir_run_kernel {
  char *name;
  uint64_t launches;
  struct weir_sim_result result; /* over its launches; without `limited_by` */
};

struct weir_run {
  enum weir_run_state state;
  char *error;    /* FAILED: why; NULL if its workload, its setup or its preparation is to blame */
  bool was_known; /* it was not run now */
  uint64_t launches;
  uint64_t storage_bits;           /* of the L1's parts on one SM, or WEIR_NOT_DECLARED */
  struct weir_sim_result sum;      /* over the launches; without `limited_by` */
  struct weir_run_kernel *kernels; /* in the order of their first launches */
  size_t n_kernels;
  char *decisions; /* samples as JSON, if they are wanted and it ended */
  double seconds;  /* that it took */
};

struct weir_study_workload {
  const char *name, *path;
  const char *input; /* of a launch file; NULL: its first, or it has none */
  bool is_trace;     /* path is a trace; else a launch file, to be recorded */
  const char *fault; /* why it cannot be timed, if that is known before; else NULL */
  /* Of a launch file: the trace of its streams, which stays. If it is not there it is recorded.
   * NULL: recorded in the temporary folder. */
  const char *streams;
  uint64_t peak; /* bytes that its runs had at most; 0: not known */
  /* Of its recording, by weir_study_run. */
  enum weir_run_state state;
  char *error;
};

struct weir_study_setup {
  const struct weir_setup *setup;
  const struct weir_settings *settings;
  const char *error; /* the scheme cannot stand on the machine: why; else NULL */
  bool is_left;      /* it is not meant */
};

/* What was found out about a workload before a prepared scheme runs (study/prepare.h). */
struct weir_study_prep {
  uint32_t n_made; /* 0: nothing is, or `error` says why not */
  const struct weir_preparation *made[WEIR_MAX_PARTS];
  struct weir_prepared prepared; /* of these, */
  bool is_ready;                 /* if they were made: none of its runs needs them else */
  const char *input;             /* that was profiled; "": the workload has no inputs */
  bool is_same_input;            /* it is the one that is timed */
  const char *error;
};

enum { WEIR_MAX_REPEATS = 100 };

struct weir_study_search;

struct weir_study {
  /* Given, and not owned. */
  struct weir_study_workload *workloads;
  const char *const *gpus, *const
                               *schemes; /* names; a machine's may come again with other setups */
  const char *const *labels;             /* of schemes, for people; NULL: their names */
  const char *const *variants;           /* [gpu] what it is set to, "" if nothing; NULL: none is */
  const struct weir_study_setup *setups; /* [gpu][scheme] */
  size_t n_workloads, n_gpus, n_schemes;
  const struct weir_study_prep *preps; /* [workload][gpu][scheme]; NULL: nothing is prepared */
  const struct ptx_exec_cfg *exec;
  uint32_t jobs;       /* at least 1 */
  uint64_t memory;     /* bytes that all jobs together should not exceed; 0: no limit */
  const double *costs; /* [run] seconds that it may take, NaN: not known; NULL: none is */
  /* Runs of each cell; 0 is 1: as its setup says. Of several, each has a seed of its own, which all
   * schemes share. */
  uint32_t repeats;
  /* Columns of the schemes that are values of a search, and one for each that shows the best
   * (study/search.h). The first `n_shown` columns are for tables; 0: all. */
  const struct weir_study_search *searches;
  size_t n_searches, n_shown;
  bool check;        /* conservation rules, and that everything is back in place after a kernel */
  bool decisions;    /* samples of them are wanted (session/decisions.h) */
  bool only_records; /* streams of what would run; nothing is timed */
  /* Found out. */
  uint64_t n_executions, n_replays; /* workloads executed, once each; runs timed from that */
  size_t *order;                    /* in which workloads are begun */
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
  /* Both may be NULL. Before anything runs, for each run: one that is not to be run gets its state
   * (DONE, FAILED, LEFT) and what is known of it. */
  enum weir_status (*find)(void *self, const struct weir_study *s, size_t run,
                           struct weir_err *err);
  /* A run has ended, or cannot be tried, before anybody else is told. An error ends the study. */
  enum weir_status (*keep)(void *self, const struct weir_study *s, size_t run,
                           struct weir_err *err);
  void *keeper; /* the `self` of these two */
};

/* Fill in the runs. A run that fails is part of the result; the status is about the study itself
 * (memory, the temporary folder). */
enum weir_status weir_study_run(struct weir_study *s, const struct weir_study_hooks *hooks,
                                struct weir_err *err);
/* Free what is kept of its kernels and decisions; the sum stays. */
void weir_run_forget(struct weir_run *r);
/* Free what weir_study_run made. */
void weir_study_free(struct weir_study *s);

size_t weir_study_n_runs(const struct weir_study *s);
/* The name of a scheme for people. */
const char *weir_study_label(const struct weir_study *s, size_t scheme);
/* What a run is one of. */
struct weir_study_place {
  size_t workload, gpu, scheme, repeat;
};
struct weir_study_place weir_study_place(const struct weir_study *s, size_t run);
/* Why a run failed; NULL: it did not. */
const char *weir_study_reason(const struct weir_study *s, size_t run);
/* Columns of tables. */
size_t weir_study_shown(const struct weir_study *s);
/* Of a cell, at least 1. */
size_t weir_study_repeats(const struct weir_study *s);
/* Of a search: that of its best trial. */
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
