/* Shuffles with the full mask after some lanes have returned: what is read from a lane that is
 * gone. */
#include "common.h"

__global__ void after_return(const int *stay, const int *from, int *out) {
  int lane = threadIdx.x;
  int v = 1000 + lane;
  if (!stay[lane]) return;
  int *mine = out + lane * 6;
  mine[0] = __shfl_sync(0xffffffffu, v, from[lane]);
  mine[1] = __shfl_up_sync(0xffffffffu, v, 3);
  mine[2] = __shfl_down_sync(0xffffffffu, v, 5);
  mine[3] = __shfl_xor_sync(0xffffffffu, v, 7);
  mine[4] = __shfl_xor_sync(0xffffffffu, v, 2, 8);
  mine[5] = __shfl_sync(0xffffffffu, v, 1, 4);
}

int main() {
  unsigned seed = 5;
  int stay[32], from[32], host[32][6], *in, *out;
  OK(cudaMalloc(&in, 64 * sizeof(int)));
  OK(cudaMalloc(&out, sizeof host));
  for (int round = 0; round < 6; round++) {
    for (int i = 0; i < 32; i++) {
      stay[i] = round == 0 ? i % 2 == 0 : round == 1 ? i < 11 : next_random(&seed) % 4 != 0;
      from[i] = next_random(&seed) % 32;
    }
    OK(cudaMemcpy(in, stay, sizeof stay, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(in + 32, from, sizeof from, cudaMemcpyHostToDevice));
    OK(cudaMemset(out, 0xff, sizeof host));
    after_return<<<1, 32>>>(in, in + 32, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("round %d, sum %08x\n", round, checksum(host, sizeof host));
    for (int i = 0; i < 32; i += 5)
      printf("  lane %2d: %d %d %d %d %d %d\n", i, host[i][0], host[i][1], host[i][2], host[i][3],
             host[i][4], host[i][5]);
  }
  return 0;
}
