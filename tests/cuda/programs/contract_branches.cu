/* Products whose sums are in another basic block, under a guard, or in a loop. */
#include "common.h"

__device__ __forceinline__ float product(float a, float b) {
  float p;
  asm("mul.f32 %0, %1, %2;" : "=f"(p) : "f"(a), "f"(b));
  return p;
}
__device__ __forceinline__ float sum(float a, float b) {
  float s;
  asm("add.f32 %0, %1, %2;" : "=f"(s) : "f"(a), "f"(b));
  return s;
}

__global__ void across(const float *in, float *out, int n) {
  int i = threadIdx.x;
  float a = in[i], b = in[i + n], c = in[i + 2 * n], p = product(a, b), q = product(b, c);
  float r = a, g = c;
  /* In one block, under a guard. */
  asm("{.reg .pred t;\n\tsetp.lt.f32 t, %1, 0f00000000;\n\t@t add.f32 %0, %2, %0;}"
      : "+f"(g)
      : "f"(a), "f"(q));
  out[i + n] = g;
  /* In another block than its product. */
  if (i % 3 == 0) {
    r = sum(p, c);
    __threadfence_block();
  }
  out[i] = r;
}

__global__ void polynomial(const float *in, float *out, int n, int degree) {
  int i = threadIdx.x;
  float x = in[i], y = in[i + n], power = x, alternating = y;
#pragma unroll 1
  for (int k = 0; k < degree; k++) {
    float coefficient = in[(unsigned)(i + k) % (unsigned)n];
    __syncthreads();
    y = sum(product(y, x), coefficient);
    power = product(power, x);
    if (coefficient > 0) {
      float term = product(power, coefficient);
      alternating = sum(term, alternating);
    } else {
      alternating = sum(alternating, power);
    }
  }
  out[i] = y;
  out[i + n] = sum(power, alternating);
}

int main() {
  const int n = 96;
  static float in[3 * n], out[4 * n];
  float *din, *dout;
  unsigned seed = 41;
  for (int i = 0; i < 3 * n; i++)
    in[i] = ((float)next_random(&seed) - 8388608.0f) / 8388608.0f;
  OK(cudaMalloc(&din, sizeof in));
  OK(cudaMalloc(&dout, sizeof out));
  OK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  across<<<1, n>>>(din, dout, n);
  polynomial<<<1, n>>>(din, dout + 2 * n, n, 7);
  OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int k = 0; k < 4; k++)
    printf("%d: %a %a %a %08x\n", k, out[k * n], out[k * n + 1], out[k * n + 2],
           checksum(out + k * n, n * sizeof *out));
  return 0;
}
