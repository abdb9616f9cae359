// c = alpha a at + beta c, one element of c per thread, blocks of 32x8, all from global memory.
// PolyBench-GPU's SYRK.
//
// A warp is a row of 32 elements of c. In each step it loads one word of a for all lanes (its own
// row), and one word per lane a row apart: 32 lines, which the block's eight warps share and which
// last 32 steps if they stay. The sum is stored in every step, since c may be a for all that the
// compiler knows.
//
// a has n rows of `pitch` elements, of which the first `depth` are used; the original has one
// number for both.
#include "../suite.h"

extern "C" __global__ void syrk_element(int n, int depth, int pitch, float *a, float *c) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < n && x < n) {
    c[y * n + x] *= 4546.0f;
    LOOP for (int k = 0; k < depth; k++) c[y * n + x] =
        fmaf(12435.0f * a[y * pitch + k], a[x * pitch + k], c[y * n + x]);
  }
}
