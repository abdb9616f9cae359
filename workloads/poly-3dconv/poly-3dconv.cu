// Convolution of a volume with a mask of eleven points out of 3x3x3, one launch per plane, one
// point per thread, blocks of 32x8; the volume's border is not written. PolyBench-GPU's 3DCONV,
// whose mask names two of its points three times.
//
// Eleven coalesced loads per thread: four in the plane before, four in the one behind, three in the
// launch's own. Rows are read again by the warps above and below, planes by the next two launches.
//
// Sizes are constants in the original, which shortens the computation of addresses; here those of a
// plane are.
#include "../suite.h"

#define ROWS    512
#define COLUMNS 512
#define PLANE   (COLUMNS * ROWS)

extern "C" __global__ void convolve_slice(int planes, float *in, float *out, int z) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (z < planes - 1 && y < ROWS - 1 && x < COLUMNS - 1 && z > 0 && y > 0 && x > 0) {
    float sum = 2.0f * in[(z - 1) * PLANE + (y - 1) * COLUMNS + x - 1];
    sum = fmaf(4.0f, in[(z + 1) * PLANE + (y - 1) * COLUMNS + x - 1], sum);
    sum = fmaf(5.0f, in[(z - 1) * PLANE + (y - 1) * COLUMNS + x - 1], sum);
    sum = fmaf(7.0f, in[(z + 1) * PLANE + (y - 1) * COLUMNS + x - 1], sum);
    sum = fmaf(-8.0f, in[(z - 1) * PLANE + (y - 1) * COLUMNS + x - 1], sum);
    sum = fmaf(10.0f, in[(z + 1) * PLANE + (y - 1) * COLUMNS + x - 1], sum);
    sum = fmaf(-3.0f, in[z * PLANE + (y - 1) * COLUMNS + x], sum);
    sum = fmaf(6.0f, in[z * PLANE + y * COLUMNS + x], sum);
    sum = fmaf(-9.0f, in[z * PLANE + (y + 1) * COLUMNS + x], sum);
    sum = fmaf(2.0f, in[(z - 1) * PLANE + (y - 1) * COLUMNS + x + 1], sum);
    sum = fmaf(4.0f, in[(z + 1) * PLANE + (y - 1) * COLUMNS + x + 1], sum);
    sum = fmaf(5.0f, in[(z - 1) * PLANE + y * COLUMNS + x + 1], sum);
    sum = fmaf(7.0f, in[(z + 1) * PLANE + y * COLUMNS + x + 1], sum);
    sum = fmaf(-8.0f, in[(z - 1) * PLANE + (y + 1) * COLUMNS + x + 1], sum);
    sum = fmaf(10.0f, in[(z + 1) * PLANE + (y + 1) * COLUMNS + x + 1], sum);
    out[z * PLANE + y * COLUMNS + x] = sum;
  }
}
