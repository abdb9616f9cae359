#include "../reference.h"

#include <math.h>

struct sample {
  float real, imag, x, y, z, weight;
};

static float window(float v, float peak) {
  static const float c[] = {7.90429189e-30f,
                            2.28434036e-27f,
                            5.84791131e-25f,
                            1.31578005e-22f,
                            2.57892889e-20f,
                            4.35838982e-18f,
                            6.27608135e-16f,
                            7.59405843e-14f,
                            7.59405843e-12f,
                            6.15118733e-10f,
                            3.93675989e-8f,
                            1.92901235e-6f,
                            6.94444444e-5f,
                            1.73611111e-3f,
                            2.77777778e-2f,
                            0.25f,
                            1.0f,
                            1.0f};
  float q = v * v * 0.25f, p = c[0];
  for (int k = 1; k < 18; k++)
    p = fmaf(p, q, c[k]);
  return p / peak;
}

// Cells from the count of their samples, samples of a cell by number; a point looks at the cells
// around it in order.
int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t nx = ref_var(&r, "nx"), ny = ref_var(&r, "ny"), nz = ref_var(&r, "nz");
  uint32_t n = ref_var(&r, "n"), path = ref_var(&r, "path"), cells = nx * ny * nz;
  float *data = ref_alloc((size_t)n * 6, sizeof *data);
  for (uint32_t i = 0; i < n * 6; i++) {
    uint32_t s = i / 6, p = s / path, t = s % path, f = i % 6;
    uint32_t size = f == 2 ? nx : f == 3 ? ny : nz;
    data[i] = f < 2    ? (float)(ref_hash(f + 1, s) % 2000 / 1000.0 - 1)
              : f == 5 ? (float)(0.5 + ref_hash(6, s) % 500 / 1000.0)
                       : (float)((ref_hash(10 + f, p) % size * (path - 1 - t) +
                                  ref_hash(20 + f, p) % size * t) /
                                 (path - 1));
  }
  const struct sample *sample = (const struct sample *)data;
  uint32_t *start = ref_alloc((size_t)cells + 1, sizeof *start);
  uint32_t *sorted = ref_alloc(n, sizeof *sorted), *next = ref_alloc(cells, sizeof *next);
  for (uint32_t s = 0; s < n; s++)
    start[((uint32_t)sample[s].z * ny + (uint32_t)sample[s].y) * nx + (uint32_t)sample[s].x]++;
  for (uint32_t c = 0, sum = 0; c <= cells; c++) {
    uint32_t many = start[c];
    if (many > 32) fprintf(stderr, "a cell has %u samples\n", many);
    start[c] = sum;
    if (c < cells) next[c] = sum;
    sum += many;
  }
  for (uint32_t s = 0; s < n; s++)
    sorted[next[((uint32_t)sample[s].z * ny + (uint32_t)sample[s].y) * nx +
                (uint32_t)sample[s].x]++] = s;

  const float beta = 15.4545924f, peak = 557000.0f, radius2 = 6.25f, per_radius2 = 0.16f;
  float *grid = ref_alloc((size_t)cells * 2, sizeof *grid);
  float *density = ref_alloc(cells, sizeof *density);
  for (uint32_t c = 0; c < cells; c++) {
    uint32_t x = c % nx, y = c / nx % ny, z = c / nx / ny;
    for (uint32_t cz = z < 3 ? 0 : z - 3; cz <= z + 3 && cz < nz; cz++)
      for (uint32_t cy = y < 3 ? 0 : y - 3; cy <= y + 3 && cy < ny; cy++)
        for (uint32_t cx = x < 3 ? 0 : x - 3; cx <= x + 3 && cx < nx; cx++) {
          uint32_t cell = (cz * ny + cy) * nx + cx;
          for (uint32_t i = start[cell]; i < start[cell + 1]; i++) {
            const struct sample *s = &sample[sorted[i]];
            float dx = s->x - (float)x, dy = s->y - (float)y, dz = s->z - (float)z;
            float v = fmaf(dz, dz, fmaf(dy, dy, dx * dx));
            if ((s->real == 0 && s->imag == 0) || s->weight == 0 || v >= radius2) continue;
            float inside = (float)(1.0 - (double)(v * per_radius2));
            float w = window(beta * sqrtf(inside), peak) * s->weight;
            grid[2 * c] = fmaf(w, s->real, grid[2 * c]);
            grid[2 * c + 1] = fmaf(w, s->imag, grid[2 * c + 1]);
            density[c] += 1;
          }
        }
  }
  ref_expect(&r, "start", start, ((size_t)cells + 1) * sizeof *start);
  ref_expect(&r, "grid", grid, (size_t)cells * 2 * sizeof *grid);
  ref_expect(&r, "density", density, cells * sizeof *density);
  free(data);
  free(start);
  free(sorted);
  free(next);
  free(grid);
  free(density);
  return 0;
}
