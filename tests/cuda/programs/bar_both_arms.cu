/* A block's sync() on both sides of a branch that lanes of one warp take apart. */
#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void arms(const int *side, int *out) {
  __shared__ int data[128];
  int t = threadIdx.x;
  cg::thread_block block = cg::this_thread_block();
  if (side[t]) {
    data[t] = t * 3;
    block.sync();
    out[t] = data[127 - t] + 1;
  } else {
    data[t] = t * 7 + 1000;
    for (int i = 0; i < t % 5; i++)
      data[t] += i;
    block.sync();
    out[t] = data[t ^ 33] * 2;
  }
}

int main() {
  unsigned seed = 1;
  int side[128], host[128], *in, *out;
  OK(cudaMalloc(&in, sizeof side));
  OK(cudaMalloc(&out, sizeof host));
  for (int round = 0; round < 5; round++) {
    for (int i = 0; i < 128; i++)
      side[i] = round == 0 ? i % 2 : round == 1 ? i < 70 : next_random(&seed) % 4 != 0;
    OK(cudaMemcpy(in, side, sizeof side, cudaMemcpyHostToDevice));
    arms<<<1, 128>>>(in, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d: %d %d %d, sum %08x\n", round, host[0], host[63], host[127],
           checksum(host, sizeof host));
  }
  return 0;
}
