#include "../reference.h"

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t points = ref_var(&r, "points"), features = ref_var(&r, "features");
  float *in = ref_uniform_f32(points * features, 0, 1, 1);
  float *out = ref_alloc(points * features, sizeof *out);
  for (size_t p = 0; p < points; p++) {
    for (size_t f = 0; f < features; f++)
      out[f * points + p] = in[p * features + f];
  }
  ref_expect(&r, "out", out, points * features * sizeof *out);
  free(in);
  free(out);
  return 0;
}
