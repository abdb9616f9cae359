/* Arrays. */
#include "cuda/runtime/array.h"
#include "cuda/runtime/driver.h"

struct array_1d2d {
  size_t width, height;
  int format;
  unsigned channels;
};
struct array_3d {
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
};

/* CUarray_format, bits of a channel and cudaChannelFormatKind. */
static const struct {
  int format, bits, kind;
} formats[] = {
    {0x01, 8, 1},  {0x02, 16, 1}, {0x03, 32, 1}, /* unsigned */
    {0x08, 8, 0},  {0x09, 16, 0}, {0x0a, 32, 0}, /* signed */
    {0x10, 16, 2}, {0x20, 32, 2},                /* float */
};
enum { N_FORMATS = sizeof formats / sizeof formats[0] };

/* Does CUDA have it: packed, compressed and video formats? */
static bool is_known(int format) {
  return format == 0x50 || (format >= 0x91 && format <= 0x9f) ||
         (format >= 0xa1 && format <= 0xb5) || (format >= 0xc0 && format <= 0xcb);
}

int cu_format_of(int format, unsigned channels, struct weir_gpu_format *out) {
  *out = (struct weir_gpu_format){0};
  if (channels == 0 || channels > 4) return WEIR_E_InvalidValue;
  for (size_t i = 0; i < N_FORMATS; i++) {
    if (formats[i].format != format) continue;
    for (unsigned c = 0; c < channels; c++)
      out->bits[c] = formats[i].bits;
    out->kind = formats[i].kind;
    return weir_gpu_format_bytes(out) != 0 ? 0 : WEIR_E_InvalidValue;
  }
  if (!is_known(format)) return WEIR_E_InvalidValue;
  weir_gpu_say("an array of CUDA's format 0x%x is not supported: integers of 8, 16 and 32 bits and "
               "floats of 16 and 32 are",
               (unsigned)format);
  return WEIR_E_NotSupported;
}

static int format_of_array(const struct weir_gpu_array *a) {
  for (size_t i = 0; i < N_FORMATS; i++)
    if (formats[i].bits == a->format.bits[0] && formats[i].kind == a->format.kind)
      return formats[i].format;
  return 0;
}

static unsigned channels_of(const struct weir_gpu_array *a) {
  unsigned n = 0;
  for (int i = 0; i < 4; i++)
    n += a->format.bits[i] != 0;
  return n;
}

static struct weir_gpu_array *array_of(const void *handle) {
  return weir_gpu_handle(handle, WEIR_GPU_ARRAY);
}

static int create(void **out, const struct array_3d *d) {
  struct weir_gpu_format f;
  struct weir_gpu_array *a;
  int error = cu_format_of(d->format, d->channels, &f);
  if (error == 0) error = weir_gpu_array_new(&f, d->width, d->height, d->depth, d->flags, &a);
  if (error == 0) *out = a;
  return error;
}

static int create_2d(void **out, const struct array_1d2d *d) {
  if (out == NULL || d == NULL) return WEIR_E_InvalidValue;
  return create(out, &(struct array_3d){.width = d->width,
                                        .height = d->height,
                                        .format = d->format,
                                        .channels = d->channels});
}

CUDA_API(cuArrayCreate_v2, void **out, const struct array_1d2d *description) {
  CU_CALL(create_2d(out, description));
}

CUDA_API(cuArray3DCreate_v2, void **out, const struct array_3d *description) {
  CU_CALL(out != NULL && description != NULL ? create(out, description) : WEIR_E_InvalidValue);
}

static int destroy(struct weir_gpu_array *a) {
  if (a == NULL || a->level_of != NULL) return WEIR_E_InvalidResourceHandle;
  return weir_gpu_array_free(a);
}

CUDA_API(cuArrayDestroy, const void *array) {
  CU_CALL(destroy(array_of(array)));
}

static int describe_2d(struct array_1d2d *d, const struct weir_gpu_array *a) {
  if (a == NULL) return WEIR_E_InvalidResourceHandle;
  if (d == NULL) return WEIR_E_InvalidValue;
  *d = (struct array_1d2d){a->width, a->height, format_of_array(a), channels_of(a)};
  return 0;
}

CUDA_API(cuArrayGetDescriptor_v2, struct array_1d2d *description, const void *array) {
  CU_CALL(describe_2d(description, array_of(array)));
}

static int describe(struct array_3d *d, const struct weir_gpu_array *a) {
  if (a == NULL) return WEIR_E_InvalidResourceHandle;
  if (d == NULL) return WEIR_E_InvalidValue;
  *d = (struct array_3d){a->width,           a->height,      a->depth,
                         format_of_array(a), channels_of(a), a->flags};
  return 0;
}

CUDA_API(cuArray3DGetDescriptor_v2, struct array_3d *description, const void *array) {
  CU_CALL(describe(description, array_of(array)));
}

CU_FORWARD(cuArrayGetMemoryRequirements, cudaArrayGetMemoryRequirements,
           (struct cuda_requirements * out, void *array, int device), (out, array, device));

/* ---- mipmaps ---- */

static int create_mipmap(void **out, const struct array_3d *d, unsigned levels) {
  struct weir_gpu_format f;
  struct weir_gpu_mipmap *m;
  if (out == NULL || d == NULL) return WEIR_E_InvalidValue;
  int error = cu_format_of(d->format, d->channels, &f);
  if (error == 0)
    error = weir_gpu_mipmap_new(&f, d->width, d->height, d->depth, levels, d->flags, &m);
  if (error == 0) *out = m;
  return error;
}

CUDA_API(cuMipmappedArrayCreate, void **out, const struct array_3d *description, unsigned levels) {
  CU_CALL(create_mipmap(out, description, levels));
}

CU_FORWARD(cuMipmappedArrayGetMemoryRequirements, cudaMipmappedArrayGetMemoryRequirements,
           (struct cuda_requirements * out, void *mipmap, int device), (out, mipmap, device));
CU_FORWARD(cuMipmappedArrayDestroy, cudaFreeMipmappedArray, (void *mipmap), (mipmap));
CU_FORWARD(cuMipmappedArrayGetLevel, cudaGetMipmappedArrayLevel,
           (void **out, const void *mipmap, unsigned level), (out, mipmap, level));
