#include "../reference.h"

#include <math.h>

enum { MAX_DEPTH = 32 };

struct cell {
  int child[8]; // bodies from 0 on, cells as -2 - number, nothing: -1; the empty ones at the end
  float mass, x, y, z;
};

static struct {
  uint32_t n, cells;
  float *x, *y, *z, mass;
  int32_t *sort;
  uint32_t sorted;
  int deepest;
  struct cell *cell;
} w;

// The tree of some bodies inside a cell with this centre and half edge, its centre of mass and the
// order of bodies in it: children by octant.
static uint32_t build(const int32_t *body, uint32_t count, float x, float y, float z, float r,
                      int depth) {
  uint32_t me = w.cells++;
  if (depth > w.deepest) w.deepest = depth;
  int32_t *part = ref_alloc(count, sizeof *part);
  float half = r * 0.5f, all = 0, px = 0, py = 0, pz = 0;
  int children = 0;
  for (int octant = 0; octant < 8; octant++) {
    uint32_t many = 0;
    for (uint32_t i = 0; i < count; i++) {
      int32_t b = body[i];
      if ((x < w.x[b]) + 2 * (y < w.y[b]) + 4 * (z < w.z[b]) == octant) part[many++] = b;
    }
    if (many == 0) continue;
    float m = w.mass, cx, cy, cz;
    if (many == 1) {
      cx = w.x[part[0]];
      cy = w.y[part[0]];
      cz = w.z[part[0]];
      w.sort[w.sorted++] = part[0];
      w.cell[me].child[children++] = part[0];
    } else {
      uint32_t c =
          build(part, many, x + (octant & 1 ? half : -half), y + (octant & 2 ? half : -half),
                z + (octant & 4 ? half : -half), half, depth + 1);
      m = w.cell[c].mass;
      cx = w.cell[c].x;
      cy = w.cell[c].y;
      cz = w.cell[c].z;
      w.cell[me].child[children++] = -2 - (int)c;
    }
    all += m;
    px = fmaf(cx, m, px);
    py = fmaf(cy, m, py);
    pz = fmaf(cz, m, pz);
  }
  while (children < 8)
    w.cell[me].child[children++] = -1;
  float per = 1.0f / all;
  w.cell[me].mass = all;
  w.cell[me].x = px * per;
  w.cell[me].y = py * per;
  w.cell[me].z = pz * per;
  free(part);
  return me;
}

// The force on 32 bodies, which open a cell together.
static void force(const struct cell *from, const float *far, const int32_t *body, float soft2,
                  float a[3][32]) {
  for (int i = 0; i < 8 && from->child[i] != -1; i++) {
    int c = from->child[i];
    const struct cell *cell = c < 0 ? &w.cell[-2 - c] : NULL;
    float m = cell ? cell->mass : w.mass, x = cell ? cell->x : w.x[c];
    float y = cell ? cell->y : w.y[c], z = cell ? cell->z : w.z[c];
    float dx[32], dy[32], dz[32], d[32];
    int whole = 1;
    for (int l = 0; l < 32; l++) {
      dx[l] = x - w.x[body[l]];
      dy[l] = y - w.y[body[l]];
      dz[l] = z - w.z[body[l]];
      d[l] = fmaf(dx[l], dx[l], fmaf(dy[l], dy[l], fmaf(dz[l], dz[l], soft2)));
      whole &= d[l] >= far[0];
    }
    if (cell && !whole) {
      force(cell, far + 1, body, soft2, a);
      continue;
    }
    for (int l = 0; l < 32; l++) {
      float f = 1.0f / sqrtf(d[l]);
      f = m * f * f * f;
      a[0][l] = fmaf(dx[l], f, a[0][l]);
      a[1][l] = fmaf(dy[l], f, a[1][l]);
      a[2][l] = fmaf(dz[l], f, a[2][l]);
    }
  }
}

static double unit(uint64_t seed, uint64_t i) {
  return ref_hash(seed, i) / 4294967296.0;
}

