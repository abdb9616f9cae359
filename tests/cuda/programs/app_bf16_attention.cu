/* Attention in bfloat16 for one head: scores, an online softmax in float, weighted values, and a
 * layer norm. */
#include "common.h"
#include <cuda_bf16.h>

#define T 48
#define D 32

__global__ void attend(const __nv_bfloat16 *q, const __nv_bfloat16 *k, const __nv_bfloat16 *v,
                       __nv_bfloat16 *out, float scale) {
  int t = blockIdx.x, d = threadIdx.x;
  float qd = __bfloat162float(q[t * D + d]), top = -1e30f, sum = 0, acc = 0;
  for (int s = 0; s <= t; s++) {
    float score = qd * __bfloat162float(k[s * D + d]);
    for (int o = 16; o; o >>= 1)
      score += __shfl_xor_sync(~0u, score, o);
    score *= scale;
    float now = fmaxf(top, score), shrink = expf(top - now), w = expf(score - now);
    sum = sum * shrink + w;
    acc = acc * shrink + w * __bfloat162float(v[s * D + d]);
    top = now;
  }
  out[t * D + d] = __float2bfloat16(acc / sum);
}

__global__ void layer_norm(__nv_bfloat162 *x, const __nv_bfloat162 *gain, __nv_bfloat162 shift) {
  int lane = threadIdx.x & 15, row = blockIdx.x * 2 + threadIdx.x / 16;
  __nv_bfloat162 v = x[row * 16 + lane];
  float2 f = __bfloat1622float2(v);
  float sum = f.x + f.y, squares = f.x * f.x + f.y * f.y;
  for (int o = 8; o; o >>= 1) {
    sum += __shfl_xor_sync(~0u, sum, o);
    squares += __shfl_xor_sync(~0u, squares, o);
  }
  float mean = sum / D, inverse = 1.0f / sqrtf(squares / D - mean * mean + 1e-5f);
  __nv_bfloat162 n = __floats2bfloat162_rn((f.x - mean) * inverse, (f.y - mean) * inverse);
  x[row * 16 + lane] = n * gain[lane] + shift;
}

__global__ void gelu(__nv_bfloat16 *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __nv_bfloat16 v = x[i], half = __float2bfloat16(0.5f), c = __float2bfloat16(0.044715f);
  float inner = __bfloat162float(v + c * v * v * v);
  x[i] = half * v * (__float2bfloat16(1.0f) + __float2bfloat16(tanhf(0.7978845608f * inner)));
}

int main() {
  static __nv_bfloat16 data[3][T * D], gain[D], out[T * D];
  unsigned seed = 202;
  for (auto &m : data)
    for (auto &v : m)
      v = __float2bfloat16((int)(next_random(&seed) % 4001) / 1000.0f - 2.0f);
  for (auto &v : gain)
    v = __float2bfloat16(0.5f + next_random(&seed) % 100 / 100.0f);
  __nv_bfloat16 *d_in, *d_gain, *d_out;
  OK(cudaMalloc(&d_in, sizeof data));
  OK(cudaMalloc(&d_gain, sizeof gain));
  OK(cudaMalloc(&d_out, sizeof out));
  OK(cudaMemcpy(d_in, data, sizeof data, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_gain, gain, sizeof gain, cudaMemcpyHostToDevice));
  auto show = [&](const char *name, bool in_full) {
    OK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    const unsigned short *bits = (const unsigned short *)out;
    printf("%s", name);
    if (in_full) printf(" %08x", checksum(out, sizeof out));
    printf(": %04x %04x %04x\n", bits[0], bits[777], bits[T * D - 1]);
  };
  attend<<<T, D>>>(d_in, d_in + T * D, d_in + 2 * T * D, d_out, 0.17677669f);
  show("attention", false);
  layer_norm<<<T / 2, 32>>>((__nv_bfloat162 *)d_out, (const __nv_bfloat162 *)d_gain,
                            __floats2bfloat162_rn(0.1f, -0.1f));
  show("norm", true);
  gelu<<<(T * D + 255) / 256, 256>>>(d_out, T * D);
  show("gelu", true);
}
