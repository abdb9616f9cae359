/* Declarations of the CUDA runtime for the tests, which are compiled without CUDA's headers. */
#ifndef TESTS_CUDA_CUDART_H
#define TESTS_CUDA_CUDART_H

#include <stddef.h>

struct dim3 {
  unsigned x, y, z;
};
struct extent {
  size_t width, height, depth;
};
struct pos {
  size_t x, y, z;
};
struct pitched {
  void *ptr;
  size_t pitch, xsize, ysize;
};
struct channel {
  int x, y, z, w, kind;
};
struct copy3d {
  void *src_array;
  struct pos src_pos;
  struct pitched src;
  void *dst_array;
  struct pos dst_pos;
  struct pitched dst;
  struct extent extent;
  int kind;
};
struct pointer_attributes {
  int type, device;
  void *device_ptr, *host_ptr;
  long reserved[8];
};
struct func_attributes {
  size_t shared, constant, local;
  int max_threads, regs, ptx, binary, ca, max_dynamic, carveout, cluster[6], reserved[16];
};
struct kernel_params {
  void *func;
  struct dim3 grid, block;
  unsigned shared;
  void **args, **extra;
};
struct memset_params {
  void *dst;
  size_t pitch;
  unsigned value, elem_bytes;
  size_t width, height;
};
struct host_params {
  void (*fn)(void *);
  void *data;
};
struct launch_attribute {
  int id;
  char pad[4];
  union {
    char pad[64];
    int cooperative;
    struct dim3 cluster;
  } value;
};
struct launch_config {
  struct dim3 grid, block;
  size_t shared;
  void *stream;
  struct launch_attribute *attributes;
  unsigned n_attributes;
};
struct update_info {
  int result;
  void *node, *from;
};

enum { H2H, H2D, D2H, D2D, ANY };
enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  INVALID_CONFIGURATION = 9,
  INVALID_SYMBOL = 13,
  INVALID_FUNCTION = 98,
  INVALID_TEXTURE = 18,
  INVALID_DEVICE = 101,
  INVALID_HANDLE = 400,
  ILLEGAL_STATE = 401,
  ILLEGAL_ADDRESS = 700,
  ALREADY_REGISTERED = 712,
  NOT_REGISTERED = 713,
  MISALIGNED = 716,
  COOPERATIVE_TOO_LARGE = 720,
  NOT_SUPPORTED = 801,
  CAPTURE_UNSUPPORTED = 900,
  CAPTURE_INVALIDATED = 901,
  CAPTURE_UNJOINED = 904,
  CAPTURE_IMPLICIT = 906
};

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern,
                       size_t bytes, int is_constant, int is_global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                              int is_extern, size_t bytes, int is_constant, int is_global);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared,
                                     void *stream);
int __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared, void *stream);
int __cudaGetKernel(void **kernel, const void *host);
int __cudaLaunchKernel(void *kernel, struct dim3 grid, struct dim3 block, void **args,
                       size_t shared, void *stream);
int cudaLaunchKernel(const void *func, struct dim3 grid, struct dim3 block, void **args,
                     size_t shared, void *stream);
int cudaLaunchCooperativeKernel(const void *func, struct dim3 grid, struct dim3 block, void **args,
                                size_t shared, void *stream);
int cudaLaunchKernelExC(const struct launch_config *config, const void *func, void **args);
int cudaLaunchHostFunc(void *stream, void (*fn)(void *), void *data);
int cudaStreamAddCallback(void *stream, void (*fn)(void *, int, void *), void *data,
                          unsigned flags);

int cudaGetLastError(void);
int cudaPeekAtLastError(void);
const char *cudaGetErrorName(int error);
const char *cudaGetErrorString(int error);
int cudaDeviceSynchronize(void);
int cudaDeviceReset(void);
int cudaSetDevice(int device);
int cudaGetDeviceCount(int *count);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaGetDeviceProperties(void *properties, int device);
int cudaRuntimeGetVersion(int *version);
int cudaDeviceSetLimit(int limit, size_t value);
int cudaDeviceGetLimit(size_t *value, int limit);
int cudaFuncGetAttributes(struct func_attributes *attributes, const void *func);
int cudaFuncSetAttribute(const void *func, int attribute, int value);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func, int threads,
                                                  size_t shared);
