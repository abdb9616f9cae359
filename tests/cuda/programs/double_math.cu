/* The mathematical functions in double precision, in bits: they are made of exactly rounded steps.
 */
#include "common.h"

const int functions = 18;

__global__ void table(const double *in, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = in[i], y = in[(i + 3) % n], p = fabs(x) + 0.125;
  double v[functions] = {x + y,           x * y,         x / p,        fma(x, y, p), sqrt(p),
                         __ddiv_rz(x, p), exp(x * 0.25), log(p),       sin(x),       cos(y),
                         pow(p, y * 0.5), atan2(x, y),   floor(x) + y, fmod(x, 1.5), rint(y * 8),
                         cbrt(p),         tanh(x),       __dsqrt_ru(p)};
  for (int f = 0; f < functions; f++)
    out[f * n + i] = v[f];
}

__global__ void special(double *out) {
  double zero = out[0], infinite = 1.0 / zero;
  out[1] = infinite;
  out[2] = -infinite;
  out[3] = sqrt(-infinite * zero - 1) == 0 ? 1 : 2; /* not a number: never equal */
  out[4] = fmax(zero, infinite * zero);
  out[5] = (4.9406564584124654e-324 + zero) * 1.5; /* rounds to even */
  out[6] = (double)(float)(1e300 + zero);
  out[7] = (double)__double2int_rn(2.5 + zero) * 10 + __double2int_ru(-0.5 + zero);
  out[8] = (double)__double2ll_rz(-1e18 + zero);
  out[9] = copysign(3.0 + zero, -zero);
}

int main() {
  const int n = 64;
  double in[n], *din, *dout;
  static double out[functions * n];
  unsigned seed = 13;
  for (int i = 0; i < n; i++)
    in[i] = ((double)next_random(&seed) - 8388608.0) / 524288.0;
  OK(cudaMalloc(&din, sizeof in));
  OK(cudaMalloc(&dout, sizeof out));
  OK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  table<<<2, 32>>>(din, dout, n);
  OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int f = 0; f < functions; f++)
    printf("%2d: %.17g %.17g, sum %08x\n", f, out[f * n], out[f * n + 40],
           checksum(out + f * n, sizeof in));
  OK(cudaMemset(dout, 0, 10 * sizeof(double)));
  special<<<1, 1>>>(dout);
  OK(cudaMemcpy(out, dout, 10 * sizeof(double), cudaMemcpyDeviceToHost));
  for (int i = 1; i < 10; i++)
    printf("%g%c", out[i], i < 9 ? ' ' : '\n');
  return 0;
}
