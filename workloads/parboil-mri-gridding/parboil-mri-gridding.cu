// Samples of k-space onto a regular grid (Parboil's mri-gridding). Samples are counted in the cells
// of the grid, sorted by cell (a radix sort of keys and numbers, four bits at a time), brought into
// that order, and each point of the grid gathers the samples within a radius, a block of 8 x 4 x 2
// points together, row of cells by row of cells.
//
// A sample is a structure of 24 bytes: a warp that reads one field, or structures in sorted order,
// touches many lines of which it uses a part, and comes back for the next field. The sort writes
// scattered words; its counts and the cells' are turned into starts by a scan in three levels. In
// the gather a row's samples go through shared memory; neighbouring blocks read the same rows.
#include "../suite.h"

#define SORTERS 256
#define BITS    4
#define DIGITS  (1 << BITS)
#define SCANNED 1024
#define PADDED(n) ((n) + ((n) >> 4) + ((n) >> 8))
#define BATCH   64

struct sample {
  float real, imag, x, y, z, weight;
};

extern "C" __global__ void mri_binning(unsigned n, struct sample *sample, unsigned *key,
                                       unsigned *number, unsigned *count, unsigned most,
                                       unsigned cells, int nx, int nxy) {
  unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  if (me >= n) return;
  struct sample s = sample[me];
  unsigned cell = (unsigned)s.z * nxy + (unsigned)s.y * nx + (unsigned)s.x;
  if (atomicAdd(&count[cell], 1) >= most) { // left to the host
    atomicSub(&count[cell], 1);
    cell = cells;
  }
  key[me] = cell;
  number[me] = me;
}

// Exclusive prefix sums of 4 * blockDim.x words, the total behind them: up a tree and down again.
__device__ static void scan_four(unsigned *w) {
  unsigned me = threadIdx.x, span = 2;
  __syncthreads();
  w[2 * me + 1] += w[2 * me];
  w[2 * (blockDim.x + me) + 1] += w[2 * (blockDim.x + me)];
  LOOP for (unsigned pairs = blockDim.x; pairs > 0; pairs >>= 1) {
    __syncthreads();
    if (me < pairs) {
      unsigned a = 2 * span * me + span - 1, b = a + span;
      w[b] += w[a];
    }
    span *= 2;
  }
  if (me == 0) {
    unsigned last = 4 * blockDim.x - 1;
    w[last + 1] = w[last];
    w[last] = 0;
  }
  LOOP for (unsigned pairs = 1; pairs <= blockDim.x; pairs *= 2) {
    span >>= 1;
    __syncthreads();
    if (me < pairs) {
      unsigned a = 2 * span * me + span - 1, b = a + span, left = w[a];
      w[a] = w[b];
      w[b] += left;
    }
  }
  __syncthreads();
  unsigned left = w[2 * me];
  w[2 * me] = w[2 * me + 1];
  w[2 * me + 1] += left;
  left = w[2 * (blockDim.x + me)];
  w[2 * (blockDim.x + me)] = w[2 * (blockDim.x + me) + 1];
  w[2 * (blockDim.x + me) + 1] += left;
  __syncthreads();
}

__device__ static unsigned digit_of(unsigned key, int digit) {
  return (key & ((1u << BITS * (digit + 1)) - 1)) >> BITS * digit;
}

// Sorts the keys of a block, 1024, in place by one digit, and counts the digit's values.
extern "C" __global__ void mri_split_sort(int n, int digit, unsigned *key, unsigned *number,
                                          unsigned *count) {
  __shared__ unsigned flag[4 * SORTERS + 1 + (4 * SORTERS + 1) / 16 + (4 * SORTERS + 1) / 64];
  __shared__ unsigned values[DIGITS];
  unsigned me = threadIdx.x, first = blockIdx.x * 4 * blockDim.x;
  bool mine = first + 4 * me < n;
  uint4 k = make_uint4(~0u, ~0u, ~0u, ~0u), v;
  if (mine) {
    k = *(uint4 *)(key + first + 4 * me);
    v = *(uint4 *)(number + first + 4 * me);
  }
  if (me < DIGITS) values[me] = 0;
  __syncthreads();
  atomicAdd(&values[digit_of(k.x, digit)], 1);
  atomicAdd(&values[digit_of(k.y, digit)], 1);
  atomicAdd(&values[digit_of(k.z, digit)], 1);
  atomicAdd(&values[digit_of(k.w, digit)], 1);

  uint4 at = make_uint4(4 * me, 4 * me + 1, 4 * me + 2, 4 * me + 3);
  LOOP for (int bit = BITS * digit; bit < BITS * (digit + 1); bit++) {
    // Zeros are counted in the lower half of a word, ones in the upper half.
    uint4 half = make_uint4((k.x >> bit & 1) * 16, (k.y >> bit & 1) * 16, (k.z >> bit & 1) * 16,
                            (k.w >> bit & 1) * 16);
    flag[at.x] = 1u << half.x;
    flag[at.y] = 1u << half.y;
    flag[at.z] = 1u << half.z;
    flag[at.w] = 1u << half.w;
    scan_four(flag);
    unsigned zeros = flag[4 * blockDim.x] & 0xffff;
    at.x = (flag[at.x] >> half.x & 0xffff) + (half.x ? zeros : 0);
    at.y = (flag[at.y] >> half.y & 0xffff) + (half.y ? zeros : 0);
    at.z = (flag[at.z] >> half.z & 0xffff) + (half.z ? zeros : 0);
    at.w = (flag[at.w] >> half.w & 0xffff) + (half.w ? zeros : 0);
    __syncthreads();
  }
  if (mine) {
    key[first + at.x] = k.x;
    key[first + at.y] = k.y;
    key[first + at.z] = k.z;
    key[first + at.w] = k.w;
    number[first + at.x] = v.x;
    number[first + at.y] = v.y;
    number[first + at.z] = v.z;
    number[first + at.w] = v.w;
  }
  if (me < DIGITS) count[gridDim.x * me + blockIdx.x] = values[me];
}

