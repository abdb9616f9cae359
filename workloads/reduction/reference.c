#include "../reference.h"

enum { BLOCK = 256 };

static void sum_u32(const uint32_t *in, uint32_t *out, size_t n, size_t blocks) {
  for (size_t b = 0; b < blocks; b++) {
    uint32_t sum = 0;
    for (size_t t = 0; t < BLOCK; t++) {
      for (size_t i = b * BLOCK + t; i < n; i += blocks * BLOCK)
        sum += in[i];
    }
    out[b] = sum;
  }
}

// The order of the kernel's additions: each thread's share, then the tree.
static void sum_f32(const float *in, float *out, size_t n, size_t blocks) {
  for (size_t b = 0; b < blocks; b++) {
    float tree[BLOCK];
    for (size_t t = 0; t < BLOCK; t++) {
      tree[t] = 0.0f;
      for (size_t i = b * BLOCK + t; i < n; i += blocks * BLOCK)
        tree[t] += in[i];
    }
    for (size_t width = BLOCK / 2; width > 0; width /= 2) {
      for (size_t t = 0; t < width; t++)
        tree[t] += tree[t + width];
    }
    out[b] = tree[0];
  }
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t n = ref_var(&r, "n"), blocks = ref_var(&r, "blocks");
  uint32_t *u = ref_hash_u32(n, 1);
  uint32_t *u_partial = ref_alloc(blocks, sizeof *u_partial);
  uint32_t u_sum = 0;
  float *f = ref_uniform_f32(n, -1, 1, 2);
  float *f_partial = ref_alloc(blocks, sizeof *f_partial);
  float f_sum = 0.0f;
  sum_u32(u, u_partial, n, blocks);
  sum_u32(u_partial, &u_sum, blocks, 1);
  sum_f32(f, f_partial, n, blocks);
  sum_f32(f_partial, &f_sum, blocks, 1);
  ref_expect(&r, "u_partial", u_partial, blocks * sizeof *u_partial);
  ref_expect(&r, "u_sum", &u_sum, sizeof u_sum);
  ref_expect(&r, "f_partial", f_partial, blocks * sizeof *f_partial);
  ref_expect(&r, "f_sum", &f_sum, sizeof f_sum);
  free(u);
  free(u_partial);
  free(f);
  free(f_partial);
  return 0;
}
