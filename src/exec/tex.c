/* Arrays, and the table of texture and surface objects. A handle is the number of a place in the
 * table, from 1, and in its upper half how often that place was used before. */
#include "exec/tex.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "exec/image.h"
#include "exec/tex_object.h"

/* CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" */
enum {
  MAX_1D = 131072,
  MAX_1D_LAYERED = 32768,
  MAX_2D = 131072,
  MAX_2D_HEIGHT = 65536,
  MAX_2D_LAYERED = 32768,
  MAX_3D = 16384,
  MAX_CUBE = 32768,
  MAX_LAYERS = 2048,
  MAX_CUBE_LAYERS = 2046,
  MAX_BUFFER = 1 << 28
};
/* Rows begin at multiples of this, as those of pitched memory must for a texture. */
enum { PITCH_UNIT = 32 };

static uint32_t at_least_1(uint32_t n) {
  return n ? n : 1;
}

uint64_t ptx_texels_bytes(const struct ptx_texels *t) {
  return (ptx_texels_slices(t) - 1) * t->slice + (at_least_1(t->height) - 1) * t->pitch +
         (uint64_t)t->width * ptx_texel_bytes(t->texel);
}

/* ---- what makes sense ---- */

static enum weir_status check_texel(struct ptx_texel x, struct weir_err *err) {
  bool is_float = x.kind == PTX_CHANNEL_FLOAT;
  if ((x.channels != 1 && x.channels != 2 && x.channels != 4) || x.kind > PTX_CHANNEL_FLOAT ||
      (x.bits != 8 && x.bits != 16 && x.bits != 32) || (is_float && x.bits == 8)) {
    weir_fail(err, WEIR_EINVAL, "a texel of %u channels of %u bits is not possible", x.channels,
              x.bits);
    weir_err_add(err, "accepted: 1, 2 or 4 channels; integers of 8, 16 or 32 bits, floats of 16 "
                      "or 32");
    return WEIR_EINVAL;
  }
  return WEIR_OK;
}

static enum weir_status check_extent(const char *what, uint32_t n, uint32_t most,
                                     struct weir_err *err) {
  if (n >= 1 && n <= most) return WEIR_OK;
  weir_fail(err, WEIR_EINVAL, "%s of a texture is %" PRIu32, what, n);
  weir_err_add(err, "accepted: 1 to %" PRIu32, most);
  return WEIR_EINVAL;
}

static enum weir_status check_shape(const struct ptx_texels *t, struct weir_err *err) {
  uint32_t width = 0, height = 1, depth = 1, layers = MAX_LAYERS;
  switch (t->dim) {
  case PTX_TEX_1D:
    width = t->is_buffer ? MAX_BUFFER : t->is_layered ? MAX_1D_LAYERED : MAX_1D;
    break;
  case PTX_TEX_2D:
    width = t->is_layered ? MAX_2D_LAYERED : MAX_2D;
    height = t->is_layered ? MAX_2D_LAYERED : MAX_2D_HEIGHT;
    break;
  case PTX_TEX_3D:
    width = height = depth = MAX_3D;
    layers = 1;
    break;
  case PTX_TEX_CUBE:
    width = height = MAX_CUBE;
    layers = MAX_CUBE_LAYERS / 6;
    break;
  default:
    return weir_fail(err, WEIR_EINVAL, "a texture has 1, 2 or 3 dimensions or is a cubemap");
  }
  if (t->is_buffer && (t->dim != PTX_TEX_1D || t->is_layered))
    return weir_fail(err, WEIR_EINVAL, "a texture that is fetched by index is 1D and not layered");
  if (t->dim == PTX_TEX_CUBE && t->width != t->height)
    return weir_fail(err, WEIR_EINVAL, "the faces of a cubemap are square, not %u by %u", t->width,
                     t->height);
  enum weir_status st = check_extent("the width", t->width, width, err);
  if (st == WEIR_OK) st = check_extent("the height", at_least_1(t->height), height, err);
  if (st == WEIR_OK) st = check_extent("the depth", at_least_1(t->depth), depth, err);
  if (st == WEIR_OK && t->is_layered)
    st = check_extent("the number of layers", t->layers, layers, err);
  return st == WEIR_OK ? check_texel(t->texel, err) : st;
}

/* The texels must lie inside one allocation, each at a multiple of its size: then none crosses a
 * sector, and a fetch needs no further checks. A GPU's driver looks only where they begin. */
