/* Votes, matches and reductions where lanes of the mask have returned, or are left out of it. */
#include "common.h"

__global__ void ask(unsigned gone, unsigned members, const int *values, unsigned *out) {
  int lane = threadIdx.x;
  int v = values[lane];
  if (gone >> lane & 1) return;
  unsigned all = 0xffffffffu;
  unsigned *mine = out + lane * 10;
  mine[0] = __ballot_sync(all, v > 2);
  mine[1] = __any_sync(all, v == 7) + 2 * __all_sync(all, v >= 0);
  mine[2] = __match_any_sync(all, v);
  int same;
  mine[3] = __match_all_sync(all, lane % 2, &same) + same;
  mine[4] = __reduce_add_sync(all, v);
  if (members >> lane & 1) {
    mine[5] = __reduce_max_sync(members, v);
    mine[6] = __reduce_xor_sync(members, 1u << v);
    mine[7] = __ballot_sync(members, v < 4);
    mine[8] = __match_any_sync(members, v & 1);
    mine[9] = __shfl_sync(members, v + 100, 31 - lane);
  }
}

int main() {
  unsigned seed = 3, host[32][10], *out;
  int values[32], *in;
  OK(cudaMalloc(&in, sizeof values));
  OK(cudaMalloc(&out, sizeof host));
  for (int round = 0; round < 8; round++) {
    for (int &v : values)
      v = next_random(&seed) % (round % 2 ? 8 : 3);
    unsigned gone = next_random(&seed) * 256u & next_random(&seed) * 3u,
             members = next_random(&seed) * 257u;
    OK(cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice));
    OK(cudaMemset(out, 0xff, sizeof host));
    ask<<<1, 32>>>(gone, members, in, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    printf("gone %08x, members %08x, sum %08x\n", gone, members, checksum(host, sizeof host));
    for (int lane = 0; lane < 32; lane++)
      if (!(gone >> lane & 1) && (members >> lane & 1)) {
        for (unsigned x : host[lane])
          printf(" %x", x);
        printf("\n");
        break;
      }
  }
  return 0;
}
