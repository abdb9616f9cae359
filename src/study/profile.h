/* The loads of a workload, classified: profiling runs on a machine, and what they say.
 *
 * The workload is executed once. Its streams are then timed once for each load, which alone uses
 * the L1 while all others bypass it, and once for each group of several loads, which use it
 * together: so many runs, several at a time. To choose by traffic there are pairs of a group
 * instead of the whole group, and one run in which every load bypasses the L1. */
#ifndef WEIR_STUDY_PROFILE_H
#define WEIR_STUDY_PROFILE_H

#include "analysis/classify.h"
#include "analysis/traffic.h"
#include "launch/workload.h"
#include "machine/machine.h"
#include "session/prepare.h"

struct weir_profile_request {
  const char *path, *input; /* launch file; NULL input: its first */
  /* Or, with path NULL, what was recorded before: a trace, and the kernels in it. */
  const char *trace;
  struct ptx_program *const *programs;
  uint32_t n_programs;
  const struct ptx_exec_cfg *exec;
  const struct weir_machine *machine;
  const struct weir_cls_cfg *cls;
  bool by_traffic; /* tags are those of weir_traffic_choose, else of weir_classify */
  uint32_t jobs;   /* at least 1 */
  bool check;      /* that everything is back in place after each kernel */
  /* Several times a second, and after each run; may be NULL. With n_runs 0: it is being recorded.
   */
  void (*progress)(void *self, uint32_t done, uint32_t n_runs);
  /* Asked as often; may be NULL. True gives up. */
  bool (*is_stopped)(void *self);
  void *self;
  /* Not NULL: all of it in this process, timed with these options; `jobs`, `check`, `progress` and
   * `is_stopped` do not matter. */
  const struct weir_timing_options *here;
};

struct weir_profiled_kernel {
  struct weir_loads loads;
  struct weir_load_counts *counts; /* of each load */
  struct weir_traffic traffic;     /* of them, if it is by traffic */
  enum weir_tag *tags;             /* the class of each */
  uint32_t first;                  /* number of its first load in the workload */
};

struct weir_profile {
  struct weir_profiled_kernel *kernels; /* in the order of their first launches */
  uint32_t n_kernels, n_loads;          /* n_loads: of all kernels, with those that are fixed */
  uint32_t n_runs;
  struct weir_workload *workload; /* NULL: it was a trace */
  struct ptx_device dev;          /* of the workload */
  struct weir_arena arena;
};

/* Kernels and their loads, without any run: `path` or `programs`, `exec` and `cls` matter. After a
 * failure there is nothing to free. */
enum weir_status weir_profile_open(const struct weir_profile_request *r, struct weir_profile *p,
                                   struct weir_err *err);
/* WEIR_ELIMIT: it was stopped. */
enum weir_status weir_profile_run(const struct weir_profile_request *r, struct weir_profile *p,
                                  struct weir_err *err);
void weir_profile_free(struct weir_profile *p);

/* The classes as tags. */
enum weir_status weir_profile_tags(const struct weir_profile *p, struct weir_tags **out,
                                   struct weir_err *err);

#endif
