// make_ptx: compute_90
// Loops that nvcc leaves as they are, and asks the assembler to leave (.pragma "nounroll"). make.sh
// writes a second text without that wish, plain.ptx: what the assembler unrolls of itself.
#include "common.h"

#define LOADS(n)                                                                                   \
  KERNEL loads_##n(const float *a, float *out, int trips, int pitch) {                             \
    float s = 0;                                                                                   \
    const float *p = a + TID;                                                                      \
    UNROLL(1) for (int i = 0; i < trips; i++, p += STEP) {                                         \
      UNROLL(n) for (int k = 0; k < n; k++) s += p[(long)k * pitch];                               \
    }                                                                                              \
    out[TID] = s;                                                                                  \
  }
LOADS(1)
LOADS(2)
LOADS(3)
LOADS(4)
LOADS(6)
LOADS(8)
LOADS(10)
LOADS(12)
LOADS(13)
LOADS(14)
LOADS(16)

#define THEN(n)                                                                                    \
  KERNEL then_##n(const float *a, float *out, int trips) {                                         \
    float s = 1;                                                                                   \
    UNROLL(1) for (int i = threadIdx.x; i < trips; i += 256) s += mix<n>(a[i]);                    \
    out[TID] = s;                                                                                  \
  }
THEN(2)
THEN(6)
THEN(9)
THEN(12)
THEN(14)
THEN(16)
THEN(18)
THEN(20)
THEN(24)
THEN(32)
THEN(48)
THEN(96)

#define TRIPS(n)                                                                                   \
  KERNEL trips_##n(const float *a, float *out, int pitch) {                                        \
    float s = 0;                                                                                   \
    UNROLL(1) for (int i = 0; i < n; i++) s = fmaf(a[TID + i * pitch], 0.5f, s);                   \
    out[TID] = s;                                                                                  \
  }
TRIPS(2)
TRIPS(5)
TRIPS(12)
TRIPS(32)
TRIPS(200)
TRIPS(400)
TRIPS(1000)

#define KEEPS(n)                                                                                   \
  KERNEL keeps_##n(const float *a, const float *b, float *out, int trips) {                        \
    float s[n];                                                                                    \
    UNROLL(n) for (int k = 0; k < n; k++) s[k] = 0;                                                \
    UNROLL(1) for (int i = threadIdx.x; i < trips; i += 256) {                                     \
      float x = a[i], y = b[i];                                                                    \
      UNROLL(n) for (int k = 0; k < n; k++) s[k] = fmaf(x + (float)k, y, s[k]);                    \
    }                                                                                              \
    UNROLL(n) for (int k = 0; k < n; k++) out[TID * n + k] = s[k];                                 \
  }
KEEPS(4)
KEEPS(8)
KEEPS(12)
KEEPS(16)
KEEPS(24)
KEEPS(48)

KERNEL step_chain(const int *next, int *out, int trips) {
  int at = TID;
  UNROLL(1) for (int i = 0; i < trips; i++) at = next[at];
  out[TID] = at;
}

KERNEL step_gather(const int *index, const float *a, float *out, int trips) {
  float s = 0;
  UNROLL(1) for (int i = threadIdx.x; i < trips; i += 256) s += a[index[i]];
  out[TID] = s;
}

KERNEL step_copy(const float *a, float *out, int trips) {
  UNROLL(1) for (int i = threadIdx.x; i < trips; i += 256) out[i] = a[i] + 1;
}

KERNEL step_copy_restrict(const float *__restrict__ a, float *__restrict__ out, int trips) {
  UNROLL(1) for (int i = threadIdx.x; i < trips; i += 256) out[i] = a[i] + 1;
}

KERNEL step_update(float *a, int trips) {
  UNROLL(1) for (int i = threadIdx.x; i < trips; i += 256) a[i] += 1;
}

KERNEL step_guarded(const int *flag, const float *a, float *out, int trips) {
  float s = 0;
  UNROLL(1) for (int i = threadIdx.x; i < trips; i += 256) if (flag[i] > 0) s += a[i];
  out[TID] = s;
}

KERNEL step_select(const float *a, float *out, int trips) {
  float s = 0;
  UNROLL(1) for (int i = threadIdx.x; i < trips; i += 256) {
    float v = a[i];
    s += v > 0 ? v : 3 * s;
  }
  out[TID] = s;
}

KERNEL step_breaks(const float *a, float *out, int trips) {
  float s = 0;
  UNROLL(1) for (int i = threadIdx.x; i < trips; i += 256) {
    s += a[i];
    if (s > 100) break;
  }
  out[TID] = s;
}

KERNEL step_divides(const float *a, const float *b, float *out, int trips) {
  float s = 0;
  UNROLL(1) for (int i = threadIdx.x; i < trips; i += 256) s += a[i] / b[i];
  out[TID] = s;
}

KERNEL step_function(const float *a, float *out, int trips) {
  float s = 0;
  UNROLL(1) for (int i = threadIdx.x; i < trips; i += 256) s += __expf(a[i]);
  out[TID] = s;
}

