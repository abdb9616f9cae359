// y = A x with A in compressed rows, one row per warp: the lanes read a row's elements coalesced,
// gather x, and add their sums by shuffles.
extern "C" __global__ void spmv_vector(const unsigned *start, const unsigned *column,
                                       const float *value, const float *x, float *y,
                                       unsigned rows) {
  unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  unsigned lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0.0f;
  unsigned end = start[row + 1];
  for (unsigned j = start[row] + lane; j < end; j += 32)
    sum = fmaf(value[j], x[column[j]], sum);
  for (int delta = 16; delta > 0; delta /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, delta);
  if (lane == 0) y[row] = sum;
}
