/* Memory that was freed while its neighbours live is still there, with what was in it. */
#include "common.h"

__global__ void put(int *p, int v) {
  p[threadIdx.x] = v + threadIdx.x;
}

__global__ void get(const int *p, int *out) {
  out[threadIdx.x] = p[threadIdx.x];
}

int main() {
  int *a, *b, *c, *again, host[32];
  OK(cudaMalloc(&a, sizeof host));
  OK(cudaMalloc(&b, sizeof host));
  OK(cudaMalloc(&c, sizeof host));
  put<<<1, 32>>>(b, 40);
  OK(cudaDeviceSynchronize());
  OK(cudaFree(b));
  get<<<1, 32>>>(b, c);
  SHOW(cudaDeviceSynchronize());
  OK(cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost));
  printf("after cudaFree: %d %d\n", host[0], host[31]);
  put<<<1, 32>>>(b, 80);
  get<<<1, 32>>>(b, c);
  SHOW(cudaDeviceSynchronize());
  OK(cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost));
  printf("written after cudaFree: %d %d\n", host[0], host[31]);
  SHOW(cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost));
  OK(cudaMalloc(&again, sizeof host));
  printf("the next allocation takes its place: %d\n", again == b);
  return 0;
}