// Moves the keys of a block to where their digit's keys of this block start.
extern "C" __global__ void mri_split_rearrange(int n, int digit, unsigned *key, unsigned *key_to,
                                               unsigned *number, unsigned *number_to,
                                               unsigned *start) {
  __shared__ unsigned first[DIGITS];
  __shared__ uint4 digits[SORTERS];
  int me = threadIdx.x, at = 4 * (blockIdx.x * blockDim.x + me);
  if (me < DIGITS) first[me] = start[gridDim.x * me + blockIdx.x];
  uint4 k = make_uint4(~0u, ~0u, ~0u, ~0u), v;
  if (at < n) {
    k = *(uint4 *)(key + at);
    v = *(uint4 *)(number + at);
  }
  uint4 d = make_uint4(digit_of(k.x, digit), digit_of(k.y, digit), digit_of(k.z, digit),
                       digit_of(k.w, digit));
  digits[me] = d;
  __syncthreads();
  uint4 to = make_uint4(first[d.x], first[d.y], first[d.z], first[d.w]);
  // Keys of the same digit stand side by side: count those in front.
  unsigned *all = (unsigned *)digits;
  LOOP for (int i = 4 * me - 1; i >= 0 && all[i] == d.x; i--) to.x++;
  to.y = d.y == d.x ? to.x + 1 : to.y;
  to.z = d.z == d.y ? to.y + 1 : to.z;
  to.w = d.w == d.z ? to.z + 1 : to.w;
  if (at < n) {
    key_to[to.x] = k.x;
    number_to[to.x] = v.x;
    key_to[to.y] = k.y;
    number_to[to.y] = v.y;
    key_to[to.z] = k.z;
    number_to[to.z] = v.z;
    key_to[to.w] = k.w;
    number_to[to.w] = v.w;
  }
}

__device__ static void up(unsigned *w, unsigned span) {
  LOOP for (unsigned pairs = blockDim.x; pairs > 0; pairs >>= 1, span *= 2) {
    __syncthreads();
    if (threadIdx.x < pairs) {
      unsigned a = 2 * span * threadIdx.x + span - 1, b = a + span;
      w[b] += w[a];
    }
  }
}

__device__ static void down(unsigned *w) {
  unsigned span = 2 * blockDim.x;
  LOOP for (unsigned pairs = 1; pairs <= blockDim.x; pairs *= 2) {
    span >>= 1;
    __syncthreads();
    if (threadIdx.x < pairs) {
      unsigned a = 2 * span * threadIdx.x + span - 1, b = a + span, left = w[a];
      w[a] = w[b];
      w[b] += left;
    }
  }
  __syncthreads();
}

// Scans each 1024 words by themselves.
extern "C" __global__ void mri_scan_l1(unsigned n, unsigned *data, unsigned *sums) {
  __shared__ unsigned w[PADDED(SCANNED)];
  unsigned me = threadIdx.x, a = blockIdx.x * 2 * blockDim.x + me, b = a + blockDim.x;
  w[me] = a < n ? data[a] : 0;
  w[me + blockDim.x] = b < n ? data[b] : 0;
  up(w, 1);
  if (me == 0) {
    unsigned last = 2 * blockDim.x - 1;
    sums[blockIdx.x] = w[last];
    w[last] = 0;
  }
  down(w);
  if (a < n) data[a] = w[me];
  if (b < n) data[b] = w[me + blockDim.x];
}

extern "C" __global__ void mri_scan_inter1(unsigned *data, unsigned step) {
  extern __shared__ unsigned w[];
  unsigned me = threadIdx.x;
  unsigned a = 2 * step * (blockIdx.x * blockDim.x + me) + step - 1, b = a + step;
  w[2 * me] = data[a];
  w[2 * me + 1] = data[b];
  up(w, 1);
  __syncthreads();
  data[a] = w[2 * me];
  data[b] = w[2 * me + 1];
}

