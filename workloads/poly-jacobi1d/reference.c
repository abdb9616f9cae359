#include "../reference.h"

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t n = ref_var(&r, "n"), steps = ref_var(&r, "steps");
  float *a = ref_alloc(n, sizeof *a), *b = ref_alloc(n, sizeof *b);
  for (size_t i = 0; i < n; i++) {
    a[i] = (float)((double)(4 * i + 10) / (double)n);
    b[i] = (float)((double)(7 * i + 11) / (double)n);
  }
  for (size_t t = 0; t < steps; t++) {
    for (size_t i = 2; i < n - 1; i++)
      b[i] = 0.33333f * (a[i - 1] + a[i] + a[i + 1]);
    memcpy(a + 2, b + 2, (n - 3) * sizeof *a);
  }
  ref_expect(&r, "a", a, n * sizeof *a);
  ref_expect(&r, "b", b, n * sizeof *b);
  free(a);
  free(b);
  return 0;
}
