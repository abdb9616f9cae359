#include "cuda/runtime/api.h"

CUDA_API(cudaDeviceSynchronize, void) {
  CUDA_CALL(weir_gpu_sync_all());
}
