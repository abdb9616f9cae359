/* What an SM looks like in certain cycles, for those who draw it. Results are the same with and
 * without; so are samples, for any number of threads. */
#ifndef WEIR_SIM_SAMPLE_H
#define WEIR_SIM_SAMPLE_H

#include "l1/l1.h"
#include "stream/stream.h"

/* Of a warp, after the cycle before the sample's. */
enum weir_warp_look {
  WEIR_LOOK_ABSENT, /* nothing is in the slot, or its warp has ended */
  WEIR_LOOK_ISSUED,
  WEIR_LOOK_READY,      /* could have, or will in this cycle */
  WEIR_LOOK_LOAD,       /* waits for a load, an atomic or asynchronous copies */
  WEIR_LOOK_DEPENDENCY, /* for another result */
  WEIR_LOOK_LDST,       /* for the LD/ST unit */
  WEIR_LOOK_UNIT,       /* for another unit */
  WEIR_LOOK_BARRIER,
  WEIR_LOOK_FENCE,
  WEIR_LOOK_GATE, /* a policy holds it back */
  WEIR_N_LOOKS
};

struct weir_sample {
  uint32_t sm, n_warps; /* n_warps: slots */
  uint64_t cycle;       /* of the simulation */
  uint8_t look[WEIR_MAX_WARPS];
  uint32_t blocks;
  uint32_t ldst_queue, inflight; /* requests in front of the L1; that wait for an answer */
  struct weir_l1_levels l1;
  /* Since the simulation began. */
  uint64_t issued;
  const struct weir_l1_stats *l1_stats; /* but for what is counted by cycle */
  /* Of part i of the L1; NULL: the SM has no work, and what its parts have counted is not settled.
   */
  const uint64_t *part_stats[WEIR_MAX_PARTS];
  const struct weir_part *part[WEIR_MAX_PARTS]; /* NULL: there is none */
};

struct weir_sampler {
  uint64_t every;  /* cycles, from the beginning of each kernel on */
  const bool *sms; /* which ones; */
  uint32_t n_sms;  /* those from here on are not asked */
  void *self;
  void (*begin)(void *self, const struct weir_kernel_info *k, uint64_t start);
  /* From several threads, but of one SM in order, from one at a time. The last is that of the
   * kernel's end, or some lie behind it, in which nothing has happened any more. */
  void (*sample)(void *self, const struct weir_sample *s);
  void (*end)(void *self, uint64_t end);
};

#endif
