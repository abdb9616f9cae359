#include "../reference.h"

#include <math.h>

// One line of n elements, `step` apart, forth and back. On the way back rows divide by the element
// of b before, columns by the one beside (`shift` 1 and 0), as the original does.
static void sweep(size_t n, size_t step, size_t shift, const float *a, float *b, float *x) {
  for (size_t i = step; i < n * step; i += step) {
    x[i] = x[i] - x[i - step] * a[i] / b[i - step];
    b[i] = b[i] - a[i] * a[i] / b[i - step];
  }
  x[(n - 1) * step] = x[(n - 1) * step] / b[(n - 1) * step];
  for (size_t i = (n - 2) * step; i > 0; i -= step)
    x[i] = fmaf(-x[i - step], a[i - step], x[i]) / b[i - shift * step];
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t n = ref_var(&r, "n"), length = ref_var(&r, "length");
  float *a = ref_uniform_f32(n * n, 0.1, 0.5, 1), *b = ref_uniform_f32(n * n, 2, 3, 2);
  float *x = ref_alloc(n * n, sizeof *x);
  for (size_t i = 0; i < n * n; i++)
    x[i] = (float)((double)((i / n) * (i % n + 1) + 1) / (double)n);
  for (size_t i = 0; i < n; i++)
    sweep(length, 1, 1, a + i * n, b + i * n, x + i * n);
  for (size_t i = 0; i < n; i++)
    sweep(n, n, 0, a + i, b + i, x + i);
  ref_expect(&r, "b", b, n * n * sizeof *b);
  ref_expect(&r, "x", x, n * n * sizeof *x);
  free(a);
  free(b);
  free(x);
  return 0;
}
