/* Double precision in assembly: shared products, two candidates for one sum, negations. */
#include "common.h"

#define F64(text, d, a, b) asm(text " %0, %1, %2;" : "=d"(d) : "d"(a), "d"(b))

__global__ void determinants(const double *in, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double a = in[i], b = in[(i + 1) % n], c = in[(i + 5) % n], d = in[(i + 11) % n];
  double p, q, r, s, t, minus;
  F64("mul.f64", p, a, d);
  F64("mul.f64", q, b, c);
  F64("sub.f64", r, p, q); /* the first product is fused */
  F64("mul.f64", p, a, c);
  F64("mul.f64", q, b, d);
  F64("add.f64", s, p, q); /* q is used once, p twice */
  F64("sub.f64", t, p, a);
  asm("neg.f64 %0, %1;" : "=d"(minus) : "d"(c));
  F64("mul.f64", p, minus, c);
  F64("add.f64", p, d, p);
  out[4 * i] = r;
  out[4 * i + 1] = s;
  out[4 * i + 2] = t;
  out[4 * i + 3] = p;
}

int main() {
  const int n = 200;
  static double in[n], out[4 * n];
  double *din, *dout;
  unsigned seed = 31;
  for (int i = 0; i < n; i++)
    in[i] = (next_random(&seed) * 16777216.0 + next_random(&seed)) / 140737488355328.0 - 1.0;
  OK(cudaMalloc(&din, sizeof in));
  OK(cudaMalloc(&dout, sizeof out));
  OK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  determinants<<<2, 128>>>(din, dout, n);
  OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i += 25)
    printf("%d: %a %a %a %a\n", i, out[4 * i], out[4 * i + 1], out[4 * i + 2], out[4 * i + 3]);
  printf("%08x\n", checksum(out, sizeof out));
  return 0;
}
