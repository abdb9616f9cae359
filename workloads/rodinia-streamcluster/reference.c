#include "../reference.h"

#include <math.h>

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t points = ref_var(&r, "points"), dimensions = ref_var(&r, "dimensions");
  size_t rounds = ref_var(&r, "rounds"), centres = 16, stride = centres + 1;
  float *coordinate = ref_uniform_f32(points * dimensions, 0, 1, 1);
  float *work = ref_alloc((points + 1) * stride, sizeof *work);
  uint8_t *moves = ref_alloc(points, sizeof *moves);
  size_t x =
      ref_hash(4, rounds - 1) % points; // the last round's, which nothing before it matters to
  float *sum = ref_alloc(points, sizeof *sum);
  for (size_t d = 0; d < dimensions; d++)
    for (size_t p = 0; p < points; p++) {
      float difference = coordinate[d * points + p] - coordinate[d * points + x];
      sum[p] = fmaf(difference, difference, sum[p]);
    }
  for (size_t p = 0; p < points; p++) {
    size_t centre = ref_hash(2, p * 8 + 4) % centres;
    double n = (double)dimensions, h = ref_hash(3, p * 8 + 6);
    float cost = (float)(n / 6.0 - sqrt(n * 7 / 180.0) * (0.9 + 1.7 * h / 4294967296.0));
    if (sum[p] < cost) {
      moves[p] = 1;
      work[p * stride + centres] += sum[p] - cost;
    } else {
      work[p * stride + centre] += cost - sum[p];
    }
  }
  ref_expect(&r, "work", work, (points + 1) * stride * sizeof *work);
  ref_expect(&r, "moves", moves, points);
  free(coordinate);
  free(work);
  free(moves);
  free(sum);
  return 0;
}
