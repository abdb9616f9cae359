#include "../reference.h"

#include <math.h>

struct atom {
  float x, y, z, charge;
};

// Each point sums over the bins in the order of their offsets, and over a bin's atoms in order.
int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  int nx = (int)ref_var(&r, "nx"), ny = (int)ref_var(&r, "ny"), nz = (int)ref_var(&r, "nz");
  int most = (int)ref_var(&r, "atoms");
  int bx = nx + 6, by = ny + 6, bz = nz + 6;
  struct atom *atoms = ref_alloc((size_t)bx * by * bz * 8, sizeof *atoms);
  for (int b = 0; b < bx * by * bz; b++) {
    int x = b % bx - 3, y = b / bx % by - 3, z = b / (bx * by) - 3;
    if (x < 0 || x >= nx || y < 0 || y >= ny || z < 0 || z >= nz) continue;
    int count = most - (int)(ref_hash(1, (uint64_t)b) % 4);
    for (int a = 0; a < count; a++) {
      uint64_t i = (uint64_t)b * 32 + (uint64_t)a * 4;
      atoms[b * 8 + a] = (struct atom){
          (float)((x + ref_hash(2, i) / 4294967296.0) * 4),
          (float)((y + ref_hash(2, i + 1) / 4294967296.0) * 4),
          (float)((z + ref_hash(2, i + 2) / 4294967296.0) * 4),
          ref_hash(2, i + 3) % 3 ? 0.417f : -0.834f,
      };
    }
  }
  float *energy = ref_alloc((size_t)nx * ny * nz * 512, sizeof *energy);
  const float cutoff2 = 144.0f, inverse = (float)(1 / 144.0);
  for (int p = 0; p < nx * ny * nz * 512; p++) {
    int region = p / 512, hx = region % nx, hy = region / nx % ny, hz = region / (nx * ny);
    int px = p % 8, py = p / 8 % 8, pz = p / 64 % 8;
    float x = (float)(8 * hx + px) * 0.5f, z = (float)(8 * hz + pz) * 0.5f;
    float y = (float)(8 * hy + py % 2) * 0.5f, sum = 0; // of the first of four points of a thread
    for (int dz = -3; dz <= 3; dz++)
      for (int dy = -3; dy <= 3; dy++)
        for (int dx = -3; dx <= 3; dx++) {
          if (dx * dx + dy * dy + dz * dz >= 23) continue;
          const struct atom *a =
              atoms + 8 * (((hz + 3 + dz) * by + hy + 3 + dy) * bx + hx + 3 + dx);
          for (int i = 0; i < 8 && a[i].charge != 0; i++) {
            float ax = a[i].x - x, ay = a[i].y - y, az = a[i].z - z;
            for (int q = 0; q < py / 2; q++)
              ay -= 1.0f;
            float r2 = fmaf(ay, ay, fmaf(ax, ax, az * az));
            if (r2 >= cutoff2) continue;
            float s = fmaf(-r2, inverse, 1.0f);
            sum = fmaf(a[i].charge * (1.0f / sqrtf(r2)) * s, s, sum);
          }
        }
    energy[p] = sum;
  }
  ref_expect(&r, "regions", energy, (size_t)nx * ny * nz * 512 * sizeof *energy);
  free(atoms);
  free(energy);
  return 0;
}
