/* LU factorisation with partial pivoting, a launch for each step, then triangular solves. */
#include "common.h"

#define N 48

__global__ void choose_pivot(const double *a, int *pivot, int k) {
  int lane = threadIdx.x;
  double best = -1;
  int row = k;
  for (int r = k + lane; r < N; r += 32) {
    double v = fabs(a[r * N + k]);
    if (v > best) {
      best = v;
      row = r;
    }
  }
  for (int d = 16; d; d >>= 1) {
    double other = __shfl_down_sync(~0u, best, d);
    int other_row = __shfl_down_sync(~0u, row, d);
    if (other > best || (other == best && other_row < row)) {
      best = other;
      row = other_row;
    }
  }
  if (lane == 0) pivot[k] = row;
}

__global__ void swap_rows(double *a, double *b, const int *pivot, int k) {
  int c = threadIdx.x, p = pivot[k];
  if (p == k) return;
  if (c < N) {
    double t = a[k * N + c];
    a[k * N + c] = a[p * N + c];
    a[p * N + c] = t;
  } else if (c == N) {
    double t = b[k];
    b[k] = b[p];
    b[p] = t;
  }
}

__global__ void eliminate(double *a, int k) {
  int r = k + 1 + blockIdx.x;
  __shared__ double factor;
  if (threadIdx.x == 0) factor = a[r * N + k] / a[k * N + k];
  __syncthreads();
  int c = threadIdx.x;
  if (c == k)
    a[r * N + k] = factor;
  else if (c > k)
    a[r * N + c] -= factor * a[k * N + c];
}

__global__ void solve(const double *lu, double *b, double *x) {
  __shared__ double y[N];
  int i = threadIdx.x;
  y[i] = b[i];
  __syncthreads();
  for (int k = 0; k < N; k++) {
    if (i > k) y[i] -= lu[i * N + k] * y[k];
    __syncthreads();
  }
  for (int k = N - 1; k >= 0; k--) {
    if (i == k) y[k] /= lu[k * N + k];
    __syncthreads();
    if (i < k) y[i] -= lu[i * N + k] * y[k];
    __syncthreads();
  }
  x[i] = y[i];
}

int main() {
  static double a[N * N], lu[N * N], b[N], x[N];
  static int pivot[N];
  unsigned seed = 77;
  for (double &v : a)
    v = next_random(&seed) / 8388608.0 - 1.0;
  for (double &v : b)
    v = next_random(&seed) / 8388608.0 - 1.0;
  double *d_a, *d_b, *d_x;
  int *d_pivot;
  OK(cudaMalloc(&d_a, sizeof a));
  OK(cudaMalloc(&d_b, sizeof b));
  OK(cudaMalloc(&d_x, sizeof x));
  OK(cudaMalloc(&d_pivot, sizeof pivot));
  OK(cudaMemcpy(d_a, a, sizeof a, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_b, b, sizeof b, cudaMemcpyHostToDevice));
  for (int k = 0; k < N; k++) {
    choose_pivot<<<1, 32>>>(d_a, d_pivot, k);
    swap_rows<<<1, 64>>>(d_a, d_b, d_pivot, k);
    if (k + 1 < N) eliminate<<<N - 1 - k, N>>>(d_a, k);
  }
  solve<<<1, N>>>(d_a, d_b, d_x);
  OK(cudaMemcpy(lu, d_a, sizeof lu, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(x, d_x, sizeof x, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(pivot, d_pivot, sizeof pivot, cudaMemcpyDeviceToHost));
  double worst = 0;
  for (int i = 0; i < N; i++) {
    double r = -b[i];
    for (int j = 0; j < N; j++)
      r += a[i * N + j] * x[j];
    worst = r > worst ? r : -r > worst ? -r : worst;
  }
  printf("lu %08x x %08x pivots %08x residual %s\n", checksum(lu, sizeof lu), checksum(x, sizeof x),
         checksum(pivot, sizeof pivot), worst < 1e-10 ? "small" : "LARGE");
  for (int i = 0; i < 4; i++)
    printf("x[%d] = %a, u = %a, pivot %d\n", i, x[i], lu[i * N + i], pivot[i]);
}
