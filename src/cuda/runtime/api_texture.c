/* Texture and surface objects; and the references of CUDA 11, bound by name. */
#include "cuda/runtime/api.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/runtime/texture.h"

enum { OF_ARRAY, OF_MIPMAP, OF_LINEAR, OF_PITCHED, TEXTURE_ALIGN = 512 };

/* ---- descriptions ---- */

static struct weir_gpu_format format_of(const struct cuda_channel *c) {
  return (struct weir_gpu_format){{c->x, c->y, c->z, c->w}, c->kind};
}

static int texels_of(const struct cuda_resource *r, struct ptx_texels *t) {
  const struct weir_gpu_array *a = NULL;
  const struct weir_gpu_mipmap *m;
  struct weir_gpu_format f;
  switch (r->type) {
  case OF_MIPMAP: /* which has one level */
    m = weir_gpu_handle(r->u.mipmap, WEIR_GPU_MIPMAP);
    a = m != NULL ? m->levels[0] : NULL;
    break;
  case OF_ARRAY:
    a = weir_gpu_handle(r->u.array, WEIR_GPU_ARRAY);
    break;
  case OF_LINEAR: {
    if (cudart_addr(r->u.linear.ptr) % TEXTURE_ALIGN != 0) return WEIR_E_InvalidValue;
    f = format_of(&r->u.linear.channel);
    uint64_t bytes = weir_gpu_format_bytes(&f);
    if (bytes == 0) return WEIR_E_InvalidChannelDescriptor;
    return weir_gpu_texels_of_memory(cudart_addr(r->u.linear.ptr), &f, r->u.linear.bytes / bytes, 0,
                                     r->u.linear.bytes, t);
  }
  case OF_PITCHED:
    f = format_of(&r->u.pitched.channel);
    return weir_gpu_texels_of_memory(cudart_addr(r->u.pitched.ptr), &f, r->u.pitched.width,
                                     r->u.pitched.height, r->u.pitched.pitch, t);
  default:
    return WEIR_E_InvalidValue;
  }
  return a != NULL ? weir_gpu_texels_of_array(a, t) : WEIR_E_InvalidResourceHandle;
}

static struct ptx_tex_desc sampling_of(const struct cuda_texture *t) {
  struct ptx_tex_desc d = {.filter = (uint8_t)t->filter,
                           .read = (uint8_t)t->read_mode,
                           .is_normalised = t->normalized != 0};
  for (int i = 0; i < 3; i++)
    d.address[i] = (uint8_t)t->address[i];
  memcpy(d.border, t->border, sizeof d.border);
  return d;
}

/* ---- objects ---- */

