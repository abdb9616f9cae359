/* Variables of the module, seen by the host: constant, global, initialised and not, parts of them.
 */
#include "common.h"

__constant__ float weights[5] = {0.5f, 1.5f, 2.5f, 3.5f, 4.5f};
__constant__ struct {
  int base;
  double step;
} shape = {100, 0.25};
__device__ int table[64];
__device__ unsigned long long counter = 1ull << 40;
__device__ const char text[] = "constants have initial values";

__global__ void work(float *out) {
  int i = threadIdx.x;
  out[i] = weights[i % 5] * (float)(shape.base + i) + (float)(shape.step * table[i]);
  table[i] = table[i] * 2 + text[i % (sizeof text - 1)];
  atomicAdd(&counter, (unsigned long long)i);
}

int main() {
  int host[64];
  for (int i = 0; i < 64; i++)
    host[i] = i * i;
  OK(cudaMemcpyToSymbol(table, host, sizeof host));
  float *out, result[64];
  OK(cudaMalloc(&out, sizeof result));
  work<<<1, 64>>>(out);
  OK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
  printf("%g %g %g, sum %08x\n", result[0], result[1], result[63], checksum(result, sizeof result));

  float two[2] = {-1.0f, -2.0f};
  OK(cudaMemcpyToSymbol(weights, two, sizeof two, 2 * sizeof(float)));
  work<<<1, 64>>>(out);
  OK(cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost));
  printf("%g %g %g, sum %08x\n", result[0], result[2], result[63], checksum(result, sizeof result));

  unsigned long long count;
  OK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  OK(cudaMemcpyFromSymbol(host, table, 32 * sizeof(int), 32 * sizeof(int)));
  printf("counter %llu, table from 32: %d %d, sum %08x\n", count, host[0], host[31],
         checksum(host, 32 * sizeof(int)));
  void *address;
  size_t bytes;
  OK(cudaGetSymbolAddress(&address, table));
  OK(cudaGetSymbolSize(&bytes, table));
  OK(cudaMemset(address, 0, bytes));
  OK(cudaMemcpyFromSymbol(host, table, sizeof host));
  printf("size %zu, cleared %d\n", bytes, host[0] == 0 && host[63] == 0);
  SHOW(cudaMemcpyToSymbol(weights, host, 6 * sizeof(float)));
  SHOW(cudaGetSymbolSize(&bytes, host));
  return 0;
}
