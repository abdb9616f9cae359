/* First in, first out: the line that has been there for the longest time goes, used or not. */
#include "l1/parts.h"

struct count {
  uint64_t n; /* lines that came to any set */
};

struct age {
  uint64_t came; /* the number of the line */
};

static uint64_t came(const struct weir_policy *p, uint32_t set, uint32_t way) {
  return ((const struct age *)weir_line_peek(p, set, (int)way))->came;
}

static int victim(const struct weir_policy *p, const struct weir_access *a, struct weir_set set) {
  (void)a;
  int first = WEIR_WAY_STALL;
  uint64_t least = UINT64_MAX;
  for (uint32_t w = 0; w < set.ways; w++) {
    if (set.line[w].tag == 0 || set.line[w].pending_mask != 0) continue;
    if (came(p, set.index, w) >= least) continue;
    least = came(p, set.index, w);
    first = (int)w;
  }
  return first;
}

static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  (void)a;
  struct count *c = weir_state_edit(p);
  ((struct age *)weir_line_edit(p, set.index, way))->came = ++c->n;
}

/* In hardware a pointer to the next way is enough. */
static uint64_t storage_bits(const void *cfg, const struct weir_geometry *g) {
  (void)cfg;
  uint64_t bits = 0;
  while ((UINT64_C(1) << bits) < g->ways)
    bits++;
  return bits * g->sets;
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
    .part = {.abi = WEIR_POLICY_ABI,
             .name = "fifo",
             .help = "replace the line that came first",
             .state_bytes = sizeof(struct count),
             .line_bytes = sizeof(struct age),
             .storage_bits = storage_bits,
             .verify = verify},
    .victim = victim,
    .alloc = alloc};
