#include "../reference.h"

// A row or column of `count` values, an even number, `apart` elements from one to the next, with
// its ends mirrored.
static void transform(int32_t *v, size_t count, size_t apart) {
  for (size_t i = 1; i < count; i += 2)
    v[i * apart] -= (v[(i - 1) * apart] + v[(i + 1 < count ? i + 1 : i - 1) * apart]) / 2;
  for (size_t i = 0; i < count; i += 2)
    v[i * apart] += (v[(i > 0 ? i - 1 : 1) * apart] + v[(i + 1) * apart] + 2) / 4;
}

// One level: the bands of `in`, which is spoilt, one after the other.
static void level(int32_t *in, int32_t *out, size_t w, size_t h) {
  for (size_t x = 0; x < w; x++)
    transform(in + x, h, w);
  for (size_t y = 0; y < h; y++)
    transform(in + y * w, w, 1);
  for (size_t y = 0; y < h; y++)
    for (size_t x = 0; x < w; x++)
      out[(x % 2 + y % 2 * 2) * (w * h / 4) + y / 2 * (w / 2) + x / 2] = in[y * w + x];
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t w = ref_var(&r, "w"), h = ref_var(&r, "h"), pixels = w * h;
  size_t planes = ref_var(&r, "planes");
  static const char *const plane[3] = {"red", "green", "blue"};
  static const char *const result[3] = {"red_out", "green_out", "blue_out"};
  int32_t *in = ref_alloc(pixels, sizeof *in), *out = ref_alloc(pixels, sizeof *out);
  int32_t *scratch = ref_alloc(pixels, sizeof *scratch);
  for (size_t c = 0; c < 3; c++) {
    for (size_t p = 0; p < pixels; p++) {
      size_t i = 3 * p + c;
      in[p] = (int32_t)((p % w / 4 * (1 + c) + p / w / 3 + ref_hash(1, i) % 24) % 256) - 128;
    }
    memset(out, 0, pixels * sizeof *out);
    if (c < planes) { // the second level goes from `out` to `in`, the third back
      memcpy(scratch, in, pixels * sizeof *in);
      level(scratch, out, w, h);
      memcpy(scratch, out, pixels / 4 * sizeof *in);
      level(scratch, in, w / 2, h / 2);
      memcpy(scratch, in, pixels / 16 * sizeof *in);
      level(scratch, out, w / 4, h / 4);
    }
    ref_expect(&r, plane[c], in, pixels * sizeof *in);
    ref_expect(&r, result[c], out, pixels * sizeof *out);
  }
  free(in);
  free(out);
  free(scratch);
  return 0;
}
