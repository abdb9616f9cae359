#include "../reference.h"

#include <math.h>

int main(int argc, char **argv) {
  static const float mask[3][3] = {{0.2f, 0.5f, -0.8f}, {-0.3f, 0.6f, -0.9f}, {0.4f, 0.7f, 0.1f}};
  struct ref r = ref_begin(argc, argv);
  size_t rows = ref_var(&r, "rows"), columns = 3072;
  float *in = ref_uniform_f32(rows * columns, 0, 1, 1);
  float *out = ref_alloc(rows * columns, sizeof *out);
  for (size_t y = 1; y + 1 < rows; y++)
    for (size_t x = 1; x + 1 < columns; x++) {
      float sum = 0; // the first product added to 0 is itself
      for (size_t v = 0; v < 3; v++)
        for (size_t u = 0; u < 3; u++)
          sum = fmaf(mask[v][u], in[(y + v - 1) * columns + x + u - 1], sum);
      out[y * columns + x] = sum;
    }
  ref_expect(&r, "out", out, rows * columns * sizeof *out);
  free(in);
  free(out);
  return 0;
}
