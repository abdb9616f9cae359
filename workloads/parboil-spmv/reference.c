#include "../reference.h"

#include <math.h>

// Row by row: a row's elements are summed in the order of its diagonals.
int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t lo = ref_var(&r, "lo"), groups = ref_var(&r, "r"), m = ref_var(&r, "m");
  uint32_t band = ref_var(&r, "band"), n = 32 * groups * m;
  float *x = ref_uniform_f32(n, 0, 1, 2);
  float *y = ref_alloc(n, sizeof *y);
  for (uint32_t place = 0; place < n; place++) {
    uint32_t group = place / (32 * m), length = lo + groups - 1 - group;
    uint32_t row = (place % (32 * m) / 8 * groups + group) * 8 + place % 8;
    size_t start = 0; // of the diagonal
    float sum = 0;
    for (uint32_t d = 0; d < length; d++) {
      uint32_t run = d * 3 / length;
      int64_t column =
          (int64_t)row + ((int64_t)run - 1) * band - length / 6 + d - (run * length + 2) / 3;
      float value = (float)(-1 + 2.0 * ref_hash(1, start + place) / 4294967296.0);
      sum = fmaf(value, x[(column + n) % n], sum);
      // rows that have an element d: those of the groups whose rows are longer
      start += 32 * (size_t)m * (d < lo ? groups : groups - 1 - (d - lo));
    }
    y[row] = sum;
  }
  ref_expect(&r, "y", y, n * sizeof *y);
  free(x);
  free(y);
  return 0;
}
