/* Preparing a scheme for a workload, from the command line: where results are kept, and progress.
 */
#ifndef WEIR_CLI_PREPARE_H
#define WEIR_CLI_PREPARE_H

#include "session/setup.h"
#include "study/prepare.h"

struct weir_cli_preparing {
  const char *workload, *path, *input; /* input: that will be timed; NULL: the first */
  const char *trace;                   /* with path NULL: what was recorded of a program */
  struct ptx_program *const *programs; /* its kernels */
  uint32_t n_programs;
  const struct weir_setup *setup;
  const struct weir_settings *settings;  /* of the setup */
  const struct weir_preparation *before; /* earlier ones of this command */
  size_t n_before;
  uint32_t jobs;
  bool check;
};

/* WEIR_ELIMIT: a signal came. */
enum weir_status weir_cli_prepare(const struct weir_cli_preparing *r, struct weir_preparation *p,
                                  struct weir_err *err);

#endif
