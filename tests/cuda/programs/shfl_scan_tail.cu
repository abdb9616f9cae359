/* A scan and a compaction whose last threads returned at the start, as ragged loops leave them. */
#include "common.h"

__global__ void scan(const int *in, int n, int *sums, int *tails) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  if (i >= n) return;
  int v = in[i];
  for (int d = 1; d < 32; d *= 2) {
    int below = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += below;
  }
  sums[i] = v;
  tails[i] = __shfl_sync(0xffffffffu, v, 31); /* of the last warp nobody is there */
}

__global__ void compact(const int *in, int n, int *out, int *count) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) { /* the last round is ragged */
    unsigned here = __activemask();
    bool keep = in[i] % 3 == 0;
    unsigned kept = __ballot_sync(here, keep);
    int lane = threadIdx.x % 32, first = 0, leader = __ffs(here) - 1;
    if (lane == leader) first = atomicAdd(count, __popc(kept));
    first = __shfl_sync(here, first, leader);
    if (keep) out[first + __popc(kept & ((1u << lane) - 1))] = in[i];
  }
}

int main() {
  const int most = 200;
  unsigned seed = 9;
  int host[most], sums[most], tails[most], *in, *out;
  for (int &x : host)
    x = next_random(&seed) % 1000;
  OK(cudaMalloc(&in, sizeof host));
  OK(cudaMalloc(&out, 2 * sizeof host + 4));
  OK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  for (int n = 5; n <= most; n += 39) {
    OK(cudaMemset(out, 0, 2 * sizeof host + 4));
    scan<<<4, 64>>>(in, n, out, out + most);
    OK(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(tails, out + most, sizeof tails, cudaMemcpyDeviceToHost));
    printf("%3d: scan %d, tail %d, sums %08x %08x\n", n, sums[n - 1], tails[n - 1],
           checksum(sums, sizeof sums), checksum(tails, sizeof tails));
    OK(cudaMemset(out, 0, 2 * sizeof host + 4));
    compact<<<1, 32>>>(in, n, out, out + 2 * most);
    int count;
    OK(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(&count, out + 2 * most, sizeof count, cudaMemcpyDeviceToHost));
    printf("     %d kept, first %d, last %d, sum %08x\n", count, sums[0],
           sums[count ? count - 1 : 0], checksum(sums, sizeof sums));
  }
  return 0;
}
