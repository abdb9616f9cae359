/* The timing engine: windows in which SMs and memory channels run on their own, and the exchange
 * between them.
 *
 * A message sent in a window of W cycles arrives W cycles later or after that, so nobody needs to
 * wait for anybody inside one. One thread or many, W as the machine gives it or forced lower: the
 * same bytes. */
#ifndef WEIR_SIM_ENGINE_H
#define WEIR_SIM_ENGINE_H

#include "sim/memory.h"
#include "sim/sample.h"
#include "sim/sm.h"

struct weir_sim_options {
  uint32_t threads;  /* at least 1 */
  uint64_t window;   /* 0: the machine's; else at most that */
  bool literal;      /* call every component in every cycle: slow, for tests */
  bool check;        /* after each kernel: has everything been given back? */
  bool tape;         /* what the L1s accept is recorded */
  bool cold;         /* each kernel finds L2 and L3 empty */
  uint64_t watchdog; /* cycles without an event after which a run is given up */
  /* After each window; false gives up, as WEIR_ELIMIT. May be NULL. */
  bool (*progress)(void *self, uint64_t cycle, uint64_t blocks_done);
  void *self;
  /* What a compiler says about the loads of a kernel, asked when one begins: an enum weir_tag for
   * each of its instructions, valid until it has ended; *tags NULL: nothing. The hook may be NULL.
   */
  enum weir_status (*tags)(const void *tags_self, const struct weir_kernel_info *k,
                           const uint8_t **tags, struct weir_err *err);
  const void *tags_self;
  const struct weir_sampler *sampler;   /* NULL: nobody looks */
  bool clocks;                          /* cycles between clock reads are wanted */
  const struct weir_reorder_cfg *order; /* of instructions; NULL: as they come */
};

struct weir_sim_unit { /* one SM in one kernel */
  uint64_t cycles;     /* from the kernel's begin to the last event of this SM */
  struct weir_sm_stats sm;
  struct weir_l1_stats l1;
};

struct weir_sim_result { /* of one kernel, or summed */
  uint64_t start, cycles;
  uint64_t drain; /* of the cycles, those behind the last block, for acknowledgements and the end
                     alone */
  struct weir_sm_stats sm;
  struct weir_l1_stats l1;
  struct weir_l2_stats l2;
  struct weir_l3_stats l3;
  struct weir_dram_stats dram;
  const struct weir_part *parts[WEIR_MAX_PARTS];
  uint64_t part[WEIR_MAX_PARTS][WEIR_MAX_PART_STATS]; /* counters of the parts of the L1 */
  uint32_t blocks_per_sm;
  const char *limited_by;
};

/* Kernel after kernel: counters add up; blocks per SM are those of the last. */
void weir_sim_result_add(struct weir_sim_result *into, const struct weir_sim_result *from);

struct weir_sim;
/* `design` (NULL: the machine's own L1) outlives the simulator. */
enum weir_status weir_sim_new(const struct weir_machine *m, const struct weir_design *design,
                              const struct weir_sim_options *o, struct weir_sim **out,
                              struct weir_err *err);
/* Run one kernel to its end. After a failure the simulator can only be freed. */
enum weir_status weir_sim_kernel(struct weir_sim *sim, struct weir_block_source *source,
                                 struct weir_sim_result *result, struct weir_err *err);
/* The kernel that comes next is the last one again: it has its number. */
void weir_sim_repeat(struct weir_sim *sim);
/* Of the last kernel: each SM, and each instruction of the kernel summed over SMs. They live until
 * the next kernel. */
const struct weir_sim_unit *weir_sim_units(const struct weir_sim *sim, uint32_t *n);
const struct weir_pc_stats *weir_sim_insns(const struct weir_sim *sim, uint32_t *n);
/* Of the last kernel: cycles between its clock reads, until the next; NULL unless the options ask.
 */
const struct weir_clock_pairs *weir_sim_clocks(const struct weir_sim *sim);
/* Of the last kernel: what policy `part` of every SM has prepared in it, added to the rows. */
enum weir_status weir_sim_rows(const struct weir_sim *sim, uint32_t part, struct weir_rows *rows,
                               struct weir_err *err);
/* After the last: what the policy makes of all its rows. */
enum weir_status weir_sim_digest(const struct weir_sim *sim, uint32_t part, struct weir_rows *rows,
                                 struct weir_err *err);
/* What the L1 of an SM has accepted since the tape was emptied; NULL: there is no such SM, or
 * nothing is taped. */
struct weir_tape *weir_sim_tape(const struct weir_sim *sim, uint32_t sm);
/* Warp instructions issued in the kernel that runs, for progress. */
uint64_t weir_sim_issued(const struct weir_sim *sim);
/* What part i of the L1 is; NULL: no such part. */
const struct weir_part *weir_sim_part(const struct weir_sim *sim, uint32_t i);
void weir_sim_free(struct weir_sim *sim);

#endif
