/* Calls that want a kernel or a handle and are given something else. */
#include "common.h"

__global__ void kernel(int *x) {
  *x = 1;
}

static int plain_variable;

int main() {
  const void *other = (const void *)main;
  int *x, n, host[16];
  OK(cudaMalloc(&x, 64));
  void *args[] = {&x};
  cudaFuncAttributes attributes;
  cudaFunction_t f;
  SHOW(cudaFuncGetAttributes(&attributes, other));
  SHOW(cudaFuncSetAttribute(other, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
  SHOW(cudaFuncSetCacheConfig(other, cudaFuncCachePreferL1));
  SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, other, 64, 0));
  SHOW(cudaGetFuncBySymbol(&f, other));
  SHOW(cudaLaunchKernel(other, dim3(1), dim3(1), args, 0, 0));
  SHOW(cudaLaunchCooperativeKernel(other, dim3(1), dim3(1), args, 0, 0));
  SHOW(cudaLaunchKernel(NULL, dim3(1), dim3(1), args, 0, 0));
  SHOW(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(2000), args, 0, 0));
  SHOW(cudaLaunchCooperativeKernel((const void *)kernel, dim3(1), dim3(2000), args, 0, 0));
  SHOW(cudaGetSymbolSize((size_t *)args, plain_variable));
  SHOW(cudaGetLastError());
  SHOW(cudaFuncSetAttribute(kernel, (cudaFuncAttribute)77, 1));
  SHOW(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
  SHOW(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
  SHOW(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)9999, 0));
  SHOW(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 77));
  SHOW(cudaDeviceSetLimit((cudaLimit)99, 1));
  SHOW(cudaMallocPitch((void **)&x, (size_t *)&args[0], ~(size_t)0 >> 1, 2));
  SHOW(cudaHostAlloc((void **)&x, 64, 0xff00));
  SHOW(cudaHostRegister(NULL, 4096, 0));
  SHOW(cudaHostUnregister(&n));
  SHOW(cudaFreeHost(&n));
  SHOW(cudaStreamCreateWithFlags((cudaStream_t *)&args[0], 0x40));
  SHOW(cudaEventCreateWithFlags((cudaEvent_t *)&args[0], 0x400));
  SHOW(cudaEventRecord(NULL, 0));
  SHOW(cudaEventSynchronize(NULL));
  SHOW(cudaEventDestroy(NULL));
  SHOW(cudaStreamDestroy(0));
  SHOW(cudaStreamSynchronize(0));
  size_t limit;
  SHOW(cudaDeviceGetLimit(&limit, (cudaLimit)99));
  SHOW(cudaDeviceGetLimit(&limit, (cudaLimit)3));
  SHOW(cudaDeviceSetLimit((cudaLimit)3, 1));
  SHOW(cudaMalloc3D((cudaPitchedPtr *)host, make_cudaExtent(~(size_t)0 >> 1, 2, 2)));
  SHOW(cudaMallocPitch((void **)&x, &limit, (size_t)3 << 30, 1));
  SHOW(cudaLaunchCooperativeKernel((const void *)NULL, dim3(1), dim3(1), args, 0, 0));
  SHOW(cudaGetLastError());
  return 0;
}
