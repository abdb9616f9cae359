/* Pinned and managed memory come in pages: what a kernel reads and writes past their end stays there. */
#include "common.h"

__global__ void shift(int *p, int n) {
  p[n + threadIdx.x] = p[threadIdx.x] * 2;
}

__global__ void back(const int *p, int n, int *out) {
  out[threadIdx.x] = p[n + threadIdx.x];
}

static void one(int *p, const char *what) {
  int *out, host[32];
  OK(cudaMalloc(&out, sizeof host));
  for (int i = 0; i < 32; i++)
    p[i] = i + 5;
  shift<<<1, 32>>>(p, 32);
  back<<<1, 32>>>(p, 32, out);
  SHOW(cudaDeviceSynchronize());
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  printf("%s: %d %d\n", what, host[0], host[31]);
}

int main() {
  int *pinned, *managed;
  OK(cudaMallocHost(&pinned, 32 * sizeof(int)));
  OK(cudaMallocManaged(&managed, 32 * sizeof(int)));
  one(pinned, "pinned");
  one(managed, "managed");
  return 0;
}
