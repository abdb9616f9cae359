/* A sweep on a cluster: jobs for Slurm that record, run and merge (docs/cluster.md). */
#ifndef WEIR_CLI_SWEEP_SLURM_H
#define WEIR_CLI_SWEEP_SLURM_H

#include "cli/compare.h"

enum {
  WEIR_SLURM_ON = 5000,
  WEIR_SLURM_ARRAY,
  WEIR_SLURM_PARTITION,
  WEIR_SLURM_TIME,
  WEIR_SLURM_ACCOUNT,
  WEIR_SLURM_QOS,
  WEIR_SLURM_OPTION,
  WEIR_SLURM_DRY_RUN,
  WEIR_SLURM_END
};

/* Rows of a struct weir_opt table. */
#define WEIR_SLURM_OPTIONS                                                                         \
  {"slurm", 0, NULL,                                                                               \
   "do it on a cluster (docs/cluster.md): submits a job array, and one that merges its results\n"  \
   "into the store; the same command again submits what is missing. --jobs is then runs at a\n"    \
   "time, and CPUs, of each task (default: 1), --memory what each task has",                       \
   WEIR_SLURM_ON},                                                                                 \
      {"array", 0, "N", "with --slurm: tasks (default: 16), 'N%M': M of them at a time",           \
       WEIR_SLURM_ARRAY},                                                                          \
      {"partition", 0, "NAME", "with --slurm: where jobs run, as the next three for sbatch",       \
       WEIR_SLURM_PARTITION},                                                                      \
      {"time", 0, "LIMIT", "with --slurm: of each task: 90 (minutes), 4:00:00, 2-00:00:00",        \
       WEIR_SLURM_TIME},                                                                           \
      {"account", 0, "NAME", "with --slurm: who pays", WEIR_SLURM_ACCOUNT},                        \
      {"qos", 0, "NAME", "with --slurm: quality of service", WEIR_SLURM_QOS},                      \
      {"sbatch-option", 0, "OPTION",                                                               \
       "with --slurm: any other option of sbatch, for all jobs: --sbatch-option "                  \
       "--constraint=avx2;\nmay be repeated",                                                      \
       WEIR_SLURM_OPTION},                                                                         \
  {                                                                                                \
    "dry-run", 0, NULL,                                                                            \
        "with --slurm: print the scripts and the commands, and do nothing; Slurm is not needed",   \
        WEIR_SLURM_DRY_RUN                                                                         \
  }
#define WEIR_SLURM_NEUTRAL " slurm array partition time account qos sbatch-option dry-run"

static inline bool weir_is_slurm_option(int id) {
  return id >= WEIR_SLURM_ON && id < WEIR_SLURM_END;
}

enum weir_slurm_kind { WEIR_SLURM_PREPARE, WEIR_SLURM_TASKS, WEIR_SLURM_MERGE, WEIR_SLURM_KINDS };

struct weir_slurm {
  bool is_on, is_dry;
  const char *needs_it; /* an option that goes with --slurm alone; NULL: none was given */
  uint32_t most_tasks, at_once;
  const char *partition, *time, *account, *qos;
  struct weir_names extra;
  /* Made from these. */
  const char *program, *cwd, *store, *folder; /* absolute */
  struct weir_names line;                     /* arguments of workers */
  uint32_t cpus;
  uint64_t memory; /* of a task; 0: as the cluster has it */
  uint32_t n_tasks;
  bool is_wanted[WEIR_SLURM_KINDS];
};

/* ---- sweep_slurm.c ---- */

enum weir_status weir_slurm_option(struct weir_comparison *c, int id, const char *value,
                                   struct weir_err *err);
/* After all options. Returns -1 to go on, else the exit code. */
int weir_slurm_check(const struct weir_comparison *c, const char *command);
/* All of it; argv is the line as it was given, of `u`. Returns the exit code. */
int weir_slurm_sweep(struct weir_comparison *c, int argc, char **argv, const struct weir_usage *u);
void weir_slurm_free(struct weir_slurm *s);

/* ---- slurm_scripts.c ---- */

/* "prepare", "tasks", "merge". */
const char *weir_slurm_name(enum weir_slurm_kind kind);
const char *weir_slurm_path(const struct weir_slurm *s, struct weir_arena *a, const char *name);
void weir_slurm_script(const struct weir_slurm *s, enum weir_slurm_kind kind,
                       struct weir_text *out);
/* The words of the command that submits it, after that with the number `after` (NULL: at once).
 * False: no memory. */
bool weir_slurm_sbatch(const struct weir_slurm *s, enum weir_slurm_kind kind, const char *after,
                       struct weir_arena *a, struct weir_names *out);
/* Scripts and commands, as a shell would take them. */
enum weir_status weir_slurm_show(const struct weir_slurm *s, struct weir_arena *a,
                                 struct weir_text *out, struct weir_err *err);

/* ---- slurm_submit.c ---- */

/* WEIR_ENOENT: there is no Slurm here. */
enum weir_status weir_slurm_is_here(struct weir_err *err);
/* Do jobs that were submitted for this folder still wait or run? *jobs is then text for people,
 * from the arena, else NULL. */
enum weir_status weir_slurm_active(const struct weir_slurm *s, struct weir_arena *a,
                                   const char **jobs, struct weir_err *err);
/* Writes the scripts and submits what is wanted; all or nothing. ids[kind] is NULL if it is not. */
enum weir_status weir_slurm_submit(const struct weir_slurm *s, struct weir_arena *a,
                                   const char *ids[WEIR_SLURM_KINDS], struct weir_err *err);

#endif
