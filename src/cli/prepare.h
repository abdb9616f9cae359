/* Preparing a scheme for a workload, from the command line: where results are kept, and progress.
 */
#ifndef WEIR_CLI_PREPARE_H
#define WEIR_CLI_PREPARE_H

#include "session/setup.h"
#include "study/prepare.h"

struct weir_cli_preparing {
  const char *workload, *path, *input; /* input: that will be timed; NULL: the first */
  const char *trace;                   /* with path NULL: a trace, or a list of kernels */
  struct ptx_program *const *programs; /* of a program that was recorded, to classify its loads */
  uint32_t n_programs;
  const struct weir_setup *setup;
  const struct weir_settings *settings; /* of the setup */
  const char *const *opcode_class;      /* of a list of Accel-Sim's */
  size_t n_opcodes;
  const struct weir_launch_choice *choice; /* of a trace, what is timed; NULL: all of it */
  uint32_t jobs;
  bool check;
  bool only_name; /* nothing is made: what is it called? */
};

/* All that the setup needs, made or found in `all`. WEIR_ELIMIT: a signal came. */
enum weir_status weir_cli_prepare(struct weir_preparations *all, const struct weir_cli_preparing *r,
                                  const struct weir_preparation *found[WEIR_MAX_PARTS], uint32_t *n,
                                  struct weir_err *err);
/* What is timed gets it. */
struct weir_prepared weir_cli_prepared(const struct weir_setup *setup,
                                       const struct weir_preparation *const *found, uint32_t n);

#endif
