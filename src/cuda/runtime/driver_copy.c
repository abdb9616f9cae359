/* Copies and fills. The asynchronous ones are done when they are submitted, which is within what
 * they promise, unless a kernel before them waits. */
#include "cuda/runtime/array.h"
#include "cuda/runtime/driver.h"

static int submit_copy(struct weir_gpu_copy copy, const void *stream) {
  return cudart_submit(stream, &(struct weir_gpu_op){.kind = WEIR_GPU_OP_COPY, .u.copy = copy});
}

/* ---- lines ---- */

static int copy_line(uint64_t dst, uint64_t src, size_t bytes, int kind, const void *stream) {
  return submit_copy(weir_gpu_copy_line(dst, src, bytes, kind), stream);
}

CUDA_API(cuMemcpy, uint64_t dst, uint64_t src, size_t bytes) {
  CU_CALL(weir_gpu_copied(copy_line(dst, src, bytes, WEIR_GPU_ANY, NULL)));
}
CUDA_ALIAS(cuMemcpy, _ptds);

CUDA_API(cuMemcpyAsync, uint64_t dst, uint64_t src, size_t bytes, const void *stream) {
  CU_CALL(copy_line(dst, src, bytes, WEIR_GPU_ANY, stream));
}
CUDA_ALIAS(cuMemcpyAsync, _ptsz);

CUDA_API(cuMemcpyHtoD_v2, uint64_t dst, const void *src, size_t bytes) {
  CU_CALL(weir_gpu_copied(copy_line(dst, cudart_addr(src), bytes, WEIR_GPU_H2D, NULL)));
}
CUDA_ALIAS(cuMemcpyHtoD_v2, _ptds);

CUDA_API(cuMemcpyHtoDAsync_v2, uint64_t dst, const void *src, size_t bytes, const void *stream) {
  CU_CALL(copy_line(dst, cudart_addr(src), bytes, WEIR_GPU_H2D, stream));
}
CUDA_ALIAS(cuMemcpyHtoDAsync_v2, _ptsz);

CUDA_API(cuMemcpyDtoH_v2, void *dst, uint64_t src, size_t bytes) {
  CU_CALL(weir_gpu_copied(copy_line(cudart_addr(dst), src, bytes, WEIR_GPU_D2H, NULL)));
}
CUDA_ALIAS(cuMemcpyDtoH_v2, _ptds);

CUDA_API(cuMemcpyDtoHAsync_v2, void *dst, uint64_t src, size_t bytes, const void *stream) {
  CU_CALL(copy_line(cudart_addr(dst), src, bytes, WEIR_GPU_D2H, stream));
}
CUDA_ALIAS(cuMemcpyDtoHAsync_v2, _ptsz);

CUDA_API(cuMemcpyDtoD_v2, uint64_t dst, uint64_t src, size_t bytes) {
  CU_CALL(weir_gpu_copied(copy_line(dst, src, bytes, WEIR_GPU_D2D, NULL)));
}
CUDA_ALIAS(cuMemcpyDtoD_v2, _ptds);

CUDA_API(cuMemcpyDtoDAsync_v2, uint64_t dst, uint64_t src, size_t bytes, const void *stream) {
  CU_CALL(copy_line(dst, src, bytes, WEIR_GPU_D2D, stream));
}
CUDA_ALIAS(cuMemcpyDtoDAsync_v2, _ptsz);

/* Contexts of one device share its memory. */
static int copy_peer(uint64_t dst, const void *to, uint64_t src, const void *from, size_t bytes,
                     const void *stream) {
  if (cu_context_of(to) == NULL || cu_context_of(from) == NULL) return WEIR_E_DeviceUninitialized;
  return copy_line(dst, src, bytes, WEIR_GPU_D2D, stream);
}

