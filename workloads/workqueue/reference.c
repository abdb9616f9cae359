#include "../reference.h"

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t items = ref_var(&r, "items"), average = ref_var(&r, "average");
  size_t words = (size_t)items * average;
  uint32_t *start = ref_row_start(items, average, 1);
  uint32_t *out = ref_hash_u32(words, 2);
  uint32_t *sums = ref_alloc(items, sizeof *sums);
  for (uint32_t item = 0; item < items; item++) {
    for (uint32_t j = start[item]; j < start[item + 1]; j++) {
      uint32_t steps = out[j] >> 28;
      for (uint32_t s = 0; s < steps; s++)
        out[j] = out[j] * 1664525u + 1013904223u;
      sums[item] += out[j];
    }
  }
  ref_expect(&r, "out", out, words * sizeof *out);
  ref_expect(&r, "sums", sums, items * sizeof *sums);
  free(start);
  free(out);
  free(sums);
  return 0;
}
