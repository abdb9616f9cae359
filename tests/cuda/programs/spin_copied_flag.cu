/* The flag that a kernel waits for lies in device memory and is set by a copy in another stream. */
#include "common.h"

__global__ void sees(const volatile int *flag, int *out) {
  int v;
  while ((v = *flag) == 0) {
  }
  out[threadIdx.x] = v * 100 + threadIdx.x;
}

int main() {
  int *flag, *out, *seven, host[32], before;
  cudaStream_t work, copies;
  OK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  OK(cudaMalloc(&flag, sizeof *flag));
  OK(cudaMalloc(&out, sizeof host));
  OK(cudaMallocHost(&seven, sizeof *seven));
  OK(cudaMemset(flag, 0, sizeof *flag));
  OK(cudaMemset(out, 0, sizeof host));
  OK(cudaDeviceSynchronize());
  *seven = 7;
  sees<<<1, 32, 0, work>>>(flag, out);
  OK(cudaMemcpyAsync(seven, out, sizeof *seven, cudaMemcpyDeviceToHost, copies));
  OK(cudaStreamSynchronize(copies));
  before = *seven;
  *seven = 7;
  OK(cudaMemcpyAsync(flag, seven, sizeof *seven, cudaMemcpyHostToDevice, copies));
  OK(cudaStreamSynchronize(work));
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  printf("before %d, then %d %d\n", before, host[0], host[31]);
  return 0;
}
