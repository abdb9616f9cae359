/* A loop with a barrier that warps go through a different number of times, and lanes of a warp as
 * well. */
#include "common.h"

__global__ void loops(const int *trips, int *counts, int *out) {
  int t = threadIdx.x, seen = 0;
  for (int i = 0; i < trips[t]; i++) {
    atomicAdd(&counts[i], 1);
    __threadfence();
    __syncthreads();
    seen = seen * 3 + *(volatile int *)&counts[i];
  }
  out[t] = seen;
}

int main() {
  unsigned seed = 40;
  int trips[128], host[128], *in, *counts, *out;
  OK(cudaMalloc(&in, sizeof trips));
  OK(cudaMalloc(&counts, 32 * sizeof(int)));
  OK(cudaMalloc(&out, sizeof host));
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < 128; i++)
      trips[i] = round == 0   ? 1 + i / 32
                 : round == 1 ? 4 - i / 32
                 : round == 2 ? 1 + i % 7
                              : next_random(&seed) % 9;
    OK(cudaMemcpy(in, trips, sizeof trips, cudaMemcpyHostToDevice));
    OK(cudaMemset(counts, 0, 32 * sizeof(int)));
    loops<<<1, 128>>>(in, counts, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d: %d %d %d, sum %08x\n", round, host[0], host[50], host[127],
           checksum(host, sizeof host));
  }
  return 0;
}
