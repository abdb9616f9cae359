/* cudaArray: rows of elements in device memory, for textures and surfaces. */
#ifndef WEIR_CUDA_RUNTIME_ARRAY_H
#define WEIR_CUDA_RUNTIME_ARRAY_H

#include "cuda/runtime/state.h"

struct weir_gpu_format {
  int bits[4]; /* of the components; 0: not there */
  int kind;    /* cudaChannelFormatKind: 0 signed, 1 unsigned, 2 float */
};

struct weir_gpu_array {
  struct weir_gpu_handle handle;
  struct weir_gpu_format format;
  uint64_t width, height, depth; /* elements; 0: it has no such dimension. depth: or layers */
  unsigned flags;                /* cudaArrayLayered ... */
  uint64_t elem_bytes;
  uint64_t addr, pitch;
  struct weir_gpu_mipmap *level_of; /* NULL: it stands alone */
};

enum { WEIR_GPU_MAX_LEVELS = 20 };
struct weir_gpu_mipmap {
  struct weir_gpu_handle handle;
  uint32_t n_levels;
  struct weir_gpu_array *levels[WEIR_GPU_MAX_LEVELS];
};

/* Bytes of an element, or 0 for a format that does not exist. */
WEIR_GPU_SHARED uint64_t weir_gpu_format_bytes(const struct weir_gpu_format *f);
WEIR_GPU_SHARED int weir_gpu_array_new(const struct weir_gpu_format *f, uint64_t width,
                                       uint64_t height, uint64_t depth, unsigned flags,
                                       struct weir_gpu_array **out);
WEIR_GPU_SHARED int weir_gpu_array_free(struct weir_gpu_array *a);
WEIR_GPU_SHARED int weir_gpu_mipmap_new(const struct weir_gpu_format *f, uint64_t width,
                                        uint64_t height, uint64_t depth, uint32_t n_levels,
                                        unsigned flags, struct weir_gpu_mipmap **out);
WEIR_GPU_SHARED int weir_gpu_mipmap_free(struct weir_gpu_mipmap *m);

#endif
