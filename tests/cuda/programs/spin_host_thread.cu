/* One thread of the host waits for the kernel, another gives the kernel what it waits for. */
#include "common.h"
#include <pthread.h>
#include <unistd.h>

__global__ void gathers(const volatile unsigned *gates, unsigned *out) {
  unsigned sum = 0;
  for (int g = 0; g < 4; g++) {
    unsigned v;
    while ((v = gates[g]) == 0)
      __nanosleep(100);
    sum = sum * 10 + v;
  }
  out[threadIdx.x] = sum + threadIdx.x;
}

static void *opens(void *p) {
  volatile unsigned *gates = (volatile unsigned *)p;
  for (int g = 0; g < 4; g++) {
    usleep(20000);
    gates[g] = g + 3;
  }
  return NULL;
}

int main() {
  unsigned *gates, *out, host[32];
  OK(cudaMallocHost(&gates, 4 * sizeof *gates));
  OK(cudaMalloc(&out, sizeof host));
  for (int g = 0; g < 4; g++)
    gates[g] = 0;
  gathers<<<1, 32>>>(gates, out);
  pthread_t other;
  if (pthread_create(&other, NULL, opens, gates) != 0) return 1;
  OK(cudaDeviceSynchronize());
  pthread_join(other, NULL);
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  printf("%u %u\n", host[0], host[31]);
  return 0;
}
