// LU decomposition in place (Doolittle, no pivoting) in blocks of 16x16, in the block shapes of
// Rodinia's lud: for each step one block of 16 threads decomposes the tile on the diagonal, blocks
// of 32 threads do the tiles right of it (16 threads) and below it (the other 16), and blocks of
// 16x16 threads subtract from each tile that is left the product of the two beside it.
//
// The tiles of a step go through shared memory and are read once each by a block, 64 bytes of a
// line; neighbouring blocks share the tiles at the edge of the step. n is a multiple of 16.
//
// Loops are kept as loops: a compiler of the papers' time would have used some 20 registers here,
// where today's unrolls and uses up to 64.
#define TILE 16

extern "C" __global__ void lud_diagonal(float *m, int n, int step) {
  __shared__ float t[TILE][TILE];
  int x = threadIdx.x;
  float *tile = m + step * TILE * n + step * TILE;
#pragma unroll 1
  for (int y = 0; y < TILE; y++)
    t[y][x] = tile[y * n + x];
  __syncthreads();
#pragma unroll 1
  for (int i = 0; i < TILE - 1; i++) {
    if (x > i) { // column i of L, below the diagonal
      float sum = t[x][i];
#pragma unroll 1
      for (int k = 0; k < i; k++)
        sum = fmaf(-t[x][k], t[k][i], sum);
      t[x][i] = __fdiv_rn(sum, t[i][i]);
    }
    __syncthreads();
    if (x > i) { // row i + 1 of U
      float sum = t[i + 1][x];
#pragma unroll 1
      for (int k = 0; k <= i; k++)
        sum = fmaf(-t[i + 1][k], t[k][x], sum);
      t[i + 1][x] = sum;
    }
    __syncthreads();
  }
#pragma unroll 1
  for (int y = 1; y < TILE; y++)
    tile[y * n + x] = t[y][x];
}

extern "C" __global__ void lud_perimeter(float *m, int n, int step) {
  __shared__ float diagonal[TILE][TILE], right[TILE][TILE], below[TILE][TILE];
  int x = threadIdx.x % TILE;
  bool is_right = threadIdx.x < TILE;
  float *corner = m + step * TILE * n + step * TILE;
  float *row = corner + (blockIdx.x + 1) * TILE, *column = corner + (blockIdx.x + 1) * TILE * n;
  int from = is_right ? 0 : TILE / 2; // each half loads eight rows of the diagonal tile
#pragma unroll 1
  for (int y = from; y < from + TILE / 2; y++)
    diagonal[y][x] = corner[y * n + x];
#pragma unroll 1
  for (int y = 0; y < TILE; y++)
    if (is_right)
      right[y][x] = row[y * n + x];
    else
      below[y][x] = column[y * n + x];
  __syncthreads();
  if (is_right) { // a column of U each
#pragma unroll 1
    for (int i = 1; i < TILE; i++) {
      float sum = right[i][x];
#pragma unroll 1
      for (int k = 0; k < i; k++)
        sum = fmaf(-diagonal[i][k], right[k][x], sum);
      right[i][x] = sum;
    }
  } else { // a row of L each
#pragma unroll 1
    for (int i = 0; i < TILE; i++) {
      float sum = below[x][i];
#pragma unroll 1
      for (int k = 0; k < i; k++)
        sum = fmaf(-below[x][k], diagonal[k][i], sum);
      below[x][i] = __fdiv_rn(sum, diagonal[i][i]);
    }
  }
  __syncthreads();
#pragma unroll 1
  for (int y = 0; y < TILE; y++)
    if (is_right)
      row[y * n + x] = right[y][x];
    else
      column[y * n + x] = below[y][x];
}

extern "C" __global__ void lud_internal(float *m, int n, int step) {
  __shared__ float left[TILE][TILE], above[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int column = (step + 1 + blockIdx.x) * TILE + x, row = (step + 1 + blockIdx.y) * TILE + y;
  left[y][x] = m[row * n + step * TILE + x];
  above[y][x] = m[(step * TILE + y) * n + column];
  __syncthreads();
  float sum = m[row * n + column];
#pragma unroll 1
  for (int k = 0; k < TILE; k++)
    sum = fmaf(-left[y][k], above[k][x], sum);
  m[row * n + column] = sum;
}
