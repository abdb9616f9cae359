/* Functions that call themselves and each other, with arrays of their own on the stack. */
#include "common.h"

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__device__ int is_odd(int n);
__device__ __noinline__ int is_even(int n) {
  return n == 0 ? 1 : is_odd(n - 1);
}
__device__ __noinline__ int is_odd(int n) {
  return n == 0 ? 0 : is_even(n - 1);
}

/* Towers of Hanoi: the moves, as a hash. */
__device__ void hanoi(int n, int from, int to, unsigned *hash) {
  if (n == 0) return;
  int other = 3 - from - to;
  hanoi(n - 1, from, other, hash);
  *hash = *hash * 31 + from * 3 + to;
  hanoi(n - 1, other, to, hash);
}

__device__ int permutations(int *at, int k, int n) {
  if (k == n) return at[0] < at[n - 1];
  int count = 0;
  for (int i = k; i < n; i++) {
    int mine[5];
    for (int j = 0; j < n; j++)
      mine[j] = at[j];
    mine[k] = at[i];
    mine[i] = at[k];
    count += permutations(mine, k + 1, n);
  }
  return count;
}

__global__ void run(int *out) {
  int i = threadIdx.x;
  unsigned hash = 1;
  hanoi(i % 6, 0, 2, &hash);
  int order[5] = {i % 2, 1 - i % 2, 2, 3, 4};
  out[i * 4] = fibonacci(i % 11);
  out[i * 4 + 1] = is_even(i);
  out[i * 4 + 2] = (int)hash;
  out[i * 4 + 3] = permutations(order, 0, 3 + i % 2);
}

int main() {
  int *out, host[32 * 4];
  size_t bytes;
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
  OK(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
  printf("stack %d\n", bytes >= 8192);
  OK(cudaMalloc(&out, sizeof host));
  run<<<1, 32>>>(out);
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i += 7)
    printf("%d: %d %d %08x %d\n", i, host[i * 4], host[i * 4 + 1], host[i * 4 + 2],
           host[i * 4 + 3]);
  printf("sum %08x\n", checksum(host, sizeof host));
  return 0;
}
