/* Sparse matrix times vector in ELL, COO (segmented sums in warps) and DIA. */
#include "common.h"
#include <vector>

__global__ void ell(const float *val, const int *col, const float *x, float *y, int rows,
                    int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int k = 0; k < width; k++) {
    int c = col[k * rows + r];
    if (c >= 0) sum += val[k * rows + r] * __ldg(&x[c]);
  }
  y[r] = sum;
}

/* Non-zeros in order of rows; sums that end in the middle of a warp are written by the lane where
 * the row ends. */
__global__ void coo(const int *row, const int *col, const float *val, const float *x, float *y,
                    int nnz) {
  int lane = threadIdx.x;
  float carry = 0;
  int carry_row = -1;
  for (int base = 0; base < nnz; base += 32) {
    int k = base + lane;
    int r = k < nnz ? row[k] : -2;
    float v = k < nnz ? val[k] * x[col[k]] : 0;
    if (lane == 0) {
      if (r == carry_row)
        v += carry;
      else if (carry_row >= 0)
        y[carry_row] = carry;
    }
    for (int d = 1; d < 32; d *= 2) {
      float other = __shfl_up_sync(~0u, v, d);
      int other_row = __shfl_up_sync(~0u, r, d);
      if (lane >= d && other_row == r) v = other + v;
    }
    int next = __shfl_down_sync(~0u, r, 1);
    if (lane < 31 && next != r && r >= 0) y[r] = v;
    carry = __shfl_sync(~0u, v, 31);
    carry_row = __shfl_sync(~0u, r, 31);
  }
  if (lane == 0 && carry_row >= 0) y[carry_row] = carry;
}

__global__ void dia(const double *diagonals, const int *offset, int count, const float *x,
                    double *y, int n) {
  int r = threadIdx.x + blockIdx.x * blockDim.x;
  if (r >= n) return;
  double s = 0;
  for (int d = 0; d < count; d++) {
    int c = r + offset[d];
    if ((unsigned)c < (unsigned)n) s += diagonals[d * n + r] * x[c];
  }
  y[r] = s;
}

template <class T> static T *upload(const std::vector<T> &v) {
  T *d;
  OK(cudaMalloc(&d, v.size() * sizeof(T)));
  OK(cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return d;
}

int main() {
  const int rows = 500, width = 9;
  std::vector<float> ell_val(rows * width), coo_val, x(rows), y(rows);
  std::vector<int> ell_col(rows * width, -1), coo_row, coo_col, offset = {-20, -1, 0, 3, 77};
  std::vector<double> diagonals(rows * offset.size()), z(rows);
  unsigned seed = 41;
  for (int r = 0; r < rows; r++) {
    x[r] = next_random(&seed) / 16777216.0f;
    int entries = 1 + next_random(&seed) % width;
    for (int k = 0; k < entries; k++) {
      int c = next_random(&seed) % rows;
      float v = next_random(&seed) / 8388608.0f - 1;
      ell_val[k * rows + r] = v;
      ell_col[k * rows + r] = c;
      coo_row.push_back(r);
      coo_col.push_back(c);
      coo_val.push_back(v);
    }
  }
  for (double &v : diagonals)
    v = next_random(&seed) / 3e6;
  float *d_x = upload(x), *d_y = upload(y);
  double *d_z = upload(z);
  ell<<<(rows + 127) / 128, 128>>>(upload(ell_val), upload(ell_col), d_x, d_y, rows, width);
  OK(cudaMemcpy(y.data(), d_y, rows * 4, cudaMemcpyDeviceToHost));
  printf("ell %08x %a %a\n", checksum(y.data(), rows * 4), y[0], y[rows - 1]);
  OK(cudaMemset(d_y, 0, rows * 4));
  coo<<<1, 32>>>(upload(coo_row), upload(coo_col), upload(coo_val), d_x, d_y, (int)coo_val.size());
  OK(cudaMemcpy(y.data(), d_y, rows * 4, cudaMemcpyDeviceToHost));
  printf("coo %08x %a %a\n", checksum(y.data(), rows * 4), y[0], y[rows - 1]);
  dia<<<(rows + 63) / 64, 64>>>(upload(diagonals), upload(offset), (int)offset.size(), d_x, d_z,
                                rows);
  OK(cudaMemcpy(z.data(), d_z, rows * 8, cudaMemcpyDeviceToHost));
  printf("dia %08x %a %a\n", checksum(z.data(), rows * 8), z[0], z[rows - 1]);
}
