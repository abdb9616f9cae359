// y = At (A x): first t = A x with a row of A per thread, then y = At t with a column per thread;
// blocks of 256. PolyBench-GPU's ATAX.
//
// By rows, the 32 lanes of a load are a row apart: 32 lines, each of which lasts 32 steps if it
// stays, beside one word of x for all lanes. By columns, a load of A is one line that is not read
// again, beside one word of t. The sum is stored in every step, since it may be A or x for all that
// the compiler knows.
//
// The row kernel goes over the first `length` elements of a row; in the original over all.
#include "../suite.h"

extern "C" __global__ void atax_rows(int rows, int columns, int length, float *a, float *x,
                                     float *t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) {
    LOOP for (int j = 0; j < length; j++) t[i] = fmaf(a[i * columns + j], x[j], t[i]);
  }
}

extern "C" __global__ void atax_columns(int rows, int columns, float *a, float *y, float *t) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < columns) {
    LOOP for (int i = 0; i < rows; i++) y[j] = fmaf(a[i * columns + j], t[i], y[j]);
  }
}
