/* Half precision and bfloat16: arithmetic, conversions in every rounding, comparisons, pairs. */
#include "common.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void halves(const float *in, unsigned short *out, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  __half x = __float2half_rn(in[i]), y = __float2half_rn(in[(i + 7) % n]);
  unsigned short *o = out + i * 12;
  o[0] = __half_as_ushort(x);
  o[1] = __half_as_ushort(__hadd(x, y));
  o[2] = __half_as_ushort(__hmul(x, y));
  o[3] = __half_as_ushort(__hfma(x, y, __float2half(1.0f)));
  o[4] = __half_as_ushort(__float2half_rz(in[i]));
  o[5] = __half_as_ushort(__float2half_ru(in[i]));
  o[6] = __half_as_ushort(__hsub(x, y));
  o[7] = (unsigned short)(__hlt(x, y) | __heq(x, x) << 1 | __hisnan(x) << 2);
  o[8] = (unsigned short)__half2int_rn(__hmul(x, __float2half(0.25f)));
  __half2 p = __halves2half2(x, y), q = __hfma2(p, __half2half2(y), p);
  o[9] = __half_as_ushort(__low2half(q));
  o[10] = __half_as_ushort(__high2half(q));
  o[11] = __half_as_ushort(__int2half_rn(i * 1001));
}

__global__ void brains(const float *in, float *out, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  __nv_bfloat16 x = __float2bfloat16(in[i]);
  out[i * 2] = __bfloat162float(x);
  out[i * 2 + 1] = __bfloat162float(__float2bfloat16_rz(in[i] * 3.0f));
}

int main() {
  const int n = 32;
  float in[n], *din, *dout, out[n * 2];
  unsigned seed = 4;
  for (int i = 0; i < n; i++)
    in[i] = ((float)next_random(&seed) - 8388608.0f) / (float)(1 << (i % 16 + 10));
  in[0] = 65519.0f;
  in[1] = 1e-7f;
  in[2] = -70000.0f;
  in[3] = 6e-5f;
  unsigned short *bits, host[n * 12];
  OK(cudaMalloc(&din, sizeof in));
  OK(cudaMalloc(&dout, sizeof out));
  OK(cudaMalloc(&bits, sizeof host));
  OK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  halves<<<1, n>>>(din, bits, n);
  OK(cudaMemcpy(host, bits, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i += 5) {
    for (int k = 0; k < 12; k++)
      printf("%04x%c", host[i * 12 + k], k < 11 ? ' ' : '\n');
  }
  printf("sum %08x\n", checksum(host, sizeof host));
  brains<<<1, n>>>(din, dout, n);
  OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  printf("%g %g %g %g, sum %08x\n", out[0], out[9], out[20], out[63], checksum(out, sizeof out));
  return 0;
}
