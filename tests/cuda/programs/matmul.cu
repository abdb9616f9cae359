/* Matrix product in tiles; the result is compared with the host's, which adds in the same order. */
#include "common.h"
#include <cmath>

const int tile = 16;

__global__ void multiply(const float *a, const float *b, float *c, int n, int k, int m) {
  __shared__ float as[tile][tile], bs[tile][tile + 1];
  int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < k; t += tile) {
    as[threadIdx.y][threadIdx.x] =
        row < n && t + (int)threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0;
    bs[threadIdx.y][threadIdx.x] =
        column < m && t + (int)threadIdx.y < k ? b[(t + threadIdx.y) * m + column] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tile; i++)
      sum = fmaf(as[threadIdx.y][i], bs[i][threadIdx.x], sum);
    __syncthreads();
  }
  if (row < n && column < m) c[row * m + column] = sum;
}

int main() {
  const int n = 45, k = 37, m = 50;
  static float a[n * k], b[k * m], c[n * m];
  unsigned seed = 2;
  for (float &x : a)
    x = (float)(int)(next_random(&seed) % 2001 - 1000) * 0.001f;
  for (float &x : b)
    x = (float)(int)(next_random(&seed) % 2001 - 1000) * 0.003f;
  float *da, *db, *dc;
  OK(cudaMalloc(&da, sizeof a));
  OK(cudaMalloc(&db, sizeof b));
  OK(cudaMalloc(&dc, sizeof c));
  OK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
  multiply<<<dim3((m + tile - 1) / tile, (n + tile - 1) / tile), dim3(tile, tile)>>>(da, db, dc, n,
                                                                                     k, m);
  OK(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      float sum = 0;
      for (int x = 0; x < k; x++)
        sum = fmaf(a[i * k + x], b[x * m + j], sum);
      wrong += sum != c[i * m + j];
    }
  printf("wrong %d, %.7g %.7g, sum %08x\n", wrong, c[0], c[n * m - 1], checksum(c, sizeof c));
  return wrong != 0;
}
