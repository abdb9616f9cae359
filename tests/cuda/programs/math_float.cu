/* Functions in single precision: those that are exactly rounded in bits, the fast ones to five
 * digits. */
#include "common.h"

const int exact = 8, fast = 12;

__global__ void table(const float *in, float *out, int n) {
  int i = threadIdx.x;
  float x = in[i], y = in[(i + 5) % n], p = fabsf(x) + 0.25f;
  float e[exact] = {x / y,         sqrtf(p),      __frcp_rn(p),   __fdiv_ru(x, p),
                    fmaf(x, y, p), __fsqrt_rd(p), fmodf(x, 0.7f), rintf(x * 4)};
  float f[fast] = {sinf(x),       cosf(y),   expf(x * 0.5f), logf(p),
                   powf(p, 1.5f), tanhf(x),  __sinf(x),      __expf(y * 0.25f),
                   __logf(p),     rsqrtf(p), atan2f(x, y),   erff(x * 0.3f)};
  for (int k = 0; k < exact; k++)
    out[k * n + i] = e[k];
  for (int k = 0; k < fast; k++)
    out[(exact + k) * n + i] = f[k];
}

__global__ void integers(unsigned *out) {
  unsigned i = threadIdx.x, v = i * 2654435761u;
  out[i] = __umulhi(v, 0x9e3779b9u) ^ __popc(v) ^ (__funnelshift_l(v, i, 7) << 3) ^ __usad(v, i, 9);
  out[i] += (unsigned)__dp4a((int)v, (int)(v >> 3), 5) + __vadd4(v, i) +
            (unsigned)__mulhi((int)v, -12345);
  out[i] ^= (unsigned)(((unsigned long long)v * v) / (i + 3)) + (v % (i + 7));
}

int main() {
  const int n = 64;
  float in[n], out[(exact + fast) * n], *din, *dout;
  unsigned seed = 10, bits[n];
  for (int i = 0; i < n; i++)
    in[i] = ((float)(next_random(&seed) % 20001) - 10000.0f) / 1024.0f;
  OK(cudaMalloc(&din, sizeof in));
  OK(cudaMalloc(&dout, sizeof out));
  OK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  table<<<1, n>>>(din, dout, n);
  OK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
  for (int k = 0; k < exact; k++)
    printf("%2d: %.9g %.9g, sum %08x\n", k, out[k * n], out[k * n + 33],
           checksum(out + k * n, sizeof in));
  for (int k = exact; k < exact + fast; k++)
    printf("%2d: %.5g %.5g %.5g\n", k, out[k * n + 1], out[k * n + 33], out[k * n + 60]);
  integers<<<1, n>>>((unsigned *)dout);
  OK(cudaMemcpy(bits, dout, sizeof bits, cudaMemcpyDeviceToHost));
  printf("%08x %08x, sum %08x\n", bits[1], bits[63], checksum(bits, sizeof bits));
  return 0;
}
