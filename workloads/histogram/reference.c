#include "../reference.h"

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t n = ref_var(&r, "n"), repeats = ref_var(&r, "repeats");
  uint32_t bins[256] = {0};
  for (uint32_t i = 0; i < n; i++) {
    uint32_t word = ref_hash(1, i) & ref_hash(2, i);
    for (int byte = 0; byte < 4; byte++)
      bins[word >> (8 * byte) & 255] += repeats;
  }
  ref_expect(&r, "by_global", bins, sizeof bins);
  ref_expect(&r, "by_shared", bins, sizeof bins);
  return 0;
}
