/* A kernel waits for a flag in mapped host memory, which the host sets after the launch. */
#include "common.h"

__global__ void waits(volatile int *flag, const volatile int *data, int *out) {
  if (threadIdx.x == 0)
    while (*flag == 0) {
    }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = data[threadIdx.x] + blockIdx.x;
}

int main() {
  const int blocks = 20, threads = 96;
  int *flag, *data, *out, host[blocks * threads];
  OK(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
  OK(cudaHostAlloc(&data, threads * sizeof *data, cudaHostAllocMapped));
  OK(cudaMalloc(&out, sizeof host));
  *flag = 0;
  for (int i = 0; i < threads; i++)
    data[i] = -1;
  waits<<<blocks, threads>>>(flag, data, out);
  OK(cudaGetLastError());
  printf("the launch came back\n");
  for (int i = 0; i < threads; i++)
    ((volatile int *)data)[i] = i * i;
  __sync_synchronize();
  *(volatile int *)flag = 1;
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  printf("first %d, last %d, sum %08x\n", host[0], host[blocks * threads - 1],
         checksum(host, sizeof host));
  return 0;
}
