#include "../reference.h"
#include "../suite.h"

static float centre(int step, int index) { // as an element of one step's array
  int c = index / 34, f = index % 34;
  return (float)((c * 31 + f * 17) % 23) / 4.0f +
         ((float)((c * 13 + f * 5 + step * 7) % 8) - 3.5f) / (float)(1 << step);
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t points = ref_var(&r, "points"), features = ref_var(&r, "features");
  uint32_t centres = ref_var(&r, "centres"), steps = ref_var(&r, "steps");
  float *column = ref_alloc((size_t)points * features, sizeof *column);
  int32_t *nearest = ref_alloc(points, sizeof *nearest);
  for (uint32_t p = 0; p < points; p++) {
    float row[34];
    for (uint32_t f = 0; f < features; f++) {
      uint32_t i = p * features + f;
      row[f] = (float)((ref_hash(1, p) % 5 * 31 + f * 17) % 23 / 4.0 +
                       ref_hash(2, i) % 4096 / 1024.0 - 2);
      column[(size_t)f * points + p] = row[f];
    }
    float least = 3.40282347e38f; // only the last step's result stays
    for (uint32_t c = 0; c < centres; c++) {
      float sum = 0;
      for (uint32_t f = 0; f < features; f++) {
        float d = row[f] - centre((int)steps - 1, (int)(c * features + f));
        sum = fmaf(d, d, sum);
      }
      if (sum < least) {
        least = sum;
        nearest[p] = (int32_t)c;
      }
    }
  }
  ref_expect(&r, "column", column, (size_t)points * features * sizeof *column);
  ref_expect(&r, "nearest", nearest, points * sizeof *nearest);
  free(column);
  free(nearest);
  return 0;
}
