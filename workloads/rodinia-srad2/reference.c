#include "../reference.h"

#include <math.h>

// Pixel by pixel, without tiles. Neighbours outside the image are the pixel itself.
int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t rows = ref_var(&r, "rows"), columns = ref_var(&r, "columns");
  size_t steps = ref_var(&r, "steps"), pixels = rows * columns;
  const float lambda = 0.5f;
  // With a row before and one after it, of which nothing is used.
  float *padded = ref_uniform_f32((rows + 2) * columns, 1, 2.75, 1), *image = padded + columns;
  float *c = ref_alloc(pixels + columns, sizeof *c);
  float *difference[4]; // north, south, west, east
  for (int d = 0; d < 4; d++)
    difference[d] = ref_alloc(pixels, sizeof **difference);
  for (size_t step = 0; step < steps; step++) {
    float speckle = (float)(0.08 / (1.0 + (double)step));
    for (size_t y = 0; y < rows; y++)
      for (size_t x = 0; x < columns; x++) {
        size_t p = y * columns + x;
        float own = image[p];
        float n = y ? image[p - columns] - own : 0.0f;
        float s = y + 1 < rows ? image[p + columns] - own : 0.0f;
        float w = x ? image[p - 1] - own : 0.0f;
        float e = x + 1 < columns ? image[p + 1] - own : 0.0f;
        float gradient = fmaf(e, e, fmaf(w, w, fmaf(s, s, n * n))) / (own * own);
        float laplace = (n + s + w + e) / own;
        float q = (float)(0.5 * gradient - 0.0625 * (double)(laplace * laplace));
        float below = (float)(1.0 + 0.25 * laplace);
        q = q / (below * below);
        float excess = (q - speckle) / (speckle * (1.0f + speckle));
        float v = (float)(1.0 / (1.0 + excess));
        c[p] = v < 0.0f ? 0.0f : v > 1.0f ? 1.0f : v;
        difference[0][p] = n;
        difference[1][p] = s;
        difference[2][p] = w;
        difference[3][p] = e;
      }
    for (size_t y = 0; y < rows; y++)
      for (size_t x = 0; x < columns; x++) {
        size_t p = y * columns + x;
        float d = c[p] * difference[0][p];
        d = fmaf(y + 1 < rows ? c[p + columns] : c[p], difference[1][p], d);
        d = fmaf(c[p], difference[2][p], d);
        d = fmaf(x + 1 < columns ? c[p + 1] : c[p], difference[3][p], d);
        image[p] = (float)fma(0.25 * lambda, d, image[p]);
      }
  }
  ref_expect(&r, "image", padded, (rows + 2) * columns * sizeof *image);
  ref_expect(&r, "coefficient", c, (pixels + columns) * sizeof *c);
  free(padded);
  free(c);
  for (int d = 0; d < 4; d++)
    free(difference[d]);
  return 0;
}
