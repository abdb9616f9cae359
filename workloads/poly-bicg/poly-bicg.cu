// s = At r with a column of A per thread, then q = A p with a row per thread; blocks of 256. The
// two products of a step of the biconjugate gradient method. PolyBench-GPU's BICG.
//
// By columns, a load of A is one line that is not read again, beside one word of r for all lanes.
// By rows, the 32 lanes of a load are a row apart: 32 lines, each of which lasts 32 steps if it
// stays. The sum is stored in every step, since it may be A or r for all that the compiler knows.
//
// The row kernel goes over the first `length` elements of a row; in the original over all.
#include "../suite.h"

extern "C" __global__ void bicg_columns(int rows, int columns, float *a, float *r, float *s) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < columns) {
    s[j] = 0.0f;
    LOOP for (int i = 0; i < rows; i++) s[j] = fmaf(a[i * columns + j], r[i], s[j]);
  }
}

extern "C" __global__ void bicg_rows(int rows, int columns, int length, float *a, float *p,
                                     float *q) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) {
    q[i] = 0.0f;
    LOOP for (int j = 0; j < length; j++) q[i] = fmaf(a[i * columns + j], p[j], q[i]);
  }
}
