/* Relocatable device code: a kernel here uses functions and variables of the other unit. */
#include "common.h"

extern __device__ int scale(int x);
extern __device__ int calls;
extern __device__ int (*chosen)(int);
extern __constant__ float curve[8];
__device__ int own_offset = 11;

__device__ int offset_of(int x) { /* called from the other unit */
  return x % 2 ? own_offset : -own_offset;
}

__global__ void work(int *out, float *f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = scale(i) + chosen(i);
    f[i] = curve[i % 8] * (float)i;
  }
}

void choose_next();

int main() {
  const int n = 500;
  int *out, host[n], count;
  float *f, values[n];
  OK(cudaMalloc(&out, sizeof host));
  OK(cudaMalloc(&f, sizeof values));
  for (int round = 0; round < 2; round++) {
    work<<<4, 128>>>(out, f, n);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(values, f, sizeof values, cudaMemcpyDeviceToHost));
    OK(cudaMemcpyFromSymbol(&count, calls, sizeof count));
    printf("%d %d %g, calls %d, sums %08x %08x\n", host[0], host[n - 1], values[n - 1], count,
           checksum(host, sizeof host), checksum(values, sizeof values));
    float one = 10;
    OK(cudaMemcpyToSymbol(curve, &one, sizeof one, 3 * sizeof one));
    choose_next();
  }
  return 0;
}
