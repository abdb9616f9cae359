/* Copies and fills, of memory and arrays. The asynchronous ones are done when they are submitted,
 * which is within what they promise, unless a kernel before them waits. */
#include "cuda/runtime/api.h"
#include "cuda/runtime/array.h"

static int submit_copy(struct weir_gpu_copy copy, void *stream) {
  return cudart_submit(stream, &(struct weir_gpu_op){.kind = WEIR_GPU_OP_COPY, .u.copy = copy});
}

/* ---- lines ---- */

static int copy_line(void *dst, const void *src, size_t bytes, int kind, void *stream) {
  return submit_copy(weir_gpu_copy_line(cudart_addr(dst), cudart_addr(src), bytes, kind), stream);
}

CUDA_API(cudaMemcpy, void *dst, const void *src, size_t bytes, int kind) {
  CUDA_CALL(weir_gpu_copied(copy_line(dst, src, bytes, kind, NULL)));
}
CUDA_ALIAS(cudaMemcpy, _ptds);

CUDA_API(cudaMemcpyAsync, void *dst, const void *src, size_t bytes, int kind, void *stream) {
  CUDA_CALL(copy_line(dst, src, bytes, kind, stream));
}
CUDA_ALIAS(cudaMemcpyAsync, _ptsz);

static int copy_peer(void *dst, int to, const void *src, int from, size_t bytes, void *stream) {
  if (to != 0 || from != 0) return WEIR_E_InvalidDevice;
  return copy_line(dst, src, bytes, WEIR_GPU_D2D, stream);
}

CUDA_API(cudaMemcpyPeer, void *dst, int to, const void *src, int from, size_t bytes) {
  CUDA_CALL(weir_gpu_copied(copy_peer(dst, to, src, from, bytes, NULL)));
}

CUDA_API(cudaMemcpyPeerAsync, void *dst, int to, const void *src, int from, size_t bytes,
         void *stream) {
  CUDA_CALL(copy_peer(dst, to, src, from, bytes, stream));
}

static int copy_batch(void *const *dst, const void *const *src, const size_t *bytes, size_t n,
                      void *stream) {
  int error = dst != NULL && src != NULL && bytes != NULL ? 0 : WEIR_E_InvalidValue;
  for (size_t i = 0; i < n && error == 0; i++)
    error = copy_line(dst[i], src[i], bytes[i], WEIR_GPU_ANY, stream);
  return error;
}

CUDA_API(cudaMemcpyBatchAsync, void *const *dst, const void *const *src, const size_t *bytes,
         size_t n, void *attributes, size_t *indices, size_t n_attributes, void *stream) {
  (void)attributes, (void)indices, (void)n_attributes; /* hints */
  CUDA_CALL(copy_batch(dst, src, bytes, n, stream));
}
CUDA_ALIAS(cudaMemcpyBatchAsync, _ptsz);

/* ---- symbols ---- */

static int copy_to_symbol(const void *symbol, const void *src, size_t bytes, size_t offset,
                          int kind, void *stream) {
  uint64_t addr;
  if (kind != WEIR_GPU_H2D && kind != WEIR_GPU_D2D && kind != WEIR_GPU_ANY)
    return WEIR_E_InvalidMemcpyDirection;
  int error = cudart_symbol(symbol, bytes, offset, &addr);
  return error != 0 ? error : copy_line(cudart_ptr(addr), src, bytes, kind, stream);
}

static int copy_from_symbol(void *dst, const void *symbol, size_t bytes, size_t offset, int kind,
                            void *stream) {
  uint64_t addr;
  if (kind != WEIR_GPU_D2H && kind != WEIR_GPU_D2D && kind != WEIR_GPU_ANY)
    return WEIR_E_InvalidMemcpyDirection;
  int error = cudart_symbol(symbol, bytes, offset, &addr);
  return error != 0 ? error : copy_line(dst, cudart_ptr(addr), bytes, kind, stream);
}

