/* Streams to a trace and back: a launch file is executed once, its kernels are timed many times. */
#ifndef WEIR_SESSION_STREAMS_H
#define WEIR_SESSION_STREAMS_H

#include "launch/workload.h"
#include "stream/block.h"
#include "trace/wtrace.h"

typedef void weir_launched(void *self, const struct weir_launch_report *l);

struct weir_recording {
  const char *path, *input; /* launch file; NULL input: its first */
  const struct ptx_exec_cfg *exec;
  const char *out;            /* the trace */
  struct weir_output *output; /* as that of wtrace.h */
  int level;                  /* of compression, see wtrace.h */
  const char *provenance;     /* of the trace; NULL: none */
  struct ptx_output printed;  /* gets what kernels print */
  /* Writes one launch; NULL: weir_wtrace_record. */
  enum weir_status (*kernel)(void *self, struct weir_wtrace_writer *w,
                             struct weir_block_source *src, struct weir_err *err);
  void *self;
  weir_launched *launched; /* told of each launch that was executed; may be NULL */
  void *launched_self;
};

/* Execute a launch file, check its expected results, and write its streams. After a failure there
 * is no trace. `total` may be NULL. */
enum weir_status weir_record(const struct weir_recording *r, struct weir_wtrace_counts *total,
                             struct weir_err *err);

/* Consumes the blocks of a kernel. */
typedef enum weir_status weir_take_kernel(void *self, struct weir_block_source *src,
                                          struct weir_err *err);

/* Hand each kernel of a trace to `kernel`, in the order of launches. */
enum weir_status weir_replay(const char *trace, weir_take_kernel *kernel, void *self,
                             struct weir_err *err);

/* Which launches of a trace or a list. Those before and after them are not read. */
struct weir_launch_choice {
  uint64_t skip, count;
};

/* A launch file is executed, a trace or a list of kernels is read back: whatever has streams. */
enum weir_source_kind { WEIR_SOURCE_LAUNCHES, WEIR_SOURCE_TRACE, WEIR_SOURCE_ACCELSIM };
struct weir_source {
  enum weir_source_kind kind;
  const char *path;
  const char *input;               /* of a launch file; NULL: its first */
  const struct ptx_exec_cfg *exec; /* of a launch file */
  struct ptx_output printed;       /* gets what kernels print */
  weir_launched *launched;         /* of a launch file: told of each launch; may be NULL */
  void *launched_self;
  const char *const *opcode_class; /* of a list, as weir_accelsim_open */
  size_t n_opcodes;
  const struct weir_launch_choice *choice; /* of a trace or a list; NULL: all */
};
/* Hand each of its kernels to `kernel`. The expected results of a launch file are checked. A choice
 * that leaves none is an error. */
enum weir_status weir_source_run(const struct weir_source *s, weir_take_kernel *kernel, void *self,
                                 struct weir_err *err);

/* Of streams that are in memory at once; more go to a temporary file. */
enum { WEIR_REPLAY_POOL_BYTES = 256 << 20 };

#endif
