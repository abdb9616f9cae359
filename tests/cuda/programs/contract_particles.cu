/* Plain C++ as nvcc translates it by default: it fuses what it sees, and leaves products with
 * several uses to the assembler. */
#include "common.h"

struct body {
  float x, y, z, m;
};

__global__ void step(const body *in, float4 *force, float *energy, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  body me = in[i];
  float fx = 0, fy = 0, fz = 0, e = 0, virial = 0;
  for (int j = 0; j < n; j++) {
    body other = in[j];
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    float xx = dx * dx, yy = dy * dy, zz = dz * dz, r2 = xx + yy + zz + 0.01f;
    float scale = other.m / (r2 * r2), sx = scale * dx, sy = scale * dy, sz = scale * dz;
    fx += sx;
    fy += sy;
    fz += sz;
    e -= me.m * other.m / r2;
    virial += sx * dx + sy * dy - (sz * dz + xx - yy);
  }
  force[i] = make_float4(fx, fy, fz, virial);
  energy[i] = e;
}

int main() {
  const int n = 160;
  static body in[n];
  static float force[4 * n], energy[n];
  body *din;
  float4 *dforce;
  float *denergy;
  unsigned seed = 47;
  for (int i = 0; i < n; i++) {
    float v[4];
    for (int k = 0; k < 4; k++)
      v[k] = (float)next_random(&seed) / 16777216.0f;
    in[i] = {v[0], v[1], v[2], v[3] + 0.5f};
  }
  OK(cudaMalloc(&din, sizeof in));
  OK(cudaMalloc(&dforce, sizeof force));
  OK(cudaMalloc(&denergy, sizeof energy));
  OK(cudaMemcpy(din, in, sizeof in, cudaMemcpyHostToDevice));
  step<<<3, 64>>>(din, dforce, denergy, n);
  OK(cudaMemcpy(force, dforce, sizeof force, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(energy, denergy, sizeof energy, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i += 32)
    printf("%d: %a %a %a %a %a\n", i, force[4 * i], force[4 * i + 1], force[4 * i + 2],
           force[4 * i + 3], energy[i]);
  printf("%08x %08x\n", checksum(force, sizeof force), checksum(energy, sizeof energy));
  return 0;
}
