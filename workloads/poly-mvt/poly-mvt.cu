// x1 += A y1 with a row of the square A per thread, then x2 += At y2 with a column per thread;
// blocks of 256. PolyBench-GPU's MVT.
//
// By rows, the 32 lanes of a load are a row apart: 32 lines, each of which lasts 32 steps if it
// stays, beside one word of y1 for all lanes. By columns, a load of A is one line that is not read
// again. The sum is stored in every step, since it may be A or y for all that the compiler knows.
//
// The row kernel goes over the first `length` elements of a row; in the original over all.
#include "../suite.h"

extern "C" __global__ void mvt_rows(int rows, int columns, int length, float *a, float *x1,
                                    float *y1) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) {
    LOOP for (int j = 0; j < length; j++) x1[i] = fmaf(a[i * columns + j], y1[j], x1[i]);
  }
}

extern "C" __global__ void mvt_columns(int rows, int columns, float *a, float *x2, float *y2) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < columns) {
    LOOP for (int j = 0; j < rows; j++) x2[i] = fmaf(a[j * columns + i], y2[j], x2[i]);
  }
}
