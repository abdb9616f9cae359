/* Shared memory is handed out in units: past a block's array, but within the unit, is memory too. */
#include "common.h"

__global__ void rotate(const int *in, int *out) {
  __shared__ int s[50];
  int i = threadIdx.x;
  s[i] = in[i]; /* 64 threads, 50 elements */
  __syncthreads();
  out[i] = s[63 - i];
}

int main() {
  int *in, *out, host[64];
  for (int i = 0; i < 64; i++)
    host[i] = i * i;
  OK(cudaMalloc(&in, sizeof host));
  OK(cudaMalloc(&out, sizeof host));
  OK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  rotate<<<1, 64>>>(in, out);
  SHOW(cudaDeviceSynchronize());
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  printf("%d %d %d %d\n", host[0], host[13], host[14], host[63]);
  return 0;
}
