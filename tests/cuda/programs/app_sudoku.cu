/* Sudoku: each block takes a board of a breadth-first list; threads keep sets of candidates as
 * bits. */
#include "common.h"
#include <cstring>

#define ROOM 64

struct Board {
  unsigned char cell[81];
};

__device__ bool allowed(const Board &b, int at, int v) {
  int r = at / 9, c = at % 9, box = r / 3 * 27 + c / 3 * 3;
  for (int k = 0; k < 9; k++)
    if (b.cell[r * 9 + k] == v || b.cell[k * 9 + c] == v || b.cell[box + k / 3 * 9 + k % 3] == v)
      return false;
  return true;
}

__global__ void narrow(Board *boards, int *dead, int *open_cell, unsigned short *open_set) {
  __shared__ Board b;
  __shared__ int best, contradiction;
  int t = threadIdx.x;
  if (t < 81) b.cell[t] = boards[blockIdx.x].cell[t];
  if (t == 0) contradiction = 0;
  bool again;
  unsigned set;
  do {
    if (t == 0) best = 0x7fffffff;
    __syncthreads();
    set = 0;
    bool open = t < 81 && b.cell[t] == 0;
    if (open) {
      for (int v = 1; v <= 9; v++)
        if (allowed(b, t, v)) set |= 1u << v;
      if (set == 0) contradiction = 1;
      atomicMin(&best, __popc(set) << 8 | t);
    }
    bool single = open && __popc(set) == 1;
    __syncthreads();
    /* one cell at a time, so that two of them cannot contradict each other unseen */
    again = __syncthreads_or(single) && !contradiction;
    if (again && single && best == (1 << 8 | t)) b.cell[t] = __ffs(set) - 1;
    __syncthreads();
  } while (again);
  if (t < 81) boards[blockIdx.x].cell[t] = b.cell[t];
  if (t == 0) {
    dead[blockIdx.x] = contradiction;
    open_cell[blockIdx.x] = best == 0x7fffffff ? -1 : best & 255;
  }
  if (t < 81 && best == (int)(__popc(set) << 8 | t) && b.cell[t] == 0) open_set[blockIdx.x] = set;
}

__global__ void branch(const Board *from, const int *offset, const int *open_cell,
                       const unsigned short *open_set, Board *to) {
  int b = blockIdx.x, v = threadIdx.y + 1;
  if (offset[b] < 0 || !(open_set[b] >> v & 1)) return;
  int at = offset[b] + __popc(open_set[b] & ((1u << v) - 1));
  for (int c = threadIdx.x; c < 81; c += blockDim.x)
    to[at].cell[c] = c == open_cell[b] ? v : from[b].cell[c];
}

int main() {
  const char *puzzles[] = {
      "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
      "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."};
  Board *d_boards[2];
  int *d_dead, *d_open, *d_offset;
  unsigned short *d_set;
  OK(cudaMalloc(&d_boards[0], ROOM * sizeof(Board)));
  OK(cudaMalloc(&d_boards[1], ROOM * sizeof(Board)));
  OK(cudaMalloc(&d_dead, ROOM * 4));
  OK(cudaMalloc(&d_open, ROOM * 4));
  OK(cudaMalloc(&d_offset, ROOM * 4));
  OK(cudaMalloc(&d_set, ROOM * 2));
  static int dead[ROOM], open_cell[ROOM], offset[ROOM];
  static unsigned short set[ROOM];
  for (int p = 0; p < 2; p++) {
    Board b;
    for (int c = 0; c < 81; c++)
      b.cell[c] = puzzles[p][c] == '.' ? 0 : puzzles[p][c] - '0';
    OK(cudaMemcpy(d_boards[0], &b, sizeof b, cudaMemcpyHostToDevice));
    int count = 1, from = 0, level = 0;
    bool solved = false;
    while (count && !solved && level < 9) {
      narrow<<<count, 96>>>(d_boards[from], d_dead, d_open, d_set);
      OK(cudaMemcpy(dead, d_dead, count * 4, cudaMemcpyDeviceToHost));
      OK(cudaMemcpy(open_cell, d_open, count * 4, cudaMemcpyDeviceToHost));
      OK(cudaMemcpy(set, d_set, count * 2, cudaMemcpyDeviceToHost));
      int next = 0;
      for (int i = 0; i < count; i++) {
        offset[i] = -1;
        if (dead[i]) continue;
        if (open_cell[i] < 0) {
          OK(cudaMemcpy(&b, d_boards[from] + i, sizeof b, cudaMemcpyDeviceToHost));
          solved = true;
          break;
        }
        if (next + 9 > ROOM) continue;
        offset[i] = next;
        next += __builtin_popcount(set[i]);
      }
      printf("puzzle %d level %d: %d boards\n", p, level++, count);
      if (solved) break;
      OK(cudaMemcpy(d_offset, offset, count * 4, cudaMemcpyHostToDevice));
      branch<<<count, dim3(32, 9)>>>(d_boards[from], d_offset, d_open, d_set, d_boards[!from]);
      from ^= 1;
      count = next;
    }
    if (solved)
      for (int r = 0; r < 9; r++) {
        for (int c = 0; c < 9; c++)
          putchar('0' + b.cell[r * 9 + c]);
        putchar(r % 3 == 2 ? '\n' : ' ');
      }
  }
}
