#include "../reference.h"

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t n = ref_var(&r, "n"), places = ref_var(&r, "places"), passes = ref_var(&r, "passes");
  uint32_t blocks = ref_var(&r, "blocks"), block = ref_var(&r, "block");
  uint32_t *in = ref_hash_u32(n * 4, 1), *table = ref_hash_u32(places * 128, 2);
  uint32_t *out = ref_alloc(blocks * passes, sizeof *out);
  for (uint32_t p = 0; p < passes; p++)
    for (uint32_t i = 0; i < n; i++) {
      uint32_t at = (i + p * 1237 * block) & (n - 1);
      uint32_t place = (uint32_t)((uint64_t)((at / 32 + p) * 0x9e3779b1u) * places >> 32);
      for (uint32_t k = 0; k < 4; k++)
        out[i / block % blocks * passes + p] +=
            in[at * 4 + k] * table[place * 128 + i % 32 * 4 + k];
    }
  ref_expect(&r, "out", out, blocks * passes * sizeof *out);
  free(in);
  free(table);
  free(out);
  return 0;
}
