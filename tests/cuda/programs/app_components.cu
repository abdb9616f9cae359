/* Connected components by union-find with atomics, and their sizes. */
#include "common.h"
#include <vector>

__device__ int root(int *parent, int v) {
  int p = parent[v];
  while (p != v) {
    int grand = parent[p];
    if (grand != p) parent[v] = grand;
    v = p;
    p = grand;
  }
  return v;
}

__global__ void hook(const int2 *edges, int count, int *parent) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  volatile int *seen = parent;
  int a = root(parent, edges[i].x), b = root(parent, edges[i].y);
  while (a != b) {
    if (a < b) {
      int t = a;
      a = b;
      b = t;
    }
    int old = atomicCAS(&parent[a], a, b);
    if (old == a) break;
    a = old;
    while (seen[a] != a)
      a = seen[a];
    while (seen[b] != b)
      b = seen[b];
  }
}

__global__ void flatten(int *parent, int *size, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int r = v;
  while (parent[r] != r)
    r = parent[r];
  parent[v] = r;
  atomicAdd(&size[r], 1);
}

int main() {
  const int n = 2000, count = 1500;
  std::vector<int2> edges(count);
  std::vector<int> parent(n), size(n);
  unsigned seed = 17;
  for (int2 &e : edges)
    e = make_int2(next_random(&seed) % n, next_random(&seed) % n);
  for (int v = 0; v < n; v++)
    parent[v] = v;
  int2 *d_edges;
  int *d_parent, *d_size;
  OK(cudaMalloc(&d_edges, count * 8));
  OK(cudaMalloc(&d_parent, n * 4));
  OK(cudaMalloc(&d_size, n * 4));
  OK(cudaMemcpy(d_edges, edges.data(), count * 8, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_parent, parent.data(), n * 4, cudaMemcpyHostToDevice));
  OK(cudaMemset(d_size, 0, n * 4));
  hook<<<(count + 95) / 96, 96>>>(d_edges, count, d_parent);
  flatten<<<(n + 255) / 256, 256>>>(d_parent, d_size, n);
  OK(cudaMemcpy(parent.data(), d_parent, n * 4, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(size.data(), d_size, n * 4, cudaMemcpyDeviceToHost));
  int components = 0, largest = 0, apart = 0;
  for (int v = 0; v < n; v++) {
    components += parent[v] == v;
    if (size[v] > size[largest]) largest = v;
  }
  for (int2 e : edges)
    apart += parent[e.x] != parent[e.y];
  printf("%d components, %d edges between them, largest %d with %d\n", components, apart, largest,
         size[largest]);
  printf("labels %08x sizes %08x\n", checksum(parent.data(), n * 4), checksum(size.data(), n * 4));
}
