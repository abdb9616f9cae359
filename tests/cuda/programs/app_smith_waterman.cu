/* Smith-Waterman with affine gaps: a warp walks along antidiagonals, neighbours by shuffle,
 * DPX-like maxima. */
#include "common.h"

#define PAIRS 12
#define QUERY 32
#define LONG  90

__constant__ signed char score[4][4] = {
    {5, -4, -3, -4}, {-4, 5, -4, -3}, {-3, -4, 5, -4}, {-4, -3, -4, 5}};

__global__ void align(const unsigned char *query, const unsigned char *subject, int3 *best) {
  int lane = threadIdx.x & 31, pair = blockIdx.x * 2 + threadIdx.x / 32;
  int q = query[pair * QUERY + lane];
  int h = 0, e = -1000, f = -1000, diagonal = 0, top = 0, top_at = 0;
  for (int step = 0; step < LONG + QUERY - 1; step++) {
    int h_up = __shfl_up_sync(0xffffffff, h, 1), e_up = __shfl_up_sync(0xffffffff, e, 1);
    if (lane == 0) {
      h_up = 0;
      e_up = -1000;
    }
    int j = step - lane;
    if (j >= 0 && j < LONG) {
      int s = score[q][subject[pair * LONG + j]];
      e = max(h_up - 7, e_up - 1);
      f = max(h - 7, f - 1);
      h = max(max(diagonal + s, 0), max(e, f));
      if (h > top) {
        top = h;
        top_at = j;
      }
    }
    diagonal = h_up;
  }
  int key = top << 16 | (255 - lane) << 8 | (255 - top_at);
  for (int d = 16; d; d /= 2)
    key = max(key, __shfl_xor_sync(0xffffffff, key, d));
  if (lane == 0) best[pair] = make_int3(key >> 16, 255 - (key >> 8 & 255), 255 - (key & 255));
}

int main() {
  static unsigned char query[PAIRS * QUERY], subject[PAIRS * LONG];
  int3 best[PAIRS];
  unsigned seed = 71;
  for (auto &c : query)
    c = next_random(&seed) % 4;
  for (auto &c : subject)
    c = next_random(&seed) % 4;
  for (int p = 0; p < PAIRS; p += 2)
    for (int i = 3, j = 20 + p; i < 27; i++, j += i % 9 ? 1 : 2)
      subject[p * LONG + j] = query[p * QUERY + i] ^ (i % 11 == 0);
  unsigned char *d_query, *d_subject;
  int3 *d_best;
  OK(cudaMalloc(&d_query, sizeof query));
  OK(cudaMalloc(&d_subject, sizeof subject));
  OK(cudaMalloc(&d_best, sizeof best));
  OK(cudaMemcpy(d_query, query, sizeof query, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_subject, subject, sizeof subject, cudaMemcpyHostToDevice));
  align<<<PAIRS / 2, 64>>>(d_query, d_subject, d_best);
  OK(cudaMemcpy(best, d_best, sizeof best, cudaMemcpyDeviceToHost));
  for (int p = 0; p < PAIRS; p++)
    printf("pair %d: score %d, ends at %d and %d\n", p, best[p].x, best[p].y, best[p].z);
}
