/* A duel of sets: of every few sets one always does the one thing and one always the other, and a
 * selector that counts their misses says what all other sets do. */
#ifndef WEIR_L1_DUEL_H
#define WEIR_L1_DUEL_H

#include <stdbool.h>
#include <stdint.h>

enum weir_side { WEIR_FOLLOWS, WEIR_LEADS_ONE, WEIR_LEADS_OTHER };

/* A cache of few sets still has a leader of both kinds; one of a single set only the first. */
static inline enum weir_side weir_duel_side(uint32_t set, uint32_t sets, int64_t period) {
  uint32_t n = period < (int64_t)sets ? (uint32_t)period : sets, k = set % n;
  return k == 0 ? WEIR_LEADS_ONE : k == n / 2 ? WEIR_LEADS_OTHER : WEIR_FOLLOWS;
}

/* One step, if it is not at its end. */
static inline void weir_duel_step(uint32_t *selector, bool up, uint32_t most) {
  if (up && *selector < most) ++*selector;
  if (!up && *selector > 0) --*selector;
}

#endif
