#include "../mars-pvc/mars_reference.h"

#include <math.h>

static int compare(const uint8_t *first, const uint8_t *second) {
  float a, b;
  memcpy(&a, first, sizeof a);
  memcpy(&b, second, sizeof b);
  if (fabsf(a - b) < 1e-7f) return 0;
  return a < b ? 1 : -1;
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t docs = ref_var(&r, "docs"), features = ref_var(&r, "features");
  uint32_t scores = ref_var(&r, "scores"), size = 1u << ref_var(&r, "log");
  uint32_t n = docs * (docs - 1) / 2;
  uint32_t *matrix = ref_hash_u32((size_t)docs * features, 1);
  for (size_t i = 0; i < (size_t)docs * features; i++)
    matrix[i] %= 100;

  struct mars m = {.keys = ref_alloc(n, 4), .vals = ref_alloc(n, 8), .compare = compare};
  struct mars_entry *index = ref_alloc(size + 1, sizeof *index);
  m.out_keys = ref_alloc(n, 4);
  m.out_vals = ref_alloc(n, 8);
  m.ranges = ref_alloc(n, sizeof *m.ranges);
  m.index = index + 1;
  int32_t keys = 0, vals = 0;
  uint32_t record = 0;
  for (uint32_t p = 0; p < docs; p++)
    for (uint32_t q = p + 1; q < docs; q++) {
      uint32_t dot = 0, square_p = 0, square_q = 0, pair[2] = {p, q};
      for (uint32_t f = 0; f < features; f++) {
        uint32_t a = matrix[p * features + f], b = matrix[q * features + f];
        dot += a * b;
        square_p += a * a;
        square_q += b * b;
      }
      float score = (float)dot / (sqrtf((float)square_p) * sqrtf((float)square_q));
      mars_add(&m, record++, &score, pair, sizeof score, sizeof pair, &keys, &vals);
    }
  mars_want("scores", mars_group(&m, n, size), scores);

  ref_expect(&r, "index", index, (size + 1) * sizeof *index);
  ref_expect(&r, "out_keys", m.out_keys, (size_t)n * 4);
  ref_expect(&r, "out_vals", m.out_vals, (size_t)n * 8);
  ref_expect(&r, "ranges", m.ranges, scores * sizeof *m.ranges);
  free(matrix);
  free(index);
  free(m.keys);
  free(m.vals);
  free(m.out_keys);
  free(m.out_vals);
  free(m.ranges);
  return 0;
}
