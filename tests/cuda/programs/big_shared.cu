/* More shared memory than a launch gets by itself: it must be asked for first. */
#include "common.h"

extern __shared__ unsigned char room[];

/* Turns the array round through shared memory, one block for all of it. */
__global__ void reverse(const unsigned *in, unsigned *out, int n) {
  unsigned *part = (unsigned *)room;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    part[n - 1 - i] = in[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = part[i] + 1;
}

/* Two arrays of different types in one dynamic allocation. */
__global__ void split(double *out) {
  double *d = (double *)room;
  short *s = (short *)(d + 64);
  d[threadIdx.x] = threadIdx.x * 1.5;
  s[threadIdx.x] = (short)(threadIdx.x * threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = d[63 - threadIdx.x] + s[(threadIdx.x + 1) % 64];
}

int main() {
  const int n = 15000; /* 60,000 bytes: every machine since compute capability 7.5 has that */
  const int bytes = n * (int)sizeof(unsigned);
  static unsigned host[n];
  unsigned *in, *out;
  OK(cudaMalloc(&in, bytes));
  OK(cudaMalloc(&out, bytes));
  for (int i = 0; i < n; i++)
    host[i] = i * 7;
  OK(cudaMemcpy(in, host, bytes, cudaMemcpyHostToDevice));
  reverse<<<1, 256, bytes>>>(in, out, n);
  SHOW(cudaGetLastError());
  OK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  OK(cudaFuncSetAttribute(reverse, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
  reverse<<<1, 256, bytes>>>(in, out, n);
  OK(cudaGetLastError());
  OK(cudaMemcpy(host, out, bytes, cudaMemcpyDeviceToHost));
  printf("%u %u, sum %08x\n", host[0], host[n - 1], checksum(host, bytes));
  cudaFuncAttributes a;
  OK(cudaFuncGetAttributes(&a, reverse));
  printf("allowed %d, static %zu\n", a.maxDynamicSharedSizeBytes, a.sharedSizeBytes);
  SHOW(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 24));
  SHOW(cudaGetLastError());
  double *d, values[64];
  OK(cudaMalloc(&d, sizeof values));
  OK(cudaFuncSetCacheConfig(split, cudaFuncCachePreferShared));
  split<<<1, 64, 64 * (sizeof(double) + sizeof(short))>>>(d);
  OK(cudaMemcpy(values, d, sizeof values, cudaMemcpyDeviceToHost));
  printf("%g %g, sum %08x\n", values[0], values[63], checksum(values, sizeof values));
  return 0;
}
