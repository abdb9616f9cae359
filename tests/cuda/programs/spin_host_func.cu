/* A function of the host, in another stream, opens the gate that a kernel waits at. */
#include "common.h"

__global__ void passes(const volatile int *gate, int *out) {
  if (threadIdx.x == 0)
    while (*gate < 3) {
    }
  __syncthreads();
  out[threadIdx.x] = *gate * 1000 + threadIdx.x;
}

static void opens(void *p) {
  volatile int *gate = (volatile int *)p;
  *gate = *gate + 1;
}

int main() {
  int *gate, *out, host[64];
  cudaStream_t a, b;
  OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  OK(cudaMallocHost(&gate, sizeof *gate));
  OK(cudaMalloc(&out, sizeof host));
  *gate = 0;
  passes<<<1, 64, 0, a>>>(gate, out);
  for (int i = 0; i < 3; i++)
    OK(cudaLaunchHostFunc(b, opens, gate));
  OK(cudaStreamSynchronize(a));
  OK(cudaStreamSynchronize(b));
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  printf("%d %d\n", host[0], host[63]);
  return 0;
}
