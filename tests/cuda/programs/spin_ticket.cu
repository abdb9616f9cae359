/* A ticket lock that all blocks take: what it guards is read and written without atomics. */
#include "common.h"

struct ticket_lock {
  unsigned next, serving;
};

__device__ ticket_lock lock;
__device__ unsigned guarded[4]; /* counter, sum, xor, largest step between two holders */

__device__ void acquire(ticket_lock *l) {
  unsigned mine = atomicAdd(&l->next, 1);
  while (*(volatile unsigned *)&l->serving != mine)
    __nanosleep(20);
  __threadfence();
}

__device__ void release(ticket_lock *l) {
  __threadfence();
  *(volatile unsigned *)&l->serving = l->serving + 1;
}

__global__ void turns(int times) {
  for (int t = 0; t < times; t++) {
    __syncthreads();
    if (threadIdx.x == 0) {
      acquire(&lock);
      volatile unsigned *g = guarded;
      unsigned value = blockIdx.x * 31 + t;
      g[0] = g[0] + 1;
      g[1] = g[1] + value;
      g[2] = g[2] ^ value * 2654435761u;
      release(&lock);
    }
  }
}

int main() {
  turns<<<700, 64>>>(3);
  OK(cudaDeviceSynchronize());
  unsigned g[4];
  ticket_lock l;
  OK(cudaMemcpyFromSymbol(g, guarded, sizeof g));
  OK(cudaMemcpyFromSymbol(&l, lock, sizeof l));
  printf("count %u, sum %u, xor %08x, tickets %u, served %u\n", g[0], g[1], g[2], l.next,
         l.serving);
  return 0;
}
