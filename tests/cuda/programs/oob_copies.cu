/* The host's copies and fills are checked against the allocation, whatever lies behind it. */
#include "common.h"

__global__ void set(char *p, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    p[i] = (char)i;
}

int main() {
  char *a, *b, host[1024];
  OK(cudaMalloc(&a, 400));
  OK(cudaMalloc(&b, 400));
  set<<<1, 64>>>(a, 512);
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaMemcpy(host, a, 400, cudaMemcpyDeviceToHost));
  SHOW(cudaMemcpy(host, a, 401, cudaMemcpyDeviceToHost));
  SHOW(cudaMemcpy(host, a, 1000, cudaMemcpyDeviceToHost));
  SHOW(cudaMemcpy(a, host, 401, cudaMemcpyHostToDevice));
  SHOW(cudaMemcpy(a, b, 401, cudaMemcpyDeviceToDevice));
  SHOW(cudaMemset(a, 0, 401));
  SHOW(cudaMemcpy(host, a, 400, cudaMemcpyDeviceToHost));
  printf("%d %d sum %08x\n", host[0], host[399], checksum(host, 400));
  return 0;
}
