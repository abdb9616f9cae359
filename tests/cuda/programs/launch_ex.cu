/* The extended launch: attributes beside the shape, by the template and by the plain C function. */
#include "common.h"

__global__ void fill(int *x, int n, int value, double factor) {
  extern __shared__ int part[];
  part[threadIdx.x] = value * (int)threadIdx.x;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = part[blockDim.x - 1 - threadIdx.x] + (int)(factor * i);
}

int main() {
  const int n = 400;
  int host[n], *x;
  OK(cudaMalloc(&x, sizeof host));
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(4);
  config.blockDim = dim3(100);
  config.dynamicSmemBytes = 100 * sizeof(int);
  config.stream = stream;
  OK(cudaLaunchKernelEx(&config, fill, x, n, 3, 0.5));
  OK(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  printf("%d %d, sum %08x\n", host[0], host[n - 1], checksum(host, sizeof host));

  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributePriority;
  attributes[0].val.priority = 0;
  attributes[1].id = cudaLaunchAttributeCooperative;
  attributes[1].val.cooperative = 1;
  config.attrs = attributes;
  config.numAttrs = 2;
  int size = n, value = -1;
  double factor = 2.25;
  void *args[] = {&x, &size, &value, &factor};
  OK(cudaLaunchKernelExC(&config, (const void *)fill, args));
  OK(cudaStreamSynchronize(stream));
  OK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
  printf("%d %d, sum %08x\n", host[0], host[n - 1], checksum(host, sizeof host));

  config.blockDim = dim3(2000);
  SHOW(cudaLaunchKernelExC(&config, (const void *)fill, args));
  SHOW(cudaGetLastError());

  OK(cudaLaunchKernel((const void *)fill, dim3(8), dim3(50), args, 50 * sizeof(int), stream));
  OK(cudaStreamSynchronize(stream));
  OK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
  printf("%d %d, sum %08x\n", host[0], host[n - 1], checksum(host, sizeof host));
  OK(cudaStreamDestroy(stream));
  return 0;
}
