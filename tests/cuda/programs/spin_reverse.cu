/* Every block waits for the one after it: the last of the grid goes first. */
#include "common.h"
#include <cuda/atomic>

__global__ void chain(int *done, unsigned *values) {
  using flag = cuda::atomic_ref<int, cuda::thread_scope_device>;
  unsigned b = blockIdx.x, v = 1;
  if (threadIdx.x == 0) {
    if (b + 1 < gridDim.x) {
      while (flag(done[b + 1]).load(cuda::memory_order_acquire) == 0) {
      }
      v = values[b + 1];
    }
    values[b] = v * 33 + b;
    flag(done[b]).store(1, cuda::memory_order_release);
  }
}

int main() {
  const int n = 2000;
  int *done;
  unsigned *values, host[n];
  OK(cudaMalloc(&done, n * sizeof *done));
  OK(cudaMalloc(&values, sizeof host));
  OK(cudaMemset(done, 0, n * sizeof *done));
  chain<<<n, 32>>>(done, values);
  OK(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost));
  printf("first %u, last %u, sum %08x\n", host[0], host[n - 1], checksum(host, sizeof host));
  return 0;
}
