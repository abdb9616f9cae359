/* Memory pools and allocation in the order of streams, and hints about managed memory. */
#include "cuda/runtime/api.h"

/* ---- pools ---- */

struct weir_gpu_pool {
  struct weir_gpu_handle handle;
  uint64_t attributes[9]; /* by cudaMemPoolAttr, 1 to 8 */
};
enum { RELEASE_THRESHOLD = 4, RESERVED_NOW, RESERVED_HIGH, USED_NOW, USED_HIGH };

static struct weir_gpu_pool *default_pool(void) {
  static struct weir_gpu_pool *pool;
  if (pool == NULL) {
    pool = weir_gpu_new(WEIR_GPU_POOL, sizeof *pool);
    for (int i = 1; pool != NULL && i < RELEASE_THRESHOLD; i++)
      pool->attributes[i] = 1;
  }
  return pool;
}
static struct weir_gpu_pool *current_pool;

static struct weir_gpu_pool *pool_of(const void *p) {
  return weir_gpu_handle(p, WEIR_GPU_POOL);
}

static void count(struct weir_gpu_pool *p, uint64_t more, uint64_t less) {
  for (int now = RESERVED_NOW; now <= USED_NOW; now += USED_NOW - RESERVED_NOW) {
    p->attributes[now] += more - less;
    if (p->attributes[now] > p->attributes[now + 1]) p->attributes[now + 1] = p->attributes[now];
  }
}

static int pool_alloc(void **out, size_t bytes, struct weir_gpu_pool *pool, void *stream) {
  struct weir_gpu_stream *s = weir_gpu_stream_of(stream);
  uint64_t addr;
  if (out == NULL || pool == NULL) return WEIR_E_InvalidValue;
  if (s == NULL) return WEIR_E_InvalidResourceHandle;
  bool is_captured = s->capture != NULL;
  int error = weir_gpu_alloc(WEIR_GPU_DEVICE, bytes,
                             is_captured ? WEIR_GPU_OF_GRAPH : WEIR_GPU_OF_POOL, &addr);
  if (error != 0) return error;
  *out = cudart_ptr(addr);
  struct weir_gpu_block *b = weir_gpu_block_of(addr);
  if (b != NULL && !is_captured) { /* a graph's memory is of no pool */
    b->pool = pool;
    count(pool, bytes, 0);
  }
  return weir_gpu_submit(s, &(struct weir_gpu_op){.kind = WEIR_GPU_OP_ALLOC,
                                                  .u.memory = {.addr = addr, .bytes = bytes}});
}

CUDA_API(cudaMallocAsync, void **out, size_t bytes, void *stream) {
  CUDA_CALL(pool_alloc(out, bytes, current_pool != NULL ? current_pool : default_pool(), stream));
}
CUDA_ALIAS(cudaMallocAsync, _ptsz);

CUDA_API(cudaMallocFromPoolAsync, void **out, size_t bytes, void *pool, void *stream) {
  CUDA_CALL(pool_alloc(out, bytes, pool_of(pool), stream));
}
CUDA_ALIAS(cudaMallocFromPoolAsync, _ptsz);

static int pool_free(void *ptr, void *stream) {
  struct weir_gpu_block *b = weir_gpu_block_of(cudart_addr(ptr));
  struct weir_gpu_stream *s = weir_gpu_stream_of(stream);
  if (s == NULL) return WEIR_E_InvalidResourceHandle;
  if (b == NULL || b->base != cudart_addr(ptr)) return WEIR_E_InvalidValue;
  if (b->pool != NULL && s->capture == NULL) count(b->pool, 0, b->bytes);
  return weir_gpu_submit(
      s, &(struct weir_gpu_op){.kind = WEIR_GPU_OP_FREE, .u.memory = {.addr = cudart_addr(ptr)}});
}

CUDA_API(cudaFreeAsync, void *ptr, void *stream) {
  CUDA_CALL(pool_free(ptr, stream));
}
CUDA_ALIAS(cudaFreeAsync, _ptsz);

static int put_pool(void **out, struct weir_gpu_pool *pool, int device) {
  if (out == NULL) return WEIR_E_InvalidValue;
  if (device != 0) return WEIR_E_InvalidDevice;
  *out = pool;
  return pool != NULL ? 0 : WEIR_E_MemoryAllocation;
}

CUDA_API(cudaDeviceGetDefaultMemPool, void **out, int device) {
  CUDA_PLAIN(put_pool(out, default_pool(), device));
}

CUDA_API(cudaDeviceGetMemPool, void **out, int device) {
  CUDA_CALL(put_pool(out, current_pool != NULL ? current_pool : default_pool(), device));
}

static int use_pool(int device, void *pool) {
  if (device != 0) return WEIR_E_InvalidDevice;
  if (pool_of(pool) == NULL) return WEIR_E_InvalidValue;
  current_pool = pool_of(pool);
  return 0;
}

