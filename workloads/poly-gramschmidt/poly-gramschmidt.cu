// QR decomposition by the modified Gram-Schmidt process, three launches for each column: its norm
// (one thread), the column divided by it (a row per thread), and the projection taken off every
// column to the right (a column per thread). Blocks of 256. PolyBench-GPU's GRAMSCHM.
//
// Matrices lie by rows. The third kernel, which has nearly all of the work, walks down its columns
// twice: coalesced lines of a, a row apart from step to step and read again only in the second
// walk, and one word of q for all lanes, again from a new line in each step. The first two touch a
// new line with every row. r is stored in every step of the first walk and loaded in every step of
// the second, since it may be a or q for all that the compiler knows.
#include "../suite.h"

extern "C" __global__ void column_norm(int rows, int columns, float *a, float *r, float *q, int k) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t == 0) {
    float sum = 0.0f;
    LOOP for (int i = 0; i < rows; i++) sum = fmaf(a[i * columns + k], a[i * columns + k], sum);
    r[k * columns + k] = __fsqrt_rn(sum);
  }
}

extern "C" __global__ void column_scale(int rows, int columns, float *a, float *r, float *q,
                                        int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) q[i * columns + k] = __fdiv_rn(a[i * columns + k], r[k * columns + k]);
}

extern "C" __global__ void columns_project(int rows, int columns, float *a, float *r, float *q,
                                           int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j > k && j < columns) {
    r[k * columns + j] = 0.0f;
    LOOP for (int i = 0; i < rows; i++) r[k * columns + j] =
        fmaf(q[i * columns + k], a[i * columns + j], r[k * columns + j]);
    LOOP for (int i = 0; i < rows; i++) a[i * columns + j] =
        fmaf(-q[i * columns + k], r[k * columns + j], a[i * columns + j]);
  }
}
