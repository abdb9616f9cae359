/* Barriers that count and combine, in the arms of a switch that lanes take apart. */
#include "common.h"

__device__ int count_of(bool p) {
  int n;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; barrier.red.popc.u32 %0, 0, p; }"
               : "=r"(n)
               : "r"((int)p)
               : "memory");
  return n;
}
__device__ int all_of(bool p) {
  int n;
  asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; barrier.red.and.pred q, 1, p; selp.u32 "
               "%0, 1, 0, q; }"
               : "=r"(n)
               : "r"((int)p)
               : "memory");
  return n;
}

__global__ void arms(const int *which, int *out) {
  int t = threadIdx.x, r = 0;
  switch (which[t]) {
  case 0:
    r = count_of(t % 3 == 0) + 1000;
    break;
  case 1:
    r = count_of(t < 50) * 2;
    out[t + 96] = t;
    break;
  case 2:
    out[t + 96] = -t;
    r = count_of(true) - 7;
    break;
  default:
    for (int i = 0; i < t; i++)
      out[t + 96] += i;
    r = count_of(false);
  }
  if (which[t] % 2) {
    out[t + 96] ^= 1;
    r = r * 4 + 2 * all_of(t != 40);
  } else {
    r = r * 4 + 2 * all_of(true) + 1;
  }
  out[t] = r;
}

int main() {
  unsigned seed = 2;
  int which[96], host[192], *in, *out;
  OK(cudaMalloc(&in, sizeof which));
  OK(cudaMalloc(&out, sizeof host));
  for (int round = 0; round < 5; round++) {
    for (int i = 0; i < 96; i++)
      which[i] = round == 0 ? i % 4 : round == 1 ? i / 32 : next_random(&seed) % 4;
    OK(cudaMemcpy(in, which, sizeof which, cudaMemcpyHostToDevice));
    OK(cudaMemset(out, 0, sizeof host));
    arms<<<1, 96>>>(in, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("%d: %d %d %d %d, sum %08x\n", round, host[0], host[1], host[2], host[95],
           checksum(host, sizeof host));
    fflush(stdout);
  }
  return 0;
}
