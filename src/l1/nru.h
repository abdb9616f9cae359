/* Not recently used, by parts of ways: a bit for each part (a sector, a chunk) says that it was
 * used since all bits of the set were last cleared, which happens when all that the set holds was.
 * The bits of a way are what a policy keeps for it. */
#ifndef WEIR_L1_NRU_H
#define WEIR_L1_NRU_H

#include "weir/policy.h"

struct weir_nru_parts {
  uint16_t touched; /* parts that an access uses */
  uint16_t needed;  /* parts that must have been used before all bits are cleared */
};

static inline uint16_t weir_nru_used(const struct weir_policy *p, uint32_t set, uint32_t way) {
  return *(const uint16_t *)weir_line_peek(p, set, (int)way);
}
static inline uint16_t *weir_nru_edit(struct weir_policy *p, uint32_t set, uint32_t way) {
  return weir_line_edit(p, set, (int)way);
}

/* An access; `look` tells what it means to each way. Returns whether all bits were cleared, but,
 * with `keeps_last`, those of the access. */
static inline bool weir_nru_touch(struct weir_policy *p, struct weir_set set,
                                  struct weir_nru_parts (*look)(const void *self, uint32_t way),
                                  const void *self, bool keeps_last) {
  bool is_over = true;
  for (uint32_t w = 0; w < set.ways; w++) {
    struct weir_nru_parts x = look(self, w);
    *weir_nru_edit(p, set.index, w) |= x.touched;
    is_over &= (x.needed & ~weir_nru_used(p, set.index, w)) == 0;
  }
  for (uint32_t w = 0; is_over && w < set.ways; w++)
    *weir_nru_edit(p, set.index, w) = keeps_last ? look(self, w).touched : 0;
  return is_over;
}

#endif
