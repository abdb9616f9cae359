// Global alignment of two sequences by dynamic programming (Needleman-Wunsch) in tiles of 16x16, as
// Rodinia's nw does it: 16 threads for a tile and a launch for each anti-diagonal of tiles, with one
// kernel for the upper left half of the matrix and another for the lower right one. A tile needs the
// row above it and the column beside it, and `gain`, what each pair of letters is worth. Inside a
// tile the threads go along its anti-diagonals, in shared memory.
//
// Each value of a tile is loaded once: rows of 16 values that begin anywhere in a line, since a row
// of the matrix has one element more than a multiple of 16, and a column as 16 lines of which one
// value is used. Hardly anything is found in an L1 again, and blocks of half a warp hide little.
//
// The loops over the rows of a tile are unrolled: the original does not ask for it, but it gives the
// loads that one of the papers counts.
#include "../suite.h"

#define TILE 16

// One value of the tile from its three neighbours.
static __device__ int best(int corner, int left, int above, int gain, int penalty) {
  int b = corner + gain;
  b = max(b, left - penalty);
  return max(b, above - penalty);
}

// From the shared tile's upper left half to its lower right one; value[0][] and value[][0] are
// there already.
static __device__ void fill(int value[TILE + 1][TILE + 1], int pair[TILE][TILE], int penalty) {
  int t = threadIdx.x;
  LOOP for (int d = 0; d < TILE; d++) {
    if (t <= d) {
      int x = t + 1, y = d - t + 1;
      value[y][x] =
          best(value[y - 1][x - 1], value[y][x - 1], value[y - 1][x], pair[y - 1][x - 1], penalty);
    }
    __syncthreads();
  }
  LOOP for (int d = TILE - 2; d >= 0; d--) {
    if (t <= d) {
      int x = t + TILE - d, y = TILE - t;
      value[y][x] =
          best(value[y - 1][x - 1], value[y][x - 1], value[y - 1][x], pair[y - 1][x - 1], penalty);
    }
    __syncthreads();
  }
}

// Anti-diagonals 1, 2, ... of tiles, up to the longest; `width` elements in a row.
extern "C" __global__ void nw_upper(int *gain, int *score, int width, int penalty, int diagonal) {
  __shared__ int value[TILE + 1][TILE + 1];
  __shared__ int pair[TILE][TILE];
  int t = threadIdx.x;
  int corner = (diagonal - 1 - blockIdx.x) * TILE * width + blockIdx.x * TILE;
  int inside = corner + width + 1 + t;
  if (t == 0) value[0][0] = score[corner];
#pragma unroll
  for (int y = 0; y < TILE; y++)
    pair[y][t] = gain[inside + y * width];
  __syncthreads();
  value[t + 1][0] = score[corner + (t + 1) * width];
  __syncthreads();
  value[0][t + 1] = score[corner + 1 + t];
  __syncthreads();
  fill(value, pair, penalty);
#pragma unroll
  for (int y = 0; y < TILE; y++)
    score[inside + y * width] = value[y + 1][t + 1];
}

// And from there to the opposite corner: `tiles` of the `side` that a row has are left.
extern "C" __global__ void nw_lower(int *gain, int *score, int width, int penalty, int tiles,
                                    int side) {
  __shared__ int value[TILE + 1][TILE + 1];
  __shared__ int pair[TILE][TILE];
  int t = threadIdx.x;
  int corner = (side - 1 - blockIdx.x) * TILE * width + (side - tiles + blockIdx.x) * TILE;
  int inside = corner + width + 1 + t;
#pragma unroll
  for (int y = 0; y < TILE; y++)
    pair[y][t] = gain[inside + y * width];
  __syncthreads();
  if (t == 0) value[0][0] = score[corner];
  value[t + 1][0] = score[corner + (t + 1) * width];
  __syncthreads();
  value[0][t + 1] = score[corner + 1 + t];
  __syncthreads();
  fill(value, pair, penalty);
#pragma unroll
  for (int y = 0; y < TILE; y++)
    score[inside + y * width] = value[y + 1][t + 1];
}
