// LU decomposition in place (Doolittle, no pivoting) in tiles of 16x16, with the kernels of
// Rodinia's lud. A step along the diagonal has three launches: one block of 16 threads decomposes
// the tile on the diagonal; blocks of 32 threads do a tile right of it (the first 16 threads) and a
// tile below it (the others); blocks of 16x16 threads subtract from each tile that is left the
// product of the two beside it.
//
// Tiles go through shared memory and are read once by a block, 64 bytes of a line at a time;
// neighbouring blocks share the tiles at the edge of the step. n is a multiple of 16.
#include "../suite.h"

#define TILE 16

extern "C" __global__ void lud_diagonal(float *m, int n, int from) {
  __shared__ float t[TILE][TILE];
  int x = threadIdx.x;
  int at = from * n + from;
  LOOP for (int y = 0; y < TILE; y++) {
    t[y][x] = m[at + x];
    at += n;
  }
  __syncthreads();
  LOOP for (int i = 0; i < TILE - 1; i++) {
    if (x > i) { // column i of L, below the diagonal
      LOOP for (int k = 0; k < i; k++) t[x][i] = fmaf(-t[x][k], t[k][i], t[x][i]);
      t[x][i] = __fdiv_rn(t[x][i], t[i][i]);
    }
    __syncthreads();
    if (x > i) { // row i + 1 of U
      LOOP for (int k = 0; k <= i; k++) t[i + 1][x] = fmaf(-t[i + 1][k], t[k][x], t[i + 1][x]);
    }
    __syncthreads();
  }
  at = (from + 1) * n + from; // the first row stays as it was
  LOOP for (int y = 1; y < TILE; y++) {
    m[at + x] = t[y][x];
    at += n;
  }
}

extern "C" __global__ void lud_perimeter(float *m, int n, int from) {
  __shared__ float diagonal[TILE][TILE], right[TILE][TILE], below[TILE][TILE];
  int away = (blockIdx.x + 1) * TILE;
  int x, at;
  if (threadIdx.x < TILE) {
    x = threadIdx.x;
    at = from * n + from;
    LOOP for (int y = 0; y < TILE / 2; y++) {
      diagonal[y][x] = m[at + x];
      at += n;
    }
    at = from * n + from;
    LOOP for (int y = 0; y < TILE; y++) {
      right[y][x] = m[at + away + x];
      at += n;
    }
  } else {
    x = threadIdx.x - TILE;
    at = (from + TILE / 2) * n + from;
    LOOP for (int y = TILE / 2; y < TILE; y++) {
      diagonal[y][x] = m[at + x];
      at += n;
    }
    at = (from + away) * n + from;
    LOOP for (int y = 0; y < TILE; y++) {
      below[y][x] = m[at + x];
      at += n;
    }
  }
  __syncthreads();
  if (threadIdx.x < TILE) { // a column of U each
    LOOP for (int i = 1; i < TILE; i++) {
      LOOP for (int k = 0; k < i; k++) right[i][x] = fmaf(-diagonal[i][k], right[k][x], right[i][x]);
    }
  } else { // a row of L each
    LOOP for (int i = 0; i < TILE; i++) {
      LOOP for (int k = 0; k < i; k++) below[x][i] = fmaf(-below[x][k], diagonal[k][i], below[x][i]);
      below[x][i] = __fdiv_rn(below[x][i], diagonal[i][i]);
    }
  }
  __syncthreads();
  if (threadIdx.x < TILE) { // the first row of U is right already
    at = (from + 1) * n + from;
    LOOP for (int y = 1; y < TILE; y++) {
      m[at + away + x] = right[y][x];
      at += n;
    }
  } else {
    at = (from + away) * n + from;
    LOOP for (int y = 0; y < TILE; y++) {
      m[at + x] = below[y][x];
      at += n;
    }
  }
}

extern "C" __global__ void lud_internal(float *m, int n, int from) {
  __shared__ float above[TILE][TILE], left[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int row = from + (blockIdx.y + 1) * TILE + y, column = from + (blockIdx.x + 1) * TILE + x;
  above[y][x] = m[(from + y) * n + column];
  left[y][x] = m[row * n + from + x];
  __syncthreads();
  float sum = 0.0f;
  LOOP for (int k = 0; k < TILE; k++) sum = fmaf(left[y][k], above[k][x], sum);
  m[row * n + column] -= sum;
}
