/* Queens on a board, counted without recursion, with the runtime linked in as nvcc does by default.
 */
#include "common.h"
#include <vector>

struct Start {
  unsigned cols, left, right;
};

__global__ void count(const Start *starts, int n, int size, int rows,
                      unsigned long long *solutions) {
  extern __shared__ unsigned stack[];
  int id = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x, b = blockDim.x;
  unsigned long long found = 0;
  if (id < n) {
    const unsigned all = (1u << size) - 1;
    Start s = starts[id];
    int depth = 0;
    unsigned cols = s.cols, left = s.left, right = s.right, open = all & ~(cols | left | right);
    for (;;) {
      if (open == 0) {
        if (depth-- == 0) break;
        open = stack[(depth * 4 + 0) * b + t];
        cols = stack[(depth * 4 + 1) * b + t];
        left = stack[(depth * 4 + 2) * b + t];
        right = stack[(depth * 4 + 3) * b + t];
        continue;
      }
      unsigned bit = open & -open;
      open ^= bit;
      if (depth + 1 == rows) {
        found++;
        continue;
      }
      stack[(depth * 4 + 0) * b + t] = open;
      stack[(depth * 4 + 1) * b + t] = cols;
      stack[(depth * 4 + 2) * b + t] = left;
      stack[(depth * 4 + 3) * b + t] = right;
      depth++;
      cols |= bit;
      left = (left | bit) << 1;
      right = (right | bit) >> 1;
      open = all & ~(cols | left | right);
    }
  }
  for (int d = 16; d; d /= 2)
    found += __shfl_down_sync(~0u, found, d);
  if ((t & 31) == 0 && found) atomicAdd(solutions, found);
}

int main() {
  for (int size = 5; size <= 9; size++) {
    std::vector<Start> starts;
    unsigned all = (1u << size) - 1;
    for (int a = 0; a < size; a++)
      for (int b = 0; b < size; b++) {
        unsigned p = 1u << a, q = 1u << b;
        if (q & (p | p << 1 | p >> 1)) continue;
        starts.push_back({p | q, ((p << 1 | q) << 1) & all, (p >> 1 | q) >> 1});
      }
    Start *d_starts;
    unsigned long long *d_found, found;
    OK(cudaMalloc(&d_starts, starts.size() * sizeof(Start)));
    OK(cudaMalloc(&d_found, 8));
    OK(cudaMemset(d_found, 0, 8));
    OK(cudaMemcpy(d_starts, starts.data(), starts.size() * sizeof(Start), cudaMemcpyHostToDevice));
    count<<<((int)starts.size() + 31) / 32, 32, (size - 2) * 4 * 32 * sizeof(unsigned)>>>(
        d_starts, (int)starts.size(), size, size - 2, d_found);
    OK(cudaMemcpy(&found, d_found, 8, cudaMemcpyDeviceToHost));
    printf("%d queens: %llu from %zu starts\n", size, found, starts.size());
    OK(cudaFree(d_starts));
    OK(cudaFree(d_found));
  }
}
