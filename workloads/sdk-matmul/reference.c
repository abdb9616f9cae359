#include "../reference.h"

#include <math.h>

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t rows = ref_var(&r, "rows"), columns = ref_var(&r, "columns"), depth = ref_var(&r, "depth");
  float *a = ref_uniform_f32(rows * depth, 0, 1, 1), *b = ref_uniform_f32(depth * columns, 0, 1, 2);
  float *c = ref_alloc(rows * columns, sizeof *c);
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < depth; k++)
      for (size_t j = 0; j < columns; j++)
        c[i * columns + j] = fmaf(a[i * depth + k], b[k * columns + j], c[i * columns + j]);
  ref_expect(&r, "c", c, rows * columns * sizeof *c);
  free(a);
  free(b);
  free(c);
  return 0;
}
