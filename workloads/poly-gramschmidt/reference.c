#include "../reference.h"

#include <math.h>

int main(int argc, char **argv) {
  struct ref ref = ref_begin(argc, argv);
  size_t rows = ref_var(&ref, "rows"), columns = ref_var(&ref, "columns");
  size_t steps = ref_var(&ref, "steps");
  float *a = ref_uniform_f32(rows * columns, 0.5, 1.5, 1);
  float *r = ref_alloc(steps * columns, sizeof *r), *q = ref_alloc(rows * columns, sizeof *q);
  for (size_t k = 0; k < steps; k++) {
    float sum = 0;
    for (size_t i = 0; i < rows; i++)
      sum = fmaf(a[i * columns + k], a[i * columns + k], sum);
    r[k * columns + k] = sqrtf(sum);
    for (size_t i = 0; i < rows; i++)
      q[i * columns + k] = a[i * columns + k] / r[k * columns + k];
    for (size_t i = 0; i < rows; i++)
      for (size_t j = k + 1; j < columns; j++)
        r[k * columns + j] = fmaf(q[i * columns + k], a[i * columns + j], r[k * columns + j]);
    for (size_t i = 0; i < rows; i++)
      for (size_t j = k + 1; j < columns; j++)
        a[i * columns + j] = fmaf(-q[i * columns + k], r[k * columns + j], a[i * columns + j]);
  }
  ref_expect(&ref, "a", a, rows * columns * sizeof *a);
  ref_expect(&ref, "r", r, steps * columns * sizeof *r);
  ref_expect(&ref, "q", q, rows * columns * sizeof *q);
  free(a);
  free(r);
  free(q);
  return 0;
}
