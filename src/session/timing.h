/* One design on one machine, and the kernels that are timed with it: the one loop around the
 * engine. The commands, studies, the benchmark and the public session (session.h) all go through
 * it. */
#ifndef WEIR_SESSION_TIMING_H
#define WEIR_SESSION_TIMING_H

#include "session/setup.h"
#include "stream/block.h"

struct weir_timed_kernel {
  char *workload, *kernel;
  uint64_t launches;
  uint32_t registers;     /* per thread, of the last launch; 0: not known */
  uint32_t registers_got; /* fewer if the machine, or a block that must fit, asks for it */
  bool regs_estimated;
  struct weir_sim_result result; /* summed over the launches, as all that follows */
  struct weir_static *insns;
  struct weir_pc_stats *insn_stats;
  uint32_t n_insns, n_files, n_units;
  char **files;
  struct weir_sim_unit *units;    /* of each SM */
  struct weir_clock_pairs clocks; /* if they are wanted */
  bool reads_clock;
};

/* What was made for a workload before it is timed: tags, and rows for policies of the design. */
struct weir_prepared {
  const struct weir_rows *org_rows;                 /* for the organisation; NULL: none */
  const struct weir_tags *tags;                     /* NULL: those of the setup */
  const struct weir_rows *rows[WEIR_MAX_PARTS - 1]; /* by policy; NULL: none */
};

struct weir_timing;
struct weir_timing_options {
  uint32_t threads; /* at least 1 */
  bool check;       /* that everything is back in place after each kernel */
  /* While a kernel runs, often; false gives up, as WEIR_ELIMIT. May be NULL. */
  bool (*progress)(void *self, const struct weir_timing *t, uint64_t cycle, uint64_t blocks);
  /* After each kernel that progress was told of; may be NULL. */
  void (*ended)(void *self);
  void *self;
  struct weir_rows
      *rows; /* gets those of policy `rows_part` of the design; NULL: none are wanted */
  uint32_t rows_part;
  /* Gets what each SM's L1 has accepted: after each kernel where the L1s are emptied between
   * kernels, else when the workload is over. May be NULL. */
  enum weir_status (*read_tape)(void *tape_self, const struct weir_timing *t, uint32_t sm,
                                const struct weir_tape *tape, struct weir_err *err);
  void *tape_self;
  const struct weir_sampler *sampler; /* NULL: nobody looks */
  bool clocks;                        /* cycles between clock reads are wanted */
};

struct weir_timing {
  const struct weir_setup *setup;
  struct weir_timing_options options;
  struct weir_sim *sim; /* NULL before the first workload */
  struct {
    struct weir_timed_kernel *v;
    size_t n, cap;
  } kernels;
  struct weir_prepared prepared; /* for the workload that runs */
  struct weir_design design;     /* the setup's, with these rows */
  size_t first;                  /* of the workload that runs */
  const char *workload;
  uint64_t launches;                      /* of all workloads */
  struct weir_sim_result last;            /* of the last launch */
  struct weir_sim_result sum;             /* of the workload, launch after launch */
  const struct weir_kernel_info *running; /* NULL: nothing does */
  struct weir_kernel_info preferring;     /* the last kernel, with what launch.carveout says */
};

/* The setup outlives it. */
void weir_timing_begin(struct weir_timing *t, const struct weir_setup *setup,
                       const struct weir_timing_options *o);
void weir_timing_end(struct weir_timing *t);

/* Each workload starts with cold caches in cycle 0. What `prepared` (NULL: nothing) points to and
 * the name outlive the workload. */
enum weir_status weir_timing_workload(struct weir_timing *t, const char *workload,
                                      const struct weir_prepared *prepared, struct weir_err *err);
/* The simulator again from cycle 0, after a kernel that failed; the rows go on. */
enum weir_status weir_timing_restart(struct weir_timing *t, struct weir_err *err);
/* Time one kernel: a `simulate` hook of weir_workload_run and a hook of weir_replay. `self` is the
 * struct weir_timing. */
enum weir_status weir_timing_kernel(void *self, struct weir_block_source *source,
                                    struct weir_err *err);

/* The workload is over: tapes that have not been read are. Part of weir_timing_check, and of the
 * next workload's beginning. */
enum weir_status weir_timing_rewind(struct weir_timing *t, struct weir_err *err);
/* After the last kernel: what the policy makes of the rows that the options asked for. */
enum weir_status weir_timing_digest(struct weir_timing *t, struct weir_err *err);
/* Frees the simulator; the rows stay. */
void weir_timing_stop(struct weir_timing *t);
/* Moves the rows of `t`, which are all that is left of it. */
enum weir_status weir_timing_join(struct weir_timing *into, struct weir_timing *t,
                                  struct weir_err *err);
/* Everything that was timed, added up. */
void weir_timing_total(const struct weir_timing *t, struct weir_sim_result *sum);
/* The conservation rules of everything that was timed, and the upper bounds. */
enum weir_status weir_timing_check(struct weir_timing *t, struct weir_err *err);

#endif
