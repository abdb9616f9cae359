// Mean of three neighbours on a line, time step after time step: one kernel computes, one copies
// back; one element per thread, blocks of 256. PolyBench-GPU's JACOBI1D.
//
// Coalesced, three loads of the same line (and its neighbours) right after one another, and no
// more than 128 warps in a launch: what is to be had is reuse within a warp, and there is little to
// hide a latency with.
#include "../suite.h"

extern "C" __global__ void line_mean(int n, float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 1 && i < n - 1) b[i] = 0.33333f * (a[i - 1] + a[i] + a[i + 1]);
}

extern "C" __global__ void line_copy(int n, float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 1 && i < n - 1) a[i] = b[i];
}