static enum weir_status check_place(const struct ptx_device *dev, const struct ptx_texels *t,
                                    struct weir_err *err) {
  unsigned unit = ptx_texel_bytes(t->texel);
  uint64_t row = (uint64_t)t->width * unit, rows = at_least_1(t->height);
  if (t->addr % unit != 0 || t->pitch % unit != 0 || t->slice % unit != 0)
    return weir_fail(err, WEIR_EINVAL,
                     "texels of %u bytes cannot begin at 0x%" PRIx64 " with a pitch of %" PRIu64,
                     unit, t->addr, t->pitch);
  if ((rows > 1 && t->pitch < row) || t->pitch > UINT32_MAX || t->slice > UINT64_C(1) << 40 ||
      (ptx_texels_slices(t) > 1 && t->slice < (rows - 1) * t->pitch + row))
    return weir_fail(err, WEIR_EINVAL,
                     "rows of %" PRIu64 " bytes do not fit a pitch of %" PRIu64
                     " and a slice of %" PRIu64,
                     row, t->pitch, t->slice);
  const struct ptx_alloc *a = ptx_mem_find(&dev->mem, t->addr);
  uint64_t bytes = ptx_texels_bytes(t);
  if (a != NULL && bytes <= a->bytes && t->addr - a->base <= a->bytes - bytes) return WEIR_OK;
  if (a != NULL && dev->mem.is_chunked && !dev->is_strict) return WEIR_OK;
  char near[300];
  ptx_mem_describe(&dev->mem, t->addr, bytes, 0, near, sizeof near);
  return weir_fail(err, WEIR_EINVAL,
                   "the %" PRIu64 " bytes of texels at 0x%" PRIx64
                   " do not lie inside an allocation: %s",
                   bytes, t->addr, near);
}

static enum weir_status check_desc(const struct ptx_tex_desc *d, struct weir_err *err) {
  struct ptx_texel x = d->texels.texel;
  bool is_float = x.kind == PTX_CHANNEL_FLOAT;
  if (d->filter > PTX_TEX_LINEAR || d->read > PTX_TEX_NORMALISED_FLOAT)
    return weir_fail(err, WEIR_EINVAL, "the filter or read mode of a texture is not known");
  for (unsigned k = 0; k < 3; k++)
    if (d->address[k] > PTX_TEX_BORDER)
      return weir_fail(err, WEIR_EINVAL, "address mode %u of a texture is not known",
                       d->address[k]);
  if (!is_float && x.bits == 32 && d->read == PTX_TEX_NORMALISED_FLOAT)
    return weir_fail(err, WEIR_EINVAL,
                     "only integers of 8 and 16 bits can be read as normalised floats");
  if (!is_float && d->read == PTX_TEX_ELEMENT && d->filter == PTX_TEX_LINEAR) {
    weir_fail(err, WEIR_EINVAL, "a texture that gives integers cannot be filtered");
    weir_err_add(err, "remedy: point filter, or read it as normalised floats");
    return WEIR_EINVAL;
  }
  return WEIR_OK;
}

/* ---- arrays ---- */

enum weir_status ptx_array_create(struct ptx_device *dev, struct ptx_texels *t, const char *name,
                                  struct weir_err *err) {
  enum weir_status st = check_shape(t, err);
  if (st != WEIR_OK) return st;
  uint64_t row = (uint64_t)t->width * ptx_texel_bytes(t->texel);
  t->pitch = (row + PITCH_UNIT - 1) / PITCH_UNIT * PITCH_UNIT;
  t->slice = t->pitch * at_least_1(t->height);
  return ptx_mem_alloc(&dev->mem, t->slice * ptx_texels_slices(t), 0, name, false, &t->addr, err);
}

enum weir_status ptx_array_free(struct ptx_device *dev, const struct ptx_texels *t,
                                struct weir_err *err) {
  return ptx_mem_release(&dev->mem, t->addr, err);
}

/* ---- objects ---- */

static struct ptx_tex_object *find_object(const struct ptx_tex_table *t, uint64_t handle) {
  uint64_t place = (uint32_t)handle;
  if (t == NULL || place == 0 || place > t->n) return NULL;
  struct ptx_tex_object *o = &t->v[place - 1];
  return o->kind != PTX_OBJECT_FREE && o->generation == handle >> 32 ? o : NULL;
}

const struct ptx_tex_object *ptx_tex_object(const struct ptx_tex_table *t, uint64_t handle) {
  return find_object(t, handle);
}

const struct ptx_tex_desc *ptx_tex_find(const struct ptx_device *dev, uint64_t handle) {
  const struct ptx_tex_object *o = find_object(dev->tex, handle);
  return o != NULL && o->kind != PTX_OBJECT_UNBOUND ? &o->desc : NULL;
}

static bool grow(struct ptx_tex_table *t) {
  if (t->n < t->cap) return true;
  size_t cap = t->cap ? 2 * t->cap : 16;
  void *v = weir_realloc(t->v, cap * sizeof *t->v);
  if (v == NULL) return false;
  t->v = v;
  t->cap = cap;
  return true;
}

/* The first free place, so that a program gets the same handles in every run. */
enum weir_status ptx_tex_reserve(struct ptx_device *dev, uint64_t *handle, struct weir_err *err) {
  if (dev->tex == NULL) dev->tex = weir_calloc(1, sizeof *dev->tex);
  struct ptx_tex_table *t = dev->tex;
  size_t i = 0;
  while (t != NULL && i < t->n && t->v[i].kind != PTX_OBJECT_FREE)
    i++;
  if (t == NULL || (i == t->n && !grow(t))) return weir_fail(err, WEIR_ENOMEM, "out of memory");
  if (i == t->n) t->v[t->n++] = (struct ptx_tex_object){0};
  t->v[i].kind = PTX_OBJECT_UNBOUND;
  *handle = (uint64_t)t->v[i].generation << 32 | (i + 1);
  return WEIR_OK;
}

