#include "../reference.h"

#include <math.h>

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t rows = ref_var(&r, "rows"), columns = ref_var(&r, "columns");
  float *a = ref_uniform_f32(rows * columns, -1, 1, 1);
  float *x = ref_uniform_f32(columns, -1, 1, 2);
  float *y = ref_alloc(rows, sizeof *y);
  for (size_t row = 0; row < rows; row++) {
    for (size_t j = 0; j < columns; j++)
      y[row] = fmaf(a[row * columns + j], x[j], y[row]);
  }
  ref_expect(&r, "y", y, rows * sizeof *y);
  free(a);
  free(x);
  free(y);
  return 0;
}
