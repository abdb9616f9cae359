/* Which lines the blocks of kernels read, by the loads that do: how much of the L1 loads would
 * take. It is counted from the requests of one timed run, each line once for its block and as often
 * as there are blocks on an SM at once; so many as all blocks have lines of the L1 are the measure
 * that it is held against. */
#ifndef WEIR_STUDY_BLOCK_LINES_H
#define WEIR_STUDY_BLOCK_LINES_H

#include "study/profile.h"

struct weir_block_lines {
  const struct weir_profile *p;
  struct weir_timing *timing; /* whose options have weir_block_lines_read for their tapes */
  struct {
    struct weir_noted_launch {
      uint32_t kernel;  /* of the profile; its number of kernels: none of it */
      uint32_t at_once; /* blocks on an SM */
      uint64_t blocks;
    } * v;
    size_t n, cap;
  } launches;
  /* For a kernel's number and a set of loads (weir_load_bit): lines; for no load: of the L1. */
  struct weir_rows rows;
};

/* Times a kernel, as weir_timing_kernel; `self` is the struct weir_block_lines. */
enum weir_status weir_block_lines_kernel(void *self, struct weir_block_source *source,
                                         struct weir_err *err);
/* For weir_timing_options.read_tape, likewise. */
enum weir_status weir_block_lines_read(void *self, const struct weir_timing *t, uint32_t sm,
                                       const struct weir_tape *tape, struct weir_err *err);
void weir_block_lines_free(struct weir_block_lines *x);

/* From the settled rows of a kernel of the profile to its lines, in the profile's arena. */
enum weir_status weir_block_lines_take(struct weir_profile *p, uint32_t kernel,
                                       const struct weir_rows *rows, struct weir_err *err);

#endif
