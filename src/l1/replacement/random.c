/* Any line of the set, by chance. */
#include "l1/parts.h"

/* Lines that came. Lines may come without a request being accepted in between, where they get their
 * way when they arrive; each choice must be a new one nevertheless. */
struct count {
  uint32_t n;
};

static int victim(const struct weir_policy *p, const struct weir_access *a, struct weir_set set) {
  (void)a;
  const struct count *c = weir_state_peek(p);
  uint32_t n = 0;
  for (uint32_t w = 0; w < set.ways; w++)
    n += weir_can_go(set, w);
  if (n == 0) return WEIR_WAY_STALL;
  uint32_t k = weir_pick(p, n, c->n), w = 0;
  while (!weir_can_go(set, w) || k-- > 0)
    w++;
  return (int)w;
}

static void alloc(struct weir_policy *p, const struct weir_access *a, struct weir_set set,
                  int way) {
  (void)a, (void)set, (void)way;
  ((struct count *)weir_state_edit(p))->n++;
}

const struct weir_policy_ops weir_policy_random = {
    .part = {WEIR_PART("random", "replace any line, by chance"),
             .state_bytes = sizeof(struct count), .storage_bits = weir_no_storage},
    .victim = victim,
    .alloc = alloc};
