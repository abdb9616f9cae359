/* What an SM asks of its L1. The L1 owns tags, MSHRs, miss queue and bypass buffer; the SM owns the
 * queue in front of it and the loads behind it. Calls come in the order of work inside a cycle. */
#ifndef WEIR_SIM_L1_PORT_H
#define WEIR_SIM_L1_PORT_H

#include "sim/machine.h"
#include "sim/msg.h"

enum weir_op { WEIR_LOAD, WEIR_STORE, WEIR_ATOMIC };

/* One line-sized access of one warp instruction. */
struct weir_l1_req {
  uint64_t addr;
  uint32_t id; /* the SM's name for it: a load, or the warp of a store */
  uint32_t insn, warp;
  uint8_t sectors, full; /* full: sectors that a store writes whole */
  uint8_t op, is_local, cache_op, evict_hint;
};

/* Why a request could not be taken, in the order in which resources are asked for. */
enum weir_shortage {
  WEIR_NO_DATA_PORT,
  WEIR_NO_INFLIGHT,
  WEIR_NO_LINE,
  WEIR_NO_QUEUE,
  WEIR_NO_MERGE,
  WEIR_NO_MSHR,
  WEIR_NO_ICNT,
  WEIR_N_SHORTAGES
};

enum weir_l1_answer {
  WEIR_L1_HIT,   /* data after the hit latency */
  WEIR_L1_WAIT,  /* the answer comes later: by drain, or as a reply that went past the L1 */
  WEIR_L1_SENT,  /* a store: its acknowledgement comes later */
  WEIR_L1_FAILED /* *why says which resource was missing; nothing has changed */
};

struct weir_l1_stats {
  uint64_t loads, hits, hit_reserved, misses, partial_misses, bypassed;
  uint64_t stores, store_hits, atomics;
  uint64_t sectors, sectors_hit, sectors_missed, sectors_bypassed, store_sectors,
      store_sectors_missed;
  uint64_t fills, evictions, evictions_unused, store_evictions, mshr_merges, requests;
};
extern const struct weir_stat weir_l1_stat_table[];
extern const struct weir_stat_group weir_l1_stat_group;

struct weir_l1;
struct weir_l1_ops {
  const char *name;
  struct weir_l1 *(*create)(const struct weir_machine *m, uint32_t sm);
  void (*destroy)(struct weir_l1 *l1);
  void (*kernel_begin)(struct weir_l1 *l1, uint32_t shared_bytes_used);
  /* Step 1: a reply for the L1 (not a bypass). False: the fill port is busy; ask again. */
  bool (*fill)(struct weir_l1 *l1, const struct weir_msg *reply, uint64_t now);
  /* Step 2: one waiting request is answered; UINT32_MAX: none. */
  uint32_t (*drain)(struct weir_l1 *l1);
  bool (*has_drain)(const struct weir_l1 *l1);
  /* Step 4. */
  enum weir_l1_answer (*present)(struct weir_l1 *l1, const struct weir_l1_req *req,
                                 uint32_t inflight, uint64_t now, enum weir_shortage *why);
  /* Step 5: the packet that would be injected next; popped when it was. */
  const struct weir_msg *(*peek)(const struct weir_l1 *l1);
  void (*pop)(struct weir_l1 *l1);
  /* First cycle in which the data port is free. */
  uint64_t (*port_free)(const struct weir_l1 *l1);
  const struct weir_l1_stats *(*stats)(const struct weir_l1 *l1);
  bool (*is_idle)(const struct weir_l1 *l1);
  /* With nothing under way: what has not been given back, or is there twice; NULL: all is well. */
  const char *(*verify)(const struct weir_l1 *l1);
  /* One line about what waits here; empty if nothing does. */
  void (*describe)(const struct weir_l1 *l1, char *text, size_t len);
};

#endif
