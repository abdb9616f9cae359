/* Merge sort: each thread finds its part of the output on the merge path. */
#include "common.h"
#include <algorithm>

template <int PER_THREAD> __global__ void merge_pass(const int *in, int *out, int n, int width) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * PER_THREAD;
  if (first >= n) return;
  int pair = first / (2 * width) * (2 * width);
  const int *a = in + pair, *b = in + min(pair + width, n);
  int na = min(width, n - pair), nb = max(0, min(width, n - pair - width));
  int diagonal = first - pair;
  int low = max(0, diagonal - nb), high = min(diagonal, na);
  while (low < high) {
    int mid = (low + high) >> 1;
    if (a[mid] <= b[diagonal - 1 - mid])
      low = mid + 1;
    else
      high = mid;
  }
  int i = low, j = diagonal - low;
#pragma unroll
  for (int k = 0; k < PER_THREAD; k++) {
    if (first + k >= n) break;
    bool take_a = j >= nb || (i < na && a[i] <= b[j]);
    out[first + k] = take_a ? a[i++] : b[j++];
  }
}

int main() {
  const int n = 3000;
  static int data[n], want[n], got[n];
  unsigned seed = 8;
  for (int i = 0; i < n; i++)
    want[i] = data[i] = (int)(next_random(&seed) % 2000) - 1000;
  std::sort(want, want + n);
  int *d[2];
  for (int **p : {&d[0], &d[1]})
    OK(cudaMalloc(p, sizeof data));
  OK(cudaMemcpy(d[0], data, sizeof data, cudaMemcpyHostToDevice));
  int from = 0, passes = 0;
  for (int width = 1; width < n; width *= 2, from ^= 1, passes++) {
    if (width < 4)
      merge_pass<1><<<(n + 191) / 192, 192>>>(d[from], d[!from], n, width);
    else
      merge_pass<4><<<(n / 4 + 64) / 64, 64>>>(d[from], d[!from], n, width);
    OK(cudaGetLastError());
  }
  OK(cudaMemcpy(got, d[from], sizeof got, cudaMemcpyDeviceToHost));
  printf("%d passes: %08x, %s\n", passes, checksum(got, sizeof got),
         std::equal(got, got + n, want) ? "sorted" : "WRONG");
}