CUDA_API(cuMemcpyPeer, uint64_t dst, const void *to, uint64_t src, const void *from, size_t bytes) {
  CU_CALL(weir_gpu_copied(copy_peer(dst, to, src, from, bytes, NULL)));
}
CUDA_ALIAS(cuMemcpyPeer, _ptds);

CUDA_API(cuMemcpyPeerAsync, uint64_t dst, const void *to, uint64_t src, const void *from,
         size_t bytes, const void *stream) {
  CU_CALL(copy_peer(dst, to, src, from, bytes, stream));
}
CUDA_ALIAS(cuMemcpyPeerAsync, _ptsz);

static int copy_batch(const uint64_t *dst, const uint64_t *src, const size_t *bytes, size_t n,
                      size_t *failed, const void *stream) {
  if (dst == NULL || src == NULL || bytes == NULL) return WEIR_E_InvalidValue;
  for (size_t i = 0; i < n; i++) {
    int error = copy_line(dst[i], src[i], bytes[i], WEIR_GPU_ANY, stream);
    if (error == 0) continue;
    if (failed != NULL) *failed = i;
    return error;
  }
  return 0;
}

CUDA_API(cuMemcpyBatchAsync, const uint64_t *dst, const uint64_t *src, const size_t *bytes,
         size_t n, const void *attributes, const size_t *indices, size_t n_attributes,
         size_t *failed, const void *stream) {
  (void)attributes, (void)indices, (void)n_attributes; /* hints */
  CU_CALL(copy_batch(dst, src, bytes, n, failed, stream));
}
CUDA_ALIAS(cuMemcpyBatchAsync, _ptsz);

CUDA_API(cuMemcpyBatchAsync_v2, const uint64_t *dst, const uint64_t *src, const size_t *bytes,
         size_t n, const void *attributes, const size_t *indices, size_t n_attributes,
         const void *stream) {
  (void)attributes, (void)indices, (void)n_attributes; /* hints */
  CU_CALL(copy_batch(dst, src, bytes, n, NULL, stream));
}
CUDA_ALIAS(cuMemcpyBatchAsync_v2, _ptsz);

/* ---- rectangles and boxes ---- */

struct side_2d {
  size_t x, y;
  int type;
  const void *host;
  uint64_t device;
  const void *array;
  size_t pitch;
};
struct copy_2d {
  struct side_2d src, dst;
  size_t width, height;
};

/* A pitch or height of 0 means that rows or slices follow each other. */
static int side_of(const struct cu_side *s, const struct cu_copy *c, struct weir_gpu_side *out) {
  *out = (struct weir_gpu_side){.pitch = s->pitch != 0 ? s->pitch : s->x + c->width,
                                .rows = s->height != 0 ? s->height : s->y + c->height,
                                .x = s->x,
                                .y = s->y,
                                .z = s->z};
  switch (s->type) {
  case CU_HOST:
    out->ptr = cudart_addr(s->host);
    return 0;
  case CU_DEVICE:
  case CU_UNIFIED:
    out->ptr = s->device;
    return 0;
  case CU_ARRAY:
    out->array = weir_gpu_handle(s->array, WEIR_GPU_ARRAY);
    return out->array != NULL ? 0 : WEIR_E_InvalidResourceHandle;
  default:
    return WEIR_E_InvalidValue;
  }
}

static int kind_of(int src, int dst) {
  if (src == CU_UNIFIED || dst == CU_UNIFIED) return WEIR_GPU_ANY;
  if (src == CU_HOST) return dst == CU_HOST ? WEIR_GPU_H2H : WEIR_GPU_H2D;
  return dst == CU_HOST ? WEIR_GPU_D2H : WEIR_GPU_D2D;
}

int cu_copy_of(const struct cu_copy *c, struct weir_gpu_copy *out) {
  *out = (struct weir_gpu_copy){.width = c->width, .height = c->height, .depth = c->depth};
  out->kind = kind_of(c->src.type, c->dst.type);
  int error = side_of(&c->src, c, &out->src);
  return error != 0 ? error : side_of(&c->dst, c, &out->dst);
}

