/* The second unit: same names, other meaning. */
#include "common.h"
#include "two_units.h"

static __constant__ int bias = -1;
static __device__ int visits = 1000;

static __global__ void shift(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    data[i] = data[i] * 2 + bias;
    atomicAdd(&visits, 2);
  }
}

int second_unit(int *data, int n) {
  int count;
  shift<<<(n + 31) / 32, 32>>>(data, n);
  OK(cudaGetLastError());
  OK(cudaMemcpyFromSymbol(&count, visits, sizeof count));
  return count;
}

void second_set_bias(int value) {
  OK(cudaMemcpyToSymbol(bias, &value, sizeof value));
}
