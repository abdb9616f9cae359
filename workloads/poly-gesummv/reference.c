#include "../reference.h"

#include <math.h>

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t rows = ref_var(&r, "rows"), columns = ref_var(&r, "columns");
  size_t length = ref_var(&r, "length");
  float *t = ref_alloc(rows, sizeof *t), *y = ref_alloc(rows, sizeof *y);
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < length; j++) {
      float x = (float)((double)j / (double)columns);
      t[i] = fmaf((float)((double)(i * j) / (double)rows), x, t[i]);
      y[i] = fmaf((float)((double)(i * j + 1) / (double)rows), x, y[i]);
    }
    y[i] = fmaf(43532.0f, t[i], 12313.0f * y[i]);
  }
  ref_expect(&r, "t", t, rows * sizeof *t);
  ref_expect(&r, "y", y, rows * sizeof *y);
  free(t);
  free(y);
  return 0;
}
