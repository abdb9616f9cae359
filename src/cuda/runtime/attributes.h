/* Attributes of the device, by the numbers that the runtime and the driver share. */
#ifndef WEIR_CUDA_RUNTIME_ATTRIBUTES_H
#define WEIR_CUDA_RUNTIME_ATTRIBUTES_H

#include <stdint.h>

#include "cuda/runtime/error.h"

/* Those that other code asks for by name; the numbers are CUDA's. */
enum weir_gpu_attribute {
  WEIR_GPU_A_MAX_THREADS_PER_BLOCK = 1,
  WEIR_GPU_A_MAX_SHARED_PER_BLOCK = 8,
  WEIR_GPU_A_WARP_SIZE = 10,
  WEIR_GPU_A_SMS = 16,
  WEIR_GPU_A_CAPABILITY_MAJOR = 75,
  WEIR_GPU_A_CAPABILITY_MINOR = 76
};

/* Shared memory that each block costs besides its own. */
uint64_t weir_gpu_reserved_shared(void);
/* WEIR_E_InvalidValue: no such attribute. */
WEIR_GPU_SHARED int weir_gpu_attribute(int attribute, int *value);

#endif
