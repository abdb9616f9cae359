#include "cuda/runtime/api.h"

#include "cuda/runtime/context.h"

static __thread int last_error;

int cudart_return(int error) {
  if (error != 0 && error != WEIR_E_NotReady) last_error = error;
  return error;
}

int cudart_enter(void) {
  int error = weir_gpu_enter();
  int of_use = weir_gpu_runtime_use(false);
  return error != 0 ? error : of_use;
}

int cudart_leave(int error) {
  return cudart_return(weir_gpu_leave(error));
}

/* Also a fault is taken; the next call that uses the device brings it back. */
CUDA_API(cudaGetLastError, void) {
  int error = last_error;
  last_error = 0;
  return error;
}

CUDA_API(cudaPeekAtLastError, void) {
  return last_error;
}

CUDA_EXPORT const char *cudaGetErrorName(int error);
const char *cudaGetErrorName(int error) {
  static const char *const names[] = {
#define CUDA_ERROR(name, number, text) [number] = "cudaError" #name,
#include "cuda/runtime/errors.def"
#undef CUDA_ERROR
  };
  if (error == 0) return "cudaSuccess";
  bool is_known = error > 0 && (size_t)error < sizeof names / sizeof names[0];
  return is_known && names[error] != NULL ? names[error] : "unrecognized error code";
}

CUDA_EXPORT const char *cudaGetErrorString(int error);
const char *cudaGetErrorString(int error) {
  const char *text = weir_gpu_error_text(error);
  return text != NULL ? text : "unrecognized error code";
}
