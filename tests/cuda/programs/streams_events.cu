/* Two streams that depend on each other through events; times only have to be in order. */
#include "common.h"

__global__ void scale(int *x, int n, int factor, int offset) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] = x[i] * factor + offset;
}

int main() {
  const int n = 4096;
  static int host[n];
  for (int i = 0; i < n; i++)
    host[i] = i;
  cudaStream_t first, second;
  cudaEvent_t begin, middle, end, untimed;
  OK(cudaStreamCreate(&first));
  OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreateWithFlags(&middle, cudaEventBlockingSync));
  OK(cudaEventCreate(&end));
  OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  int *x;
  OK(cudaMalloc(&x, sizeof host));
  OK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
  OK(cudaEventRecord(begin, first));
  scale<<<4, 128, 0, first>>>(x, n, 3, 1);
  OK(cudaEventRecord(middle, first));
  OK(cudaStreamWaitEvent(second, middle, 0));
  scale<<<2, 64, 0, second>>>(x, n, 5, -7);
  OK(cudaEventRecord(untimed, second));
  OK(cudaStreamWaitEvent(first, untimed, 0));
  scale<<<1, 256, 0, first>>>(x, n, -1, 2);
  OK(cudaEventRecord(end, first));
  OK(cudaEventSynchronize(end));
  OK(cudaEventQuery(end));
  OK(cudaStreamQuery(first));
  OK(cudaStreamSynchronize(second));
  float half, whole;
  OK(cudaEventElapsedTime(&half, begin, middle));
  OK(cudaEventElapsedTime(&whole, begin, end));
  printf("time goes forward: %d\n", half >= 0 && whole > 0 && whole >= half);
  SHOW(cudaEventElapsedTime(&half, begin, untimed));
  OK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
  printf("%d %d %d, sum %08x\n", host[0], host[1], host[n - 1], checksum(host, sizeof host));
  unsigned flags;
  int priority;
  OK(cudaStreamGetFlags(second, &flags));
  OK(cudaStreamGetPriority(first, &priority));
  printf("flags %u, priority %d\n", flags, priority);
  OK(cudaEventDestroy(begin));
  OK(cudaStreamDestroy(first));
  OK(cudaStreamDestroy(second));
  return 0;
}
