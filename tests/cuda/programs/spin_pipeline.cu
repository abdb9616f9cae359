/* A pipeline of blocks: each takes items from the ring of the block before it, changes them and
 * puts them into its own; a full ring waits for the block behind, an empty one for the block
 * before. */
#include "common.h"

const int STAGES = 500, ITEMS = 24, SLOTS = 2, THREADS = 32;

struct ring {
  unsigned slots[SLOTS][THREADS];
  unsigned put, taken;
};

__global__ void stage(ring *rings, const unsigned *in, unsigned *out) {
  int b = blockIdx.x;
  ring *from = b > 0 ? &rings[b - 1] : NULL, *to = b < STAGES - 1 ? &rings[b] : NULL;
  for (unsigned item = 0; item < ITEMS; item++) {
    unsigned v;
    if (from != NULL) {
      while (((volatile ring *)from)->put <= item) {
      }
      __threadfence();
      v = ((volatile ring *)from)->slots[item % SLOTS][threadIdx.x];
      __syncwarp();
      __threadfence();
      if (threadIdx.x == 0) ((volatile ring *)from)->taken = item + 1;
    } else
      v = in[item * THREADS + threadIdx.x];
    v = v * 3 + b;
    if (to == NULL) {
      out[item * THREADS + threadIdx.x] = v;
      continue;
    }
    while (item - ((volatile ring *)to)->taken >= SLOTS) {
    }
    ((volatile ring *)to)->slots[item % SLOTS][threadIdx.x] = v;
    __threadfence();
    __syncwarp();
    if (threadIdx.x == 0) ((volatile ring *)to)->put = item + 1;
  }
}

int main() {
  const int n = ITEMS * THREADS;
  unsigned host[n], *in, *out;
  ring *rings;
  OK(cudaMalloc(&in, sizeof host));
  OK(cudaMalloc(&out, sizeof host));
  OK(cudaMalloc(&rings, STAGES * sizeof *rings));
  OK(cudaMemset(rings, 0, STAGES * sizeof *rings));
  for (int i = 0; i < n; i++)
    host[i] = i;
  OK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  stage<<<STAGES, THREADS>>>(rings, in, out);
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  printf("first %u, last %u, sum %08x\n", host[0], host[n - 1], checksum(host, sizeof host));
  return 0;
}
