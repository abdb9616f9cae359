/* Two units, compiled apart: kernels and variables of the same names belong to the unit that has
 * them. */
#include "common.h"
#include "two_units.h"

static __constant__ int bias = 100;
static __device__ int visits;

static __global__ void shift(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    data[i] += bias;
    atomicAdd(&visits, 1);
  }
}

int main() {
  const int n = 200;
  int host[n], *data, count;
  for (int i = 0; i < n; i++)
    host[i] = i;
  OK(cudaMalloc(&data, sizeof host));
  OK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
  shift<<<2, 128>>>(data, n);
  printf("second's visits %d\n", second_unit(data, n));
  second_set_bias(7);
  printf("second's visits %d\n", second_unit(data, n));
  shift<<<2, 128>>>(data, n);
  OK(cudaMemcpyFromSymbol(&count, visits, sizeof count));
  OK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
  printf("first's visits %d\n", count);
  printf("%d %d, sum %08x\n", host[0], host[n - 1], checksum(host, sizeof host));
  return 0;
}
