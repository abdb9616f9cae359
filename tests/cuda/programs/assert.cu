/* A failed assertion ends the launch and spoils the context: every later call tells so. */
#include "common.h"
#undef NDEBUG
#include <cassert>

__global__ void holds(int n) {
  assert(n == 3);
}

__global__ void fails(const int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(x[i] < 70);
}

int main() {
  int *x, host[128];
  for (int i = 0; i < 128; i++)
    host[i] = i == 70 ? 71 : i % 64;
  OK(cudaMalloc(&x, sizeof host));
  OK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
  holds<<<2, 32>>>(3);
  OK(cudaDeviceSynchronize());
  printf("the first one holds\n");
  fflush(stdout);
  fails<<<2, 64>>>(x);
  SHOW(cudaGetLastError());
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaGetLastError());
  SHOW(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
  holds<<<1, 1>>>(3);
  SHOW(cudaGetLastError());
  printf("%s\n", cudaGetErrorString(cudaErrorAssert));
  SHOW(cudaMalloc(&x, 100));
  return 0;
}
