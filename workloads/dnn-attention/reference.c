#include "../reference.h"

#include "../suite.h"

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t n = ref_var(&r, "n"), d = ref_var(&r, "d"), heads = ref_var(&r, "heads");
  float *query = ref_uniform_f32(heads * n * d, -1, 1, 1);
  float *key = ref_uniform_f32(heads * n * d, -1, 1, 2);
  float *value = ref_uniform_f32(heads * n * d, -1, 1, 3);
  float *score = ref_alloc(heads * n * n, sizeof *score);
  float *out = ref_alloc(heads * n * d, sizeof *out);
  float scale = (float)(1 / sqrt((double)d));
  for (size_t i = 0; i < heads * n; i++) {
    size_t head = i / n;
    float *row = score + i * n, most = -INFINITY, part[128] = {0};
    for (size_t j = 0; j < n; j++) {
      for (size_t c = 0; c < d; c++)
        row[j] = fmaf(query[i * d + c], key[(head * n + j) * d + c], row[j]);
      row[j] *= scale;
      most = fmaxf(most, row[j]);
    }
    for (size_t j = 0; j < n; j++) {
      row[j] = suite_expf(row[j] - most);
      part[j % 128] += row[j];
    }
    for (size_t half = 64; half > 0; half /= 2) // as the block adds
      for (size_t t = 0; t < half; t++)
        part[t] += part[t + half];
    for (size_t j = 0; j < n; j++) {
      row[j] /= part[0];
      for (size_t c = 0; c < d; c++)
        out[i * d + c] = fmaf(row[j], value[(head * n + j) * d + c], out[i * d + c]);
    }
  }
  ref_expect(&r, "score", score, heads * n * n * sizeof *score);
  ref_expect(&r, "out", out, heads * n * d * sizeof *out);
  free(query);
  free(key);
  free(value);
  free(score);
  free(out);
  return 0;
}
