/* Sums in three ways: a tree in shared memory, shuffles, and the last block adding up the others.
 */
#include "common.h"

__global__ void tree(const int *in, int n, int *out) {
  extern __shared__ int part[];
  int i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
  part[threadIdx.x] = (i < n ? in[i] : 0) + (i + (int)blockDim.x < n ? in[i + blockDim.x] : 0);
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half >>= 1) {
    if ((int)threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

__device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}

__device__ unsigned done;

__global__ void last_block(const float *in, int n, volatile float *part, float *out) {
  __shared__ float warps[8];
  __shared__ bool last;
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    v += in[i];
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < (int)blockDim.x / 32; w++)
      v += warps[w];
    part[blockIdx.x] = v;
    __threadfence();
    last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < 32) {
    v = warp_sum(threadIdx.x < gridDim.x ? part[threadIdx.x] : 0);
    if (threadIdx.x == 0) *out = v;
  }
}

int main() {
  const int n = 10000;
  static int ints[n];
  static float floats[n];
  unsigned seed = 17;
  for (int i = 0; i < n; i++) {
    ints[i] = (int)(next_random(&seed) % 2000) - 1000;
    floats[i] = (float)next_random(&seed) * 1e-3f; /* not exact: the order of additions shows */
  }
  int *in, *out, sums[20], total = 0;
  float *fin, *part, *fout, sum;
  OK(cudaMalloc(&in, sizeof ints));
  OK(cudaMalloc(&out, sizeof sums));
  OK(cudaMalloc(&fin, sizeof floats));
  OK(cudaMalloc(&part, 32 * sizeof(float)));
  OK(cudaMalloc(&fout, sizeof sum));
  OK(cudaMemcpy(in, ints, sizeof ints, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(fin, floats, sizeof floats, cudaMemcpyHostToDevice));
  tree<<<20, 256, 256 * sizeof(int)>>>(in, n, out);
  OK(cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost));
  for (int s : sums)
    total += s;
  printf("tree %d, sum %08x\n", total, checksum(sums, sizeof sums));
  for (int blocks = 5; blocks <= 30; blocks += 25) {
    last_block<<<blocks, 128>>>(fin, n, part, fout);
    OK(cudaMemcpy(&sum, fout, sizeof sum, cudaMemcpyDeviceToHost));
    printf("last of %d blocks %.9g\n", blocks, sum);
  }
  return 0;
}