static double larger(double a, double b) {
  return b > a ? b : a;
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t n = ref_var(&r, "n"), steps = ref_var(&r, "steps");
  float *v[3], *a[3], *x[3];
  for (int d = 0; d < 3; d++) {
    x[d] = ref_alloc(n, sizeof *x[d]);
    v[d] = ref_alloc(n, sizeof *v[d]);
    a[d] = ref_alloc(n, sizeof *a[d]);
  }
  for (uint32_t i = 0; i < n; i++) {
    double dir[3];
    for (uint64_t d = 0; d < 3; d++)
      dir[d] = unit(10 + d, i) + unit(20 + d, i) + unit(30 + d, i) + unit(40 + d, i) - 2;
    double u = 0.9996 * larger(larger(unit(1, i), unit(2, i)), unit(3, i));
    double scale = 0.589048 * (u / sqrt(1 - u * u)) /
                   sqrt(dir[0] * dir[0] + dir[1] * dir[1] + dir[2] * dir[2] + 1e-9);
    for (uint64_t d = 0; d < 3; d++) {
      x[d][i] = (float)(dir[d] * scale);
      v[d][i] = (float)(unit(4 + d, i) - 0.5);
    }
  }
  w.n = n;
  w.mass = (float)(1.0 / n);
  w.x = x[0];
  w.y = x[1];
  w.z = x[2];
  w.sort = ref_alloc(n, sizeof *w.sort);
  w.cell = ref_alloc((size_t)n * 2, sizeof *w.cell);
  int32_t *body = ref_alloc(n, sizeof *body);
  for (uint32_t i = 0; i < n; i++)
    body[i] = (int32_t)i;
  const float time = 0.025f, half_time = 0.0125f, soft2 = 0.0025f, per_theta2 = 4.0f;
  w.deepest = 1; // of all steps
  for (uint32_t s = 0; s < steps; s++) {
    float low[3], high[3];
    for (int d = 0; d < 3; d++) {
      low[d] = high[d] = x[d][0];
      for (uint32_t i = 0; i < n; i++) {
        low[d] = fminf(low[d], x[d][i]);
        high[d] = fmaxf(high[d], x[d][i]);
      }
    }
    float radius = fmaxf(fmaxf(high[0] - low[0], high[1] - low[1]), high[2] - low[2]) * 0.5f;
    w.cells = w.sorted = 0;
    build(body, n, (low[0] + high[0]) * 0.5f, (low[1] + high[1]) * 0.5f, (low[2] + high[2]) * 0.5f,
          radius, 1);
    if (w.deepest > MAX_DEPTH) fprintf(stderr, "the tree is %d deep\n", w.deepest);
    float far[MAX_DEPTH], d = radius * 2.0f;
    d = d * d * per_theta2;
    for (int i = 0; i < MAX_DEPTH; i++) {
      far[i] = d + soft2;
      d *= 0.25f;
    }
    for (uint32_t k = 0; k < n; k += 32) {
      float acc[3][32] = {{0}};
      force(&w.cell[0], far, w.sort + k, soft2, acc);
      for (int l = 0; l < 32; l++) {
        int32_t i = w.sort[k + (uint32_t)l];
        for (int c = 0; c < 3; c++) {
          if (s > 0) v[c][i] = fmaf(acc[c][l] - a[c][i], half_time, v[c][i]);
          a[c][i] = acc[c][l];
        }
      }
    }
    for (uint32_t i = 0; i < n; i++)
      for (int c = 0; c < 3; c++) {
        float dv = a[c][i] * half_time, h = v[c][i] + dv;
        x[c][i] = fmaf(h, time, x[c][i]);
        v[c][i] = h + dv;
      }
  }
  static const char *const names[] = {"vx", "vy", "vz", "ax", "ay", "az"};
  int32_t error = 0;
  ref_expect(&r, "error", &error, sizeof error);
  ref_expect(&r, "sort", w.sort, n * sizeof *w.sort);
  for (int c = 0; c < 6; c++)
    ref_expect(&r, names[c], c < 3 ? v[c] : a[c - 3], n * sizeof(float));
  for (int d = 0; d < 3; d++) {
    free(x[d]);
    free(v[d]);
    free(a[d]);
  }
  free(w.sort);
  free(w.cell);
  free(body);
  return 0;
}
