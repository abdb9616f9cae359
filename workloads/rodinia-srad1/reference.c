#include "../reference.h"
#include "../suite.h"

enum { BLOCK = 512 };

// One launch of the reduction: in each group of `BLOCK` a tree over the largest power of two that
// fits, its upper half the result, then what is left over, one after the other.
static void reduce(float *sum, size_t count, size_t stride) {
  size_t blocks = (count + BLOCK - 1) / BLOCK;
  for (size_t b = 0; b < blocks; b++) {
    size_t size = b + 1 < blocks ? BLOCK : count - b * BLOCK, full = 1;
    float part[BLOCK];
    while (full * 2 <= size)
      full *= 2;
    for (size_t t = 0; t < full; t++)
      part[t] = sum[(b * BLOCK + t) * stride];
    for (size_t width = full / 2; width; width /= 2)
      for (size_t t = 0; t < width; t++)
        part[t] = part[2 * t + 1] + part[2 * t];
    for (size_t i = b * BLOCK + full; i < b * BLOCK + size; i++) // without the stride
      part[0] = part[0] + sum[i];
    sum[b * stride * BLOCK] = part[0];
  }
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t rows = ref_var(&r, "rows"), columns = ref_var(&r, "columns");
  size_t steps = ref_var(&r, "steps"), pixels = rows * columns;
  const float lambda = 0.5f;
  float *image = ref_alloc(pixels, sizeof *image), *c = ref_alloc(pixels, sizeof *c);
  float *sum = ref_alloc(pixels, sizeof *sum), *sum2 = ref_alloc(pixels, sizeof *sum2);
  float *difference[4]; // north, south, west, east
  for (int d = 0; d < 4; d++)
    difference[d] = ref_alloc(pixels, sizeof **difference);
  for (size_t i = 0; i < pixels; i++)
    image[i] = suite_expf((float)(ref_hash(1, i) % 256) / 255.0f);
  for (size_t step = 0; step < steps; step++) {
    float speckle = (float)(0.08 / (1.0 + (double)step));
    for (size_t i = 0; i < pixels; i++) {
      sum[i] = image[i];
      sum2[i] = image[i] * image[i];
    }
    for (size_t count = pixels, stride = 1; count > 1;
         count = (count + BLOCK - 1) / BLOCK, stride *= BLOCK) {
      reduce(sum, count, stride);
      reduce(sum2, count, stride);
    }
    for (size_t x = 0; x < columns; x++)
      for (size_t y = 0; y < rows; y++) {
        size_t p = x * rows + y;
        float own = image[p];
        float n = y ? image[p - 1] - own : 0.0f;
        float s = y + 1 < rows ? image[p + 1] - own : 0.0f;
        float w = x ? image[p - rows] - own : 0.0f;
        float e = x + 1 < columns ? image[p + rows] - own : 0.0f;
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
    for (size_t x = 0; x < columns; x++)
      for (size_t y = 0; y < rows; y++) {
        size_t p = x * rows + y;
        float d = c[p] * difference[0][p];
        d = fmaf(y + 1 < rows ? c[p + 1] : c[p], difference[1][p], d);
        d = fmaf(c[p], difference[2][p], d);
        d = fmaf(x + 1 < columns ? c[p + rows] : c[p], difference[3][p], d);
        image[p] = (float)fma(0.25 * lambda, d, image[p]);
      }
  }
  for (size_t i = 0; i < pixels; i++)
    image[i] = suite_logf(image[i]) * 255.0f;
  ref_expect(&r, "image", image, pixels * sizeof *image);
  ref_expect(&r, "coefficient", c, pixels * sizeof *c);
  ref_expect(&r, "sum", sum, pixels * sizeof *sum);
  ref_expect(&r, "sum2", sum2, pixels * sizeof *sum2);
  free(image);
  free(c);
  free(sum);
  free(sum2);
  for (int d = 0; d < 4; d++)
    free(difference[d]);
  return 0;
}
