/* Which calls still work when a kernel has failed. */
#include "common.h"

__global__ void misaligned(char *x) {
  *(int *)(x + threadIdx.x) = 1;
}

__global__ void fine(int *x) {
  *x = 17;
}

int main() {
  int *x, *y, *pinned, n = 0;
  size_t a, b;
  void *p = &n;
  cudaStream_t s, s2;
  cudaEvent_t e, e2;
  cudaDeviceProp properties;
  cudaPointerAttributes pointer;
  cudaFuncAttributes function;
  OK(cudaMalloc(&x, 64));
  OK(cudaMallocHost(&pinned, 64));
  OK(cudaStreamCreate(&s));
  OK(cudaEventCreate(&e));
  misaligned<<<1, 2>>>((char *)x);
  SHOW(cudaStreamSynchronize(0));
  SHOW(cudaGetDevice(&n));
  SHOW(cudaSetDevice(0));
  SHOW(cudaGetDeviceProperties(&properties, 0));
  SHOW(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0));
  SHOW(cudaRuntimeGetVersion(&n));
  SHOW(cudaDriverGetVersion(&n));
  SHOW(cudaPeekAtLastError());
  SHOW(cudaPointerGetAttributes(&pointer, x));
  SHOW(cudaFuncGetAttributes(&function, fine));
  SHOW(cudaMemGetInfo(&a, &b));
  SHOW(cudaDeviceGetLimit(&a, cudaLimitStackSize));
  SHOW(cudaMalloc(&y, 64));
  SHOW(cudaMallocHost(&p, 64));
  SHOW(cudaFreeHost(pinned));
  SHOW(cudaEventCreate(&e2));
  SHOW(cudaEventRecord(e, 0));
  SHOW(cudaEventQuery(e));
  SHOW(cudaStreamQuery(s));
  SHOW(cudaEventDestroy(e));
  SHOW(cudaStreamDestroy(s));
  SHOW(cudaStreamCreate(&s2));
  SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, fine, 64, 0));
  SHOW(cudaDeviceReset());
  SHOW(cudaGetLastError());
  return 0;
}
