#include "../reference.h"

static int32_t max(int32_t a, int32_t b) {
  return a > b ? a : b;
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t n = ref_var(&r, "n"), w = ref_var(&r, "across") + 1; // letters, elements of a row
  const int32_t penalty = 10;
  int32_t *score = ref_alloc((size_t)(n + 1) * w, sizeof *score);
  for (uint32_t i = 0; i < w; i++)
    score[i] = -penalty * (int32_t)i;
  for (uint32_t i = 0; i <= n; i++)
    score[(size_t)i * w] = -penalty * (int32_t)i;
  for (uint32_t y = 1; y <= n; y++) {
    int32_t a = (int32_t)(ref_hash(1, y) % 10);
    for (uint32_t x = 1; x <= n; x++) {
      int32_t b = (int32_t)(ref_hash(2, x) % 10);
      int32_t gain = a == b ? 4 + a % 4 : (a * b + a + b) % 6 - 4;
      const int32_t *above = score + (size_t)(y - 1) * w + x - 1, *left = above + w;
      score[(size_t)y * w + x] = max(above[0] + gain, max(left[0], above[1]) - penalty);
    }
  }
  ref_expect(&r, "score", score, (size_t)(n + 1) * w * sizeof *score);
  free(score);
  return 0;
}
