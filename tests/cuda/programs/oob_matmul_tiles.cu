/* A tiled product whose tiles are loaded without a guard: matrices of 50 by 50 in tiles of 16. What is read
 * past a row or past the end is multiplied into results that are not stored. */
#include "common.h"

enum { N = 50, TILE = 16 };

__global__ void product(const int *a, const int *b, int *c) {
  __shared__ int ta[TILE][TILE], tb[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x, sum = 0;
  for (int t = 0; t < N; t += TILE) {
    ta[threadIdx.y][threadIdx.x] = a[row * N + t + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * N + col];
    __syncthreads();
    for (int k = 0; k < TILE && t + k < N; k++)
      sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
    __syncthreads();
  }
  if (row < N && col < N) c[row * N + col] = sum;
}

int main() {
  static int host[N * N], want[N * N], x[N * N], y[N * N];
  int *a, *b, *c;
  unsigned seed = 5;
  for (int i = 0; i < N * N; i++) {
    x[i] = (int)(next_random(&seed) % 10);
    y[i] = (int)(next_random(&seed) % 10);
  }
  OK(cudaMalloc(&a, sizeof x));
  OK(cudaMalloc(&b, sizeof y));
  OK(cudaMalloc(&c, sizeof host));
  OK(cudaMemcpy(a, x, sizeof x, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(b, y, sizeof y, cudaMemcpyHostToDevice));
  product<<<dim3(4, 4), dim3(TILE, TILE)>>>(a, b, c);
  SHOW(cudaDeviceSynchronize());
  OK(cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      for (int k = 0; k < N; k++)
        want[i * N + j] += x[i * N + k] * y[k * N + j];
      wrong += want[i * N + j] != host[i * N + j];
    }
  printf("wrong: %d of %d, sum %08x\n", wrong, N * N, checksum(host, sizeof host));
  return 0;
}
