/* A matrix product on tensor cores: small integers as halves, so that sums are exact; bytes; and
 * ReLU on fragments. */
#include "common.h"
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

#define N 64

__global__ void gemm(const __half *a, const __half *b, float *c, float bias) {
  __shared__ __half stage[16 * 24];
  int row = blockIdx.y * 16, col = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, bias);
  for (int k = 0; k < N; k += 16) {
    for (int i = threadIdx.x; i < 256; i += 32)
      stage[i / 16 * 24 + i % 16] = a[(row + i / 16) * N + k + i % 16];
    __syncwarp();
    wmma::load_matrix_sync(fa, stage, 24);
    wmma::load_matrix_sync(fb, b + col * N + k, N);
    wmma::mma_sync(acc, fa, fb, acc);
    __syncwarp();
  }
  for (int i = 0; i < acc.num_elements; i++)
    acc.x[i] = acc.x[i] < 0 ? 0.125f * acc.x[i] : acc.x[i];
  wmma::store_matrix_sync(c + row * N + col, acc, N, wmma::mem_row_major);
}

__global__ void gemm_bytes(const signed char *a, const signed char *b, int *c) {
  wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 32, 8, 16, int> acc;
  wmma::fill_fragment(acc, -7);
  int warp = threadIdx.x / 32, row = blockIdx.x * 32, col = warp * 8;
  for (int k = 0; k < N; k += 16) {
    wmma::load_matrix_sync(fa, a + row * N + k, N);
    wmma::load_matrix_sync(fb, b + col * N + k, N);
    wmma::mma_sync(acc, fa, fb, acc);
  }
  wmma::store_matrix_sync(c + col * N + row, acc, N, wmma::mem_col_major);
}

int main() {
  static __half a[N * N], b[N * N];
  static signed char ia[N * N], ib[N * N];
  static float c[N * N];
  static int ic[N * N];
  unsigned seed = 303;
  for (int i = 0; i < N * N; i++) {
    ia[i] = next_random(&seed) % 256;
    ib[i] = next_random(&seed) % 256;
    a[i] = __float2half((float)(ia[i] / 8));
    b[i] = __float2half((float)(ib[i] / 16) * 0.25f);
  }
  void *d[6];
  const void *host[4] = {a, b, ia, ib};
  for (int k = 0; k < 6; k++)
    OK(cudaMalloc(&d[k], sizeof c));
  for (int k = 0; k < 4; k++)
    OK(cudaMemcpy(d[k], host[k], k < 2 ? sizeof a : sizeof ia, cudaMemcpyHostToDevice));
  gemm<<<dim3(N / 16, N / 16), 32>>>((__half *)d[0], (__half *)d[1], (float *)d[4], -3.5f);
  gemm_bytes<<<N / 32, 256>>>((signed char *)d[2], (signed char *)d[3], (int *)d[5]);
  OK(cudaMemcpy(c, d[4], sizeof c, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(ic, d[5], sizeof ic, cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int r = 0; r < N; r++)
    for (int k = 0; k < N; k++) {
      int want = -7;
      for (int j = 0; j < N; j++)
        want += ia[r * N + j] * ib[k * N + j];
      wrong += want != ic[k * N + r];
    }
  printf("half %08x: %a %a; bytes %08x, %d wrong\n", checksum(c, sizeof c), c[0], c[N * N - 1],
         checksum(ic, sizeof ic), wrong);
}
