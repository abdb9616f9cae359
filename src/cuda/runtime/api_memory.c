#include "cuda/runtime/api.h"
#include "cuda/runtime/pending.h"

/* ---- allocation ---- */

static int alloc(enum weir_gpu_memory kind, void **out, size_t bytes, unsigned flags) {
  uint64_t addr;
  if (out == NULL) return WEIR_E_InvalidValue;
  int error = weir_gpu_check_capture();
  if (error == 0) error = weir_gpu_alloc(kind, bytes, flags, &addr);
  if (error == 0) *out = cudart_ptr(addr);
  return error;
}

CUDA_API(cudaMalloc, void **out, size_t bytes) {
  CUDA_CALL(alloc(WEIR_GPU_DEVICE, out, bytes, 0));
}

CUDA_API(cudaMallocHost, void **out, size_t bytes) {
  CUDA_CALL(alloc(WEIR_GPU_PINNED, out, bytes, 0));
}

CUDA_API(cudaHostAlloc, void **out, size_t bytes, unsigned flags) {
  CUDA_CALL(flags <= 7 ? alloc(WEIR_GPU_PINNED, out, bytes, flags) : WEIR_E_InvalidValue);
}

CUDA_API(cudaMallocManaged, void **out, size_t bytes, unsigned flags) {
  bool is_valid = flags == 1 || flags == 2; /* global, host */
  CUDA_CALL(is_valid ? alloc(WEIR_GPU_MANAGED, out, bytes, flags) : WEIR_E_InvalidValue);
}

static int alloc_pitch(void **out, size_t *pitch, size_t width, size_t rows) {
  uint64_t addr, distance;
  if (out == NULL || pitch == NULL) return WEIR_E_InvalidValue;
  int error = weir_gpu_check_capture();
  if (error == 0) error = weir_gpu_alloc_pitch(width, rows, &addr, &distance);
  if (error != 0) return error;
  *out = cudart_ptr(addr);
  *pitch = distance;
  return 0;
}

CUDA_API(cudaMallocPitch, void **out, size_t *pitch, size_t width, size_t height) {
  CUDA_CALL(alloc_pitch(out, pitch, width, height));
}

static int alloc_3d(struct cuda_pitched *out, struct cuda_extent extent) {
  if (out == NULL) return WEIR_E_InvalidValue;
  *out = (struct cuda_pitched){.xsize = extent.width, .ysize = extent.height};
  return alloc_pitch(&out->ptr, &out->pitch, extent.width, extent.height * extent.depth);
}

CUDA_API(cudaMalloc3D, struct cuda_pitched *out, struct cuda_extent extent) {
  CUDA_CALL(alloc_3d(out, extent));
}

/* Work that is pending may still use the memory: a GPU waits for it, too. */
static int give_back(void *ptr, unsigned kinds) {
  int error = weir_gpu_check_capture();
  if (error == 0) error = weir_gpu_wait_all();
  return error != 0 ? error : weir_gpu_free(cudart_addr(ptr), kinds, WEIR_E_InvalidValue);
}

CUDA_API(cudaFree, void *ptr) {
  CUDA_CALL(give_back(ptr, 1u << WEIR_GPU_DEVICE | 1u << WEIR_GPU_MANAGED));
}

CUDA_API(cudaFreeHost, void *ptr) {
  CUDA_CALL(give_back(ptr, 1u << WEIR_GPU_PINNED));
}

CUDA_API(cudaHostRegister, void *ptr, size_t bytes, unsigned flags) {
  CUDA_CALL(weir_gpu_register(cudart_addr(ptr), bytes, flags));
}

CUDA_API(cudaHostUnregister, void *ptr) {
  CUDA_CALL(
      weir_gpu_free(cudart_addr(ptr), 1u << WEIR_GPU_REGISTERED, WEIR_E_HostMemoryNotRegistered));
}

/* ---- questions ---- */

static bool is_host_block(const struct weir_gpu_block *b) {
  return b != NULL && (b->kind == WEIR_GPU_PINNED || b->kind == WEIR_GPU_REGISTERED);
}

