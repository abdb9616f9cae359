/* Matrix instructions through nvcuda::wmma: halves with sums in float and in half, bytes with sums
 * in int. */
#include "common.h"
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

template <typename Sum> __global__ void product(const __half *a, const __half *b, Sum *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, Sum> fc;
  wmma::fill_fragment(fc, (Sum)0.5f);
  for (int k = 0; k < 32; k += 16) {
    wmma::load_matrix_sync(fa, a + k, 32);
    wmma::load_matrix_sync(fb, b + k, 32);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  for (int i = 0; i < fc.num_elements; i++)
    fc.x[i] = fc.x[i] * (Sum)2.0f;
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

__global__ void bytes(const signed char *a, const signed char *b, int *c) {
  wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 32, 8, 16, int> fc;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 8);
  wmma::load_matrix_sync(fc, c, 32, wmma::mem_col_major);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 32, wmma::mem_col_major);
}

int main() {
  __half a[16 * 32], b[16 * 32], hc[256];
  signed char sa[512], sb[128];
  float c[256];
  int ic[256];
  unsigned seed = 8;
  for (int i = 0; i < 512; i++) { /* small multiples of 1/8: every sum is exact */
    a[i] = __float2half((float)((int)(next_random(&seed) % 33) - 16) / 8);
    b[i] = __float2half((float)((int)(next_random(&seed) % 17) - 8) / 8);
    sa[i] = (signed char)next_random(&seed);
    sb[i % 128] = (signed char)next_random(&seed);
    ic[i % 256] = i * 100;
  }
  char *d;
  OK(cudaMalloc(&d, 16384));
  __half *da = (__half *)d, *db = da + 512;
  float *dc = (float *)(d + 4096);
  OK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
  product<<<1, 32>>>(da, db, dc);
  OK(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
  printf("float %g %g %g, sum %08x\n", c[0], c[100], c[255], checksum(c, sizeof c));
  product<<<1, 32>>>(da, db, (__half *)dc);
  OK(cudaMemcpy(hc, dc, sizeof hc, cudaMemcpyDeviceToHost));
  printf("half %g %g, sum %08x\n", __half2float(hc[0]), __half2float(hc[255]),
         checksum(hc, sizeof hc));
  OK(cudaMemcpy(d, sa, sizeof sa, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d + 512, sb, sizeof sb, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(dc, ic, sizeof ic, cudaMemcpyHostToDevice));
  bytes<<<1, 32>>>((signed char *)d, (signed char *)d + 512, (int *)dc);
  OK(cudaMemcpy(ic, dc, sizeof ic, cudaMemcpyDeviceToHost));
  printf("int %d %d %d, sum %08x\n", ic[0], ic[100], ic[255], checksum(ic, sizeof ic));
  return 0;
}