/* What an object was made of, for the program to ask. */
struct object {
  struct cuda_resource resource;
  struct cuda_texture texture;
  struct cuda_view view;
  bool has_view, is_surface;
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

/* What would give other results than a GPU's is refused, not left out. */
static int check_support(const struct cuda_resource *r, const struct cuda_texture *t,
                         const struct cuda_view *view) {
  const struct weir_gpu_mipmap *m =
      r->type == OF_MIPMAP ? weir_gpu_handle(r->u.mipmap, WEIR_GPU_MIPMAP) : NULL;
  const char *what =
      m != NULL && m->n_levels > 1                   ? "of several levels (mipmaps)"
      : t->srgb != 0                                 ? "with sRGB conversion"
      : view != NULL && view->format != 0 /* none */ ? "with a view of another format"
                                                     : NULL;
  if (what == NULL) return 0;
  weir_gpu_say("a texture object %s is not supported: the program gets an error", what);
  return WEIR_E_NotSupported;
}

static int new_texture(unsigned long long *out, const struct cuda_resource *r,
                       const struct cuda_texture *t, const struct cuda_view *view) {
  uint64_t handle;
  if (out == NULL || r == NULL || t == NULL) return WEIR_E_InvalidValue;
  struct ptx_tex_desc d = sampling_of(t);
  int error = check_support(r, t, view);
  if (error == 0) error = texels_of(r, &d.texels);
  if (error == 0) error = weir_gpu_texture_new(&d, &handle);
  if (error != 0) return error;
  struct object o = {.resource = *r, .texture = *t, .has_view = view != NULL};
  if (view != NULL) o.view = *view;
  *out = handle;
  return keep(handle, &o);
}

CUDA_API(cudaCreateTextureObject, unsigned long long *out, const struct cuda_resource *resource,
         const struct cuda_texture *texture, const struct cuda_view *view) {
  CUDA_CALL(new_texture(out, resource, texture, view));
}

static int new_surface(unsigned long long *out, const struct cuda_resource *r) {
  uint64_t handle;
  struct ptx_texels t;
  if (out == NULL || r == NULL || r->type != OF_ARRAY) return WEIR_E_InvalidValue;
  int error = texels_of(r, &t);
  if (error == 0) error = weir_gpu_surface_new(&t, &handle);
  if (error != 0) return error;
  *out = handle;
  return keep(handle, &(struct object){.resource = *r, .is_surface = true});
}

CUDA_API(cudaCreateSurfaceObject, unsigned long long *out, const struct cuda_resource *resource) {
  CUDA_CALL(new_surface(out, resource));
}

/* What is no object is let pass, as an H200's runtime does. */
static int destroy(uint64_t handle, bool is_surface) {
  if (object_of(handle, is_surface) == NULL) return 0;
  free(weir_gpu_map_remove(&objects, handle));
  return weir_gpu_texture_free(handle);
}

CUDA_API(cudaDestroyTextureObject, unsigned long long object) {
  CUDA_CALL(destroy(object, false));
}

CUDA_API(cudaDestroySurfaceObject, unsigned long long object) {
  CUDA_CALL(destroy(object, true));
}

static int resource_of(struct cuda_resource *out, uint64_t handle, bool is_surface) {
  const struct object *o = object_of(handle, is_surface);
  if (o == NULL || out == NULL) return WEIR_E_InvalidValue;
  *out = o->resource;
  return 0;
}

CUDA_API(cudaGetTextureObjectResourceDesc, struct cuda_resource *out, unsigned long long object) {
  CUDA_CALL(resource_of(out, object, false));
}

CUDA_API(cudaGetSurfaceObjectResourceDesc, struct cuda_resource *out, unsigned long long object) {
  CUDA_CALL(resource_of(out, object, true));
}

static int texture_of(struct cuda_texture *out, uint64_t handle) {
  const struct object *o = object_of(handle, false);
  if (o == NULL || out == NULL) return WEIR_E_InvalidValue;
  *out = o->texture;
  return 0;
}

CUDA_API(cudaGetTextureObjectTextureDesc, struct cuda_texture *out, unsigned long long object) {
  CUDA_CALL(texture_of(out, object));
}

static int view_of(struct cuda_view *out, uint64_t handle) {
  const struct object *o = object_of(handle, false);
  if (o == NULL || out == NULL || !o->has_view) return WEIR_E_InvalidValue;
  *out = o->view;
  return 0;
}

CUDA_API(cudaGetTextureObjectResourceViewDesc, struct cuda_view *out, unsigned long long object) {
  CUDA_CALL(view_of(out, object));
}

/* ---- references, up to CUDA 11 ---- */

/* The program's variable, which it may change before it binds; only its head is used. */
struct reference {
  int normalized, filter, address[3];
  struct cuda_channel channel;
};

struct registered {
  struct weir_gpu_module *module;
  const char *name;
  int read_mode;
};
static struct weir_gpu_map references; /* by address of the program's variable */

static void register_reference(void **handle, const void *host, const char *name, int read_mode) {
  struct registered *r = weir_gpu_host_calloc(1, sizeof *r);
  if (r == NULL) return;
  if (strncmp(name, "::", 2) == 0) name += 2;
  *r = (struct registered){(struct weir_gpu_module *)handle, name, read_mode};
  free(weir_gpu_map_remove(&references, cudart_addr(host)));
  if (!weir_gpu_map_set(&references, cudart_addr(host), r)) free(r);
}

CUDA_EXPORT void __cudaRegisterTexture(void **handle, const void *host, const void **device,
                                       const char *name, int dim, int read_mode, int is_extern);
void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name,
                           int dim, int read_mode, int is_extern) {
  (void)device, (void)dim, (void)is_extern;
  weir_gpu_enter_always();
  register_reference(handle, host, name, read_mode);
  weir_gpu_leave(0);
}

CUDA_EXPORT void __cudaRegisterSurface(void **handle, const void *host, const void **device,
                                       const char *name, int dim, int is_extern);
void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name,
                           int dim, int is_extern) {
  (void)device, (void)dim, (void)is_extern;
  weir_gpu_enter_always();
  register_reference(handle, host, name, 0);
  weir_gpu_leave(0);
}

