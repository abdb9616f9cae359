/* Half precision by intrinsics: __hmul and __hadd may become one operation, the ones with _rn may
 * not. */
#include <cuda_fp16.h>

#include "common.h"

__global__ void scalar(const __half *in, __half *out, int n) {
  int i = threadIdx.x;
  __half a = in[i], b = in[i + n], c = in[i + 2 * n];
  out[i] = __hadd(__hmul(a, b), c);
  out[i + n] = __hsub(c, __hmul(a, b));
  out[i + 2 * n] = __hadd_rn(__hmul(a, b), c);
  out[i + 3 * n] = __hadd(__hmul_rn(a, b), c);
  out[i + 4 * n] = a * b + b * c;
  out[i + 5 * n] = __hneg(a * c) + b;
}

__global__ void pairs(const __half2 *in, __half2 *out, int n) {
  int i = threadIdx.x;
  __half2 a = in[i], b = in[i + n], c = in[i + 2 * n], p = __hmul2(a, b);
  out[i] = __hadd2(p, c);
  out[i + n] = __hsub2(p, __hmul2(b, c));
  __half2 sum = c;
  for (int k = 0; k < 5; k++)
    sum = __hadd2(__hmul2(sum, a), b);
  out[i + 2 * n] = sum;
  out[i + 3 * n] = __hadd2_sat(__hmul2(a, a), c);
}

int main() {
  const int n = 64;
  static unsigned short in[6 * n], out[8 * n];
  __half *din, *dout;
  unsigned seed = 17;
  for (int i = 0; i < 6 * n; i++)
    in[i] = (unsigned short)((13 + next_random(&seed) % 3) << 10 | (next_random(&seed) & 0x83ff));
  OK(cudaMalloc((void **)&din, sizeof in));
  OK(cudaMalloc((void **)&dout, sizeof out));
  OK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  scalar<<<1, n>>>(din, dout, n);
  OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 6; k++)
    printf("%d: %04x %04x %04x %08x\n", k, out[k * n], out[k * n + 1], out[k * n + 2],
           checksum(out + k * n, n * sizeof *out));
  pairs<<<1, n>>>((const __half2 *)din, (__half2 *)dout, n);
  OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 4; k++)
    printf("pairs %d: %04x%04x %08x\n", k, out[2 * k * n + 1], out[2 * k * n],
           checksum(out + 2 * k * n, 2 * n * sizeof *out));
  return 0;
}
