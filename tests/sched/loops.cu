// make_ptx: compute_90
// Counted loops: loads in an iteration, arithmetic behind them, how the number of trips is known.
#include "common.h"

// ---- 1 to 8 loads in an iteration, trips unknown; all loads lie apart ----

#define SUM_LOADS(n)                                                                               \
  KERNEL sum_loads_##n(const float *a, float *out, int trips, int pitch) {                         \
    float s = 0;                                                                                   \
    const float *p = a + TID;                                                                      \
    for (int i = 0; i < trips; i++, p += STEP) {                                                   \
      _Pragma("unroll") for (int k = 0; k < n; k++) s += p[(long)k * pitch];                       \
    }                                                                                              \
    out[TID] = s;                                                                                  \
  }
SUM_LOADS(1)
SUM_LOADS(2)
SUM_LOADS(3)
SUM_LOADS(4)
SUM_LOADS(5)
SUM_LOADS(6)
SUM_LOADS(8)

// ---- one load, then n dependent operations ----

#define LOAD_THEN(n)                                                                               \
  KERNEL load_then_##n(const float *a, float *out, int trips) {                                    \
    float s = 1;                                                                                   \
    for (int i = TID; i < trips; i += STEP)                                                        \
      s += mix<n>(a[i]);                                                                           \
    out[TID] = s;                                                                                  \
  }
LOAD_THEN(1)
LOAD_THEN(4)
LOAD_THEN(8)
LOAD_THEN(16)
LOAD_THEN(32)
LOAD_THEN(64)
LOAD_THEN(128)

// ---- what is accumulated depends on the iteration before: n operations on the serial way ----

#define SERIAL(n)                                                                                  \
  KERNEL serial_##n(const float *a, float *out, int trips) {                                       \
    float s = 1;                                                                                   \
    for (int i = TID; i < trips; i += STEP)                                                        \
      s = mix<n>(s + a[i]);                                                                        \
    out[TID] = s;                                                                                  \
  }
SERIAL(1)
SERIAL(8)
SERIAL(32)

// ---- constant numbers of trips ----

#define CONSTANT_TRIPS(n)                                                                          \
  KERNEL constant_trips_##n(const float *a, float *out, int pitch) {                               \
    float s = 0;                                                                                   \
    for (int i = 0; i < n; i++)                                                                    \
      s = fmaf(a[TID + i * pitch], 0.5f, s);                                                       \
    out[TID] = s;                                                                                  \
  }
CONSTANT_TRIPS(3)
CONSTANT_TRIPS(8)
CONSTANT_TRIPS(20)
CONSTANT_TRIPS(64)
CONSTANT_TRIPS(100)
CONSTANT_TRIPS(1000)

// ---- what the source asks for ----

#define ASKED(n)                                                                                   \
  KERNEL asked_##n(const int *a, const int *b, int *out, int trips) {                              \
    int s = 0;                                                                                     \
    UNROLL(n) for (int i = TID; i < trips; i += STEP) s += a[i] * 3 - b[i];                        \
    out[TID] = s;                                                                                  \
  }
ASKED(1)
ASKED(2)
ASKED(4)
ASKED(8)
ASKED(16)

// ---- other forms of counting ----

KERNEL counts_down(const float *a, float *out, int trips) {
  float s = 0;
  for (int i = trips; i > 0; i -= 3)
    s += a[i + TID];
  out[TID] = s;
}

KERNEL doubles_stride(const float *a, float *out, int trips) {
  float s = 0;
  for (int i = 1; i < trips; i *= 2)
    s += a[(long)i * blockDim.x + threadIdx.x];
  out[TID] = s;
}

KERNEL trips_by_thread(const float *a, float *out) {
  float s = 0;
  for (int i = 0; i <= (int)threadIdx.x; i++)
    s += a[i * 33 + blockIdx.x];
  out[TID] = s;
}

KERNEL trips_from_memory(const int *count, const float *a, float *out, int pitch) {
  float s = 0;
  int n = count[TID];
  for (int i = 0; i < n; i++)
    s += a[i * pitch + TID];
  out[TID] = s;
}

KERNEL pointer_end(const float *p, const float *end, float *out) {
  float s = 0;
  for (p += TID; p != end + TID; p += 32)
    s += *p;
  out[TID] = s;
}

KERNEL wide_index(const double *a, double *out, long long trips, long long pitch) {
  double s = 0;
  for (long long i = 0; i < trips; i++)
    s += a[i * pitch + TID];
  out[TID] = s;
}

// Two sums that do not wait for each other.
KERNEL two_sums(const float *a, const float *b, float *out, int trips) {
  float s = 0, t = 0;
  for (int i = TID; i < trips; i += STEP) {
    s += a[i];
    t = fmaxf(t, b[i]);
  }
  out[TID] = s * t;
}

KERNEL integer_sum(const unsigned *a, unsigned *out, int trips) {
  unsigned s = 0;
  for (int i = TID; i < trips; i += STEP)
    s += a[i] >> 3;
  out[TID] = s;
}