static int copy_3d(const struct cu_copy *c, const void *stream) {
  struct weir_gpu_copy copy;
  int error = cu_copy_of(c, &copy);
  return error != 0 ? error : submit_copy(copy, stream);
}

static struct cu_side in_3d(const struct side_2d *s) {
  return (struct cu_side){.x = s->x,
                          .y = s->y,
                          .type = s->type,
                          .host = s->host,
                          .device = s->device,
                          .array = s->array,
                          .pitch = s->pitch};
}

static int copy_2d(const struct copy_2d *c, const void *stream) {
  return copy_3d(&(struct cu_copy){in_3d(&c->src), in_3d(&c->dst), c->width, c->height, 1}, stream);
}

CUDA_API(cuMemcpy2D_v2, const struct copy_2d *copy) {
  CU_CALL(copy != NULL ? copy_2d(copy, NULL) : WEIR_E_InvalidValue);
}
CUDA_ALIAS(cuMemcpy2D_v2, _ptds);
CUDA_OLD_NAME(cuMemcpy2DUnaligned_v2, cuMemcpy2D_v2);
CUDA_OLD_NAME(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2D_v2);

CUDA_API(cuMemcpy2DAsync_v2, const struct copy_2d *copy, const void *stream) {
  CU_CALL(copy != NULL ? copy_2d(copy, stream) : WEIR_E_InvalidValue);
}
CUDA_ALIAS(cuMemcpy2DAsync_v2, _ptsz);

CUDA_API(cuMemcpy3D_v2, const struct cu_copy *copy) {
  CU_CALL(copy != NULL ? copy_3d(copy, NULL) : WEIR_E_InvalidValue);
}
CUDA_ALIAS(cuMemcpy3D_v2, _ptds);
CUDA_OLD_NAME(cuMemcpy3DPeer, cuMemcpy3D_v2);
CUDA_OLD_NAME(cuMemcpy3DPeer_ptds, cuMemcpy3D_v2);

CUDA_API(cuMemcpy3DAsync_v2, const struct cu_copy *copy, const void *stream) {
  CU_CALL(copy != NULL ? copy_3d(copy, stream) : WEIR_E_InvalidValue);
}
CUDA_ALIAS(cuMemcpy3DAsync_v2, _ptsz);
CUDA_OLD_NAME(cuMemcpy3DPeerAsync, cuMemcpy3DAsync_v2);
CUDA_OLD_NAME(cuMemcpy3DPeerAsync_ptsz, cuMemcpy3DAsync_v2);

/* ---- one-dimensional arrays ---- */

static struct cu_side in_array(const void *array, size_t offset) {
  return (struct cu_side){.type = CU_ARRAY, .array = array, .x = offset};
}

static struct cu_side in_device(uint64_t ptr) {
  return (struct cu_side){.type = CU_DEVICE, .device = ptr};
}

static struct cu_side in_host(const void *ptr) {
  return (struct cu_side){.type = CU_HOST, .host = ptr};
}

static int copy_row(struct cu_side dst, struct cu_side src, size_t bytes, const void *stream) {
  return copy_3d(&(struct cu_copy){src, dst, bytes, 1, 1}, stream);
}

CUDA_API(cuMemcpyDtoA_v2, const void *dst, size_t offset, uint64_t src, size_t bytes) {
  CU_CALL(weir_gpu_copied(copy_row(in_array(dst, offset), in_device(src), bytes, NULL)));
}
CUDA_ALIAS(cuMemcpyDtoA_v2, _ptds);

CUDA_API(cuMemcpyAtoD_v2, uint64_t dst, const void *src, size_t offset, size_t bytes) {
  CU_CALL(weir_gpu_copied(copy_row(in_device(dst), in_array(src, offset), bytes, NULL)));
}
CUDA_ALIAS(cuMemcpyAtoD_v2, _ptds);

