// Fourier transforms of 512 complex numbers, many at a time and in place: a block of 64 threads
// does one in three passes of eight-point transforms, eight numbers in a thread's registers.
// Between passes the numbers change threads by way of 2304 bytes of shared memory, first their real
// and then their imaginary parts. Global memory is read once and written once, eight bytes a thread
// and two lines a warp: a pure stream, nothing of which a cache could serve again.
//
// The turning factors are powers of one sine and cosine, where the original takes each by the
// hardware's approximation.
#include "../suite.h"

#define N 512

__device__ static inline float2 add(float2 a, float2 b) {
  return make_float2(a.x + b.x, a.y + b.y);
}
__device__ static inline float2 sub(float2 a, float2 b) {
  return make_float2(a.x - b.x, a.y - b.y);
}
__device__ static inline float2 mul(float2 a, float2 b) {
  return make_float2(fmaf(a.x, b.x, -(a.y * b.y)), fmaf(a.x, b.y, a.y * b.x));
}
__device__ static inline float2 turn(float2 a) { // by -i
  return make_float2(a.y, -a.x);
}

__device__ static inline void fft4(float2 *a, float2 *b, float2 *c, float2 *d) {
  float2 s = add(*a, *c), t = sub(*a, *c), u = add(*b, *d), v = turn(sub(*b, *d));
  *a = add(s, u);
  *b = add(t, v);
  *c = sub(s, u);
  *d = sub(t, v);
}

// In natural order, before and after.
__device__ static inline void fft8(float2 v[8]) {
  const float half = 0.707106781f; // of a square's diagonal
  float2 even[4], odd[4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    even[i] = add(v[i], v[i + 4]);
    odd[i] = sub(v[i], v[i + 4]);
  }
  odd[1] = make_float2((odd[1].x + odd[1].y) * half, (odd[1].y - odd[1].x) * half);
  odd[2] = turn(odd[2]);
  odd[3] = make_float2((odd[3].y - odd[3].x) * half, -(odd[3].x + odd[3].y) * half);
  fft4(&even[0], &even[1], &even[2], &even[3]);
  fft4(&odd[0], &odd[1], &odd[2], &odd[3]);
#pragma unroll
  for (int i = 0; i < 4; i++) {
    v[2 * i] = even[i];
    v[2 * i + 1] = odd[i];
  }
}

// v[k] *= e^(-2 pi i k step)
__device__ static inline void twiddle(float2 v[8], float step) {
  float2 w, power;
  suite_sincosf(-6.28318548f * step, &w.y, &w.x);
  power = w;
#pragma unroll
  for (int k = 1; k < 8; k++) {
    v[k] = mul(v[k], power);
    power = mul(power, w);
  }
}

// v[k] goes to place to + k * to_step, and comes from place from + k * from_step.
__device__ static inline void exchange(float2 v[8], float *shared, int to, int to_step, int from,
                                       int from_step) {
#pragma unroll
  for (int k = 0; k < 8; k++)
    shared[to + k * to_step] = v[k].x;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; k++)
    v[k].x = shared[from + k * from_step];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; k++)
    shared[to + k * to_step] = v[k].y;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 8; k++)
    v[k].y = shared[from + k * from_step];
}

extern "C" __global__ void fft512(float2 *data) {
  __shared__ float shared[8 * 8 * 9];
  int t = threadIdx.x, high = t >> 3, low = t & 7;
  data += (blockIdx.y * gridDim.x + blockIdx.x) * N + t;
  float2 v[8];
#pragma unroll
  for (int k = 0; k < 8; k++)
    v[k] = data[k * 64];
  fft8(v);
  twiddle(v, (float)t * (1.0f / 512));
  exchange(v, shared, t, 66, high * 66 + low, 8);
  fft8(v);
  twiddle(v, (float)low * (1.0f / 64));
  __syncthreads();
  exchange(v, shared, low * 9 + high, 72, high * 72 + low, 9);
  fft8(v);
#pragma unroll
  for (int k = 0; k < 8; k++)
    data[k * 64] = v[k];
}
