#include "cuda/runtime/texture.h"

enum { LAYERED = 1, CUBEMAP = 4, FACES = 6 };

static bool texel_of(const struct weir_gpu_format *f, struct ptx_texel *t) {
  if (weir_gpu_format_bytes(f) == 0) return false;
  uint8_t n = 0;
  for (int i = 0; i < 4; i++)
    n = (uint8_t)(n + (f->bits[i] != 0));
  *t = (struct ptx_texel){.channels = n, .bits = (uint8_t)f->bits[0], .kind = (uint8_t)f->kind};
  return true;
}

int weir_gpu_texels_of_array(const struct weir_gpu_array *a, struct ptx_texels *t) {
  *t = (struct ptx_texels){.width = (uint32_t)a->width,
                           .height = (uint32_t)a->height,
                           .addr = a->addr,
                           .pitch = a->pitch,
                           .slice = a->pitch * (a->height != 0 ? a->height : 1)};
  if (!texel_of(&a->format, &t->texel)) return WEIR_E_InvalidChannelDescriptor;
  bool is_layered = (a->flags & LAYERED) != 0, is_cube = (a->flags & CUBEMAP) != 0;
  t->dim = is_cube                       ? PTX_TEX_CUBE
           : a->height == 0              ? PTX_TEX_1D
           : a->depth == 0 || is_layered ? PTX_TEX_2D
                                         : PTX_TEX_3D;
  t->is_layered = is_layered;
  if (is_layered)
    t->layers = (uint32_t)(is_cube ? a->depth / FACES : a->depth);
  else if (t->dim == PTX_TEX_3D)
    t->depth = (uint32_t)a->depth;
  return 0;
}

int weir_gpu_texels_of_memory(uint64_t addr, const struct weir_gpu_format *f, uint64_t width,
                              uint64_t rows, uint64_t pitch, struct ptx_texels *t) {
  if (width > UINT32_MAX || rows > UINT32_MAX) return WEIR_E_InvalidValue;
  *t = (struct ptx_texels){.dim = rows == 0 ? PTX_TEX_1D : PTX_TEX_2D,
                           .is_buffer = rows == 0,
                           .width = (uint32_t)width,
                           .height = (uint32_t)rows,
                           .addr = addr,
                           .pitch = pitch,
                           .slice = pitch * (rows != 0 ? rows : 1)};
  return texel_of(f, &t->texel) ? 0 : WEIR_E_InvalidChannelDescriptor;
}

/* Programs try what a device can do, so a wrong description is only an error code. */
static int code_of(enum weir_status st) {
  return st == WEIR_OK ? 0 : st == WEIR_ENOMEM ? WEIR_E_MemoryAllocation : WEIR_E_InvalidValue;
}

int weir_gpu_texture_new(const struct ptx_tex_desc *d, uint64_t *handle) {
  return code_of(ptx_tex_create(&weir_gpu.dev, d, handle, NULL));
}

int weir_gpu_surface_new(const struct ptx_texels *t, uint64_t *handle) {
  return code_of(ptx_surf_create(&weir_gpu.dev, t, handle, NULL));
}

int weir_gpu_texture_free(uint64_t handle) {
  return code_of(ptx_tex_destroy(&weir_gpu.dev, handle, NULL));
}

int weir_gpu_texture_bind(struct weir_gpu_module *m, const char *name,
                          const struct ptx_tex_desc *d) {
  int error = weir_gpu_module_place(m, name);
  if (error != 0) return error == WEIR_E_SymbolNotFound ? WEIR_E_InvalidTexture : error;
  enum weir_status st = ptx_image_bind_tex(m->image, name, d, NULL);
  return st == WEIR_ENOENT ? WEIR_E_InvalidTexture : code_of(st);
}

int weir_gpu_surface_bind(struct weir_gpu_module *m, const char *name, const struct ptx_texels *t) {
  int error = weir_gpu_module_place(m, name);
  if (error != 0) return error == WEIR_E_SymbolNotFound ? WEIR_E_InvalidSurface : error;
  enum weir_status st = ptx_image_bind_surf(m->image, name, t, NULL);
  return st == WEIR_ENOENT ? WEIR_E_InvalidSurface : code_of(st);
}
