/* The requests that an L1 accepts, in order: what its upper bounds (opt.h) and analyses are
 * computed from. Off unless somebody asks for it. */
#ifndef WEIR_L1_TAPE_H
#define WEIR_L1_TAPE_H

#include "weir/policy.h"

enum weir_taped_as {
  WEIR_TAPED_KERNEL,  /* no request: a launch begins */
  WEIR_TAPED_HIT,     /* loads */
  WEIR_TAPED_PENDING, /* joined a line on its way */
  WEIR_TAPED_LATE, /* joined one that had come and gone again while others waited to be answered */
  WEIR_TAPED_PARTIAL,
  WEIR_TAPED_MISS,
  WEIR_TAPED_BYPASS,
  WEIR_TAPED_PAST,  /* bypassed by its own operator: no L1 could have it */
  WEIR_TAPED_STORE, /* stores and atomics; the line, if it is there, stays */
  WEIR_TAPED_FILLS, /* a store after which the line is there */
  WEIR_TAPED_ENDS   /* a store or an atomic after which it is not */
};

struct weir_taped {
  uint64_t addr;           /* of the line; KERNEL: the number of the launch */
  uint64_t cycle;          /* since the kernel began */
  uint32_t cta, warp, nth; /* of the grid, of the block, of the warp: names it in every run */
  uint32_t insn;
  uint32_t lines;   /* KERNEL: that the L1 has for this launch */
  uint16_t sectors; /* touched */
  uint8_t as;       /* enum weir_taped_as */
  uint8_t op;       /* enum weir_op */
  bool is_local;
  bool is_flushed; /* KERNEL: the L1 was emptied */
};

struct weir_tape {
  struct weir_taped *v;
  size_t n, cap;
  bool has_failed; /* there was no memory for more */
};

static inline bool weir_is_taped_load(const struct weir_taped *r) {
  return r->as >= WEIR_TAPED_HIT && r->as <= WEIR_TAPED_PAST;
}
/* A load that the L1 answered: with what it had, or what it was about to get. */
static inline bool weir_is_taped_hit(const struct weir_taped *r) {
  return r->as == WEIR_TAPED_HIT || r->as == WEIR_TAPED_PENDING;
}

#endif
