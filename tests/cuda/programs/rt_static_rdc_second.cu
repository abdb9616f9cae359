#include "common.h"

extern __device__ int step(int value);
__device__ int step(int value) {
  return value % 2 ? 3 * value + 1 : value / 2;
}

__global__ void peaks(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int peak = i + 1;
  for (int v = i + 1; v != 1; v = step(v))
    peak = max(peak, v);
  data[i] = peak;
}

int second_unit(int *data, int n) {
  peaks<<<(n + 31) / 32, 32>>>(data, n);
  OK(cudaDeviceSynchronize());
  int most = 0;
  for (int i = 0; i < n; i++)
    most = data[i] > most ? data[i] : most;
  return most;
}
