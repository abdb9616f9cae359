/* What contexts of the driver own. libcudart's own is the primary one, number 0. */
#ifndef WEIR_CUDA_RUNTIME_CONTEXT_H
#define WEIR_CUDA_RUNTIME_CONTEXT_H

#include <stdint.h>

#include "cuda/runtime/error.h"

/* The context that what this thread makes belongs to. */
WEIR_GPU_SHARED extern __thread uint64_t weir_gpu_owner;

/* Frees memory, modules, streams, events and arrays of a context. */
WEIR_GPU_SHARED void weir_gpu_free_owned(uint64_t owner);

#endif
