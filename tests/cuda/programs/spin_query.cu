/* A stream whose kernel waits for the host is not ready, nor is an event behind it; other streams
 * are. */
#include "common.h"

__global__ void holds(const volatile int *go, int *out) {
  while (*go == 0) {
  }
  *out = 5;
}

__global__ void follows(int *out) {
  *out = *out * 10 + 1;
}

__global__ void apart(int *out) {
  *out = 8;
}

int main() {
  int *go, *out, host[2];
  cudaStream_t a, b;
  cudaEvent_t e;
  cudaFuncAttributes loaded;
  OK(cudaFuncGetAttributes(&loaded, holds));
  OK(cudaFuncGetAttributes(&loaded, follows));
  OK(cudaFuncGetAttributes(&loaded, apart));
  OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
  OK(cudaHostAlloc(&go, sizeof *go, cudaHostAllocMapped));
  OK(cudaMalloc(&out, sizeof host));
  OK(cudaMemset(out, 0, sizeof host));
  OK(cudaDeviceSynchronize());
  *go = 0;
  holds<<<1, 1, 0, a>>>(go, out);
  follows<<<1, 1, 0, a>>>(out);
  OK(cudaEventRecord(e, a));
  SHOW(cudaStreamQuery(a));
  SHOW(cudaEventQuery(e));
  apart<<<1, 1, 0, b>>>(out + 1);
  OK(cudaStreamSynchronize(b));
  SHOW(cudaStreamQuery(b));
  SHOW(cudaStreamQuery(a));
  *(volatile int *)go = 1;
  cudaError_t status;
  while ((status = cudaEventQuery(e)) == cudaErrorNotReady) {
  }
  printf("event %s\n", cudaGetErrorName(status));
  OK(cudaStreamSynchronize(a));
  SHOW(cudaStreamQuery(a));
  SHOW(cudaGetLastError());
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  printf("%d %d\n", host[0], host[1]);
  return 0;
}
