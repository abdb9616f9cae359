#include "../reference.h"

static int32_t max(int32_t a, int32_t b) {
  return a > b ? a : b;
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t n = ref_var(&r, "n"), w = n + 1;
  const int32_t penalty = 10;
  int32_t *score = ref_alloc((size_t)w * w, sizeof *score);
  for (uint32_t i = 0; i <= n; i++)
    score[i] = score[(size_t)i * w] = -10 * (int32_t)i;
  for (uint32_t y = 0; y < n; y++)
    for (uint32_t x = 0; x < n; x++) {
      int32_t gain = -10 + (int32_t)(ref_hash(1, (uint64_t)y * n + x) % 21);
      const int32_t *above = score + (size_t)y * w + x, *left = above + w;
      score[(size_t)(y + 1) * w + x + 1] =
          max(above[0] + gain, max(left[0] - penalty, above[1] - penalty));
    }
  ref_expect(&r, "score", score, (size_t)w * w * sizeof *score);
  free(score);
  return 0;
}
