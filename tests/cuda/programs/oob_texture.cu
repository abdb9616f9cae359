/* Texels outside of a texture over linear memory are zero, wherever they would lie. */
#include "common.h"

__global__ void fetch(cudaTextureObject_t t, const int *at, unsigned *out) {
  out[threadIdx.x] = tex1Dfetch<unsigned>(t, at[threadIdx.x]);
}

int main() {
  const int n = 100, k = 6;
  unsigned *x, *out, host[n], got[k];
  int *where, at[k] = {0, 99, 100, 127, -1, 100000};
  for (int i = 0; i < n; i++)
    host[i] = 7 + i;
  OK(cudaMalloc(&x, sizeof host));
  OK(cudaMalloc(&out, sizeof got));
  OK(cudaMalloc(&where, sizeof at));
  OK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(where, at, sizeof at, cudaMemcpyHostToDevice));
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = x;
  r.res.linear.desc = cudaCreateChannelDesc<unsigned>();
  r.res.linear.sizeInBytes = sizeof host;
  cudaTextureDesc d = {};
  cudaTextureObject_t t;
  OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  fetch<<<1, k>>>(t, where, out);
  SHOW(cudaDeviceSynchronize());
  OK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
  for (int i = 0; i < k; i++)
    printf("texel %d: %u\n", at[i], got[i]);
  return 0;
}
