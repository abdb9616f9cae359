/* A stencil that does not guard its ends: it reads one element before and one past its input, as real
 * codes do whose edge results nobody looks at. */
#include "common.h"

__global__ void smooth(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}

int main() {
  const int n = 1000;
  float *before, *in, *out, host[n];
  OK(cudaMalloc(&before, 256));
  OK(cudaMalloc(&in, n * sizeof *in));
  OK(cudaMalloc(&out, n * sizeof *out));
  for (int i = 0; i < n; i++)
    host[i] = (float)(i % 17);
  OK(cudaMemset(before, 0, 256));
  OK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  smooth<<<(n + 255) / 256, 256>>>(in, out, n);
  SHOW(cudaDeviceSynchronize());
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  printf("inner part %08x\n", checksum(host + 1, (n - 2) * sizeof *host));
  printf("edges %g %g\n", host[0], host[n - 1]);
  return 0;
}
