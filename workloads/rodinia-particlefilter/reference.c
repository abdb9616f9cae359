#include "../reference.h"
#include "double.h"

enum { MODULUS = 2147483647 };

static double uniform(int32_t *seed) {
  *seed = (int32_t)(1103515245u * (uint32_t)*seed + 12345u) % MODULUS;
  return fabs(*seed / (double)MODULUS);
}

static double normal(int32_t *seed) {
  double u = uniform(seed), v = uniform(seed);
  double angle = double_cos(2.0 * 3.14159265358979324 * v);
  return sqrt(-2.0 * double_log(u)) * angle;
}

static uint8_t *make_video(int size, int frames) {
  uint8_t *video = ref_alloc((size_t)size * (size_t)size * (size_t)frames, 1);
  for (int i = 0; i < size * size * frames; i++) {
    int f = i % frames, row = i / frames / size, column = i / frames % size;
    int down = row - size / 2 - f, right = column - size / 2 + 2 * f;
    int noise = (int)(ref_hash(1, (uint64_t)i) % 9 + ref_hash(2, (uint64_t)i) % 9) - 8;
    video[i] = (uint8_t)((down * down + right * right < 25 ? 228 : 100) + noise);
  }
  return video;
}

static void make_disc(int *disc) { // row by row, the column first
  for (int row = -4; row <= 4; row++)
    for (int column = -4; column <= 4; column++)
      if (row * row + column * column < 25) {
        *disc++ = column;
        *disc++ = row;
      }
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  int size = (int)ref_var(&r, "size"), frames = (int)ref_var(&r, "frames");
  int particles = (int)ref_var(&r, "particles"), pixels = (int)ref_var(&r, "pixels");
  size_t n = (size_t)particles, block = ref_var(&r, "block"), blocks = (n + block - 1) / block;
  int disc[138];
  make_disc(disc);
  uint8_t *video = make_video(size, frames);
  double *x = ref_alloc(n, sizeof *x), *y = ref_alloc(n, sizeof *y);
  double *old_x = ref_alloc(n, sizeof *x), *old_y = ref_alloc(n, sizeof *y);
  double *weight = ref_alloc(blocks * block, sizeof *weight), *normalised = ref_alloc(n, sizeof *x);
  double *distribution = ref_alloc(n, sizeof *x);
  int32_t *seed = ref_alloc(n, sizeof *seed);
  for (size_t i = 0; i < n; i++) {
    old_x[i] = old_y[i] = size / 2;
    seed[i] = (int32_t)(ref_hash(3, i) % MODULUS);
  }
  double before = 0;
  for (int frame = 1; frame < frames; frame++) {
    for (size_t i = 0; i < n; i++) {
      x[i] = fma(5.0, normal(&seed[i]), old_x[i] + 1.0);
      y[i] = fma(2.0, normal(&seed[i]), old_y[i] - 2.0);
      double sum = 0;
      for (int p = 0; p < pixels; p++) {
        int row = (int)x[i] + disc[2 * p + 1], column = (int)y[i] + disc[2 * p];
        int index = abs((row * size + column) * frames + frame);
        int value = video[index >= size * size * frames ? 0 : index];
        double dark = value - 100, bright = value - 228;
        sum += (dark * dark - bright * bright) / 50.0;
      }
      weight[i] = 1 / (double)particles * double_exp(sum / pixels);
    }
    double sum = 0;
    for (size_t b = 0; b < blocks; b++) {
      double part[512];
      memcpy(part, weight + b * block, block * sizeof *part);
      for (size_t s = block / 2; s > 0; s /= 2)
        for (size_t t = 0; t < s; t++)
          part[t] += part[t + s];
      sum += part[0];
    }
    for (size_t i = 0; i < n; i++) {
      normalised[i] = weight[i] / sum;
      distribution[i] = i ? fma(weight[i], 1 / sum, distribution[i - 1]) : weight[i] * (1 / sum);
    }
    double now = 1 / (double)particles * uniform(&seed[0]);
    for (size_t i = 0; i < n; i++) {
      double draw = (i < block ? now : before) + (double)i / (double)particles;
      size_t found = 0;
      while (found < n - 1 && distribution[found] < draw)
        found++;
      old_x[i] = x[found];
      old_y[i] = y[found];
    }
    before = now;
  }
  ref_expect(&r, "normalised", normalised, n * sizeof *normalised);
  ref_expect(&r, "x", x, n * sizeof *x);
  ref_expect(&r, "new_x", old_x, n * sizeof *old_x);
  ref_expect(&r, "new_y", old_y, n * sizeof *old_y);
  free(video);
  free(x);
  free(y);
  free(old_x);
  free(old_y);
  free(weight);
  free(normalised);
  free(distribution);
  free(seed);
  return 0;
}
