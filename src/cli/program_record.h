/* A program's launches as a trace, and the PTX that they come from: for record, compare and
 * classify. */
#ifndef WEIR_CLI_PROGRAM_RECORD_H
#define WEIR_CLI_PROGRAM_RECORD_H

#include "cli/program.h"
#include "trace/wtrace.h"

struct weir_recorded_module {
  char *name, *text; /* text ends with NUL */
  size_t n_text;
};

struct weir_recorded_kernel {
  char *name;
  size_t module; /* index; SIZE_MAX: its PTX is not known */
  uint32_t n_insns;
};

struct weir_program_recording {
  const char *out;            /* the trace */
  struct weir_output *output; /* these two as in struct weir_wtrace_opts */
  int level;
  const char *provenance; /* of the trace; NULL: none */
  bool is_quiet;          /* no progress on a terminal */
  /* Found out. */
  struct weir_wtrace_counts total;
  uint64_t n_launches, n_failed; /* recorded; of all launches those that did not end properly */
  struct {
    struct weir_recorded_module *v;
    size_t n, cap;
  } modules; /* if p->options.want_modules; those that kernels are from; the same text once */
  struct {
    struct weir_recorded_kernel *v;
    size_t n, cap;
  } kernels; /* in the order of their first launches */
};

/* Runs the program, whose stdout becomes stderr: stdout is for weir's results. Without a launch
 * that could be recorded there is no trace, and that is an error, as WEIR_ENOENT. Notes about the
 * program's end are printed. */
enum weir_status weir_program_record(struct weir_program *p, struct weir_program_recording *r,
                                     struct weir_program_result *result, struct weir_err *err);
void weir_program_recording_free(struct weir_program_recording *r);

#endif
