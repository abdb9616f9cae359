/* A machine chosen by name, kernels timed on it, and the report: shared by run and replay. */
#ifndef WEIR_CLI_TIMING_H
#define WEIR_CLI_TIMING_H

#include <jansson.h>

#include "base/settings.h"
#include "base/text.h"
#include "study/prepare.h"
#include "study/setup.h"

/* Which L1: a scheme, by name or file (NULL: baseline), and what the command line changes of it. */
struct weir_line_up {
  const char *scheme, *organisation, *policies;
  const char *tags; /* a file of tags, or NULL */
};

struct weir_timed_kernel {
  char *workload, *kernel;
  uint64_t launches;
  uint32_t registers;     /* per thread, of the last launch; 0: not known */
  uint32_t registers_got; /* fewer than an estimate that would not let a block fit */
  bool regs_estimated;
  struct weir_sim_result result; /* summed over the launches, as all that follows */
  struct weir_static *insns;
  struct weir_pc_stats *insn_stats;
  uint32_t n_insns, n_files, n_units;
  char **files;
  struct weir_sim_unit *units; /* of each SM */
};

struct weir_timed_profile { /* a workload whose loads were classified before it ran */
  char *workload;
  struct weir_preparation found;
};

struct weir_timing {
  struct weir_setup setup;
  bool is_shared; /* the setup is another's */
  struct weir_sim *sim;
  struct {
    struct weir_timed_kernel *v;
    size_t n, cap;
  } kernels;
  struct {
    struct weir_timed_profile *v;
    size_t n, cap;
  } profiles;
  const struct weir_tags *tags; /* of the workload that runs, if the scheme is prepared for it */
  size_t first;                 /* of the workload that runs */
  const char *workload;
  uint32_t threads;
  bool check;                  /* that everything is back in place after each kernel */
  struct weir_sim_result last; /* of the last launch */
  /* Progress of the launch that runs; times are milliseconds. */
  const struct weir_kernel_info *running;
  uint64_t n_blocks, began, show_at;
  bool is_shown, showed;
  bool is_stoppable; /* give up when weir_cli_signal() says so: set before weir_timing_workload */
};

/* Milliseconds of a clock that only goes forward, for progress. */
uint64_t weir_cli_ms(void);

/* Names of the machines in gpus/, sorted. */
enum weir_status weir_cli_gpus(struct weir_arena *a, const char *const **names, size_t *n,
                               struct weir_err *err);
/* Put the values of a machine, by name or file, into the file layer. */
enum weir_status weir_cli_gpu_settings(struct weir_settings *s, const char *gpu,
                                       struct weir_err *err);

/* Names of the schemes in schemes/, sorted; the file of one, by name or path. */
enum weir_status weir_cli_schemes(struct weir_arena *a, const char *const **names, size_t *n,
                                  struct weir_err *err);
enum weir_status weir_cli_scheme_path(struct weir_arena *a, const char *scheme, const char **path,
                                      struct weir_err *err);
/* Load a scheme, or what the name of a policy stands for: the baseline with that policy. */
enum weir_status weir_cli_setup(struct weir_setup *setup, const char *scheme,
                                struct weir_settings *s, struct weir_err *err);
/* Look closely at the policies of plug-ins: deciding hooks must change nothing. */
void weir_cli_watch_plugins(struct weir_setup *setup);
/* A simulator for the machine and the L1, whose values are put into the settings; `gpu` is its
 * name and outlives it; one that is prepared has none before weir_timing_workload. The policies of
 * plug-ins come first, unless the line-up names policies. */
enum weir_status weir_timing_begin(struct weir_timing *t, struct weir_settings *s, const char *gpu,
                                   const struct weir_line_up *line_up, uint32_t threads, bool check,
                                   struct weir_err *err);
/* If the scheme is to be prepared for each workload: that, before weir_timing_workload. `settings`
 * are those of weir_timing_begin; `input` is the one that will be timed. */
enum weir_status weir_timing_prepare(struct weir_timing *t, const struct weir_settings *s,
                                     const char *workload, const char *path, const char *input,
                                     struct weir_err *err);
/* Another simulator of the same kind, whose rows come after those of `from` in the end. `from` must
 * outlive it. */
void weir_timing_share(struct weir_timing *t, const struct weir_timing *from);
/* Moves the rows of `t`, which are all that is left of it. */
enum weir_status weir_timing_join(struct weir_timing *into, struct weir_timing *t,
                                  struct weir_err *err);
/* Each workload starts with cold caches in cycle 0. */
enum weir_status weir_timing_workload(struct weir_timing *t, const char *workload,
                                      struct weir_err *err);
/* The simulator again from cycle 0, after a kernel that failed; the rows go on. */
enum weir_status weir_timing_restart(struct weir_timing *t, struct weir_err *err);
/* Time one kernel: a `simulate` hook of weir_workload_run. `self` is the struct weir_timing. */
enum weir_status weir_timing_kernel(void *self, struct weir_block_source *source,
                                    struct weir_err *err);
/* The conservation rules of everything that was timed. */
enum weir_status weir_timing_check(const struct weir_timing *t, struct weir_err *err);
/* What to print besides the table of kernels. */
struct weir_timing_views {
  bool all, per_sm, per_load;
};
enum weir_status weir_timing_text(const struct weir_timing *t, const struct weir_timing_views *v,
                                  struct weir_text *out, struct weir_err *err);
/* {"cycles": ..., "sm": {...}, ...} of the last launch; NULL: no memory. */
json_t *weir_timing_json(const struct weir_timing *t, const struct weir_kernel_info *k,
                         bool per_sm);
/* What the loads of the workload that runs were classified on; NULL: they were not, or no memory.
 */
json_t *weir_timing_profile_json(const struct weir_timing *t);
void weir_timing_end(struct weir_timing *t);

#endif
