// make_ptx: compute_90
// Code without loops, and what takes many registers.
#include "common.h"

KERNEL points_3(const float *a, float *out) {
  const float *p = a + TID;
  out[TID] = 0.25f * p[-1] + 0.5f * p[0] + 0.25f * p[1];
}

KERNEL points_5(const float *a, float *out, int pitch) {
  const float *p = a + TID;
  out[TID] = p[0] * 0.6f + (p[-1] + p[1] + p[-pitch] + p[pitch]) * 0.1f;
}

KERNEL points_9(const float *a, float *out, int pitch) {
  const float *p = a + TID;
  float s = 0;
#pragma unroll
  for (int y = -1; y <= 1; y++)
#pragma unroll
    for (int x = -1; x <= 1; x++)
      s = fmaf(p[y * pitch + x], (float)(4 - x * x - y * y), s);
  out[TID] = s;
}

KERNEL points_27(const float *a, float *out, int pitch, int plane) {
  const float *p = a + TID;
  float s = 0;
#pragma unroll
  for (int z = -1; z <= 1; z++)
#pragma unroll
    for (int y = -1; y <= 1; y++)
#pragma unroll
      for (int x = -1; x <= 1; x++)
        s = fmaf(p[z * plane + y * pitch + x], (float)(5 - x * x - y * y - z * z), s);
  out[TID] = s;
}

KERNEL points_5_checked(const float *a, float *out, int pitch, int n) {
  int i = TID;
  if (i < pitch || i >= n - pitch) return;
  const float *p = a + i;
  out[i] = p[0] * 0.6f + (p[-1] + p[1] + p[-pitch] + p[pitch]) * 0.1f;
}

KERNEL points_5_borders(const float *a, float *out, int width, int height) {
  int x = blockIdx.x * 32 + (threadIdx.x & 31), y = blockIdx.y * 8 + (threadIdx.x >> 5);
  float c = a[y * width + x];
  float n = y > 0 ? a[(y - 1) * width + x] : c, s = y < height - 1 ? a[(y + 1) * width + x] : c;
  float w = x > 0 ? a[y * width + x - 1] : c, e = x < width - 1 ? a[y * width + x + 1] : c;
  out[y * width + x] = c + 0.2f * (n + s + e + w - 4 * c);
}

// A stencil that goes up a column and keeps what it has read.
KERNEL points_7_column(const float *a, float *out, int pitch, int plane, int planes) {
  const float *p = a + TID;
  float below = p[-plane], here = p[0];
  for (int z = 0; z < planes; z++, p += plane) {
    float above = p[plane];
    out[TID + z * plane] = here + 0.1f * (above + below + p[1] + p[-1] + p[pitch] + p[-pitch]);
    below = here;
    here = above;
  }
}

#define MANY_LOADS(n)                                                                              \
  KERNEL many_loads_##n(const float *a, float *out, int pitch) {                                   \
    float v[n], s = 1;                                                                             \
    _Pragma("unroll") for (int k = 0; k < n; k++) v[k] = a[TID + k * pitch];                       \
    _Pragma("unroll") for (int k = 0; k < n; k++) s = fmaf(s, v[k], v[(k * 5 + 3) % n]);           \
    out[TID] = s;                                                                                  \
  }
MANY_LOADS(16)
MANY_LOADS(48)
MANY_LOADS(96)

// ---- n sums of products: n accumulators live over the loop ----

#define SUMS(n)                                                                                    \
  KERNEL sums_##n(const float *a, const float *b, float *out, int trips) {                         \
    float s[n];                                                                                    \
    _Pragma("unroll") for (int k = 0; k < n; k++) s[k] = 0;                                        \
    for (int i = TID; i < trips; i += STEP) {                                                      \
      float x = a[i], y = b[i];                                                                    \
      _Pragma("unroll") for (int k = 0; k < n; k++) s[k] = fmaf(x + (float)k, y, s[k]);            \
    }                                                                                              \
    _Pragma("unroll") for (int k = 0; k < n; k++) out[TID * n + k] = s[k];                         \
  }
SUMS(8)
SUMS(16)
SUMS(32)
SUMS(64)

// ---- n by n products of n + n loads ----

#define OUTER(n)                                                                                   \
  KERNEL outer_##n(const float *a, const float *b, float *out, int trips) {                        \
    float s[n][n];                                                                                 \
    _Pragma("unroll") for (int x = 0; x < n * n; x++) s[x / n][x % n] = 0;                         \
    for (int i = 0; i < trips; i++) {                                                              \
      float u[n], v[n];                                                                            \
      _Pragma("unroll") for (int k = 0; k < n; k++) {                                              \
        u[k] = a[(i * n + k) * 256 + threadIdx.x];                                                 \
        v[k] = b[(i * n + k) * 256 + threadIdx.x];                                                 \
      }                                                                                            \
      _Pragma("unroll") for (int x = 0; x < n * n; x++) s[x / n][x % n] =                          \
          fmaf(u[x / n], v[x % n], s[x / n][x % n]);                                               \
    }                                                                                              \
    _Pragma("unroll") for (int x = 0; x < n * n; x++) out[TID + x * 4096] = s[x / n][x % n];       \
  }
OUTER(2)
OUTER(4)
OUTER(8)

// ---- the same loop with more and fewer registers allowed ----

#define BOUNDED(name, bounds)                                                                      \
  extern "C" __global__ void bounds bounded_##name(const float *a, float *out, int trips,          \
                                                   int pitch) {                                    \
    float s = 0;                                                                                   \
    for (int i = TID; i < trips; i += STEP) {                                                      \
      float v[12];                                                                                 \
      _Pragma("unroll") for (int k = 0; k < 12; k++) v[k] = a[i + k * pitch];                      \
      _Pragma("unroll") for (int k = 0; k < 12; k++) s = fmaf(s, v[k], v[11 - k]);                 \
    }                                                                                              \
    out[TID] = s;                                                                                  \
  }
BOUNDED(none, )
BOUNDED(128, __launch_bounds__(128))
BOUNDED(1024, __launch_bounds__(1024))
BOUNDED(256_by_8, __launch_bounds__(256, 8))
