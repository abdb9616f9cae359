/* One shuffle of all lanes, called from functions on both sides of a branch. */
#include "common.h"

__device__ __noinline__ int left(int v, int from) {
  return __shfl_sync(0xffffffffu, v * 3, from) + 1;
}
__device__ __noinline__ int right(int v, int from) {
  int x = v * 5 + 7;
  return __shfl_sync(0xffffffffu, x, from) * 2;
}

__global__ void meet(const int *side, const int *from, int *out) {
  int lane = threadIdx.x % 32, t = threadIdx.x;
  if (side[t] == 2) return;
  out[t] = side[t] ? left(lane, from[t]) : right(lane, from[t]);
  out[t] += 100000 * __popc(__ballot_sync(0xffffffffu, out[t] & 1));
}

int main() {
  unsigned seed = 21;
  int side[64], from[64], host[64], *in, *out;
  OK(cudaMalloc(&in, 128 * sizeof(int)));
  OK(cudaMalloc(&out, sizeof host));
  for (int round = 0; round < 6; round++) {
    for (int i = 0; i < 64; i++) {
      side[i] = next_random(&seed) % (round < 3 ? 2 : 3);
      from[i] = next_random(&seed) % 32;
    }
    OK(cudaMemcpy(in, side, sizeof side, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(in + 64, from, sizeof from, cudaMemcpyHostToDevice));
    OK(cudaMemset(out, 0, sizeof host));
    meet<<<1, 64>>>(in, in + 64, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d: %d %d %d %d, sum %08x\n", round, host[0], host[1], host[40], host[63],
           checksum(host, sizeof host));
  }
  return 0;
}
