// Temperature of a chip's cells over time, from their power and what flows between neighbours. A
// block of 16x16 threads loads a tile with its margin and does several steps in shared memory, of
// which ever fewer cells are valid: a margin of one cell is lost with each step.
//
// Two loads a thread, in rows of 64 bytes that begin anywhere; tiles of neighbouring blocks
// overlap, so that some lines are loaded by four blocks. Most arithmetic is in doubles, as in
// the original.
#include "../suite.h"

#define TILE 16

extern "C" __global__ void hotspot(int steps, float *power, float *from, float *to, int columns,
                                   int rows, int margin_columns, int margin_rows, float capacity,
                                   float rx, float ry, float rz, float time) {
  __shared__ float heat[TILE][TILE];
  __shared__ float source[TILE][TILE];
  __shared__ float next[TILE][TILE];
  const float ambient = 80.0f;
  float rate = time / capacity;
  float gx = 1.0f / rx, gy = 1.0f / ry, gz = 1.0f / rz;
  int x = threadIdx.x, y = threadIdx.y;

  int inside = TILE - 2 * steps; // cells of a tile's side that are valid in the end
  int top = inside * (int)blockIdx.y - margin_rows;
  int left = inside * (int)blockIdx.x - margin_columns;
  int row = top + y, column = left + x, at = columns * row + column;
  if (row >= 0 && row <= rows - 1 && column >= 0 && column <= columns - 1) {
    heat[y][x] = from[at];
    source[y][x] = power[at];
  }
  __syncthreads();

  int y_first = top < 0 ? -top : 0, x_first = left < 0 ? -left : 0; // cells of the tile on the chip
  int y_last = top + TILE - 1 > rows - 1 ? rows - 1 - top : TILE - 1;
  int x_last = left + TILE - 1 > columns - 1 ? columns - 1 - left : TILE - 1;
  int north = y - 1 < y_first ? y_first : y - 1, south = y + 1 > y_last ? y_last : y + 1;
  int west = x - 1 < x_first ? x_first : x - 1, east = x + 1 > x_last ? x_last : x + 1;

  bool mine = false;
  LOOP for (int s = 0; s < steps; s++) {
    mine = x >= s + 1 && x <= TILE - s - 2 && y >= s + 1 && y <= TILE - s - 2 && x >= x_first &&
           x <= x_last && y >= y_first && y <= y_last;
    if (mine) {
      double here = heat[y][x];
      double vertical = fma(-2.0, here, (double)(heat[south][x] + heat[north][x]));
      double horizontal = fma(-2.0, here, (double)(heat[y][east] + heat[y][west]));
      double gain = fma(vertical, (double)gy, (double)source[y][x]);
      gain = fma(horizontal, (double)gx, gain) + (double)((ambient - heat[y][x]) * gz);
      next[y][x] = (float)fma((double)rate, gain, here);
    }
    __syncthreads();
    if (s == steps - 1) break;
    if (mine) heat[y][x] = next[y][x];
    __syncthreads();
  }
  if (mine) to[at] = next[y][x];
}
