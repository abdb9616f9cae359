/* Warps with different roles, each with a loop and barriers of its own: they meet at the same
 * barrier from three places. */
#include "common.h"

__global__ void roles(int rounds, int *out) {
  __shared__ int work[32], done[32];
  int lane = threadIdx.x % 32, role = threadIdx.x / 32, sum = 0;
  if (role == 0) {
    for (int r = 0; r < rounds; r++) {
      work[lane] = r * 64 + lane;
      __syncthreads();
      __syncthreads();
      sum += done[31 - lane];
    }
  } else if (role == 1) {
    int r = 0;
    do {
      __syncthreads();
      done[lane] = work[lane] * work[(lane + 1) % 32];
      __syncthreads();
      sum ^= done[lane] + r;
    } while (++r < rounds);
  } else {
    for (int i = 0; i < 2 * rounds; i++) {
      __syncthreads();
      if (i % 2 == 0) sum += work[lane];
    }
  }
  out[blockIdx.x * 96 + threadIdx.x] = sum;
}

int main() {
  int host[192], *out;
  OK(cudaMalloc(&out, sizeof host));
  for (int rounds : {1, 2, 5, 40}) {
    roles<<<2, 96>>>(rounds, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d rounds: %d %d %d, sum %08x\n", rounds, host[0], host[32], host[191],
           checksum(host, sizeof host));
  }
  return 0;
}
