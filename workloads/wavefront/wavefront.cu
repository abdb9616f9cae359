// Global alignment of two sequences by dynamic programming (Needleman-Wunsch) in tiles of 16x16,
// in the block shape of Rodinia's nw: 16 threads for a tile, and a launch for each anti-diagonal of
// tiles. A tile needs the row above it and the column beside it; `similarity` gives the gain of
// each pair. Inside a tile the threads go along its anti-diagonals, in shared memory.
//
// Each value is loaded once, a row of 16 in one line, the column as 16 lines of which one value is
// used: hardly anything is found in an L1 again, and few warps hide what a load takes.
//
// Loops are kept as loops: a compiler of the papers' time would have used some 20 registers here,
// where today's unrolls and uses up to 64.
#define TILE 16

// Tile (tx, ty) of score, which has n + 1 columns: row 0 and column 0 are the gaps at the borders.
static __device__ void align_tile(int *score, const int *similarity, int n, int penalty, int tx,
                                  int ty) {
  __shared__ int t[TILE + 1][TILE + 1];
  __shared__ int s[TILE][TILE];
  int x = threadIdx.x, w = n + 1;
  int *corner = score + ty * TILE * w + tx * TILE; // above and left of the tile
  const int *pairs = similarity + ty * TILE * n + tx * TILE;
  if (x == 0) t[0][0] = corner[0];
#pragma unroll 1
  for (int y = 0; y < TILE; y++)
    s[y][x] = pairs[y * n + x];
  t[x + 1][0] = corner[(x + 1) * w];
  t[0][x + 1] = corner[x + 1];
  __syncthreads();
#pragma unroll 1
  for (int d = 0; d < 2 * TILE - 1; d++) {
    int y = d - x;
    if (y >= 0 && y < TILE) {
      int best = t[y][x] + s[y][x];
      best = max(best, t[y + 1][x] - penalty);
      best = max(best, t[y][x + 1] - penalty);
      t[y + 1][x + 1] = best;
    }
    __syncthreads();
  }
#pragma unroll 1
  for (int y = 0; y < TILE; y++)
    corner[(y + 1) * w + x + 1] = t[y + 1][x + 1];
}

// Anti-diagonal `d` of tiles, from the corner to the longest.
extern "C" __global__ void wavefront_grow(int *score, const int *similarity, int n, int penalty,
                                          int d) {
  align_tile(score, similarity, n, penalty, blockIdx.x, d - blockIdx.x);
}

// And from there to the opposite corner.
extern "C" __global__ void wavefront_shrink(int *score, const int *similarity, int n, int penalty,
                                            int d) {
  int last = n / TILE - 1;
  align_tile(score, similarity, n, penalty, d - last + blockIdx.x, last - blockIdx.x);
}
