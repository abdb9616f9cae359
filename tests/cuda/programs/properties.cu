/* What a program may ask of the device: the structure, the attributes and the limits must agree. */
#include "common.h"
#include <cstring>

static int attribute(cudaDeviceAttr which) {
  int value = -1;
  OK(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

int main() {
  int count, device = -1, runtime, driver;
  OK(cudaGetDeviceCount(&count));
  OK(cudaSetDevice(0));
  OK(cudaGetDevice(&device));
  printf("devices %d, current %d\n", count >= 1, device);
  OK(cudaRuntimeGetVersion(&runtime));
  OK(cudaDriverGetVersion(&driver));
  printf("runtime %d, driver new enough %d\n", runtime / 1000, driver >= runtime);
  cudaDeviceProp p;
  OK(cudaGetDeviceProperties(&p, 0));
  printf("name %d, warp %d\n", strlen(p.name) > 0, p.warpSize);
  printf("threads per block %d = %d, dimensions %d %d %d, grid %d %d %d\n", p.maxThreadsPerBlock,
         attribute(cudaDevAttrMaxThreadsPerBlock), p.maxThreadsDim[0], p.maxThreadsDim[1],
         p.maxThreadsDim[2], p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
  printf("shared per block %zu, constant %zu\n", p.sharedMemPerBlock, p.totalConstMem);
  printf("agree:");
  printf(" %d", p.multiProcessorCount == attribute(cudaDevAttrMultiProcessorCount));
  printf(" %d", p.major == attribute(cudaDevAttrComputeCapabilityMajor));
  printf(" %d", p.minor == attribute(cudaDevAttrComputeCapabilityMinor));
  printf(" %d", (int)p.sharedMemPerMultiprocessor ==
                    attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  printf(" %d",
         (int)p.sharedMemPerBlockOptin == attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  printf(" %d", p.regsPerBlock == attribute(cudaDevAttrMaxRegistersPerBlock));
  printf(" %d", p.l2CacheSize == attribute(cudaDevAttrL2CacheSize));
  printf(" %d", p.maxThreadsPerMultiProcessor == attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
  printf(" %d\n", p.memoryBusWidth == attribute(cudaDevAttrGlobalMemoryBusWidth));
  printf("clock %d, memory clock %d\n", attribute(cudaDevAttrClockRate) > 0,
         attribute(cudaDevAttrMemoryClockRate) > 0);
  printf("unified addresses %d, managed %d, mapped %d, cooperative %d\n", p.unifiedAddressing,
         p.managedMemory, p.canMapHostMemory, p.cooperativeLaunch);
  size_t free_bytes, total, after;
  void *x;
  OK(cudaMemGetInfo(&free_bytes, &total));
  OK(cudaMalloc(&x, 64 << 20));
  OK(cudaMemGetInfo(&after, &total));
  printf("memory %d %d, an allocation shows %d\n", total <= p.totalGlobalMem, free_bytes <= total,
         free_bytes - after >= 64 << 20);
  int low, high;
  OK(cudaDeviceGetStreamPriorityRange(&low, &high));
  printf("priorities %d\n", low >= high);
  char bus[32];
  OK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
  int again;
  OK(cudaDeviceGetByPCIBusId(&again, bus));
  printf("found by bus %d\n", again);
  SHOW(cudaGetDeviceProperties(&p, count));
  SHOW(cudaDeviceReset());
  return 0;
}
