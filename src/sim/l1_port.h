/* What an SM asks of its L1. The L1 owns tags, MSHRs, miss queue and bypass buffer; the SM owns the
 * queue in front of it and the loads behind it. Calls come in the order of work inside a cycle. */
#ifndef WEIR_SIM_L1_PORT_H
#define WEIR_SIM_L1_PORT_H

#include "sim/machine.h"
#include "sim/msg.h"
#include "weir/policy.h"

struct weir_l1_req {
  struct weir_access a;
  uint32_t id;    /* the SM's name for it: a load, or the warp of a store */
  uint32_t kinds; /* the SM's: shortages that it has failed with */
};

enum weir_l1_answer {
  WEIR_L1_HIT,   /* data in cycle ready_at */
  WEIR_L1_WAIT,  /* the answer comes later: by drain, or as a reply that went past the L1 */
  WEIR_L1_SENT,  /* a store: its acknowledgement comes later */
  WEIR_L1_LATER, /* its bank was used in this cycle by a request before it */
  WEIR_L1_FAILED /* `why` says which resource was missing; nothing has changed */
};

struct weir_l1_result {
  enum weir_l1_answer answer;
  enum weir_shortage why;
  bool is_missing; /* it sent for something */
  bool is_probed;  /* FAILED: tags were read to find that out */
  uint64_t ready_at;
};

enum { WEIR_MAX_PARTS = 9, WEIR_MAX_PART_STATS = 32 }; /* parts: organisation and policies */

struct weir_l1_stats {
  uint64_t loads, hits, hit_reserved, misses, partial_misses, bypassed;
  uint64_t local_loads, local_hits, local_hit_reserved, local_misses, local_partial_misses,
      local_bypassed;
  uint64_t bypass_reason[WEIR_N_REASONS];
  uint64_t stores, store_hits, local_stores, local_store_hits, atomics, atomic_hits;
  uint64_t probes, data_reads, data_writes, prefetches, prefetches_dropped;
  uint64_t sectors, sectors_hit, sectors_missed, sectors_bypassed, store_sectors,
      store_sectors_missed;
  uint64_t fills, fill_sectors, allocations, evictions[WEIR_N_CAUSES], evictions_unused;
  uint64_t store_evictions;
  uint64_t mshr_merges, mshr_cycles, mshr_most;
  uint64_t bytes; /* of data, in this launch */
  uint64_t requests, request_flits, reply_flits, writebacks;
};
extern const struct weir_stat weir_l1_stat_table[];
extern const struct weir_stat_group weir_l1_stat_group;

/* Of one instruction of a kernel. */
struct weir_pc_stats {
  uint64_t requests, hits, hit_reserved, misses, partial_misses, bypassed, sectors, sectors_missed;
};
extern const struct weir_stat weir_pc_stat_table[];
extern const struct weir_stat_group weir_pc_stat_group;

/* What an L1 asks of its SM. */
struct weir_l1_host {
  void *sm;
  uint32_t id;
  void (*view)(void *sm, struct weir_sm_view *v);
  /* Who waits for a reply: fills in instruction, warp and block. */
  void (*describe)(void *sm, uint32_t load, struct weir_access *a);
  void (*broadcast)(void *sm, uint32_t part, const uint64_t v[4]);
};

