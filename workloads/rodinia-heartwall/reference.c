#include "../reference.h"

#include <math.h>

// Pixels and templates are small integers until the last frame updates the templates, so all sums
// are exact whatever their order: here they are made straight from the windows, in integers.
int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  long points = ref_var(&r, "points"), t = ref_var(&r, "t"), s = ref_var(&r, "s");
  long frames = ref_var(&r, "frames"), rows = ref_var(&r, "rows"), columns = ref_var(&r, "columns");
  const long reach = 10;
  const float alpha = 0.87f;
  long small = 2 * t + 1, large = 2 * s + 1, wide = small + large - 1;
  size_t slice = (size_t)(wide * wide + 63) / 64 * 64;
  size_t pixels = (size_t)(rows * columns);
  int32_t *film = ref_alloc(pixels * (size_t)frames, sizeof *film);
  for (size_t i = 0; i < pixels * (size_t)frames; i++) {
    size_t f = i / pixels, y = i % pixels % (size_t)rows, x = i % pixels / (size_t)rows;
    film[i] =
        (int32_t)(1 + ref_hash(1, (y + 2 * f) / 4 * 1000 + (x + f) / 4) % 40 + ref_hash(2, i) % 8);
  }
  int32_t *row_of = ref_alloc((size_t)points, sizeof *row_of);
  int32_t *column_of = ref_alloc((size_t)points, sizeof *column_of);
  int32_t *row_at = ref_alloc((size_t)(points * frames), sizeof *row_at);
  int32_t *column_at = ref_alloc((size_t)(points * frames), sizeof *column_at);
  float *templates = ref_alloc((size_t)(points * small * small), sizeof *templates);
  float *results = ref_alloc((size_t)points * slice, sizeof *results);
  for (long p = 0; p < points; p++) {
    double radius = (double)(p % 5 < 2 ? rows / 5 : rows / 4),
           turn = 4.0 * (double)p / (double)points;
    long y = rows / 2 + (long)(radius * (fabs(fmod(turn, 4) - 2) - 1));
    long x = columns / 2 + (long)(radius * (fabs(fmod(turn + 1, 4) - 2) - 1));
    row_at[p * frames] = (int32_t)y;
    column_at[p * frames] = (int32_t)x;
    float *own = templates + p * small * small, *result = results + (size_t)p * slice;
    long total = 0, total_square = 0;
    for (long e = 0; e < small * small; e++) {
      long v = film[(x - t + e / small - 1) * rows + y - t + e % small - 1];
      own[e] = (float)v;
      total += v;
      total_square += v * v;
    }
    float count = (float)(small * small), mean = (float)total / count;
    float variance = fmaf(-mean, mean, (float)total_square / count);
    float spread = sqrtf(count - 1.0f) * sqrtf(variance);
    for (long f = 1; f < frames; f++) {
      const int32_t *frame = film + (size_t)f * pixels;
      float best = 0.0f;
      long best_at = 0;
      for (long e = 0; e < wide * wide; e++) {
        long row = e % wide, column = e / wide, sum = 0, sum_square = 0, product = 0;
        // The template's upper left corner is small - 1 above and left of this row and column of
        // the area.
        for (long b = 0; b < small; b++)
          for (long a = 0; a < small; a++) {
            long i = row - small + 1 + a, j = column - small + 1 + b;
            if (i < 0 || j < 0 || i >= large || j >= large) continue;
            long v = frame[(x - s - 1 + j) * rows + y - s - 1 + i];
            sum += v;
            sum_square += v * v;
            product += v * (long)own[b * small + a];
          }
        float window = (float)sum_square - (float)sum * (float)sum / count;
        if (window < 0.0f) window = 0.0f;
        float divisor = sqrtf(window) * spread;
        float correlation = ((float)product - (float)sum * (float)total / count) / divisor;
        // The last place lies from reach / 2 - reach + 1 to reach / 2 beyond this one.
        long away_row = s + t + row_at[p * frames + f - 1] - y - row;
        long away_column = s + t + column_at[p * frames + f - 1] - x - column;
        int near = away_row > reach / 2 - reach && away_row <= reach / 2 &&
                   away_column > reach / 2 - reach && away_column <= reach / 2;
        result[e] = correlation * (near ? 1.0f : 0.0f);
        if (fabsf(result[e]) > best) {
          best = fabsf(result[e]);
          best_at = e;
        }
      }
      row_at[p * frames + f] = (int32_t)(y + best_at % wide - (s + t));
      column_at[p * frames + f] = (int32_t)(x + best_at / wide - (s + t));
    }
    row_of[p] = row_at[p * frames + frames - 1];
    column_of[p] = column_at[p * frames + frames - 1];
    const int32_t *last = film + (size_t)(frames - 1) * pixels;
    for (long e = 0; e < small * small; e++) {
      int32_t v = last[(column_of[p] - t + e / small - 1) * rows + row_of[p] - t + e % small - 1];
      own[e] = (float)fma(1.0 - alpha, v, alpha * own[e]);
    }
  }
  ref_expect(&r, "row", row_of, (size_t)points * sizeof *row_of);
  ref_expect(&r, "column", column_of, (size_t)points * sizeof *column_of);
  ref_expect(&r, "row_at", row_at, (size_t)(points * frames) * sizeof *row_at);
  ref_expect(&r, "column_at", column_at, (size_t)(points * frames) * sizeof *column_at);
  ref_expect(&r, "template", templates, (size_t)(points * small * small) * sizeof *templates);
  ref_expect(&r, "result", results, (size_t)points * slice * sizeof *results);
  free(film);
  free(row_of);
  free(column_of);
  free(row_at);
  free(column_at);
  free(templates);
  free(results);
  return 0;
}
