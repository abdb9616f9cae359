// c = alpha a b + beta c, one element of c per thread, blocks of 32x8, all from global memory.
// PolyBench-GPU's GEMM.
//
// A warp is a row of 32 elements: its load of a is one word for all lanes (a line of a lasts 32
// steps), its load of b one line that the block's eight warps and the blocks above and below read
// as well. The sum is stored in every step, since c may be a or b for all that the compiler knows.
#include "../suite.h"

extern "C" __global__ void gemm_element(int rows, int columns, int depth, float *a, float *b,
                                        float *c) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < rows && x < columns) {
    c[y * columns + x] *= 2123.0f;
    LOOP for (int k = 0; k < depth; k++) c[y * columns + x] =
        fmaf(32412.0f * a[y * depth + k], b[k * columns + x], c[y * columns + x]);
  }
}
