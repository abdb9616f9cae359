/* A scan in one pass: each tile looks back at the states of the tiles before it until it finds one
 * whose prefix is complete (decoupled look-back). */
#include "common.h"

const int THREADS = 256, ITEMS = 4, TILE = THREADS * ITEMS;

enum { NOTHING = 0, PARTIAL = 1, COMPLETE = 2 };
struct __align__(8) state {
  unsigned what, value;
};

__device__ unsigned next_tile;

__device__ state look(const volatile unsigned long long *p) {
  unsigned long long v = *p;
  return state{(unsigned)(v >> 32), (unsigned)v};
}

__device__ void publish(volatile unsigned long long *p, unsigned what, unsigned value) {
  *p = (unsigned long long)what << 32 | value;
}

__global__ void __launch_bounds__(THREADS)
    scan(const unsigned *in, unsigned *out, volatile unsigned long long *states, unsigned n) {
  __shared__ unsigned tile, before, sums[THREADS];
  if (threadIdx.x == 0) tile = atomicAdd(&next_tile, 1);
  __syncthreads();
  unsigned at = tile * TILE + threadIdx.x * ITEMS, v[ITEMS], sum = 0;
  for (int k = 0; k < ITEMS; k++) {
    v[k] = sum;
    sum += at + k < n ? in[at + k] : 0;
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int d = 1; d < THREADS; d *= 2) {
    unsigned x = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
    __syncthreads();
    sums[threadIdx.x] += x;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    unsigned total = sums[THREADS - 1], prefix = 0;
    publish(&states[tile], tile == 0 ? COMPLETE : PARTIAL, total);
    for (int t = (int)tile - 1; t >= 0;) {
      state s = look(&states[t]);
      if (s.what == NOTHING) continue;
      prefix += s.value;
      if (s.what == COMPLETE) break;
      t--;
    }
    if (tile != 0) publish(&states[tile], COMPLETE, prefix + total);
    before = prefix;
  }
  __syncthreads();
  unsigned base = before + sums[threadIdx.x] - sum;
  for (int k = 0; k < ITEMS; k++)
    if (at + k < n) out[at + k] = base + v[k];
}

int main() {
  const unsigned n = 1000003, tiles = (n + TILE - 1) / TILE;
  unsigned *in, *out, *host = (unsigned *)malloc(n * sizeof *host), seed = 11, sum = 0, wrong = 0;
  unsigned long long *states;
  OK(cudaMalloc(&in, n * sizeof *in));
  OK(cudaMalloc(&out, n * sizeof *out));
  OK(cudaMalloc(&states, tiles * sizeof *states));
  OK(cudaMemset(states, 0, tiles * sizeof *states));
  for (unsigned i = 0; i < n; i++)
    host[i] = next_random(&seed) % 1000;
  OK(cudaMemcpy(in, host, n * sizeof *in, cudaMemcpyHostToDevice));
  scan<<<tiles, THREADS>>>(in, out, states, n);
  unsigned *got = (unsigned *)malloc(n * sizeof *got);
  OK(cudaMemcpy(got, out, n * sizeof *got, cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < n; i++) {
    wrong += got[i] != sum;
    sum += host[i];
  }
  printf("wrong %u, last %u, sum %08x\n", wrong, got[n - 1], checksum(got, n * sizeof *got));
  return wrong != 0;
}
