#include "../reference.h"

#include <math.h>

enum { SAMPLERS = 512, PIECE = 24576 };

// The range is estimated in f32 and in the kernel's order; the histogram itself is a plain count.
static void estimate(const uint32_t *image, uint32_t pixels, uint32_t blocks, uint32_t range[2]) {
  uint32_t share = pixels / blocks;
  range[0] = UINT32_MAX;
  range[1] = 0;
  for (uint32_t b = 0; b < blocks; b++) {
    float mean[SAMPLERS], deviation[SAMPLERS];
    uint32_t from = b * share, to = from + share / 8;
    for (uint32_t t = 0; t < SAMPLERS; t++) {
      float sum = 0, squares = 0, count = 0;
      for (uint32_t i = from + t; i < to; i += SAMPLERS, count++)
        sum += (float)image[i];
      mean[t] = sum / count;
      for (uint32_t i = from + t; i < to; i += SAMPLERS) {
        float d = (float)image[i] - mean[t];
        squares = fmaf(d, d, squares);
      }
      deviation[t] = sqrtf(squares / count);
    }
    for (uint32_t half = SAMPLERS / 2; half >= 1; half /= 2)
      for (uint32_t t = 0; t < half; t++) {
        mean[t] += mean[t + half];
        deviation[t] += deviation[t + half];
      }
    float centre = mean[0] / SAMPLERS, sigma = deviation[0] / SAMPLERS;
    uint32_t low = (uint32_t)fmaf(-10, sigma, centre) / PIECE;
    uint32_t high = (uint32_t)fmaf(10, sigma, centre) / PIECE;
    if (low < range[0]) range[0] = low;
    if (high > range[1]) range[1] = high;
  }
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t width = ref_var(&r, "width"), height = ref_var(&r, "height");
  uint32_t bins = ref_var(&r, "bins"), spread = ref_var(&r, "spread");
  uint32_t images = ref_var(&r, "images");
  uint32_t pixels = width * height;
  uint32_t *image = ref_alloc(pixels, sizeof *image);
  for (uint32_t i = 0; i < pixels; i++) {
    uint32_t kind = ref_hash(1, i), a = ref_hash(2, i), b = ref_hash(3, i);
    int64_t bell = (int64_t)(a & 65535) + (a >> 16) + (b & 65535) + (b >> 16) - 131070;
    image[i] = kind % 4096 == 0 ? a % bins
               : kind % 64 == 1 ? bins / 2 + a % 4
                                : (uint32_t)(bins / 2 + bell / (int64_t)spread);
  }
  uint32_t *range = ref_alloc(2 * (size_t)images, sizeof *range);
  for (uint32_t i = 0; i < images; i++)
    estimate(image, pixels, ref_var(&r, "samples"), range + 2 * i);
  if (range[0] != ref_var(&r, "low") || range[1] != ref_var(&r, "high"))
    fprintf(stderr, "range is %u to %u\n", range[0], range[1]);
  uint8_t *result = ref_alloc(bins, sizeof *result);
  for (uint32_t i = 0; i < pixels; i++)
    if (result[image[i]] < 255) result[image[i]]++;
  ref_expect(&r, "range", range, 2 * images * sizeof *range);
  ref_expect(&r, "result", result, bins);
  free(image);
  free(range);
  free(result);
  return 0;
}
