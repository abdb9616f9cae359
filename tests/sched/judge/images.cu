// make_ptx: compute_90
// Pictures: colours, sizes, neighbourhoods.

extern "C" __global__ void bilinear(const float *in, float *out, int in_w, int in_h, int out_w,
                                    int out_h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out_w || y >= out_h) return;
  float fx = (x + 0.5f) * in_w / out_w - 0.5f, fy = (y + 0.5f) * in_h / out_h - 0.5f;
  int x0 = max(0, (int)floorf(fx)), y0 = max(0, (int)floorf(fy));
  int x1 = min(in_w - 1, x0 + 1), y1 = min(in_h - 1, y0 + 1);
  float u = fx - x0, v = fy - y0;
  float top = in[y0 * in_w + x0] * (1 - u) + in[y0 * in_w + x1] * u;
  float bottom = in[y1 * in_w + x0] * (1 - u) + in[y1 * in_w + x1] * u;
  out[y * out_w + x] = top * (1 - v) + bottom * v;
}

extern "C" __global__ void gamma_table(const uchar4 *in, uchar4 *out, const unsigned char *table,
                                       int n) {
  __shared__ unsigned char curve[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    curve[i] = table[i];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uchar4 p = in[i];
    out[i] = make_uchar4(curve[p.x], curve[p.y], curve[p.z], p.w);
  }
}

extern "C" __global__ void yuv_to_rgb(const unsigned char *luma, const uchar2 *chroma, uchar4 *out,
                                      int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int l = (luma[y * width + x] - 16) * 298;
  uchar2 c = chroma[y / 2 * (width / 2) + x / 2];
  int u = c.x - 128, v = c.y - 128;
  int r = (l + 409 * v + 128) >> 8, g = (l - 100 * u - 208 * v + 128) >> 8,
      b = (l + 516 * u + 128) >> 8;
  out[y * width + x] =
      make_uchar4(min(max(r, 0), 255), min(max(g, 0), 255), min(max(b, 0), 255), 255);
}

// Layers over each other, until nothing shines through.
extern "C" __global__ void composite(const float4 *layers, float4 *out, int n_layers, int pixels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  float4 sum = make_float4(0, 0, 0, 0);
  for (int l = 0; l < n_layers; l++) {
    float4 c = layers[(size_t)l * pixels + i];
    float left = 1.0f - sum.w;
    sum.x += left * c.x * c.w;
    sum.y += left * c.y * c.w;
    sum.z += left * c.z * c.w;
    sum.w += left * c.w;
    if (sum.w > 0.99f) break;
  }
  out[i] = sum;
}

// A running sum along a row: one thread per row.
extern "C" __global__ void blur_rows(const float *in, float *out, int width, int height,
                                     int radius) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= height) return;
  const float *row = in + y * width;
  float sum = 0.0f;
  for (int x = 0; x < radius; x++)
    sum += row[x];
  for (int x = 0; x < width; x++) {
    if (x + radius < width) sum += row[x + radius];
    if (x - radius - 1 >= 0) sum -= row[x - radius - 1];
    out[y * width + x] = sum / (2 * radius + 1);
  }
}

extern "C" __global__ void dilate(const unsigned char *__restrict__ in,
                                  unsigned char *__restrict__ out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  unsigned char best = 0;
  for (int dy = -2; dy <= 2; dy++)
    for (int dx = -2; dx <= 2; dx++) {
      int u = x + dx, v = y + dy;
      if (u >= 0 && u < width && v >= 0 && v < height) best = max(best, in[v * width + u]);
    }
  out[y * width + x] = best;
}

extern "C" __global__ void mipmap(const uchar4 *in, uchar4 *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const uchar4 *p = in + (2 * y) * (2 * width) + 2 * x;
  uchar4 a = p[0], b = p[1], c = p[2 * width], d = p[2 * width + 1];
  out[y * width + x] =
      make_uchar4((a.x + b.x + c.x + d.x + 2) / 4, (a.y + b.y + c.y + d.y + 2) / 4,
                  (a.z + b.z + c.z + d.z + 2) / 4, (a.w + b.w + c.w + d.w + 2) / 4);
}

struct box {
  int x0, y0, x1, y1;
};

// Mean brightness of boxes, of a table of sums.
extern "C" __global__ void box_means(const unsigned *sums, const box *boxes, float *out, int n,
                                     int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  box b = boxes[i];
  unsigned s = sums[b.y1 * pitch + b.x1] - sums[b.y0 * pitch + b.x1] - sums[b.y1 * pitch + b.x0] +
               sums[b.y0 * pitch + b.x0];
  out[i] = (float)s / ((b.x1 - b.x0) * (b.y1 - b.y0));
}

extern "C" __global__ void nearest_colour(const uchar4 *in, const uchar4 *palette,
                                          unsigned char *out, int pixels, int colours) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  uchar4 p = in[i];
  int best = 1 << 30, which = 0;
  for (int c = 0; c < colours; c++) {
    uchar4 q = palette[c];
    int r = p.x - q.x, g = p.y - q.y, b = p.z - q.z;
    int d = 2 * r * r + 4 * g * g + 3 * b * b;
    if (d < best) {
      best = d;
      which = c;
    }
  }
  out[i] = which;
}

__constant__ unsigned char pattern[64];

extern "C" __global__ void dither(const unsigned char *in, unsigned *bits, int width, int words) {
  int w = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (w >= words) return;
  unsigned set = 0;
  for (int b = 0; b < 32; b++) {
    int x = w * 32 + b;
    if (x < width && in[y * width + x] > pattern[(y & 7) * 8 + (x & 7)]) set |= 1u << b;
  }
  bits[y * words + w] = set;
}

// The middle of three pictures of one thing.
extern "C" __global__ void median_of_three(const float *a, const float *b, const float *c,
                                           float *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float x = a[i], y = b[i], z = c[i];
    out[i] = fmaxf(fminf(x, y), fminf(fmaxf(x, y), z));
  }
}

extern "C" __global__ void column_profile(const unsigned short *image, float *profile, int width,
                                          int height, int first, int last) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width || last > height) return;
  unsigned sum = 0, top = 0;
  for (int y = first; y < last; y++) {
    unsigned v = image[y * width + x];
    sum += v;
    top = v > top ? v : top;
  }
  profile[x] = (float)sum / (last - first) / (top + 1);
}
