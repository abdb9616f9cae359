#include "../reference.h"

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t n = ref_var(&r, "n"), height = ref_var(&r, "height"), columns = ref_var(&r, "columns");
  uint32_t *data = ref_alloc(n, sizeof *data), *sums = ref_alloc(n / 256, sizeof *sums), sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    sum += ref_hash(1, i) % 100;
    data[i] = sum;
    sums[i / 256] = sum;
  }
  uint32_t *image = ref_alloc((size_t)height * 1920, sizeof *image);
  for (uint32_t y = 0; y < height; y++) {
    uint32_t row = 0;
    for (uint32_t x = 0; x < 1920; x++) {
      uint32_t i = y * 1920 + x;
      row += ref_hash(2, i) & 0xff;
      image[i] = row + (y > 0 && x < columns ? image[i - 1920] : 0);
    }
  }
  ref_expect(&r, "data", data, n * sizeof *data);
  ref_expect(&r, "sums", sums, n / 256 * sizeof *sums);
  ref_expect(&r, "integral", image, (size_t)height * 1920 * sizeof *image);
  free(data);
  free(sums);
  free(image);
  return 0;
}
