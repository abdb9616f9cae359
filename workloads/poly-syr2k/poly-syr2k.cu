// c = alpha a bt + alpha b at + beta c, one element of c per thread, blocks of 32x8, all from
// global memory. PolyBench-GPU's SYR2K.
//
// A warp is a row of 32 elements of c. In each step it loads one word of a and one of b for all
// lanes (its own row), and one word of each per lane a row apart: 64 lines, which the block's eight
// warps share and which last 32 steps if they stay. The sum is stored in every step, since c may
// be a or b for all that the compiler knows.
//
// a and b have n rows of `pitch` elements, of which the first `depth` are used; the original has
// one number for both.
#include "../suite.h"

extern "C" __global__ void syr2k_element(int n, int depth, int pitch, float *a, float *b,
                                         float *c) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < n && x < n) {
    c[y * n + x] *= 4546.0f;
    LOOP for (int k = 0; k < depth; k++) {
      float ab = 12435.0f * a[y * pitch + k] * b[x * pitch + k];
      c[y * n + x] += fmaf(12435.0f * b[y * pitch + k], a[x * pitch + k], ab);
    }
  }
}
