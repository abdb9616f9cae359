/* A kernel of the default stream waits for the host: blocking streams wait behind it, others do
 * not. */
#include "common.h"

__global__ void stays(const volatile int *go, int *v) {
  while (*go == 0) {
  }
  *v = 2;
}

__global__ void doubles(int *v) {
  *v *= 2;
}

__global__ void writes(int *v) {
  *v = 6;
}

int main() {
  int *go, *v, host[2];
  cudaStream_t blocking, free_one;
  cudaFuncAttributes loaded;
  OK(cudaFuncGetAttributes(&loaded, stays));
  OK(cudaFuncGetAttributes(&loaded, doubles));
  OK(cudaFuncGetAttributes(&loaded, writes));
  OK(cudaStreamCreate(&blocking));
  OK(cudaStreamCreateWithFlags(&free_one, cudaStreamNonBlocking));
  OK(cudaMallocHost(&go, sizeof *go));
  OK(cudaMalloc(&v, sizeof host));
  OK(cudaMemset(v, 0, sizeof host));
  OK(cudaDeviceSynchronize());
  *go = 0;
  stays<<<1, 1>>>(go, v);
  doubles<<<1, 1, 0, blocking>>>(v);
  writes<<<1, 1, 0, free_one>>>(v + 1);
  OK(cudaStreamSynchronize(free_one));
  SHOW(cudaStreamQuery(blocking));
  SHOW(cudaStreamQuery(free_one));
  SHOW(cudaStreamQuery(0));
  OK(cudaMemcpyAsync(host, v + 1, sizeof *v, cudaMemcpyDeviceToHost, free_one));
  OK(cudaStreamSynchronize(free_one));
  printf("%d\n", host[0]);
  *(volatile int *)go = 1;
  OK(cudaStreamSynchronize(blocking));
  OK(cudaMemcpy(host, v, sizeof host, cudaMemcpyDeviceToHost));
  printf("%d %d\n", host[0], host[1]);
  return 0;
}
