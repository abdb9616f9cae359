/* Occupancy: the numbers differ between machines, how they hang together does not. */
#include "common.h"

__global__ void light(float *x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}

__global__ void heavy(float *x) {
  __shared__ float part[8000];
  part[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];
}

int main() {
  int threads, blocks_max, warp;
  OK(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
  OK(cudaDeviceGetAttribute(&blocks_max, cudaDevAttrMaxBlocksPerMultiprocessor, 0));
  OK(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0));
  printf("warp %d, whole warps %d\n", warp, threads % warp == 0);
  int last = 1 << 30;
  bool falls = true, fits = true, some = true;
  for (int block = 32; block <= 1024; block *= 2) {
    int n;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, light, block, 0));
    falls = falls && n <= last;
    fits = fits && n * block <= threads && n <= blocks_max;
    some = some && n >= 1;
    last = n;
  }
  printf("more threads, fewer blocks: %d; within the limits: %d; at least one: %d\n", falls, fits,
         some);
  int few, many, none, flags;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&many, light, 64, 0));
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&few, heavy, 64, 15000));
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&flags, heavy, 64, 15000,
                                                            cudaOccupancyDisableCachingOverride));
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&none, heavy, 64, 1 << 20));
  printf("shared memory limits: %d, flags change nothing: %d, too much: %d\n",
         few < many && few > 0, flags == few, none);
  int grid, block, limited;
  OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, light, 0, 0));
  printf("grid %d, block of whole warps %d\n", grid > 0,
         block > 0 && block % warp == 0 && block <= 1024);
  OK(cudaOccupancyMaxPotentialBlockSize(&grid, &limited, light, 0, 128));
  printf("block limited to 128: %d\n", limited <= 128 && limited > 0);
  size_t dynamic;
  OK(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, light, 2, 64));
  printf("room for dynamic shared memory: %d\n", dynamic > 1024);
  cudaFuncAttributes a;
  OK(cudaFuncGetAttributes(&a, heavy));
  printf("static shared %zu, registers %d, threads %d\n", a.sharedSizeBytes,
         a.numRegs > 0 && a.numRegs < 256, a.maxThreadsPerBlock);
  printf("constant %zu, local %zu\n", a.constSizeBytes, a.localSizeBytes);
  SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&few, light, 0, 0));
  return 0;
}
