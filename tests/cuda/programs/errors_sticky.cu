/* A kernel that reads where nothing is: the error stays until the process ends, whatever is called.
 */
#include "common.h"

__global__ void fine(int *x) {
  x[threadIdx.x] = threadIdx.x;
}

__global__ void wild(const int *x, int *out, long long step) {
  *out = x[threadIdx.x * step];
}

int main() {
  int *x, host = 0;
  OK(cudaMalloc(&x, 1024));
  fine<<<1, 32>>>(x);
  OK(cudaDeviceSynchronize());
  wild<<<1, 2>>>(x, x, 1ll << 42);
  SHOW(cudaGetLastError()); /* not known yet */
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaGetLastError());
  SHOW(cudaPeekAtLastError());
  SHOW(cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost));
  fine<<<1, 32>>>(x);
  SHOW(cudaGetLastError());
  cudaStream_t s;
  SHOW(cudaStreamCreate(&s));
  SHOW(cudaFree(x));
  int count = -1;
  SHOW(cudaGetDeviceCount(&count));
  printf("devices %d\n", count > 0);
  printf("%s: %s\n", cudaGetErrorName(cudaErrorIllegalAddress),
         cudaGetErrorString(cudaErrorIllegalAddress));
  return host;
}
