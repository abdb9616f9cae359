/* Launches that cannot be made: each gives its error once, and later launches work. */
#include "common.h"

__global__ void simple(int *x) {
  *x += 1;
}

__global__ void __launch_bounds__(128) bounded(int *x) {
  x[threadIdx.x] = 1;
}

__global__ void big(int *x) {
  extern __shared__ int dynamic[];
  __shared__ int fixed[8192];
  fixed[threadIdx.x] = x[0];
  __syncthreads();
  dynamic[threadIdx.x] = fixed[threadIdx.x ^ 1];
  x[0] = dynamic[threadIdx.x];
}

#define TRY(launch)                                                                                \
  do {                                                                                             \
    launch;                                                                                        \
    cudaError_t first_ = cudaGetLastError(), second_ = cudaGetLastError();                         \
    printf("%s: %s, then %s\n", #launch, cudaGetErrorName(first_), cudaGetErrorName(second_));     \
  } while (0)

int main() {
  int *x, host;
  OK(cudaMalloc(&x, 4096));
  OK(cudaMemset(x, 0, 4096));
  TRY((simple<<<1, 1>>>(x)));
  TRY((simple<<<1, 1025>>>(x)));
  TRY((simple<<<1, 0>>>(x)));
  TRY((simple<<<0, 1>>>(x)));
  TRY((simple<<<dim3(1, 65536), 1>>>(x)));
  TRY((simple<<<1, dim3(1, 1, 65)>>>(x)));
  TRY((simple<<<1, dim3(16, 16, 8)>>>(x)));
  TRY((simple<<<1, 1, 1 << 20>>>(x)));
  TRY((bounded<<<1, 129>>>(x)));
  TRY((big<<<1, 32, 17000>>>(x)));
  TRY((big<<<1, 32, 16000>>>(x)));
  TRY((simple<<<1, 1>>>(x)));
  void *args[] = {&x};
  SHOW(cudaLaunchKernel((const void *)simple, dim3(1), dim3(1), args, 0, 0));
  SHOW(cudaLaunchKernel((const void *)main, dim3(1), dim3(1), args, 0, 0));
  SHOW(cudaGetLastError());
  SHOW(cudaMemcpy(x, &host, 4, (cudaMemcpyKind)17));
  SHOW(cudaGetLastError());
  SHOW(cudaMemset(x, 0, 1ull << 40));
  SHOW(cudaGetLastError());
  SHOW(cudaSetDevice(100));
  SHOW(cudaGetLastError());
  SHOW(cudaMalloc(NULL, 16));
  SHOW(cudaFree(&host));
  SHOW(cudaFree(NULL));
  SHOW(cudaGetLastError());
  OK(cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost));
  printf("x %d\n", host);
  return 0;
}
