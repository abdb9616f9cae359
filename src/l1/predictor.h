/* What predictors share that learn from the lines of some sets and from the instructions of loads.
 */
#ifndef WEIR_L1_PREDICTOR_H
#define WEIR_L1_PREDICTOR_H

#include "weir/policy.h"

/* A hash: slices of so many bits, combined by exclusive or. */
static inline uint32_t weir_fold(uint64_t x, int64_t bits) {
  uint32_t h = 0;
  for (; x != 0; x >>= bits)
    h ^= (uint32_t)(x & ((UINT64_C(1) << bits) - 1));
  return h;
}
/* That of an instruction's address. */
static inline uint32_t weir_fold_pc(uint64_t pc, int64_t bits) {
  return weir_fold(pc >> 2, bits);
}

/* Is a load that has found its line a new use of it? A burst of loads that wait for one line is one
 * use. `has_joined` is kept for the line and false when it comes. */
static inline bool weir_is_new_use(bool *has_joined, const struct weir_access *a,
                                   enum weir_outcome outcome) {
  bool joins = outcome != WEIR_HIT && !a->first_of_mshr, is_new = !joins || !*has_joined;
  if (outcome != WEIR_HIT) *has_joined = joins;
  return is_new;
}

/* Of `n` sets, evenly spread, that are watched: the number of this one, -1: it is none of them. A
 * cache with fewer sets has all of them watched. */
static inline int64_t weir_watched(uint32_t set, uint32_t sets, int64_t n) {
  uint32_t each = n < (int64_t)sets ? sets / (uint32_t)n : 1;
  return set % each == 0 && set / each < n ? (int64_t)(set / each) : -1;
}
static inline uint64_t weir_n_watched(uint32_t sets, int64_t n) {
  return n < (int64_t)sets ? (uint64_t)n : sets;
}

/* The line of an access, without what its set says. */
static inline uint64_t weir_tag_of(const struct weir_policy *p, const struct weir_access *a) {
  return a->addr / p->geometry->line_bytes / p->geometry->sets;
}

#endif
