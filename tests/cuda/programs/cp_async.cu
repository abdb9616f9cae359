/* Copies to shared memory that go on while threads compute: groups, waits, and a two-stage
 * pipeline. */
#include "common.h"
#include <cuda_pipeline.h>

const int stage = 128;

__global__ void pipelined(const float4 *in, float4 *out, int stages) {
  __shared__ float4 buffer[2][stage];
  int t = threadIdx.x;
  const float4 *mine = in + blockIdx.x * stages * stage;
  __pipeline_memcpy_async(&buffer[0][t], &mine[t], sizeof(float4));
  __pipeline_commit();
  for (int s = 0; s < stages; s++) {
    if (s + 1 < stages)
      __pipeline_memcpy_async(&buffer[(s + 1) % 2][t], &mine[(s + 1) * stage + t], sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 v = buffer[s % 2][stage - 1 - t];
    out[(blockIdx.x * stages + s) * stage + t] = make_float4(v.w, v.z, v.y + s, v.x);
    __syncthreads();
  }
}

__global__ void small(const int *in, int *out, int n) {
  __shared__ int part[256];
  int t = threadIdx.x;
  /* what lies past the end is filled with zeros */
  __pipeline_memcpy_async(&part[t], &in[t < n ? t : 0], 4, t < n ? 0 : 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = part[255 - t];
}

int main() {
  const int blocks = 3, stages = 5, n = blocks * stages * stage;
  static float4 host[n];
  for (int i = 0; i < n; i++)
    host[i] = make_float4(i, i + 0.25f, i + 0.5f, -i);
  float4 *in, *out;
  OK(cudaMalloc(&in, sizeof host));
  OK(cudaMalloc(&out, sizeof host));
  OK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  pipelined<<<blocks, stage>>>(in, out, stages);
  OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  printf("%g %g %g, sum %08x\n", host[0].x, host[stage].z, host[n - 1].w,
         checksum(host, sizeof host));
  int values[256];
  small<<<1, 256>>>((const int *)in, (int *)out, 200);
  OK(cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost));
  printf("%d %d %d, sum %08x\n", values[0], values[55], values[56],
         checksum(values, sizeof values));
  return 0;
}
