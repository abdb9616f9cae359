/* Breadth-first search with queues of frontiers; warps reserve room for all their lanes at once. */
#include "common.h"
#include <cooperative_groups.h>
#include <vector>
namespace cg = cooperative_groups;

__global__ void expand(const int *start, const int *edges, int *level, const int *frontier,
                       int count, int *next, int *next_count, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int node = frontier[i];
  for (int e = start[node]; e < start[node + 1]; e++) {
    int to = edges[e];
    if (atomicCAS(&level[to], -1, depth) == -1) {
      cg::coalesced_group now = cg::coalesced_threads();
      int at = 0;
      if (now.thread_rank() == 0) at = atomicAdd(next_count, (int)now.size());
      next[now.shfl(at, 0) + now.thread_rank()] = to;
    }
  }
}

int main() {
  const int nodes = 1200;
  std::vector<int> start(nodes + 1), edges, level(nodes, -1);
  unsigned seed = 101;
  for (int v = 0; v < nodes; v++) {
    start[v] = edges.size();
    int degree = v % 97 == 0 ? 40 : next_random(&seed) % 4;
    for (int k = 0; k < degree; k++)
      edges.push_back(next_random(&seed) % nodes);
  }
  start[nodes] = edges.size();
  int *d_start, *d_edges, *d_level, *d_queue[2], *d_count;
  OK(cudaMalloc(&d_start, start.size() * 4));
  OK(cudaMalloc(&d_edges, edges.size() * 4));
  OK(cudaMalloc(&d_level, nodes * 4));
  OK(cudaMalloc(&d_queue[0], nodes * 4));
  OK(cudaMalloc(&d_queue[1], nodes * 4));
  OK(cudaMallocHost(&d_count, 4));
  OK(cudaMemcpy(d_start, start.data(), start.size() * 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_edges, edges.data(), edges.size() * 4, cudaMemcpyHostToDevice));
  int source = 7 * 97;
  level[source] = 0;
  OK(cudaMemcpy(d_level, level.data(), nodes * 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_queue[0], &source, 4, cudaMemcpyHostToDevice));
  int count = 1, depth = 0;
  while (count) {
    printf("depth %d: %d\n", depth, count);
    *d_count = 0;
    expand<<<(count + 63) / 64, 64>>>(d_start, d_edges, d_level, d_queue[depth & 1], count,
                                      d_queue[~depth & 1], d_count, depth + 1);
    OK(cudaDeviceSynchronize());
    count = *d_count;
    depth++;
  }
  OK(cudaMemcpy(level.data(), d_level, nodes * 4, cudaMemcpyDeviceToHost));
  printf("levels %08x\n", checksum(level.data(), nodes * 4));
}
