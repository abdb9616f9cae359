#include "../reference.h"

// What is left at the end: the sums of arrays of the last length, and those of their parts.
int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t n = ref_var(&r, "n"), length = 1024u << ref_var(&r, "large");
  uint32_t *from = ref_hash_u32(n, 1), *to = ref_alloc(n, sizeof *to);
  uint32_t *tops = ref_alloc(n / 1024, sizeof *tops);
  for (uint32_t i = 0; i < n; i++) {
    to[i] = i % length ? to[i - 1] + from[i - 1] : 0;
    if (i % 1024 == 0) tops[i / 1024] = to[i];
  }
  ref_expect(&r, "to", to, n * sizeof *to);
  ref_expect(&r, "tops", tops, n / 1024 * sizeof *tops);
  free(from);
  free(to);
  free(tops);
  return 0;
}
