/* Half precision by intrinsics: __hmul and __hadd may become one operation, the ones with _rn may
 * not. */
#include <cuda_fp16.h>

#include "contract_16.h"

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
  show(scalar, pairs, 17, 13, 10);
  return 0;
}
