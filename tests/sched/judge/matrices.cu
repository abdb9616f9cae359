// make_ptx: compute_90
// Small and odd matrices.

extern "C" __global__ void inverse3(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float m[9], r[9];
  for (int k = 0; k < 9; k++)
    m[k] = in[i * 9 + k];
  r[0] = m[4] * m[8] - m[5] * m[7];
  r[1] = m[2] * m[7] - m[1] * m[8];
  r[2] = m[1] * m[5] - m[2] * m[4];
  r[3] = m[5] * m[6] - m[3] * m[8];
  r[4] = m[0] * m[8] - m[2] * m[6];
  r[5] = m[2] * m[3] - m[0] * m[5];
  r[6] = m[3] * m[7] - m[4] * m[6];
  r[7] = m[1] * m[6] - m[0] * m[7];
  r[8] = m[0] * m[4] - m[1] * m[3];
  float s = 1.0f / (m[0] * r[0] + m[1] * r[3] + m[2] * r[6]);
  for (int k = 0; k < 9; k++)
    out[i * 9 + k] = r[k] * s;
}

// A factor L of each symmetric matrix of four rows.
extern "C" __global__ void cholesky4(const double *in, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double l[4][4];
  for (int r = 0; r < 4; r++)
    for (int c = 0; c <= r; c++) {
      double s = in[(r * 4 + c) * n + i];
      for (int k = 0; k < c; k++)
        s -= l[r][k] * l[c][k];
      l[r][c] = r == c ? sqrt(s) : s / l[c][c];
      out[(r * 4 + c) * n + i] = l[r][c];
    }
}

// All matrices by one, which every thread reads.
extern "C" __global__ void transform4(const float *__restrict__ matrix,
                                      const float4 *__restrict__ in, float4 *__restrict__ out,
                                      int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float4 v = in[i], r;
    r.x = matrix[0] * v.x + matrix[1] * v.y + matrix[2] * v.z + matrix[3] * v.w;
    r.y = matrix[4] * v.x + matrix[5] * v.y + matrix[6] * v.z + matrix[7] * v.w;
    r.z = matrix[8] * v.x + matrix[9] * v.y + matrix[10] * v.z + matrix[11] * v.w;
    r.w = matrix[12] * v.x + matrix[13] * v.y + matrix[14] * v.z + matrix[15] * v.w;
    out[i] = r;
  }
}

// Only some diagonals are stored.
extern "C" __global__ void diagonals(const double *values, const int *offsets, int n_diagonals,
                                     const double *x, double *y, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  double sum = 0.0;
  for (int d = 0; d < n_diagonals; d++) {
    int column = row + offsets[d];
    if (column >= 0 && column < n) sum += values[(size_t)d * n + row] * x[column];
  }
  y[row] = sum;
}

extern "C" __global__ void quadratic_form(const float *a, const float *x, float *out, int n,
                                          int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float total = 0.0f;
  for (int r = 0; r < size; r++) {
    float dot = 0.0f;
    for (int c = 0; c < size; c++)
      dot += a[r * size + c] * x[c * n + i];
    total += dot * x[r * n + i];
  }
  out[i] = total;
}

// sum of a[i][j] * b[j][i]
extern "C" __global__ void trace_of_product(const double *a, const double *b, double *out,
                                            int size) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  double s = 0.0;
  for (int j = 0; j < size; j++)
    s += a[(long)i * size + j] * b[(long)j * size + i];
  atomicAdd(out, s);
}

extern "C" __global__ void kronecker(const float *__restrict__ a, const float *__restrict__ b,
                                     float *__restrict__ out, int rows_b, int columns_b,
                                     int columns_a) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  int width = columns_a * columns_b;
  if (column >= width) return;
  out[row * width + column] = a[row / rows_b * columns_a + column / columns_b] *
                              b[row % rows_b * columns_b + column % columns_b];
}

// Two columns are turned against each other.
extern "C" __global__ void givens(float *matrix, int rows, int pitch, int p, int q, float c,
                                  float s) {
  for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += gridDim.x * blockDim.x) {
    float u = matrix[r * pitch + p], v = matrix[r * pitch + q];
    matrix[r * pitch + p] = c * u + s * v;
    matrix[r * pitch + q] = c * v - s * u;
  }
}

extern "C" __global__ void back_substitution(const float *u, float *x, const float *b,
                                             int systems) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= systems) return;
  float v[6];
  for (int r = 5; r >= 0; r--) {
    float s = b[r * systems + i];
    for (int c = r + 1; c < 6; c++)
      s -= u[(r * 6 + c) * systems + i] * v[c];
    v[r] = s / u[(r * 6 + r) * systems + i];
  }
  for (int r = 0; r < 6; r++)
    x[r * systems + i] = v[r];
}

// Sums of rows and of columns in one walk.
extern "C" __global__ void both_sums(const int *a, int *row_sums, int *column_sums, int rows,
                                     int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) {
    int s = 0;
    for (int c = 0; c < columns; c++)
      s += a[i * columns + c];
    row_sums[i] = s;
  }
  if (i < columns) {
    int s = 0;
    for (int r = 0; r < rows; r++)
      s += a[r * columns + i];
    column_sums[i] = s;
  }
}

// Powers of a companion matrix by Horner's rule: many polynomials at many places.
extern "C" __global__ void horner(const double *coefficients, const double *at, double *out,
                                  int degree, int polynomials) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= polynomials) return;
  for (int k = 0; k < 8; k++) {
    double x = at[k], r = 0.0;
    for (int d = degree; d >= 0; d--)
      r = r * x + coefficients[d * polynomials + p];
    out[k * polynomials + p] = r;
  }
}
