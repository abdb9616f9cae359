#include "../reference.h"

#include <math.h>

// A tile's valid cells are those that steps over the whole chip would give.
int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t n = ref_var(&r, "n"), height = ref_var(&r, "height"), launches = ref_var(&r, "launches");
  size_t cells = n * n;
  double cell = 0.016 / (double)n;
  float capacity = (float)(437.5 * cell * cell), rz = (float)(0.0005 / (100 * cell * cell));
  float rate = 1.4583333e-7f / capacity, gx = 1.0f / 10.0f, gy = 1.0f / 10.0f, gz = 1.0f / rz;
  float *power = ref_uniform_f32(cells, 0, 0.01, 1);
  float *even = ref_uniform_f32(cells, 320, 345, 2); // results of an even number of launches
  float *odd = ref_alloc(cells, sizeof *odd);
  float *now = ref_alloc(cells, sizeof *now), *next = ref_alloc(cells, sizeof *next);

  for (size_t l = 0; l < launches; l++) {
    memcpy(now, l % 2 ? odd : even, cells * sizeof *now);
    for (size_t s = 0; s < height; s++) {
      for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++) {
          float here = now[y * n + x];
          float north = now[(y > 0 ? y - 1 : y) * n + x];
          float south = now[(y + 1 < n ? y + 1 : y) * n + x];
          float west = now[y * n + (x > 0 ? x - 1 : x)];
          float east = now[y * n + (x + 1 < n ? x + 1 : x)];
          double gain = fma(fma(-2.0, (double)here, (double)(south + north)), (double)gy,
                            (double)power[y * n + x]);
          gain = fma(fma(-2.0, (double)here, (double)(east + west)), (double)gx, gain);
          gain += (double)((80.0f - here) * gz);
          next[y * n + x] = (float)fma((double)rate, gain, (double)here);
        }
      memcpy(now, next, cells * sizeof *now);
    }
    memcpy(l % 2 ? even : odd, now, cells * sizeof *now);
  }
  ref_expect(&r, "odd", odd, cells * sizeof *odd);
  ref_expect(&r, "even", even, cells * sizeof *even);
  free(power);
  free(even);
  free(odd);
  free(now);
  free(next);
  return 0;
}
