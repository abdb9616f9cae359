/* Conjugate gradients on a CSR matrix (a 5-point Laplacian with a ragged diagonal), captured as a
 * graph. */
#include "common.h"
#include <vector>

__global__ void multiply(const int *start, const int *col, const double *val, const double *x,
                         double *y, int n) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 4, sub = threadIdx.x % 4;
  double sum = 0;
  if (row < n)
    for (int k = start[row] + sub; k < start[row + 1]; k += 4)
      sum += val[k] * x[col[k]];
  sum += __shfl_down_sync(~0u, sum, 2, 4);
  sum += __shfl_down_sync(~0u, sum, 1, 4);
  if (row < n && sub == 0) y[row] = sum;
}

__global__ void dot(const double *a, const double *b, double *result, int n) {
  __shared__ double warp[8];
  double s = 0;
  for (int i = threadIdx.x; i < n; i += 256)
    s += a[i] * b[i];
  for (int d = 16; d; d /= 2)
    s += __shfl_down_sync(~0u, s, d);
  if (threadIdx.x % 32 == 0) warp[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; w++)
      s += warp[w];
    *result = s;
  }
}

__global__ void step_x_r(double *x, double *r, const double *p, const double *q,
                         const double *scalar, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double alpha = scalar[0] / scalar[1];
  x[i] += alpha * p[i];
  r[i] -= alpha * q[i];
}

__global__ void step_p(double *p, const double *r, const double *scalar, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = r[i] + scalar[2] / scalar[0] * p[i];
}

int main() {
  const int side = 20, n = side * side;
  std::vector<int> start(1, 0), col;
  std::vector<double> val, b(n), x(n);
  unsigned seed = 9;
  for (int i = 0; i < n; i++) {
    int u = i % side, v = i / side;
    auto add = [&](int j, double w) {
      col.push_back(j);
      val.push_back(w);
    };
    if (v > 0) add(i - side, -1);
    if (u > 0) add(i - 1, -1);
    add(i, 4 + next_random(&seed) % 100 / 300.0);
    if (u + 1 < side) add(i + 1, -1);
    if (v + 1 < side) add(i + side, -1);
    start.push_back((int)col.size());
    b[i] = next_random(&seed) % 1000 / 999.0;
  }
  int *d_start, *d_col;
  double *d_val, *d_x, *d_r, *d_p, *d_q, *d_s;
  OK(cudaMalloc(&d_start, start.size() * 4));
  OK(cudaMalloc(&d_col, col.size() * 4));
  OK(cudaMalloc(&d_val, val.size() * 8));
  OK(cudaMalloc(&d_x, n * 8));
  OK(cudaMalloc(&d_r, n * 8));
  OK(cudaMalloc(&d_p, n * 8));
  OK(cudaMalloc(&d_q, n * 8));
  OK(cudaMalloc(&d_s, 3 * 8));
  OK(cudaMemcpy(d_start, start.data(), start.size() * 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_col, col.data(), col.size() * 4, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_val, val.data(), val.size() * 8, cudaMemcpyHostToDevice));
  OK(cudaMemset(d_x, 0, n * 8));
  OK(cudaMemcpy(d_r, b.data(), n * 8, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_p, d_r, n * 8, cudaMemcpyDeviceToDevice));
  dot<<<1, 256>>>(d_r, d_r, d_s, n);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  OK(cudaStreamCreate(&stream));
  OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  multiply<<<(n * 4 + 127) / 128, 128, 0, stream>>>(d_start, d_col, d_val, d_p, d_q, n);
  dot<<<1, 256, 0, stream>>>(d_p, d_q, d_s + 1, n);
  step_x_r<<<(n + 127) / 128, 128, 0, stream>>>(d_x, d_r, d_p, d_q, d_s, n);
  dot<<<1, 256, 0, stream>>>(d_r, d_r, d_s + 2, n);
  step_p<<<(n + 127) / 128, 128, 0, stream>>>(d_p, d_r, d_s, n);
  OK(cudaMemcpyAsync(d_s, d_s + 2, 8, cudaMemcpyDeviceToDevice, stream));
  OK(cudaStreamEndCapture(stream, &graph));
  OK(cudaGraphInstantiate(&exec, graph, 0));
  for (int k = 0; k < 40; k++) {
    OK(cudaGraphLaunch(exec, stream));
    if (k % 8 == 7) {
      double rr;
      OK(cudaMemcpyAsync(&rr, d_s, 8, cudaMemcpyDeviceToHost, stream));
      OK(cudaStreamSynchronize(stream));
      printf("after %d: r.r = %a\n", k + 1, rr);
    }
  }
  OK(cudaMemcpy(x.data(), d_x, n * 8, cudaMemcpyDeviceToHost));
  printf("x %08x: %a %a %a\n", checksum(x.data(), n * 8), x[0], x[n / 2], x[n - 1]);
}
