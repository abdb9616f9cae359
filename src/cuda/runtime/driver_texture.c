/* Texture and surface objects, and references to the textures and surfaces that a module declares.
 */
#include <stdlib.h>
#include <string.h>

#include "cuda/runtime/driver.h"
#include "cuda/runtime/texture.h"

enum resource_type { OF_ARRAY, OF_MIPMAP, OF_LINEAR, OF_PITCHED };
enum texture_flags { AS_INTEGER = 1, NORMALIZED = 2, SRGB = 0x10 };

struct resource { /* CUDA_RESOURCE_DESC */
  int type;
  union {
    void *array, *mipmap;
    struct {
      uint64_t ptr;
      int format;
      unsigned channels;
      size_t bytes;
    } linear;
    struct {
      uint64_t ptr;
      int format;
      unsigned channels;
      size_t width, height, pitch;
    } pitched;
    int room[32];
  } u;
  unsigned flags;
};

struct sampling { /* CUDA_TEXTURE_DESC */
  int address[3], filter;
  unsigned flags, max_anisotropy;
  int mip_filter;
  float mip_bias, mip_min, mip_max, border[4];
  int reserved[12];
};

/* ---- descriptions ---- */

static int texels_of_array(const void *handle, struct ptx_texels *t) {
  const struct weir_gpu_array *a = weir_gpu_handle(handle, WEIR_GPU_ARRAY);
  return a != NULL ? weir_gpu_texels_of_array(a, t) : WEIR_E_InvalidResourceHandle;
}

/* What would give other results than a GPU's is refused, not left out. */
static int refuse(const char *what) {
  weir_gpu_say("a texture %s is not supported: the program gets an error", what);
  return WEIR_E_NotSupported;
}

static int texels_of_mipmap(const void *handle, struct ptx_texels *t) {
  const struct weir_gpu_mipmap *m = weir_gpu_handle(handle, WEIR_GPU_MIPMAP);
  if (m == NULL) return WEIR_E_InvalidResourceHandle;
  if (m->n_levels > 1) return refuse("of several levels (mipmaps)");
  return weir_gpu_texels_of_array(m->levels[0], t);
}

static int texels_of_line(uint64_t ptr, int format, unsigned channels, size_t bytes,
                          struct ptx_texels *t) {
  struct weir_gpu_format f;
  int error = cu_format_of(format, channels, &f);
  if (error != 0) return error;
  return weir_gpu_texels_of_memory(ptr, &f, bytes / weir_gpu_format_bytes(&f), 0, bytes, t);
}

static int texels_of_rows(uint64_t ptr, int format, unsigned channels, size_t width, size_t height,
                          size_t pitch, struct ptx_texels *t) {
  struct weir_gpu_format f;
  int error = height != 0 ? cu_format_of(format, channels, &f) : WEIR_E_InvalidValue;
  return error != 0 ? error : weir_gpu_texels_of_memory(ptr, &f, width, height, pitch, t);
}

static int texels_of(const struct resource *r, struct ptx_texels *t) {
  switch (r->type) {
  case OF_ARRAY:
    return texels_of_array(r->u.array, t);
  case OF_MIPMAP:
    return texels_of_mipmap(r->u.mipmap, t);
  case OF_LINEAR:
    return texels_of_line(r->u.linear.ptr, r->u.linear.format, r->u.linear.channels,
                          r->u.linear.bytes, t);
  case OF_PITCHED:
    return texels_of_rows(r->u.pitched.ptr, r->u.pitched.format, r->u.pitched.channels,
                          r->u.pitched.width, r->u.pitched.height, r->u.pitched.pitch, t);
  default:
    return WEIR_E_InvalidValue;
  }
}

static int sampling_of(const struct sampling *s, struct ptx_tex_desc *d) {
  if ((s->flags & SRGB) != 0) return refuse("with sRGB conversion");
  d->filter = (uint8_t)s->filter;
  d->read = (s->flags & AS_INTEGER) != 0 ? PTX_TEX_ELEMENT : PTX_TEX_NORMALISED_FLOAT;
  d->is_normalised = (s->flags & NORMALIZED) != 0;
  for (int i = 0; i < 3; i++)
    d->address[i] = (uint8_t)s->address[i];
  memcpy(d->border, s->border, sizeof d->border);
  return 0;
}

/* ---- objects ---- */

/* What an object was made of, for the program to ask. */
struct object {
  struct resource resource;
  struct sampling sampling;
  struct cuda_view view;
  bool is_surface;
};
static struct weir_gpu_map objects; /* by handle */

