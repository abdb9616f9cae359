// Kernels for tests/cuda/test_cudart.c; host.fatbin is made as the README says.
#include <cstdio>

struct parcel {
  char tag;
  double weight;
  short count[3];
};

__device__ int counter = 5;
__constant__ float factors[4] = {1, 2, 3, 4};
__managed__ int shared_word = 7;

extern "C" __global__ void empty() {}

extern "C" __global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void unpack(struct parcel p, char last, double *out) {
  out[0] = p.tag;
  out[1] = p.weight;
  out[2] = p.count[2];
  out[3] = last;
}

extern "C" __global__ void variables(float *out) {
  counter += 1;
  shared_word += 10;
  out[0] = factors[2];
  out[1] = counter;
}

extern "C" __global__ void reverse(int *data) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void increment(int *word) {
  *word += 1;
}

extern "C" __global__ void poke(int *base, long long at) {
  base[at] = 1;
}

extern "C" __global__ void __launch_bounds__(64) bounded(int *out) {
  out[threadIdx.x] = 1;
}

extern "C" __global__ void halves(float *x) {
  x[threadIdx.x] = x[threadIdx.x] * 0.5f + x[threadIdx.x] * 0.25f;
}

extern "C" __global__ void hello(int n) {
  printf("hello from %d of %d\n", threadIdx.x, n);
}
