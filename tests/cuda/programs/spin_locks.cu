/* Accounts with a lock each, taken by compare and swap: blocks move amounts from one to another. */
#include "common.h"

const int ACCOUNTS = 37;
__device__ int locks[ACCOUNTS];
__device__ int amounts[ACCOUNTS];

__device__ void take(int i) {
  while (atomicCAS(&locks[i], 0, 1) != 0) {
  }
  __threadfence();
}

__device__ void give(int i) {
  __threadfence();
  atomicExch(&locks[i], 0);
}

__global__ void fill() {
  amounts[threadIdx.x] = 1000;
}

__global__ void moves(int times) {
  unsigned seed = blockIdx.x * 977 + 5;
  if (threadIdx.x != 0) return;
  for (int t = 0; t < times; t++) {
    seed = seed * 1664525u + 1013904223u;
    int from = (seed >> 8) % ACCOUNTS, to = (from + 1 + (seed >> 20) % (ACCOUNTS - 1)) % ACCOUNTS;
    int low = from < to ? from : to, high = from < to ? to : from, n = 1 + (int)(seed >> 28);
    take(low);
    take(high);
    *(volatile int *)&amounts[from] -= n;
    *(volatile int *)&amounts[to] += n;
    give(high);
    give(low);
  }
}

int main() {
  int host[ACCOUNTS], held[ACCOUNTS], sum = 0, open = 0;
  fill<<<1, ACCOUNTS>>>();
  moves<<<600, 32>>>(10);
  OK(cudaMemcpyFromSymbol(host, amounts, sizeof host));
  OK(cudaMemcpyFromSymbol(held, locks, sizeof held));
  for (int i = 0; i < ACCOUNTS; i++) {
    sum += host[i];
    open += held[i] == 0;
  }
  printf("sum %d, open %d, %d %d %d, sum %08x\n", sum, open, host[0], host[1], host[36],
         checksum(host, sizeof host));
  return 0;
}
