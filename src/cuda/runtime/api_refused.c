/* Entry points that exist so that programs start, and answer that they are not supported. Arguments
 * are not looked at, so one form serves all. */
#include "cuda/runtime/api.h"

#define CUDA_WORKS(name)
#define CUDA_OLD(name)
#define CUDA_REFUSED(name)                                                                         \
  CUDA_API(name, void) {                                                                           \
    return cudart_return(weir_gpu_unsupported(#name));                                             \
  }
#include "cuda/runtime/symbols.def"
