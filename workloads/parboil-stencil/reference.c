#include "../reference.h"

#include <math.h>

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t nx = ref_var(&r, "nx"), ny = ref_var(&r, "ny"), nz = ref_var(&r, "nz");
  uint32_t sweeps = ref_var(&r, "sweeps");
  size_t n = nx * ny * nz;
  float *cells = ref_alloc(2 * n, sizeof *cells); // two boxes, the same at first
  for (size_t i = 0; i < 2 * n; i++)
    cells[i] = (float)(ref_hash(1, i % n) % 1000 / 1000.0);
  for (uint32_t s = 0; s < sweeps; s++) {
    const float *from = cells + (s % 2 ? n : 0);
    float *to = cells + (s % 2 ? 0 : n);
    for (size_t z = 1; z < nz - 1; z++)
      for (size_t y = 1; y < ny - 1; y++)
        for (size_t x = 1; x < nx - 1; x++) {
          size_t i = (z * ny + y) * nx + x;
          float sum = from[i - 1] + from[i + 1];
          sum += from[i + nx];
          sum += from[i - nx];
          sum += from[i + nx * ny];
          sum += from[i - nx * ny];
          to[i] = fmaf(sum, 1.0f / 36.0f, -(from[i] * (1.0f / 6.0f)));
        }
  }
  ref_expect(&r, "cells", cells, 2 * n * sizeof *cells);
  free(cells);
  return 0;
}
