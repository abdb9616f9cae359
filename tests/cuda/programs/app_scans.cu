/* Prefix sums in three ways (Blelloch in shared memory, by shuffles, decoupled in two kernels),
 * also of maxima. */
#include "common.h"

#define N 1024

__global__ void blelloch(const int *in, int *out) {
  extern __shared__ int t[];
  int i = threadIdx.x, offset = 1;
  t[2 * i] = in[2 * i];
  t[2 * i + 1] = in[2 * i + 1];
  for (int d = N >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (i < d) {
      int a = offset * (2 * i + 1) - 1, b = offset * (2 * i + 2) - 1;
      t[b] += t[a];
    }
    offset *= 2;
  }
  if (i == 0) t[N - 1] = 0;
  for (int d = 1; d < N; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (i < d) {
      int a = offset * (2 * i + 1) - 1, b = offset * (2 * i + 2) - 1;
      int s = t[a];
      t[a] = t[b];
      t[b] += s;
    }
  }
  __syncthreads();
  out[2 * i] = t[2 * i];
  out[2 * i + 1] = t[2 * i + 1];
}

struct Sum {
  __device__ static long long join(long long a, long long b) {
    return a + b;
  }
  __device__ static long long none() {
    return 0;
  }
};
struct Max {
  __device__ static long long join(long long a, long long b) {
    return a > b ? a : b;
  }
  __device__ static long long none() {
    return -9223372036854775807ll - 1;
  }
};

template <class Op> __global__ void shuffle_scan(const int *in, long long *out) {
  __shared__ long long totals[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  long long v = in[threadIdx.x];
  for (int d = 1; d < 32; d <<= 1) {
    long long other = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v = Op::join(v, other);
  }
  if (lane == 31) totals[warp] = v;
  __syncthreads();
  if (warp == 0) {
    long long t = totals[lane];
    for (int d = 1; d < 32; d <<= 1) {
      long long other = __shfl_up_sync(~0u, t, d);
      if (lane >= d) t = Op::join(t, other);
    }
    totals[lane] = t;
  }
  __syncthreads();
  out[threadIdx.x] = Op::join(v, warp ? totals[warp - 1] : Op::none());
}

__global__ void tile_sums(const int *in, float *sums) {
  float s = 0;
  for (int k = 0; k < 16; k++)
    s += in[threadIdx.x * 16 + k] * 0.1f;
  sums[threadIdx.x] = s;
}
__global__ void tile_spread(const int *in, const float *sums, float *out) {
  float before = 0;
  for (int k = 0; k < blockIdx.x; k++)
    before += sums[k];
  for (int k = 0; k <= threadIdx.x; k++)
    before += in[blockIdx.x * 16 + k] * 0.1f;
  out[blockIdx.x * 16 + threadIdx.x] = before;
}

int main() {
  static int in[N], a[N];
  static long long b[N];
  static float c[N];
  unsigned seed = 1;
  for (int &v : in)
    v = (int)(next_random(&seed) % 2001) - 900;
  int *d_in, *d_a;
  long long *d_b;
  float *d_sums, *d_c;
  OK(cudaMalloc(&d_in, sizeof in));
  OK(cudaMalloc(&d_a, sizeof a));
  OK(cudaMalloc(&d_b, sizeof b));
  OK(cudaMalloc(&d_c, sizeof c));
  OK(cudaMalloc(&d_sums, 64 * 4));
  OK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
  blelloch<<<1, N / 2, N * sizeof(int)>>>(d_in, d_a);
  OK(cudaMemcpy(a, d_a, sizeof a, cudaMemcpyDeviceToHost));
  printf("blelloch %08x last %d\n", checksum(a, sizeof a), a[N - 1]);
  shuffle_scan<Sum><<<1, N>>>(d_in, d_b);
  OK(cudaMemcpy(b, d_b, sizeof b, cudaMemcpyDeviceToHost));
  printf("sums %08x last %lld\n", checksum(b, sizeof b), b[N - 1]);
  shuffle_scan<Max><<<1, N>>>(d_in, d_b);
  OK(cudaMemcpy(b, d_b, sizeof b, cudaMemcpyDeviceToHost));
  printf("maxima %08x last %lld\n", checksum(b, sizeof b), b[N - 1]);
  tile_sums<<<1, 64>>>(d_in, d_sums);
  tile_spread<<<64, 16>>>(d_in, d_sums, d_c);
  OK(cudaMemcpy(c, d_c, sizeof c, cudaMemcpyDeviceToHost));
  printf("floats %08x last %a\n", checksum(c, sizeof c), c[N - 1]);
}
