#include "../reference.h"

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t n = ref_var(&r, "n"), entries = ref_var(&r, "entries"), hot = ref_var(&r, "hot");
  uint32_t *table = ref_hash_u32(entries, 3);
  uint32_t *out = ref_alloc(n, sizeof *out);
  for (uint32_t i = 0; i < n; i++)
    out[i] = table[ref_hash(2, i) % (ref_hash(1, i) % 2 ? hot : entries)];
  ref_expect(&r, "out", out, n * sizeof *out);
  free(table);
  free(out);
  return 0;
}
