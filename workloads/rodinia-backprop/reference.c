#include "../reference.h"

#include <math.h>

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t in = ref_var(&r, "n"), hidden = 16, row = hidden + 1, count = (in + 1) * row;
  float *unit = ref_uniform_f32(in + 1, 0, 1, 1);
  float *weight = ref_uniform_f32(count, 0, 1, 2);
  float *change = ref_uniform_f32(count, -0.1, 0.1, 3);
  float *delta = ref_uniform_f32(row, -0.01, 0.01, 4);
  float *used = ref_alloc(count, sizeof *used); // the forward pass leaves its sums in the weights
  float *partial = ref_alloc(in, sizeof *partial);

  memcpy(used, weight, count * sizeof *used);
  for (size_t group = 0; group < in / 16; group++)
    for (size_t j = 0; j < hidden; j++) {
      float sum[16];
      for (size_t y = 0; y < 16; y++) {
        size_t i = group * 16 + y + 1;
        sum[y] = weight[i * row + j + 1] * unit[i];
      }
      for (size_t d = 1; d < 16; d *= 2)
        for (size_t y = 0; y < 16; y += 2 * d)
          sum[y] = sum[y] + sum[y + d];
      for (size_t y = 0; y < 16; y++)
        used[(group * 16 + y + 1) * row + j + 1] = sum[y];
      partial[group * hidden + j] = sum[0];
    }

  for (size_t i = 0; i <= in; i++)
    for (size_t j = 1; j <= hidden; j++) {
      double slope = 0.3 * delta[j];
      float *w = &weight[i * row + j], *c = &change[i * row + j];
      double step = i == 0 ? fma(0.3, (double)*c, slope) : fma(slope, (double)unit[i], 0.3 * *c);
      *w = (float)(*w + step);
      *c = (float)step;
    }

  ref_expect(&r, "used", used, count * sizeof *used);
  ref_expect(&r, "partial", partial, in * sizeof *partial);
  ref_expect(&r, "weight", weight, count * sizeof *weight);
  ref_expect(&r, "change", change, count * sizeof *change);
  free(unit);
  free(weight);
  free(change);
  free(delta);
  free(used);
  free(partial);
  return 0;
}
