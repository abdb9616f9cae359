/* __syncthreads in an arm so short that its instructions are guarded, not jumped over: the whole
 * warp counts and waits, though only some of its threads are in the arm. */
#include "common.h"

__global__ void last_half(const int *in, int *out) {
  __shared__ int part[64];
  int t = threadIdx.x;
  part[t] = in[t];
  __syncthreads();
  if (t % 32 < 16) {
    part[t] += part[t + 16];
    __syncthreads();
  }
  if (t % 32 < 8) {
    part[t] += part[t + 8];
    __syncthreads();
  }
  __syncthreads();
  out[t] = part[t] * 2 + part[0];
}

int main() {
  unsigned seed = 50;
  int data[64], host[64], *in, *out;
  for (int &x : data)
    x = next_random(&seed) % 1000;
  OK(cudaMalloc(&in, sizeof data));
  OK(cudaMalloc(&out, sizeof host));
  OK(cudaMemcpy(in, data, sizeof data, cudaMemcpyHostToDevice));
  last_half<<<1, 64>>>(in, out);
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  printf("last_half %d %d %d, sum %08x\n", host[0], host[20], host[63],
         checksum(host, sizeof host));
  return 0;
}
