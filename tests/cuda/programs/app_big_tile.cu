/* Dynamic shared memory beyond 48 KB: a Cholesky factorisation of a whole matrix in one block, and
 * a table of 20,000 bytes-counters. */
#include "common.h"

#define N 100

__global__ void cholesky(double *matrix) {
  extern __shared__ double a[];
  for (int i = threadIdx.x; i < N * N; i += blockDim.x)
    a[i] = matrix[i];
  __syncthreads();
  for (int k = 0; k < N; k++) {
    if (threadIdx.x == 0) a[k * N + k] = sqrt(a[k * N + k]);
    __syncthreads();
    for (int r = k + 1 + threadIdx.x; r < N; r += blockDim.x)
      a[r * N + k] /= a[k * N + k];
    __syncthreads();
    for (int i = threadIdx.x; i < (N - k - 1) * (N - k - 1); i += blockDim.x) {
      int r = k + 1 + i / (N - k - 1), c = k + 1 + i % (N - k - 1);
      if (c <= r) a[r * N + c] -= a[r * N + k] * a[c * N + k];
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < N * N; i += blockDim.x)
    matrix[i] = i % N <= i / N ? a[i] : 0;
}

__global__ void tally(const unsigned short *values, int n, int range, int *most) {
  extern __shared__ unsigned counters[];
  __shared__ int best;
  if (threadIdx.x == 0) best = 0;
  for (int i = threadIdx.x; i < range; i += blockDim.x)
    counters[i] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    atomicAdd(&counters[values[i] % range], 1 + (values[i] & 1));
  __syncthreads();
  for (int i = threadIdx.x; i < range; i += blockDim.x)
    atomicMax(&best, (int)(counters[i] << 16) | i);
  __syncthreads();
  if (threadIdx.x == 0) *most = best;
}

int main() {
  static double m[N * N];
  static unsigned short values[5000];
  unsigned seed = 909;
  for (int r = 0; r < N; r++)
    for (int c = 0; c <= r; c++)
      m[r * N + c] = m[c * N + r] = (r == c ? N : 0) + next_random(&seed) / 16777216.0;
  for (auto &v : values)
    v = next_random(&seed) % 60 * (next_random(&seed) % 1000);
  double *d_m;
  unsigned short *d_values;
  int *d_most, most;
  OK(cudaMalloc(&d_m, sizeof m));
  OK(cudaMalloc(&d_values, sizeof values));
  OK(cudaMalloc(&d_most, 4));
  OK(cudaMemcpy(d_m, m, sizeof m, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_values, values, sizeof values, cudaMemcpyHostToDevice));
  OK(cudaFuncSetAttribute(cholesky, cudaFuncAttributeMaxDynamicSharedMemorySize, N * N * 8));
  OK(cudaFuncSetAttribute(tally, cudaFuncAttributeMaxDynamicSharedMemorySize, 80000));
  cholesky<<<1, 192, N * N * 8>>>(d_m);
  OK(cudaGetLastError());
  tally<<<1, 256, 80000>>>(d_values, 5000, 20000, d_most);
  OK(cudaGetLastError());
  OK(cudaMemcpy(m, d_m, sizeof m, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&most, d_most, 4, cudaMemcpyDeviceToHost));
  printf("factor %08x: %a %a %a\n", checksum(m, sizeof m), m[0], m[N + 1], m[N * N - 1]);
  printf("most often %d, %d\n", most & 65535, most >> 16);
}
