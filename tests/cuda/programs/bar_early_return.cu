/* Threads, and whole warps, return before and between the barriers of the others. */
#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void ragged(const int *rounds, int *out) {
  __shared__ int turn[160];
  cg::thread_block block = cg::this_thread_block();
  int t = threadIdx.x, mine = rounds[t], v = t;
  if (mine == 0) return;
  turn[t] = 0;
  for (int r = 1;; r++) {
    turn[t] = r * 1000 + t;
    block.sync();
    int there = turn[(t + 1) % 160]; /* of who left early it is old, or never was */
    v = v * 31 + (rounds[(t + 1) % 160] >= r ? there : 5);
    block.sync();
    if (r == mine) break;
  }
  out[t] = v;
}

int main() {
  unsigned seed = 8;
  int rounds[160], host[160], *in, *out;
  OK(cudaMalloc(&in, sizeof rounds));
  OK(cudaMalloc(&out, sizeof host));
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < 160; i++)
      rounds[i] = round == 0 ? i / 32 : round == 1 ? i / 40 + 1 : next_random(&seed) % 5;
    OK(cudaMemcpy(in, rounds, sizeof rounds, cudaMemcpyHostToDevice));
    OK(cudaMemset(out, 0, sizeof host));
    ragged<<<1, 160>>>(in, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d: %d %d %d, sum %08x\n", round, host[1], host[77], host[159],
           checksum(host, sizeof host));
  }
  return 0;
}
