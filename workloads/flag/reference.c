#include "../reference.h"

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t n = ref_var(&r, "n"), entries = ref_var(&r, "entries"), rounds = ref_var(&r, "rounds");
  uint32_t *copies = ref_alloc(n, sizeof *copies);
  uint32_t *sums = ref_alloc(n, sizeof *sums);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    copies[i] = (i * 7 + rounds) % entries * 2654435761u + rounds + i;
    sum += ref_hash(1, i);
    sums[i] = sum;
  }
  ref_expect(&r, "copies", copies, n * sizeof *copies);
  ref_expect(&r, "sums", sums, n * sizeof *sums);
  free(copies);
  free(sums);
  return 0;
}
