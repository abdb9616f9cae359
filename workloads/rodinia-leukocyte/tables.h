// What the kernels and their CPU reference share: the sample points of the ellipses, the disk of
// the dilation, and an arctangent that is the same on both, bit for bit.
#ifndef WEIR_WORKLOADS_LEUKOCYTE_TABLES_H
#define WEIR_WORKLOADS_LEUKOCYTE_TABLES_H

#include "../suite.h"

#define POINTS    150           // of a circle
#define CIRCLES   7             // at most; radii 8, 10, ... 20
#define MARGIN(n) (2 * (n) + 8) // the largest radius of n circles and two more
#define DISK      25            // rows and columns of the structuring element

#ifdef __CUDACC__
#define TABLE_FN constexpr static inline
#else
#define TABLE_FN static inline
#endif

struct tables {
  float sine[POINTS], cosine[POINTS];
  int x[CIRCLES * POINTS], y[CIRCLES * POINTS];
  float disk[DISK * DISK];
};

// Sine (first = 1) or cosine (first = 0) of n / POINTS turns, by its series.
TABLE_FN double turn(int n, int first) {
  double x = (n > POINTS / 2 ? n - POINTS : n) * (6.283185307179586 / POINTS);
  double term = first ? x : 1.0, sum = term;
  for (int i = first + 2; i < 36; i += 2) {
    term *= -x * x / (i * (i - 1));
    sum += term;
  }
  return sum;
}

// Towards zero, but so that no error of the series decides.
TABLE_FN int whole(double v) {
  return (int)(v < 0.0 ? v - 1e-9 : v + 1e-9);
}

TABLE_FN struct tables make_tables(void) {
  struct tables t = {};
  for (int n = 0; n < POINTS; n++) {
    t.sine[n] = (float)turn(n, 1);
    t.cosine[n] = (float)turn(n, 0);
    for (int c = 0; c < CIRCLES; c++) {
      t.x[c * POINTS + n] = whole((8 + 2 * c) * turn(n, 0));
      t.y[c * POINTS + n] = whole((8 + 2 * c) * turn(n, 1));
    }
  }
  for (int i = 0; i < DISK; i++)
    for (int j = 0; j < DISK; j++) {
      int a = i - DISK / 2, b = j - DISK / 2;
      t.disk[i * DISK + j] = a * a + b * b <= (DISK / 2) * (DISK / 2) ? 1.0f : 0.0f;
    }
  return t;
}

// Arctangent within some 1e-5.
SUITE_FN float leukocyte_atan(float x) {
  float a = fabsf(x), z = a > 1.0f ? SUITE_DIV(1.0f, a) : a, s = z * z;
  float p = -0.0117212f;
  p = fmaf(p, s, 0.05265332f);
  p = fmaf(p, s, -0.11643287f);
  p = fmaf(p, s, 0.19354346f);
  p = fmaf(p, s, -0.33262348f);
  p = fmaf(p, s, 0.99997723f);
  p = p * z;
  if (a > 1.0f) p = 1.57079637f - p;
  return x < 0.0f ? -p : p;
}

// Smooth step from 0 to 1.
SUITE_FN float leukocyte_step(float x) {
  return (float)fma((double)leukocyte_atan(x), 0.3183098861837907, 0.5);
}

#endif
