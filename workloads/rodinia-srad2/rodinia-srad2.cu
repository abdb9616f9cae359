// Speckle-reducing anisotropic diffusion of a noisy image, row-major, in blocks of 16x16 threads
// (Rodinia's srad_v2): the first kernel derives a diffusion coefficient for each pixel from the
// differences to its four neighbours and keeps both, the second one moves each pixel by the
// divergence.
//
// A warp is two rows of a block, so each load touches half lines of two rows. All 16 rows of a
// block load the one row above it and the one below it (the same 64 bytes eight times over), and
// all 16 columns the column to its left and to its right (one word for 16 threads), whether they
// use them or not; only then does the tile itself follow. Blocks at the rim load what lies outside
// the image as well and then what stands for it, so image and coefficients need a row more before
// and after them.
#include "../suite.h"

#define SIDE 16

extern "C" __global__ void srad2_coefficients(float *to_east, float *to_west, float *to_north,
                                              float *to_south, float *image, float *coefficient,
                                              int columns, int rows, float speckle) {
  __shared__ float tile[SIDE][SIDE], result[SIDE][SIDE];
  __shared__ float above[SIDE][SIDE], below[SIDE][SIDE], right[SIDE][SIDE], left[SIDE][SIDE];
  int bx = blockIdx.x, by = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
  int corner = columns * SIDE * by + SIDE * bx;
  int here = corner + columns * y + x;

  above[y][x] = image[corner + x - columns];
  below[y][x] = image[corner + columns * SIDE + x];
  if (by == 0)
    above[y][x] = image[SIDE * bx + x];
  else if (by == gridDim.y - 1)
    below[y][x] = image[corner + columns * (SIDE - 1) + x];
  __syncthreads();
  left[y][x] = image[corner + columns * y - 1];
  right[y][x] = image[corner + columns * y + SIDE];
  if (bx == 0)
    left[y][x] = image[columns * SIDE * by + columns * y];
  else if (bx == gridDim.x - 1)
    right[y][x] = image[corner + columns * y + SIDE - 1];
  __syncthreads();
  tile[y][x] = image[here];
  __syncthreads();

  float own = tile[y][x], n, s, w, e;
  if (y == 0)
    n = above[y][x] - own;
  else
    n = tile[y - 1][x] - own;
  if (y == SIDE - 1)
    s = below[y][x] - own;
  else
    s = tile[y + 1][x] - own;
  if (x == 0)
    w = left[y][x] - own;
  else
    w = tile[y][x - 1] - own;
  if (x == SIDE - 1)
    e = right[y][x] - own;
  else
    e = tile[y][x + 1] - own;

  // As in the original, some of it in double precision.
  float gradient = fmaf(e, e, fmaf(w, w, fmaf(s, s, n * n))) / (own * own);
  float laplace = (n + s + w + e) / own;
  float above_line = (float)fma(-0.0625, (double)(laplace * laplace), 0.5 * gradient);
  float below_line = (float)fma(0.25, (double)laplace, 1.0);
  float q = above_line / (below_line * below_line);
  float excess = (q - speckle) / (speckle * (1.0f + speckle));
  float c = (float)(1.0 / (1.0 + excess));
  if (c < 0.0f)
    result[y][x] = 0.0f;
  else if (c > 1.0f)
    result[y][x] = 1.0f;
  else
    result[y][x] = c;
  __syncthreads();

  coefficient[here] = result[y][x];
  to_east[here] = e;
  to_west[here] = w;
  to_south[here] = s;
  to_north[here] = n;
}

extern "C" __global__ void srad2_update(float *to_east, float *to_west, float *to_north,
                                        float *to_south, float *image, float *coefficient,
                                        int columns, int rows, float lambda, float speckle) {
  __shared__ float below[SIDE][SIDE], right[SIDE][SIDE];
  __shared__ float tile[SIDE][SIDE], result[SIDE][SIDE], value[SIDE][SIDE];
  int bx = blockIdx.x, by = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
  int corner = columns * SIDE * by + SIDE * bx;
  int here = corner + columns * y + x;

  value[y][x] = image[here];
  __syncthreads();
  below[y][x] = coefficient[corner + columns * SIDE + x];
  if (by == gridDim.y - 1) below[y][x] = coefficient[corner + columns * (SIDE - 1) + x];
  __syncthreads();
  right[y][x] = coefficient[corner + columns * y + SIDE];
  if (bx == gridDim.x - 1) right[y][x] = coefficient[corner + columns * y + SIDE - 1];
  __syncthreads();
  tile[y][x] = coefficient[here];
  __syncthreads();

  float own = tile[y][x], s, e; // north and west have the pixel's own coefficient
  if (y == SIDE - 1)
    s = below[y][x];
  else
    s = tile[y + 1][x];
  if (x == SIDE - 1)
    e = right[y][x];
  else
    e = tile[y][x + 1];
  float divergence = own * to_north[here];
  divergence = fmaf(s, to_south[here], divergence);
  divergence = fmaf(own, to_west[here], divergence);
  divergence = fmaf(e, to_east[here], divergence);
  result[y][x] = (float)fma(0.25 * lambda, (double)divergence, (double)value[y][x]);
  __syncthreads();
  image[here] = result[y][x];
}
