/* Vector loads and stores that round a length up to whole vectors: the last straddles the end. */
#include "common.h"

__global__ void scale(const float4 *x, float4 *y, int n_vectors) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n_vectors) return;
  float4 v = x[i];
  y[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
}

int main() {
  const int n = 1001;
  float *x, *y, host[n];
  OK(cudaMalloc(&x, n * sizeof *x));
  OK(cudaMalloc(&y, n * sizeof *y));
  for (int i = 0; i < n; i++)
    host[i] = (float)i;
  OK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
  scale<<<2, 128>>>((const float4 *)x, (float4 *)y, (n + 3) / 4);
  SHOW(cudaDeviceSynchronize());
  OK(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
  printf("%g %g %g sum %08x\n", host[0], host[999], host[1000], checksum(host, sizeof host));
  return 0;
}
