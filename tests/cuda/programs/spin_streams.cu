/* A kernel waits for a flag in device memory that a kernel of another stream, launched later, sets.
 */
#include "common.h"

__global__ void later(const volatile int *flag, const volatile int *data, int *out, int n) {
  while (*flag == 0) {
  }
  __threadfence();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = data[i] + 1;
}

__global__ void earlier(volatile int *flag, int *data, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    data[i] = i * 5;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) *flag = 1;
}

int main() {
  const int n = 1000;
  int *words, host[n];
  cudaStream_t a, b;
  cudaFuncAttributes loaded; /* so that launching it later waits for nothing */
  OK(cudaFuncGetAttributes(&loaded, earlier));
  OK(cudaFuncGetAttributes(&loaded, later));
  OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  OK(cudaMalloc(&words, (2 * n + 1) * sizeof *words));
  OK(cudaMemset(words, 0, (2 * n + 1) * sizeof *words));
  OK(cudaDeviceSynchronize());
  int *flag = words + 2 * n;
  later<<<1, 128, 0, a>>>(flag, words, words + n, n);
  earlier<<<1, 64, 0, b>>>(flag, words, n);
  OK(cudaStreamSynchronize(a));
  OK(cudaMemcpy(host, words + n, sizeof host, cudaMemcpyDeviceToHost));
  printf("first %d, last %d, sum %08x\n", host[0], host[n - 1], checksum(host, sizeof host));
  OK(cudaStreamDestroy(a));
  OK(cudaStreamDestroy(b));
  return 0;
}