static void bind(struct ptx_device *dev, uint64_t handle, enum ptx_tex_kind kind,
                 const struct ptx_tex_desc *desc) {
  struct ptx_tex_object *o = find_object(dev->tex, handle);
  o->kind = kind;
  o->desc = *desc;
  o->desc.texels.height = at_least_1(desc->texels.height);
  o->desc.texels.depth = at_least_1(desc->texels.depth);
  o->desc.texels.layers = desc->texels.is_layered ? desc->texels.layers : 1;
}

static enum weir_status create(struct ptx_device *dev, enum ptx_tex_kind kind,
                               const struct ptx_tex_desc *desc, uint64_t *handle,
                               struct weir_err *err) {
  enum weir_status st = ptx_tex_reserve(dev, handle, err);
  if (st == WEIR_OK) bind(dev, *handle, kind, desc);
  return st;
}

static enum weir_status check_tex(const struct ptx_device *dev, const struct ptx_tex_desc *desc,
                                  struct weir_err *err) {
  enum weir_status st = check_shape(&desc->texels, err);
  if (st == WEIR_OK) st = check_desc(desc, err);
  return st == WEIR_OK ? check_place(dev, &desc->texels, err) : st;
}

static enum weir_status check_surf(const struct ptx_device *dev, const struct ptx_texels *t,
                                   struct weir_err *err) {
  if (t->is_buffer) return weir_fail(err, WEIR_EINVAL, "a surface needs an array");
  enum weir_status st = check_shape(t, err);
  return st == WEIR_OK ? check_place(dev, t, err) : st;
}

enum weir_status ptx_tex_create(struct ptx_device *dev, const struct ptx_tex_desc *desc,
                                uint64_t *handle, struct weir_err *err) {
  enum weir_status st = check_tex(dev, desc, err);
  return st == WEIR_OK ? create(dev, PTX_OBJECT_TEXTURE, desc, handle, err) : st;
}

enum weir_status ptx_surf_create(struct ptx_device *dev, const struct ptx_texels *texels,
                                 uint64_t *handle, struct weir_err *err) {
  struct ptx_tex_desc desc = {.texels = *texels};
  enum weir_status st = check_surf(dev, texels, err);
  return st == WEIR_OK ? create(dev, PTX_OBJECT_SURFACE, &desc, handle, err) : st;
}

enum weir_status ptx_tex_destroy(struct ptx_device *dev, uint64_t handle, struct weir_err *err) {
  struct ptx_tex_object *o = find_object(dev->tex, handle);
  if (o == NULL)
    return weir_fail(err, WEIR_EINVAL, "0x%" PRIx64 " is no texture or surface object", handle);
  *o = (struct ptx_tex_object){.generation = o->generation + 1};
  return WEIR_OK;
}

void ptx_tex_table_free(struct ptx_tex_table *t) {
  if (t == NULL) return;
  free(t->v);
  free(t);
}

/* ---- references ---- */

/* The handle that stands for a module's reference. */
static enum weir_status find_reference(const struct ptx_image *image, const char *name,
                                       enum ptx_type type, uint64_t *handle, struct weir_err *err) {
  const struct ptx_var *v = ptx_find_var(image->module, name);
  *handle = v != NULL && v->type == type ? ptx_image_addr(image, v) : 0;
  if (*handle != 0) return WEIR_OK;
  return weir_fail(err, WEIR_ENOENT, "%s: no variable '%s' of type .%s", image->module->path, name,
                   ptx_type_name(type));
}

static void unbind(struct ptx_device *dev, uint64_t handle) {
  find_object(dev->tex, handle)->kind = PTX_OBJECT_UNBOUND;
}

enum weir_status ptx_image_bind_tex(struct ptx_image *image, const char *name,
                                    const struct ptx_tex_desc *desc, struct weir_err *err) {
  uint64_t handle;
  enum weir_status st = find_reference(image, name, PTX_T_texref, &handle, err);
  if (st == WEIR_OK && desc != NULL) st = check_tex(image->dev, desc, err);
  if (st != WEIR_OK) return st;
  if (desc != NULL)
    bind(image->dev, handle, PTX_OBJECT_TEXTURE, desc);
  else
    unbind(image->dev, handle);
  return WEIR_OK;
}

enum weir_status ptx_image_bind_surf(struct ptx_image *image, const char *name,
                                     const struct ptx_texels *texels, struct weir_err *err) {
  uint64_t handle;
  enum weir_status st = find_reference(image, name, PTX_T_surfref, &handle, err);
  if (st == WEIR_OK && texels != NULL) st = check_surf(image->dev, texels, err);
  if (st != WEIR_OK) return st;
  if (texels == NULL)
    unbind(image->dev, handle);
  else
    bind(image->dev, handle, PTX_OBJECT_SURFACE, &(struct ptx_tex_desc){.texels = *texels});
  return WEIR_OK;
}
