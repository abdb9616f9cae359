/* The warps of an SM as those who hold warps back see them: which have not ended, which of these do
 * not wait at a barrier, and who is older. */
#ifndef WEIR_L1_THREADS_WARPS_H
#define WEIR_L1_THREADS_WARPS_H

#include "weir/policy.h"

struct weir_warps {
  uint64_t present, running; /* slots; running: not at a barrier */
  uint32_t n;
  uint8_t by_age[WEIR_MAX_WARPS]; /* slots of those present, the oldest first */
};

static inline void weir_warps_come(struct weir_warps *w, uint64_t slots) {
  for (uint64_t left = slots; left != 0; left &= left - 1)
    w->by_age[w->n++] = (uint8_t)__builtin_ctzll(left);
  w->present |= slots;
  w->running |= slots;
}

static inline void weir_warps_leave(struct weir_warps *w, uint64_t slots) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < w->n; i++)
    if (!(slots >> w->by_age[i] & 1)) w->by_age[kept++] = w->by_age[i];
  w->n = kept;
  w->present &= ~slots;
  w->running &= ~slots;
}

static inline void weir_warps_event(struct weir_warps *w, uint32_t slot, enum weir_warp_event e) {
  uint64_t bit = UINT64_C(1) << slot;
  if (e == WEIR_WARP_ENDS)
    weir_warps_leave(w, bit);
  else if (e == WEIR_WARP_WAITS)
    w->running &= ~bit;
  else
    w->running |= bit & w->present;
}

static inline const char *weir_warps_verify(const struct weir_warps *w) {
  if (w->n != (uint32_t)__builtin_popcountll(w->present)) return "a warp is there twice";
  return (w->running & ~w->present) != 0 ? "a warp runs that is not there" : NULL;
}

#endif
