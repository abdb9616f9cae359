#include "../reference.h"

// A queue of nodes whose distance became less; the distances do not depend on its order.
int main(int argc, char **argv) {
  struct ref r = ref_begin(argc, argv);
  uint32_t n = ref_var(&r, "n"), average = ref_var(&r, "average");
  uint32_t *start = ref_row_start(n, average, 1);
  uint32_t *distance = ref_alloc(n, sizeof *distance), *queue = ref_alloc(n, sizeof *queue);
  uint8_t *waits = ref_alloc(n, sizeof *waits);
  for (uint32_t i = 1; i < n; i++)
    distance[i] = 1000000000;
  uint64_t head = 0, tail = 1;
  while (head < tail) {
    uint32_t u = queue[head++ % n];
    waits[u] = 0;
    for (uint32_t e = start[u] + 1; e < start[u + 1] + 1; e++) {
      uint32_t v = ref_hash(2, e) % n, offer = distance[u] + 1 + ref_hash(3, e) % 100;
      if (offer >= distance[v]) continue;
      distance[v] = offer;
      if (!waits[v]) {
        waits[v] = 1;
        queue[tail++ % n] = v;
      }
    }
  }
  uint32_t wrong = 0;
  ref_expect(&r, "distance", distance, n * sizeof *distance);
  ref_expect(&r, "wrong", &wrong, sizeof wrong);
  free(start);
  free(distance);
  free(queue);
  free(waits);
  return 0;
}