struct weir_l1;
struct weir_l1_ops {
  const char *name;
  /* `design`: what to build, in the terms of whoever implements this; NULL: the machine's own. */
  struct weir_l1 *(*create)(const struct weir_machine *m, const void *design,
                            const struct weir_l1_host *host, struct weir_err *err);
  void (*destroy)(struct weir_l1 *l1);
  bool (*kernel_begin)(struct weir_l1 *l1, const struct weir_kernel *k, uint32_t shared_bytes_used,
                       uint64_t now);
  void (*kernel_end)(struct weir_l1 *l1, uint64_t now);
  /* Step 1. A reply that went past the L1, for what it tells the policies. */
  void (*bypass_return)(struct weir_l1 *l1, const struct weir_msg *reply, uint64_t now);
  void (*heard)(struct weir_l1 *l1, uint32_t from, uint32_t part, const uint64_t v[4],
                uint64_t now);
  void (*cta_begin)(struct weir_l1 *l1, const struct weir_cta *c, uint64_t now);
  /* A reply for the L1. False: its banks are busy; ask again. */
  bool (*fill)(struct weir_l1 *l1, const struct weir_msg *reply, uint64_t now);
  /* Step 2: one waiting request is answered; UINT32_MAX: none. */
  uint32_t (*drain)(struct weir_l1 *l1, uint64_t now);
  bool (*has_drain)(const struct weir_l1 *l1);
  /* Step 3: the cycle of the next wake-up; wake those whose cycle has come. */
  uint64_t (*next_tick)(const struct weir_l1 *l1);
  void (*tick)(struct weir_l1 *l1, uint64_t now);
  /* Step 4. */
  struct weir_l1_result (*present)(struct weir_l1 *l1, struct weir_l1_req *req, uint32_t inflight,
                                   uint64_t now);
  /* Where a policy orders requests: how many can wait in its queues (0: there are none), how many
   * do. */
  uint32_t (*order_room)(const struct weir_l1 *l1);
  uint32_t (*order_n)(const struct weir_l1 *l1);
  /* Into its queue; false: that is full. */
  bool (*order_push)(struct weir_l1 *l1, struct weir_l1_req *req, uint64_t now);
  /* The one to present next (some wait); it leaves its queue when it was taken. */
  struct weir_l1_req *(*order_head)(struct weir_l1 *l1);
  void (*order_pop)(struct weir_l1 *l1, uint64_t now);
  /* Step 5: the packet that would be injected next (not before its `at`); popped when it was. */
  const struct weir_msg *(*peek)(const struct weir_l1 *l1);
  void (*pop)(struct weir_l1 *l1);
  /* Step 6. */
  bool (*has_gate)(const struct weir_l1 *l1);
  bool (*gate)(const struct weir_l1 *l1, uint32_t warp, enum weir_op op);
  bool (*hears_warps)(const struct weir_l1 *l1);
  void (*warp)(struct weir_l1 *l1, uint32_t slot, enum weir_warp_event e, uint64_t now);
  /* Step 7. */
  void (*cta_end)(struct weir_l1 *l1, const struct weir_cta *c, uint64_t now);

  /* Blocks that the policies allow on an SM at once. */
  uint32_t (*max_ctas)(const struct weir_l1 *l1, const struct weir_kernel *k);
  /* First cycle in which a bank that is busy is free again. */
  uint64_t (*port_free)(const struct weir_l1 *l1, uint64_t now);
  const struct weir_l1_stats *(*stats)(struct weir_l1 *l1, uint64_t now); /* settled to now */
  const struct weir_pc_stats *(*pc_stats)(const struct weir_l1 *l1);      /* of this kernel */
  /* Part i, 0 is the organisation; NULL: no such part. And its counters. */
  const struct weir_part *(*part)(const struct weir_l1 *l1, uint32_t i);
  const uint64_t *(*part_stats)(const struct weir_l1 *l1, uint32_t i);
  /* Memory that one of them takes here, about, before it is made. */
  double (*bytes)(const struct weir_machine *m, const void *design);
  /* Bits of hardware that all parts together say they have. */
  uint64_t (*storage_bits)(const struct weir_l1 *l1);
  bool (*is_idle)(const struct weir_l1 *l1);
  /* With nothing under way: what has not been given back, or is there twice; NULL: all is well. */
  const char *(*verify)(const struct weir_l1 *l1);
  /* A policy broke the contract; NULL: none did. Whose fault that is: EBUG weir's, EFAULT a
   * plug-in's. */
  const char *(*fault)(const struct weir_l1 *l1);
  enum weir_status (*fault_code)(const struct weir_l1 *l1);
  void (*blame)(struct weir_l1 *l1); /* nothing moves any more: a fault, if a policy refuses */
  /* One line about what waits here; empty if nothing does. */
  void (*describe)(const struct weir_l1 *l1, char *text, size_t len);
};

#endif
