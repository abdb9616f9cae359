/* Declarations of the CUDA driver API for the tests, which are compiled without CUDA's headers.
 * Handles are void pointers, enums int, device addresses 64 bits. */
#ifndef TESTS_CUDA_DRIVER_H
#define TESTS_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  INVALID_DEVICE = 101,
  INVALID_IMAGE = 200,
  INVALID_CONTEXT = 201,
  INVALID_PTX = 218,
  FILE_NOT_FOUND = 301,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  NOT_READY = 600,
  ILLEGAL_ADDRESS = 700,
  OUT_OF_RESOURCES = 701,
  CONTEXT_IS_DESTROYED = 709,
  NOT_SUPPORTED = 801
};

struct location {
  int type, id;
};
struct memory_props {
  int type, handle_types;
  struct location location;
  void *security;
  unsigned char flags[8];
};
struct access {
  struct location location;
  int flags;
};
struct side_2d {
  size_t x, y;
  int type;
  const void *host;
  uint64_t device;
  void *array;
  size_t pitch;
};
struct copy_2d {
  struct side_2d src, dst;
  size_t width, height;
};
struct side_3d {
  size_t x, y, z, level;
  int type;
  const void *host;
  uint64_t device;
  void *array, *context;
  size_t pitch, height;
};
struct copy_3d {
  struct side_3d src, dst;
  size_t width, height, depth;
};
struct node_params {
  int type, reserved[3];
  union {
    long long room[29];
    struct {
      void *function;
      unsigned grid[3], block[3], shared;
      void **args, **extra, *kernel, *context;
    } kernel;
    struct {
      int flags, reserved;
      void *context;
      struct copy_3d copy;
    } copy;
  } u;
  long long reserved2;
};
struct array_2d {
  size_t width, height;
  int format;
  unsigned channels;
};
struct array_3d {
  size_t width, height, depth;
  int format;
  unsigned channels, flags;
};
struct resource {
  int type;
  union {
    void *array;
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
struct texture {
  int address[3], filter;
  unsigned flags, max_anisotropy;
  int mip_filter;
  float mip[3], border[4];
  int reserved[12];
};
struct memset_params {
  uint64_t dst;
  size_t pitch;
  unsigned value, elem_bytes;
  size_t width, height;
};

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuGetErrorName(int error, const char **out);
int cuGetErrorString(int error, const char **out);
int cuGetProcAddress(const char *name, void **out, int version, uint64_t flags);
int cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int len, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceComputeCapability(int *major, int *minor, int device);
int cuCtxCreate_v2(void **out, unsigned flags, int device);
int cuCtxCreate_v4(void **out, void *params, unsigned flags, int device);
int cuCtxDestroy_v2(void *context);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **out);
int cuCtxSetCurrent(void *context);
int cuCtxGetCurrent(void **out);
int cuCtxGetDevice(int *device);
int cuCtxSynchronize(void);
int cuCtxGetLimit(size_t *value, int limit);
int cuCtxSetLimit(int limit, size_t value);
int cuDevicePrimaryCtxRetain(void **out, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *is_active);
int cuModuleLoad(void **out, const char *path);
int cuModuleLoadData(void **out, const void *image);
int cuModuleLoadDataEx(void **out, const void *image, unsigned n, const int *options,
                       void **values);
int cuModuleUnload(void *module);
int cuModuleGetFunction(void **out, void *module, const char *name);
int cuModuleGetGlobal_v2(uint64_t *out, size_t *bytes, void *module, const char *name);
int cuModuleGetFunctionCount(unsigned *n, void *module);
int cuLibraryLoadData(void **out, const void *image, const int *jit, void **jit_values,
                      unsigned n_jit, const int *options, void **values, unsigned n);
int cuLibraryGetKernel(void **out, void *library, const char *name);
int cuLibraryUnload(void *library);
int cuKernelGetFunction(void **out, void *kernel);
int cuLinkCreate_v2(unsigned n, const int *options, void **values, void **out);
int cuLinkAddData_v2(void *link, int type, const void *data, size_t bytes, const char *name,
                     unsigned n, const int *options, void **values);
int cuLinkComplete(void *link, void **out, size_t *bytes);
int cuLinkDestroy(void *link);
int cuFuncGetAttribute(int *out, int attribute, void *function);
int cuFuncGetName(const char **out, void *function);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads,
                                                size_t shared);
int cuOccupancyMaxPotentialBlockSize(int *min_grid, int *block, void *function,
                                     size_t (*shared_of)(int), size_t shared, int limit);
