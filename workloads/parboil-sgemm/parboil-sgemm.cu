// C = alpha * A * B^T + beta * C of matrices stored by columns (A, C) and by rows (B), in the tiles
// of Parboil's sgemm: a block of 16x8 threads makes 128x16 elements of C, a thread one row of 16
// in registers. B passes through shared memory, 8 rows of 16 at a time; A does not: a warp reads
// one full line of a column of A for 16 multiplications, and the blocks of the same rows (all that
// share blockIdx.x) read the same lines again. B comes in half lines of 64 bytes.
//
// The loops over the 16 sums are unrolled, as they must be to stay in registers; so there are 16
// loads of C. m is a multiple of 128, n of 16, k of 8.
#include "../suite.h"

#define WIDTH  16 // columns of C of a block, sums of a thread
#define HEIGHT 8  // steps of k of one tile of B

extern "C" __global__ void sgemm(const float *a, int lda, const float *b, int ldb, float *c,
                                 int ldc, int k, float alpha, float beta) {
  __shared__ __align__(16) float tile[HEIGHT][WIDTH];
  float sum[WIDTH];
#pragma unroll
  for (int s = 0; s < WIDTH; s++)
    sum[s] = 0.0f;
  int row = blockIdx.x * (WIDTH * HEIGHT) + threadIdx.y * WIDTH + threadIdx.x;
  int column = blockIdx.y * WIDTH + threadIdx.x;
  LOOP
  for (int step = 0; step < k; step += HEIGHT) {
    tile[threadIdx.y][threadIdx.x] = b[(step + threadIdx.y) * ldb + column];
    __syncthreads();
    LOOP
    for (int j = 0; j < HEIGHT; j++) {
      float x = a[(step + j) * lda + row];
#pragma unroll
      for (int s = 0; s < WIDTH; s++)
        sum[s] = fmaf(x, tile[j][s], sum[s]);
    }
    __syncthreads();
  }
  float *out = c + blockIdx.y * WIDTH * ldc + row;
#pragma unroll
  for (int s = 0; s < WIDTH; s++)
    out[s * ldc] = fmaf(out[s * ldc], beta, alpha * sum[s]);
}
