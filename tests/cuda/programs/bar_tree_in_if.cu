/* A sum over a block whose barrier stands inside the condition: only those who add come to it. */
#include "common.h"

__global__ void tree(const int *in, int *out) {
  __shared__ int part[256];
  int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) {
      part[t] += part[t + half];
      __syncthreads();
    }
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

int main() {
  const int blocks = 6;
  unsigned seed = 30;
  int host[blocks * 256], sums[blocks], *in, *out;
  for (int &x : host)
    x = next_random(&seed) % 100000;
  OK(cudaMalloc(&in, sizeof host));
  OK(cudaMalloc(&out, sizeof sums));
  OK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  tree<<<blocks, 256>>>(in, out);
  OK(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
  for (int b = 0; b < blocks; b++) {
    int want = 0;
    for (int i = 0; i < 256; i++)
      want += host[b * 256 + i];
    printf("block %d: %d %s\n", b, sums[b], sums[b] == want ? "right" : "wrong");
  }
  return 0;
}
