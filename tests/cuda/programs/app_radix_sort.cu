/* Radix sort of key-value pairs, 4 bits a pass: histograms by ballot, scan, stable scatter. */
#include "common.h"

#define BLOCK  128
#define ITEMS  2048
#define BLOCKS (ITEMS / BLOCK)

__device__ unsigned digit_mask(unsigned digit) {
  unsigned mask = ~0u;
  for (int bit = 0; bit < 4; bit++) {
    unsigned votes = __ballot_sync(~0u, digit >> bit & 1);
    mask &= digit >> bit & 1 ? votes : ~votes;
  }
  return mask;
}

__global__ void count_digits(const unsigned *keys, unsigned *counts, int shift) {
  __shared__ unsigned bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  unsigned digit = keys[blockIdx.x * BLOCK + threadIdx.x] >> shift & 15;
  unsigned mask = digit_mask(digit), lane = threadIdx.x & 31;
  if (lane == __ffs(mask) - 1) atomicAdd(&bins[digit], __popc(mask));
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * BLOCKS + blockIdx.x] = bins[threadIdx.x];
}

__global__ void scan_counts(unsigned *counts) {
  __shared__ unsigned s[16 * BLOCKS];
  int i = threadIdx.x;
  unsigned own = counts[i];
  s[i] = own;
  __syncthreads();
  for (int d = 1; d < 16 * BLOCKS; d *= 2) {
    unsigned v = i >= d ? s[i - d] : 0;
    __syncthreads();
    s[i] += v;
    __syncthreads();
  }
  counts[i] = s[i] - own;
}

__global__ void scatter(const unsigned *keys, const unsigned *values, unsigned *keys_out,
                        unsigned *values_out, const unsigned *offsets, int shift) {
  __shared__ unsigned warp_count[BLOCK / 32][16];
  unsigned i = blockIdx.x * BLOCK + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  if (lane < 16) warp_count[warp][lane] = 0;
  __syncwarp();
  unsigned key = keys[i], digit = key >> shift & 15, mask = digit_mask(digit);
  unsigned rank = __popc(mask & ((1u << lane) - 1));
  if (rank == 0) warp_count[warp][digit] = __popc(mask);
  __syncthreads();
  for (unsigned w = 0; w < warp; w++)
    rank += warp_count[w][digit];
  unsigned to = offsets[digit * BLOCKS + blockIdx.x] + rank;
  keys_out[to] = key;
  values_out[to] = values[i];
}

int main() {
  static unsigned keys[ITEMS], values[ITEMS], sorted[ITEMS], order[ITEMS];
  unsigned seed = 2;
  for (int i = 0; i < ITEMS; i++) {
    keys[i] = next_random(&seed) ^ next_random(&seed) << 12;
    if (i % 5 == 0) keys[i] &= 0xff;
    values[i] = i;
  }
  unsigned *k[2], *v[2], *counts;
  for (int j = 0; j < 2; j++) {
    OK(cudaMalloc(&k[j], sizeof keys));
    OK(cudaMalloc(&v[j], sizeof keys));
  }
  OK(cudaMalloc(&counts, 16 * BLOCKS * sizeof(unsigned)));
  OK(cudaMemcpy(k[0], keys, sizeof keys, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(v[0], values, sizeof keys, cudaMemcpyHostToDevice));
  for (int pass = 0; pass < 8; pass++) {
    int from = pass & 1;
    count_digits<<<BLOCKS, BLOCK>>>(k[from], counts, pass * 4);
    scan_counts<<<1, 16 * BLOCKS>>>(counts);
    scatter<<<BLOCKS, BLOCK>>>(k[from], v[from], k[!from], v[!from], counts, pass * 4);
  }
  OK(cudaMemcpy(sorted, k[0], sizeof keys, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(order, v[0], sizeof keys, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < ITEMS; i++)
    wrong += keys[order[i]] != sorted[i] ||
             (i && (sorted[i - 1] > sorted[i] ||
                    (sorted[i - 1] == sorted[i] && order[i - 1] > order[i])));
  printf("keys %08x order %08x wrong %d\n", checksum(sorted, sizeof sorted),
         checksum(order, sizeof order), wrong);
}
