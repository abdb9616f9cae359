#include "../reference.h"
#include "../suite.h"

static float number(uint32_t sample, uint32_t which) {
  return (float)((int)((sample * 5u + which) * 2654435761u >> 22) - 512) / 1024.0f;
}

// The chunks come in order, so a voxel's sum is over all samples in order.
int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t voxels = ref_var(&r, "voxels"), n = ref_var(&r, "samples"), chunk = ref_var(&r, "chunk");
  float *magnitude = ref_alloc(n, sizeof *magnitude);
  float *re = ref_alloc(voxels, sizeof *re), *im = ref_alloc(voxels, sizeof *im);
  for (uint32_t i = 0; i < n; i++) {
    float a = number(i % 1024, 3), b = number(i % 1024, 4);
    magnitude[i] = a * a + b * b; // exact
  }
  for (uint32_t v = 0; v < voxels; v++) {
    float x = (float)(v % 32) - 15.5f, y = (float)(v / 32 % 32) - 15.5f;
    float z = (float)(v / 1024) - 15.5f;
    for (uint32_t i = 0; i < n; i++) {
      uint32_t s = i % chunk;
      float angle = 6.28318548f * fmaf(number(s, 2), z, fmaf(number(s, 1), y, number(s, 0) * x));
      float m = number(s, 3) * number(s, 3) + number(s, 4) * number(s, 4), sine, cosine;
      suite_sincosf(angle, &sine, &cosine);
      re[v] = fmaf(m, cosine, re[v]);
      im[v] = fmaf(m, sine, im[v]);
    }
  }
  ref_expect(&r, "magnitude", magnitude, n * sizeof *magnitude);
  ref_expect(&r, "re", re, voxels * sizeof *re);
  ref_expect(&r, "im", im, voxels * sizeof *im);
  free(magnitude);
  free(re);
  free(im);
  return 0;
}