CUDA_API(cudaMemcpyToSymbol, const void *symbol, const void *src, size_t bytes, size_t offset,
         int kind) {
  CUDA_CALL(weir_gpu_copied(copy_to_symbol(symbol, src, bytes, offset, kind, NULL)));
}
CUDA_ALIAS(cudaMemcpyToSymbol, _ptds);

CUDA_API(cudaMemcpyToSymbolAsync, const void *symbol, const void *src, size_t bytes, size_t offset,
         int kind, void *stream) {
  CUDA_CALL(copy_to_symbol(symbol, src, bytes, offset, kind, stream));
}
CUDA_ALIAS(cudaMemcpyToSymbolAsync, _ptsz);

CUDA_API(cudaMemcpyFromSymbol, void *dst, const void *symbol, size_t bytes, size_t offset,
         int kind) {
  CUDA_CALL(weir_gpu_copied(copy_from_symbol(dst, symbol, bytes, offset, kind, NULL)));
}
CUDA_ALIAS(cudaMemcpyFromSymbol, _ptds);

CUDA_API(cudaMemcpyFromSymbolAsync, void *dst, const void *symbol, size_t bytes, size_t offset,
         int kind, void *stream) {
  CUDA_CALL(copy_from_symbol(dst, symbol, bytes, offset, kind, stream));
}
CUDA_ALIAS(cudaMemcpyFromSymbolAsync, _ptsz);

/* ---- rows ---- */

static struct weir_gpu_side rows_at(const void *ptr, size_t pitch) {
  return (struct weir_gpu_side){.ptr = cudart_addr(ptr), .pitch = pitch, .rows = 1};
}

static int copy_rows(struct weir_gpu_side dst, struct weir_gpu_side src, size_t width,
                     size_t height, int kind, void *stream) {
  return submit_copy(
      (struct weir_gpu_copy){
          .dst = dst, .src = src, .width = width, .height = height, .depth = 1, .kind = kind},
      stream);
}

CUDA_API(cudaMemcpy2D, void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
         size_t height, int kind) {
  CUDA_CALL(weir_gpu_copied(
      copy_rows(rows_at(dst, dst_pitch), rows_at(src, src_pitch), width, height, kind, NULL)));
}
CUDA_ALIAS(cudaMemcpy2D, _ptds);

CUDA_API(cudaMemcpy2DAsync, void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
         size_t width, size_t height, int kind, void *stream) {
  CUDA_CALL(
      copy_rows(rows_at(dst, dst_pitch), rows_at(src, src_pitch), width, height, kind, stream));
}
CUDA_ALIAS(cudaMemcpy2DAsync, _ptsz);

/* ---- arrays ---- */

static struct weir_gpu_side array_at(const void *array, size_t x_bytes, size_t y) {
  return (struct weir_gpu_side){
      .array = weir_gpu_handle(array, WEIR_GPU_ARRAY), .x = x_bytes, .y = y};
}

static int copy_array(struct weir_gpu_side dst, struct weir_gpu_side src, bool to, bool from,
                      size_t width, size_t height, int kind, void *stream) {
  if ((to && dst.array == NULL) || (from && src.array == NULL)) return WEIR_E_InvalidResourceHandle;
  return copy_rows(dst, src, width, height, kind, stream);
}

CUDA_API(cudaMemcpy2DToArray, void *dst, size_t x, size_t y, const void *src, size_t pitch,
         size_t width, size_t height, int kind) {
  CUDA_CALL(weir_gpu_copied(copy_array(array_at(dst, x, y), rows_at(src, pitch), true, false, width,
                                       height, kind, NULL)));
}
CUDA_ALIAS(cudaMemcpy2DToArray, _ptds);

CUDA_API(cudaMemcpy2DToArrayAsync, void *dst, size_t x, size_t y, const void *src, size_t pitch,
         size_t width, size_t height, int kind, void *stream) {
  CUDA_CALL(copy_array(array_at(dst, x, y), rows_at(src, pitch), true, false, width, height, kind,
                       stream));
}
CUDA_ALIAS(cudaMemcpy2DToArrayAsync, _ptsz);

