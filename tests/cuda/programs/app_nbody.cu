/* Gravity among particles: tiles in shared memory, leapfrog steps. */
#include "common.h"

#define N    256
#define TILE 64

__global__ void forces(const float4 *body, float3 *acc, float eps2) {
  __shared__ float4 tile[TILE];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = body[i];
  float ax = 0, ay = 0, az = 0;
  for (int base = 0; base < N; base += TILE) {
    tile[threadIdx.x] = body[base + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < TILE; j++) {
      float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      float r2 = dx * dx + dy * dy + dz * dz + eps2;
      float inv = 1.0f / sqrtf(r2);
      float s = tile[j].w * (inv * inv * inv);
      ax += dx * s;
      ay += dy * s;
      az += dz * s;
    }
    __syncthreads();
  }
  acc[i] = make_float3(ax, ay, az);
}

__global__ void kick_drift(float4 *body, float3 *vel, const float3 *acc, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float3 v = vel[i], a = acc[i];
  v.x += a.x * dt;
  v.y += a.y * dt;
  v.z += a.z * dt;
  float4 b = body[i];
  b.x += v.x * dt;
  b.y += v.y * dt;
  b.z += v.z * dt;
  vel[i] = v;
  body[i] = b;
}

__global__ void energy(const float4 *body, const float3 *vel, double *kinetic) {
  __shared__ double part[N];
  int i = threadIdx.x;
  float3 v = vel[i];
  part[i] = 0.5 * body[i].w * (double(v.x) * v.x + double(v.y) * v.y + double(v.z) * v.z);
  __syncthreads();
  for (int s = N / 2; s > 0; s >>= 1) {
    if (i < s) part[i] += part[i + s];
    __syncthreads();
  }
  if (i == 0) *kinetic = part[0];
}

int main() {
  static float4 body[N];
  static float3 vel[N];
  unsigned seed = 11;
  for (int i = 0; i < N; i++) {
    body[i].x = next_random(&seed) / 16777216.0f - 0.5f;
    body[i].y = next_random(&seed) / 16777216.0f - 0.5f;
    body[i].z = next_random(&seed) / 16777216.0f - 0.5f;
    body[i].w = (1 + next_random(&seed) % 7) / 1024.0f;
  }
  float4 *d_body;
  float3 *d_vel, *d_acc;
  double *d_kinetic, kinetic;
  OK(cudaMalloc(&d_body, sizeof body));
  OK(cudaMalloc(&d_vel, sizeof vel));
  OK(cudaMalloc(&d_acc, sizeof vel));
  OK(cudaMalloc(&d_kinetic, sizeof kinetic));
  OK(cudaMemcpy(d_body, body, sizeof body, cudaMemcpyHostToDevice));
  OK(cudaMemset(d_vel, 0, sizeof vel));
  for (int step = 0; step < 6; step++) {
    forces<<<N / TILE, TILE>>>(d_body, d_acc, 1e-3f);
    kick_drift<<<N / TILE, TILE>>>(d_body, d_vel, d_acc, 0.01f);
    energy<<<1, N>>>(d_body, d_vel, d_kinetic);
    OK(cudaMemcpy(&kinetic, d_kinetic, sizeof kinetic, cudaMemcpyDeviceToHost));
    printf("step %d: kinetic %a\n", step, kinetic);
  }
  OK(cudaMemcpy(body, d_body, sizeof body, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(vel, d_vel, sizeof vel, cudaMemcpyDeviceToHost));
  printf("bodies %08x velocities %08x\n", checksum(body, sizeof body), checksum(vel, sizeof vel));
  for (int i = 0; i < 3; i++)
    printf("%d: %a %a %a\n", i, body[i].x, body[i].y, body[i].z);
}
