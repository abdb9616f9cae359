#include "../reference.h"

#include <math.h>

static double *uniform(size_t count, double lo, double hi, uint64_t seed) {
  double *p = ref_alloc(count, sizeof *p);
  for (size_t i = 0; i < count; i++)
    p[i] = lo + (hi - lo) * ref_hash(seed, i) / 4294967296.0;
  return p;
}

static double positive(double v) {
  return v < 0 ? 0 : v;
}

// The first maps of `out`; the others stay as they are.
static void pool(const double *in, double *out, int maps, int n) {
  int half = n / 2;
  for (int o = 0; o < maps * half * half; o++) {
    int m = o / (half * half), x = o / half % half * 2, y = o % half * 2;
    out[o] = 0;
    for (int i = x; i < x + 3 && i < n; i++)
      for (int j = y; j < y + 3 && j < n; j++)
        if (out[o] < in[n * n * m + n * i + j]) out[o] = in[n * n * m + n * i + j];
  }
}

// 1x1 or 3x3 of all maps, for the first features of `out`.
static void conv(const double *in, const double *weight, double *out, int maps, int features, int n,
                 int side) {
  for (int o = 0; o < features * n * n; o++) {
    int f = o / (n * n), x = o / n % n, y = o % n;
    double total = 0;
    for (int m = 0; m < maps; m++) {
      if (side == 1) {
        total = fma(in[n * n * m + o % (n * n)], weight[maps * f + m], total);
        continue;
      }
      double sum = 0;
      for (int i = 0; i < 9; i++) {
        int u = x + i / 3 - 1, v = y + i % 3 - 1;
        if (u >= 0 && v >= 0 && u < n && v < n)
          sum = fma(in[n * n * m + n * u + v], weight[9 * (maps * f + m) + i], sum);
      }
      total += sum;
    }
    out[o] = positive(total);
  }
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  int n = (int)ref_var(&r, "edge"), share = (int)ref_var(&r, "share");
  int thin = (int)ref_var(&r, "thin"), size = 2 * n + 5;
  static const struct {
    int maps, squeeze, expand;
  } fires[] = {{96, 16, 64},   {128, 16, 64},  {128, 32, 128}, {256, 32, 128},
               {256, 48, 192}, {384, 48, 192}, {384, 64, 256}, {512, 64, 256}};
#define PART(features) ((features) / share > 0 ? (features) / share : 1)
  int features = PART(96 / thin);
  double *weight = uniform((size_t)147 * features, -0.1, 0.1, 4);
  double *map = ref_alloc((size_t)features * n * n, sizeof *map);
  for (int o = 0; o < features * n * n; o++) {
    int f = o / (n * n), x = o / n % n * 2, y = o % n * 2;
    for (int i = 0; i < 49; i++) {
      uint64_t at = (uint64_t)size * (uint64_t)(x + i / 7) + (uint64_t)(y + i % 7);
      const double *w = weight + 147 * f + i;
      double part = (double)(ref_hash(1, at) % 256) * w[0];
      part = fma((double)(ref_hash(2, at) % 256), w[49], part);
      map[o] += fma((double)(ref_hash(3, at) % 256), w[98], part);
    }
    map[o] = positive(map[o]);
  }
  ref_expect(&r, "map1", map, (size_t)features * n * n * sizeof *map);
  free(weight);

  double *in = uniform((size_t)(96 / thin) * (n / 2) * (n / 2), 0, 1, 5);
  pool(map, in, features, n);
  free(map);
  n /= 2;
  for (int k = 2; k <= 9; k++) {
    int maps = fires[k - 2].maps / thin, s = fires[k - 2].squeeze / thin;
    int e = fires[k - 2].expand / thin;
    uint64_t seed = 10 * (uint64_t)k;
    double *squeezed = uniform((size_t)s * n * n, 0, 1, seed);
    double *out = uniform((size_t)2 * e * n * n, 0, 1, seed + 1);
    double *ws = uniform((size_t)PART(s) * maps + PART(s), -0.1, 0.1, seed + 2);
    double *w1 = uniform((size_t)PART(e) * s, -0.1, 0.1, seed + 3);
    double *w3 = uniform((size_t)PART(e) * s * 9, -0.1, 0.1, seed + 4);
    conv(in, ws, squeezed, maps, PART(s), n, 1);
    for (int i = 0; k == 8 && i < PART(s) * n * n; i++)
      squeezed[i] += ws[PART(s) * maps + i / (n * n)];
    conv(squeezed, w1, out, s, PART(e), n, 1);
    conv(squeezed, w3, out + e * n * n, s, PART(e), n, 3);
    if (k % 2 == 0 || k == 9) {
      char name[8];
      snprintf(name, sizeof name, "fire%d", k);
      ref_expect(&r, name, out, (size_t)2 * e * n * n * sizeof *out);
    }
    free(in);
    in = out;
    if (k == 4 || k == 8) {
      in = uniform((size_t)2 * e * (n / 2) * (n / 2), 0, 1, k == 4 ? 6 : 7);
      pool(out, in, PART(2 * e), n);
      free(out);
      n /= 2;
    }
    free(squeezed);
    free(ws);
    free(w1);
    free(w3);
  }

  features = PART(1000 / thin);
  double *last = uniform((size_t)features * (size_t)(512 / thin), -0.1, 0.1, 8);
  double *inner = ref_alloc((size_t)features * n * n, sizeof *inner);
  conv(in, last, inner, 512 / thin, features, n, 1);
  int m = n + 2;
  double *outer = ref_alloc((size_t)features * m * m + 1, sizeof *outer);
  for (int o = 0; o < features * n * n; o++)
    outer[m * m * (o / (n * n)) + m * (o / n % n + 1) + o % n + 1] = inner[o];
  double *result = ref_alloc((size_t)features, sizeof *result);
  for (int f = 0; f < features; f++) {
    for (int i = 0; i < m; i++)
      for (int j = 0; j <= m; j++)
        result[f] += outer[m * m * f + m * i + j];
    result[f] /= m * m;
  }
  ref_expect(&r, "result", result, (size_t)features * sizeof *result);
  free(in);
  free(last);
  free(inner);
  free(outer);
  free(result);
  return 0;
}
