/* Memory of malloc that is registered later: kernels reach it, and it must be given back. */
#include "common.h"
#include <cstring>

__global__ void triple(int *x, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    x[i] *= 3;
}

int main() {
  const int n = 5000;
  int *x = (int *)aligned_alloc(4096, 8 * 4096), *device;
  for (int i = 0; i < n; i++)
    x[i] = i - 100;
  OK(cudaHostRegister(x, 8 * 4096, cudaHostRegisterMapped));
  OK(cudaHostGetDevicePointer((void **)&device, x, 0));
  triple<<<1, 128>>>(device, n);
  OK(cudaDeviceSynchronize());
  printf("%d %d, sum %08x\n", x[0], x[n - 1], checksum(x, n * sizeof *x));

  triple<<<1, 128>>>(device + 10, 20); /* inside the range */
  OK(cudaDeviceSynchronize());
  printf("%d %d %d %d\n", x[9], x[10], x[29], x[30]);
  cudaPointerAttributes at;
  OK(cudaPointerGetAttributes(&at, x + 5));
  printf("type %d, host pointer %d\n", (int)at.type, at.hostPointer == x + 5);
  SHOW(cudaHostRegister(x, 4096, cudaHostRegisterDefault));

  int *y;
  OK(cudaMalloc(&y, n * sizeof *y));
  cudaStream_t s;
  OK(cudaStreamCreate(&s));
  OK(cudaMemcpyAsync(y, x, n * sizeof *y, cudaMemcpyHostToDevice, s));
  triple<<<1, 256, 0, s>>>(y, n);
  OK(cudaMemcpyAsync(x, y, n * sizeof *y, cudaMemcpyDeviceToHost, s));
  OK(cudaStreamSynchronize(s));
  printf("%d %d, sum %08x\n", x[0], x[n - 1], checksum(x, n * sizeof *x));

  OK(cudaHostUnregister(x));
  SHOW(cudaHostUnregister(x));
  SHOW(cudaGetLastError());
  memset(x, 0, n * sizeof *x);
  OK(cudaMemcpy(x, y, 100, cudaMemcpyDeviceToHost)); /* ordinary memory again */
  printf("%d %d %d\n", x[0], x[24], x[25]);
  free(x);
  return 0;
}
