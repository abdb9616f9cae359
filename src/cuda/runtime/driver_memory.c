/* Allocation, and questions about memory. A CUdeviceptr is a number that host and device share. */
#include "cuda/runtime/driver.h"
#include "cuda/runtime/pending.h"

/* ---- device memory ---- */

static int alloc(enum weir_gpu_memory kind, uint64_t *out, size_t bytes, unsigned flags) {
  if (out == NULL || bytes == 0) return WEIR_E_InvalidValue;
  return weir_gpu_alloc(kind, bytes, flags, out);
}

CUDA_API(cuMemAlloc_v2, uint64_t *out, size_t bytes) {
  CU_CALL(alloc(WEIR_GPU_DEVICE, out, bytes, 0));
}

static int alloc_pitch(uint64_t *out, size_t *pitch, size_t width, size_t rows, unsigned elem) {
  uint64_t distance;
  bool is_elem = elem == 4 || elem == 8 || elem == 16;
  if (out == NULL || pitch == NULL || width == 0 || rows == 0 || !is_elem)
    return WEIR_E_InvalidValue;
  int error = weir_gpu_alloc_pitch(width, rows, out, &distance);
  if (error == 0) *pitch = distance;
  return error;
}

CUDA_API(cuMemAllocPitch_v2, uint64_t *out, size_t *pitch, size_t width, size_t height,
         unsigned elem_bytes) {
  CU_CALL(alloc_pitch(out, pitch, width, height, elem_bytes));
}

/* Work that is pending may still use the memory. */
static int give_back(uint64_t ptr) {
  int error = weir_gpu_wait_all();
  return error != 0 ? error
                    : weir_gpu_free(ptr, 1u << WEIR_GPU_DEVICE | 1u << WEIR_GPU_MANAGED,
                                    WEIR_E_InvalidValue);
}

CUDA_API(cuMemFree_v2, uint64_t ptr) {
  CU_CALL(give_back(ptr));
}

CUDA_API(cuMemAllocManaged, uint64_t *out, size_t bytes, unsigned flags) {
  bool is_valid = flags == 1 || flags == 2; /* global, host */
  CU_CALL(is_valid ? alloc(WEIR_GPU_MANAGED, out, bytes, flags) : WEIR_E_InvalidValue);
}

CU_FORWARD(cuMemGetInfo_v2, cudaMemGetInfo, (size_t * free_bytes, size_t *total),
           (free_bytes, total));

/* ---- host memory ---- */

static int alloc_host(void **out, size_t bytes, unsigned flags) {
  uint64_t addr;
  enum { KNOWN = 7 };
  if (out == NULL || flags > KNOWN) return WEIR_E_InvalidValue;
  int error = weir_gpu_alloc(WEIR_GPU_PINNED, bytes, flags, &addr); /* none is none, no error */
  if (error == 0) *out = cudart_ptr(addr);
  return error;
}

CUDA_API(cuMemAllocHost_v2, void **out, size_t bytes) {
  CU_CALL(alloc_host(out, bytes, 0));
}

CUDA_API(cuMemAllocHost, void **out, unsigned bytes) {
  CU_CALL(alloc_host(out, bytes, 0));
}

CUDA_API(cuMemHostAlloc, void **out, size_t bytes, unsigned flags) {
  CU_CALL(alloc_host(out, bytes, flags));
}

CU_FORWARD(cuMemFreeHost, cudaFreeHost, (void *ptr), (ptr));
CU_FORWARD(cuMemHostRegister_v2, cudaHostRegister, (void *ptr, size_t bytes, unsigned flags),
           (ptr, bytes, flags));
CUDA_OLD_NAME(cuMemHostRegister, cuMemHostRegister_v2);
CU_FORWARD(cuMemHostUnregister, cudaHostUnregister, (void *ptr), (ptr));
CU_FORWARD(cuMemHostGetDevicePointer_v2, cudaHostGetDevicePointer,
           (void **out, void *host, unsigned flags), (out, host, flags));
CU_FORWARD(cuMemHostGetFlags, cudaHostGetFlags, (unsigned *flags, void *host), (flags, host));

/* ---- in the order of streams ---- */

CUDA_EXPORT int cudaMallocAsync(void **out, size_t bytes, void *stream);
CUDA_API(cuMemAllocAsync, void **out, size_t bytes, void *stream) {
  return bytes != 0 ? cudaMallocAsync(out, bytes, stream) : WEIR_E_InvalidValue;
}
CUDA_ALIAS(cuMemAllocAsync, _ptsz);

CUDA_EXPORT int cudaMallocFromPoolAsync(void **out, size_t bytes, void *pool, void *stream);
CUDA_API(cuMemAllocFromPoolAsync, void **out, size_t bytes, void *pool, void *stream) {
  return bytes != 0 ? cudaMallocFromPoolAsync(out, bytes, pool, stream) : WEIR_E_InvalidValue;
}
CUDA_ALIAS(cuMemAllocFromPoolAsync, _ptsz);

CU_FORWARD(cuMemFreeAsync, cudaFreeAsync, (void *ptr, void *stream), (ptr, stream));
CUDA_ALIAS(cuMemFreeAsync, _ptsz);

