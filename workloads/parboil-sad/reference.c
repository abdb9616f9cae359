#include "../reference.h"

enum { RANGE = 16, SIDE = 33, PLACES = SIDE * SIDE, PADDED = 1096 };

static int clamp(int v, int size) {
  return v < 0 ? 0 : v >= size ? size - 1 : v;
}

// Every shape straight from the differences of pixels: shapes of w x h blocks of 4 x 4.
int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  int mw = (int)ref_var(&r, "mw"), mh = (int)ref_var(&r, "mh");
  int rows = (int)ref_var(&r, "rows");
  int width = mw * 16, height = mh * 16, mbs = mw * mh;
  uint16_t *before = ref_alloc((size_t)width * (size_t)height, sizeof *before);
  uint16_t *frame = ref_alloc((size_t)width * (size_t)height, sizeof *frame);
  for (int i = 0; i < width * height; i++)
    before[i] = (uint16_t)((i % width * 3 + i / width * 5) % 128 + ref_hash(1, (uint64_t)i) % 124);
  for (int i = 0; i < width * height; i++) {
    int x = clamp(i % width + 3, width), y = clamp(i / width - 2, height);
    frame[i] = (uint16_t)(before[y * width + x] + ref_hash(2, (uint64_t)i) % 4);
  }

  size_t count = (size_t)mbs * 41 * PADDED;
  uint16_t *sums = ref_alloc(count, sizeof *sums);
  static const struct {
    int first, w, h;
  } shapes[] = {{0, 4, 4}, {1, 4, 2}, {3, 2, 4}, {5, 2, 2}, {9, 2, 1}, {17, 1, 2}, {25, 1, 1}};
  for (int mb = 0; mb < mbs; mb++)
    for (int place = 0; place < PLACES; place++) {
      int small[16];
      for (int b = 0; b < 16; b++) {
        int x0 = mb % mw * 16 + b % 4 * 4, y0 = mb / mw * 16 + b / 4 * 4;
        small[b] = 0;
        if (y0 >= rows * 4) continue; // not searched
        for (int p = 0; p < 16; p++) {
          int x = x0 + p % 4, y = y0 + p / 4;
          int u = clamp(x - RANGE + place % SIDE, width),
              v = clamp(y - RANGE + place / SIDE, height);
          small[b] += abs(before[v * width + u] - frame[y * width + x]);
        }
      }
      for (int s = 0; s < 7; s++) {
        int w = shapes[s].w, h = shapes[s].h, across = 4 / w, parts = 16 / (w * h);
        for (int part = 0; part < parts; part++) {
          int sum = 0;
          for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++)
              sum += small[(part / across * h + y) * 4 + part % across * w + x];
          size_t at = (size_t)(shapes[s].first * mbs + mb * parts + part) * PADDED;
          sums[at + (size_t)place] = (uint16_t)sum;
        }
      }
    }
  ref_expect(&r, "sums", sums, count * sizeof *sums);
  free(before);
  free(frame);
  free(sums);
  return 0;
}
