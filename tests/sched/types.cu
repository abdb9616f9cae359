// make_ptx: compute_90
// Widths, types, costly operations, records.
#include "common.h"

KERNEL pairs(const float2 *a, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256) {
    float2 v = a[i];
    s = fmaf(v.x, v.y, s);
  }
  out[TID] = s;
}

KERNEL fours(const float4 *a, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256) {
    float4 v = a[i];
    s += v.x * v.y + v.z * v.w;
  }
  out[TID] = s;
}

KERNEL copy_fours(const int4 *__restrict__ a, int4 *__restrict__ out, int trips) {
  for (int i = threadIdx.x; i < trips; i += 256)
    out[i] = a[i];
}

KERNEL bytes(const unsigned char *a, int *out, int trips) {
  int s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s += a[i] * 5;
  out[TID] = s;
}

KERNEL shorts(const short *a, const short *b, int *out, int trips) {
  int s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s += abs(a[i] - b[i]);
  out[TID] = s;
}

KERNEL doubles(const double *a, const double *b, double *out, int trips) {
  double s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s = fma(a[i], b[i], s);
  out[TID] = s;
}

KERNEL mixed(const int *a, const float *b, const double *c, double *out, int trips) {
  double s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s += (double)((float)a[i] * b[i]) - c[i];
  out[TID] = s;
}

KERNEL wide_integers(const unsigned long long *a, unsigned long long *out, int trips) {
  unsigned long long s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s = s * 6364136223846793005ull + a[i];
  out[TID] = s;
}

KERNEL hashes_8(const unsigned *a, unsigned *out, int trips) {
  unsigned s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s ^= hash_steps<8>(a[i]);
  out[TID] = s;
}

KERNEL hashes_24(const unsigned *a, unsigned *out, int trips) {
  unsigned s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s ^= hash_steps<24>(a[i]);
  out[TID] = s;
}

// ---- divisions and functions ----

KERNEL divides(const float *a, const float *b, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s += a[i] / b[i];
  out[TID] = s;
}

KERNEL divides_integers(const int *a, const int *b, int *out, int trips) {
  int s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s += a[i] / b[i];
  out[TID] = s;
}

KERNEL index_by_division(const float *a, float *out, int trips, int width) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s += a[(i % width) * 512 + i / width];
  out[TID] = s;
}

KERNEL fast_functions(const float *a, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s += __expf(a[i]) + __sinf(a[i]);
  out[TID] = s;
}

KERNEL exact_functions(const float *a, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s += expf(a[i]) * sqrtf(a[i]);
  out[TID] = s;
}

KERNEL sines(const float *a, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s += sinf(a[i]);
  out[TID] = s;
}

// ---- records ----

struct particle {
  float x, y, z, mass;
  float vx, vy, vz;
  int kind;
};

KERNEL records(const particle *p, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s += (p[i].x * p[i].vx + p[i].y * p[i].vy + p[i].z * p[i].vz) * p[i].mass;
  out[TID] = s;
}

KERNEL columns(const float *x, const float *y, const float *z, const float *vx, const float *vy,
               const float *vz, const float *mass, float *out, int trips) {
  float s = 0;
  for (int i = threadIdx.x; i < trips; i += 256)
    s += (x[i] * vx[i] + y[i] * vy[i] + z[i] * vz[i]) * mass[i];
  out[TID] = s;
}

KERNEL move_records(particle *p, float dt, int trips) {
  for (int i = threadIdx.x; i < trips; i += 256) {
    p[i].x += p[i].vx * dt;
    p[i].y += p[i].vy * dt;
    p[i].z += p[i].vz * dt;
  }
}

KERNEL move_columns(float *__restrict__ x, float *__restrict__ y, const float *__restrict__ vx,
                    const float *__restrict__ vy, float dt, int trips) {
  for (int i = threadIdx.x; i < trips; i += 256) {
    x[i] += vx[i] * dt;
    y[i] += vy[i] * dt;
  }
}

// All pairs: the inner loop reads what is the same for all threads.
KERNEL all_pairs(const float4 *__restrict__ body, float *__restrict__ out, int n) {
  float4 me = body[TID];
  float s = 0;
  for (int j = 0; j < n; j++) {
    float4 v = body[j];
    float dx = v.x - me.x, dy = v.y - me.y, dz = v.z - me.z;
    s += v.w * rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
  }
  out[TID] = s;
}
