// Blocks that wait for one another through global memory. All blocks of `broadcast` must be
// resident at once; those of `chained_scan` need only start in the order of their numbers.
#define BLOCK 256

// The last block fills a table and raises a flag; the others wait for the flag, and all read the
// table.
extern "C" __global__ void broadcast(volatile unsigned *flag, unsigned *table, unsigned entries,
                                     unsigned *out, unsigned n, unsigned round) {
  unsigned t = threadIdx.x;
  if (blockIdx.x == gridDim.x - 1) {
    for (unsigned i = t; i < entries; i += BLOCK)
      table[i] = i * 2654435761u + round;
    __threadfence();
    __syncthreads();
    if (t == 0) *flag = round;
  } else {
    if (t == 0) {
      while (*flag != round) {
      }
    }
    __syncthreads();
    __threadfence();
  }
  for (unsigned i = blockIdx.x * BLOCK + t; i < n; i += gridDim.x * BLOCK)
    out[i] = table[(i * 7 + round) % entries] + i;
}

// Inclusive prefix sum in one pass: a block scans its 256 elements, waits for the sum of everything
// before from the block with the next lower number, and hands its own on. A word of `chain` is a
// sum with bit 32 set when it is there.
extern "C" __global__ void chained_scan(const unsigned *in, unsigned *out,
                                        volatile unsigned long long *chain, unsigned n) {
  __shared__ unsigned scan[2][BLOCK];
  __shared__ unsigned before;
  unsigned t = threadIdx.x, b = blockIdx.x;
  unsigned i = b * BLOCK + t;
  unsigned p = 0;
  scan[0][t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned delta = 1; delta < BLOCK; delta *= 2) {
    scan[p ^ 1][t] = scan[p][t] + (t >= delta ? scan[p][t - delta] : 0);
    p ^= 1;
    __syncthreads();
  }
  if (t == BLOCK - 1) {
    unsigned long long word = 0;
    if (b > 0) {
      do
        word = chain[b - 1];
      while (word >> 32 == 0);
    }
    before = (unsigned)word;
    chain[b] = 1ull << 32 | (unsigned)((unsigned)word + scan[p][t]);
  }
  __syncthreads();
  if (i < n) out[i] = before + scan[p][t];
}
