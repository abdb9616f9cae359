#include "../reference.h"

// Keys are 0 to n - 1 and a key's record has its number, so no tree is needed to know what a search
// finds. The leaf that it ends at follows from 128 keys to a leaf and 128 leaves to an inner node.
int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t n = ref_var(&r, "n"), ranges = ref_var(&r, "ranges"), finds = ref_var(&r, "finds");
  uint32_t span = ref_var(&r, "span"), fill = 128, leaves = (n + fill - 1) / fill;
  uint32_t before = 1 + (leaves + fill - 1) / fill;
  int64_t *first = ref_alloc(ranges, sizeof *first), *last = ref_alloc(ranges, sizeof *last);
  int32_t *start = ref_alloc(ranges, sizeof *start), *length = ref_alloc(ranges, sizeof *length);
  int64_t *here = ref_alloc(finds, sizeof *here);
  int32_t *found = ref_alloc(finds, sizeof *found);
  for (uint32_t q = 0; q < ranges; q++) {
    uint32_t a = ref_hash(2, q) % n;
    if (a + span > n) a = n - span;
    uint32_t b = a + span < n ? a + span : n - 1;
    first[q] = before + a / fill;
    last[q] = before + b / fill;
    start[q] = (int32_t)a;
    length[q] = (int32_t)(b - a + 1);
  }
  for (uint32_t q = 0; q < finds; q++) {
    uint32_t key = ref_hash(3, q) % n;
    here[q] = before + key / fill;
    found[q] = (int32_t)ref_hash(1, key);
  }
  ref_expect(&r, "here_first", first, ranges * sizeof *first);
  ref_expect(&r, "next_last", last, ranges * sizeof *last);
  ref_expect(&r, "start", start, ranges * sizeof *start);
  ref_expect(&r, "length", length, ranges * sizeof *length);
  ref_expect(&r, "here", here, finds * sizeof *here);
  ref_expect(&r, "found", found, finds * sizeof *found);
  free(first);
  free(last);
  free(start);
  free(length);
  free(here);
  free(found);
  return 0;
}
