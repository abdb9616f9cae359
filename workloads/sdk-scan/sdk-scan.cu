// Exclusive prefix sums of many arrays at once, as the CUDA SDK's scan: blocks of 256 threads, four
// words to a thread, read as one vector of 16 bytes. Arrays of up to 1024 words are done by one
// launch of scan_shared, 1024 words to a block; longer ones by three: scan_shared for each 1024
// words, scan_tops for the sums of these, and add_tops, which adds them. Inside a block the sums go
// up in steps of doubling distance through shared memory, twice as many words as threads, of which
// half are zero.
//
// A warp's vector load is four whole lines. All of it streams; scan_tops gathers one word of every
// 4 KB from two arrays, a line for each, and add_tops reads back what scan_shared has written.
#include "../suite.h"

#define THREADS 256

// Of one word per thread, separately for each group of `size` threads.
__device__ static inline unsigned scan_inclusive(unsigned x, volatile unsigned *shared,
                                                 unsigned size) {
  unsigned at = 2 * threadIdx.x - (threadIdx.x & (size - 1));
  shared[at] = 0;
  at += size;
  shared[at] = x;
  LOOP
  for (unsigned distance = 1; distance < size; distance *= 2) {
    __syncthreads();
    unsigned sum = shared[at] + shared[at - distance];
    __syncthreads();
    shared[at] = sum;
  }
  return shared[at];
}

extern "C" __global__ void scan_shared(uint4 *to, uint4 *from, unsigned length) {
  __shared__ unsigned shared[2 * THREADS];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  uint4 v = from[i], s;
  s.x = v.x;
  s.y = s.x + v.y;
  s.z = s.y + v.z;
  s.w = s.z + v.w;
  unsigned before = scan_inclusive(s.w, shared, length / 4) - s.w;
  s.x += before - v.x;
  s.y += before - v.y;
  s.z += before - v.z;
  s.w += before - v.w;
  to[i] = s;
}

extern "C" __global__ void scan_tops(unsigned *tops, unsigned *to, unsigned *from, unsigned count,
                                     unsigned length) {
  __shared__ unsigned shared[2 * THREADS];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = 0;
  unsigned last = 4 * THREADS * i + 4 * THREADS - 1;
  if (i < count) x = to[last] + from[last];
  unsigned sum = scan_inclusive(x, shared, length) - x;
  if (i < count) tops[i] = sum;
}

extern "C" __global__ void add_tops(uint4 *data, unsigned *tops) {
  __shared__ unsigned top;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) top = tops[blockIdx.x];
  __syncthreads();
  uint4 v = data[i];
  v.x += top;
  v.y += top;
  v.z += top;
  v.w += top;
  data[i] = v;
}
