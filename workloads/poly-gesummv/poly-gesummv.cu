// y = alpha A x + beta B x, a row of both matrices per thread, blocks of 256. PolyBench-GPU's
// GESUMMV.
//
// The 32 lanes of a load of A or B are a row apart: 32 lines each, 64 for a warp's step, and a line
// lasts 32 steps if it stays. x is one word for all lanes, loaded twice in a step, since the sums
// stored in every step may be x, A or B for all that the compiler knows.
//
// The kernel goes over the first `length` elements of a row; in the original over all.
#include "../suite.h"

extern "C" __global__ void gesummv_rows(int rows, int columns, int length, float *a, float *b,
                                        float *x, float *y, float *t) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) {
    LOOP for (int j = 0; j < length; j++) {
      t[i] = fmaf(a[i * columns + j], x[j], t[i]);
      y[i] = fmaf(b[i * columns + j], x[j], y[i]);
    }
    y[i] = fmaf(43532.0f, t[i], 12313.0f * y[i]);
  }
}
