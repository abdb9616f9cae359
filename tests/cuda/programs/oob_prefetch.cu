/* A pipeline that fetches one tile more than there is: asynchronous copies from past the end. */
#include "common.h"
#include <cuda_pipeline.h>

enum { TILE = 64 };

__global__ void sums(const int *x, int *y, int tiles) {
  __shared__ int buffer[2][TILE];
  int t = threadIdx.x, sum = 0;
  __pipeline_memcpy_async(&buffer[0][t], &x[t], sizeof(int));
  __pipeline_commit();
  for (int k = 0; k < tiles; k++) {
    __pipeline_memcpy_async(&buffer[(k + 1) & 1][t], &x[(k + 1) * TILE + t], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += buffer[k & 1][TILE - 1 - t];
    __syncthreads();
  }
  y[t] = sum;
}

int main() {
  const int tiles = 10, n = tiles * TILE;
  int *x, *y, host[n];
  for (int i = 0; i < n; i++)
    host[i] = i * 3 % 101;
  OK(cudaMalloc(&x, sizeof host));
  OK(cudaMalloc(&y, TILE * sizeof(int)));
  OK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
  sums<<<1, TILE>>>(x, y, tiles);
  SHOW(cudaDeviceSynchronize());
  OK(cudaMemcpy(host, y, TILE * sizeof(int), cudaMemcpyDeviceToHost));
  printf("%d %d sum %08x\n", host[0], host[63], checksum(host, TILE * sizeof(int)));
  return 0;
}
