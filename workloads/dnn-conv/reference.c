#include "../reference.h"

#include <math.h>

static double *uniform(size_t count, double lo, double hi, uint64_t seed) {
  double *p = ref_alloc(count, sizeof *p);
  for (size_t i = 0; i < count; i++)
    p[i] = lo + (hi - lo) * ref_hash(seed, i) / 4294967296.0;
  return p;
}

// 5x5 around each pixel of n x n, over all maps.
static double *conv(const double *in, const double *weight, int maps, int features, int n) {
  double *out = ref_alloc((size_t)features * n * n, sizeof *out);
  for (int f = 0; f < features; f++)
    for (int x = 0; x < n; x++)
      for (int y = 0; y < n; y++) {
        double total = 0;
        for (int m = 0; m < maps; m++) {
          double sum = 0;
          for (int i = 0; i < 25; i++) {
            int u = x + i / 5 - 2, v = y + i % 5 - 2;
            if (u >= 0 && v >= 0 && u < n && v < n)
              sum = fma(in[n * n * m + n * u + v], weight[25 * (maps * f + m) + i], sum);
          }
          total += sum;
        }
        out[n * n * f + n * x + y] = total < 0 ? 0 : total;
      }
  return out;
}

static double *pool(const double *in, int maps, int n, int average) {
  double *out = ref_alloc((size_t)maps * n * n / 4, sizeof *out);
  for (int o = 0; o < maps * n * n / 4; o++) {
    int m = o / (n * n / 4), x = o / (n / 2) % (n / 2) * 2, y = o % (n / 2) * 2, count = 0;
    double sum = 0, most = 0;
    for (int i = x; i < x + 3 && i < n; i++)
      for (int j = y; j < y + 3 && j < n; j++, count++) {
        double value = in[n * n * m + n * i + j];
        sum += value;
        if (most < value) most = value;
      }
    out[o] = average ? sum / count : most;
  }
  return out;
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  int maps1 = (int)ref_var(&r, "maps1"), maps2 = (int)ref_var(&r, "maps2");
  int maps3 = (int)ref_var(&r, "maps3");
  double *weight1 = uniform((size_t)75 * maps1, -0.1, 0.1, 4);
  double *weight2 = uniform((size_t)25 * maps1 * maps2, -0.1, 0.1, 5);
  double *weight3 = uniform((size_t)25 * maps2 * maps3, -0.1, 0.1, 6);
  double *weight4 = uniform((size_t)16 * maps3 * 64, -0.1, 0.1, 7);
  double *weight5 = uniform(64 * 9, -0.1, 0.1, 8);
  double *map1 = ref_alloc((size_t)maps1 * 1024, sizeof *map1);
  for (int f = 0; f < maps1; f++)
    for (int p = 0; p < 1024; p++)
      for (int i = 0; i < 25; i++) {
        int u = p / 32 + i / 5 - 2, v = p % 32 + i % 5 - 2;
        if (u < 0 || v < 0 || u > 31 || v > 31) continue;
        uint64_t at = 32 * (uint64_t)u + (uint64_t)v;
        const double *w = weight1 + 75 * f + i;
        double part = (double)(ref_hash(1, at) % 256) * w[0];
        part = fma((double)(ref_hash(2, at) % 256), w[25], part);
        map1[1024 * f + p] += fma((double)(ref_hash(3, at) % 256), w[50], part);
      }
  double *pooled1 = pool(map1, maps1, 32, 0);
  double *map2 = conv(pooled1, weight2, maps1, maps2, 16), *pooled2 = pool(map2, maps2, 16, 1);
  double *map3 = conv(pooled2, weight3, maps2, maps3, 8), *pooled3 = pool(map3, maps3, 8, 1);
  double hidden[64], result[9];
  for (int t = 0; t < 64; t++) {
    hidden[t] = 0;
    for (int i = 0; i < 16 * maps3; i++)
      hidden[t] = fma(pooled3[i], weight4[16 * maps3 * t + i], hidden[t]);
  }
  for (int t = 0; t < 9; t++) {
    result[t] = 0;
    for (int i = 0; i < 64; i++)
      result[t] = fma(hidden[i], weight5[64 * t + i], result[t]);
  }
  ref_expect(&r, "map1", map1, (size_t)maps1 * 1024 * sizeof *map1);
  ref_expect(&r, "map2", map2, (size_t)maps2 * 256 * sizeof *map2);
  ref_expect(&r, "map3", map3, (size_t)maps3 * 64 * sizeof *map3);
  ref_expect(&r, "pooled3", pooled3, (size_t)maps3 * 16 * sizeof *pooled3);
  ref_expect(&r, "result", result, sizeof result);
  free(weight1);
  free(weight2);
  free(weight3);
  free(weight4);
  free(weight5);
  free(map1);
  free(map2);
  free(map3);
  free(pooled1);
  free(pooled2);
  free(pooled3);
  return 0;
}
