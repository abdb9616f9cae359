// Prefix sums by shuffles, as the CUDA SDK's shfl_scan. First of a vector: shfl_scan sums 256 words
// a block in place and writes each block's sum, runs again over those, and add_blocks adds them.
// Then of an image, in two directions: image_rows sums a row of 1920 bytes with one block of 120
// threads, 16 bytes each, and writes words; image_columns goes down 32 columns with a block of 32x8
// threads, eight rows a step, in place.
//
// Everything streams. image_columns has few blocks, one for every 32 columns, each a chain of
// dependent steps with one load in flight to a warp; every load is one line of another row.
#include "../suite.h"

#define ALL 0xffffffffu

extern "C" __global__ void shfl_scan(int *data, int width, int *sums) {
  extern __shared__ int warps[];
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = id % 32, warp = threadIdx.x / 32, count = blockDim.x / 32;
  int value = data[id];
#pragma unroll
  for (int i = 1; i <= width; i *= 2) {
    int other = __shfl_up_sync(ALL, value, i, width);
    if (lane >= i) value += other;
  }
  if (lane == 31) warps[warp] = value;
  __syncthreads();
  if (warp == 0 && lane < count) {
    int sum = warps[lane];
    LOOP
    for (int i = 1; i <= count; i *= 2) {
      int other = __shfl_up_sync((1u << count) - 1, sum, i, count);
      if (lane >= i) sum += other;
    }
    warps[lane] = sum;
  }
  __syncthreads();
  if (warp > 0) value += warps[warp - 1];
  data[id] = value;
  if (sums && threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = value;
}

extern "C" __global__ void add_blocks(int *data, int *sums, int n) {
  __shared__ int sum;
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id > n) return;
  if (threadIdx.x == 0) sum = sums[blockIdx.x];
  __syncthreads();
  data[id] += sum;
}

__device__ static inline uint4 shuffle_xor(unsigned lanes, uint4 v, int with) {
  return make_uint4(__shfl_xor_sync(lanes, v.x, with), __shfl_xor_sync(lanes, v.y, with),
                    __shfl_xor_sync(lanes, v.z, with), __shfl_xor_sync(lanes, v.w, with));
}
__device__ static inline uint4 pick(const uint4 v[4], unsigned which) {
  return which == 0 ? v[0] : which == 1 ? v[1] : which == 2 ? v[2] : v[3];
}

extern "C" __global__ void image_rows(const uint4 *image, uint4 *sums) {
  __shared__ unsigned warps[128];
  unsigned id = threadIdx.x, lane = id % 32, warp = id / 32;
  unsigned lanes = warp < 3 ? ALL : 0x00ffffffu; // 120 threads: 24 in the last warp
  uint4 bytes = image[blockIdx.x * 120 + id];
  unsigned word[4] = {bytes.x, bytes.y, bytes.z, bytes.w}, result[16], sum = 0;
#pragma unroll
  for (int i = 0; i < 16; i++) {
    sum += word[i / 4] >> i % 4 * 8 & 0xff;
    result[i] = sum;
  }
#pragma unroll
  for (unsigned i = 1; i < 32; i *= 2) {
    unsigned other = __shfl_up_sync(lanes, sum, i);
    if (lane >= i) {
#pragma unroll
      for (int j = 0; j < 16; j++)
        result[j] += other;
      sum += other;
    }
  }
  if (lane == 31) warps[warp] = result[15];
  __syncthreads();
  if (warp == 0) {
    unsigned total = lane < 3 ? warps[lane] : 0;
#pragma unroll
    for (unsigned i = 1; i <= 16; i *= 2) {
      unsigned other = __shfl_up_sync(ALL, total, i);
      if (lane >= i) total += other;
    }
    warps[lane] = total;
  }
  __syncthreads();
  if (warp > 0) {
    unsigned before = warps[warp - 1];
#pragma unroll
    for (int i = 0; i < 16; i++)
      result[i] += before;
  }
  // Four threads hold 16 vectors. They swap them so that each store of four threads writes four
  // vectors in a row.
  uint4 v[4];
#pragma unroll
  for (int i = 0; i < 4; i++)
    v[i] = make_uint4(result[4 * i], result[4 * i + 1], result[4 * i + 2], result[4 * i + 3]);
  unsigned own = id & 3, far = (id + 2) & 3;
  uint4 *out = sums + blockIdx.x * 480 + (id >> 2) * 16;
#pragma unroll
  for (int i = 1; i < 4; i++)
    v[i] = shuffle_xor(lanes, v[i], i);
  out[own] = pick(v, own);
  out[far + 8] = pick(v, far);
#pragma unroll
  for (int i = 0; i < 4; i++)
    v[i] = shuffle_xor(lanes, v[i], 1);
  out[own + 4] = pick(v, own);
  out[far + 12] = pick(v, far);
}

extern "C" __global__ void image_columns(unsigned *sums, int width, int height) {
  __shared__ unsigned part[32][9];
  int x = threadIdx.x, y = threadIdx.y;
  unsigned column = blockIdx.x * 32 + x, lane = column % 8, above = 0;
  part[x][y] = 0;
  __syncthreads();
  LOOP
  for (int step = 0; step < height / 8; step++) {
    unsigned *at = sums + (y + step * 8) * width + column, sum = *at;
    part[x][y] = sum;
    __syncthreads();
    int j = x % 8, k = x / 8 + y * 4; // a warp takes four columns of eight rows
    unsigned total = part[k][j];
    LOOP
    for (int i = 1; i <= 8; i *= 2) {
      unsigned other = __shfl_up_sync(ALL, total, i, 32);
      if (lane >= i) total += other;
    }
    part[k][j] = total;
    __syncthreads();
    if (y > 0) sum += part[x][y - 1];
    sum += above;
    above += part[x][7];
    __syncthreads();
    *at = sum;
  }
}
