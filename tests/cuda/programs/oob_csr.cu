/* A sparse product whose row pointers lack their last element: the last row ends where the first word past
 * the end says, which is 0 in memory that nothing has used. */
#include "common.h"

__global__ void rows(const int *start, const int *col, const int *val, const int *x, int *y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  int s = 0;
  for (int k = start[r]; k < start[r + 1]; k++)
    s += val[k] * x[col[k]];
  y[r] = s;
}

int main() {
  const int n = 100, per_row = 3;
  int start[n], col[n * per_row], val[n * per_row], x[n], y[n];
  int *d_start, *d_col, *d_val, *d_x, *d_y;
  for (int i = 0; i < n; i++) {
    start[i] = i * per_row;
    x[i] = i + 1;
  }
  for (int k = 0; k < n * per_row; k++) {
    col[k] = k * 7 % n;
    val[k] = k % 5 - 1;
  }
  OK(cudaMalloc(&d_start, sizeof start));
  OK(cudaMalloc(&d_col, sizeof col));
  OK(cudaMalloc(&d_val, sizeof val));
  OK(cudaMalloc(&d_x, sizeof x));
  OK(cudaMalloc(&d_y, sizeof y));
  OK(cudaMemcpy(d_start, start, sizeof start, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_col, col, sizeof col, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_val, val, sizeof val, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));
  rows<<<1, 128>>>(d_start, d_col, d_val, d_x, d_y, n);
  SHOW(cudaDeviceSynchronize());
  OK(cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost));
  printf("all but the last %08x, the last %d\n", checksum(y, (n - 1) * sizeof *y), y[n - 1]);
  return 0;
}