CUDA_API(cudaMemcpy2DFromArray, void *dst, size_t pitch, const void *src, size_t x, size_t y,
         size_t width, size_t height, int kind) {
  CUDA_CALL(weir_gpu_copied(copy_array(rows_at(dst, pitch), array_at(src, x, y), false, true, width,
                                       height, kind, NULL)));
}
CUDA_ALIAS(cudaMemcpy2DFromArray, _ptds);

CUDA_API(cudaMemcpy2DFromArrayAsync, void *dst, size_t pitch, const void *src, size_t x, size_t y,
         size_t width, size_t height, int kind, void *stream) {
  CUDA_CALL(copy_array(rows_at(dst, pitch), array_at(src, x, y), false, true, width, height, kind,
                       stream));
}
CUDA_ALIAS(cudaMemcpy2DFromArrayAsync, _ptsz);

CUDA_API(cudaMemcpy2DArrayToArray, void *dst, size_t x, size_t y, const void *src, size_t src_x,
         size_t src_y, size_t width, size_t height, int kind) {
  CUDA_CALL(weir_gpu_copied(copy_array(array_at(dst, x, y), array_at(src, src_x, src_y), true, true,
                                       width, height, kind, NULL)));
}
CUDA_ALIAS(cudaMemcpy2DArrayToArray, _ptds);

/* `bytes` of consecutive rows, the first of which starts at x: first its rest, then whole rows,
 * then what is left. */
static int copy_linear(struct weir_gpu_side *array, struct weir_gpu_side *memory, bool to_array,
                       size_t bytes, int kind, void *stream) {
  if (array->array == NULL) return WEIR_E_InvalidResourceHandle;
  uint64_t row = array->array->width * array->array->elem_bytes;
  int error = array->x < row ? 0 : WEIR_E_InvalidValue;
  while (bytes > 0 && error == 0) {
    uint64_t width = row - array->x < bytes ? row - array->x : bytes;
    error = to_array ? copy_rows(*array, *memory, width, 1, kind, stream)
                     : copy_rows(*memory, *array, width, 1, kind, stream);
    memory->ptr += width;
    array->x = 0;
    array->y++;
    bytes -= width;
  }
  return error;
}

static int copy_to_array(void *dst, size_t x, size_t y, const void *src, size_t bytes, int kind,
                         void *stream) {
  struct weir_gpu_side array = array_at(dst, x, y), memory = rows_at(src, 0);
  return copy_linear(&array, &memory, true, bytes, kind, stream);
}

static int copy_from_array(void *dst, const void *src, size_t x, size_t y, size_t bytes, int kind,
                           void *stream) {
  struct weir_gpu_side array = array_at(src, x, y), memory = rows_at(dst, 0);
  return copy_linear(&array, &memory, false, bytes, kind, stream);
}

CUDA_API(cudaMemcpyToArray, void *dst, size_t x, size_t y, const void *src, size_t bytes,
         int kind) {
  CUDA_CALL(weir_gpu_copied(copy_to_array(dst, x, y, src, bytes, kind, NULL)));
}
CUDA_ALIAS(cudaMemcpyToArray, _ptds);

CUDA_API(cudaMemcpyToArrayAsync, void *dst, size_t x, size_t y, const void *src, size_t bytes,
         int kind, void *stream) {
  CUDA_CALL(copy_to_array(dst, x, y, src, bytes, kind, stream));
}
CUDA_ALIAS(cudaMemcpyToArrayAsync, _ptsz);

CUDA_API(cudaMemcpyFromArray, void *dst, const void *src, size_t x, size_t y, size_t bytes,
         int kind) {
  CUDA_CALL(weir_gpu_copied(copy_from_array(dst, src, x, y, bytes, kind, NULL)));
}
CUDA_ALIAS(cudaMemcpyFromArray, _ptds);