static int keep(uint64_t handle, const struct object *o) {
  struct object *copy = weir_gpu_host_calloc(1, sizeof *copy);
  if (copy != NULL) *copy = *o;
  if (copy != NULL && weir_gpu_map_set(&objects, handle, copy)) return 0;
  free(copy);
  weir_gpu_texture_free(handle);
  return WEIR_E_MemoryAllocation;
}

static struct object *object_of(uint64_t handle, bool is_surface) {
  struct object *o = weir_gpu_map_get(&objects, handle);
  return o != NULL && o->is_surface == is_surface ? o : NULL;
}

static int new_texture(uint64_t *out, const struct resource *r, const struct sampling *s,
                       const struct cuda_view *view) {
  struct ptx_tex_desc d = {0};
  if (out == NULL || r == NULL || s == NULL) return WEIR_E_InvalidValue;
  if (view != NULL && view->format != 0) return refuse("with a view of another format");
  int error = sampling_of(s, &d);
  if (error == 0) error = texels_of(r, &d.texels);
  if (error == 0) error = weir_gpu_texture_new(&d, out);
  if (error != 0) return error;
  struct object o = {.resource = *r, .sampling = *s};
  if (view != NULL) o.view = *view;
  return keep(*out, &o);
}

CUDA_API(cuTexObjectCreate, uint64_t *out, const struct resource *resource,
         const struct sampling *sampling, const struct cuda_view *view) {
  CU_CALL(new_texture(out, resource, sampling, view));
}

static int new_surface(uint64_t *out, const struct resource *r) {
  struct ptx_texels t;
  if (out == NULL || r == NULL || r->type != OF_ARRAY) return WEIR_E_InvalidValue;
  int error = texels_of(r, &t);
  if (error == 0) error = weir_gpu_surface_new(&t, out);
  return error != 0 ? error : keep(*out, &(struct object){.resource = *r, .is_surface = true});
}

CUDA_API(cuSurfObjectCreate, uint64_t *out, const struct resource *resource) {
  CU_CALL(new_surface(out, resource));
}

/* Also one that libcudart made. */
static int destroy(uint64_t handle) {
  free(weir_gpu_map_remove(&objects, handle));
  return weir_gpu_texture_free(handle);
}

CUDA_API(cuTexObjectDestroy, uint64_t object) {
  CU_CALL(destroy(object));
}

CUDA_API(cuSurfObjectDestroy, uint64_t object) {
  CU_CALL(destroy(object));
}

static int get_resource(struct resource *out, const struct object *o) {
  if (out == NULL || o == NULL) return WEIR_E_InvalidValue;
  *out = o->resource;
  return 0;
}

CUDA_API(cuTexObjectGetResourceDesc, struct resource *out, uint64_t object) {
  CU_CALL(get_resource(out, object_of(object, false)));
}

CUDA_API(cuSurfObjectGetResourceDesc, struct resource *out, uint64_t object) {
  CU_CALL(get_resource(out, object_of(object, true)));
}

static int get_sampling(struct sampling *out, const struct object *o) {
  if (out == NULL || o == NULL) return WEIR_E_InvalidValue;
  *out = o->sampling;
  return 0;
}

CUDA_API(cuTexObjectGetTextureDesc, struct sampling *out, uint64_t object) {
  CU_CALL(get_sampling(out, object_of(object, false)));
}

static int get_view(struct cuda_view *out, const struct object *o) {
  if (out == NULL || o == NULL) return WEIR_E_InvalidValue;
  *out = o->view; /* all 0 if there is none */
  return 0;
}

CUDA_API(cuTexObjectGetResourceViewDesc, struct cuda_view *out, uint64_t object) {
  CU_CALL(get_view(out, object_of(object, false)));
}

/* ---- references ---- */

/* A .texref or .surfref of a module and what the program has said about it so far; or, without a
 * module, only that. */
struct reference {
  struct weir_gpu_handle handle;
  struct weir_gpu_module *module;
  uint64_t module_number; /* another module may come to lie where it was */
  char *name;
  bool is_surface, is_bound;
  int format;
  unsigned channels;
  struct resource resource;
  struct sampling sampling;
};

static struct reference *reference_of(const void *handle, bool is_surface) {
  struct reference *r = weir_gpu_handle(handle, WEIR_GPU_TEXREF);
  return r != NULL && r->is_surface == is_surface ? r : NULL;
}

static bool is_loaded(const struct reference *r) {
  const struct weir_gpu_module *m = cu_module_of(r->module);
  return m != NULL && m->number == r->module_number;
}

