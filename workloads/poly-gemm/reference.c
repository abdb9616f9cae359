#include "../reference.h"

#include <math.h>

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t rows = ref_var(&r, "rows"), columns = ref_var(&r, "columns"), depth = ref_var(&r, "depth");
  float *c = ref_alloc(rows * columns, sizeof *c);
  for (size_t y = 0; y < rows; y++)
    for (size_t x = 0; x < columns; x++)
      c[y * columns + x] = (float)((double)(y * x + 2) / (double)columns) * 2123.0f;
  for (size_t k = 0; k < depth; k++)
    for (size_t y = 0; y < rows; y++) {
      float a = (float)((double)(y * k) / (double)rows) * 32412.0f;
      for (size_t x = 0; x < columns; x++)
        c[y * columns + x] =
            fmaf(a, (float)((double)(k * x + 1) / (double)columns), c[y * columns + x]);
    }
  ref_expect(&r, "c", c, rows * columns * sizeof *c);
  free(c);
  return 0;
}