CUDA_API(cudaDeviceSetMemPool, int device, void *pool) {
  CUDA_CALL(use_pool(device, pool));
}

CUDA_API(cudaMemPoolCreate, void **out, const struct cuda_pool_props *props) {
  CUDA_CALL(props != NULL
                ? put_pool(out, weir_gpu_new(WEIR_GPU_POOL, sizeof(struct weir_gpu_pool)), 0)
                : WEIR_E_InvalidValue);
}

static int free_pool(struct weir_gpu_pool *pool) {
  if (pool == NULL || pool == default_pool()) return WEIR_E_InvalidValue;
  for (size_t i = 0; i < weir_gpu.blocks.cap; i++) {
    struct weir_gpu_block *b = weir_gpu.blocks.slots[i].value;
    if (b != NULL && b->pool == pool) b->pool = NULL;
  }
  if (current_pool == pool) current_pool = NULL;
  weir_gpu_drop(pool);
  return 0;
}

CUDA_API(cudaMemPoolDestroy, void *pool) {
  CUDA_CALL(free_pool(pool_of(pool)));
}

CUDA_API(cudaMemPoolTrimTo, void *pool, size_t keep) {
  (void)keep; /* nothing is kept that is not used */
  CUDA_CALL(pool_of(pool) != NULL ? 0 : WEIR_E_InvalidValue);
}

/* The first three are int, the others 64 bits. */
static int pool_attribute(struct weir_gpu_pool *pool, int attribute, void *value, bool is_set) {
  if (pool == NULL || value == NULL || attribute < 1 || attribute > USED_HIGH)
    return WEIR_E_InvalidValue;
  uint64_t *place = &pool->attributes[attribute];
  bool is_int = attribute < RELEASE_THRESHOLD;
  if (!is_set && is_int) *(int *)value = (int)*place;
  if (!is_set && !is_int) *(uint64_t *)value = *place;
  if (is_set && is_int) *place = (uint64_t) * (int *)value;
  if (is_set && attribute == RELEASE_THRESHOLD) *place = *(uint64_t *)value;
  /* A high-water mark can only be set to 0: it starts again from what is used. */
  if (is_set && attribute > RELEASE_THRESHOLD) *place = pool->attributes[attribute - 1];
  return 0;
}

CUDA_API(cudaMemPoolSetAttribute, void *pool, int attribute, void *value) {
  CUDA_CALL(pool_attribute(pool_of(pool), attribute, value, true));
}

CUDA_API(cudaMemPoolGetAttribute, void *pool, int attribute, void *value) {
  CUDA_CALL(pool_attribute(pool_of(pool), attribute, value, false));
}

CUDA_API(cudaMemPoolSetAccess, void *pool, const struct cuda_access_desc *list, size_t n) {
  CUDA_CALL(pool_of(pool) != NULL && (list != NULL || n == 0) ? 0 : WEIR_E_InvalidValue);
}

CUDA_API(cudaMemPoolGetAccess, int *flags, void *pool, struct cuda_location *location) {
  enum { READ_WRITE = 3 };
  CUDA_CALL(pool_of(pool) != NULL && flags != NULL && location != NULL ? (*flags = READ_WRITE, 0)
                                                                       : WEIR_E_InvalidValue);
}

/* Pools of a place: only the device has some. */
static int check_place(const struct cuda_location *location, int type) {
  enum { PINNED = 1, DEVICE = 1 };
  if (location == NULL || type != PINNED) return WEIR_E_InvalidValue;
  return location->type == DEVICE ? 0 : WEIR_E_NotSupported;
}

CUDA_API(cudaMemGetDefaultMemPool, void **out, struct cuda_location *location, int type) {
  CUDA_CALL(check_place(location, type) != 0 ? check_place(location, type)
                                             : put_pool(out, default_pool(), location->id));
}

CUDA_API(cudaMemGetMemPool, void **out, struct cuda_location *location, int type) {
  struct weir_gpu_pool *pool;
  CUDA_CALL(pool = current_pool != NULL ? current_pool : default_pool(),
            check_place(location, type) != 0 ? check_place(location, type)
                                             : put_pool(out, pool, location->id));
}

CUDA_API(cudaMemSetMemPool, struct cuda_location *location, int type, void *pool) {
  CUDA_CALL(check_place(location, type) != 0 ? check_place(location, type)
                                             : use_pool(location->id, pool));
}

/* Memory of graphs: what is reserved is used. */
static int graph_memory(int device, int attribute, uint64_t *value) {
  if (device != 0) return WEIR_E_InvalidDevice;
  if (value == NULL || attribute < 0 || attribute > 3) return WEIR_E_InvalidValue;
  *value = 0;
  for (size_t i = 0; i < weir_gpu.blocks.cap; i++) {
    const struct weir_gpu_block *b = weir_gpu.blocks.slots[i].value;
    if (b != NULL && (b->flags & WEIR_GPU_OF_GRAPH) != 0) *value += b->bytes;
  }
  return 0;
}

