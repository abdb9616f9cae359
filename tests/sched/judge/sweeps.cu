// make_ptx: compute_90
// Long arrays, walked once.

struct record {
  long long id;
  float price;
  int amount;
  short shop;
  unsigned char kind;
};

extern "C" __global__ void turnover(const record *sales, double *out, int n, int shop) {
  double sum = 0.0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    if (sales[i].shop == shop) sum += (double)sales[i].price * sales[i].amount;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void where_between(const int *__restrict__ column,
                                         unsigned *__restrict__ mask, int n, int low, int high) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w * 32 >= n) return;
  unsigned m = 0;
  for (int b = 0; b < 32; b++) {
    int v = column[w * 32 + b];
    m |= (unsigned)(v >= low && v < high) << b;
  }
  mask[w] = m;
}

extern "C" __global__ void axpby(float *y, const float *x, float a, float b, long long n) {
  long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    y[i] = a * x[i] + b * y[i];
}

extern "C" __global__ void adam(float *weight, float *m, float *v, const float *gradient, int n,
                                float rate, float b1, float b2, float c1, float c2) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float g = gradient[i];
    float mi = b1 * m[i] + (1 - b1) * g, vi = b2 * v[i] + (1 - b2) * g * g;
    m[i] = mi;
    v[i] = vi;
    weight[i] -= rate * (mi * c1) / (sqrtf(vi * c2) + 1e-8f);
  }
}

extern "C" __global__ void embedding_bag(const float *__restrict__ rows,
                                         const int *__restrict__ ids,
                                         const int *__restrict__ offsets, float *__restrict__ out,
                                         int width) {
  int bag = blockIdx.x, column = threadIdx.x;
  float sum = 0.0f;
  for (int k = offsets[bag]; k < offsets[bag + 1]; k++)
    sum += rows[(size_t)ids[k] * width + column];
  out[(size_t)bag * width + column] = sum;
}

extern "C" __global__ void quantise(const float4 *in, char4 *out, float scale, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float4 v = in[i];
    out[i] = make_char4(__float2int_rn(v.x * scale), __float2int_rn(v.y * scale),
                        __float2int_rn(v.z * scale), __float2int_rn(v.w * scale));
  }
}

extern "C" __global__ void four_way_max(const float *a, const float *b, const float *c,
                                        const float *d, float *out, int n) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  float best = -3.4e38f;
  for (int k = 0; k < 8; k++) {
    if (first + k >= n) break;
    best = fmaxf(best, fmaxf(fmaxf(a[first + k], b[first + k]), fmaxf(c[first + k], d[first + k])));
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = best;
}

extern "C" __global__ void reverse(const double *in, double *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = in[n - 1 - i];
}

extern "C" __global__ void interleave(const float *__restrict__ x, const float *__restrict__ y,
                                      const float *__restrict__ z, float *__restrict__ xyz, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    xyz[3 * i] = x[i];
    xyz[3 * i + 1] = y[i];
    xyz[3 * i + 2] = z[i];
  }
}

// The first place where two texts differ.
extern "C" __global__ void first_difference(const unsigned *a, const unsigned *b, int *out,
                                            int words, int texts) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= texts) return;
  int at = 0;
  while (at < words && a[t * words + at] == b[t * words + at])
    at++;
  out[t] = at;
}

extern "C" __global__ void lengths(const char *const *texts, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const char *p = texts[i];
  int k = 0;
  while (p[k])
    k++;
  out[i] = k;
}

// Each thread takes one group of a table that is sorted by groups.
extern "C" __global__ void group_by(const int *begin, const float *price, const float *discount,
                                    const int *quantity, float *sum_price, float *sum_discount,
                                    int *sum_quantity, int groups) {
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= groups) return;
  float p = 0, d = 0;
  int q = 0;
  for (int i = begin[g]; i < begin[g + 1]; i++) {
    p += price[i];
    d += price[i] * (1.0f - discount[i]);
    q += quantity[i];
  }
  sum_price[g] = p;
  sum_discount[g] = d;
  sum_quantity[g] = q;
}

extern "C" __global__ void moments(const float *x, float4 *out, int n) {
  float a = 0, b = 0, c = 0, d = 0;
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    float v = x[i];
    a += v;
    b += v * v;
    c += v * v * v;
    d += v * v * v * v;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = make_float4(a, b, c, d);
}

extern "C" __global__ void lag_products(const double *x, double *out, int n, int lag1, int lag2) {
  double s = 0.0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i + lag2 < n; i += gridDim.x * blockDim.x)
    s += x[i] * x[i + lag1] * x[i + lag2];
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

extern "C" __global__ void two_pass(const float *in, float *out, int rows, int width) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float top = -3.4e38f, sum = 0.0f;
  for (int c = 0; c < width; c++)
    top = fmaxf(top, in[c * rows + r]);
  for (int c = 0; c < width; c++)
    sum += __expf(in[c * rows + r] - top);
  for (int c = 0; c < width; c++)
    out[c * rows + r] = __expf(in[c * rows + r] - top) / sum;
}
