/* Blocks whose last warp is not full: lanes that never were, read by shuffles of every kind. */
#include "common.h"

template <class T> __device__ T warp_sum(T v) {
  for (int d = 16; d > 0; d >>= 1)
    v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}

__global__ void block_sums(const double *in, double *sums, int *turned) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double s = warp_sum(in[i]);
  if (threadIdx.x % 32 == 0) sums[blockIdx.x * 4 + threadIdx.x / 32] = s;
  turned[i] = __shfl_sync(0xffffffffu, i + 1, 31 - threadIdx.x % 32) +
              1000 * __shfl_xor_sync(0xffffffffu, i + 1, 8) +
              1000000 * __shfl_up_sync(0xffffffffu, i + 1, 1);
}

int main() {
  const int blocks = 3, most = 4 * 32 * blocks;
  double host_in[most], host_sums[4 * blocks], *in, *sums;
  int host_turned[most], *turned;
  for (int i = 0; i < most; i++)
    host_in[i] = i * 0.5 + 1;
  OK(cudaMalloc(&in, sizeof host_in));
  OK(cudaMalloc(&sums, sizeof host_sums));
  OK(cudaMalloc(&turned, sizeof host_turned));
  OK(cudaMemcpy(in, host_in, sizeof host_in, cudaMemcpyHostToDevice));
  for (int threads : {1, 7, 16, 33, 40, 63, 65, 100, 127}) {
    OK(cudaMemset(sums, 0, sizeof host_sums));
    OK(cudaMemset(turned, 0, sizeof host_turned));
    block_sums<<<blocks, threads>>>(in, sums, turned);
    OK(cudaMemcpy(host_sums, sums, sizeof host_sums, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(host_turned, turned, sizeof host_turned, cudaMemcpyDeviceToHost));
    int last = (threads - 1) / 32;
    printf("%3d threads: %g, last warp %g, turned %d %d, sum %08x\n", threads, host_sums[0],
           host_sums[last], host_turned[0], host_turned[threads - 1],
           checksum(host_turned, sizeof host_turned));
  }
  return 0;
}