static int bind(const void *texref, int error, struct ptx_texels texels) {
  const struct registered *r = weir_gpu_map_get(&references, cudart_addr(texref));
  const struct reference *ref = texref;
  if (r == NULL) return WEIR_E_InvalidTexture;
  if (error != 0) return error;
  struct ptx_tex_desc d = {
      .texels = texels,
      .address = {(uint8_t)ref->address[0], (uint8_t)ref->address[1], (uint8_t)ref->address[2]},
      .filter = (uint8_t)ref->filter,
      .read = (uint8_t)r->read_mode,
      .is_normalised = ref->normalized != 0};
  return weir_gpu_texture_bind(r->module, r->name, &d);
}

/* Texels begin at a multiple of TEXTURE_ALIGN; the program adds *offset bytes to what it fetches.
 */
static int bind_memory(size_t *offset, const void *texref, const void *ptr,
                       const struct cuda_channel *channel, size_t width, size_t rows,
                       size_t pitch) {
  struct ptx_texels t = {0};
  uint64_t over = cudart_addr(ptr) % TEXTURE_ALIGN, addr = cudart_addr(ptr) - over;
  if (ptr == NULL || channel == NULL || (offset == NULL && over != 0)) return WEIR_E_InvalidValue;
  if (offset != NULL) *offset = over;
  struct weir_gpu_format f = format_of(channel);
  uint64_t bytes = weir_gpu_format_bytes(&f);
  if (bytes == 0) return WEIR_E_InvalidChannelDescriptor;
  uint64_t left = weir_gpu_left(addr);
  if (left == 0) return WEIR_E_InvalidValue;
  if (rows == 0) /* `width` is a size, and may be more than there is */
    width = (width < left - over ? width + over : left) / bytes;
  else
    width += over / bytes;
  int error =
      weir_gpu_texels_of_memory(addr, &f, width, rows, rows == 0 ? width * bytes : pitch, &t);
  return bind(texref, error, t);
}

CUDA_API(cudaBindTexture, size_t *offset, const void *texref, const void *ptr,
         const struct cuda_channel *channel, size_t bytes) {
  CUDA_CALL(bind_memory(offset, texref, ptr, channel, bytes, 0, 0));
}

CUDA_API(cudaBindTexture2D, size_t *offset, const void *texref, const void *ptr,
         const struct cuda_channel *channel, size_t width, size_t height, size_t pitch) {
  CUDA_CALL(height != 0 ? bind_memory(offset, texref, ptr, channel, width, height, pitch)
                        : WEIR_E_InvalidValue);
}

static int bind_array(const void *texref, const struct weir_gpu_array *a) {
  struct ptx_texels t = {0};
  if (a == NULL) return WEIR_E_InvalidResourceHandle;
  int error = weir_gpu_texels_of_array(a, &t);
  return bind(texref, error, t);
}

CUDA_API(cudaBindTextureToArray, const void *texref, const void *array,
         const struct cuda_channel *channel) {
  (void)channel; /* the array has its own */
  CUDA_CALL(bind_array(texref, weir_gpu_handle(array, WEIR_GPU_ARRAY)));
}

static int unbind(const void *texref) {
  const struct registered *r = weir_gpu_map_get(&references, cudart_addr(texref));
  return r != NULL ? weir_gpu_texture_bind(r->module, r->name, NULL) : WEIR_E_InvalidTexture;
}

CUDA_API(cudaUnbindTexture, const void *texref) {
  CUDA_CALL(unbind(texref));
}

CUDA_API(cudaGetTextureAlignmentOffset, size_t *offset, const void *texref) {
  CUDA_CALL(offset != NULL && weir_gpu_map_get(&references, cudart_addr(texref)) != NULL
                ? (*offset = 0, 0)
                : WEIR_E_InvalidTexture);
}

/* A reference is found by the variable itself. */
CUDA_API(cudaGetTextureReference, const void **texref, const void *symbol) {
  CUDA_CALL(texref != NULL && weir_gpu_map_get(&references, cudart_addr(symbol)) != NULL
                ? (*texref = symbol, 0)
                : WEIR_E_InvalidTexture);
}

static int bind_surface(const void *surfref, const struct weir_gpu_array *a) {
  const struct registered *r = weir_gpu_map_get(&references, cudart_addr(surfref));
  struct ptx_texels t;
  if (r == NULL) return WEIR_E_InvalidSurface;
  if (a == NULL) return WEIR_E_InvalidResourceHandle;
  int error = weir_gpu_texels_of_array(a, &t);
  return error != 0 ? error : weir_gpu_surface_bind(r->module, r->name, &t);
}

CUDA_API(cudaBindSurfaceToArray, const void *surfref, const void *array,
         const struct cuda_channel *channel) {
  (void)channel;
  CUDA_CALL(bind_surface(surfref, weir_gpu_handle(array, WEIR_GPU_ARRAY)));
}
