/* Which hints on loads, and which division of L1 and shared memory, make a workload faster: the
 * best that a search on the model finds (docs/advise.md says how it goes). */
#ifndef WEIR_STUDY_ADVISE_H
#define WEIR_STUDY_ADVISE_H

#include "study/trials.h"

struct weir_advise_request {
  struct weir_profile_request what; /* what is executed, jobs, check, progress */
  const struct weir_setup *setup;
  uint32_t trials;  /* timings of the search, at least 1 */
  uint32_t repeats; /* of the baseline and of what was found, with other seeds; at least 2 */
  double least;     /* gain of a kernel, and of all, below which nothing is advised: 0.01 */
};

struct weir_advised_load {
  uint64_t requests, hits; /* as the text is */
  enum weir_hint hint;     /* what is advised */
  bool is_free;            /* it has a place for a hint, ran, and is of one kernel only */
  uint32_t unit; /* the first of those that go together: copies that a compiler made of one load */
  bool is_tried; /* alone past the L1 */
  double alone;  /* then: what the kernel gained by that */
};

struct weir_advised_kernel {
  uint64_t launches, cycles, best; /* best: with what is advised */
  struct weir_launched_with had;
  uint8_t carveout; /* advised, as in struct weir_kernel_info; 0: as it is */
};

struct weir_advised {
  struct weir_profile profile; /* kernels and loads; its counts are not filled */
  struct weir_advised_load *loads;
  struct weir_advised_kernel *kernels;
  uint64_t cycles;           /* of all, as the text is */
  double found;              /* the gain that the search found, before the rest was looked at */
  uint32_t n_trials, n_kept; /* n_kept: kernels for which there is advice */
  uint32_t n_repeats;        /* 0: nothing was found, nothing repeated */
  double *before, *after;    /* cycles of each repeat */
};

/* What a gain of cycles from `from` to `to` is: 0.1 for 110 to 100. */
static inline double weir_gain(double from, double to) {
  return to > 0 ? from / to - 1 : 0;
}

/* WEIR_ELIMIT: it was stopped. After a failure there is nothing to free. */
enum weir_status weir_advise_run(const struct weir_advise_request *r, struct weir_advised *out,
                                 struct weir_err *err);
void weir_advised_free(struct weir_advised *a);
/* Takes everything back: chance would explain the gain. */
void weir_advised_drop(struct weir_advised *a);
/* How many loads have a hint. */
uint32_t weir_advised_hints(const struct weir_advised *a);

#endif
