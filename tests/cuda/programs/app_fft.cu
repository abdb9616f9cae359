/* FFTs of 1024 points: radix 2 in shared memory, radix 4 through global memory; twiddles from the
 * host. */
#include "common.h"
#include <cmath>

#define N 1024

__device__ inline float2 operator*(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__device__ inline float2 operator+(float2 a, float2 b) {
  return make_float2(a.x + b.x, a.y + b.y);
}
__device__ inline float2 operator-(float2 a, float2 b) {
  return make_float2(a.x - b.x, a.y - b.y);
}

__global__ void radix2(const float2 *in, float2 *out, const float2 *w) {
  __shared__ float2 s[N];
  for (int i = threadIdx.x; i < N; i += blockDim.x)
    s[__brev(i) >> 22] = in[i];
  __syncthreads();
  for (int half = 1; half < N; half *= 2) {
    for (int k = threadIdx.x; k < N / 2; k += blockDim.x) {
      int j = k & (half - 1), a = 2 * k - j, b = a + half;
      float2 t = w[j * (N / 2 / half)] * s[b];
      s[b] = s[a] - t;
      s[a] = s[a] + t;
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < N; i += blockDim.x)
    out[i] = s[i];
}

/* Stockham: the output of each pass is in order. */
__global__ void radix4(const float2 *in, float2 *out, const float2 *w, int p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, k = i & (p - 1), step = N / (4 * p);
  float2 u0 = in[i], u1 = in[i + N / 4] * w[k * step], u2 = in[i + N / 2] * w[2 * k * step],
         u3 = in[i + 3 * N / 4];
  int third = 3 * k * step;
  float2 w3 = third < N / 2 ? w[third] : make_float2(-w[third - N / 2].x, -w[third - N / 2].y);
  u3 = u3 * w3;
  float2 v0 = u0 + u2, v1 = u0 - u2, v2 = u1 + u3, d = u1 - u3;
  float2 v3 = make_float2(d.y, -d.x);
  int j = ((i - k) << 2) + k;
  out[j] = v0 + v2;
  out[j + p] = v1 + v3;
  out[j + 2 * p] = v0 - v2;
  out[j + 3 * p] = v1 - v3;
}

int main() {
  static float2 x[N], w[N / 2], y[N], z[N];
  unsigned seed = 14;
  for (int i = 0; i < N; i++)
    x[i] = make_float2(next_random(&seed) / 8388608.0f - 1, next_random(&seed) / 8388608.0f - 1);
  /* by halving angles with square roots only, which are the same everywhere */
  w[0] = make_float2(1, 0);
  double c = 0, s = -1;
  for (int step = N / 4; step >= 1; step /= 2) {
    w[step] = make_float2((float)c, (float)s);
    for (int k = 0; k < N / 2; k += 2 * step)
      if (k)
        w[k + step] = make_float2((float)((double)w[k].x * c - (double)w[k].y * s),
                                  (float)((double)w[k].x * s + (double)w[k].y * c));
    double next = sqrt((1 + c) / 2);
    s = -sqrt((1 - c) / 2);
    c = next;
  }
  float2 *d_x, *d_w, *d_y, *d_t[2];
  OK(cudaMalloc(&d_x, sizeof x));
  OK(cudaMalloc(&d_y, sizeof x));
  OK(cudaMalloc(&d_t[0], sizeof x));
  OK(cudaMalloc(&d_t[1], sizeof x));
  OK(cudaMalloc(&d_w, sizeof w));
  OK(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_w, w, sizeof w, cudaMemcpyHostToDevice));
  radix2<<<1, 256>>>(d_x, d_y, d_w);
  OK(cudaMemcpy(d_t[0], d_x, sizeof x, cudaMemcpyDeviceToDevice));
  int from = 0;
  for (int p = 1; p < N; p *= 4, from ^= 1)
    radix4<<<N / 4 / 64, 64>>>(d_t[from], d_t[!from], d_w, p);
  OK(cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(z, d_t[from], sizeof z, cudaMemcpyDeviceToHost));
  double worst = 0;
  for (int i = 0; i < N; i++)
    worst = fmax(worst, fmax(fabs(y[i].x - z[i].x), fabs(y[i].y - z[i].y)));
  printf("radix 2 %08x, radix 4 %08x, %s\n", checksum(y, sizeof y), checksum(z, sizeof z),
         worst < 1e-4 ? "close" : "FAR APART");
  for (int i = 0; i < 4; i++)
    printf("%a %a | %a %a\n", y[i].x, y[i].y, z[i].x, z[i].y);
}
