#include "../reference.h"

#include <math.h>

// The order of the kernel's additions: each lane's share, then __shfl_down_sync by 16, 8, 4, 2
// and 1.
static float row_sum(const float *value, const float *x, uint32_t begin, uint32_t end,
                     uint32_t rows, uint32_t average) {
  float lane[32] = {0};
  for (uint32_t j = begin; j < end; j++) {
    uint32_t near = j / average + ref_hash(3, j) % 256;
    uint32_t column =
        ref_hash(2, j) % 4 ? (near < rows - 1 ? near : rows - 1) : ref_hash(3, j) % rows;
    uint32_t l = (j - begin) % 32;
    lane[l] = fmaf(value[j], x[column], lane[l]);
  }
  for (uint32_t delta = 16; delta > 0; delta /= 2) {
    for (uint32_t l = 0; l < delta; l++)
      lane[l] += lane[l + delta];
  }
  return lane[0];
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t rows = ref_var(&r, "rows"), average = ref_var(&r, "average");
  uint32_t *start = ref_row_start(rows, average, 1);
  float *value = ref_uniform_f32((size_t)rows * average, -1, 1, 4);
  float *x = ref_uniform_f32(rows, -1, 1, 5);
  float *y = ref_alloc(rows, sizeof *y);
  for (uint32_t row = 0; row < rows; row++)
    y[row] = row_sum(value, x, start[row], start[row + 1], rows, average);
  ref_expect(&r, "y", y, rows * sizeof *y);
  free(start);
  free(value);
  free(x);
  free(y);
  return 0;
}
