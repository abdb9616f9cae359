/* Cooperative groups of the threads that are left: coalesced groups and tiles after returns. */
#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void coalesced(const int *stay, int *out) {
  int t = threadIdx.x;
  if (!stay[t]) return;
  cg::coalesced_group g = cg::coalesced_threads();
  int v = t + 1, sum = v;
  for (unsigned d = 1; d < g.size(); d *= 2) {
    int below = g.shfl_up(sum, d);
    if (g.thread_rank() >= d) sum += below;
  }
  out[t] = sum * 1000 + g.shfl(v, g.size() - 1) * 10 + (int)(g.ballot(v % 2) != 0);
}

__global__ void tiles(const int *stay, int *out) {
  int t = threadIdx.x;
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (!stay[t / 8]) return; /* whole tiles leave */
  int v = t;
  for (int d = 4; d > 0; d /= 2)
    v += tile.shfl_down(v, d);
  int any = tile.any(t % 16 == 11);
  out[t] = v * 10 + any;
}

int main() {
  unsigned seed = 14;
  int stay[96], host[96], *in, *out;
  OK(cudaMalloc(&in, sizeof stay));
  OK(cudaMalloc(&out, sizeof host));
  for (int round = 0; round < 4; round++) {
    for (int &s : stay)
      s = next_random(&seed) % 3 != 0;
    OK(cudaMemcpy(in, stay, sizeof stay, cudaMemcpyHostToDevice));
    OK(cudaMemset(out, 0, sizeof host));
    coalesced<<<1, 90>>>(in, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("coalesced %d %d %d, sum %08x\n", host[3], host[31], host[89],
           checksum(host, sizeof host));
    OK(cudaMemset(out, 0, sizeof host));
    tiles<<<1, 96>>>(in, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("tiles %d %d %d, sum %08x\n", host[0], host[33], host[88], checksum(host, sizeof host));
  }
  return 0;
}
