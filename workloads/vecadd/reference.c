#include "../reference.h"

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t n = ref_var(&r, "n");
  float *a = ref_uniform_f32(n, -1, 1, 1);
  float *b = ref_uniform_f32(n, -1, 1, 2);
  float *c = ref_alloc(n, sizeof *c);
  for (size_t i = 0; i < n; i++)
    c[i] = a[i] + b[i];
  ref_expect(&r, "c", c, n * sizeof *c);
  free(a);
  free(b);
  free(c);
  return 0;
}
