/* Products that two sums share, in plain C++: nvcc leaves them apart, and the assembler fuses both
 * sums. A cosine transform by rotations, and a lifting scheme. */
#include "common.h"

const int points = 16;

__device__ void rotate(float *x, float *y, float c, float s) {
  float u = *x * c, v = *y * s;
  *x = u + v;
  *y = u - v;
}

__global__ void transform(const float *in, const float *angle, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v[points];
  for (int k = 0; k < points; k++)
    v[k] = in[i * points + k];
#pragma unroll
  for (int half = points / 2; half > 0; half /= 2)
#pragma unroll
    for (int k = 0; k < points; k++)
      if ((k & half) == 0) rotate(&v[k], &v[k + half], angle[k], angle[k + half]);
  for (int k = 0; k < points; k++)
    out[i * points + k] = v[k];
}

__global__ void lift(double *pairs, double weight, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double even = pairs[2 * i], odd = pairs[2 * i + 1], shared = weight * odd;
  pairs[2 * i] = even + shared;
  pairs[2 * i + 1] = odd - shared;
}

int main() {
  const int n = 96;
  static float in[n * points], out[n * points], angle[points];
  static double pairs[2 * n];
  float *din, *dout, *dangle;
  double *dpairs;
  unsigned seed = 61;
  for (int i = 0; i < n * points; i++)
    in[i] = ((float)next_random(&seed) - 8388608.0f) / 8388608.0f;
  for (int k = 0; k < points; k++)
    angle[k] = (float)next_random(&seed) / 16777216.0f;
  for (int i = 0; i < 2 * n; i++)
    pairs[i] = (next_random(&seed) * 16777216.0 + next_random(&seed)) / 140737488355328.0 - 1.0;
  OK(cudaMalloc(&din, sizeof in));
  OK(cudaMalloc(&dout, sizeof out));
  OK(cudaMalloc(&dangle, sizeof angle));
  OK(cudaMalloc(&dpairs, sizeof pairs));
  OK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(dangle, angle, sizeof angle, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(dpairs, pairs, sizeof pairs, cudaMemcpyHostToDevice));
  transform<<<3, 32>>>(din, dangle, dout, n);
  lift<<<3, 32>>>(dpairs, 0.7071067811865476, n);
  OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(pairs, dpairs, sizeof pairs, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n * points; i += 333)
    printf("%d: %a\n", i, out[i]);
  printf("%08x %08x\n", checksum(out, sizeof out), checksum(pairs, sizeof pairs));
  return 0;
}
