// Gaussian elimination of a system of linear equations, two kernels for each column: the first
// divides the column by its diagonal element, the second subtracts multiples of the diagonal's row
// from those below. The back substitution is the host's.
//
// Threads run down the columns: lanes beside each other read elements n apart, each in a line of
// its own, in blocks of 4x4 threads, which are half a warp. All blocks of a launch share one row.
#include "../suite.h"

extern "C" __global__ void gaussian_factors(float *factor, float *a, int n, int step) {
  int row = threadIdx.x + blockIdx.x * blockDim.x;
  if (row >= n - 1 - step) return;
  row += step + 1;
  factor[n * row + step] = a[n * row + step] / a[n * step + step];
}

extern "C" __global__ void gaussian_subtract(float *factor, float *a, float *b, int n, int step) {
  int row = threadIdx.x + blockIdx.x * blockDim.x, column = threadIdx.y + blockIdx.y * blockDim.y;
  if (row >= n - 1 - step || column >= n - step) return;
  int target = row + 1 + step;
  float *cell = &a[n * target + column + step];
  *cell = fmaf(-factor[n * target + step], a[n * step + column + step], *cell);
  if (column == 0)
    b[target] = fmaf(-factor[n * target + column + step], b[step], b[target]);
}