CUDA_API(cuMemcpyHtoA_v2, const void *dst, size_t offset, const void *src, size_t bytes) {
  CU_CALL(weir_gpu_copied(copy_row(in_array(dst, offset), in_host(src), bytes, NULL)));
}
CUDA_ALIAS(cuMemcpyHtoA_v2, _ptds);

CUDA_API(cuMemcpyHtoAAsync_v2, const void *dst, size_t offset, const void *src, size_t bytes,
         const void *stream) {
  CU_CALL(copy_row(in_array(dst, offset), in_host(src), bytes, stream));
}
CUDA_ALIAS(cuMemcpyHtoAAsync_v2, _ptsz);

CUDA_API(cuMemcpyAtoH_v2, void *dst, const void *src, size_t offset, size_t bytes) {
  CU_CALL(weir_gpu_copied(copy_row(in_host(dst), in_array(src, offset), bytes, NULL)));
}
CUDA_ALIAS(cuMemcpyAtoH_v2, _ptds);

CUDA_API(cuMemcpyAtoHAsync_v2, void *dst, const void *src, size_t offset, size_t bytes,
         const void *stream) {
  CU_CALL(copy_row(in_host(dst), in_array(src, offset), bytes, stream));
}
CUDA_ALIAS(cuMemcpyAtoHAsync_v2, _ptsz);

CUDA_API(cuMemcpyAtoA_v2, const void *dst, size_t dst_offset, const void *src, size_t src_offset,
         size_t bytes) {
  CU_CALL(
      weir_gpu_copied(copy_row(in_array(dst, dst_offset), in_array(src, src_offset), bytes, NULL)));
}
CUDA_ALIAS(cuMemcpyAtoA_v2, _ptds);

/* ---- fills ---- */

static int fill(uint64_t dst, size_t pitch, unsigned value, unsigned elem, size_t width,
                size_t height, const void *stream) {
  const struct weir_gpu_op op = {.kind = WEIR_GPU_OP_SET,
                                 .u.set = {.ptr = dst,
                                           .pitch = pitch,
                                           .rows = height,
                                           .value = value,
                                           .elem_bytes = elem,
                                           .width = width,
                                           .height = height,
                                           .depth = 1}};
  return cudart_submit(stream, &op);
}

/* The four functions for elements of one size. */
#define FILLS(bits, type)                                                                          \
  CUDA_API(cuMemsetD##bits##_v2, uint64_t dst, type value, size_t n) {                             \
    CU_CALL(fill(dst, 0, value, sizeof value, n, 1, NULL));                                        \
  }                                                                                                \
  CUDA_ALIAS(cuMemsetD##bits##_v2, _ptds);                                                         \
  CUDA_API(cuMemsetD##bits##Async, uint64_t dst, type value, size_t n, const void *stream) {       \
    CU_CALL(fill(dst, 0, value, sizeof value, n, 1, stream));                                      \
  }                                                                                                \
  CUDA_ALIAS(cuMemsetD##bits##Async, _ptsz);                                                       \
  CUDA_API(cuMemsetD2D##bits##_v2, uint64_t dst, size_t pitch, type value, size_t width,           \
           size_t height) {                                                                        \
    CU_CALL(fill(dst, pitch, value, sizeof value, width, height, NULL));                           \
  }                                                                                                \
  CUDA_ALIAS(cuMemsetD2D##bits##_v2, _ptds);                                                       \
  CUDA_API(cuMemsetD2D##bits##Async, uint64_t dst, size_t pitch, type value, size_t width,         \
           size_t height, const void *stream) {                                                    \
    CU_CALL(fill(dst, pitch, value, sizeof value, width, height, stream));                         \
  }                                                                                                \
  CUDA_ALIAS(cuMemsetD2D##bits##Async, _ptsz)

FILLS(8, unsigned char);
FILLS(16, unsigned short);
FILLS(32, unsigned);
