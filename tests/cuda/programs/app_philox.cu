/* Monte Carlo with Philox 4x32-10: pi, an integral, and a random walk with Box-Muller. */
#include "common.h"

struct Philox {
  uint2 key;
  __device__ uint4 operator()(uint4 c) const {
    uint2 k = key;
#pragma unroll
    for (int round = 0; round < 10; round++) {
      unsigned hi0 = __umulhi(0xD2511F53u, c.x), lo0 = 0xD2511F53u * c.x;
      unsigned hi1 = __umulhi(0xCD9E8D57u, c.z), lo1 = 0xCD9E8D57u * c.z;
      c = make_uint4(hi1 ^ c.y ^ k.x, lo1, hi0 ^ c.w ^ k.y, lo0);
      k.x += 0x9E3779B9u;
      k.y += 0xBB67AE85u;
    }
    return c;
  }
};

__device__ float uniform(unsigned u) {
  return (u >> 8) * (1.0f / 16777216.0f);
}

__global__ void pi(Philox rng, unsigned long long *hits, int rounds) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x, in = 0;
  for (int r = 0; r < rounds; r++) {
    uint4 u = rng(make_uint4(id, r, 0, 0));
    float x = uniform(u.x), y = uniform(u.y), z = uniform(u.z), w = uniform(u.w);
    in += (x * x + y * y <= 1.0f) + (z * z + w * w <= 1.0f);
  }
  in = __reduce_add_sync(~0u, in);
  if ((threadIdx.x & 31) == 0) atomicAdd(hits, (unsigned long long)in);
}

__global__ void walk(Philox rng, float *end, int steps) {
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  float p = 0;
  for (int s = 0; s < steps; s++) {
    uint4 u = rng(make_uint4(id, s, 1, 0));
    float r = sqrtf(-2.0f * logf(uniform(u.x) + 1e-9f));
    float sn, cs;
    sincosf(6.2831853f * uniform(u.y), &sn, &cs);
    p = 0.99f * p + r * cs * 0.1f;
    p += r * sn * 0.01f;
  }
  end[id] = p;
}

__global__ void integral(Philox rng, double *out, int rounds) {
  __shared__ double part[64];
  double sum = 0;
  for (int r = 0; r < rounds; r++) {
    uint4 u = rng(make_uint4(threadIdx.x, r, 2, blockIdx.x));
    double x = (u.x + 0.5) / 4294967296.0;
    sum += exp(-x * x) * sin(x * 3.0);
  }
  part[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int t = 1; t < 64; t++)
      sum += part[t];
    out[blockIdx.x] = sum / (64.0 * rounds);
  }
}

int main() {
  Philox rng = {{0xdeadbeefu, 42u}};
  unsigned long long *d_hits, hits;
  float *d_end, end[256];
  double *d_int, result[4];
  OK(cudaMalloc(&d_hits, 8));
  OK(cudaMalloc(&d_end, sizeof end));
  OK(cudaMalloc(&d_int, sizeof result));
  OK(cudaMemset(d_hits, 0, 8));
  pi<<<8, 128>>>(rng, d_hits, 20);
  walk<<<4, 64>>>(rng, d_end, 12);
  integral<<<4, 64>>>(rng, d_int, 10);
  OK(cudaMemcpy(&hits, d_hits, 8, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(end, d_end, sizeof end, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(result, d_int, sizeof result, cudaMemcpyDeviceToHost));
  printf("hits %llu, pi about %.4f\n", hits, 4.0 * hits / (8 * 128 * 20 * 2));
  printf("walks %08x: %a %a %a\n", checksum(end, sizeof end), end[0], end[100], end[255]);
  for (double r : result)
    printf("integral %a (%.4f)\n", r, r);
}
