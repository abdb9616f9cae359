/* A signed distance field marched with -use_fast_math; a loose picture, angles and depths to few
 * digits. */
#include "common.h"

__device__ float field(float3 p, float time) {
  float torus = sqrtf(p.x * p.x + p.z * p.z) - 1.0f;
  torus = sqrtf(torus * torus + p.y * p.y) - 0.35f;
  float ball = sqrtf((p.x - cosf(time)) * (p.x - cosf(time)) +
                     (p.y - 0.6f * sinf(time)) * (p.y - 0.6f * sinf(time)) + p.z * p.z) -
               0.4f;
  float h = __saturatef(0.5f + 0.5f * (ball - torus) / 0.3f);
  return ball * (1 - h) + torus * h - 0.3f * h * (1 - h);
}

__global__ void march(float *depth, float *shade, int w, int h, float time) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w) return;
  float u = (x - w / 2) * 2.4f / w, v = (y - h / 2) * -2.4f / h, t = 0;
  float inv = rsqrtf(u * u + v * v + 4.0f);
  float3 d = make_float3(u * inv, v * inv, 2 * inv);
  for (int k = 0; k < 60 && t < 8; k++) {
    float s = field(make_float3(d.x * t, 1.0f + d.y * t - 0.4f * t, -3.0f + d.z * t), time);
    if (s < 1e-4f) break;
    t += s;
  }
  depth[y * w + x] = t;
  shade[y * w + x] = exp2f(-t) + __powf(t, 0.3f) + atan2f(v, u + 3.0f) +
                     __fdividef(1.0f, 1.0f + t) + acosf(u * 0.1f);
}

int main() {
  const int w = 40, h = 20;
  static float depth[w * h], shade[w * h];
  float *d_depth, *d_shade;
  OK(cudaMalloc(&d_depth, sizeof depth));
  OK(cudaMalloc(&d_shade, sizeof shade));
  march<<<dim3(1, h), 64>>>(d_depth, d_shade, w, h, 0.7f);
  OK(cudaMemcpy(depth, d_depth, sizeof depth, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(shade, d_shade, sizeof shade, cudaMemcpyDeviceToHost));
  int hit = 0;
  for (float d : depth)
    hit += d < 8;
  printf("%d hit\n", hit);
  for (int y = 8; y < 13; y++)
    for (int x = 12; x < 30; x += 6)
      printf("%.3f %.3f%s", depth[y * w + x], shade[y * w + x], x + 6 < 30 ? " | " : "\n");
}
