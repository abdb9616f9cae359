/* Counting with atomics: shared, global, 64 bits, minimum and maximum, compare-and-swap. */
#include "common.h"

__global__ void count(const unsigned char *data, int n, unsigned *bins, unsigned long long *sum,
                      int *extremes) {
  __shared__ unsigned mine[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    mine[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&mine[data[i]], 1u);
    atomicAdd(sum, (unsigned long long)data[i] << 20);
    atomicMin(&extremes[0], data[i]);
    atomicMax(&extremes[1], data[i]);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (mine[i]) atomicAdd(&bins[i], mine[i]);
}

/* Largest double by compare-and-swap, and bits by and, or, exclusive or. */
__global__ void others(double *best, unsigned *bits, unsigned *wrap) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = (i * 37 % 101) * 0.25;
  unsigned long long *at = (unsigned long long *)best, old = *at, seen;
  while (__longlong_as_double(old) < v) {
    seen = atomicCAS(at, old, (unsigned long long)__double_as_longlong(v));
    if (seen == old) break;
    old = seen;
  }
  atomicOr(&bits[0], 1u << (i % 13));
  atomicAnd(&bits[1], ~(1u << (i % 7)));
  atomicXor(&bits[2], i * 2654435761u);
  atomicInc(&wrap[0], 9);
  atomicDec(&wrap[1], 9);
}

int main() {
  const int n = 8000;
  static unsigned char data[n];
  unsigned seed = 21;
  for (int i = 0; i < n; i++)
    data[i] = (unsigned char)(10 + next_random(&seed) % 200);
  unsigned char *x;
  unsigned *bins, host[256];
  unsigned long long *sum, s;
  int *extremes, e[2] = {1000, -1};
  OK(cudaMalloc(&x, n));
  OK(cudaMalloc(&bins, sizeof host));
  OK(cudaMalloc(&sum, sizeof s));
  OK(cudaMalloc(&extremes, sizeof e));
  OK(cudaMemcpy(x, data, n, cudaMemcpyHostToDevice));
  OK(cudaMemset(bins, 0, sizeof host));
  OK(cudaMemset(sum, 0, sizeof s));
  OK(cudaMemcpy(extremes, e, sizeof e, cudaMemcpyHostToDevice));
  count<<<6, 128>>>(x, n, bins, sum, extremes);
  OK(cudaMemcpy(host, bins, sizeof host, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&s, sum, sizeof s, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(e, extremes, sizeof e, cudaMemcpyDeviceToHost));
  printf("bins %u %u %u, sum %llu, from %d to %d, sum %08x\n", host[9], host[10], host[100], s,
         e[0], e[1], checksum(host, sizeof host));
  double best;
  unsigned bits[5] = {0, ~0u, 0, 0, 0};
  OK(cudaMemset(sum, 0, sizeof s));
  OK(cudaMemcpy(bins, bits, sizeof bits, cudaMemcpyHostToDevice));
  others<<<3, 96>>>((double *)sum, bins, bins + 3);
  OK(cudaMemcpy(&best, sum, sizeof best, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(bits, bins, sizeof bits, cudaMemcpyDeviceToHost));
  printf("best %g, bits %08x %08x %08x, wrapped %u %u\n", best, bits[0], bits[1], bits[2], bits[3],
         bits[4]);
  return 0;
}
