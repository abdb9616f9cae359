#include "../reference.h"

#include <math.h>

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t n = ref_var(&r, "n"), steps = ref_var(&r, "steps");
  double *power = ref_alloc(n, sizeof *power);
  float *a = ref_alloc(n * n, sizeof *a), *factor = ref_alloc(n * n, sizeof *factor);
  float *b = ref_alloc(n, sizeof *b);
  power[0] = 10;
  for (size_t i = 1; i < n; i++)
    power[i] = power[i - 1] * 0.990049833749168;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++)
      a[i * n + j] = (float)power[i < j ? j - i : i - j];
    b[i] = 1;
  }
  for (size_t t = 0; t < steps; t++)
    for (size_t i = t + 1; i < n; i++) {
      float f = a[i * n + t] / a[t * n + t];
      factor[i * n + t] = f;
      for (size_t j = t; j < n; j++)
        a[i * n + j] = fmaf(-f, a[t * n + j], a[i * n + j]);
      b[i] = fmaf(-f, b[t], b[i]);
    }
  ref_expect(&r, "a", a, n * n * sizeof *a);
  ref_expect(&r, "b", b, n * sizeof *b);
  ref_expect(&r, "factor", factor, n * n * sizeof *factor);
  free(power);
  free(a);
  free(factor);
  free(b);
  return 0;
}
