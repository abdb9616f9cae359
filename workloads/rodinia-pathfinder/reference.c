#include "../reference.h"

static int32_t min(int32_t a, int32_t b) {
  return a < b ? a : b;
}

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t columns = ref_var(&r, "columns"), rows = ref_var(&r, "rows");
  uint32_t height = ref_var(&r, "height");
  int32_t *cost =
      ref_alloc((size_t)columns * 2, sizeof *cost); // two rows in turn, as in the kernel
  int32_t *now = ref_alloc(columns, sizeof *now), *next = ref_alloc(columns, sizeof *next);
  for (uint32_t c = 0; c < columns; c++)
    now[c] = cost[c] = (int32_t)(ref_hash(1, c) % 10);
  for (uint32_t row = 1; row < rows; row++) {
    for (uint32_t c = 0; c < columns; c++) {
      int32_t least = now[c];
      if (c > 0) least = min(least, now[c - 1]);
      if (c < columns - 1) least = min(least, now[c + 1]);
      next[c] = least + (int32_t)(ref_hash(2, (uint64_t)(row - 1) * columns + c) % 10);
    }
    int32_t *t = now;
    now = next;
    next = t;
    if (row % height == 0 || row == rows - 1) // the end of a launch
      memcpy(cost + ((row - 1) / height % 2 ? 0 : columns), now, columns * sizeof *now);
  }
  ref_expect(&r, "cost", cost, (size_t)columns * 2 * sizeof *cost);
  free(cost);
  free(now);
  free(next);
  return 0;
}
