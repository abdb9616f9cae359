// make_ptx: compute_90
// Conditions in loops, ways out of them, loops in loops.
#include "common.h"

KERNEL guarded_load(const int *flag, const float *a, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    if (flag[i] > 0) s += a[i];
  out[TID] = s;
}

KERNEL guarded_border(const float *a, float *out, int trips, int width) {
  float s = 0;
  for (int i = 0; i < trips; i++) {
    int x = TID + i - 4;
    if (x >= 0 && x < width) s += a[x];
  }
  out[TID] = s;
}

KERNEL either_array(const int *flag, const float *a, const float *b, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256) {
    if (flag[i])
      s += a[i];
    else
      s -= b[i];
  }
  out[TID] = s;
}

KERNEL chosen_value(const float *a, const float *b, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256) {
    float x = a[i], y = b[i];
    s += x > y ? x * 2 : y - 1;
  }
  out[TID] = s;
}

KERNEL long_branch(const float *a, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256) {
    float v = a[i];
    if (v > 0.5f)
      s += sqrtf(mix<24>(v));
    else
      s -= mix<24>(v + s);
  }
  out[TID] = s;
}

KERNEL conditional_store(const float *a, float *out, int trips) {
  for (int i = threadIdx.x; i < trips; i += 256) {
    float v = a[i];
    if (v > 0) out[i] = v;
  }
}

KERNEL break_on_value(const float *a, int *out, int trips) {
  int found = -1;
  for (int i = threadIdx.x; i < trips; i += 256)
    if (a[i] == 0.25f) {
      found = i;
      break;
    }
  out[TID] = found;
}

KERNEL break_on_sum(const float *a, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256) {
    s += a[i];
    if (s > 100) break;
  }
  out[TID] = s;
}

KERNEL until_zero(const char *text, int *out) {
  const char *p = text + (long)TID * 64;
  int n = 0;
  while (p[n] != 0)
    n++;
  out[TID] = n;
}

KERNEL until_close(const float *a, float *out, float eps) {
  float x = a[TID], y;
  do {
    y = x;
    x = 0.5f * (x + a[TID & 255] / x);
  } while (fabsf(x - y) > eps);
  out[TID] = x;
}

KERNEL compare_strings(const char *a, const char *b, int *out, int n) {
  const char *p = a + TID, *q = b + TID * 3;
  int k = 0;
  while (k < n && p[k] == q[k])
    k++;
  out[TID] = k;
}

KERNEL leaves_early(const float *a, float *out, int n) {
  int i = TID;
  if (i >= n) return;
  float v = a[i];
  if (v < 0) return;
  out[i] = v + a[i + n];
}

KERNEL continue_some(const int *state, const float *a, const float *b, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256) {
    if (state[i] == 7) continue;
    s += a[i] * b[i];
  }
  out[TID] = s;
}

// ---- loops in loops ----

KERNEL inner_4(const float *a, float *out, int rows, int pitch) {
  float s = 0;
  for (int r = 0; r < rows; r++)
    for (int k = 0; k < 4; k++)
      s += a[r * pitch + k * 32 + threadIdx.x];
  out[TID] = s;
}

KERNEL inner_7(const float *a, const float *w, float *out, int rows, int pitch) {
  float s = 0;
  for (int r = 0; r < rows; r++)
    for (int k = 0; k < 7; k++)
      s = fmaf(a[r * pitch + k + TID], w[k], s);
  out[TID] = s;
}

KERNEL inner_unknown(const float *a, float *out, int rows, int columns) {
  float s = 0;
  for (int r = 0; r < rows; r++)
    for (int k = 0; k < columns; k++)
      s += a[(r * columns + k) * 128 + threadIdx.x];
  out[TID] = s;
}

KERNEL inner_with_rest(const float *a, const float *scale, float *out, int rows, int columns) {
  for (int r = 0; r < rows; r++) {
    float s = 0;
    for (int k = 0; k < columns; k++)
      s += a[(r * columns + k) * 128 + threadIdx.x];
    out[r * 128 + threadIdx.x] = s * scale[r];
  }
}

KERNEL triangle(const float *a, float *out, int n) {
  float s = 0;
  for (int r = 0; r < n; r++)
    for (int k = 0; k <= r; k++)
      s += a[r * n + k + TID];
  out[TID] = s;
}

KERNEL three_deep(const float *a, float *out, int nz, int ny) {
  float s = 0;
  for (int z = 0; z < nz; z++)
    for (int y = 0; y < ny; y++)
      for (int x = 0; x < 3; x++)
        s += a[(z * ny + y) * 256 + x + threadIdx.x];
  out[TID] = s;
}

// One loop after the other: loads of the second do not wait for the first.
KERNEL two_loops(const float *a, const float *b, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s += a[i];
  for (int i = threadIdx.x; i < trips; i += 256)
    s *= b[i];
  out[TID] = s;
}
