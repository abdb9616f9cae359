#include "../reference.h"

#include <math.h>

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  size_t rows = ref_var(&r, "rows"), columns = ref_var(&r, "columns");
  size_t length = ref_var(&r, "length");
  float *s = ref_alloc(columns, sizeof *s), *q = ref_alloc(rows, sizeof *q);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++) {
      float a = (float)((double)(i * j) / (double)rows);
      s[j] = fmaf(a, (float)((double)i * 3.14159265358979), s[j]);
      if (j < length) q[i] = fmaf(a, (float)((double)j * 3.14159265358979), q[i]);
    }
  ref_expect(&r, "s", s, columns * sizeof *s);
  ref_expect(&r, "q", q, rows * sizeof *q);
  free(s);
  free(q);
  return 0;
}
