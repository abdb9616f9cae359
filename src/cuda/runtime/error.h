/* Error codes: the runtime's cudaError_t and the driver's CUresult have the same numbers. */
#ifndef WEIR_CUDA_RUNTIME_ERROR_H
#define WEIR_CUDA_RUNTIME_ERROR_H

#include "weir/err.h"

/* What the libraries of CUDA's names take from the one that holds the device. */
#define WEIR_GPU_SHARED __attribute__((visibility("default")))

enum weir_gpu_error {
#define CUDA_ERROR(name, number, text) WEIR_E_##name = number,
#include "cuda/runtime/errors.def"
#undef CUDA_ERROR
};

/* "InvalidValue" and "invalid argument"; NULL for a number that is no error. */
WEIR_GPU_SHARED const char *weir_gpu_error_name(int code);
WEIR_GPU_SHARED const char *weir_gpu_error_text(int code);

#endif
