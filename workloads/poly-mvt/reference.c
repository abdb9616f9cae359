#include "../reference.h"

#include <math.h>

static float share(size_t part, size_t whole) {
  return (float)((double)part / (double)whole);
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t rows = ref_var(&r, "rows"), columns = ref_var(&r, "columns");
  size_t length = ref_var(&r, "length");
  float *x1 = ref_alloc(rows, sizeof *x1), *x2 = ref_alloc(columns, sizeof *x2);
  for (size_t i = 0; i < rows; i++)
    x1[i] = share(i, rows);
  for (size_t j = 0; j < columns; j++)
    x2[j] = share(j + 1, columns);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++) {
      float a = share(i * j, rows);
      if (j < length) x1[i] = fmaf(a, share(j + 3, columns), x1[i]);
      x2[j] = fmaf(a, share(i + 4, rows), x2[j]);
    }
  ref_expect(&r, "x1", x1, rows * sizeof *x1);
  ref_expect(&r, "x2", x2, columns * sizeof *x2);
  free(x1);
  free(x2);
  return 0;
}