int cuMemAlloc_v2(uint64_t *out, size_t bytes);
int cuMemAllocPitch_v2(uint64_t *out, size_t *pitch, size_t width, size_t height, unsigned elem);
int cuMemAllocManaged(uint64_t *out, size_t bytes, unsigned flags);
int cuMemAllocHost_v2(void **out, size_t bytes);
int cuMemFree_v2(uint64_t ptr);
int cuMemFreeHost(void *ptr);
int cuMemGetInfo_v2(size_t *free_bytes, size_t *total);
int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t ptr);
int cuPointerGetAttribute(void *out, int attribute, uint64_t ptr);
int cuPointerGetAttributes(unsigned n, const int *attributes, void **out, uint64_t ptr);
int cuMemcpy(uint64_t dst, uint64_t src, size_t bytes);
int cuMemcpyHtoD_v2(uint64_t dst, const void *src, size_t bytes);
int cuMemcpyDtoH_v2(void *dst, uint64_t src, size_t bytes);
int cuMemcpyDtoD_v2(uint64_t dst, uint64_t src, size_t bytes);
int cuMemcpyHtoDAsync_v2(uint64_t dst, const void *src, size_t bytes, void *stream);
int cuMemcpy2D_v2(const struct copy_2d *copy);
int cuMemsetD8_v2(uint64_t dst, unsigned char value, size_t n);
int cuMemsetD16_v2(uint64_t dst, unsigned short value, size_t n);
int cuMemsetD32_v2(uint64_t dst, unsigned value, size_t n);
int cuMemsetD2D32_v2(uint64_t dst, size_t pitch, unsigned value, size_t width, size_t height);
int cuArrayCreate_v2(void **out, const struct array_2d *description);
int cuArray3DCreate_v2(void **out, const struct array_3d *description);
int cuArrayGetDescriptor_v2(struct array_2d *out, void *array);
int cuArrayDestroy(void *array);
int cuTexObjectCreate(uint64_t *out, const struct resource *resource, const struct texture *texture,
                      const void *view);
int cuTexObjectDestroy(uint64_t object);
int cuTexObjectGetResourceDesc(struct resource *out, uint64_t object);
int cuTexObjectGetTextureDesc(struct texture *out, uint64_t object);
int cuModuleGetTexRef(void **out, void *module, const char *name);
int cuModuleGetSurfRef(void **out, void *module, const char *name);
int cuTexRefSetArray(void *texref, void *array, unsigned flags);
int cuTexRefGetArray(void **out, void *texref);
int cuTexRefSetFilterMode(void *texref, int mode);
int cuTexRefSetAddressMode(void *texref, int dim, int mode);
int cuTexRefSetFlags(void *texref, unsigned flags);
int cuSurfRefSetArray(void *surfref, void *array, unsigned flags);
int cuMemAddressReserve(uint64_t *out, size_t bytes, size_t align, uint64_t addr,
                        unsigned long long flags);
int cuMemAddressFree(uint64_t base, size_t bytes);
int cuMemGetAllocationGranularity(size_t *out, const struct memory_props *props, int option);
int cuMemCreate(uint64_t *out, size_t bytes, const struct memory_props *props,
                unsigned long long flags);
int cuMemRelease(uint64_t handle);
int cuMemMap(uint64_t base, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags);
int cuMemUnmap(uint64_t base, size_t bytes);
int cuMemSetAccess(uint64_t base, size_t bytes, const struct access *list, size_t n);
int cuMemGetAccess(unsigned long long *flags, const struct location *location, uint64_t addr);
int cuMemGetAllocationPropertiesFromHandle(struct memory_props *out, uint64_t handle);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   void *stream, void **args, void **extra);
int cuLaunchHostFunc(void *stream, void (*fn)(void *), void *data);
int cuFuncSetBlockShape(void *function, int x, int y, int z);
int cuParamSetSize(void *function, unsigned bytes);
int cuParamSeti(void *function, int offset, unsigned value);
int cuParamSetv(void *function, int offset, void *value, unsigned bytes);
int cuLaunch(void *function);
int cuLaunchGrid(void *function, int width, int height);
int cuStreamCreate(void **out, unsigned flags);
int cuStreamDestroy_v2(void *stream);
int cuStreamSynchronize(void *stream);
int cuStreamGetCtx(void *stream, void **out);
int cuStreamWaitValue32_v2(void *stream, uint64_t addr, uint32_t value, unsigned flags);
int cuStreamWriteValue32_v2(void *stream, uint64_t addr, uint32_t value, unsigned flags);
int cuStreamWriteValue64_v2(void *stream, uint64_t addr, uint64_t value, unsigned flags);
int cuStreamBeginCapture_v2(void *stream, int mode);
int cuStreamEndCapture(void *stream, void **graph);
int cuEventCreate(void **out, unsigned flags);
int cuEventRecord(void *event, void *stream);
int cuEventQuery(void *event);
int cuEventSynchronize(void *event);
int cuEventElapsedTime(float *ms, void *from, void *to);
int cuEventDestroy_v2(void *event);
int cuGraphInstantiateWithFlags(void **out, void *graph, unsigned long long flags);
int cuGraphAddMemsetNode(void **out, void *graph, void *const *deps, size_t n,
                         const struct memset_params *params, void *context);
int cuGraphAddNode_v2(void **out, void *graph, void *const *deps, const void *edges, size_t n,
                      struct node_params *params);
int cuGraphCreate(void **out, unsigned flags);
int cuGraphLaunch(void *exec, void *stream);
int cuGraphExecDestroy(void *exec);
int cuGraphDestroy(void *graph);
int cuCtxAttach(void **out, unsigned flags);

/* Of libcudart, which shares the device. */
int cudaMalloc(void **out, size_t bytes);
int cudaMemcpy(void *dst, const void *src, size_t bytes, int kind);
int cudaFree(void *ptr);
int cudaStreamCreate(void **out);
int cudaStreamDestroy(void *stream);

#endif
