// Sum of n elements: every thread adds a grid-strided share, a tree in shared memory adds a block's
// 256 values, and the same kernel with one block adds the blocks' partial sums. The order of the
// additions is fixed, so the f32 sum is too.
#define BLOCK 256

template <typename T> static __device__ void sum_block(const T *in, T *out, unsigned n, T *tree) {
  unsigned t = threadIdx.x;
  T sum = 0;
  for (unsigned i = blockIdx.x * BLOCK + t; i < n; i += gridDim.x * BLOCK)
    sum += in[i];
  tree[t] = sum;
  __syncthreads();
  for (unsigned width = BLOCK / 2; width > 0; width /= 2) {
    if (t < width) tree[t] += tree[t + width];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tree[0];
}

extern "C" __global__ void sum_u32(const unsigned *in, unsigned *out, unsigned n) {
  __shared__ unsigned tree[BLOCK];
  sum_block(in, out, n, tree);
}

extern "C" __global__ void sum_f32(const float *in, float *out, unsigned n) {
  __shared__ float tree[BLOCK];
  sum_block(in, out, n, tree);
}
