#include "../reference.h"
#include "bounds.h"

#include <math.h>

static const float bounds[BINS + 1] = BOUNDS;

static void count(uint64_t *histogram, float cosine) {
  for (int b = 0; b < BINS; b++)
    if (cosine < bounds[b] && cosine >= bounds[b + 1]) histogram[b]++;
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t sets = ref_var(&r, "sets"), n = ref_var(&r, "points"), all = n * (sets + 1);
  float *p[3];
  for (int c = 0; c < 3; c++)
    p[c] = ref_alloc(all, sizeof(float));
  for (size_t i = 0; i < all; i++) {
    double v[3], squares = 0;
    for (int c = 0; c < 3; c++) {
      v[c] = ref_hash((uint64_t)c + 1, i) + 1.0;
      squares += v[c] * v[c];
    }
    for (int c = 0; c < 3; c++)
      p[c][i] = (float)(v[c] / sqrt(squares));
  }
  uint64_t *histogram = ref_alloc(BINS * (2 * sets + 1), sizeof *histogram);
  for (size_t block = 0; block < 2 * sets + 1; block++) {
    size_t mine = block <= sets ? block * n : 0, other = block <= sets ? mine : (block - sets) * n;
    for (size_t i = 0; i < n; i++)
      for (size_t j = block <= sets ? i + 1 : 0; j < n; j++)
        count(histogram + BINS * block,
              fmaf(p[2][mine + i], p[2][other + j],
                   fmaf(p[1][mine + i], p[1][other + j], p[0][mine + i] * p[0][other + j])));
  }
  ref_expect(&r, "histograms", histogram, BINS * (2 * sets + 1) * sizeof *histogram);
  for (int c = 0; c < 3; c++)
    free(p[c]);
  free(histogram);
  return 0;
}