CU_FORWARD(cuDeviceGetDefaultMemPool, cudaDeviceGetDefaultMemPool, (void **out, int device),
           (out, device));
CU_FORWARD(cuDeviceGetMemPool, cudaDeviceGetMemPool, (void **out, int device), (out, device));
CU_FORWARD(cuDeviceSetMemPool, cudaDeviceSetMemPool, (int device, void *pool), (device, pool));
CU_FORWARD(cuMemGetDefaultMemPool, cudaMemGetDefaultMemPool,
           (void **out, struct cuda_location *location, int type), (out, location, type));
CU_FORWARD(cuMemGetMemPool, cudaMemGetMemPool,
           (void **out, struct cuda_location *location, int type), (out, location, type));
CU_FORWARD(cuMemSetMemPool, cudaMemSetMemPool,
           (struct cuda_location * location, int type, void *pool), (location, type, pool));
CU_FORWARD(cuMemPoolCreate, cudaMemPoolCreate, (void **out, const struct cuda_pool_props *props),
           (out, props));
CU_FORWARD(cuMemPoolDestroy, cudaMemPoolDestroy, (void *pool), (pool));
CU_FORWARD(cuMemPoolTrimTo, cudaMemPoolTrimTo, (void *pool, size_t keep), (pool, keep));
CU_FORWARD(cuMemPoolSetAttribute, cudaMemPoolSetAttribute, (void *pool, int attribute, void *value),
           (pool, attribute, value));
CU_FORWARD(cuMemPoolGetAttribute, cudaMemPoolGetAttribute, (void *pool, int attribute, void *value),
           (pool, attribute, value));
CU_FORWARD(cuMemPoolSetAccess, cudaMemPoolSetAccess,
           (void *pool, const struct cuda_access_desc *list, size_t n), (pool, list, n));
CU_FORWARD(cuMemPoolGetAccess, cudaMemPoolGetAccess,
           (int *flags, void *pool, struct cuda_location *location), (flags, pool, location));

/* Hints about managed memory, which is in one place. Other arguments differ between versions, and
 * are not needed. */
CU_FORWARD(cuMemPrefetchAsync, cudaMemPrefetchAsync, (const void *ptr, size_t bytes), (ptr, bytes));
CUDA_ALIAS(cuMemPrefetchAsync, _ptsz);
CUDA_ALIAS(cuMemPrefetchAsync, _v2);
CUDA_ALIAS(cuMemPrefetchAsync, _v2_ptsz);
CU_FORWARD(cuMemAdvise, cudaMemAdvise, (const void *ptr, size_t bytes), (ptr, bytes));
CUDA_ALIAS(cuMemAdvise, _v2);

CU_FORWARD(cuMemPrefetchBatchAsync, cudaMemPrefetchBatchAsync,
           (void **ptrs, size_t *sizes, size_t n), (ptrs, sizes, n));
CUDA_ALIAS(cuMemPrefetchBatchAsync, _ptsz);
CU_FORWARD(cuMemDiscardBatchAsync, cudaMemDiscardBatchAsync, (void **ptrs, size_t *sizes, size_t n),
           (ptrs, sizes, n));
CUDA_ALIAS(cuMemDiscardBatchAsync, _ptsz);
CU_FORWARD(cuMemDiscardAndPrefetchBatchAsync, cudaMemDiscardAndPrefetchBatchAsync,
           (void **ptrs, size_t *sizes, size_t n), (ptrs, sizes, n));
CUDA_ALIAS(cuMemDiscardAndPrefetchBatchAsync, _ptsz);
CU_FORWARD(cuMemRangeGetAttribute, cudaMemRangeGetAttribute,
           (void *data, size_t bytes, int attribute, const void *ptr, size_t range),
           (data, bytes, attribute, ptr, range));
CU_FORWARD(cuMemRangeGetAttributes, cudaMemRangeGetAttributes,
           (void **data, size_t *bytes, int *attributes, size_t n, const void *ptr, size_t range),
           (data, bytes, attributes, n, ptr, range));

/* ---- questions ---- */

static int get_range(uint64_t *base, size_t *bytes, uint64_t ptr) {
  uint64_t start, n;
  if (!weir_gpu_range_of(ptr, &start, &n)) return WEIR_E_SymbolNotFound;
  if (base != NULL) *base = start;
  if (bytes != NULL) *bytes = n;
  return 0;
}

CUDA_API(cuMemGetAddressRange_v2, uint64_t *base, size_t *bytes, uint64_t ptr) {
  CU_CALL(get_range(base, bytes, ptr));
}

enum pointer_attribute { /* numbers: CUDA's */
                         CONTEXT = 1,
                         MEMORY_TYPE,
                         DEVICE_POINTER,
                         HOST_POINTER,
                         P2P_TOKENS,
                         SYNC_MEMOPS,
                         BUFFER_ID,
                         IS_MANAGED,
                         DEVICE_ORDINAL,
                         IS_LEGACY_IPC,
                         RANGE_START,
                         RANGE_SIZE,
                         MAPPED,
                         HANDLE_TYPES,
                         RDMA,
                         ACCESS_FLAGS,
                         POOL,
                         MAPPING_SIZE,
                         MAPPING_BASE,
                         BLOCK_ID,
                         LAST_ATTRIBUTE
};

