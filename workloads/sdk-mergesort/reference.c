#include "../reference.h"

// Keys below 65536: a counting sort is stable, as the kernels' merges are.
int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t n = ref_var(&r, "sorted") << ref_var(&r, "levels"),
           *start = ref_alloc(65537, sizeof *start);
  uint32_t *key = ref_alloc(n, sizeof *key), *value = ref_alloc(n, sizeof *value);
  for (uint32_t i = 0; i < n; i++)
    start[ref_hash(1, i) % 65536 + 1]++;
  for (uint32_t k = 0; k < 65536; k++)
    start[k + 1] += start[k];
  for (uint32_t i = 0; i < n; i++) {
    uint32_t k = ref_hash(1, i) % 65536, place = start[k]++;
    key[place] = k;
    value[place] = i;
  }
  const char *names[2][2] = {{"key_a", "value_a"}, {"key_b", "value_b"}};
  const char **last = names[ref_var(&r, "levels") & 1];
  ref_expect(&r, last[0], key, n * sizeof *key);
  ref_expect(&r, last[1], value, n * sizeof *value);
  free(start);
  free(key);
  free(value);
  return 0;
}
