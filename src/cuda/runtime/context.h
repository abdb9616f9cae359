/* Contexts. There is one device, so a context holds nothing; it says who owns what is allocated.
 * libcudart's own is the primary one, number 0, which it makes current for a thread that has none.
 */
#ifndef WEIR_CUDA_RUNTIME_CONTEXT_H
#define WEIR_CUDA_RUNTIME_CONTEXT_H

#include <stdint.h>

#include "cuda/runtime/error.h"
#include "cuda/runtime/state.h"

/* The context that what this thread makes belongs to. */
WEIR_GPU_SHARED extern __thread uint64_t weir_gpu_owner;

/* Frees memory, modules, streams, events and arrays of a context. */
WEIR_GPU_SHARED void weir_gpu_free_owned(uint64_t owner);

struct weir_gpu_context {
  struct weir_gpu_handle handle;
  unsigned flags, api_version;
};
/* NULL: out of memory. */
WEIR_GPU_SHARED struct weir_gpu_context *weir_gpu_context_new(unsigned flags);

/* The thread's stack of contexts; the current one is on top. One may have been destroyed by another
 * thread. Taking the top away of an empty one does nothing. */
WEIR_GPU_SHARED struct weir_gpu_context *weir_gpu_current(void);
WEIR_GPU_SHARED int weir_gpu_push(struct weir_gpu_context *c);
WEIR_GPU_SHARED void weir_gpu_pop(void);

/* The primary context: there from its first use on, in use while it is retained. */
WEIR_GPU_SHARED struct weir_gpu_context *weir_gpu_primary(void);
WEIR_GPU_SHARED bool weir_gpu_primary_is_active(void);
WEIR_GPU_SHARED unsigned *weir_gpu_primary_flags(void);
WEIR_GPU_SHARED void weir_gpu_retain(void);
/* false: it is not in use. The runtime's own use ends last. */
WEIR_GPU_SHARED bool weir_gpu_release(void);
/* Nobody uses it any more; threads may have it as their current one. */
WEIR_GPU_SHARED void weir_gpu_primary_end(void);

/* The runtime uses it from now on, whatever is current. */
WEIR_GPU_SHARED void weir_gpu_runtime_begin(void);
/* The same, in this thread: where no other context is current, or instead of it. */
WEIR_GPU_SHARED int weir_gpu_runtime_use(bool instead);

#endif
