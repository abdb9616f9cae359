/* bfloat16 by operators and intrinsics: a product and a sum may become one operation. */
#include <cuda_bf16.h>

#include "common.h"

__global__ void scalar(const __nv_bfloat16 *in, __nv_bfloat16 *out, int n) {
  int i = threadIdx.x;
  __nv_bfloat16 a = in[i], b = in[i + n], c = in[i + 2 * n], p = __hmul(a, c);
  out[i] = a * b + c;
  out[i + n] = c - a * b;
  out[i + 2 * n] = __hadd_rn(__hmul(b, c), a);
  out[i + 3 * n] = __hadd(__hmul_rn(b, c), a);
  out[i + 4 * n] = __hneg(p) + b;
  out[i + 5 * n] = a * a + b * b;
}

__global__ void pairs(const __nv_bfloat162 *in, __nv_bfloat162 *out, int n) {
  int i = threadIdx.x;
  __nv_bfloat162 a = in[i], b = in[i + n], c = in[i + 2 * n], p = __hmul2(a, b);
  out[i] = __hadd2(p, c);
  out[i + n] = __hsub2(p, c);
  out[i + 2 * n] = __hsub2(__hmul2(c, c), __hmul2(a, c));
  out[i + 3 * n] = __hadd2(__habs2(__hmul2(b, b)), a);
}

int main() {
  const int n = 64;
  static unsigned short in[6 * n], out[8 * n];
  __nv_bfloat16 *din, *dout;
  unsigned seed = 23;
  for (int i = 0; i < 6 * n; i++)
    in[i] = (unsigned short)((126 + next_random(&seed) % 3) << 7 | (next_random(&seed) & 0x807f));
  OK(cudaMalloc((void **)&din, sizeof in));
  OK(cudaMalloc((void **)&dout, sizeof out));
  OK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  scalar<<<1, n>>>(din, dout, n);
  OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 6; k++)
    printf("%d: %04x %04x %04x %08x\n", k, out[k * n], out[k * n + 1], out[k * n + 2],
           checksum(out + k * n, n * sizeof *out));
  pairs<<<1, n>>>((const __nv_bfloat162 *)din, (__nv_bfloat162 *)dout, n);
  OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 4; k++)
    printf("pairs %d: %04x%04x %08x\n", k, out[2 * k * n + 1], out[2 * k * n],
           checksum(out + 2 * k * n, 2 * n * sizeof *out));
  return 0;
}
