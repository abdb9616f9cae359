/* First in, first out: the line that has been there for the longest time goes, used or not. */
#include "l1/parts.h"

struct count {
  uint64_t n; /* lines that came to any set */
};

/* Of a way: the number of its line. */
static uint64_t came(const struct weir_policy *p, uint32_t set, uint32_t way) {
  return *(const uint64_t *)weir_line_peek(p, set, (int)way);
}

static int victim(const struct weir_policy *p, const struct weir_access *a, struct weir_set set) {
  (void)a;
  int first = WEIR_WAY_STALL;
  uint64_t least = UINT64_MAX;
  for (uint32_t w = 0; w < set.ways; w++) {
    if (!weir_can_go(set, w) || came(p, set.index, w) >= least) continue;
    least = came(p, set.index, w);
    first = (int)w;
  }
  return first;
}

static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  (void)a;
  *(uint64_t *)weir_line_edit(p, set.index, way) = ++((struct count *)weir_state_edit(p))->n;
}

/* In hardware a pointer to the next way is enough. */
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  (void)cfg;
  return weir_bits_of_sets(g, weir_bits(g->ways));
}

static const char *verify(const struct weir_policy *p) {
  const struct weir_geometry *g = weir_geometry(p);
  const struct count *c = weir_state_peek(p);
  for (uint32_t set = 0; set < g->sets; set++)
    for (uint32_t w = 0; w < g->ways; w++)
      if (came(p, set, w) > c->n) return "a line came after the last one";
  return NULL;
}

const struct weir_policy_ops weir_policy_fifo = {
    .part = {WEIR_PART("fifo", "replace the line that came first"),
             .state_bytes = sizeof(struct count), .line_bytes = sizeof(uint64_t),
             .storage_bits = storage_bits, .verify = verify},
    .victim = victim,
    .alloc = alloc};
