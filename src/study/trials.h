/* Recorded streams timed with other hints on loads and other divisions of L1 and shared memory,
 * each in a process of its own, several at a time. */
#ifndef WEIR_STUDY_TRIALS_H
#define WEIR_STUDY_TRIALS_H

#include "base/temp.h"
#include "session/hinted.h"
#include "study/profile.h"

struct weir_trial_kernel {
  uint64_t cycles, launches;
  struct weir_launched_with had;
};

struct weir_trial_load {
  uint64_t requests, hits; /* one that joins a request under way is a hit */
};

struct weir_trial {
  uint8_t *hints;     /* enum weir_hint of each load, by its number in the profile */
  uint8_t *carveouts; /* of each kernel, as in struct weir_hints */
  bool has_jitter;    /* small delays by chance, from `seed` */
  int64_t seed;
  /* What came out. */
  uint64_t cycles; /* of all kernels */
  struct weir_trial_kernel *kernels;
  struct weir_trial_load *loads;
};

struct weir_trials {
  const struct weir_profile_request *r; /* what is executed, jobs, and whom to tell */
  const struct weir_setup *setup;       /* on which it is timed */
  const struct weir_profile *p;
  uint32_t most;   /* trials, for progress */
  uint32_t n_done; /* so far */
  struct weir_temp folder;
  char trace[4096];
};

enum { WEIR_TRIAL_JITTER = 16 }; /* cycles, as those of compare --repeat, unless others are set */

/* Executes what has not been recorded. Whatever comes of it, it is to be closed. */
enum weir_status weir_trials_open(struct weir_trials *t, struct weir_err *err);
/* Arrays of a trial that are as the text is. False: no memory. */
bool weir_trial_make(struct weir_trial *trial, const struct weir_profile *p, struct weir_arena *a);
/* Times `n` of them. The results do not depend on the number of jobs. */
enum weir_status weir_trials_run(struct weir_trials *t, struct weir_trial *v, uint32_t n,
                                 struct weir_err *err);
void weir_trials_close(struct weir_trials *t);

#endif
