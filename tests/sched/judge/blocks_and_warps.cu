// make_ptx: compute_90
// Work that the threads of a block or warp do together.

extern "C" __global__ void layer_norm(const float *__restrict__ in, const float *__restrict__ scale,
                                      float *__restrict__ out, int width) {
  const float *row = in + (size_t)blockIdx.x * width;
  float sum = 0.0f, squares = 0.0f;
  for (int i = threadIdx.x; i < width; i += blockDim.x) {
    float v = row[i];
    sum += v;
    squares += v * v;
  }
  __shared__ float parts[2][32];
  for (int d = 16; d > 0; d /= 2) {
    sum += __shfl_xor_sync(~0u, sum, d);
    squares += __shfl_xor_sync(~0u, squares, d);
  }
  if (threadIdx.x % 32 == 0) {
    parts[0][threadIdx.x / 32] = sum;
    parts[1][threadIdx.x / 32] = squares;
  }
  __syncthreads();
  sum = squares = 0.0f;
  for (int w = 0; w < blockDim.x / 32; w++) {
    sum += parts[0][w];
    squares += parts[1][w];
  }
  float mean = sum / width, factor = rsqrtf(squares / width - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < width; i += blockDim.x)
    out[(size_t)blockIdx.x * width + i] = (row[i] - mean) * factor * scale[i];
}

extern "C" __global__ void arg_max(const float *values, int2 *best, int n) {
  __shared__ float value[256];
  __shared__ int place[256];
  float v = -3.4e38f;
  int at = -1;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    if (values[i] > v) {
      v = values[i];
      at = i;
    }
  value[threadIdx.x] = v;
  place[threadIdx.x] = at;
  __syncthreads();
  for (int half = 128; half > 0; half >>= 1) {
    if (threadIdx.x < half && value[threadIdx.x + half] > value[threadIdx.x]) {
      value[threadIdx.x] = value[threadIdx.x + half];
      place[threadIdx.x] = place[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) best[blockIdx.x] = make_int2(__float_as_int(value[0]), place[0]);
}

// A warp per list.
extern "C" __global__ void list_sums(const long long *items, const int *begin, long long *out,
                                     int lists) {
  int list = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (list >= lists) return;
  long long sum = 0;
  for (int i = begin[list] + lane; i < begin[list + 1]; i += 32)
    sum += items[i];
  for (int d = 16; d > 0; d >>= 1)
    sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) out[list] = sum;
}

// Points in tiles of shared memory, each compared with all of the tile.
extern "C" __global__ void repulsion(const float2 *points, float2 *out, int n) {
  __shared__ float2 tile[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  float2 p = i < n ? points[i] : make_float2(0, 0), f = make_float2(0, 0);
  for (int first = 0; first < n; first += 128) {
    int j = first + threadIdx.x;
    tile[threadIdx.x] = j < n ? points[j] : make_float2(1e18f, 1e18f);
    __syncthreads();
    for (int k = 0; k < 128; k++) {
      float dx = p.x - tile[k].x, dy = p.y - tile[k].y;
      float s = 1.0f / (dx * dx + dy * dy + 0.01f);
      f.x += dx * s;
      f.y += dy * s;
    }
    __syncthreads();
  }
  if (i < n) out[i] = f;
}

// Sums with what rounding has lost.
extern "C" __global__ void careful_sum(const float *x, float2 *out, int n) {
  float sum = 0.0f, lost = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float y = x[i] - lost, t = sum + y;
    lost = (t - sum) - y;
    sum = t;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = make_float2(sum, lost);
}

extern "C" __global__ void covariance(const double *__restrict__ x, const double *__restrict__ y,
                                      double *__restrict__ out, int n, double mean_x,
                                      double mean_y) {
  __shared__ double part[128];
  double s = 0.0;
  for (int i = threadIdx.x; i < n; i += 128)
    s += (x[blockIdx.x * n + i] - mean_x) * (y[blockIdx.x * n + i] - mean_y);
  part[threadIdx.x] = s;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0] / (n - 1);
}

// What holds moves to the front, warp by warp.
extern "C" __global__ void compact(const int *in, int *out, int *count, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  int v = i < n ? in[i] : limit;
  unsigned kept = __ballot_sync(~0u, v < limit);
  int base = 0;
  if (lane == 0 && kept) base = atomicAdd(count, __popc(kept));
  base = __shfl_sync(~0u, base, 0);
  if (v < limit) out[base + __popc(kept & ((1u << lane) - 1))] = v;
}

// A warp sorts 32 values among its lanes.
extern "C" __global__ void sort_lanes(unsigned *keys) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned k = keys[i];
  for (int size = 2; size <= 32; size *= 2)
    for (int d = size / 2; d > 0; d /= 2) {
      unsigned other = __shfl_xor_sync(~0u, k, d);
      bool up = (lane & size) == 0, low = (lane & d) == 0;
      k = up == low ? min(k, other) : max(k, other);
    }
  keys[i] = k;
}

// A ring of the last rows in shared memory.
extern "C" __global__ void vertical_mean(const float *in, float *out, int width, int height) {
  __shared__ float ring[8][64];
  int x = blockIdx.x * 64 + threadIdx.x;
  if (x >= width) return;
  float sum = 0.0f;
  for (int k = 0; k < 8; k++)
    ring[k][threadIdx.x] = 0.0f;
  for (int y = 0; y < height; y++) {
    float v = in[y * width + x];
    sum += v - ring[y & 7][threadIdx.x];
    ring[y & 7][threadIdx.x] = v;
    out[y * width + x] = sum * 0.125f;
  }
}

extern "C" __global__ void normalise(float *rows, int width, int n) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= n) return;
  float *r = rows + row * width, s = 0.0f;
  for (int i = threadIdx.x; i < width; i += 32)
    s += r[i] * r[i];
  for (int d = 16; d; d >>= 1)
    s += __shfl_xor_sync(~0u, s, d);
  s = rsqrtf(s);
  for (int i = threadIdx.x; i < width; i += 32)
    r[i] *= s;
}

// Votes of trees: every tree is walked to a leaf.
struct split {
  int feature;
  float threshold;
  int left, right;
};

extern "C" __global__ void forest(const split *__restrict__ nodes, const int *__restrict__ roots,
                                  const float *__restrict__ x, float *__restrict__ out, int n_trees,
                                  int n, int features) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float votes = 0.0f;
  for (int t = 0; t < n_trees; t++) {
    int at = roots[t];
    while (nodes[at].feature >= 0)
      at = x[i * features + nodes[at].feature] < nodes[at].threshold ? nodes[at].left
                                                                     : nodes[at].right;
    votes += nodes[at].threshold;
  }
  out[i] = votes / n_trees;
}

extern "C" __global__ void shared_polynomial(const float *coefficients, const float *x, float *y,
                                             int terms, int n) {
  extern __shared__ float c[];
  for (int i = threadIdx.x; i < terms; i += blockDim.x)
    c[i] = coefficients[i];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float v = x[i], r = 0.0f;
    for (int t = terms - 1; t >= 0; t--)
      r = r * v + c[t];
    y[i] = r;
  }
}
