/* PageRank by pulling, with the mass of nodes without links; stops when it moves little. */
#include "common.h"
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <vector>
namespace cg = cooperative_groups;

__global__ void pull(const int *start, const int *from, const int *degree, const float *rank,
                     float *next, const float *dangling, int n) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int v = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (v >= n) return;
  float sum = 0;
  for (int e = start[v] + warp.thread_rank(); e < start[v + 1]; e += 32)
    sum += rank[from[e]] / degree[from[e]];
  sum = cg::reduce(warp, sum, cg::plus<float>());
  if (warp.thread_rank() == 0) next[v] = 0.15f / n + 0.85f * (sum + *dangling / n);
}

__global__ void loose_ends(const int *degree, const float *rank, const float *before,
                           float *dangling, float *moved, int n) {
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  __shared__ float2 part[4];
  float lost = 0, change = 0;
  for (int v = block.thread_rank(); v < n; v += block.size()) {
    if (degree[v] == 0) lost += rank[v];
    change = fmaxf(change, fabsf(rank[v] - before[v]));
  }
  lost = cg::reduce(warp, lost, cg::plus<float>());
  change = cg::reduce(warp, change, cg::greater<float>());
  if (warp.thread_rank() == 0) part[warp.meta_group_rank()] = make_float2(lost, change);
  block.sync();
  if (block.thread_rank() == 0) {
    *dangling = part[0].x + part[1].x + part[2].x + part[3].x;
    *moved = fmaxf(fmaxf(part[0].y, part[1].y), fmaxf(part[2].y, part[3].y));
  }
}

int main() {
  const int n = 300;
  std::vector<int> degree(n), start(n + 1), from;
  std::vector<std::vector<int>> in(n);
  std::vector<float> rank(n, 1.0f / n);
  unsigned seed = 55;
  for (int v = 0; v < n; v++) {
    degree[v] = v % 11 == 0 ? 0 : 1 + next_random(&seed) % 12;
    for (int k = 0; k < degree[v]; k++) {
      int to = next_random(&seed) % n;
      in[next_random(&seed) % 3 ? to % 20 : to].push_back(v);
    }
  }
  for (int v = 0; v < n; v++) {
    start[v] = from.size();
    from.insert(from.end(), in[v].begin(), in[v].end());
  }
  start[n] = from.size();
  int *d_degree, *d_start, *d_from;
  float *d_rank[2], *d_scalar, scalar[2];
  OK(cudaMalloc(&d_degree, n * 4));
  OK(cudaMalloc(&d_start, (n + 1) * 4));
  OK(cudaMalloc(&d_from, from.size() * 4));
  OK(cudaMalloc(&d_rank[0], n * 4));
  OK(cudaMalloc(&d_rank[1], n * 4));
  OK(cudaMalloc(&d_scalar, 8));
  OK(cudaMemcpy(d_degree, degree.data(), n * 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_start, start.data(), (n + 1) * 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_from, from.data(), from.size() * 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_rank[0], rank.data(), n * 4, cudaMemcpyHostToDevice));
  OK(cudaMemset(d_rank[1], 0, n * 4));
  int k = 0;
  do {
    loose_ends<<<1, 128>>>(d_degree, d_rank[k & 1], d_rank[~k & 1], d_scalar, d_scalar + 1, n);
    pull<<<(n + 3) / 4, 128>>>(d_start, d_from, d_degree, d_rank[k & 1], d_rank[~k & 1], d_scalar,
                               n);
    OK(cudaMemcpy(scalar, d_scalar, 8, cudaMemcpyDeviceToHost));
    printf("%d: dangling %a moved %a\n", k, scalar[0], scalar[1]);
    k++;
  } while (scalar[1] > 1e-5f && k < 30);
  OK(cudaMemcpy(rank.data(), d_rank[k & 1], n * 4, cudaMemcpyDeviceToHost));
  float total = 0;
  for (float r : rank)
    total += r;
  printf("ranks %08x, %.4f together\n", checksum(rank.data(), n * 4), total);
}
