#include "../reference.h"

// All numbers are small integers, so that the order of the sum does not matter.
int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t planes = ref_var(&r, "planes"), rows = 512, columns = 512;
  size_t height = ref_var(&r, "height"), end = height < rows - 1 ? height : rows - 1;
  size_t count = planes * rows * columns;
  float *in = ref_alloc(count, sizeof *in), *out = ref_alloc(count, sizeof *out);
  for (size_t z = 0; z < planes; z++)
    for (size_t y = 0; y < rows; y++)
      for (size_t x = 0; x < columns; x++)
        in[(z * rows + y) * columns + x] = (float)(z % 12 + 2 * (y % 7) + 3 * (x % 13));
  for (size_t z = 1; z + 1 < planes; z++)
    for (size_t y = 1; y < end; y++)
      for (size_t x = 1; x + 1 < columns; x++) {
        const float *before = in + ((z - 1) * rows + y) * columns + x;
        const float *here = before + rows * columns, *behind = here + rows * columns;
        size_t row = columns;
        float sum = -1 * before[-(long)row - 1] + 21 * behind[-(long)row - 1];
        sum += -3 * here[-(long)row] + 6 * here[0] - 9 * here[row];
        sum += 2 * before[-(long)row + 1] + 5 * before[1] - 8 * before[row + 1];
        sum += 4 * behind[-(long)row + 1] + 7 * behind[1] + 10 * behind[row + 1];
        out[(z * rows + y) * columns + x] = sum;
      }
  ref_expect(&r, "out", out, count * sizeof *out);
  free(in);
  free(out);
  return 0;
}
