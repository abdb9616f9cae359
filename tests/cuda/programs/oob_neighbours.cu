/* Small allocations lie side by side: an index that runs over the end of one writes the next. */
#include "common.h"

__global__ void scatter(int *a, const int *where, int n) {
  int i = threadIdx.x;
  if (i < n) a[where[i]] = 1000 + i;
}

int main() {
  const int n = 128, k = 4;
  int *a, *b, *where, host[n], at[k] = {0, 127, 128, 255};
  OK(cudaMalloc(&a, n * sizeof *a));
  OK(cudaMalloc(&b, n * sizeof *b));
  OK(cudaMalloc(&where, sizeof at));
  OK(cudaMemset(a, 0, n * sizeof *a));
  OK(cudaMemset(b, 0, n * sizeof *b));
  OK(cudaMemcpy(where, at, sizeof at, cudaMemcpyHostToDevice));
  printf("distance %d\n", (int)(b - a));
  scatter<<<1, 32>>>(a, where, k);
  SHOW(cudaDeviceSynchronize());
  OK(cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost));
  printf("a: %d %d\n", host[0], host[127]);
  OK(cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost));
  printf("b: %d %d\n", host[0], host[127]);
  return 0;
}
