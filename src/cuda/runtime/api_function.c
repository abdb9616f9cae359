/* Attributes of kernels, and how many of their blocks fit. */
#include "cuda/runtime/api.h"

static struct weir_gpu_kernel *loaded(const void *func, int *error) {
  struct weir_gpu_kernel *k = weir_gpu_kernel_of(func);
  *error = k != NULL ? weir_gpu_kernel_load(k) : cudart_no_kernel;
  return k;
}

enum { MAX_DYNAMIC_SHARED = 8, CARVEOUT = 9, LAST_ATTRIBUTE = 15 };

static int set_attribute(const void *func, int attribute, int value) {
  int error;
  struct weir_gpu_kernel *k = loaded(func, &error);
  if (error != 0) return error;
  if (attribute < MAX_DYNAMIC_SHARED || attribute > LAST_ATTRIBUTE) return WEIR_E_InvalidValue;
  if (attribute == MAX_DYNAMIC_SHARED) return weir_gpu_kernel_max_shared(k, value);
  if (attribute != CARVEOUT) return 0; /* the others are about clusters */
  if (value != -1 && !weir_gpu_is_percent(value)) return WEIR_E_InvalidValue;
  k->carveout = value;
  if (!cudart_is_driver) k->told_carveout = value;
  return 0;
}

CUDA_API(cudaFuncSetAttribute, const void *func, int attribute, int value) {
  CUDA_CALL(set_attribute(func, attribute, value));
}

CUDA_API(cudaKernelSetAttributeForDevice, void *kernel, int attribute, int value, int device) {
  CUDA_CALL(device == 0 ? set_attribute(kernel, attribute, value) : WEIR_E_InvalidDevice);
}

static int set_cache_config(const void *func, int config) {
  struct weir_gpu_kernel *k = weir_gpu_kernel_of(func);
  if (k == NULL) return cudart_no_kernel;
  if (config < 0 || config > 3) return WEIR_E_InvalidValue;
  k->cache_config = config;
  return 0;
}

CUDA_API(cudaFuncSetCacheConfig, const void *func, int config) {
  CUDA_CALL(set_cache_config(func, config));
}

CUDA_API(cudaFuncSetSharedMemConfig, const void *func, int config) {
  (void)config; /* banks are four bytes wide */
  CUDA_CALL(weir_gpu_kernel_of(func) != NULL ? 0 : cudart_no_kernel);
}

static int function_name(const char **name, const void *func) {
  const struct weir_gpu_kernel *k = weir_gpu_kernel_of(func);
  if (k == NULL) return cudart_no_kernel;
  *name = k->name;
  return 0;
}

CUDA_API(cudaFuncGetName, const char **name, const void *func) {
  CUDA_CALL(name != NULL ? function_name(name, func) : WEIR_E_InvalidValue);
}

static int param_info(const void *func, size_t i, size_t *offset, size_t *bytes) {
  int error;
  const struct weir_gpu_kernel *k = loaded(func, &error);
  if (error != 0) return error;
  if (i >= k->entry->n_params || offset == NULL) return WEIR_E_InvalidValue;
  *offset = k->entry->params[i].offset;
  if (bytes != NULL) *bytes = k->entry->params[i].bytes;
  return 0;
}

CUDA_API(cudaFuncGetParamInfo, const void *func, size_t index, size_t *offset, size_t *bytes) {
  CUDA_CALL(param_info(func, index, offset, bytes));
}

/* ---- occupancy ---- */

static int blocks_per_sm(int *blocks, const void *func, int threads, size_t shared) {
  int error;
  struct weir_gpu_kernel *k = loaded(func, &error);
  if (error != 0) return error;
  if (blocks == NULL || threads <= 0) return WEIR_E_InvalidValue;
  return weir_gpu_occupancy(k, (uint64_t)threads, shared, blocks);
}

CUDA_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, const void *func, int threads,
         size_t shared) {
  CUDA_CALL(blocks_per_sm(blocks, func, threads, shared));
}

CUDA_API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks, const void *func,
         int threads, size_t shared, unsigned flags) {
  CUDA_CALL(flags <= 1 ? blocks_per_sm(blocks, func, threads, shared) : WEIR_E_InvalidValue);
}

/* The most that leaves room for `blocks` and that the kernel may have: found by halving, since more
 * memory never lets more in. */
static int dynamic_shared(size_t *bytes, const void *func, int blocks, int threads) {
  struct weir_gpu_figures figures;
  int fit, error = blocks_per_sm(&fit, func, threads, 0);
  if (error == 0) error = weir_gpu_kernel_figures(weir_gpu_kernel_of(func), &figures);
  if (error != 0) return error;
  size_t low = 0, high = (size_t)figures.max_dynamic_shared;
  if (bytes == NULL || blocks <= 0 || fit < blocks) return WEIR_E_InvalidValue;
  while (low < high) {
    size_t middle = high - (high - low) / 2;
    error = blocks_per_sm(&fit, func, threads, middle);
    if (error != 0) return error;
    if (fit >= blocks)
      low = middle;
    else
      high = middle - 1;
  }
  *bytes = low;
  return 0;
}

CUDA_API(cudaOccupancyAvailableDynamicSMemPerBlock, size_t *bytes, const void *func, int blocks,
         int threads) {
  CUDA_CALL(dynamic_shared(bytes, func, blocks, threads));
}
