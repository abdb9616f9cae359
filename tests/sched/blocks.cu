// make_ptx: compute_90
// Barriers, shared memory, shuffles, atomics, fences.
#include "common.h"

KERNEL tile_use(const float *a, float *out, int tiles) {
  __shared__ float tile[256];
  float s = 0;
  for (int t = 0; t < tiles; t++) {
    tile[threadIdx.x] = a[t * 256 + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 16; k++)
      s += tile[(threadIdx.x & ~15) + k] * (float)k;
    __syncthreads();
  }
  out[TID] = s;
}

KERNEL tile_two(const float *a, const float *b, float *out, int tiles, int pitch) {
  __shared__ float left[8][33], right[8][33];
  int x = threadIdx.x & 7, y = threadIdx.x >> 3;
  float s = 0;
  for (int t = 0; t < tiles; t++) {
    left[y & 7][x] = a[y * pitch + t * 8 + x];
    right[y & 7][x] = b[(t * 8 + y) * pitch + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++)
      s = fmaf(left[y & 7][k], right[k][x], s);
    __syncthreads();
  }
  out[TID] = s;
}

KERNEL tile_ahead(const float *a, float *out, int tiles) {
  __shared__ float tile[128];
  float s = 0, next = a[threadIdx.x];
  for (int t = 1; t <= tiles; t++) {
    tile[threadIdx.x] = next;
    __syncthreads();
    if (t < tiles) next = a[t * 128 + threadIdx.x];
    for (int k = 0; k < 8; k++)
      s += tile[threadIdx.x ^ k];
    __syncthreads();
  }
  out[TID] = s;
}

KERNEL tile_whole(const float *a, float *out, int n) {
  extern __shared__ float buffer[];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    buffer[i] = a[blockIdx.x * n + i];
  __syncthreads();
  float s = 0;
  for (int i = 0; i < n; i++)
    s += buffer[(i + threadIdx.x) % n];
  out[TID] = s;
}

KERNEL barrier_between(const float *a, const float *b, float *out) {
  __shared__ float kept[256];
  float x = a[TID];
  kept[threadIdx.x] = x;
  __syncthreads();
  float y = b[TID];
  out[TID] = kept[255 - threadIdx.x] * y;
}

KERNEL barrier_in_loop(const float *a, float *out, int trips) {
  float s = 0;
  for (int i = TID; i < trips; i += STEP) {
    s += a[i];
    __syncthreads();
  }
  out[TID] = s;
}

KERNEL tree_in_block(const float *a, float *out) {
  __shared__ float part[256];
  part[threadIdx.x] = a[TID] + a[TID + STEP];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if ((int)threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

KERNEL shuffle_sum(const float *a, float *out, int trips) {
  float s = 0;
  for (int i = TID; i < trips; i += STEP)
    s += a[i];
  for (int d = 16; d > 0; d /= 2)
    s += __shfl_xor_sync(~0u, s, d);
  if ((threadIdx.x & 31) == 0) out[TID / 32] = s;
}

KERNEL shuffle_in_loop(const float *a, float *out, int trips) {
  float s = 0;
  for (int i = TID; i < trips; i += STEP)
    s += __shfl_down_sync(~0u, a[i], 1);
  out[TID] = s;
}

KERNEL ballot_in_loop(const int *a, unsigned *out, int trips) {
  unsigned s = 0;
  for (int i = TID; i < trips; i += STEP)
    s += __popc(__ballot_sync(~0u, a[i] > 0));
  out[TID] = s;
}

KERNEL count_values(const unsigned char *a, unsigned *counts, int trips) {
  for (int i = TID; i < trips; i += STEP)
    atomicAdd(&counts[a[i]], 1u);
}

KERNEL count_in_shared(const unsigned *a, unsigned *counts, int trips) {
  __shared__ unsigned part[64];
  if (threadIdx.x < 64) part[threadIdx.x] = 0;
  __syncthreads();
  for (int i = TID; i < trips; i += STEP)
    atomicAdd(&part[a[i] & 63], 1u);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&counts[threadIdx.x], part[threadIdx.x]);
}

KERNEL add_where_told(const int *index, const float *a, float *sums, int trips) {
  for (int i = TID; i < trips; i += STEP)
    atomicAdd(&sums[index[i]], a[i]);
}

KERNEL take_tickets(unsigned *counter, const float *a, float *out, int n) {
  float s = 0;
  for (unsigned i = atomicAdd(counter, 1u); i < (unsigned)n; i = atomicAdd(counter, 1u))
    s += a[i];
  out[TID] = s;
}

KERNEL largest(const int *a, int *most, int trips) {
  for (int i = TID; i < trips; i += STEP)
    if (a[i] > 1000) atomicMax(most, a[i]);
}

KERNEL fence_between(const float *a, float *out, volatile int *flag) {
  float x = a[TID];
  out[TID] = x;
  __threadfence();
  *flag = 1;
  out[TID + STEP] = a[TID + STEP];
}

KERNEL warp_barrier(const float *a, float *out, int trips) {
  __shared__ float kept[256];
  float s = 0;
  for (int i = TID; i < trips; i += STEP) {
    kept[threadIdx.x] = a[i];
    __syncwarp();
    s += kept[threadIdx.x ^ 3];
    __syncwarp();
  }
  out[TID] = s;
}
