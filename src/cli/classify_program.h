/* A program as a trace of its launches, with its kernels from their PTX: for classify, characterize
 * and compare. */
#ifndef WEIR_CLI_CLASSIFY_PROGRAM_H
#define WEIR_CLI_CLASSIFY_PROGRAM_H

#include "base/temp.h"
#include "cli/program_record.h"
#include "exec/exec.h"

struct weir_classify_program {
  struct weir_program program;
  struct weir_program_recording recording;
  struct weir_program_result result;
  struct weir_temp folder;
  char trace[4096];
  const char *left_out; /* what kernels are that are left out; NULL: not classified */
  struct ptx_device dev;
  bool has_device;
  uint32_t n_modules, n_programs;
  struct ptx_module **modules; /* of recording.modules; those that kernels are from */
  struct ptx_image **images;
  struct ptx_program **programs; /* kernels */
};

/* Before anything runs: is it a program that weir can run? */
enum weir_status weir_classify_program_open(struct weir_classify_program *c, char **argv,
                                            const struct weir_settings *s, const char *gpu,
                                            const struct weir_program_choice *choice,
                                            struct weir_err *err);
/* Runs it. With `exec`, for its kernels as well: those that their module alone does not make are
 * left out, and that is said. */
enum weir_status weir_classify_program_run(struct weir_classify_program *c,
                                           const struct ptx_exec_cfg *exec, bool is_quiet,
                                           struct weir_err *err);
void weir_classify_program_free(struct weir_classify_program *c);

#endif
