// c = a * b, n by n (a multiple of 16), by 16x16 tiles in shared memory: every element is read n /
// 16 times from global memory and the inner loop touches shared memory only.
#define TILE 16

extern "C" __global__ void matmul_tiled(const float *a, const float *b, float *c, unsigned n) {
  __shared__ float tile_a[TILE][TILE];
  __shared__ float tile_b[TILE][TILE];
  unsigned x = threadIdx.x, y = threadIdx.y;
  unsigned column = blockIdx.x * TILE + x;
  unsigned row = blockIdx.y * TILE + y;
  float sum = 0.0f;
  for (unsigned t = 0; t < n; t += TILE) {
    tile_a[y][x] = a[row * n + t + x];
    tile_b[y][x] = b[(t + y) * n + column];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < TILE; k++)
      sum = fmaf(tile_a[y][k], tile_b[k][x], sum);
    __syncthreads();
  }
  c[row * n + column] = sum;
}
