/* A study from a file: docs/studies.md. */
#ifndef WEIR_CLI_SWEEP_H
#define WEIR_CLI_SWEEP_H

#include "cli/compare.h"

/* Is it a file that describes a study, and not a workload? */
bool weir_is_study_file(const char *path);
/* What the command line leaves open: lists that it gives take the place of the file's. Plug-ins of
 * the file are not loaded here. */
enum weir_status weir_study_file(struct weir_comparison *c, const char *path, struct weir_err *err);
/* Are its metrics SQL expressions of statistics that the runs will have? Before anything runs. */
enum weir_status weir_study_check_metrics(const struct weir_comparison *c, struct weir_err *err);
/* The plug-ins that it names, before anything else. */
enum weir_status weir_study_file_plugins(const char *path, struct weir_err *err);

/* ---- cmd_sweep.c ---- */

enum { WEIR_SWEEP_ONLY_FAILED = 1 }; /* the option */

/* What the line of weir sweep (`is_shard`: weir worker) asks for, argv[0] being the command.
 * Returns -1 to go on, else the exit code. weir_comparison_free in any case. */
int weir_sweep_begin(int argc, char **argv, bool is_shard, struct weir_comparison *c);
enum weir_status weir_sweep_run(struct weir_comparison *c, struct weir_err *err);

#endif
