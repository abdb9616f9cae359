/* The wave equation in two dimensions with an absorbing rim, many short launches; an FDTD step in
 * one dimension; Kahan sums. */
#include "common.h"
#include <utility>

#define N 48

__global__ void wave(const float *before, const float *now, float *next, const float *speed,
                     float dt) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
      i = y * N + x;
  if (x >= N || y >= N) return;
  if (x == 0 || y == 0 || x == N - 1 || y == N - 1) {
    int inner = min(max(y, 1), N - 2) * N + min(max(x, 1), N - 2);
    next[i] = now[inner] * 0.9f + (now[i] - before[inner]) * 0.1f;
    return;
  }
  float c = speed[i] * dt;
  float laplace = now[i - 1] + now[i + 1] + now[i - N] + now[i + N] - 4.0f * now[i];
  float v = 2.0f * now[i] - before[i] + c * c * laplace;
  next[i] = v - 0.002f * (now[i] - before[i]);
}

__global__ void fdtd(double *e, double *h, int n, int steps) {
  int i = threadIdx.x;
  for (int s = 0; s < steps; s++) {
    if (i < n - 1) h[i] += (e[i + 1] - e[i]) * 0.5;
    __syncthreads();
    if (i > 0 && i < n - 1) e[i] += (h[i] - h[i - 1]) * (i > n / 2 ? 0.5 / 2.25 : 0.5);
    if (i == 10) e[i] += s < 16 ? (s * (16 - s)) / 64.0 : 0.0;
    __syncthreads();
  }
}

__global__ void kahan(const float *v, int n, float *sums) {
  float sum = 0, lost = 0, plain = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float y = v[i] * v[i] - lost, t = sum + y;
    lost = (t - sum) - y;
    sum = t;
    plain += v[i] * v[i];
  }
  sums[3 * threadIdx.x] = sum;
  sums[3 * threadIdx.x + 1] = lost;
  sums[3 * threadIdx.x + 2] = plain;
}

int main() {
  static float field[N * N], speed[N * N], sums[16 * 3];
  static double e[100];
  for (int i = 0; i < N * N; i++)
    speed[i] = i % N > 30 ? 0.6f : 1.1f;
  field[20 * N + 12] = 1.0f;
  float *f[3], *d_speed, *d_sums;
  double *d_e, *d_h;
  for (float *&p : f) {
    OK(cudaMalloc(&p, sizeof field));
    OK(cudaMemset(p, 0, sizeof field));
  }
  OK(cudaMalloc(&d_speed, sizeof speed));
  OK(cudaMalloc(&d_sums, sizeof sums));
  OK(cudaMalloc(&d_e, sizeof e));
  OK(cudaMalloc(&d_h, sizeof e));
  OK(cudaMemset(d_e, 0, sizeof e));
  OK(cudaMemset(d_h, 0, sizeof e));
  OK(cudaMemcpy(d_speed, speed, sizeof speed, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(f[1], field, sizeof field, cudaMemcpyHostToDevice));
  for (int step = 1; step <= 120; step++) {
    wave<<<dim3(3, 6), dim3(16, 8)>>>(f[0], f[1], f[2], d_speed, 0.5f);
    float *oldest = f[0];
    f[0] = f[1], f[1] = f[2], f[2] = oldest;
    if (step % 40 == 0) {
      kahan<<<1, 16>>>(f[1], N * N, d_sums);
      OK(cudaMemcpy(field, f[1], sizeof field, cudaMemcpyDeviceToHost));
      OK(cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost));
      printf("step %d: field %08x sums %08x, %a %a\n", step, checksum(field, sizeof field),
             checksum(sums, sizeof sums), field[20 * N + 12], sums[0]);
    }
  }
  fdtd<<<1, 128>>>(d_e, d_h, 100, 90);
  OK(cudaMemcpy(e, d_e, sizeof e, cudaMemcpyDeviceToHost));
  printf("fdtd %08x: %a %a\n", checksum(e, sizeof e), e[40], e[70]);
}
