/* All shortest paths, blocked Floyd-Warshall in three phases, with the way of the longest. */
#include "common.h"

#define N   96
#define B   16
#define FAR 0x3fffffff

template <int PHASE> __global__ void relax(int *dist, short *via, int round) {
  __shared__ int row[B][B], col[B][B];
  int x = threadIdx.x, y = threadIdx.y, bi, bj;
  if (PHASE == 1)
    bi = bj = round;
  else if (PHASE == 2) {
    int other = blockIdx.x + (blockIdx.x >= round);
    bi = blockIdx.y ? other : round;
    bj = blockIdx.y ? round : other;
  } else {
    bi = blockIdx.y + (blockIdx.y >= round);
    bj = blockIdx.x + (blockIdx.x >= round);
  }
  int at = (bi * B + y) * N + bj * B + x;
  int d = dist[at], v = via[at];
  if (PHASE == 3) {
    col[y][x] = dist[(bi * B + y) * N + round * B + x];
    row[y][x] = dist[(round * B + y) * N + bj * B + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < B; k++)
      if (col[y][k] + row[k][x] < d) {
        d = col[y][k] + row[k][x];
        v = round * B + k;
      }
  } else {
    /* row: the block above or itself; col: the block at the left or itself */
    col[y][x] = dist[(bi * B + y) * N + round * B + x];
    row[y][x] = dist[(round * B + y) * N + bj * B + x];
    __syncthreads();
    for (int k = 0; k < B; k++) {
      int sum = col[y][k] + row[k][x];
      __syncthreads();
      if (sum < d) {
        d = sum;
        v = round * B + k;
        if (bj == round) col[y][x] = d;
        if (bi == round) row[y][x] = d;
      }
      __syncthreads();
    }
  }
  dist[at] = d;
  via[at] = v;
}

static short via[N][N];
static void way(int i, int j) {
  if (via[i][j] < 0) {
    printf(" %d", j);
    return;
  }
  way(i, via[i][j]);
  way(via[i][j], j);
}

int main() {
  static int dist[N][N], want[N][N];
  unsigned seed = 19;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      dist[i][j] = i == j ? 0 : next_random(&seed) % 25 == 0 ? 1 + next_random(&seed) % 100 : FAR;
      want[i][j] = dist[i][j];
      via[i][j] = -1;
    }
  int *d_dist;
  short *d_via;
  OK(cudaMalloc(&d_dist, sizeof dist));
  OK(cudaMalloc(&d_via, sizeof via));
  OK(cudaMemcpy(d_dist, dist, sizeof dist, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_via, via, sizeof via, cudaMemcpyHostToDevice));
  const int blocks = N / B;
  for (int round = 0; round < blocks; round++) {
    relax<1><<<1, dim3(B, B)>>>(d_dist, d_via, round);
    relax<2><<<dim3(blocks - 1, 2), dim3(B, B)>>>(d_dist, d_via, round);
    relax<3><<<dim3(blocks - 1, blocks - 1), dim3(B, B)>>>(d_dist, d_via, round);
  }
  OK(cudaMemcpy(dist, d_dist, sizeof dist, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(via, d_via, sizeof via, cudaMemcpyDeviceToHost));
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        if (want[i][k] + want[k][j] < want[i][j]) want[i][j] = want[i][k] + want[k][j];
  int wrong = 0, fi = 0, fj = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      wrong += dist[i][j] != want[i][j];
      if (dist[i][j] < FAR && dist[i][j] > dist[fi][fj]) fi = i, fj = j;
    }
  printf("%08x, %d wrong; longest %d:", checksum(dist, sizeof dist), wrong, dist[fi][fj]);
  printf(" %d", fi);
  way(fi, fj);
  printf("\n");
}
