// Half precision, matrices and asynchronous copies as nvcc compiles them: nvcc -ptx -arch=compute_90 -O3 tensor.cu
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

using namespace nvcuda;

// C = A * B + C of 16x16 tiles, one warp a tile; A row-major, B column-major.
extern "C" __global__ void wmma_gemm(const half *a, const half *b, float *c, int n, float alpha) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, row = warp / (n / 16) * 16, col = warp % (n / 16) * 16;
  if (row >= n) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, fc;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + row * n + k, n);
    wmma::load_matrix_sync(fb, b + col * n + k, n);
    wmma::mma_sync(sum, fa, fb, sum);
  }
  wmma::load_matrix_sync(fc, c + row * n + col, n, wmma::mem_row_major);
  for (int i = 0; i < fc.num_elements; i++) fc.x[i] = alpha * sum.x[i] + fc.x[i];
  wmma::store_matrix_sync(c + row * n + col, fc, n, wmma::mem_row_major);
}

// The same of bytes, through shared memory filled by asynchronous copies in two stages.
extern "C" __global__ void imma_staged(const unsigned char *a, const unsigned char *b, int *c, int n) {
  __shared__ __align__(128) unsigned char ta[2][16 * 16], tb[2][16 * 16];
  int row = blockIdx.y * 16, col = blockIdx.x * 16, lane = threadIdx.x;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, unsigned char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, unsigned char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
  wmma::fill_fragment(sum, 0);
  auto fetch = [&](int stage, int k) {
    if (lane < 16)
      __pipeline_memcpy_async(&ta[stage][lane * 16], a + (row + lane) * n + k, 16);
    else
      __pipeline_memcpy_async(&tb[stage][(lane - 16) * 16], b + (col + lane - 16) * n + k, 16);
    __pipeline_commit();
  };
  fetch(0, 0);
  for (int k = 0; k < n; k += 16) {
    if (k + 16 < n) fetch(k / 16 + 1 & 1, k + 16);
    __pipeline_wait_prior(k + 16 < n ? 1 : 0);
    __syncwarp();
    wmma::load_matrix_sync(fa, ta[k / 16 & 1], 16);
    wmma::load_matrix_sync(fb, tb[k / 16 & 1], 16);
    wmma::mma_sync(sum, fa, fb, sum);
    __syncwarp();
  }
  wmma::store_matrix_sync(c + row * n + col, sum, n, wmma::mem_row_major);
}

// Scalars and pairs.
extern "C" __global__ void halves(const __half2 *x, __half2 *y, const __nv_bfloat162 *u, __nv_bfloat162 *v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half2 a = x[i], s = __hfma2(a, a, __float2half2_rn(0.5f));
  s = __hmul2_sat(s, h2exp2(a));
  if (__hgt(__low2half(s), __high2half(a))) s = __hadd2(s, __habs2(a));
  y[i] = __hmin2(s, __hneg2(a));
  __nv_bfloat162 b = u[i];
  v[i] = __hfma2_relu(b, b, __floats2bfloat162_rn(1.0f, __bfloat162float(__low2bfloat16(b))));
  atomicAdd(&y[n], a);
}

// Rows of matrices and a product in inline PTX.
extern "C" __global__ void mma_inline(const half *a, const half *b, float *c) {
  __shared__ __align__(16) half sa[16 * 16], sb[8 * 16];
  int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) sa[i] = a[i];
  for (int i = lane; i < 128; i += 32) sb[i] = b[i];
  __syncwarp();
  unsigned ra[4], rb[2], pa = (unsigned)__cvta_generic_to_shared(sa + lane % 16 * 16 + lane / 16 * 8),
                         pb = (unsigned)__cvta_generic_to_shared(sb + lane % 8 * 16 + lane / 8 % 2 * 8);
  float d[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(pa));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(rb[0]), "=r"(rb[1]) : "r"(pb));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]), "f"(0.f), "f"(0.f), "f"(0.f), "f"(0.f));
  for (int i = 0; i < 4; i++) c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}