/* Those that are 32 bits wide, truth values too; the others have 64. */
static bool is_int(int attribute) {
  switch (attribute) {
  case MEMORY_TYPE:
  case SYNC_MEMOPS:
  case IS_MANAGED:
  case DEVICE_ORDINAL:
  case IS_LEGACY_IPC:
  case MAPPED:
  case RDMA:
  case ACCESS_FLAGS:
  case LAST_ATTRIBUTE:
    return true;
  default:
    return false;
  }
}

static uint64_t attribute_of(int attribute, uint64_t ptr) {
  enum { HOST = 1, DEVICE = 2, READ_WRITE = 3 };
  enum weir_gpu_memory kind = weir_gpu_kind_of(ptr);
  const struct weir_gpu_block *b = weir_gpu_block_of(ptr);
  uint64_t start = 0, bytes = 0;
  weir_gpu_range_of(ptr, &start, &bytes);
  if (kind == WEIR_GPU_MAPPED && (attribute == RANGE_START || attribute == RANGE_SIZE))
    cu_reserved(ptr, &start, &bytes);
  bool is_host = kind == WEIR_GPU_PINNED || kind == WEIR_GPU_REGISTERED;
  switch (attribute) {
  case CONTEXT:
    return cudart_addr(weir_gpu_current());
  case MEMORY_TYPE:
    return is_host ? HOST : DEVICE;
  case DEVICE_POINTER:
    return ptr;
  case HOST_POINTER:
    return is_host || kind == WEIR_GPU_MANAGED ? ptr : 0;
  case BUFFER_ID:
  case BLOCK_ID:
    return b != NULL ? b->id : 0;
  case IS_MANAGED:
  case SYNC_MEMOPS:
    return kind == WEIR_GPU_MANAGED;
  case RANGE_START:
  case MAPPING_BASE:
    return start;
  case RANGE_SIZE:
  case MAPPING_SIZE:
    return bytes;
  case MAPPED:
    return 1;
  case ACCESS_FLAGS:
    return READ_WRITE;
  case POOL:
    return b != NULL ? cudart_addr(b->pool) : 0;
  default:
    return 0; /* of what there is not, and of device 0 */
  }
}

static void put_attribute(void *out, int attribute, uint64_t value) {
  if (is_int(attribute))
    *(int *)out = (int)value;
  else
    *(uint64_t *)out = value;
}

static int get_attribute(void *out, int attribute, uint64_t ptr) {
  if (out == NULL || attribute < CONTEXT || attribute > LAST_ATTRIBUTE) return WEIR_E_InvalidValue;
  enum weir_gpu_memory kind = weir_gpu_kind_of(ptr);
  bool is_host = kind == WEIR_GPU_PINNED || kind == WEIR_GPU_REGISTERED;
  if (kind == WEIR_GPU_UNKNOWN || attribute == P2P_TOKENS) return WEIR_E_InvalidValue;
  if (attribute == HOST_POINTER && !is_host && kind != WEIR_GPU_MANAGED) return WEIR_E_InvalidValue;
  put_attribute(out, attribute, attribute_of(attribute, ptr));
  return 0;
}

CUDA_API(cuPointerGetAttribute, void *out, int attribute, uint64_t ptr) {
  CU_CALL(get_attribute(out, attribute, ptr));
}

/* What one pointer has not is 0 here, and no error; its device is then -2. */
static int get_attributes(unsigned n, const int *attributes, void **out, uint64_t ptr) {
  enum { NO_DEVICE = -2 };
  bool is_known = weir_gpu_kind_of(ptr) != WEIR_GPU_UNKNOWN;
  if (attributes == NULL || out == NULL) return WEIR_E_InvalidValue;
  for (unsigned i = 0; i < n; i++) {
    if (out[i] == NULL || attributes[i] < CONTEXT || attributes[i] > LAST_ATTRIBUTE)
      return WEIR_E_InvalidValue;
    if (!is_known && (attributes[i] == RANGE_START || attributes[i] == RANGE_SIZE)) continue;
    uint64_t value = is_known ? attribute_of(attributes[i], ptr) : 0;
    if (!is_known && attributes[i] == DEVICE_ORDINAL) value = (uint64_t)NO_DEVICE;
    put_attribute(out[i], attributes[i], value);
  }
  return 0;
}

CUDA_API(cuPointerGetAttributes, unsigned n, const int *attributes, void **out, uint64_t ptr) {
  CU_CALL(get_attributes(n, attributes, out, ptr));
}

/* Copies are synchronous in any case. */
CUDA_API(cuPointerSetAttribute, const void *value, int attribute, uint64_t ptr) {
  CU_CALL(value != NULL && attribute == SYNC_MEMOPS && weir_gpu_kind_of(ptr) != WEIR_GPU_UNKNOWN
              ? 0
              : WEIR_E_InvalidValue);
}
