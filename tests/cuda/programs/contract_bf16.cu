/* bfloat16 by operators and intrinsics: a product and a sum may become one operation. */
#include <cuda_bf16.h>

#include "contract_16.h"

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
  show(scalar, pairs, 23, 126, 7);
  return 0;
}
