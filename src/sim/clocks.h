/* Cycles between the clock reads of threads, for those who want more than the estimate that a
 * kernel itself reads: from the cycle in which one read issues to that of the next one of the same
 * threads. Results are the same with and without; so are these, for any number of threads. */
#ifndef WEIR_SIM_CLOCKS_H
#define WEIR_SIM_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All intervals from one read of a kernel to another, or to itself. */
struct weir_clock_pair {
  uint32_t from, to; /* static instructions */
  uint64_t n;        /* intervals, one for each warp that went from the one to the other */
  uint64_t min, max, sum;
};

/* In order of (from, to). */
struct weir_clock_pairs {
  struct weir_clock_pair *v;
  size_t n, cap;
  uint64_t n_lost; /* intervals of pairs that there was no place for */
};
/* Of a kernel; only one that jumps among a hundred reads and more can have them. */
enum { WEIR_CLOCK_PAIRS = 16384 };

/* False: out of memory. */
bool weir_clock_pairs_add(struct weir_clock_pairs *into, const struct weir_clock_pair *p);
bool weir_clock_pairs_join(struct weir_clock_pairs *into, const struct weir_clock_pairs *from);
void weir_clock_pairs_free(struct weir_clock_pairs *p);

/* Of one SM. */
struct weir_clocks;
struct weir_clocks *weir_clocks_new(uint32_t n_slots); /* NULL: out of memory */
void weir_clocks_free(struct weir_clocks *c);
/* A kernel begins. */
void weir_clocks_begin(struct weir_clocks *c);
/* A warp begins in the slot. */
void weir_clocks_warp(struct weir_clocks *c, uint32_t slot);
/* Threads `lanes` of the slot's warp read a clock; none: nobody does. False: out of memory. */
bool weir_clocks_read(struct weir_clocks *c, uint32_t slot, uint32_t insn, uint32_t lanes,
                      uint64_t now);
const struct weir_clock_pairs *weir_clocks_pairs(const struct weir_clocks *c);

#endif