static int bind(struct reference *r) {
  struct ptx_tex_desc d = {0};
  if (!r->is_bound || !is_loaded(r)) return 0;
  int error = sampling_of(&r->sampling, &d);
  if (error == 0) error = texels_of(&r->resource, &d.texels);
  if (error != 0) return error;
  return r->is_surface ? weir_gpu_surface_bind(r->module, r->name, &d.texels)
                       : weir_gpu_texture_bind(r->module, r->name, &d);
}

/* Takes effect now, if there are texels already. */
static int use(struct reference *r, const struct resource *resource) {
  r->resource = *resource;
  r->is_bound = true;
  return bind(r);
}

static struct reference *new_reference(struct weir_gpu_module *m, const char *name,
                                       bool is_surface) {
  enum { CLAMP = 1, FLOAT = 0x20 };
  struct reference *r = weir_gpu_new(WEIR_GPU_TEXREF, sizeof *r);
  if (r == NULL) return NULL;
  r->module = m;
  r->module_number = m != NULL ? m->number : 0;
  r->name = name != NULL ? weir_gpu_host_strdup(name) : NULL;
  r->is_surface = is_surface;
  r->format = FLOAT;
  r->channels = 1;
  for (int i = 0; i < 3; i++)
    r->sampling.address[i] = CLAMP;
  return r;
}

static struct reference *known_reference(const struct weir_gpu_module *m, const char *name,
                                         bool is_surface) {
  for (size_t i = 0; i < weir_gpu.handles.cap; i++) {
    struct reference *r = weir_gpu.handles.slots[i].value;
    if (r != NULL && r->handle.kind == WEIR_GPU_TEXREF && r->module == m && r->name != NULL &&
        r->module_number == m->number && r->is_surface == is_surface && strcmp(r->name, name) == 0)
      return r;
  }
  return NULL;
}

static int get_reference(void **out, const void *handle, const char *name, bool is_surface) {
  struct weir_gpu_module *m = cu_module_of(handle);
  if (out == NULL || name == NULL) return WEIR_E_InvalidValue;
  if (m == NULL) return WEIR_E_InvalidResourceHandle;
  *out = known_reference(m, name, is_surface);
  if (*out != NULL) return 0;
  int error = is_surface ? weir_gpu_surface_bind(m, name, NULL) /* is there one? */
                         : weir_gpu_texture_bind(m, name, NULL);
  if (error == WEIR_E_InvalidTexture || error == WEIR_E_InvalidSurface)
    return WEIR_E_SymbolNotFound;
  if (error != 0) return error;
  *out = new_reference(m, name, is_surface);
  return *out != NULL ? 0 : WEIR_E_MemoryAllocation;
}

CUDA_API(cuModuleGetTexRef, void **out, const void *module, const char *name) {
  CU_CALL(get_reference(out, module, name, false));
}

CUDA_API(cuModuleGetSurfRef, void **out, const void *module, const char *name) {
  CU_CALL(get_reference(out, module, name, true));
}

static int create_reference(void **out) {
  if (out == NULL) return WEIR_E_InvalidValue;
  *out = new_reference(NULL, NULL, false);
  return *out != NULL ? 0 : WEIR_E_MemoryAllocation;
}

CUDA_API(cuTexRefCreate, void **out) {
  CU_CALL(create_reference(out));
}

static int free_reference(struct reference *r) {
  if (r == NULL) return WEIR_E_InvalidResourceHandle;
  free(r->name);
  weir_gpu_drop(r);
  return 0;
}

CUDA_API(cuTexRefDestroy, const void *texref) {
  CU_CALL(free_reference(reference_of(texref, false)));
}

/* An expression that uses the reference `r`. */
#define WITH_REFERENCE(texref, ...)                                                                \
  do {                                                                                             \
    struct reference *r;                                                                           \
    CU_CALL((r = reference_of(texref, false)) != NULL ? (__VA_ARGS__)                              \
                                                      : WEIR_E_InvalidResourceHandle);             \
  } while (0)

/* ---- what a reference samples ---- */

static int use_array(struct reference *r, const void *array, int type) {
  struct resource to = {.type = type, .u.array = cudart_ptr(cudart_addr(array))};
  return use(r, &to);
}

CUDA_API(cuTexRefSetArray, const void *texref, const void *array, unsigned flags) {
  (void)flags; /* the array's format counts */
  WITH_REFERENCE(texref, use_array(r, array, OF_ARRAY));
}

