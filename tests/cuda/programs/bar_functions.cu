/* Barriers inside functions that warps and lanes reach by different calls. */
#include "common.h"
#include <cooperative_groups.h>

__shared__ int board[96];

__device__ __noinline__ int publish(int t, int v) {
  board[t] = v;
  cooperative_groups::this_thread_block().sync();
  return board[95 - t];
}
__device__ __noinline__ int publish_twice(int t, int v) {
  board[t] = v - 1;
  board[t] += 1;
  cooperative_groups::this_thread_block().sync();
  int x = board[95 - t];
  return x + 1000;
}

__global__ void calls(const int *kind, int *out) {
  int t = threadIdx.x;
  int (*f)(int, int) = kind[t] ? publish : publish_twice;
  int v = f(t, t * 11);
  cooperative_groups::this_thread_block().sync();
  if (kind[t])
    v += 3 * publish(t, v);
  else
    v ^= publish_twice(t, v * 5);
  out[t] = v;
}

int main() {
  unsigned seed = 60;
  int kind[96], host[96], *in, *out;
  OK(cudaMalloc(&in, sizeof kind));
  OK(cudaMalloc(&out, sizeof host));
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < 96; i++)
      kind[i] = round == 0 ? i / 32 % 2 : round == 1 ? i % 2 : next_random(&seed) % 2;
    OK(cudaMemcpy(in, kind, sizeof kind, cudaMemcpyHostToDevice));
    calls<<<1, 96>>>(in, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d: %d %d %d, sum %08x\n", round, host[0], host[33], host[95],
           checksum(host, sizeof host));
  }
  return 0;
}
