// Global alignment of two sequences (Needleman-Wunsch) as in rodinia-nw, with its tiles, blocks and
// launches, but without shared memory: the threads of a block hand values on to one another through
// the matrix in global memory. Results are those of rodinia-nw.
//
// A step along an anti-diagonal of a tile has four loads and a store, in up to 16 lines each. The
// lines of a tile, some 40, are wanted again in the next step: a cache that holds them for as long
// as the block runs does what shared memory would.
#include "../suite.h"

#define TILE 16

// The element at `i` from its three neighbours.
static __device__ void step(int *gain, int *score, int i, int width, int penalty) {
  int b = score[i - width - 1] + gain[i];
  b = max(b, score[i - 1] - penalty);
  score[i] = max(b, score[i - width] - penalty);
}

// The tile whose upper left element is `first`.
static __device__ void tile(int *gain, int *score, int first, int width, int penalty) {
  int t = threadIdx.x;
  LOOP for (int d = 0; d < TILE; d++) {
    if (t <= d) step(gain, score, first + (d - t) * width + t, width, penalty);
    __syncthreads();
  }
  LOOP for (int d = TILE - 2; d >= 0; d--) {
    if (t <= d)
      step(gain, score, first + (TILE - 1 - t) * width + t + TILE - 1 - d, width, penalty);
    __syncthreads();
  }
}

// Anti-diagonals 1, 2, ... of tiles, up to the longest; `width` elements in a row.
extern "C" __global__ void nw_global_upper(int *gain, int *score, int width, int penalty,
                                           int diagonal) {
  int first = ((diagonal - 1 - blockIdx.x) * TILE + 1) * width + blockIdx.x * TILE + 1;
  tile(gain, score, first, width, penalty);
}

// And from there to the opposite corner: `tiles` of the `side` that a row has are left.
extern "C" __global__ void nw_global_lower(int *gain, int *score, int width, int penalty, int tiles,
                                           int side) {
  int first =
      ((side - 1 - blockIdx.x) * TILE + 1) * width + (side - tiles + blockIdx.x) * TILE + 1;
  tile(gain, score, first, width, penalty);
}
