// The cheapest way through a grid from its first row to the last, where a step leads to one of the
// three nearest elements of the next row (Rodinia's pathfinder). A launch does `steps` rows: a block
// of 256 threads keeps the costs of 256 columns in shared memory, of which one at each end becomes
// wrong with each row, so that neighbouring blocks overlap.
//
// The grid of weights streams through, a coalesced row for each step; only the overlapping ends are
// read by two blocks.
//
// The first row is done ahead of the loop over the others, where the original has one loop that it
// leaves in the middle: accesses and their order are the same, and there are as many static loads as
// one of the papers counts.
#include "../suite.h"

#define BLOCK 256

// One row for this thread; true if the thread's column is still right after it.
static __device__ __forceinline__ bool advance(int *wall, int cost, int step, bool inside, int west,
                                               int east, int *before, int *after) {
  int x = threadIdx.x;
  if (x <= step || x > BLOCK - 2 - step || !inside) return false;
  int least = min(min(before[west], before[x]), before[east]);
  after[x] = least + wall[cost];
  return true;
}

extern "C" __global__ void pathfinder_rows(int steps, int *wall, int *from, int *to, int columns,
                                           int row, int border) {
  __shared__ int before[BLOCK];
  __shared__ int after[BLOCK];
  int x = threadIdx.x;
  int first = (BLOCK - 2 * steps) * blockIdx.x - border; // column of thread 0
  int column = first + x;
  int lowest = max(-first, 0), highest = min(BLOCK - 1, columns - 1 - first);
  int west = max(x - 1, lowest), east = min(x + 1, highest);
  bool inside = x >= lowest && x <= highest;
  if (column >= 0 && column < columns) before[x] = from[column];
  __syncthreads();
  bool right = advance(wall, row * columns + column, 0, inside, west, east, before, after);
  __syncthreads();
  LOOP for (int i = 1; i < steps; i++) {
    if (right) before[x] = after[x];
    __syncthreads();
    right = advance(wall, (row + i) * columns + column, i, inside, west, east, before, after);
    __syncthreads();
  }
  if (right) to[column] = after[x];
}
