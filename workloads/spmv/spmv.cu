// y = A x with A in compressed rows, one row per thread: the lanes of a warp walk 32 rows side by
// side (each its own line of `column` and `value`), rows differ in length, and x is gathered.
extern "C" __global__ void spmv(const unsigned *__restrict__ start,
                                const unsigned *__restrict__ column,
                                const float *__restrict__ value, const float *__restrict__ x,
                                float *y, unsigned rows) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  unsigned end = start[row + 1];
  for (unsigned j = start[row]; j < end; j++)
    sum = fmaf(value[j], x[column[j]], sum);
  y[row] = sum;
}
