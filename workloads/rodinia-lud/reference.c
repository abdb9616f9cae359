#include "../reference.h"

#include <math.h>

// Element by element: what the tiles before the element's own take away comes as a sum for each
// tile, what comes from its own tile row or column is taken away term by term.
int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t n = ref_var(&r, "n");
  float *m = ref_alloc(n * n, sizeof *m);
  for (size_t i = 0; i < n * n; i++)
    m[i] = (float)(ref_hash(1, i) % 2000 / 1000.0 - 1 + (i % n == i / n ? 2.0 * (double)n : 0));
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      size_t end = i < j ? i : j;
      float value = m[i * n + j];
      for (size_t tile = 0; tile < end / 16; tile++) {
        float sum = 0;
        for (size_t k = tile * 16; k < tile * 16 + 16; k++)
          sum = fmaf(m[i * n + k], m[k * n + j], sum);
        value -= sum;
      }
      for (size_t k = end / 16 * 16; k < end; k++)
        value = fmaf(-m[i * n + k], m[k * n + j], value);
      m[i * n + j] = i > j ? value / m[j * n + j] : value;
    }
  ref_expect(&r, "m", m, n * n * sizeof *m);
  free(m);
  return 0;
}
