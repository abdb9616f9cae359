#include "../reference.h"

#include <math.h>
#include <stdbool.h>

enum { PITCH = 128, WIDTH = 120, FLAGS = 19 };

// Where each density goes, in the order of the arrays.
static const int way[19][3] = {
    {0, 0, 0},   {0, 1, 0},  {0, -1, 0}, {1, 0, 0},   {-1, 0, 0},  {0, 0, 1},  {0, 0, -1},
    {1, 1, 0},   {-1, 1, 0}, {1, -1, 0}, {-1, -1, 0}, {0, 1, 1},   {0, 1, -1}, {0, -1, 1},
    {0, -1, -1}, {1, 0, 1},  {1, 0, -1}, {-1, 0, 1},  {-1, 0, -1},
};

static int opposite(int d) {
  for (int o = 0; o < FLAGS; o++)
    if (way[o][0] == -way[d][0] && way[o][1] == -way[d][1] && way[o][2] == -way[d][2]) return o;
  return 0;
}

static void collide(float f[19], bool driven) {
  float rho = 0, u[3] = {0, 0, 0};
  for (int d = 0; d < 19; d++) {
    rho += f[d];
    for (int a = 0; a < 3; a++)
      if (way[d][a]) u[a] += (float)way[d][a] * f[d];
  }
  for (int a = 0; a < 3; a++)
    u[a] /= rho;
  if (driven) {
    u[0] = 0.005f;
    u[1] = 0.002f;
    u[2] = 0;
  }
  float base = fmaf(1.5f, fmaf(u[2], u[2], fmaf(u[1], u[1], u[0] * u[0])), -1.0f);
  for (int d = 0; d < 19; d++) {
    float weight = 1.95f * rho * (d == 0 ? 1.0f / 3.0f : d < 7 ? 1.0f / 18.0f : 1.0f / 36.0f);
    float v = 0;
    for (int a = 0; a < 3; a++)
      if (way[d][a]) v += (float)way[d][a] * u[a];
    float q = d == 0 ? -base : fmaf(v, fmaf(4.5f, v, 3.0f), -base);
    f[d] = fmaf(1.0f - 1.95f, f[d], weight * q);
  }
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  long ny = ref_var(&r, "ny"), nz = ref_var(&r, "nz"), steps = ref_var(&r, "steps");
  long plane = PITCH * ny, array = plane * (nz + 4), margin = 2 * plane;
  size_t count = (size_t)(margin + 20 * array);
  float *grid[2] = {ref_alloc(count, sizeof(float)), ref_alloc(count, sizeof(float))};
  for (long i = margin; i < (long)count; i++) {
    long e = (i - margin) / array, cell = (i - margin) % array;
    long x = cell % PITCH, y = cell / PITCH % ny, z = cell / plane;
    if (x >= WIDTH || z >= nz) continue;
    if (e == FLAGS) {
      uint32_t flags = 0;
      if (x == 0 || x == WIDTH - 1 || y == 0 || y == ny - 1 || z == 0 || z == nz - 1)
        flags = 1;
      else if ((z == 1 || z == nz - 2) && x > 1 && x < WIDTH - 2 && y > 1 && y < ny - 2)
        flags = 2;
      memcpy(&grid[0][i], &flags, sizeof flags);
    } else {
      grid[0][i] = (float)((e == 0  ? 1 / 3.0
                            : e < 7 ? 1 / 18.0
                                    : 1 / 36.0) *
                           (0.9 + ref_hash(1, (uint64_t)i) / 21474836480.0));
    }
  }
  memcpy(grid[1], grid[0], count * sizeof(float));
  for (long step = 0; step < steps; step++) {
    const float *from = grid[step & 1] + margin;
    float *to = grid[~step & 1] + margin;
    for (long z = 0; z < nz; z++)
      for (long y = 0; y < ny; y++)
        for (long x = 0; x < WIDTH; x++) {
          long cell = z * plane + y * PITCH + x;
          uint32_t flags;
          memcpy(&flags, &from[FLAGS * array + cell], sizeof flags);
          float f[19];
          for (int d = 0; d < 19; d++)
            f[d] = from[d * array + cell];
          if (!(flags & 1)) collide(f, flags & 2);
          for (int d = 0; d < 19; d++)
            to[d * array + cell + way[d][0] + way[d][1] * PITCH + way[d][2] * plane] =
                f[flags & 1 ? opposite(d) : d];
        }
  }
  ref_expect(&r, "a", grid[0], count * sizeof(float));
  ref_expect(&r, "b", grid[1], count * sizeof(float));
  free(grid[0]);
  free(grid[1]);
  return 0;
}
