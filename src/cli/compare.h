/* weir compare: what the command line asks for, and what is made of it. */
#ifndef WEIR_CLI_COMPARE_H
#define WEIR_CLI_COMPARE_H

#include "cli/classify_program.h"
#include "cli/compare_progress.h"
#include "cli/provenance.h"
#include "study/matrix.h"

struct weir_names {
  const char **v;
  size_t n, cap;
};

struct weir_comparison {
  struct weir_names workloads, schemes, gpus, sets, configs;
  const char *input, *baseline_name, *tags, *csv, *json;
  uint32_t jobs;
  bool check, quiet;
  char **argv; /* of a program; NULL: there is none */
  struct weir_program_choice choice;
  /* Made from these. */
  struct weir_arena arena;
  struct weir_settings exec_settings;
  struct ptx_exec_cfg exec;
  struct weir_settings *settings; /* [gpu][scheme], as the next two */
  struct weir_setup *setups;
  struct weir_study_setup *study_setups;
  size_t n_setups, baseline;
  struct weir_preparations preparations;
  struct weir_study_prep *preps; /* [workload][gpu][scheme] */
  struct weir_study study;
  struct weir_compare_progress progress;
  struct weir_classify_program program;
  struct weir_prov prov;
};

/* ---- compare_what.c ---- */

/* One more name, or several ("a,b,c"); `what` they are is for messages. None may come twice. */
enum weir_status weir_comparison_name(struct weir_names *list, const char *what, const char *name,
                                      struct weir_err *err);
enum weir_status weir_comparison_names(struct weir_comparison *c, struct weir_names *list,
                                       const char *what, const char *text, struct weir_err *err);
/* What the user set, of all parameters. */
enum weir_status weir_comparison_settings(const struct weir_comparison *c, struct weir_settings *s,
                                          struct weir_err *err);
/* Fill in the workloads; then machines, schemes and their setups; then the number of the baseline.
 */
enum weir_status weir_comparison_workloads(struct weir_comparison *c, struct weir_err *err);
enum weir_status weir_comparison_setups(struct weir_comparison *c, struct weir_err *err);
enum weir_status weir_comparison_baseline(struct weir_comparison *c, struct weir_err *err);
/* A setting without an effect in any of the runs is a mistake. */
enum weir_status weir_comparison_effects(struct weir_comparison *c, struct weir_err *err);
/* Is it the program after "--", whose launches will be a trace? */
bool weir_comparison_is_program(const struct weir_comparison *c,
                                const struct weir_study_workload *w);

#endif
