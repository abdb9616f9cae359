/* Lambdas as kernel arguments: captured by value, made on the device, and built for both sides. */
#include "common.h"

template <typename F> __global__ void for_each(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    f(i);
}

template <typename F> __device__ int twice(F f, int x) {
  return f(f(x));
}

struct point {
  double x, y;
};

struct settings {
  char tag;
  double shift[3];
  short scale;
};

int main() {
  const int n = 700;
  int *data, host[n];
  point *points, at[n];
  OK(cudaMalloc(&data, sizeof host));
  OK(cudaMalloc(&points, sizeof at));
  int factor = 3;
  for_each<<<4, 64>>>(n, [=] __device__(int i) { data[i] = i * factor; });
  for_each<<<3, 32>>>(n, [=] __device__(int i) {
    auto step = [&](int x) { return x * 2 + factor; };
    data[i] += twice(step, i);
  });
  settings big = {1, {0.5, 1.5, 2.5}, 4};
  for_each<<<2, 128>>>(n, [=] __device__(int i) {
    points[i].x = big.shift[i % 3] + i;
    points[i].y = big.scale * points[i].x - big.tag;
  });
  auto both = [=] __host__ __device__(int i) { return (i * 2654435761u) >> 20; };
  unsigned *hashes, h[n];
  OK(cudaMalloc(&hashes, sizeof h));
  for_each<<<1, 256>>>(n, [=] __device__(int i) { hashes[i] = both(i); });
  OK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(at, points, sizeof at, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(h, hashes, sizeof h, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; i++)
    wrong += h[i] != both(i) || host[i] != i * 3 + (i * 2 + 3) * 2 + 3;
  printf("wrong %d, %d %d, %g %g, sums %08x %08x %08x\n", wrong, host[1], host[n - 1], at[1].x,
         at[n - 1].y, checksum(host, sizeof host), checksum(at, sizeof at), checksum(h, sizeof h));
  return wrong != 0;
}
