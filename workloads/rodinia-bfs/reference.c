#include "../reference.h"

int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t n = ref_var(&r, "n"), average = ref_var(&r, "average"), levels = ref_var(&r, "levels");
  uint32_t *start = ref_row_start(n, average, 1);
  int32_t *cost = ref_alloc(n, sizeof *cost);
  uint32_t *queue = ref_alloc(n, sizeof *queue);
  uint8_t *seen = ref_alloc(n, sizeof *seen);
  uint32_t head = 0, tail = 1;
  for (uint32_t v = 1; v < n; v++)
    cost[v] = -1;
  while (head < tail) {
    uint32_t v = queue[head++];
    for (uint32_t e = start[v]; e < start[v + 1]; e++) {
      uint32_t u = ref_hash(2, e) % n;
      if (cost[u] < 0) {
        cost[u] = cost[v] + 1;
        queue[tail++] = u;
      }
    }
  }
  if (cost[queue[tail - 1]] + 1 != (int32_t)levels) {
    fprintf(stderr, "%s: %d levels\n", r.input, cost[queue[tail - 1]] + 1);
    return 1;
  }
  for (uint32_t v = 0; v < n; v++)
    seen[v] = cost[v] >= 0;
  ref_expect(&r, "cost", cost, n * sizeof *cost);
  ref_expect(&r, "seen", seen, n);
  free(start);
  free(cost);
  free(queue);
  free(seen);
  return 0;
}
