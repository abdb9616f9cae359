/* Arrays, and what describes their elements. */
#include "cuda/runtime/api.h"
#include "cuda/runtime/array.h"

static struct weir_gpu_array *array_of(const void *p) {
  return weir_gpu_handle(p, WEIR_GPU_ARRAY);
}

static struct weir_gpu_format format_of(const struct cuda_channel *c) {
  return (struct weir_gpu_format){{c->x, c->y, c->z, c->w}, c->kind};
}

static struct cuda_channel channel_of(const struct weir_gpu_format *f) {
  return (struct cuda_channel){f->bits[0], f->bits[1], f->bits[2], f->bits[3], f->kind};
}

CUDA_EXPORT struct cuda_channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
struct cuda_channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return (struct cuda_channel){x, y, z, w, kind};
}

static int new_array(void **out, const struct cuda_channel *c, struct cuda_extent n,
                     unsigned flags) {
  struct weir_gpu_array *a;
  if (out == NULL || c == NULL) return WEIR_E_InvalidValue;
  struct weir_gpu_format f = format_of(c);
  int error = weir_gpu_array_new(&f, n.width, n.height, n.depth, flags, &a);
  if (error == 0) *out = a;
  return error;
}

CUDA_API(cudaMallocArray, void **out, const struct cuda_channel *channel, size_t width,
         size_t height, unsigned flags) {
  CUDA_CALL(new_array(out, channel, (struct cuda_extent){width, height, 0}, flags));
}

CUDA_API(cudaMalloc3DArray, void **out, const struct cuda_channel *channel,
         struct cuda_extent extent, unsigned flags) {
  CUDA_CALL(new_array(out, channel, extent, flags));
}

static int free_array(struct weir_gpu_array *a) {
  if (a == NULL || a->level_of != NULL) return WEIR_E_InvalidValue;
  return weir_gpu_array_free(a);
}

CUDA_API(cudaFreeArray, void *array) {
  CUDA_CALL(array == NULL ? 0 : free_array(array_of(array)));
}

static int array_info(struct cuda_channel *c, struct cuda_extent *n, unsigned *flags,
                      const struct weir_gpu_array *a) {
  if (a == NULL) return WEIR_E_InvalidResourceHandle;
  if (c != NULL) *c = channel_of(&a->format);
  if (n != NULL) *n = (struct cuda_extent){a->width, a->height, a->depth};
  if (flags != NULL) *flags = a->flags;
  return 0;
}

CUDA_API(cudaArrayGetInfo, struct cuda_channel *channel, struct cuda_extent *extent,
         unsigned *flags, void *array) {
  CUDA_CALL(array_info(channel, extent, flags, array_of(array)));
}

CUDA_API(cudaGetChannelDesc, struct cuda_channel *channel, const void *array) {
  CUDA_CALL(array_info(channel, NULL, NULL, array_of(array)));
}

static int requirements(struct cuda_requirements *r, const struct weir_gpu_array *a) {
  if (a == NULL || r == NULL) return WEIR_E_InvalidValue;
  uint64_t rows = (a->height != 0 ? a->height : 1) * (a->depth != 0 ? a->depth : 1);
  *r = (struct cuda_requirements){.bytes = a->pitch * rows, .alignment = 512};
  return 0;
}

CUDA_API(cudaArrayGetMemoryRequirements, struct cuda_requirements *out, void *array, int device) {
  CUDA_CALL(device == 0 ? requirements(out, array_of(array)) : WEIR_E_InvalidDevice);
}

/* ---- mipmaps ---- */

static struct weir_gpu_mipmap *mipmap_of(const void *p) {
  return weir_gpu_handle(p, WEIR_GPU_MIPMAP);
}

static int new_mipmap(void **out, const struct cuda_channel *c, struct cuda_extent n,
                      unsigned levels, unsigned flags) {
  struct weir_gpu_mipmap *m;
  if (out == NULL || c == NULL) return WEIR_E_InvalidValue;
  struct weir_gpu_format f = format_of(c);
  int error = weir_gpu_mipmap_new(&f, n.width, n.height, n.depth, levels, flags, &m);
  if (error == 0) *out = m;
  return error;
}

CUDA_API(cudaMallocMipmappedArray, void **out, const struct cuda_channel *channel,
         struct cuda_extent extent, unsigned levels, unsigned flags) {
  CUDA_CALL(new_mipmap(out, channel, extent, levels, flags));
}

CUDA_API(cudaFreeMipmappedArray, void *mipmap) {
  CUDA_CALL(mipmap == NULL              ? 0
            : mipmap_of(mipmap) != NULL ? weir_gpu_mipmap_free(mipmap_of(mipmap))
                                        : WEIR_E_InvalidValue);
}

static int level_of(void **out, const struct weir_gpu_mipmap *m, unsigned level) {
  if (out == NULL || m == NULL || level >= m->n_levels) return WEIR_E_InvalidValue;
  *out = m->levels[level];
  return 0;
}

CUDA_API(cudaGetMipmappedArrayLevel, void **out, const void *mipmap, unsigned level) {
  CUDA_CALL(level_of(out, mipmap_of(mipmap), level));
}

static int mipmap_requirements(struct cuda_requirements *r, const struct weir_gpu_mipmap *m) {
  size_t sum = 0;
  int error = m != NULL && r != NULL ? 0 : WEIR_E_InvalidValue;
  for (uint32_t i = 0; error == 0 && i < m->n_levels; i++) {
    error = requirements(r, m->levels[i]);
    sum += r->bytes;
    r->bytes = sum;
  }
  return error;
}

CUDA_API(cudaMipmappedArrayGetMemoryRequirements, struct cuda_requirements *out, void *mipmap,
         int device) {
  CUDA_CALL(device == 0 ? mipmap_requirements(out, mipmap_of(mipmap)) : WEIR_E_InvalidDevice);
}
