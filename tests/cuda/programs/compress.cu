/* Built four times: its PTX lies in the program as it is, as LZ4 and as zstd, and must be the same.
 */
#include "common.h"

__constant__ unsigned char key[] = "the same text in each of the four";

__global__ void scramble(unsigned char *x, int n, unsigned rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = x[i] | (unsigned)i << 8;
#pragma unroll 16
  for (unsigned r = 0; r < 16; r++)
    v = (v ^ key[(i + r) % (sizeof key - 1)]) * 2246822519u + (v >> 13);
  for (unsigned r = 0; r < rounds; r++)
    v ^= v << 5 ^ v >> 7;
  x[i] = (unsigned char)(v >> 11);
}

__global__ void fold(const unsigned char *x, int n, unsigned *out) {
  __shared__ unsigned part[64];
  unsigned v = 0;
  for (int i = threadIdx.x; i < n; i += 64)
    v = v * 31 + x[i];
  part[threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 64; i++)
      v = v * 17 + part[i];
    *out = v;
  }
}

int main() {
  const int n = 3000;
  static unsigned char host[n];
  unsigned char *x;
  unsigned *out, folded;
  OK(cudaMalloc(&x, n));
  OK(cudaMalloc(&out, sizeof *out));
  OK(cudaMemset(x, 0x21, n));
  scramble<<<(n + 127) / 128, 128>>>(x, n, 3);
  fold<<<1, 64>>>(x, n, out);
  OK(cudaMemcpy(host, x, n, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&folded, out, sizeof folded, cudaMemcpyDeviceToHost));
  printf("%02x %02x, sums %08x %08x\n", host[0], host[n - 1], folded, checksum(host, n));
  return 0;
}