CUDA_API(cudaMemcpyFromArrayAsync, void *dst, const void *src, size_t x, size_t y, size_t bytes,
         int kind, void *stream) {
  CUDA_CALL(copy_from_array(dst, src, x, y, bytes, kind, stream));
}
CUDA_ALIAS(cudaMemcpyFromArrayAsync, _ptsz);

/* Row by row of what both arrays have left of theirs. */
static int copy_between(void *dst, size_t x, size_t y, const void *src, size_t src_x, size_t src_y,
                        size_t bytes, int kind) {
  struct weir_gpu_side to = array_at(dst, x, y), from = array_at(src, src_x, src_y);
  if (to.array == NULL || from.array == NULL) return WEIR_E_InvalidResourceHandle;
  uint64_t to_row = to.array->width * to.array->elem_bytes,
           from_row = from.array->width * from.array->elem_bytes;
  int error = to.x < to_row && from.x < from_row ? 0 : WEIR_E_InvalidValue;
  while (bytes > 0 && error == 0) {
    uint64_t width = to_row - to.x < from_row - from.x ? to_row - to.x : from_row - from.x;
    if (width > bytes) width = bytes;
    error = copy_rows(to, from, width, 1, kind, NULL);
    bytes -= width;
    to.x += width;
    from.x += width;
    if (to.x == to_row) to.x = 0, to.y++;
    if (from.x == from_row) from.x = 0, from.y++;
  }
  return error;
}

CUDA_API(cudaMemcpyArrayToArray, void *dst, size_t x, size_t y, const void *src, size_t src_x,
         size_t src_y, size_t bytes, int kind) {
  CUDA_CALL(weir_gpu_copied(copy_between(dst, x, y, src, src_x, src_y, bytes, kind)));
}
CUDA_ALIAS(cudaMemcpyArrayToArray, _ptds);

/* ---- boxes ---- */

static int side_of(struct weir_gpu_side *s, void *array, struct cuda_pos pos,
                   struct cuda_pitched memory, size_t elem) {
  *s = (struct weir_gpu_side){.ptr = cudart_addr(memory.ptr),
                              .pitch = memory.pitch,
                              .rows = memory.ysize,
                              .x = pos.x,
                              .y = pos.y,
                              .z = pos.z};
  if ((array != NULL) == (memory.ptr != NULL)) return WEIR_E_InvalidValue;
  if (array == NULL) return 0;
  s->array = weir_gpu_handle(array, WEIR_GPU_ARRAY);
  s->x = pos.x * elem;
  return s->array != NULL ? 0 : WEIR_E_InvalidResourceHandle;
}

int cudart_copy3d(const struct cuda_copy3d *from, struct weir_gpu_copy *to) {
  const struct weir_gpu_array *a = weir_gpu_handle(from->src_array, WEIR_GPU_ARRAY),
                              *b = weir_gpu_handle(from->dst_array, WEIR_GPU_ARRAY);
  size_t elem = a != NULL ? a->elem_bytes : b != NULL ? b->elem_bytes : 1;
  if (a != NULL && b != NULL && a->elem_bytes != b->elem_bytes) return WEIR_E_InvalidValue;
  *to = (struct weir_gpu_copy){.width = from->extent.width * elem,
                               .height = from->extent.height,
                               .depth = from->extent.depth,
                               .kind = from->kind};
  int error = side_of(&to->src, from->src_array, from->src_pos, from->src, elem);
  return error != 0 ? error : side_of(&to->dst, from->dst_array, from->dst_pos, from->dst, elem);
}

static int copy_3d(const struct cuda_copy3d *p, void *stream) {
  struct weir_gpu_copy c;
  if (p == NULL) return WEIR_E_InvalidValue;
  int error = cudart_copy3d(p, &c);
  return error != 0 ? error : submit_copy(c, stream);
}

CUDA_API(cudaMemcpy3D, const struct cuda_copy3d *p) {
  CUDA_CALL(weir_gpu_copied(copy_3d(p, NULL)));
}
CUDA_ALIAS(cudaMemcpy3D, _ptds);