CUDA_API(cuTexRefSetMipmappedArray, const void *texref, const void *mipmap, unsigned flags) {
  (void)flags;
  WITH_REFERENCE(texref, use_array(r, mipmap, OF_MIPMAP));
}

static int use_line(struct reference *r, size_t *offset, uint64_t ptr, size_t bytes) {
  struct resource to = {.type = OF_LINEAR};
  to.u.linear.ptr = ptr;
  to.u.linear.format = r->format;
  to.u.linear.channels = r->channels;
  to.u.linear.bytes = bytes;
  if (offset != NULL) *offset = 0;
  return use(r, &to);
}

CUDA_API(cuTexRefSetAddress_v2, size_t *offset, const void *texref, uint64_t ptr, size_t bytes) {
  WITH_REFERENCE(texref, use_line(r, offset, ptr, bytes));
}

struct rows { /* CUDA_ARRAY_DESCRIPTOR */
  size_t width, height;
  int format;
  unsigned channels;
};

static int use_rows(struct reference *r, const struct rows *rows, uint64_t ptr, size_t pitch) {
  struct resource to = {.type = OF_PITCHED};
  if (rows == NULL) return WEIR_E_InvalidValue;
  to.u.pitched.ptr = ptr;
  to.u.pitched.format = rows->format;
  to.u.pitched.channels = rows->channels;
  to.u.pitched.width = rows->width;
  to.u.pitched.height = rows->height;
  to.u.pitched.pitch = pitch;
  return use(r, &to);
}

CUDA_API(cuTexRefSetAddress2D_v3, const void *texref, const struct rows *rows, uint64_t ptr,
         size_t pitch) {
  WITH_REFERENCE(texref, use_rows(r, rows, ptr, pitch));
}
CUDA_OLD_NAME(cuTexRefSetAddress2D_v2, cuTexRefSetAddress2D_v3);

static int set_format(struct reference *r, int format, int channels) {
  struct weir_gpu_format f;
  int error = channels > 0 ? cu_format_of(format, (unsigned)channels, &f) : WEIR_E_InvalidValue;
  if (error != 0) return error;
  r->format = format;
  r->channels = (unsigned)channels;
  return 0;
}

CUDA_API(cuTexRefSetFormat, const void *texref, int format, int channels) {
  WITH_REFERENCE(texref, set_format(r, format, channels));
}

/* ---- how ---- */

static int set_address(struct reference *r, int dim, int mode) {
  enum { LAST_MODE = 3 };
  if (dim < 0 || dim > 2 || mode < 0 || mode > LAST_MODE) return WEIR_E_InvalidValue;
  r->sampling.address[dim] = mode;
  return bind(r);
}

CUDA_API(cuTexRefSetAddressMode, const void *texref, int dim, int mode) {
  WITH_REFERENCE(texref, set_address(r, dim, mode));
}

CUDA_API(cuTexRefSetFilterMode, const void *texref, int mode) {
  WITH_REFERENCE(texref,
                 mode < 0 || mode > 1 ? WEIR_E_InvalidValue : (r->sampling.filter = mode, bind(r)));
}

CUDA_API(cuTexRefSetFlags, const void *texref, unsigned flags) {
  WITH_REFERENCE(texref, r->sampling.flags = flags, bind(r));
}

CUDA_API(cuTexRefSetBorderColor, const void *texref, const float *color) {
  WITH_REFERENCE(texref, color == NULL
                             ? WEIR_E_InvalidValue
                             : (memcpy(r->sampling.border, color, 4 * sizeof *color), bind(r)));
}

CUDA_API(cuTexRefSetMaxAnisotropy, const void *texref, unsigned most) {
  WITH_REFERENCE(texref, r->sampling.max_anisotropy = most, 0);
}

CUDA_API(cuTexRefSetMipmapFilterMode, const void *texref, int mode) {
  WITH_REFERENCE(texref, r->sampling.mip_filter = mode, 0);
}

CUDA_API(cuTexRefSetMipmapLevelBias, const void *texref, float bias) {
  WITH_REFERENCE(texref, r->sampling.mip_bias = bias, 0);
}

CUDA_API(cuTexRefSetMipmapLevelClamp, const void *texref, float least, float most) {
  WITH_REFERENCE(texref, r->sampling.mip_min = least, r->sampling.mip_max = most, 0);
}

/* Nothing to do: a reference belongs to its module. */
CUDA_API(cuParamSetTexRef, const void *function, int unit, const void *texref) {
  (void)unit;
  WITH_REFERENCE(texref, r->is_surface || weir_gpu_kernel_of(function) == NULL
                             ? WEIR_E_InvalidResourceHandle
                             : 0);
}

