/* Textures and surfaces: objects that programs make, and references that a module declares. */
#ifndef WEIR_CUDA_RUNTIME_TEXTURE_H
#define WEIR_CUDA_RUNTIME_TEXTURE_H

#include "cuda/runtime/array.h"
#include "cuda/runtime/module.h"
#include "exec/tex.h"

/* Texels of an array, or of memory: `width` texels in a row, `rows` 0 for a line. */
WEIR_GPU_SHARED int weir_gpu_texels_of_array(const struct weir_gpu_array *a, struct ptx_texels *t);
WEIR_GPU_SHARED int weir_gpu_texels_of_memory(uint64_t addr, const struct weir_gpu_format *f,
                                              uint64_t width, uint64_t rows, uint64_t pitch,
                                              struct ptx_texels *t);

WEIR_GPU_SHARED int weir_gpu_texture_new(const struct ptx_tex_desc *d, uint64_t *handle);
WEIR_GPU_SHARED int weir_gpu_surface_new(const struct ptx_texels *t, uint64_t *handle);
WEIR_GPU_SHARED int weir_gpu_texture_free(uint64_t handle);

/* Binds a .texref or .surfref of the module; NULL unbinds it. */
WEIR_GPU_SHARED int weir_gpu_texture_bind(struct weir_gpu_module *m, const char *name,
                                          const struct ptx_tex_desc *d);
WEIR_GPU_SHARED int weir_gpu_surface_bind(struct weir_gpu_module *m, const char *name,
                                          const struct ptx_texels *t);

#endif
