/* A histogram with a bin more than was allocated: the last values are counted past the end, where a second
 * kernel finds them again. */
#include "common.h"

__global__ void count(const unsigned char *v, unsigned *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[v[i] < 100 ? v[i] : 100], 1u);
}

__global__ void collect(unsigned *bins, unsigned *sum) {
  unsigned s = 0;
  for (int i = threadIdx.x; i <= 100; i += 32)
    s += bins[i];
  for (int d = 16; d > 0; d /= 2)
    s += __shfl_down_sync(~0u, s, d);
  if (threadIdx.x == 0) {
    sum[0] = s;
    sum[1] = bins[100];
    bins[100] = 0;
  }
}

int main() {
  const int n = 10000;
  static unsigned char host[n];
  unsigned char *v;
  unsigned *bins, *sum, got[2], seed = 3;
  for (int i = 0; i < n; i++)
    host[i] = (unsigned char)(next_random(&seed) % 120);
  OK(cudaMalloc(&v, n));
  OK(cudaMalloc(&bins, 100 * sizeof *bins));
  OK(cudaMalloc(&sum, sizeof got));
  OK(cudaMemset(bins, 0, 100 * sizeof *bins));
  OK(cudaMemcpy(v, host, n, cudaMemcpyHostToDevice));
  count<<<(n + 255) / 256, 256>>>(v, bins, n);
  collect<<<1, 32>>>(bins, sum);
  SHOW(cudaDeviceSynchronize());
  OK(cudaMemcpy(got, sum, sizeof got, cudaMemcpyDeviceToHost));
  printf("counted %u, %u of them past the end\n", got[0], got[1]);
  return 0;
}
