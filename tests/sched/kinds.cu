// make_ptx: compute_90
// Kinds of loads: cache operators, read-only data, constants, parameters, local arrays, calls.
#include "common.h"

#define LOADED_BY(name, how)                                                                       \
  KERNEL by_##name(const float *a, float *out, int trips) {                                        \
    float s = 0;                                                                                   \
    for (int i = threadIdx.x; i < trips; i += 256)                                                 \
      s += how(a + i);                                                                             \
    out[TID] = s;                                                                                  \
  }
LOADED_BY(ldg, __ldg)
LOADED_BY(ca, __ldca)
LOADED_BY(cg, __ldcg)
LOADED_BY(cs, __ldcs)
LOADED_BY(cv, __ldcv)

KERNEL by_volatile(const volatile float *a, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s += a[i];
  out[TID] = s;
}

KERNEL volatile_straight(const volatile float *a, float *out) {
  out[TID] = a[TID] + a[TID + STEP] + a[TID + 2 * STEP] + a[TID + 3 * STEP];
}

KERNEL ldg_over_stores(const float *a, float *out, int trips) {
  for (int i = threadIdx.x; i < trips; i += 256)
    out[i] = __ldg(a + i) + __ldg(a + i + 1);
}

__constant__ float weights[64];
__constant__ int steps[64];

KERNEL constant_weights(const float *a, float *out, int trips) {
  float s = 0;
  for (int i = 0; i < 9; i++)
    s = fmaf(a[TID + i * trips], weights[i], s);
  out[TID] = s;
}

KERNEL constant_looked_up(const float *a, float *out, int trips) {
  float s = 0;
  for (int i = 0; i < trips; i++)
    s = fmaf(a[TID + steps[i & 63]], weights[i & 63], s);
  out[TID] = s;
}

struct many {
  const float *p[6];
  float scale[6];
};

KERNEL in_parameters(many m, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s += m.p[0][i] * m.scale[0] + m.p[1][i] * m.scale[1] + m.p[2][i] * m.scale[2] +
         m.p[3][i] * m.scale[3];
  out[TID] = s;
}

// The same address for all threads.
KERNEL uniform_loads(const float *a, const float *b, float *out, int trips) {
  float s = 0;
  for (int i = 0; i < trips; i++)
    s = fmaf(a[i], b[i * 1024 + TID], s);
  out[TID] = s;
}

KERNEL local_table(const int *a, int *out, int trips) {
  int table[32];
  for (int k = 0; k < 32; k++)
    table[k] = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    table[a[i] & 31]++;
  int s = 0;
  for (int k = 0; k < 32; k++)
    s = s * 7 + table[k];
  out[TID] = s;
}

KERNEL local_stack(const int *left, const int *right, const float *value, float *out) {
  int stack[24], n = 0;
  float s = 0;
  stack[n++] = TID;
  while (n > 0) {
    int at = stack[--n];
    s += value[at];
    int l = left[at], r = right[at];
    if (l >= 0 && n < 23) stack[n++] = l;
    if (r >= 0 && n < 23) stack[n++] = r;
  }
  out[TID] = s;
}

__device__ __noinline__ float far_value(const float *a, int i) {
  return a[i] * 0.5f + a[i + 77];
}

KERNEL calls_in_loop(const float *a, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s += far_value(a, i);
  out[TID] = s;
}

KERNEL call_between(const float *a, const float *b, float *out) {
  float x = b[TID];
  float y = far_value(a, TID);
  out[TID] = x * y + b[TID + STEP];
}

__device__ unsigned table_of_module[4096];

KERNEL module_table(const unsigned *a, unsigned *out, int trips) {
  unsigned s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s += table_of_module[a[i] & 4095];
  out[TID] = s;
}

KERNEL generic_address(const float *a, float *out, int trips) {
  __shared__ float kept[256];
  kept[threadIdx.x] = (float)threadIdx.x;
  __syncthreads();
  const float *p = trips & 1 ? a : kept; // not known where it points to
  float s = 0;
  for (int i = 0; i < trips; i++)
    s += p[(threadIdx.x + i) & 255];
  out[TID] = s;
}
