/* What differs between the versions of libcudart: layouts of structures, and arguments. Compiled
 * once for each, with WEIR_CUDART_MAJOR. */
#include "cuda/runtime/api.h"

CUDA_API(cudaRuntimeGetVersion, int *version) {
  if (version == NULL) return cudart_return(WEIR_E_InvalidValue);
  *version = WEIR_CUDART_MAJOR * 1000;
  return 0;
}
