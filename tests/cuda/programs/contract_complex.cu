/* Complex products and a Julia set in assembly with shared squares: a last bit decides how many
 * steps some points take. */
#include "common.h"

struct cplx {
  float re, im;
};
__device__ __forceinline__ float mul(float a, float b) {
  float p;
  asm("mul.f32 %0, %1, %2;" : "=f"(p) : "f"(a), "f"(b));
  return p;
}
__device__ __forceinline__ float add(float a, float b) {
  float s;
  asm("add.f32 %0, %1, %2;" : "=f"(s) : "f"(a), "f"(b));
  return s;
}
__device__ __forceinline__ float sub(float a, float b) {
  float s;
  asm("sub.f32 %0, %1, %2;" : "=f"(s) : "f"(a), "f"(b));
  return s;
}

__global__ void products(const cplx *a, const cplx *b, cplx *out) {
  int i = threadIdx.x;
  cplx x = a[i], y = b[i];
  out[i].re = sub(mul(x.re, y.re), mul(x.im, y.im));
  out[i].im = add(mul(x.re, y.im), mul(x.im, y.re));
}

__global__ void julia(int *steps, cplx *last, int width) {
  int x = threadIdx.x, y = blockIdx.x, k = 0;
  float re = sub(mul((float)x, 3.0f / width), 1.5f), im = sub(mul((float)y, 3.0f / width), 1.5f);
  while (k < 60) {
    float rr = mul(re, re), ii = mul(im, im);
    if (add(rr, ii) > 4.0f) break;
    im = add(mul(mul(2.0f, re), im), 0.27015f);
    re = add(sub(rr, ii), -0.7f);
    k++;
  }
  steps[y * width + x] = k;
  last[y * width + x] = {re, im};
}

int main() {
  const int width = 48;
  static cplx in[2 * width], out[width], last[width * width];
  static int steps[width * width];
  cplx *din, *dout, *dlast;
  int *dsteps;
  unsigned seed = 59;
  for (int i = 0; i < 2 * width; i++) {
    in[i].re = (float)next_random(&seed) / 16777216.0f - 0.5f;
    in[i].im = (float)next_random(&seed) / 16777216.0f - 0.5f;
  }
  OK(cudaMalloc(&din, sizeof in));
  OK(cudaMalloc(&dout, sizeof out));
  OK(cudaMalloc(&dlast, sizeof last));
  OK(cudaMalloc(&dsteps, sizeof steps));
  OK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  products<<<1, width>>>(din, din + width, dout);
  julia<<<width, width>>>(dsteps, dlast, width);
  OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(last, dlast, sizeof last, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(steps, dsteps, sizeof steps, cudaMemcpyDeviceToHost));
  for (int i = 0; i < width; i += 12)
    printf("%d: %a %a\n", i, out[i].re, out[i].im);
  long total = 0;
  for (int i = 0; i < width * width; i++)
    total += steps[i];
  printf("%08x %ld %08x %08x\n", checksum(out, sizeof out), total, checksum(steps, sizeof steps),
         checksum(last, sizeof last));
  return 0;
}
