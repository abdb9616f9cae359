#include "../reference.h"

// Keys below 65536: a counting sort is stable, as the kernels' merges are. Each stretch that the
// last doubling has merged is sorted for itself.
int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t n = ref_var(&r, "n"), levels = ref_var(&r, "levels");
  uint32_t stretch = ref_var(&r, "sorted") << levels, *start = ref_alloc(65537, sizeof *start);
  uint32_t *key = ref_alloc(n, sizeof *key), *value = ref_alloc(n, sizeof *value);
  for (uint32_t first = 0; first < n; first += stretch) {
    memset(start, 0, 65537 * sizeof *start);
    for (uint32_t i = first; i < first + stretch; i++)
      start[ref_hash(1, i) % 65536 + 1]++;
    for (uint32_t k = 0; k < 65536; k++)
      start[k + 1] += start[k];
    for (uint32_t i = first; i < first + stretch; i++) {
      uint32_t k = ref_hash(1, i) % 65536, place = first + start[k]++;
      key[place] = k;
      value[place] = i;
    }
  }
  ref_expect(&r, levels & 1 ? "key_b" : "key_a", key, n * sizeof *key);
  ref_expect(&r, levels & 1 ? "value_b" : "value_a", value, n * sizeof *value);
  free(start);
  free(key);
  free(value);
  return 0;
}
