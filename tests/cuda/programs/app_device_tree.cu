/* Binary search trees that threads build with malloc in the kernel, and kernels that walk and free
 * them. */
#include "common.h"

struct Node {
  int key, count;
  Node *left, *right;
};

__device__ Node *roots[64];

__device__ void insert(Node **at, int key) {
  while (*at) {
    if ((*at)->key == key) {
      (*at)->count++;
      return;
    }
    at = key < (*at)->key ? &(*at)->left : &(*at)->right;
  }
  Node *n = (Node *)malloc(sizeof(Node));
  n->key = key;
  n->count = 1;
  n->left = n->right = nullptr;
  *at = n;
}

__global__ void grow(const int *keys, int each) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  roots[t] = nullptr;
  for (int k = 0; k < each; k++)
    insert(&roots[t], keys[t * each + k]);
}

__device__ int depth(const Node *n) {
  return n ? 1 + max(depth(n->left), depth(n->right)) : 0;
}

__device__ void in_order(const Node *n, unsigned &hash, int &nodes) {
  if (!n) return;
  in_order(n->left, hash, nodes);
  hash = (hash ^ n->key * 31u ^ n->count) * 16777619u;
  nodes++;
  in_order(n->right, hash, nodes);
}

__global__ void measure(int *depths, unsigned *hashes, int *nodes) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned hash = 2166136261u;
  int count = 0;
  depths[t] = depth(roots[t]);
  in_order(roots[t], hash, count);
  hashes[t] = hash;
  nodes[t] = count;
}

__device__ int fell(Node *n) {
  if (!n) return 0;
  int sum = fell(n->left) + fell(n->right) + 1;
  free(n);
  return sum;
}

__global__ void clear(int *freed) {
  atomicAdd(freed, fell(roots[blockIdx.x * blockDim.x + threadIdx.x]));
}

int main() {
  const int each = 40;
  static int keys[64 * each], depths[64], nodes[64];
  static unsigned hashes[64];
  unsigned seed = 77;
  for (int &k : keys)
    k = next_random(&seed) % 100;
  int *d_keys, *d_depths, *d_nodes, *d_freed, freed;
  unsigned *d_hashes;
  OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
  OK(cudaMalloc(&d_keys, sizeof keys));
  OK(cudaMalloc(&d_depths, sizeof depths));
  OK(cudaMalloc(&d_nodes, sizeof nodes));
  OK(cudaMalloc(&d_hashes, sizeof hashes));
  OK(cudaMalloc(&d_freed, 4));
  OK(cudaMemset(d_freed, 0, 4));
  OK(cudaMemcpy(d_keys, keys, sizeof keys, cudaMemcpyHostToDevice));
  grow<<<2, 32>>>(d_keys, each);
  measure<<<4, 16>>>(d_depths, d_hashes, d_nodes);
  clear<<<1, 64>>>(d_freed);
  OK(cudaMemcpy(depths, d_depths, sizeof depths, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(nodes, d_nodes, sizeof nodes, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(hashes, d_hashes, sizeof hashes, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&freed, d_freed, 4, cudaMemcpyDeviceToHost));
  int all = 0, deepest = 0;
  for (int t = 0; t < 64; t++) {
    all += nodes[t];
    deepest = depths[t] > deepest ? depths[t] : deepest;
  }
  printf("%d nodes, %d freed, deepest %d, hashes %08x\n", all, freed, deepest,
         checksum(hashes, sizeof hashes));
}
