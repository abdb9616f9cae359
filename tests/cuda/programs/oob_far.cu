/* Past mapped memory, and far from any, an access is an error, and it stays. */
#include "common.h"

__global__ void reach(const char *p, long long distance, char *out) {
  *out = p[distance];
}

int main() {
  char *x, *out, c;
  OK(cudaMalloc(&x, 4 << 20));
  OK(cudaMalloc(&out, 1));
  OK(cudaMemset(x, 1, 4 << 20));
  reach<<<1, 1>>>(x, (4 << 20) - 1, out);
  SHOW(cudaDeviceSynchronize());
  OK(cudaMemcpy(&c, out, 1, cudaMemcpyDeviceToHost));
  printf("%d\n", c);
  reach<<<1, 1>>>(x, 1ll << 38, out);
  SHOW(cudaDeviceSynchronize());
  SHOW(cudaMemcpy(&c, out, 1, cudaMemcpyDeviceToHost));
  SHOW(cudaMalloc(&x, 4));
  return 0;
}
