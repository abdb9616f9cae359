// One time step of an alternating direction implicit solver: a sweep along the rows of a square
// plane, forth and back, then one along its columns. Six kernels in blocks of 256. PolyBench-GPU's
// ADI.
//
// Rows: a thread has a row, so that the lanes of each access are a row apart (32 lines), and a line
// is used up in 32 steps of the loop, by four accesses in each. Columns: a launch per row, a column
// per thread, coalesced; each launch reads what the one before it has written.
//
// The sweep along the rows goes over the first `length` of their n elements; in the original both
// are one number.
#include "../suite.h"

extern "C" __global__ void rows_forth(int n, int length, float *a, float *b, float *x) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    LOOP for (int i = 1; i < length; i++) {
      x[row * n + i] = x[row * n + i] -
                       __fdiv_rn(x[row * n + i - 1] * a[row * n + i], b[row * n + i - 1]);
      b[row * n + i] = b[row * n + i] -
                       __fdiv_rn(a[row * n + i] * a[row * n + i], b[row * n + i - 1]);
    }
  }
}

extern "C" __global__ void rows_end(int n, int length, float *a, float *b, float *x) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n)
    x[row * n + length - 1] = __fdiv_rn(x[row * n + length - 1], b[row * n + length - 1]);
}

extern "C" __global__ void rows_back(int n, int length, float *a, float *b, float *x) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    LOOP for (int i = 0; i < length - 2; i++) x[row * n + length - 2 - i] =
        __fdiv_rn(fmaf(-x[row * n + length - 3 - i], a[row * n + length - 3 - i],
                       x[row * n + length - 2 - i]),
                  b[row * n + length - 3 - i]);
  }
}

extern "C" __global__ void columns_forth(int n, float *a, float *b, float *x, int row) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    x[row * n + i] = x[row * n + i] -
                     __fdiv_rn(x[(row - 1) * n + i] * a[row * n + i], b[(row - 1) * n + i]);
    b[row * n + i] = b[row * n + i] -
                     __fdiv_rn(a[row * n + i] * a[row * n + i], b[(row - 1) * n + i]);
  }
}

extern "C" __global__ void columns_end(int n, float *a, float *b, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[(n - 1) * n + i] = __fdiv_rn(x[(n - 1) * n + i], b[(n - 1) * n + i]);
}

extern "C" __global__ void columns_back(int n, float *a, float *b, float *x, int step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[(n - 2 - step) * n + i] =
        __fdiv_rn(fmaf(-x[(n - 3 - step) * n + i], a[(n - 3 - step) * n + i],
                       x[(n - 2 - step) * n + i]),
                  b[(n - 2 - step) * n + i]);
}
