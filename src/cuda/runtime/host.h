/* What the host program is like, kept away from weir's code: its locale and floating-point
 * environment, and stacks that are too small. */
#ifndef WEIR_CUDA_RUNTIME_HOST_H
#define WEIR_CUDA_RUNTIME_HOST_H

#include "cuda/runtime/error.h"

/* Takes weir_gpu.lock. From here on until it is given back the thread has the locale "C" and IEEE
 * defaults (round to nearest, denormals, no traps); then it has its own again. */
WEIR_GPU_SHARED void weir_gpu_lock(void);
WEIR_GPU_SHARED void weir_gpu_unlock(void);

/* Calls `fn`, on a stack of weir's own if little is left of the thread's. With the lock held. */
WEIR_GPU_SHARED void weir_gpu_deep(void (*fn)(void *), void *arg);

#endif