CUDA_API(cudaMemcpy3DAsync, const struct cuda_copy3d *p, void *stream) {
  CUDA_CALL(copy_3d(p, stream));
}
CUDA_ALIAS(cudaMemcpy3DAsync, _ptsz);

static int copy_3d_peer(const struct cuda_copy3d_peer *p, void *stream) {
  if (p == NULL) return WEIR_E_InvalidValue;
  if (p->src_device != 0 || p->dst_device != 0) return WEIR_E_InvalidDevice;
  struct cuda_copy3d plain = {.src_array = p->src_array,
                              .src_pos = p->src_pos,
                              .src = p->src,
                              .dst_array = p->dst_array,
                              .dst_pos = p->dst_pos,
                              .dst = p->dst,
                              .extent = p->extent,
                              .kind = WEIR_GPU_ANY};
  return copy_3d(&plain, stream);
}

CUDA_API(cudaMemcpy3DPeer, const struct cuda_copy3d_peer *p) {
  CUDA_CALL(weir_gpu_copied(copy_3d_peer(p, NULL)));
}
CUDA_ALIAS(cudaMemcpy3DPeer, _ptds);

CUDA_API(cudaMemcpy3DPeerAsync, const struct cuda_copy3d_peer *p, void *stream) {
  CUDA_CALL(copy_3d_peer(p, stream));
}
CUDA_ALIAS(cudaMemcpy3DPeerAsync, _ptsz);

/* ---- fills ---- */

static int fill(struct weir_gpu_set set, void *stream) {
  return cudart_submit(stream, &(struct weir_gpu_op){.kind = WEIR_GPU_OP_SET, .u.set = set});
}

static struct weir_gpu_set bytes_at(struct cuda_pitched at, int value, struct cuda_extent n) {
  return (struct weir_gpu_set){.ptr = cudart_addr(at.ptr),
                               .pitch = at.pitch,
                               .rows = at.ysize,
                               .value = (uint8_t)value,
                               .elem_bytes = 1,
                               .width = n.width,
                               .height = n.height,
                               .depth = n.depth};
}

static struct weir_gpu_set rows_of(void *ptr, size_t pitch, int value, size_t width,
                                   size_t height) {
  return bytes_at((struct cuda_pitched){.ptr = ptr, .pitch = pitch, .ysize = height}, value,
                  (struct cuda_extent){width, height, 1});
}

CUDA_API(cudaMemset, void *ptr, int value, size_t bytes) {
  CUDA_CALL(fill(rows_of(ptr, bytes, value, bytes, 1), NULL));
}
CUDA_ALIAS(cudaMemset, _ptds);

CUDA_API(cudaMemsetAsync, void *ptr, int value, size_t bytes, void *stream) {
  CUDA_CALL(fill(rows_of(ptr, bytes, value, bytes, 1), stream));
}
CUDA_ALIAS(cudaMemsetAsync, _ptsz);

CUDA_API(cudaMemset2D, void *ptr, size_t pitch, int value, size_t width, size_t height) {
  CUDA_CALL(fill(rows_of(ptr, pitch, value, width, height), NULL));
}
CUDA_ALIAS(cudaMemset2D, _ptds);

CUDA_API(cudaMemset2DAsync, void *ptr, size_t pitch, int value, size_t width, size_t height,
         void *stream) {
  CUDA_CALL(fill(rows_of(ptr, pitch, value, width, height), stream));
}
CUDA_ALIAS(cudaMemset2DAsync, _ptsz);

CUDA_API(cudaMemset3D, struct cuda_pitched at, int value, struct cuda_extent extent) {
  CUDA_CALL(fill(bytes_at(at, value, extent), NULL));
}
CUDA_ALIAS(cudaMemset3D, _ptds);

CUDA_API(cudaMemset3DAsync, struct cuda_pitched at, int value, struct cuda_extent extent,
         void *stream) {
  CUDA_CALL(fill(bytes_at(at, value, extent), stream));
}
CUDA_ALIAS(cudaMemset3DAsync, _ptsz);
