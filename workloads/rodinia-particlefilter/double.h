// Functions of doubles with the same results, bit for bit, on a GPU and in the CPU reference: sums
// of fused multiply-adds only, within some ulp of the exact value where the filter uses them.
#ifdef __CUDACC__
#define DOUBLE_FN        __device__ static inline
#define DOUBLE_BITS(x)   __double_as_longlong(x)
#define DOUBLE_FROM(x)   __longlong_as_double(x)
#else
#include <math.h>
#include <stdint.h>
#include <string.h>
#define DOUBLE_FN        static inline
static inline int64_t double_bits(double x) {
  int64_t u;
  memcpy(&u, &x, sizeof u);
  return u;
}
static inline double double_from(int64_t u) {
  double x;
  memcpy(&x, &u, sizeof x);
  return x;
}
#define DOUBLE_BITS(x)   double_bits(x)
#define DOUBLE_FROM(x)   double_from(x)
#endif

// e^x for -700 <= x <= 700, beyond them as there.
DOUBLE_FN double double_exp(double x) {
  x = fmin(fmax(x, -700.0), 700.0);
  double t = fma(x, 1.4426950408889634, 6755399441055744.0); // rounded by adding 1.5 * 2^52
  double n = t - 6755399441055744.0;
  double r = fma(n, -6.93147180369123816e-1, x); // ln 2 in two parts
  r = fma(n, -1.90821492927058770e-10, r);
  double p = 2.08767569878680990e-9; // Taylor's terms, from 1 / 12!
  p = fma(p, r, 2.50521083854417188e-8);
  p = fma(p, r, 2.75573192239858907e-7);
  p = fma(p, r, 2.75573192239858907e-6);
  p = fma(p, r, 2.48015873015873016e-5);
  p = fma(p, r, 1.98412698412698413e-4);
  p = fma(p, r, 1.38888888888888889e-3);
  p = fma(p, r, 8.33333333333333333e-3);
  p = fma(p, r, 4.16666666666666667e-2);
  p = fma(p, r, 1.66666666666666667e-1);
  p = fma(p, r, 0.5);
  p = fma(p, r, 1.0);
  p = fma(p, r, 1.0);
  return DOUBLE_FROM(DOUBLE_BITS(p) + (long long)n * (1LL << 52));
}

// Natural logarithm of a positive normal number.
DOUBLE_FN double double_log(double x) {
  long long u = DOUBLE_BITS(x);
  long long e = (u - 0x3fe6a09e667f3bcdLL) >> 52; // mantissa from sqrt(1/2) to sqrt(2)
  double f = DOUBLE_FROM(u - e * (1LL << 52)) - 1.0;
  double s = f / (2.0 + f), z = s * s; // log((1 + s) / (1 - s)) = 2 (s + s^3 / 3 + s^5 / 5 + ...)
  double p = 2.0 / 19.0;
  p = fma(p, z, 2.0 / 17.0);
  p = fma(p, z, 2.0 / 15.0);
  p = fma(p, z, 2.0 / 13.0);
  p = fma(p, z, 2.0 / 11.0);
  p = fma(p, z, 2.0 / 9.0);
  p = fma(p, z, 2.0 / 7.0);
  p = fma(p, z, 2.0 / 5.0);
  p = fma(p, z, 2.0 / 3.0);
  return fma((double)e, 6.93147180559945309e-1, fma(s * z, p, 2.0 * s));
}

// Cosine of some turns at most.
DOUBLE_FN double double_cos(double x) {
  double t = fma(x, 6.36619772367581343e-1, 6755399441055744.0); // quarter turns
  double n = t - 6755399441055744.0;
  long long quarter = DOUBLE_BITS(t);
  double r = fma(n, -1.57079632679489656, x); // pi / 2 in two parts
  r = fma(n, -6.12323399573676604e-17, r);
  double z = r * r;
  double s = 1.60590438368216146e-10; // 1 / 13!, -1 / 11!, ...
  s = fma(s, z, -2.50521083854417188e-8);
  s = fma(s, z, 2.75573192239858907e-6);
  s = fma(s, z, -1.98412698412698413e-4);
  s = fma(s, z, 8.33333333333333333e-3);
  s = fma(s, z, -1.66666666666666667e-1);
  s = fma(s * z, r, r);
  double c = 2.08767569878680990e-9; // 1 / 12!, -1 / 10!, ...
  c = fma(c, z, -2.75573192239858907e-7);
  c = fma(c, z, 2.48015873015873016e-5);
  c = fma(c, z, -1.38888888888888889e-3);
  c = fma(c, z, 4.16666666666666667e-2);
  c = fma(c, z, -0.5);
  c = fma(c, z, 1.0);
  double value = quarter & 1 ? s : c;
  return (quarter + 1) & 2 ? -value : value;
}
