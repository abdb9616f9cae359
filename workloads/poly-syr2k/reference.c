#include "../reference.h"

#include <math.h>

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t n = ref_var(&r, "n"), depth = ref_var(&r, "depth"), height = ref_var(&r, "height");
  size_t end = (height + 7) / 8 * 8 < n ? (height + 7) / 8 * 8 : n; // whole blocks
  float *a = ref_alloc(n * depth, sizeof *a), *b = ref_alloc(n * depth, sizeof *b);
  float *c = ref_alloc(n * n, sizeof *c);
  for (size_t y = 0; y < n; y++) {
    for (size_t k = 0; k < depth; k++) {
      a[y * depth + k] = (float)((double)(y * k) / (double)n);
      b[y * depth + k] = (float)((double)(y * k + 1) / (double)n);
    }
    for (size_t x = 0; x < n; x++)
      c[y * n + x] = (float)((double)(y * x + 2) / (double)n);
  }
  for (size_t y = 0; y < end; y++)
    for (size_t x = 0; x < n; x++) {
      float sum = c[y * n + x] * 4546.0f;
      for (size_t k = 0; k < depth; k++) {
        float ab = 12435.0f * a[y * depth + k] * b[x * depth + k];
        sum += fmaf(12435.0f * b[y * depth + k], a[x * depth + k], ab);
      }
      c[y * n + x] = sum;
    }
  ref_expect(&r, "c", c, n * n * sizeof *c);
  free(a);
  free(b);
  free(c);
  return 0;
}
