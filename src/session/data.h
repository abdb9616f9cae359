/* Where the data lies, and what is in it: machines (gpus/), schemes and workloads, by name. */
#ifndef WEIR_SESSION_DATA_H
#define WEIR_SESSION_DATA_H

#include "base/arena.h"
#include "base/settings.h"
#include "machine/machine_file.h"
#include "weir/sim.h"

/* Names of the built-in workloads, sorted. workloads/NAME/NAME.yaml is called NAME,
 * workloads/A/B.yaml is called A/B. */
enum weir_status weir_data_workloads(struct weir_arena *a, const char *const **names, size_t *n,
                                     struct weir_err *err);
/* The launch file of a built-in workload; WEIR_ENOENT with the nearest name. */
enum weir_status weir_data_workload(struct weir_arena *a, const char *name, const char **path,
                                    struct weir_err *err);
/* The built-in workloads that `word` stands for, of those that have the input (INPUT or
 * INPUT@BUILD; NULL: "eval"): every one for "all", else those that name it under `sets`. *names is
 * NULL if it stands for none: a workload's own name, a file, or nothing. */
enum weir_status weir_data_set(struct weir_arena *a, const char *word, const char *input,
                               const char *const **names, size_t *n, struct weir_err *err);
/* Is it the name of a launch file (.yaml, .yml), not that of a built-in workload? */
bool weir_is_launch_file(const char *name);

/* Names of the machines in gpus/, sorted. */
enum weir_status weir_data_gpus(struct weir_arena *a, const char *const **names, size_t *n,
                                struct weir_err *err);
/* Put the values of a machine, by name or file, into the file layer. */
enum weir_status weir_data_machine(struct weir_settings *s, const char *gpu, struct weir_err *err);
/* The files of a machine of the user's own, as weir_machine_files. */
enum weir_status weir_data_machine_files(const char *path, struct weir_arena *a,
                                         const char *names[WEIR_MAX_EXTENDS], uint32_t *n,
                                         struct weir_err *err);

/* Names of the schemes in schemes/, sorted; the file of one, by name or path. */
enum weir_status weir_data_schemes(struct weir_arena *a, const char *const **names, size_t *n,
                                   struct weir_err *err);
enum weir_status weir_data_scheme(struct weir_arena *a, const char *scheme, const char **path,
                                  struct weir_err *err);
/* The paper files in papers/, sorted; the file of one, by name (in any case of letters) or path. */
enum weir_status weir_data_papers(struct weir_arena *a, const char *const **names, size_t *n,
                                  struct weir_err *err);
enum weir_status weir_data_paper(struct weir_arena *a, const char *paper, const char **path,
                                 struct weir_err *err);
/* Is there such a file, or is it the name of one? */
bool weir_data_has_scheme(const char *name);

#endif