CUDA_API(cudaHostGetDevicePointer, void **out, void *host, unsigned flags) {
  (void)flags;
  CUDA_CALL(out != NULL && is_host_block(weir_gpu_block_of(cudart_addr(host)))
                ? (*out = host, 0)
                : WEIR_E_InvalidValue);
}

CUDA_API(cudaHostGetFlags, unsigned *flags, void *host) {
  const struct weir_gpu_block *b;
  enum { MAPPED = 2 }; /* as all pinned memory is where addresses are unified */
  CUDA_CALL(flags != NULL && is_host_block(b = weir_gpu_block_of(cudart_addr(host)))
                ? (*flags = b->flags | MAPPED, 0)
                : WEIR_E_InvalidValue);
}

static int pointer_attributes(struct cuda_pointer_attributes *a, const void *ptr) {
  enum { UNREGISTERED, HOST, DEVICE, MANAGED };
  static const int types[] = {
      [WEIR_GPU_UNKNOWN] = UNREGISTERED, [WEIR_GPU_DEVICE] = DEVICE,   [WEIR_GPU_PINNED] = HOST,
      [WEIR_GPU_MANAGED] = MANAGED,      [WEIR_GPU_REGISTERED] = HOST, [WEIR_GPU_IN_ARRAY] = DEVICE,
      [WEIR_GPU_MAPPED] = DEVICE};
  if (a == NULL) return WEIR_E_InvalidValue;
  int type = types[weir_gpu_kind_of(cudart_addr(ptr))];
  void *p = cudart_ptr(cudart_addr(ptr));
  *a = (struct cuda_pointer_attributes){.type = type,
                                        .device = type == UNREGISTERED ? -2 : 0,
                                        .device_ptr = type == UNREGISTERED ? NULL : p,
                                        .host_ptr = type == DEVICE ? NULL : p};
  return 0;
}

CUDA_API(cudaPointerGetAttributes, struct cuda_pointer_attributes *attributes, const void *ptr) {
  CUDA_ASK(pointer_attributes(attributes, ptr));
}

static int memory_info(size_t *free_bytes, size_t *total) {
  uint64_t f, t;
  if (free_bytes == NULL || total == NULL) return WEIR_E_InvalidValue;
  weir_gpu_memory_info(&f, &t);
  *free_bytes = f;
  *total = t;
  return 0;
}

CUDA_API(cudaMemGetInfo, size_t *free_bytes, size_t *total) {
  CUDA_CALL(memory_info(free_bytes, total));
}

/* ---- symbols ---- */

int cudart_symbol(const void *symbol, size_t bytes, size_t offset, uint64_t *addr) {
  struct weir_gpu_var *v = weir_gpu_var_of(symbol);
  if (v == NULL) { /* the name of a managed variable is its address in memory */
    enum weir_gpu_memory kind = weir_gpu_kind_of(cudart_addr(symbol));
    *addr = cudart_addr(symbol) + offset;
    return kind == WEIR_GPU_DEVICE || kind == WEIR_GPU_MANAGED ? 0 : WEIR_E_InvalidSymbol;
  }
  int error = weir_gpu_var_load(v);
  if (error != 0) return error;
  *addr = v->addr + offset;
  return offset <= v->bytes && bytes <= v->bytes - offset ? 0 : WEIR_E_InvalidValue;
}

static int symbol_address(void **out, const void *symbol) {
  uint64_t addr;
  if (out == NULL) return WEIR_E_InvalidValue;
  int error = cudart_symbol(symbol, 0, 0, &addr);
  if (error == 0) *out = cudart_ptr(addr);
  return error;
}

CUDA_API(cudaGetSymbolAddress, void **out, const void *symbol) {
  CUDA_CALL(symbol_address(out, symbol));
}

static int symbol_size(size_t *bytes, const void *symbol) {
  const struct weir_gpu_var *v = weir_gpu_var_of(symbol);
  if (bytes == NULL || v == NULL) return v == NULL ? WEIR_E_InvalidSymbol : WEIR_E_InvalidValue;
  *bytes = v->bytes;
  return 0;
}

CUDA_API(cudaGetSymbolSize, size_t *bytes, const void *symbol) {
  CUDA_CALL(symbol_size(bytes, symbol));
}
