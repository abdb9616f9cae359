// Sparse matrix times vector with the matrix in jagged diagonals (Parboil's spmv): rows sorted by
// length, a thread for each, and the d-th elements of all rows that have one stand side by side, so
// that values and columns stream in whole lines. Only the gather of x, the lookup of a row's old
// number and the store there are scattered.
//
// The loop is pipelined by hand over two steps: the column of element d, the value and the x of
// element d - 1 and the sum of element d - 2 belong to one round. Where each diagonal starts comes
// with the arguments, as it came from constant memory.
#include "../suite.h"

#define DIAGONALS 48

struct diagonals {
  int start[DIAGONALS];
};

extern "C" __global__ void spmv_jds(float *y, const float *value, const int *column,
                                    const int *row, const float *x, const int *length, int n,
                                    const struct diagonals diagonal) {
  int me = blockIdx.x * blockDim.x + threadIdx.x;
  if (me >= n) return;
  int last = length[me >> 5]; // of the longest row of the warp
  float sum = 0.0f;
  int at = diagonal.start[0] + me;
  float v = value[at];
  int c = column[at];
  float f = x[c];
  if (last > 1) {
    at = diagonal.start[1] + me;
    c = column[at];
    LOOP for (int d = 2; d < last; d++) {
      float v_next = value[at];
      at = diagonal.start[d] + me;
      int c_next = column[at];
      float f_next = x[c];
      sum = fmaf(v, f, sum);
      c = c_next;
      v = v_next;
      f = f_next;
    }
    float v_next = value[at], f_next = x[c];
    sum = fmaf(v, f, sum);
    v = v_next;
    f = f_next;
  }
  y[row[me]] = fmaf(v, f, sum);
}
