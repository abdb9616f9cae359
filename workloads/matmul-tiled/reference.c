#include "../reference.h"

#include <math.h>

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t n = ref_var(&r, "n");
  float *a = ref_uniform_f32(n * n, -1, 1, 1);
  float *b = ref_uniform_f32(n * n, -1, 1, 2);
  float *c = ref_alloc(n * n, sizeof *c);
  // Every element adds its products in the order of k, as the kernel does; the loops are ordered
  // for the CPU's cache.
  for (size_t row = 0; row < n; row++) {
    for (size_t k = 0; k < n; k++) {
      for (size_t column = 0; column < n; column++)
        c[row * n + column] = fmaf(a[row * n + k], b[k * n + column], c[row * n + column]);
    }
  }
  ref_expect(&r, "c", c, n * n * sizeof *c);
  free(a);
  free(b);
  free(c);
  return 0;
}
