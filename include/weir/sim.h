/* Simulations from a program of your own.
 *
 *   struct weir_session *s;
 *   struct weir_err err;
 *   if (weir_session_open(&s, "fermi-s3", NULL, &err) ||
 *       weir_session_add(s, &(struct weir_line_up){.scheme = "decoupled"}, &err) ||
 *       weir_session_run(s, "spmv", "profile", &err))
 *     ...err.msg says what is wrong, and what to do
 *   struct weir_statistic v;
 *   weir_session_stat(s, 0, WEIR_ALL_KERNELS, "l1.hits", &v, &err);
 *   weir_session_close(s);
 *
 * A session is a machine with settings; designs of its L1 are added, and whatever is run is timed
 * with each of them, on exactly the same work. The library prints nothing, installs no signal
 * handler, never ends the process, and keeps nothing between sessions but plug-ins. Sessions of
 * several threads do not disturb each other; one session is for one thread at a time.
 *
 * What can fail returns an enum weir_status, 0 for good, and fills `err`, which may be NULL.
 * docs/library.md says more. */
#ifndef WEIR_SIM_H
#define WEIR_SIM_H

#include <stddef.h>
#include <stdint.h>

#include "weir/err.h"
#include "weir/stat.h"

#ifdef __cplusplus
extern "C" {
#endif

struct weir_session;

/* ---- settings and designs ---- */

/* `machine`: one of 'weir list gpus', or a file that ends in .yaml. `settings`: "KEY=VALUE" of
 * 'weir list params', ended by NULL; may be NULL. *out is NULL after a failure. */
WEIR_API enum weir_status weir_session_open(struct weir_session **out, const char *machine,
                                            const char *const *settings, struct weir_err *err);
/* NULL is nothing. */
WEIR_API void weir_session_close(struct weir_session *s);

/* An L1: a scheme, and what is changed of it. All may be NULL. */
struct weir_line_up {
  const char *scheme; /* one of 'weir list schemes', or a file that ends in .yaml; or the name of
                         a policy, for the baseline with it. NULL: baseline */
  const char *organisation; /* instead of the scheme's */
  const char *policies;     /* instead of the scheme's: "NAME,NAME,..." */
  const char *tags;         /* a file of 'weir classify --tags', for schemes that decide by tags */
  const char *const *settings; /* of this design only: "KEY=VALUE", ended by NULL */
  const char *const *bypass;   /* loads of these source lines are tagged cg: "FILE:LINE", ended by
                                  NULL */
  const void *reserved[2];     /* must be NULL */
};
/* Designs are numbered from 0, in the order in which they are added. One that does not fit the
 * machine is an error and is not added. */
WEIR_API enum weir_status weir_session_add(struct weir_session *s,
                                           const struct weir_line_up *design, struct weir_err *err);
WEIR_API size_t weir_session_n_designs(const struct weir_session *s);
/* The scheme's name, with what was changed; NULL: there is no such design. */
WEIR_API const char *weir_session_design(const struct weir_session *s, size_t design);

/* Load policies of your own (weir/policy.h) from a shared object, before any session is opened and
 * while no other thread uses weir. They stay, and come before those of every scheme unless a
 * line-up names its policies. */
WEIR_API enum weir_status weir_load_plugin(const char *path, struct weir_err *err);
/* Where machines, schemes and workloads are looked up: $WEIR_DATA, else share/weir of the
 * installation. */
WEIR_API const char *weir_data_dir(void);

/* ---- running ---- */

/* Host threads of a simulation, from 1 (as it begins) to 256. Results do not depend on it. */
WEIR_API enum weir_status weir_session_threads(struct weir_session *s, unsigned n,
                                               struct weir_err *err);
/* Verify that everything is given back after each kernel, and the conservation rules of the
 * statistics; not 0: do. */
WEIR_API void weir_session_check(struct weir_session *s, int is_wanted);
/* Called often while a kernel is timed, with the cycle it is in and the blocks that have ended; 0
 * ends the run as WEIR_ELIMIT. NULL: nobody is. */
WEIR_API void weir_session_watch(struct weir_session *s,
                                 int (*watch)(void *self, size_t design, const char *kernel,
                                              uint64_t cycle, uint64_t blocks),
                                 void *self);
/* Gets what kernels print; NULL: it is dropped. */
WEIR_API void weir_session_output(struct weir_session *s,
                                  void (*print)(void *self, const char *text, size_t bytes),
                                  void *self);

/* Time a built-in workload (its name), a launch file (.yaml), a trace (.wtrace) or a list of
 * kernels of Accel-Sim with every design, each from cycle 0 with cold caches. `input`: which of a
 * workload's inputs; NULL: its first. What is executed is executed once; its expected results are
 * checked. The values of an earlier run are gone. */
WEIR_API enum weir_status weir_session_run(struct weir_session *s, const char *what,
                                           const char *input, struct weir_err *err);

/* ---- statistics of the last run ---- */

/* Kernels in the order of their first launches, the same for every design. */
WEIR_API size_t weir_session_n_kernels(const struct weir_session *s);
/* As the PTX calls it; NULL: there is no such kernel. */
WEIR_API const char *weir_session_kernel(const struct weir_session *s, size_t kernel);

#define WEIR_ALL_KERNELS SIZE_MAX

/* Texts live as long as the session. */
struct weir_statistic {
  const char *name, *unit, *help; /* unit "": a plain number */
  enum weir_stat_kind kind;       /* a counter or maximum has a count, a ratio only a value */
  uint64_t count;                 /* exact; of a ratio 0 */
  double value;                   /* of any kind; NaN: a ratio of nothing */
};

/* Statistics that a design has: those of the machine, and those of the parts of its L1. */
WEIR_API size_t weir_session_n_stats(const struct weir_session *s, size_t design);
/* The i-th of a kernel's launches together, or of WEIR_ALL_KERNELS. */
WEIR_API enum weir_status weir_session_stat_at(const struct weir_session *s, size_t design,
                                               size_t kernel, size_t i, struct weir_statistic *out,
                                               struct weir_err *err);
/* By name: "cycles", "launches", "storage.bits_per_sm" (if all parts declare it), and PREFIX.NAME
 * of docs/reference/stats.md: "l1.hits", "derived.ipc", "decoupled.commits". */
WEIR_API enum weir_status weir_session_stat(const struct weir_session *s, size_t design,
                                            size_t kernel, const char *name,
                                            struct weir_statistic *out, struct weir_err *err);

#ifdef __cplusplus
}
#endif

#endif