CUDA_API(cudaDeviceGetGraphMemAttribute, int device, int attribute, void *value) {
  CUDA_CALL(graph_memory(device, attribute, value));
}

CUDA_API(cudaDeviceSetGraphMemAttribute, int device, int attribute, void *value) {
  (void)attribute; /* high-water marks, which are not kept */
  CUDA_CALL(device != 0 ? WEIR_E_InvalidDevice : value != NULL ? 0 : WEIR_E_InvalidValue);
}

CUDA_API(cudaDeviceGraphMemTrim, int device) {
  CUDA_CALL(device == 0 ? 0 : WEIR_E_InvalidDevice);
}

/* ---- hints: memory is in one place, seen by both sides ---- */

static int check_managed(const void *ptr, size_t bytes) {
  const struct weir_gpu_block *b = weir_gpu_block_of(cudart_addr(ptr));
  if (bytes == 0 || b == NULL || b->kind != WEIR_GPU_MANAGED) return WEIR_E_InvalidValue;
  return cudart_addr(ptr) - b->base + bytes <= b->bytes ? 0 : WEIR_E_InvalidValue;
}

/* Arguments after the size differ between versions, and are not needed. */
CUDA_API(cudaMemPrefetchAsync, const void *ptr, size_t bytes) {
  CUDA_CALL(check_managed(ptr, bytes));
}
CUDA_ALIAS(cudaMemPrefetchAsync, _ptsz);
CUDA_ALIAS(cudaMemPrefetchAsync, _v2);
CUDA_ALIAS(cudaMemPrefetchAsync, _v2_ptsz);

CUDA_API(cudaMemAdvise, const void *ptr, size_t bytes) {
  CUDA_CALL(check_managed(ptr, bytes));
}
CUDA_ALIAS(cudaMemAdvise, _v2);

/* Batches of hints, of which only the lists are looked at. */
static int check_batch(void **ptrs, const size_t *sizes, size_t n) {
  int error = ptrs != NULL && sizes != NULL && n > 0 ? 0 : WEIR_E_InvalidValue;
  for (size_t i = 0; i < n && error == 0; i++)
    error = check_managed(ptrs[i], sizes[i]);
  return error;
}

CUDA_API(cudaMemPrefetchBatchAsync, void **ptrs, size_t *sizes, size_t n) {
  CUDA_CALL(check_batch(ptrs, sizes, n));
}
CUDA_ALIAS(cudaMemPrefetchBatchAsync, _ptsz);

/* Contents become undefined: what they were is one of the possibilities. */
CUDA_API(cudaMemDiscardBatchAsync, void **ptrs, size_t *sizes, size_t n) {
  CUDA_CALL(check_batch(ptrs, sizes, n));
}
CUDA_ALIAS(cudaMemDiscardBatchAsync, _ptsz);

CUDA_API(cudaMemDiscardAndPrefetchBatchAsync, void **ptrs, size_t *sizes, size_t n) {
  CUDA_CALL(check_batch(ptrs, sizes, n));
}
CUDA_ALIAS(cudaMemDiscardAndPrefetchBatchAsync, _ptsz);

/* No hint was kept: none is in force. */
static int range_attribute(void *data, size_t bytes, int attribute, const void *ptr, size_t range) {
  enum { READ_MOSTLY = 1, LOCATION_TYPE = 5, LAST_TYPE = 7, LAST = 8, NO_DEVICE = -2 };
  if (data == NULL || bytes < sizeof(int) || attribute < READ_MOSTLY || attribute > LAST)
    return WEIR_E_InvalidValue;
  bool is_zero = attribute == READ_MOSTLY || attribute == LOCATION_TYPE || attribute == LAST_TYPE;
  for (size_t i = 0; i < bytes / sizeof(int); i++)
    ((int *)data)[i] = is_zero ? 0 : NO_DEVICE;
  return check_managed(ptr, range);
}

CUDA_API(cudaMemRangeGetAttribute, void *data, size_t bytes, int attribute, const void *ptr,
         size_t range) {
  CUDA_CALL(range_attribute(data, bytes, attribute, ptr, range));
}

static int range_attributes(void **data, const size_t *bytes, const int *attributes, size_t n,
                            const void *ptr, size_t range) {
  int error = data != NULL && bytes != NULL && attributes != NULL ? 0 : WEIR_E_InvalidValue;
  for (size_t i = 0; i < n && error == 0; i++)
    error = range_attribute(data[i], bytes[i], attributes[i], ptr, range);
  return error;
}

CUDA_API(cudaMemRangeGetAttributes, void **data, size_t *bytes, int *attributes, size_t n,
         const void *ptr, size_t range) {
  CUDA_CALL(range_attributes(data, bytes, attributes, n, ptr, range));
}
