/* What is known of a kernel's text that a compiler goes by when it orders instructions: where
 * blocks begin, which innermost loops can be unrolled, what addresses are made of. It comes with
 * kernels that were PTX; machine code has none, and needs none. */
#ifndef WEIR_STREAM_OUTLINE_H
#define WEIR_STREAM_OUTLINE_H

#include <stdbool.h>
#include <stdint.h>

enum weir_outline_flag {
  WEIR_OUTLINE_LEADER = 1,  /* begins a basic block */
  WEIR_OUTLINE_GUARDED = 2, /* under a predicate: its results may keep what they were */
  /* In a loop of the outline: */
  WEIR_OUTLINE_COVERED = 4,   /* some way through an iteration jumps over it */
  WEIR_OUTLINE_STEP = 8,      /* adds a constant to a register that nothing else there writes */
  WEIR_OUTLINE_TEST = 16,     /* compares for the branch back, and for nothing else */
  WEIR_OUTLINE_BACK = 32,     /* the branch back */
  WEIR_OUTLINE_CONSTANT = 64, /* gives a register a constant: an operand in machine code */
  WEIR_OUTLINE_ALL = 127
};

struct weir_outline_insn {
  uint8_t flags;  /* enum weir_outline_flag */
  uint8_t live;   /* 32-bit registers that hold something before it, as far as 255 */
  uint16_t base;  /* of a load or store: register that its address is made of; WEIR_NO_REG: none */
  int32_t offset; /* what is added to that; of a step: what it adds */
};

enum weir_outline_loop_flag {
  WEIR_LOOP_NOUNROLL = 1, /* so the text says */
  WEIR_LOOP_UNSTEADY = 2, /* its end is no comparison of something that a constant is added to */
  WEIR_LOOP_BLOCKED = 4,  /* barriers, atomics, divisions: compilers leave such loops alone */
  WEIR_LOOP_ALL = 7
};

/* An innermost loop of the text: instructions first..last, entered at the first and left behind the
 * last, which branches back; other branches in it go forward. */
struct weir_outline_loop {
  uint32_t first, last;
  uint32_t trips; /* 0: not known */
  uint8_t flags;  /* enum weir_outline_loop_flag */
};

struct weir_outline {
  const struct weir_outline_insn *insns; /* of each static instruction */
  const struct weir_outline_loop *loops; /* by first instruction; none overlap */
  uint32_t n_loops;
};

#endif