/* ---- questions ---- */

/* *out gets `value`, if there is a place for it. */
#define PUT(out, value) ((out) != NULL ? (*(out) = (value), 0) : WEIR_E_InvalidValue)

CUDA_API(cuTexRefGetAddress_v2, uint64_t *out, const void *texref) {
  WITH_REFERENCE(texref, !r->is_bound                     ? WEIR_E_InvalidValue
                         : r->resource.type == OF_LINEAR  ? PUT(out, r->resource.u.linear.ptr)
                         : r->resource.type == OF_PITCHED ? PUT(out, r->resource.u.pitched.ptr)
                                                          : WEIR_E_InvalidValue);
}

CUDA_API(cuTexRefGetArray, void **out, const void *texref) {
  WITH_REFERENCE(texref, r->is_bound && r->resource.type == OF_ARRAY ? PUT(out, r->resource.u.array)
                                                                     : WEIR_E_InvalidValue);
}

CUDA_API(cuTexRefGetMipmappedArray, void **out, const void *texref) {
  WITH_REFERENCE(texref, r->is_bound && r->resource.type == OF_MIPMAP
                             ? PUT(out, r->resource.u.mipmap)
                             : WEIR_E_InvalidValue);
}

CUDA_API(cuTexRefGetAddressMode, int *mode, const void *texref, int dim) {
  WITH_REFERENCE(texref,
                 dim >= 0 && dim <= 2 ? PUT(mode, r->sampling.address[dim]) : WEIR_E_InvalidValue);
}

CUDA_API(cuTexRefGetFilterMode, int *mode, const void *texref) {
  WITH_REFERENCE(texref, PUT(mode, r->sampling.filter));
}

CUDA_API(cuTexRefGetFormat, int *format, int *channels, const void *texref) {
  WITH_REFERENCE(texref, format != NULL ? (*format = r->format) : 0,
                 channels != NULL ? (*channels = (int)r->channels) : 0, 0);
}

CUDA_API(cuTexRefGetFlags, unsigned *flags, const void *texref) {
  WITH_REFERENCE(texref, PUT(flags, r->sampling.flags));
}

CUDA_API(cuTexRefGetBorderColor, float *color, const void *texref) {
  WITH_REFERENCE(texref, color == NULL ? WEIR_E_InvalidValue
                                       : (memcpy(color, r->sampling.border, 4 * sizeof *color), 0));
}

CUDA_API(cuTexRefGetMaxAnisotropy, int *most, const void *texref) {
  WITH_REFERENCE(texref, PUT(most, (int)r->sampling.max_anisotropy));
}

CUDA_API(cuTexRefGetMipmapFilterMode, int *mode, const void *texref) {
  WITH_REFERENCE(texref, PUT(mode, r->sampling.mip_filter));
}

CUDA_API(cuTexRefGetMipmapLevelBias, float *bias, const void *texref) {
  WITH_REFERENCE(texref, PUT(bias, r->sampling.mip_bias));
}

CUDA_API(cuTexRefGetMipmapLevelClamp, float *least, float *most, const void *texref) {
  WITH_REFERENCE(texref, least == NULL || most == NULL
                             ? WEIR_E_InvalidValue
                             : (*least = r->sampling.mip_min, *most = r->sampling.mip_max, 0));
}

/* ---- surfaces ---- */

static int set_surface(struct reference *r, const void *array) {
  enum { FOR_SURFACES = 2 };
  const struct weir_gpu_array *a = weir_gpu_handle(array, WEIR_GPU_ARRAY);
  if (r == NULL || a == NULL) return WEIR_E_InvalidResourceHandle;
  return (a->flags & FOR_SURFACES) != 0 ? use_array(r, array, OF_ARRAY) : WEIR_E_InvalidValue;
}

CUDA_API(cuSurfRefSetArray, const void *surfref, const void *array, unsigned flags) {
  CU_CALL(flags == 0 ? set_surface(reference_of(surfref, true), array) : WEIR_E_InvalidValue);
}

static int get_surface(void **out, const struct reference *r) {
  if (r == NULL) return WEIR_E_InvalidResourceHandle;
  return r->is_bound ? PUT(out, r->resource.u.array) : WEIR_E_InvalidValue;
}

CUDA_API(cuSurfRefGetArray, void **out, const void *surfref) {
  CU_CALL(get_surface(out, reference_of(surfref, true)));
}
