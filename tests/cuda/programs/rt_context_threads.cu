/* Contexts belong to threads: what a second thread sees of the primary one, and what the runtime
 * does in a thread that has another. */
#include <cuda.h>

#include <thread>

#include "common.h"

__global__ void twice(int *p) {
  p[threadIdx.x] *= 2;
}

static CUcontext now() {
  CUcontext c = NULL;
  cuCtxGetCurrent(&c);
  return c;
}

static void second(CUcontext primary, int *data) {
  int device = -1;
  printf("second thread: %s\n", now() ? "one" : "none");
  OK(cudaGetDevice(&device));
  printf("after cudaGetDevice: %s, device %d\n", now() ? "one" : "none", device);
  twice<<<1, 32>>>(data);
  OK(cudaDeviceSynchronize());
  printf("after a launch: %s\n", now() == primary ? "the primary" : "another");
}

static void third(CUcontext primary) {
  OK(cudaSetDevice(0));
  printf("third thread after cudaSetDevice: %s\n", now() == primary ? "the primary" : "another");
}

static void fourth(CUcontext primary) {
  CUcontext own;
  printf("cuCtxCreate: %d\n", (int)cuCtxCreate(&own, NULL, 0, 0));
  printf("own is current: %d\n", now() == own);
  int *p;
  OK(cudaMalloc(&p, 64));
  printf("after cudaMalloc: %d\n", now() == own);
  OK(cudaFree(p));
  OK(cudaSetDevice(0));
  printf("after cudaSetDevice: %s\n", now() == primary ? "the primary" : "another");
  printf("cuCtxDestroy: %d\n", (int)cuCtxDestroy(own));
}

int main() {
  int host[32], *data;
  printf("before: %s\n", now() ? "one" : "none");
  OK(cudaSetDevice(0));
  CUcontext primary = now();
  printf("after cudaSetDevice: %s\n", primary ? "one" : "none");
  for (int i = 0; i < 32; i++)
    host[i] = i;
  OK(cudaMalloc(&data, sizeof host));
  OK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
  std::thread(second, primary, data).join();
  std::thread(third, primary).join();
  std::thread(fourth, primary).join();
  OK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
  printf("sum %08x\n", checksum(host, sizeof host));
  return 0;
}
