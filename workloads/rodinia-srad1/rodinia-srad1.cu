// Speckle-reducing anisotropic diffusion of a noisy image, column-major, a pixel per thread in
// blocks of 512 (Rodinia's srad_v1). The image is expanded once; each step sums its pixels and
// their squares, derives a diffusion coefficient for each pixel from the differences to its four
// neighbours, and moves each pixel by the divergence; at the end the image is compressed again.
//
// No shared memory but for the sums: pixels of the column and of those beside it are loaded at
// once, so a line of the image serves several loads of a warp, of its neighbours and of the warps
// a column away. Where the neighbours are is itself loaded, from one index per row and per column:
// the former coalesced, the latter the same word for most of a warp.
//
// The sums are reduced in place. All steps but the first read one word of every 512 (a line each),
// and what is left over in an uneven block is read by one thread, one word after the other, as in
// the original without the stride that the rest has.
#include "../suite.h"

#define THREADS 512

extern "C" __global__ void srad1_extract(int pixels, float *image) {
  int p = blockIdx.x * THREADS + threadIdx.x;
  if (p < pixels) image[p] = suite_expf(image[p] / 255.0f);
}

extern "C" __global__ void srad1_prepare(int pixels, float *image, float *sum, float *sum2) {
  int p = blockIdx.x * THREADS + threadIdx.x;
  if (p < pixels) {
    sum[p] = image[p];
    sum2[p] = image[p] * image[p];
  }
}

// Adds the first 2, 4, ... `count` (a power of two) of the partial sums to the last of them.
__device__ static void fold(float *part, float *part2, int count) {
  int t = threadIdx.x;
  LOOP
  for (int i = 2; i <= count; i *= 2) {
    if ((t + 1) % i == 0 && t < count) {
      part[t] = part[t] + part[t - i / 2];
      part2[t] = part2[t] + part2[t - i / 2];
    }
    __syncthreads();
  }
}

extern "C" __global__ void srad1_reduce(int pixels, int count, int stride, float *sum,
                                        float *sum2) {
  __shared__ float part[THREADS], part2[THREADS];
  int b = blockIdx.x, t = threadIdx.x, p = b * THREADS + t;
  int last = THREADS - ((int)gridDim.x * THREADS - count); // elements of the last block
  if (p < count) {
    part[t] = sum[p * stride];
    part2[t] = sum2[p * stride];
  }
  __syncthreads();
  if (last == THREADS || b != (int)gridDim.x - 1) {
    fold(part, part2, THREADS);
    if (t == THREADS - 1) {
      sum[b * stride * THREADS] = part[t];
      sum2[b * stride * THREADS] = part2[t];
    }
  } else {
    int full = 0; // the largest power of two that is not more than `last`
    LOOP
    for (int i = 2; i <= THREADS; i *= 2)
      if (last >= i) full = i;
    fold(part, part2, full);
    if (t == full - 1) {
      LOOP
      for (int i = b * THREADS + full; i < b * THREADS + last; i++) {
        part[t] = part[t] + sum[i];
        part2[t] = part2[t] + sum2[i];
      }
      sum[b * stride * THREADS] = part[t];
      sum2[b * stride * THREADS] = part2[t];
    }
  }
}

// The neighbours of pixel p: rows from 0, columns from 0.
__device__ static void place(int p, int rows, int *row, int *column) {
  *row = (p + 1) % rows - 1;
  *column = (p + 1) / rows;
  if ((p + 1) % rows == 0) {
    *row = rows - 1;
    *column = *column - 1;
  }
}

extern "C" __global__ void srad1_coefficients(float lambda, int rows, int columns, int pixels,
                                              int *up, int *down, int *right, int *left,
                                              float *to_north, float *to_south, float *to_east,
                                              float *to_west, float speckle, float *coefficient,
                                              float *image) {
  int p = blockIdx.x * THREADS + threadIdx.x, row, column;
  place(p, rows, &row, &column);
  if (p < pixels) {
    float own = image[p];
    float n = image[up[row] + rows * column] - own;
    float s = image[down[row] + rows * column] - own;
    float w = image[row + rows * left[column]] - own;
    float e = image[row + rows * right[column]] - own;
    // As in the original, some of it in double precision.
    float gradient = fmaf(e, e, fmaf(w, w, fmaf(s, s, n * n))) / (own * own);
    float laplace = (n + s + w + e) / own;
    float above_line = (float)fma(-0.0625, (double)(laplace * laplace), 0.5 * gradient);
    float below_line = (float)fma(0.25, (double)laplace, 1.0);
    float q = above_line / (below_line * below_line);
    float excess = (q - speckle) / (speckle * (1.0f + speckle));
    float c = (float)(1.0 / (1.0 + excess));
    if (c < 0.0f)
      c = 0.0f;
    else if (c > 1.0f)
      c = 1.0f;
    to_north[p] = n;
    to_south[p] = s;
    to_west[p] = w;
    to_east[p] = e;
    coefficient[p] = c;
  }
}

extern "C" __global__ void srad1_update(float lambda, int rows, int columns, int pixels, int *up,
                                        int *down, int *right, int *left, float *to_north,
                                        float *to_south, float *to_east, float *to_west,
                                        float *coefficient, float *image) {
  int p = blockIdx.x * THREADS + threadIdx.x, row, column;
  place(p, rows, &row, &column);
  if (p < pixels) {
    float own = coefficient[p]; // north and west have the pixel's own coefficient
    float s = coefficient[down[row] + rows * column];
    float e = coefficient[row + rows * right[column]];
    float divergence = own * to_north[p];
    divergence = fmaf(s, to_south[p], divergence);
    divergence = fmaf(own, to_west[p], divergence);
    divergence = fmaf(e, to_east[p], divergence);
    image[p] = (float)fma(0.25 * lambda, (double)divergence, (double)image[p]);
  }
}

extern "C" __global__ void srad1_compress(int pixels, float *image) {
  int p = blockIdx.x * THREADS + threadIdx.x;
  if (p < pixels) image[p] = suite_logf(image[p]) * 255.0f;
}
