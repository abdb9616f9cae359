/* Built with --fmad=false: every product and every sum is rounded, as IEEE 754 has it. */
#include "common.h"

__device__ void two_product(double a, double b, double *p, double *e) {
  *p = a * b; /* Dekker: right only if nothing is fused */
  double t = 134217729.0 * a, ah = t - (t - a), al = a - ah;
  double u = 134217729.0 * b, bh = u - (u - b), bl = b - bh;
  *e = ((ah * bh - *p) + ah * bl + al * bh) + al * bl;
}

__global__ void compensated(const double *in, double *out, float *cross, int n) {
  int i = threadIdx.x;
  double p, e, sum = 0, low = 0;
  for (int k = 0; k < 16; k++) {
    two_product(in[(i + k) % n], in[(3 * i + k) % n], &p, &e);
    double s = sum + p, b = s - sum;
    low += ((sum - (s - b)) + (p - b)) + e;
    sum = s;
  }
  out[2 * i] = sum;
  out[2 * i + 1] = low;
  float x = (float)in[i], y = (float)in[(i + 1) % n], z = (float)in[(i + 2) % n];
  cross[i] = x * y - y * z + __fmaf_rn(x, z, y) - __fmul_rn(x, x);
}

int main() {
  const int n = 64;
  static double in[n], out[2 * n];
  static float cross[n];
  double *din, *dout;
  float *dcross;
  unsigned seed = 53;
  for (int i = 0; i < n; i++)
    in[i] = (next_random(&seed) * 16777216.0 + next_random(&seed)) / 140737488355328.0 - 1.0;
  OK(cudaMalloc(&din, sizeof in));
  OK(cudaMalloc(&dout, sizeof out));
  OK(cudaMalloc(&dcross, sizeof cross));
  OK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  compensated<<<1, n>>>(din, dout, dcross, n);
  OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(cross, dcross, sizeof cross, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i += 16)
    printf("%d: %a %a %a\n", i, out[2 * i], out[2 * i + 1], cross[i]);
  printf("%08x %08x\n", checksum(out, sizeof out), checksum(cross, sizeof cross));
  return 0;
}
