/* QR by Householder reflections, one block, the matrix in shared memory; least squares. */
#include "common.h"

#define ROWS 40
#define COLS 12

__device__ float block_sum(float v, float *scratch) {
  for (int d = 16; d; d >>= 1)
    v += __shfl_xor_sync(0xffffffffu, v, d);
  if ((threadIdx.x & 31) == 0) scratch[threadIdx.x >> 5] = v;
  __syncthreads();
  float sum = scratch[0] + scratch[1];
  __syncthreads();
  return sum;
}

__global__ void householder(float *matrix, float *rhs, float *x) {
  __shared__ float a[COLS + 1][ROWS], scratch[2];
  int r = threadIdx.x;
  bool in = r < ROWS;
  if (in) {
    for (int c = 0; c < COLS; c++)
      a[c][r] = matrix[r * COLS + c];
    a[COLS][r] = rhs[r];
  }
  __syncthreads();
  for (int k = 0; k < COLS; k++) {
    float v = in && r >= k ? a[k][r] : 0;
    float norm = sqrtf(block_sum(v * v, scratch));
    float pivot = a[k][k];
    float alpha = pivot > 0 ? -norm : norm;
    if (r == k) v -= alpha;
    float vv = block_sum(v * v, scratch);
    if (vv == 0) continue;
    for (int c = k; c <= COLS; c++) {
      float dot = block_sum(in ? v * a[c][r] : 0, scratch);
      if (in && r >= k) a[c][r] -= 2 * dot / vv * v;
      __syncthreads();
    }
  }
  if (r == 0)
    for (int k = COLS - 1; k >= 0; k--) {
      float s = a[COLS][k];
      for (int c = k + 1; c < COLS; c++)
        s -= a[c][k] * x[c];
      x[k] = s / a[k][k];
    }
  if (in)
    for (int c = 0; c < COLS; c++)
      matrix[r * COLS + c] = c >= r ? a[c][r] : 0;
}

int main() {
  static float m[ROWS * COLS], rhs[ROWS], x[COLS];
  unsigned seed = 3;
  for (float &v : m)
    v = next_random(&seed) / 8388608.0f - 1.0f;
  for (int r = 0; r < ROWS; r++) {
    rhs[r] = 0;
    for (int c = 0; c < COLS; c++)
      rhs[r] += m[r * COLS + c] * (c - 5);
  }
  float *d_m, *d_rhs, *d_x;
  OK(cudaMalloc(&d_m, sizeof m));
  OK(cudaMalloc(&d_rhs, sizeof rhs));
  OK(cudaMalloc(&d_x, sizeof x));
  OK(cudaMemcpy(d_m, m, sizeof m, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_rhs, rhs, sizeof rhs, cudaMemcpyHostToDevice));
  householder<<<1, 64>>>(d_m, d_rhs, d_x);
  OK(cudaMemcpy(m, d_m, sizeof m, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(x, d_x, sizeof x, cudaMemcpyDeviceToHost));
  printf("r %08x x %08x\n", checksum(m, sizeof m), checksum(x, sizeof x));
  for (int c = 0; c < COLS; c++)
    printf("x[%d] = %.3f (%a), r[%d][%d] = %a\n", c, x[c], x[c], c, c, m[c * COLS + c]);
}
