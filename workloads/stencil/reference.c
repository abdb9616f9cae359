#include "../reference.h"

#include <math.h>

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t w = ref_var(&r, "w"), h = ref_var(&r, "h");
  uint32_t steps = ref_var(&r, "steps");
  float *grid = ref_uniform_f32(2 * w * h, 0, 1, 1);
  for (uint32_t k = 0; k < steps; k++) {
    const float *in = grid + (k % 2) * w * h;
    float *out = grid + ((k + 1) % 2) * w * h;
    for (size_t y = 0; y < h; y++) {
      for (size_t x = 0; x < w; x++) {
        size_t i = y * w + x;
        float value = in[i];
        if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
          float sum = (in[i - w] + in[i + w]) + (in[i - 1] + in[i + 1]);
          value = fmaf(0.5f, value, 0.125f * sum);
        }
        out[i] = value;
      }
    }
  }
  ref_expect(&r, "grid", grid, 2 * w * h * sizeof *grid);
  free(grid);
  return 0;
}
