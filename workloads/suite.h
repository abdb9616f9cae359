// What the workloads of the suite share: how loops are compiled, and mathematical functions whose
// results are the same, bit for bit, on a GPU and in a CPU reference.
//
// tools/make_ptx.sh compiles each source twice: as for a Fermi (-DWEIR_FERMI: LOOP keeps a loop a
// loop, at most 63 registers), and as nvcc does of itself. Both with -fmad=false: write fmaf where
// the original's compiler would have fused a product and a sum.
#ifndef WEIR_WORKLOADS_SUITE_H
#define WEIR_WORKLOADS_SUITE_H

#ifdef WEIR_FERMI
#define LOOP                                                                                       \
  _Pragma("unroll 1") // in front of every loop that the original does not unroll by a pragma of its
                      // own
#else
#define LOOP
#endif

#ifdef __CUDACC__
#define SUITE_FN        __device__ static inline
#define SUITE_BITS(x)   __float_as_uint(x)
#define SUITE_FLOAT(x)  __uint_as_float(x)
#define SUITE_DIV(a, b) __fdiv_rn(a, b)
#define SUITE_SQRT(a)   __fsqrt_rn(a)
#else
#include <math.h>
#include <stdint.h>
#include <string.h>
#define SUITE_FN        static inline
static inline uint32_t suite_bits(float x) {
  uint32_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
static inline float suite_float(uint32_t u) {
  float x;
  memcpy(&x, &u, sizeof x);
  return x;
}
#define SUITE_BITS(x)   suite_bits(x)
#define SUITE_FLOAT(x)  suite_float(x)
#define SUITE_DIV(a, b) ((a) / (b))
#define SUITE_SQRT(a)   sqrtf(a)
#endif

// e^x within 2 ulp for -87 <= x <= 88; 0 below, the largest power above.
SUITE_FN float suite_expf(float x) {
  float t =
      fmaf(x, 1.44269504f, 12582912.0f); // x / ln 2, rounded to an integer by adding 1.5 * 2^23
  float n = t - 12582912.0f;
  float r = fmaf(n, -0.693145752f, x); // ln 2 in two parts
  r = fmaf(n, -1.42860677e-6f, r);
  float p = 1.38904850e-3f;
  p = fmaf(p, r, 8.33336823e-3f);
  p = fmaf(p, r, 4.16664071e-2f);
  p = fmaf(p, r, 1.66666657e-1f);
  p = fmaf(p, r, 0.5f);
  p = fmaf(p, r, 1.0f);
  p = fmaf(p, r, 1.0f);
  if (x < -87.0f) return 0.0f;
  if (x > 88.0f) return 1.70141183e38f;
  return SUITE_FLOAT(SUITE_BITS(p) + ((unsigned)(int)n << 23));
}

// Natural logarithm of a positive normal number, within 2 ulp.
SUITE_FN float suite_logf(float x) {
  unsigned u = SUITE_BITS(x);
  int e = (int)(u - 0x3f3504f3u) >> 23; // mantissa from sqrt(1/2) to sqrt(2)
  float f = SUITE_FLOAT(u - ((unsigned)e << 23)) - 1.0f;
  float s = SUITE_DIV(f, 2.0f + f),
        z = s * s; // log((1 + s) / (1 - s)) = 2 (s + s^3 / 3 + s^5 / 5 + ...)
  float p = 0.181818187f;
  p = fmaf(p, z, 0.222222224f);
  p = fmaf(p, z, 0.285714298f);
  p = fmaf(p, z, 0.4f);
  p = fmaf(p, z, 0.666666687f);
  float l = fmaf(s * z, p, 2.0f * s);
  return fmaf((float)e, 0.693147182f, l);
}

// Sine and cosine within 2^-22 for |x| up to some thousands.
SUITE_FN void suite_sincosf(float x, float *sine, float *cosine) {
  float t = fmaf(x, 0.636619747f, 12582912.0f); // quarter turns
  float n = t - 12582912.0f;
  unsigned quarter = SUITE_BITS(t);
  float r = fmaf(n, -1.57079601f, x); // pi / 2 in three parts
  r = fmaf(n, -3.13916473e-7f, r);
  r = fmaf(n, -5.39030253e-15f, r);
  float z = r * r;
  float s = fmaf(fmaf(fmaf(-1.95152959e-4f, z, 8.33216087e-3f), z, -1.66666546e-1f) * z, r, r);
  float c = fmaf(fmaf(fmaf(2.44331571e-5f, z, -1.38873162e-3f), z, 4.16666456e-2f), z * z,
                 fmaf(z, -0.5f, 1.0f));
  float a = quarter & 1u ? c : s, b = quarter & 1u ? s : c;
  *sine = quarter & 2u ? -a : a;
  *cosine = (quarter + 1u) & 2u ? -b : b;
}
SUITE_FN float suite_sinf(float x) {
  float s, c;
  suite_sincosf(x, &s, &c);
  return s;
}
SUITE_FN float suite_cosf(float x) {
  float s, c;
  suite_sincosf(x, &s, &c);
  return c;
}

// x^y of a positive x.
SUITE_FN float suite_powf(float x, float y) {
  return suite_expf(y * suite_logf(x));
}

#endif
