/* Named barriers between producing and consuming warps, which wait and arrive at different places.
 */
#include "common.h"

__device__ void wait_at(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ void arrive_at(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/* Warps 0 and 1 produce, 2 and 3 consume; two buffers, each with a barrier for full and one for
 * empty. */
__global__ void pipeline(int rounds, int *out) {
  __shared__ int buffer[2][64];
  int t = threadIdx.x % 64, sum = 0;
  if (threadIdx.x < 64) {
    for (int r = 0; r < rounds; r++) {
      int b = r % 2;
      if (r >= 2) wait_at(3 + b, 128);
      buffer[b][t] = r * 100 + t * t;
      __threadfence_block();
      arrive_at(1 + b, 128);
    }
  } else {
    for (int r = 0; r < rounds; r++) {
      int b = r % 2;
      wait_at(1 + b, 128);
      sum = sum * 3 + buffer[b][63 - t];
      if (r + 2 < rounds) arrive_at(3 + b, 128);
    }
    out[blockIdx.x * 64 + t] = sum;
  }
}

int main() {
  int host[192], *out;
  OK(cudaMalloc(&out, sizeof host));
  for (int rounds : {1, 2, 3, 10, 25}) {
    pipeline<<<3, 128>>>(rounds, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d rounds: %d %d, sum %08x\n", rounds, host[0], host[191], checksum(host, sizeof host));
  }
  return 0;
}
