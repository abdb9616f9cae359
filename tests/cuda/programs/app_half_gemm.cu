/* Batches of small matrices in half: products with __half2 and with a sum in float, a softmax, and
 * norms. */
#include "common.h"
#include <cuda_fp16.h>

#define M     16
#define BATCH 12

__global__ void gemm_half2(const __half *a, const __half2 *b, __half2 *c) {
  const __half *am = a + blockIdx.x * M * M;
  const __half2 *bm = b + blockIdx.x * M * M / 2;
  int row = threadIdx.y, pair = threadIdx.x;
  __half2 sum = __float2half2_rn(0.0f);
  for (int k = 0; k < M; k++)
    sum = __hfma2(__half2half2(am[row * M + k]), bm[k * M / 2 + pair], sum);
  c[blockIdx.x * M * M / 2 + row * M / 2 + pair] = sum;
}

__global__ void gemm_plain(const __half *a, const __half *b, __half *c, __half alpha, __half beta) {
  int row = threadIdx.y, col = threadIdx.x, base = blockIdx.x * M * M;
  __half sum = 0;
  float wide = 0;
  for (int k = 0; k < M; k++) {
    sum = sum + a[base + row * M + k] * b[base + k * M + col];
    wide += __half2float(a[base + row * M + k]) * __half2float(b[base + k * M + col]);
  }
  c[base + row * M + col] = alpha * sum - beta * __float2half(wide) + c[base + row * M + col];
}

__global__ void softmax(__half *c, float *norm) {
  __half *row = c + (blockIdx.x * M + threadIdx.x / 16) * M;
  int lane = threadIdx.x % 16;
  __half v = row[lane], top = v;
  for (int d = 8; d; d /= 2)
    top = __hmax(top, __shfl_xor_sync(~0u, top, d, 16));
  float e = expf(__half2float(__hsub(v, top))), sum = e;
  for (int d = 8; d; d /= 2)
    sum += __shfl_xor_sync(~0u, sum, d, 16);
  row[lane] = __float2half_rn(e / sum);
  if (lane == 0) norm[blockIdx.x * M + threadIdx.x / 16] = sum;
}

int main() {
  static __half a[BATCH * M * M], b[BATCH * M * M], c[BATCH * M * M];
  static float norm[BATCH * M];
  unsigned seed = 123;
  for (int i = 0; i < BATCH * M * M; i++) {
    a[i] = __float2half((int)(next_random(&seed) % 2001) / 1000.0f - 1.0f);
    b[i] = __float2half((int)(next_random(&seed) % 2001) / 700.0f - 1.4f);
  }
  __half *d_a, *d_b, *d_c;
  float *d_norm;
  OK(cudaMalloc(&d_a, sizeof a));
  OK(cudaMalloc(&d_b, sizeof b));
  OK(cudaMalloc(&d_c, sizeof c));
  OK(cudaMalloc(&d_norm, sizeof norm));
  OK(cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_b, b, sizeof b, cudaMemcpyHostToDevice));
  auto show = [&](const char *name) {
    OK(cudaMemcpy(c, d_c, sizeof c, cudaMemcpyDeviceToHost));
    const unsigned short *bits = (const unsigned short *)c;
    printf("%s %08x: %04x %04x %04x %04x\n", name, checksum(c, sizeof c), bits[0], bits[1],
           bits[500], bits[BATCH * M * M - 1]);
  };
  gemm_half2<<<BATCH, dim3(M / 2, M)>>>(d_a, (__half2 *)d_b, (__half2 *)d_c);
  show("pairs");
  gemm_plain<<<BATCH, dim3(M, M)>>>(d_a, d_b, d_c, __float2half(1.5f), __float2half(0.7f));
  show("plain");
  softmax<<<BATCH, M * 16>>>(d_c, d_norm);
  show("softmax");
  OK(cudaMemcpy(norm, d_norm, sizeof norm, cudaMemcpyDeviceToHost));
  printf("norms %.4f %.4f\n", norm[0], norm[BATCH * M - 1]);
}
