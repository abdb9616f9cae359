/* Textures and surfaces: texels in device memory, and the objects through which kernels reach them.
 *
 *   struct ptx_texels t = {.dim = PTX_TEX_2D, .width = 64, .height = 32, .texel = ...};
 *   ptx_array_create(dev, &t, "image", &err);      an array (linear memory: fill in addr, pitch)
 *   ptx_tex_create(dev, &desc, &handle, &err);     a texture object: a kernel's 64-bit argument
 *   ptx_image_bind_tex(image, "tr", &desc, &err);  or bound to a .texref of a module
 *
 * Arrays are row-linear: texel (x, y, z) is at addr + z * slice + y * pitch + x * bytes, z being
 * the slice, the layer or the face. (On a GPU the order of an array's texels is hidden and
 * swizzled.) Enumerators have the values of the CUDA runtime's. */
#ifndef WEIR_EXEC_TEX_H
#define WEIR_EXEC_TEX_H

#include "exec/exec.h"

enum ptx_tex_dim { PTX_TEX_1D = 1, PTX_TEX_2D, PTX_TEX_3D, PTX_TEX_CUBE };
enum ptx_channel { PTX_CHANNEL_SIGNED, PTX_CHANNEL_UNSIGNED, PTX_CHANNEL_FLOAT };
enum ptx_tex_address { PTX_TEX_WRAP, PTX_TEX_CLAMP, PTX_TEX_MIRROR, PTX_TEX_BORDER };
enum ptx_tex_filter { PTX_TEX_POINT, PTX_TEX_LINEAR };
enum ptx_tex_read { PTX_TEX_ELEMENT, PTX_TEX_NORMALISED_FLOAT };

struct ptx_texel {
  uint8_t channels; /* 1, 2 or 4 */
  uint8_t bits;     /* of each channel: 8, 16 or 32; floats have 16 or 32 */
  uint8_t kind;     /* enum ptx_channel */
};

/* Where texels lie. */
struct ptx_texels {
  enum ptx_tex_dim dim;
  bool is_layered;
  bool is_buffer;                /* 1D in linear memory: up to 2^27 texels, fetched by index only */
  uint32_t width, height, depth; /* in texels; 0 counts as 1 */
  uint32_t layers;               /* if layered; a cubemap has 6 faces for each */
  struct ptx_texel texel;
  uint64_t addr;         /* device address of the first texel */
  uint64_t pitch, slice; /* bytes from row to row, from slice, layer or face to the next */
};

static inline unsigned ptx_texel_bytes(struct ptx_texel t) {
  return t.channels * t.bits / 8u;
}
/* Slices, layers or faces: how many times `slice`. */
static inline uint64_t ptx_texels_slices(const struct ptx_texels *t) {
  uint64_t faces = t->dim == PTX_TEX_CUBE ? 6 : 1;
  if (t->dim == PTX_TEX_3D) return t->depth ? t->depth : 1;
  return t->is_layered && t->layers ? faces * t->layers : faces;
}
/* Bytes from addr to the end of the last texel. */
uint64_t ptx_texels_bytes(const struct ptx_texels *t);

/* An array: everything but addr, pitch and slice is given, these are set. Its texels are zero. The
 * memory is an allocation of dev->mem like any other, so copies go through ptx_mem_host. */
enum weir_status ptx_array_create(struct ptx_device *dev, struct ptx_texels *t, const char *name,
                                  struct weir_err *err);
enum weir_status ptx_array_free(struct ptx_device *dev, const struct ptx_texels *t,
                                struct weir_err *err);

struct ptx_tex_desc {
  struct ptx_texels texels;
  uint8_t address[3]; /* enum ptx_tex_address of x, y, z; wrap and mirror need normalised
                         coordinates and are clamp without */
  uint8_t filter;     /* enum ptx_tex_filter; linear needs results that are floats */
  uint8_t read;       /* enum ptx_tex_read; only matters for integers of 8 and 16 bits */
  bool is_normalised; /* coordinates from 0 to 1 */
  float border[4];    /* what lies outside with PTX_TEX_BORDER */
};

/* Texture and surface objects. WEIR_EINVAL: the description makes no sense (the message says why),
 * or its texels do not lie inside one allocation. */
enum weir_status ptx_tex_create(struct ptx_device *dev, const struct ptx_tex_desc *desc,
                                uint64_t *handle, struct weir_err *err);
enum weir_status ptx_surf_create(struct ptx_device *dev, const struct ptx_texels *texels,
                                 uint64_t *handle, struct weir_err *err);
/* Of either kind. */
enum weir_status ptx_tex_destroy(struct ptx_device *dev, uint64_t handle, struct weir_err *err);
/* The description of a texture or, its texels only, of a surface; NULL if there is no such object.
 */
const struct ptx_tex_desc *ptx_tex_find(const struct ptx_device *dev, uint64_t handle);

/* Bind a module's .texref or .surfref; a NULL description unbinds it. WEIR_ENOENT: the module has
 * none of that name. */
enum weir_status ptx_image_bind_tex(struct ptx_image *image, const char *name,
                                    const struct ptx_tex_desc *desc, struct weir_err *err);
enum weir_status ptx_image_bind_surf(struct ptx_image *image, const char *name,
                                     const struct ptx_texels *texels, struct weir_err *err);

#endif
