/* Orders among the warps of a scheduler. */
#ifndef WEIR_L1_SCHEDULER_ORDER_H
#define WEIR_L1_SCHEDULER_ORDER_H

#include "l1/parts.h"

/* The first slot of the mask from `from` (at most 64) on, else the first of all; it has one. */
static inline int weir_first_from(uint64_t of, uint32_t from) {
  uint64_t after = from > 63 ? 0 : of >> from << from;
  return __builtin_ctzll(after != 0 ? after : of);
}

/* The warp of the mask that has been there the longest; there is one. */
static inline int weir_oldest(const struct weir_sched_view *v, uint64_t of) {
  int oldest = __builtin_ctzll(of);
  for (uint64_t left = of & (of - 1); left != 0; left &= left - 1) {
    int i = __builtin_ctzll(left);
    if (v->age[i] < v->age[oldest]) oldest = i;
  }
  return oldest;
}

/* The one that came last. */
static inline int weir_youngest(const struct weir_sched_view *v, uint64_t of) {
  int youngest = __builtin_ctzll(of);
  for (uint64_t left = of & (of - 1); left != 0; left &= left - 1) {
    int i = __builtin_ctzll(left);
    if (v->age[i] > v->age[youngest]) youngest = i;
  }
  return youngest;
}

#endif
