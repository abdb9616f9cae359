#include "../reference.h"

#include <math.h>

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t rows = ref_var(&r, "rows"), average = ref_var(&r, "average");
  size_t elements = (size_t)rows * average;
  uint32_t *start = ref_row_start(rows, average, 1);
  float *value = ref_uniform_f32(elements, -1, 1, 4);
  float *x = ref_uniform_f32(rows, -1, 1, 5);
  float *y = ref_alloc(rows, sizeof *y);
  for (uint32_t row = 0; row < rows; row++) {
    for (uint32_t j = start[row]; j < start[row + 1]; j++) {
      uint32_t near = j / average + ref_hash(3, j) % 256;
      uint32_t column =
          ref_hash(2, j) % 4 ? (near < rows - 1 ? near : rows - 1) : ref_hash(3, j) % rows;
      y[row] = fmaf(value[j], x[column], y[row]);
    }
  }
  ref_expect(&r, "y", y, rows * sizeof *y);
  free(start);
  free(value);
  free(x);
  free(y);
  return 0;
}
