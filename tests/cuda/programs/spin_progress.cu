/* The host watches a counter in mapped memory that a kernel advances, and stops the kernel, which
 * would go on for ever. */
#include "common.h"

struct shared_words {
  volatile unsigned progress, stop, bye;
};

__global__ void runs(shared_words *w, unsigned long long *steps) {
  unsigned long long n = 0;
  while (w->stop == 0) {
    n++;
    w->progress = n < 1000000000u ? (unsigned)n : 1000000000u;
    __threadfence_system();
  }
  *steps = n;
  w->bye = 77;
}

int main() {
  shared_words *w;
  unsigned long long *steps, n;
  OK(cudaHostAlloc(&w, sizeof *w, cudaHostAllocMapped));
  OK(cudaMalloc(&steps, sizeof *steps));
  w->progress = w->stop = w->bye = 0;
  runs<<<1, 1>>>(w, steps);
  while (w->progress < 5) {
  }
  printf("it has begun\n");
  while (w->progress < 20000) {
  }
  printf("it goes on\n");
  w->stop = 1;
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(&n, steps, sizeof n, cudaMemcpyDeviceToHost));
  printf("enough steps %d, bye %u\n", n >= 20000, w->bye);
  return 0;
}
