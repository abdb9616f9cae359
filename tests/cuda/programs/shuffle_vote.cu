/* What threads of a warp tell each other: shuffles, votes, matches, masks, lanes that take other
 * paths. */
#include "common.h"

__global__ void talk(int *out) {
  int lane = threadIdx.x, row = 0;
  auto put = [&](int value) { out[row++ * 32 + lane] = value; };
  int v = lane * lane + 1;
  put(__shfl_sync(0xffffffffu, v, 31 - lane));
  put(__shfl_sync(0xffffffffu, v, 3, 8));
  put(__shfl_up_sync(0xffffffffu, v, 5));
  put(__shfl_down_sync(0xffffffffu, v, 3, 16));
  put(__shfl_xor_sync(0xffffffffu, v, 9));
  double wide = __shfl_xor_sync(0xffffffffu, v * 0.5, 1);
  put((int)(wide * 2));
  put((int)__ballot_sync(0xffffffffu, v % 3 == 1));
  put(__any_sync(0xffffffffu, lane == 40) * 2 + __all_sync(0xffffffffu, v > 0));
  put((int)__match_any_sync(0xffffffffu, lane % 5));
  int same;
  put((int)__match_all_sync(0xffffffffu, lane / 40, &same) + same);
  if (lane % 4 < 2) {
    unsigned mask = 0x33333333u;
    int sum = v;
    for (int d = 16; d >= 4; d /= 2)
      sum += __shfl_xor_sync(mask, sum, d);
    put(sum + (int)__popc(__ballot_sync(mask, lane & 1)));
  } else {
    put((int)__ballot_sync(0xccccccccu, lane > 15));
  }
  __syncwarp();
  unsigned below;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  put((int)(__popc(below) * 100 + __ffs(v) * 10 + __clz(v)));
  put((int)__brev(v) ^ __byte_perm(v, lane, 0x1504));
}

__global__ void barriers(int *out) {
  int i = threadIdx.x;
  int count = __syncthreads_count(i % 3 == 0);
  int any = __syncthreads_or(i == 70), all = __syncthreads_and(i < 96);
  out[i] = count * 100 + (any != 0) * 10 + (all != 0);
}

int main() {
  const int rows = 13;
  int host[rows][32], *out;
  OK(cudaMalloc(&out, sizeof host));
  talk<<<1, 32>>>(out);
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int r = 0; r < rows; r++)
    printf("%2d: %d %d %d, sum %08x\n", r, host[r][0], host[r][13], host[r][31],
           checksum(host[r], sizeof host[r]));
  barriers<<<1, 96>>>(out);
  OK(cudaMemcpy(host, out, 96 * sizeof(int), cudaMemcpyDeviceToHost));
  printf("barriers %d %d, sum %08x\n", host[0][0], host[2][31], checksum(host, 96 * sizeof(int)));
  return 0;
}