int cudaIpcGetMemHandle(void *handle, void *ptr);

int cudaMalloc(void **ptr, size_t bytes);
int cudaFree(void *ptr);
int cudaMallocHost(void **ptr, size_t bytes);
int cudaFreeHost(void *ptr);
int cudaMallocManaged(void **ptr, size_t bytes, unsigned flags);
int cudaMallocPitch(void **ptr, size_t *pitch, size_t width, size_t height);
int cudaMallocAsync(void **ptr, size_t bytes, void *stream);
int cudaFreeAsync(void *ptr, void *stream);
int cudaHostRegister(void *ptr, size_t bytes, unsigned flags);
int cudaHostUnregister(void *ptr);
int cudaHostGetDevicePointer(void **ptr, void *host, unsigned flags);
int cudaPointerGetAttributes(struct pointer_attributes *attributes, const void *ptr);
int cudaMemGetInfo(size_t *free_bytes, size_t *total);
int cudaMemcpy(void *dst, const void *src, size_t bytes, int kind);
int cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, void *stream);
int cudaMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                 size_t height, int kind);
int cudaMemcpy3D(const struct copy3d *copy);
int cudaMemset(void *ptr, int value, size_t bytes);
int cudaMemset2D(void *ptr, size_t pitch, int value, size_t width, size_t height);
int cudaMemsetAsync(void *ptr, int value, size_t bytes, void *stream);
int cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset, int kind);
int cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset, int kind);
int cudaGetSymbolAddress(void **ptr, const void *symbol);
int cudaGetSymbolSize(size_t *bytes, const void *symbol);
int cudaMalloc3DArray(void **array, const struct channel *channel, struct extent extent,
                      unsigned flags);
int cudaFreeArray(void *array);
int cudaMemcpy2DToArray(void *dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                        size_t height, int kind);

void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name,
                           int dim, int read_mode, int is_extern);
int cudaMallocArray(void **array, const struct channel *channel, size_t width, size_t height,
                    unsigned flags);
int cudaBindTexture(size_t *offset, const void *texref, const void *ptr,
                    const struct channel *channel, size_t bytes);
int cudaBindTextureToArray(const void *texref, const void *array, const struct channel *channel);
int cudaUnbindTexture(const void *texref);

int cudaStreamCreate(void **stream);
int cudaStreamDestroy(void *stream);
int cudaStreamSynchronize(void *stream);
int cudaStreamQuery(void *stream);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaEventCreate(void **event);
int cudaEventDestroy(void *event);
int cudaEventRecord(void *event, void *stream);
int cudaEventSynchronize(void *event);
int cudaEventElapsedTime(float *ms, void *from, void *to);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaStreamIsCapturing(void *stream, int *status);
int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphDestroy(void *graph);
int cudaGraphClone(void **clone, void *graph);
int cudaGraphAddKernelNode(void **node, void *graph, void *const *deps, size_t n,
                           const struct kernel_params *params);
int cudaGraphAddMemcpyNode1D(void **node, void *graph, void *const *deps, size_t n, void *dst,
                             const void *src, size_t bytes, int kind);
int cudaGraphAddMemsetNode(void **node, void *graph, void *const *deps, size_t n,
                           const struct memset_params *params);
int cudaGraphAddHostNode(void **node, void *graph, void *const *deps, size_t n,
                         const struct host_params *params);
int cudaGraphAddDependencies(void *graph, void *const *from, void *const *to, const void *edges,
                             size_t n);
int cudaGraphGetNodes(void *graph, void **nodes, size_t *n);
int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *exec, void *stream);
int cudaGraphExecDestroy(void *exec);
int cudaUserObjectCreate(void **object, void *data, void (*destroy)(void *), unsigned n,
                         unsigned flags);
int cudaUserObjectRelease(void *object, unsigned n);
int cudaGraphRetainUserObject(void *graph, void *object, unsigned n, unsigned flags);
int cudaGraphExecKernelNodeSetParams(void *exec, void *node, const struct kernel_params *params);
int cudaGraphExecUpdate(void *exec, void *graph, struct update_info *info);

#endif
