/* From a pointer to a pointer: handles, host functions and variables, allocations. */
#ifndef WEIR_CUDA_RUNTIME_MAP_H
#define WEIR_CUDA_RUNTIME_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/runtime/error.h"

/* All zero is an empty map. */
struct weir_gpu_map {
  struct weir_gpu_slot {
    uint64_t key; /* 0: free */
    void *value;  /* NULL: was removed */
  } * slots;
  size_t cap, used; /* a power of two; slots that are not free */
};

/* Sets or replaces; `key` is not 0 and `value` not NULL. False: the host is out of memory. */
WEIR_GPU_SHARED bool weir_gpu_map_set(struct weir_gpu_map *m, uint64_t key, void *value);
/* NULL: no such key. */
WEIR_GPU_SHARED void *weir_gpu_map_get(const struct weir_gpu_map *m, uint64_t key);
WEIR_GPU_SHARED void *weir_gpu_map_remove(struct weir_gpu_map *m, uint64_t key);
void weir_gpu_map_free(struct weir_gpu_map *m);

#endif
