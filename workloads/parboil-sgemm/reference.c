#include "../reference.h"

#include <math.h>

// An element's sum runs over k in order, whichever tile it is in.
int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t m = ref_var(&r, "m"), n = ref_var(&r, "n"), k = ref_var(&r, "depth");
  float *a = ref_uniform_f32(m * k, -1, 1, 1), *b = ref_uniform_f32(n * k, -1, 1, 2);
  float *c = ref_uniform_f32(m * n, -1, 1, 3), *sum = ref_alloc(m, sizeof *sum);
  for (size_t j = 0; j < n; j++) {
    memset(sum, 0, m * sizeof *sum);
    for (size_t l = 0; l < k; l++)
      for (size_t i = 0; i < m; i++)
        sum[i] = fmaf(a[l * m + i], b[l * n + j], sum[i]);
    for (size_t i = 0; i < m; i++)
      c[j * m + i] = fmaf(c[j * m + i], 0.5f, 1.5f * sum[i]);
  }
  ref_expect(&r, "c", c, m * n * sizeof *c);
  free(a);
  free(b);
  free(c);
  free(sum);
  return 0;
}
