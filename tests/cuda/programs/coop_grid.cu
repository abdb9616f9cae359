/* A cooperative launch: all blocks wait for each other between the steps of one kernel. */
#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

/* Each round adds to an element its neighbour's value of the round before. */
__global__ void rounds(int *a, int *b, int n, int count) {
  cg::grid_group grid = cg::this_grid();
  for (int r = 0; r < count; r++) {
    for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size())
      b[i] = a[i] + a[(i + 1) % n];
    grid.sync();
    int *swap = a;
    a = b;
    b = swap;
  }
}

__global__ void tiles(int *out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int v = (int)block.thread_rank();
  for (int d = tile.size() / 2; d > 0; d /= 2)
    v += tile.shfl_down(v, d);
  v = tile.shfl(v, 0);
  block.sync();
  unsigned long long odd = tile.ballot(block.thread_rank() % 3 == 0);
  out[block.thread_rank()] = v * 1000 + (int)odd + (int)tile.meta_group_rank() * 1000000;
}

int main() {
  const int n = 1000;
  int host[n], *a, *b, count = 7, size = n;
  for (int i = 0; i < n; i++)
    host[i] = i % 17;
  OK(cudaMalloc(&a, sizeof host));
  OK(cudaMalloc(&b, sizeof host));
  OK(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice));
  void *args[] = {&a, &b, &size, &count};
  OK(cudaLaunchCooperativeKernel((void *)rounds, dim3(4), dim3(64), args, 0, 0));
  OK(cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost));
  printf("%d %d, sum %08x\n", host[0], host[n - 1], checksum(host, sizeof host));
  tiles<<<1, 64>>>(a);
  OK(cudaMemcpy(host, a, 64 * sizeof(int), cudaMemcpyDeviceToHost));
  printf("%d %d %d, sum %08x\n", host[0], host[9], host[63], checksum(host, 64 * sizeof(int)));
  int blocks, units;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rounds, 64, 0));
  OK(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, 0));
  SHOW(cudaLaunchCooperativeKernel((void *)rounds, dim3(blocks * units + 1), dim3(64), args, 0, 0));
  SHOW(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  return 0;
}
