// Convolution of a plane with a fixed 3x3 mask, one point per thread, blocks of 32x8; the plane's
// border is not written. PolyBench-GPU's 2DCONV.
//
// Nine coalesced loads per thread of three neighbouring rows. The three loads of a row overlap in
// the same line (two of them also touch the next or the one before), and each row is read again by
// the warps above and below: by eight warps of the block out of ten rows, by other blocks at its
// edges.
//
// Sizes are constants in the original, which shortens the computation of addresses; here the length
// of a row is.
#include "../suite.h"

#define COLUMNS 3072

extern "C" __global__ void convolve_plane(int rows, float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y < rows - 1 && x < COLUMNS - 1 && y > 0 && x > 0) {
    float sum = 0.2f * in[(y - 1) * COLUMNS + x - 1];
    sum = fmaf(0.5f, in[(y - 1) * COLUMNS + x], sum);
    sum = fmaf(-0.8f, in[(y - 1) * COLUMNS + x + 1], sum);
    sum = fmaf(-0.3f, in[y * COLUMNS + x - 1], sum);
    sum = fmaf(0.6f, in[y * COLUMNS + x], sum);
    sum = fmaf(-0.9f, in[y * COLUMNS + x + 1], sum);
    sum = fmaf(0.4f, in[(y + 1) * COLUMNS + x - 1], sum);
    sum = fmaf(0.7f, in[(y + 1) * COLUMNS + x], sum);
    sum = fmaf(0.1f, in[(y + 1) * COLUMNS + x + 1], sum);
    out[y * COLUMNS + x] = sum;
  }
}
