#include "../reference.h"
#include "tables.h"

enum { THREADS = 320, HALF = 256 };

// The change of a step, added up as the block does: by threads, then by a tree.
static float total_change(const float *from, const float *to, size_t count) {
  float sum[THREADS] = {0};
  for (size_t i = 0; i < count; i++)
    sum[i % THREADS] += fabsf(to[i] - from[i]);
  for (size_t t = HALF; t < THREADS; t++)
    sum[t - HALF] += sum[t];
  for (size_t half = HALF / 2; half; half /= 2)
    for (size_t t = 0; t < half; t++)
      sum[t] += sum[t + half];
  return sum[0];
}

static void smooth(float *field, const float *image, long rows, long columns, uint32_t steps) {
  static const float sharpness = (float)(1.0 / 1e-10f);
  float *next = ref_alloc((size_t)(rows * columns), sizeof *next);
  for (uint32_t step = 0; step < steps; step++) {
    for (long i = 0; i < rows; i++)
      for (long j = 0; j < columns; j++) {
        // up, down, left, right, and the corners: right, right, left, left
        static const int di[8] = {-1, 1, 0, 0, -1, 1, -1, 1}, dj[8] = {0, 0, -1, 1, 1, 1, -1, -1};
        float old = field[i * columns + j], sum = 0.0f;
        for (int n = 0; n < 8; n++) {
          long y = i + di[n], x = j + dj[n];
          y = y < 0 ? 0 : y >= rows ? rows - 1 : y;
          x = x < 0 ? 0 : x >= columns ? columns - 1 : x;
          float difference = field[y * columns + x] - old, along = (float)(dj[n] + di[n]);
          float weight = leukocyte_step(difference * along * sharpness);
          sum = n ? fmaf(weight, difference, sum) : weight * difference;
        }
        float value = (float)fma(0.1, sum, old), own = image[i * columns + j];
        next[i * columns + j] = (float)fma(-0.2 * own, value - own, value);
      }
    float change = total_change(field, next, (size_t)(rows * columns));
    memcpy(field, next, (size_t)(rows * columns) * sizeof *field);
    if (change / (float)(rows * columns) < 1e-5f) break;
  }
  free(next);
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  long rows = ref_var(&r, "rows"), columns = ref_var(&r, "columns");
  uint32_t cells = ref_var(&r, "cells"), frames = ref_var(&r, "frames");
  uint32_t steps = ref_var(&r, "steps");
  int circles = (int)ref_var(&r, "circles"), size = (int)ref_var(&r, "disk");
  long margin = MARGIN(circles), high = ref_var(&r, "high"), edge = (DISK - size) / 2;
  size_t pixels = (size_t)(rows * columns);
  float *gradient_x = ref_uniform_f32(pixels, -1, 1, 1);
  float *gradient_y = ref_uniform_f32(pixels, -1, 1, 2);
  float *score = ref_alloc(pixels, sizeof *score), *dilated = ref_alloc(pixels, sizeof *dilated);
  struct tables table = make_tables();
  for (long x = margin; x < columns - margin; x++)
    for (long y = margin; y < rows - margin; y++)
      for (int c = 0; c < circles; c++) {
        float sum = 0.0f, squares = 0.0f, mean = 0.0f;
        for (int n = 0; n < POINTS; n++) {
          long p = (x + table.x[c * POINTS + n]) * rows + y + table.y[c * POINTS + n];
          float across = fmaf(gradient_y[p], table.sine[n], gradient_x[p] * table.cosine[n]);
          float delta = across - mean;
          sum += across;
          mean = mean + delta / (float)(n + 1);
          squares = fmaf(delta, across - mean, squares);
        }
        mean = sum / (float)POINTS;
        float value = mean * mean / (squares / (float)(POINTS - 1));
        if (value > score[x * rows + y]) score[x * rows + y] = value;
      }
  size_t blocks = (2 * pixels + 176) / 352; // what is left over is not dilated
  for (long p = 0; p < (long)blocks * 176; p++) {
    long row = p % rows, column = p / rows;
    float *most = dilated + row * columns + column;
    for (long i = 0; i < size; i++)
      for (long j = 0; j < size; j++) {
        long y = row - size / 2 + i, x = column - size / 2 + j;
        if (y < 0 || y >= rows || x < 0 || x >= columns ||
            table.disk[(i + edge) * DISK + j + edge] == 0.0f)
          continue;
        if (score[x * rows + y] > *most) *most = score[x * rows + y];
      }
  }
  float *images = ref_uniform_f32((size_t)cells * 41 * 81, 0, 1, 3);
  float *fields = ref_uniform_f32((size_t)cells * 41 * 81, 0, 1, 3);
  float *image = images, *field = fields;
  for (uint32_t c = 0; c < cells; c++) {
    long cell_rows = c % 6 == 5 ? high - 6 : high, cell_columns = c % 9 == 8 ? 70 : 81;
    for (uint32_t f = 0; f < frames; f++)
      smooth(field, image, cell_rows, cell_columns, steps);
    image += cell_rows * cell_columns;
    field += cell_rows * cell_columns;
  }
  ref_expect(&r, "score", score, pixels * sizeof *score);
  ref_expect(&r, "dilated", dilated, pixels * sizeof *dilated);
  ref_expect(&r, "field", fields, (size_t)cells * 41 * 81 * sizeof *fields);
  free(gradient_x);
  free(gradient_y);
  free(score);
  free(dilated);
  free(images);
  free(fields);
  return 0;
}
