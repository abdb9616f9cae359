/* weir run -- PROGRAM ARGUMENTS */
#ifndef WEIR_CLI_RUN_PROGRAM_H
#define WEIR_CLI_RUN_PROGRAM_H

#include "cli/program.h"
#include "cli/provenance.h"
#include "cli/timeline.h"
#include "cli/timing_opts.h"

struct weir_run_program {
  char **argv;                /* ends with NULL */
  struct weir_timing_opts *t; /* .gpu NULL: the one for programs */
  struct weir_prov *prov;
  struct weir_program_choice choice;
  bool is_functional, per_launch;
  struct weir_cli_timeline *timeline;
};

/* Returns the exit code: the program's own, unless something went wrong on weir's side. */
int weir_run_program(const struct weir_run_program *r);

#endif
