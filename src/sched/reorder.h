/* The order that a compiler would give a stream.
 *
 * PTX has one or two loads in flight where machine code, its loops unrolled and its loads moved up,
 * has a dozen. Streams are recorded in the order of the PTX; this gives them that of machine code
 * while they are read, for one machine at a time:
 *
 *   reader ──► window ──► region: a basic block, or so many iterations of an innermost loop
 *                           │
 *                           └─ loads first, with what their addresses need ──► the SM
 *
 * What is done to a region follows from the static instructions on its way alone: never from
 * addresses, other warps or the time. */
#ifndef WEIR_SCHED_REORDER_H
#define WEIR_SCHED_REORDER_H

#include "base/registry.h"
#include "stream/outline.h"
#include "stream/reader.h"

#define WEIR_INSN_ORDERS(X)                                                                        \
  X(WEIR_INSNS_OFF, "off") X(WEIR_INSNS_BLOCKS, "blocks") X(WEIR_INSNS_LOOPS, "loops")
enum weir_insn_order { WEIR_INSN_ORDERS(WEIR_CHOICE_ID) };
#define WEIR_COPY_PCS(X) X(WEIR_PC_PTX, "ptx") X(WEIR_PC_COPY, "copy")
enum weir_copy_pc { WEIR_COPY_PCS(WEIR_CHOICE_ID) };

struct weir_reorder_cfg {
  enum weir_insn_order order;
  int64_t unroll, full, body, registers, window;
  enum weir_copy_pc pc;
  bool textures, tests;
};
extern const struct weir_param_group weir_reorder_params;

/* ---- a kernel ---- */

/* An innermost loop that is unrolled. Its instructions have copies: of each iteration of a group
 * but the last, and of the last one of a group of each size. */
struct weir_unrolled {
  uint32_t first, last; /* in the PTX */
  uint32_t copies_at;   /* the first copy of the first instruction */
  uint8_t unroll;       /* the largest group; others are halves of the one before, down to 2 */
};

/* A kernel as a machine sees it: the instructions of the PTX, and behind them copies, which differ
 * in registers. */
struct weir_reordered {
  struct weir_kernel_info info; /* of both; otherwise as the kernel */
  const struct weir_kernel_info *ptx;
  uint32_t *origin;            /* of each: instruction of the PTX */
  uint8_t *is_left_out;        /* of each: loop overhead that machine code does not have */
  struct weir_unrolled *loops; /* by first instruction */
  uint32_t n_loops, window, budget;
  bool has_own_pcs;    /* sched.pc=copy */
  bool moves_textures; /* sched.textures */
  bool moves_tests;    /* sched.tests */
};

/* *out NULL: its order stays as it is, since that is off, or nothing is known of its text. `k`
 * outlives what is made. */
enum weir_status weir_reorder_kernel(const struct weir_reorder_cfg *cfg,
                                     const struct weir_kernel_info *k, struct weir_reordered **out,
                                     struct weir_err *err);
void weir_reordered_free(struct weir_reordered *r);
/* The copy of instruction `insn` in iteration `k` of a group of `size`. */
uint32_t weir_copy_of(const struct weir_unrolled *l, uint32_t insn, uint32_t size, uint32_t k);

/* ---- a way through it ---- */

/* Room to find orders in; n instructions at most. */
struct weir_orderer;
struct weir_orderer *weir_orderer_new(const struct weir_reordered *r); /* NULL: out of memory */
void weir_orderer_free(struct weir_orderer *o);
/* The order of a region whose instructions (copies, where it is unrolled) are path[0..n): order[i]
 * is the place of the i-th one to issue. Returns how many issue: those left out are missing. */
uint32_t weir_order_find(struct weir_orderer *o, const uint32_t *path, uint32_t n, uint16_t *order);

/* ---- warps ---- */

/* What the warps of an SM share: orders that were found, and counters of what was left out. */
struct weir_reorderer;
struct weir_reorder_counts {
  uint64_t *warp_insns, *thread_insns, *left_out;
};
struct weir_reorderer *weir_reorderer_new(uint32_t n_warps, struct weir_reorder_counts counts);
void weir_reorderer_free(struct weir_reorderer *r);
/* For the warps of a kernel, NULL: of none. False: out of memory. */
bool weir_reorderer_kernel(struct weir_reorderer *r, const struct weir_reordered *k);
/* Opens a warp's stream in that order. False: out of memory. */
bool weir_reorderer_open(struct weir_reorderer *r, uint32_t warp, struct weir_warp_reader *reader,
                         struct weir_warp_stream *s, bool consume);

#endif
