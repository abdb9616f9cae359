/* Preferences between L1 and shared memory of the older kind, for a kernel and for the device, in
 * the runtime and in the driver. */
#include <cuda.h>

#include "common.h"

__global__ void fold(const int *in, int *out) {
  __shared__ int part[128];
  part[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] ^= part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

int main() {
  enum { BLOCKS = 9, N = BLOCKS * 128 };
  int host[N], *in, *out;
  unsigned seed = 5;
  for (int i = 0; i < N; i++)
    host[i] = (int)next_random(&seed);
  OK(cudaMalloc(&in, sizeof host));
  OK(cudaMalloc(&out, BLOCKS * sizeof(int)));
  OK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  cudaFuncCache c;
  CUfunc_cache d;
  SHOW(cudaDeviceGetCacheConfig(&c));
  printf("device at first %d\n", (int)c);
  for (int v : {0, 1, 2, 3, 4, -1}) {
    cudaError_t s = cudaDeviceSetCacheConfig((cudaFuncCache)v);
    printf("device %d: %s", v, cudaGetErrorName(s));
    cudaGetLastError();
    OK(cudaDeviceGetCacheConfig(&c));
    int asked = cuCtxGetCacheConfig(&d);
    printf(", is %d, the driver says %d (%d)\n", (int)c, (int)d, asked);
    s = cudaFuncSetCacheConfig(fold, (cudaFuncCache)v);
    printf("kernel %d: %s\n", v, cudaGetErrorName(s));
    cudaGetLastError();
    fold<<<BLOCKS, 128>>>(in, out);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(host, out, BLOCKS * sizeof(int), cudaMemcpyDeviceToHost));
    printf("sum %08x\n", checksum(host, BLOCKS * sizeof(int)));
  }
  cudaFunction_t f;
  OK(cudaGetFuncBySymbol(&f, (const void *)fold));
  for (int v : {2, 0, 3, 7}) {
    int s = cuCtxSetCacheConfig((CUfunc_cache)v), t = cuFuncSetCacheConfig(f, (CUfunc_cache)v);
    OK(cudaDeviceGetCacheConfig(&c));
    printf("driver %d: %d %d, device is %d\n", v, s, t, (int)c);
  }
  SHOW(cudaFuncSetCacheConfig((const void *)&seed, cudaFuncCachePreferL1));
  return 0;
}