KERNEL step_doubles(const double *a, double *out, int trips) {
  double s = 0;
  UNROLL(1) for (int i = threadIdx.x; i < trips; i += 256) s = fma(a[i], 0.5, s);
  out[TID] = s;
}

KERNEL step_fours(const float4 *a, float *out, int trips) {
  float s = 0;
  UNROLL(1) for (int i = threadIdx.x; i < trips; i += 256) {
    float4 v = a[i];
    s += v.x * v.y + v.z * v.w;
  }
  out[TID] = s;
}

KERNEL step_atomic(const int *index, int *counts, int trips) {
  UNROLL(1) for (int i = threadIdx.x; i < trips; i += 256) atomicAdd(&counts[index[i]], 1);
}

KERNEL step_shared(const int *index, float *out, int trips) {
  __shared__ float kept[256];
  float s = 0;
  kept[threadIdx.x] = (float)threadIdx.x;
  __syncthreads();
  UNROLL(1) for (int i = 0; i < trips; i++) s += kept[(i * 7 + threadIdx.x) & 255];
  out[TID] = s;
}

KERNEL step_barrier(const float *a, float *out, int trips) {
  __shared__ float kept[256];
  float s = 0;
  UNROLL(1) for (int i = threadIdx.x; i < trips; i += 256) {
    kept[threadIdx.x] = a[i];
    __syncthreads();
    s += kept[threadIdx.x ^ 5];
    __syncthreads();
  }
  out[TID] = s;
}

KERNEL step_volatile(const volatile float *a, float *out, int trips) {
  float s = 0;
  UNROLL(1) for (int i = threadIdx.x; i < trips; i += 256) s += a[i];
  out[TID] = s;
}

KERNEL step_nested(const float *a, float *out, int rows, int columns) {
  float s = 0;
  UNROLL(1) for (int r = 0; r < rows; r++) {
    float t = a[r];
    UNROLL(1) for (int k = 0; k < columns; k++) t += a[(r * columns + k) * 64 + TID];
    s = fmaxf(s, t);
  }
  out[TID] = s;
}

KERNEL step_wide(const float *a, float *out, long long trips, long long pitch) {
  float s = 0;
  UNROLL(1) for (long long i = 0; i < trips; i++) s += a[i * pitch + TID];
  out[TID] = s;
}

// ---- a step that is not known before the launch ----

KERNEL unknown_step(const float *a, float *out, int trips, int step) {
  float s = 0;
  UNROLL(1) for (int i = threadIdx.x; i < trips; i += step) s += a[i];
  out[TID] = s;
}

KERNEL unknown_step_copy(const float *a, float *out, int trips, int step) {
  UNROLL(1) for (int i = threadIdx.x; i < trips; i += step) out[i] = a[i] + 1;
}

KERNEL step_down(const float *a, float *out, int trips) {
  float s = 0;
  UNROLL(1) for (int i = trips - 1; i >= 0; i -= 2) s += a[i * 64 + threadIdx.x];
  out[TID] = s;
}

KERNEL step_not_equal(const float *p, const float *end, float *out) {
  float s = 0;
  UNROLL(1) for (; p != end; p++) s += p[threadIdx.x];
  out[TID] = s;
}

KERNEL step_halves(const float *a, float *out, int trips) {
  float s = 0;
  UNROLL(1) for (int i = trips; i > 0; i /= 2) s += a[i * 64 + threadIdx.x];
  out[TID] = s;
}

KERNEL step_from_memory(const int *bounds, const float *a, float *out) {
  float s = 0;
  int end = bounds[TID + 1];
  UNROLL(1) for (int i = bounds[TID]; i < end; i++) s += a[i];
  out[TID] = s;
}

KERNEL step_shuffle(const float *a, float *out, int trips) {
  float s = 0;
  UNROLL(1) for (int i = 0; i < trips; i++) s += __shfl_xor_sync(~0u, a[i * 64 + TID], 1);
  out[TID] = s;
}

KERNEL step_local(const int *a, int *out, int trips) {
  int table[16];
  UNROLL(16) for (int k = 0; k < 16; k++) table[k] = k;
  UNROLL(1) for (int i = 0; i < trips; i++) table[a[i * 64 + TID] & 15] += i;
  out[TID] = table[trips & 15];
}

KERNEL step_long_arm(const float *a, const float *b, float *out, int trips) {
  float s = 0;
  UNROLL(1) for (int i = 0; i < trips; i++) {
    float v = a[i * 64 + TID];
    if (v > 0.5f) s = mix<16>(s + b[i]);
  }
  out[TID] = s;
}

KERNEL step_two_stores(const float *__restrict__ a, float *__restrict__ x, float *__restrict__ y,
                       int trips) {
  UNROLL(1) for (int i = threadIdx.x; i < trips; i += 256) {
    float v = __ldg(a + i);
    x[i] = v;
    y[i] = v * v;
  }
}