// `top`: the total at the end counts as 0 (the host clears it otherwise).
extern "C" __global__ void mri_scan_inter2(unsigned *data, unsigned step, int top) {
  extern __shared__ unsigned w[];
  unsigned me = threadIdx.x;
  unsigned a = 2 * step * (blockIdx.x * blockDim.x + me) + step - 1, b = a + step;
  w[2 * me] = data[a];
  w[2 * me + 1] = data[b];
  if (top && me == blockDim.x - 1) w[2 * me + 1] = 0;
  down(w);
  data[a] = w[2 * me];
  data[b] = w[2 * me + 1];
}

extern "C" __global__ void mri_uniform_add(unsigned n, unsigned *data, unsigned *sums) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = sums[blockIdx.x];
  __syncthreads();
  unsigned a = blockIdx.x * 2 * blockDim.x + threadIdx.x, b = a + blockDim.x;
  if (a < n) data[a] += sum;
  if (b < n) data[b] += sum;
}

extern "C" __global__ void mri_reorder(int n, unsigned *number, struct sample *sample,
                                       struct sample *sorted) {
  unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  if (me < n) sorted[me] = sample[number[me]];
}

// Kaiser and Bessel's window: the first terms of I0(v), by its peak.
__device__ static float window(float v, float peak) {
  float q = v * v * 0.25f;
  float p = 7.90429189e-30f; // 1 / (k!)^2 for k = 17, 16, ...
  p = fmaf(p, q, 2.28434036e-27f);
  p = fmaf(p, q, 5.84791131e-25f);
  p = fmaf(p, q, 1.31578005e-22f);
  p = fmaf(p, q, 2.57892889e-20f);
  p = fmaf(p, q, 4.35838982e-18f);
  p = fmaf(p, q, 6.27608135e-16f);
  p = fmaf(p, q, 7.59405843e-14f);
  p = fmaf(p, q, 7.59405843e-12f);
  p = fmaf(p, q, 6.15118733e-10f);
  p = fmaf(p, q, 3.93675989e-8f);
  p = fmaf(p, q, 1.92901235e-6f);
  p = fmaf(p, q, 6.94444444e-5f);
  p = fmaf(p, q, 1.73611111e-3f);
  p = fmaf(p, q, 2.77777778e-2f);
  p = fmaf(p, q, 0.25f);
  p = fmaf(p, q, 1.0f);
  p = fmaf(p, q, 1.0f);
  return __fdiv_rn(p, peak);
}

extern "C" __global__ void mri_gridding(struct sample *sorted, unsigned *start, float2 *grid,
                                        float *density, float beta, float peak, float radius,
                                        float radius2, float per_radius2, int nx, int ny, int nz) {
  __shared__ struct sample batch[BATCH];
  int me = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  int tiles = ny / blockDim.y;
  int x0 = blockIdx.x * blockDim.x, y0 = blockDim.y * (blockIdx.y % tiles);
  int z0 = blockDim.z * (blockIdx.y / tiles);
  int x = x0 + threadIdx.x, y = y0 + threadIdx.y, z = z0 + threadIdx.z;
  int before = (int)ceilf(radius);
  int x_from = max(0, x0 - before), x_to = min(nx - 1, (int)(x0 + blockDim.x + radius));
  int y_from = max(0, y0 - before), y_to = min(ny - 1, (int)(y0 + blockDim.y + radius));
  int z_from = max(0, z0 - before), z_to = min(nz - 1, (int)(z0 + blockDim.z + radius));
  float2 sum = make_float2(0.0f, 0.0f);
  float hits = 0.0f;
  LOOP for (int cz = z_from; cz <= z_to; cz++) {
    LOOP for (int cy = y_from; cy <= y_to; cy++) {
      unsigned *row = start + (cz * ny + cy) * nx;
      unsigned first = row[x_from], many = row[x_to + 1] - first;
      LOOP for (int done = 0; done < (int)many; done += BATCH) {
        int size = min(BATCH, (int)many - done);
        __syncthreads();
        if (me < size) batch[me] = sorted[first + done + me];
        __syncthreads();
        LOOP for (int j = 0; j < size; j++) {
          float real = batch[j].real, imag = batch[j].imag, weight = batch[j].weight;
          if ((real != 0.0f || imag != 0.0f) && weight != 0.0f) {
            float dx = batch[j].x - x, dy = batch[j].y - y, dz = batch[j].z - z;
            float v = fmaf(dz, dz, fmaf(dy, dy, dx * dx));
            if (v < radius2) {
              float inside = (float)(1.0 - (double)(v * per_radius2));
              float w = window(beta * __fsqrt_rn(inside), peak) * weight;
              sum.x = fmaf(w, real, sum.x);
              sum.y = fmaf(w, imag, sum.y);
              hits += 1.0f;
            }
          }
        }
      }
    }
  }
  int at = (z * ny + y) * nx + x;
  grid[at] = sum;
  density[at] = hits;
}
