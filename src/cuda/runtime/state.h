/* The one simulated GPU of a process: what libcudart and libcuda share.
 *
 * Calls come from any thread. Each takes the lock with weir_gpu_enter and gives it back with
 * weir_gpu_leave; everything else in this folder expects it to be held. Work is executed when it is
 * submitted, in the order of the calls, which every order that streams and events ask for allows;
 * kernels that wait for the host or for later work are put aside (pending.h).
 */
#ifndef WEIR_CUDA_RUNTIME_STATE_H
#define WEIR_CUDA_RUNTIME_STATE_H

#include <pthread.h>

#include "cuda/runtime/error.h"
#include "cuda/runtime/map.h"
#include "cuda/wire.h"
#include "exec/exec.h"

struct weir_gpu_module;
struct weir_gpu_stream;

struct weir_gpu {
  pthread_mutex_t lock;
  bool is_ready;          /* the rest is valid */
  int init_error;         /* why it is not, after the first try */
  int cache_config;       /* preferred for kernels that have no preference: enum cudaFuncCache */
  int sticky;             /* error of a kernel that faulted: every later call fails with it */
  bool has_runtime;       /* libcudart was called: libcuda needs no cuInit any more */
  bool in_process;        /* no weir listens: messages go to standard error */
  struct weir_wire *wire; /* NULL: none, or it broke */
  pid_t pid;              /* whose wire it is: not that of a forked child */
  struct ptx_device dev;
  struct weir_wire_device props;
  uint64_t limits[8];          /* cudaLimit */
  uint64_t used_bytes;         /* device memory in use, without host and module memory */
  struct weir_gpu_map blocks;  /* start of an allocation to struct weir_gpu_block */
  struct weir_gpu_map kernels; /* host function and handle to struct weir_gpu_kernel */
  struct weir_gpu_map vars;    /* host variable to struct weir_gpu_var */
  struct weir_gpu_map handles; /* streams, events, graphs ...: handle to struct weir_gpu_handle */
  struct weir_gpu_module *modules; /* all that are registered or loaded */
  struct weir_gpu_stream *streams; /* all but the default ones */
  uint64_t n_launches;
  uint64_t next_id;
  double kernel_ns; /* estimated, of all launches so far; used where no weir gives times */
};
WEIR_GPU_SHARED extern struct weir_gpu weir_gpu;

/* Takes the lock and makes the device ready. Returns 0 or the error that every call now gives; the
 * lock is held in either case. */
WEIR_GPU_SHARED int weir_gpu_enter(void);
/* The same without the error of a kernel that faulted. */
WEIR_GPU_SHARED int weir_gpu_enter_always(void);
/* Gives the lock back and returns `error`. */
WEIR_GPU_SHARED int weir_gpu_leave(int error);

/* Tells the user: through weir, or on standard error. */
WEIR_GPU_SHARED void weir_gpu_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Writes what kernels printed to stdout: it appears when the program waits for them, or launches
 * the next one, and so in the order in which a GPU's would. */
WEIR_GPU_SHARED void weir_gpu_flush(void);
/* Messages of the thread that also go to a program which asked for them; NULL: to none. */
struct weir_gpu_log {
  char *at; /* ends with a NUL; what does not fit is left out */
  size_t size, used;
};
WEIR_GPU_SHARED extern __thread struct weir_gpu_log *weir_gpu_log;
/* Says `err` and returns `code`. */
WEIR_GPU_SHARED int weir_gpu_fail(int code, const struct weir_err *err);
/* The name of something that this stand-in does not have: says so once for each name. Returns
 * WEIR_E_NotSupported. Takes the lock itself. */
WEIR_GPU_SHARED int weir_gpu_unsupported(const char *name);
/* Device memory, modules' variables, streams: all as at the start. cudaDeviceReset. */
WEIR_GPU_SHARED int weir_gpu_reset(void);

/* cudaLimit: heap, printf buffer and stack are the kernels'; others are only kept. */
WEIR_GPU_SHARED int weir_gpu_get_limit(int limit, uint64_t *value);
WEIR_GPU_SHARED int weir_gpu_set_limit(int limit, uint64_t value);

/* Handles: a struct that can be a stream, an event ... begins with this, so that a foreign pointer
 * is refused and not followed. */
enum weir_gpu_kind {
  WEIR_GPU_STREAM = 1,
  WEIR_GPU_EVENT,
  WEIR_GPU_GRAPH,
  WEIR_GPU_NODE,
  WEIR_GPU_EXEC,
  WEIR_GPU_ARRAY,
  WEIR_GPU_MIPMAP,
  WEIR_GPU_POOL,
  WEIR_GPU_LIBRARY,
  WEIR_GPU_USER_OBJECT,
  WEIR_GPU_CONTEXT,
  WEIR_GPU_LINK,
  WEIR_GPU_RANGE,
  WEIR_GPU_PHYSICAL,
  WEIR_GPU_TEXREF
};
struct weir_gpu_handle {
  enum weir_gpu_kind kind;
  uint64_t id;
  uint64_t owner; /* the context that it was made in: context.h */
};
/* Zeroed memory of `bytes` that begins with a struct weir_gpu_handle; NULL: out of memory. */
WEIR_GPU_SHARED void *weir_gpu_new(enum weir_gpu_kind kind, size_t bytes);
/* `p` if it is such a handle, else NULL. */
WEIR_GPU_SHARED void *weir_gpu_handle(const void *p, enum weir_gpu_kind kind);
/* Forgets and frees it. */
WEIR_GPU_SHARED void weir_gpu_drop(void *handle);

/* weir_calloc and its kin (base/mem.h) for the libraries of CUDA's names, which have no copy of
 * weir's code. */
WEIR_GPU_SHARED void *weir_gpu_host_calloc(size_t n, size_t size);
WEIR_GPU_SHARED void *weir_gpu_host_realloc(void *p, size_t bytes);
WEIR_GPU_SHARED char *weir_gpu_host_strdup(const char *s);

#endif
