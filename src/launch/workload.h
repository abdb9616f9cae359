/* Running a launch file on the interpreter: modules, buffers, launches, expected results. */
#ifndef WEIR_LAUNCH_WORKLOAD_H
#define WEIR_LAUNCH_WORKLOAD_H

#include "exec/exec.h"
#include "launch/launchfile.h"

struct weir_workload;

/* Load the file, its modules (parsed and checked; constructs that cannot be executed are an error
 * that lists them all) and fill its buffers. `dev` must be initialised, empty, and outlive the
 * workload. */
enum weir_status weir_workload_open(struct ptx_device *dev, const char *path, const char *input,
                                    struct weir_workload **out, struct weir_err *err);
void weir_workload_close(struct weir_workload *w);
struct weir_launchfile *weir_workload_file(struct weir_workload *w);
/* The kernel of a launch (index in the file); launches of one kernel share it. */
const struct ptx_program *weir_workload_program(const struct weir_workload *w, uint32_t launch);
/* A module by its index in the file. */
const struct ptx_module *weir_workload_module(const struct weir_workload *w, uint32_t module);

/* What happened in one kernel launch. */
struct weir_launch_report {
  const char *kernel;
  uint32_t launch, k; /* index in the file; repetition */
  const struct weir_kernel_info *info;
  struct weir_func_stats stats;
  uint64_t stream_bytes; /* 0 without streams */
};
struct weir_workload_hooks {
  /* After each launch; may be NULL. */
  void (*launched)(void *self, const struct weir_launch_report *report);
  /* Now and then while a launch runs; may be NULL. */
  void (*progress)(void *self, const char *kernel, uint64_t blocks_done, uint64_t n_blocks);
  /* With streams, each block before it is released; may be NULL. */
  void (*block)(void *self, const struct weir_kernel_info *info, struct weir_block_stream *block);
  /* With streams: consumes the launch's blocks instead, to the last; may be NULL. */
  enum weir_status (*simulate)(void *self, struct weir_block_source *source, struct weir_err *err);
  void *self;
  bool want_streams;
};
/* Run all launches. On failure nothing has been reported for the launch that failed. */
enum weir_status weir_workload_run(struct weir_workload *w, const struct weir_workload_hooks *hooks,
                                   struct weir_err *err);
/* Check every expected result; the first that fails is the error. */
enum weir_status weir_workload_check(struct weir_workload *w, struct weir_err *err);
/* A buffer's contents, valid until the workload is closed; NULL if there is none of that name. */
const void *weir_workload_buffer(const struct weir_workload *w, const char *name, uint64_t *bytes);

#endif
