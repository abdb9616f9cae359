#include "../reference.h"

#include <math.h>

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t rows = ref_var(&r, "rows"), columns = ref_var(&r, "columns");
  size_t length = ref_var(&r, "length");
  float *t = ref_alloc(rows, sizeof *t), *y = ref_alloc(columns, sizeof *y);
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < length; j++)
      t[i] = fmaf((float)((double)(i * j) / (double)rows), (float)((double)j * 3.14159265358979),
                  t[i]);
    for (size_t j = 0; j < columns; j++)
      y[j] = fmaf((float)((double)(i * j) / (double)rows), t[i], y[j]);
  }
  ref_expect(&r, "t", t, rows * sizeof *t);
  ref_expect(&r, "y", y, columns * sizeof *y);
  free(t);
  free(y);
  return 0;
}
