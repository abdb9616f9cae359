/* Products and sums in inline assembly: those without a rounding modifier may become one operation,
 * those with one may not. */
#include "common.h"

#define F32(text, d, a, b) asm(text " %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b))

__global__ void forms(const float *in, float *out, int n) {
  int i = threadIdx.x;
  float a = in[i], b = in[i + n], c = in[i + 2 * n], d = in[i + 3 * n], p, q, r[8];
  F32("mul.f32", p, a, b);
  F32("add.f32", r[0], p, c);
  F32("mul.rn.f32", p, a, d);
  F32("add.f32", r[1], p, c);
  F32("mul.f32", p, b, d);
  F32("sub.rn.f32", r[2], p, c);
  F32("mul.f32", p, c, d);
  F32("sub.f32", r[3], a, p);
  F32("mul.f32", p, a, c);
  F32("mul.f32", q, b, b);
  F32("add.f32", r[4], p, q);
  F32("mul.f32", p, a, a);
  F32("add.f32", r[5], p, d);
  F32("mul.f32", r[6], p, d);
  F32("mul.ftz.f32", p, d, d);
  F32("add.ftz.f32", r[7], b, p);
  for (int k = 0; k < 8; k++)
    out[k * n + i] = r[k];
}

int main() {
  const int n = 64;
  static float in[4 * n], out[8 * n];
  float *din, *dout;
  unsigned seed = 5;
  for (int i = 0; i < 4 * n; i++)
    in[i] = ((float)next_random(&seed) - 8388608.0f) / 4194304.0f;
  OK(cudaMalloc(&din, sizeof in));
  OK(cudaMalloc(&dout, sizeof out));
  OK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  forms<<<1, n>>>(din, dout, n);
  OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 8; k++)
    printf("%d: %a %a %a %08x\n", k, out[k * n], out[k * n + 1], out[k * n + 2],
           checksum(out + k * n, n * sizeof *out));
  return 0;
}
