#include "../reference.h"

#include <math.h>

// The operations on an element come in the order of k in whichever kernel they are done: tile by
// tile from the left, and inside a tile from the left. So the whole decomposition can be written
// element by element, bit for bit.
int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t n = ref_var(&r, "n");
  float *m = ref_alloc(n * n, sizeof *m);
  for (size_t i = 0; i < n * n; i++)
    m[i] = (float)(ref_hash(1, i) % 2000 / 1000.0 - 1 + (i % n == i / n ? 2.0 * (double)n : 0));
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      float sum = m[i * n + j];
      for (size_t k = 0; k < (i < j ? i : j); k++)
        sum = fmaf(-m[i * n + k], m[k * n + j], sum);
      m[i * n + j] = i > j ? sum / m[j * n + j] : sum;
    }
  ref_expect(&r, "m", m, n * n * sizeof *m);
  free(m);
  return 0;
}
