// make_ptx: compute_90
// Stores among loads: what may alias, what may not.
#include "common.h"

KERNEL scale_may_alias(const float *a, float *out, int trips) {
  for (int i = threadIdx.x; i < trips; i += 256)
    out[i] = a[i] * 2.5f;
}

KERNEL scale_restrict(const float *__restrict__ a, float *__restrict__ out, int trips) {
  for (int i = threadIdx.x; i < trips; i += 256)
    out[i] = a[i] * 2.5f;
}

KERNEL scale_in_place(float *a, int trips) {
  for (int i = threadIdx.x; i < trips; i += 256)
    a[i] = a[i] * 2.5f + 1;
}

KERNEL add_may_alias(const float *a, const float *b, float *out, int trips) {
  for (int i = threadIdx.x; i < trips; i += 256)
    out[i] = a[i] + b[i];
}

KERNEL add_restrict(const float *__restrict__ a, const float *__restrict__ b,
                    float *__restrict__ out, int trips) {
  for (int i = threadIdx.x; i < trips; i += 256)
    out[i] = a[i] + b[i];
}

// Only the pointer that is written is promised to be alone: loads stay coherent ones.
KERNEL add_half_restrict(const float *a, const float *b, float *__restrict__ out, int trips) {
  for (int i = threadIdx.x; i < trips; i += 256)
    out[i] = a[i] + b[i];
}

KERNEL three_stores(const float *a, float *x, float *y, float *z, int trips) {
  for (int i = threadIdx.x; i < trips; i += 256) {
    float v = a[i];
    x[i] = v;
    y[i] = v * v;
    z[i] = v + 1;
  }
}

KERNEL three_stores_restrict(const float *__restrict__ a, float *__restrict__ x,
                             float *__restrict__ y, float *__restrict__ z, int trips) {
  for (int i = threadIdx.x; i < trips; i += 256) {
    float v = a[i];
    x[i] = v;
    y[i] = v * v;
    z[i] = v + 1;
  }
}

// Load, store, load: straight-line code.
KERNEL between_may_alias(const float *a, float *b, float *c) {
  b[TID] = a[TID];
  c[TID] = a[TID + STEP];
  b[TID + STEP] = a[TID + 2 * STEP];
  c[TID + STEP] = a[TID + 3 * STEP];
}

KERNEL between_restrict(const float *__restrict__ a, float *__restrict__ b, float *__restrict__ c) {
  b[TID] = a[TID];
  c[TID] = a[TID + STEP];
  b[TID + STEP] = a[TID + 2 * STEP];
  c[TID + STEP] = a[TID + 3 * STEP];
}

// Same pointer, other offset: an assembler can know that these are apart.
KERNEL between_same_base(float *a) {
  float *p = a + (long)TID * 8;
  p[1] = p[0];
  p[3] = p[2];
  p[5] = p[4];
  p[7] = p[6];
}

KERNEL recurrence(float *a, int trips, int pitch) {
  for (int i = 1; i < trips; i++)
    a[i * pitch + TID] = a[(i - 1) * pitch + TID] * 0.5f + 1;
}

KERNEL column_update(float *a, const float *factor, int trips, int pitch) {
  float f = factor[TID];
  for (int i = 0; i < trips; i++)
    a[i * pitch + TID] -= f * a[i * pitch];
}

KERNEL fill(float *a, float v, int trips) {
  for (int i = threadIdx.x; i < trips; i += 256)
    a[i] = v;
}

// Stores to shared memory cannot be what global loads read.
KERNEL global_over_shared(const float *a, float *out, int trips) {
  __shared__ float kept[256];
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256) {
    kept[threadIdx.x] = a[i];
    s += kept[threadIdx.x ^ 1];
  }
  out[TID] = s;
}

KERNEL store_then_loads(const float *a, const float *b, float *out, int trips) {
  for (int i = threadIdx.x; i < trips; i += 256) {
    out[i] = 0;
    float s = a[i] + a[i + 1] + b[i] + b[i + 2];
    out[i] = s;
  }
}
