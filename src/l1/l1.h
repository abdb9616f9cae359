/* The L1 data cache: tags, MSHRs, miss queue and bypass buffer. Whoever uses it owns the queues in
 * front of it and the loads behind it, and calls in the order of work inside a cycle. */
#ifndef WEIR_L1_L1_H
#define WEIR_L1_L1_H

#include "l1/design.h"
#include "l1/tape.h"
#include "machine/msg.h"

struct weir_l1_req {
  struct weir_access a;
  uint32_t id;      /* the caller's name for it: a load, or the warp of a store */
  uint32_t kinds;   /* the caller's: shortages that it has failed with */
  uint16_t words;   /* a store, with l2.merge_writes: of each sector, four bits each */
  uint32_t touched; /* with l1.store_words: words of the line, a bit each, that a load reads or that
                       a store writes whole */
  bool is_word;     /* an atomic: on one word */
  bool is_texture;
};

enum weir_l1_answer {
  WEIR_L1_HIT,   /* data in cycle ready_at */
  WEIR_L1_WAIT,  /* the answer comes later: by drain, or as a reply that bypassed the L1 */
  WEIR_L1_SENT,  /* a store: its acknowledgement comes later */
  WEIR_L1_PIPED, /* on its way to the tags: weir_l1_look_up will have the answer */
  WEIR_L1_LATER, /* a request before it has used its bank in this cycle, or its place */
  WEIR_L1_FAILED /* `why` says which resource was missing; nothing has changed */
};

/* Small enough to come back in registers: in memory, fields that were just written are read again
 * as one, which waits for the stores. */
struct weir_l1_result {
  uint64_t ready_at;
  uint32_t packets; /* SENT: acknowledgements that will come */
  uint8_t answer;   /* enum weir_l1_answer */
  uint8_t why;      /* enum weir_shortage */
  bool is_missing;  /* it sent for something */
  bool is_probed;   /* FAILED: tags were read to find that out */
};
_Static_assert(sizeof(struct weir_l1_result) == 16, "two registers");

struct weir_l1_stats {
  uint64_t loads, hits, hit_reserved, misses, partial_misses, bypassed;
  uint64_t local_loads, local_hits, local_hit_reserved, local_misses, local_partial_misses,
      local_bypassed;
  uint64_t bypass_reason[WEIR_N_REASONS];
  uint64_t stores, store_hits, local_stores, local_store_hits, atomics, atomic_hits;
  uint64_t probes, data_reads, data_writes, prefetches, prefetches_dropped;
  uint64_t sectors, sectors_hit, sectors_missed, sectors_bypassed, store_sectors,
      store_sectors_missed;
  uint64_t sectors_hit_stored;
  uint64_t global_load_sectors, local_load_sectors, texture_sectors, texture_sectors_missed,
      atomic_sectors;
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
  uint64_t sectors_fetched;
};
extern const struct weir_stat weir_pc_stat_table[];
extern const struct weir_stat_group weir_pc_stat_group;

/* What an L1 asks of the SM that it belongs to. */
struct weir_l1_host {
  void *sm;
  uint32_t id;
  void (*view)(void *sm, struct weir_sm_view *v);
  void (*broadcast)(void *sm, uint32_t part, const uint64_t v[4]);
};

struct weir_l1;
/* `design` NULL: the machine's own. NULL: it cannot be. */
struct weir_l1 *weir_l1_create(const struct weir_machine *m, const struct weir_design *design,
                               const struct weir_l1_host *host, struct weir_err *err);
/* Can it be created? */
enum weir_status weir_l1_try(const struct weir_machine *m, const struct weir_design *d,
                             struct weir_err *err);
void weir_l1_destroy(struct weir_l1 *l1);
/* Another L1 in the same state, for another SM (`host`) of the same number. NULL: out of memory. */
struct weir_l1 *weir_l1_clone(const struct weir_l1 *l1, const struct weir_l1_host *host);

/* From now on requests are taped. False: out of memory. */
bool weir_l1_tape_on(struct weir_l1 *l1);
/* NULL: they are not. Whoever has read it may empty it. */
struct weir_tape *weir_l1_tape(const struct weir_l1 *l1);

/* False: out of memory. */
bool weir_l1_kernel_begin(struct weir_l1 *l1, const struct weir_kernel *k,
                          uint32_t shared_bytes_used, uint64_t now);
void weir_l1_kernel_end(struct weir_l1 *l1, uint64_t now);

/* ---- step 1: arrivals ---- */

/* A reply to a request that was bypassed, for what it tells the policies; `a` is what was presented
 * for that load, whichever line of it. */
void weir_l1_bypass_return(struct weir_l1 *l1, const struct weir_access *a,
                           const struct weir_msg *reply, uint64_t now);
void weir_l1_broadcast_received(struct weir_l1 *l1, uint32_t from, uint32_t part,
                                const uint64_t v[4], uint64_t now);
void weir_l1_cta_begin(struct weir_l1 *l1, const struct weir_cta *c, uint64_t now);
/* An answer with WEIR_REQ_PART is one of some. True: it is the last, and *whole is what they make
 * together, which has come with it. */
bool weir_l1_join(struct weir_l1 *l1, const struct weir_msg *reply, struct weir_msg *whole);
/* A reply for the L1. False: its banks are busy; ask again. */
bool weir_l1_fill(struct weir_l1 *l1, const struct weir_msg *reply, uint64_t now);

/* ---- step 2: one waiting request is answered; UINT32_MAX: none ---- */

uint32_t weir_l1_drain(struct weir_l1 *l1, uint64_t now);
bool weir_l1_has_drain(const struct weir_l1 *l1);

/* ---- step 3: the cycle of the next wake-up; wake those whose cycle has come ---- */

uint64_t weir_l1_next_tick(const struct weir_l1 *l1);
void weir_l1_tick(struct weir_l1 *l1, uint64_t now);

/* ---- step 4: requests ---- */

/* Where l1.latency_at is tags, requests go through a pipeline, in order. The cycle in which the
 * next of them is at the tags, or was if it waits there; its lookup, of which it has come to the
 * end when it was taken. */
uint64_t weir_l1_next_look_up(const struct weir_l1 *l1);
struct weir_l1_req *weir_l1_at_tags(struct weir_l1 *l1);
struct weir_l1_result weir_l1_look_up(struct weir_l1 *l1, uint32_t inflight, uint64_t now);
void weir_l1_pop_look_up(struct weir_l1 *l1);
/* Requests that the pipeline can hold; 0: there is none. */
uint32_t weir_l1_pipe_room(const struct weir_machine *m);
/* `inflight`: loads and atomics that wait for an answer. */
struct weir_l1_result weir_l1_present(struct weir_l1 *l1, struct weir_l1_req *req,
                                      uint32_t inflight, uint64_t now);
/* Look at the tags whenever a load is presented, also where what it lacks cannot have come. */
void weir_l1_look_always(struct weir_l1 *l1);
/* Where a policy orders requests (order.h): the queues that it asks for, which queue a request goes
 * into, which one is next (some of `n` is not 0), and what became of it. */
struct weir_order weir_l1_order(const struct weir_l1 *l1);
uint32_t weir_l1_choose_queue(struct weir_l1 *l1, struct weir_l1_req *req, uint64_t now);
void weir_l1_queued(struct weir_l1 *l1, const struct weir_access *a, uint32_t queue);
uint32_t weir_l1_next_queue(const struct weir_l1 *l1, const uint32_t *n);
void weir_l1_left_queue(struct weir_l1 *l1, const struct weir_access *a, uint32_t queue,
                        uint64_t now);

/* ---- step 5: the packet that would be injected next (not before its `at`); popped when it was -
 */

const struct weir_msg *weir_l1_peek(const struct weir_l1 *l1);
void weir_l1_pop(struct weir_l1 *l1);

/* ---- step 6: warps ---- */

bool weir_l1_has_gate(const struct weir_l1 *l1);
bool weir_l1_gate(const struct weir_l1 *l1, uint32_t warp, enum weir_op op);
/* Does a policy pick warps? Else the machine's own scheduler is asked, which knows what views and
 * `issued` have told it and nothing else. */
bool weir_l1_has_scheduler(const struct weir_l1 *l1);
struct weir_own_scheduler {
  int (*pick_warp)(const struct weir_policy *, const struct weir_sched_view *, uint64_t ready);
  const struct weir_policy *p;
};
struct weir_own_scheduler weir_l1_own_scheduler(const struct weir_l1 *l1);
/* Is there somebody to tell of views, of what has issued? */
bool weir_l1_hears_views(const struct weir_l1 *l1);
bool weir_l1_hears_issue(const struct weir_l1 *l1);
/* A view, told before warps are picked with it. */
void weir_l1_sched_update(struct weir_l1 *l1, const struct weir_sched_view *v, uint64_t now);
/* Which of the ready warps issues, of which there is one at least; negative: none of them now. */
int weir_l1_pick_warp(const struct weir_l1 *l1, const struct weir_sched_view *v, uint64_t ready);
void weir_l1_issued(struct weir_l1 *l1, uint32_t scheduler, uint32_t warp, uint64_t now);
bool weir_l1_hears_warps(const struct weir_l1 *l1);
void weir_l1_warp(struct weir_l1 *l1, uint32_t slot, enum weir_warp_event e, uint64_t now);

/* ---- step 7 ---- */

void weir_l1_cta_end(struct weir_l1 *l1, const struct weir_cta *c, uint64_t now);

/* ---- questions ---- */

/* Blocks that the policies allow on an SM at once. */
uint32_t weir_l1_max_ctas(const struct weir_l1 *l1, const struct weir_kernel *k);
/* First cycle in which a bank that is busy is free again. */
uint64_t weir_l1_port_free(const struct weir_l1 *l1, uint64_t now);
const struct weir_l1_stats *weir_l1_get_stats(struct weir_l1 *l1, uint64_t now); /* settled */
/* How full it is: MSHRs that are open, requests that wait to be sent. */
struct weir_l1_levels {
  uint32_t mshrs, miss_queue, bypass_queue;
};
struct weir_l1_levels weir_l1_levels(const struct weir_l1 *l1);
const struct weir_pc_stats *weir_l1_get_pc_stats(const struct weir_l1 *l1); /* of this kernel */
/* Part i, 0 is the organisation; NULL: no such part. And its counters. */
const struct weir_part *weir_l1_part(const struct weir_l1 *l1, uint32_t i);
const uint64_t *weir_l1_part_stats(const struct weir_l1 *l1, uint32_t i);
/* What policy `part` has prepared in the kernel that ended: row i, false if there is none; those
 * that it noted, which are forgotten here; and what is left of all rows, in place. A fault may be
 * the reason. */
bool weir_l1_row(const struct weir_l1 *l1, uint32_t part, uint32_t i, struct weir_row *row);
enum weir_status weir_l1_take_notes(struct weir_l1 *l1, uint32_t part, struct weir_rows *rows,
                                    struct weir_err *err);
size_t weir_l1_digest(const struct weir_l1 *l1, uint32_t part, struct weir_row *rows, size_t n);
/* Memory that one of them takes here, about, before it is made. */
double weir_l1_bytes(const struct weir_machine *m, const struct weir_design *design);
bool weir_l1_is_idle(const struct weir_l1 *l1);
/* With nothing under way: what has not been given back, or is there twice; NULL: all is well. */
const char *weir_l1_verify(const struct weir_l1 *l1);
/* A policy broke the contract; NULL: none did. Whose fault that is: EBUG weir's, EFAULT a
 * plug-in's. */
const char *weir_l1_fault(const struct weir_l1 *l1);
enum weir_status weir_l1_fault_code(const struct weir_l1 *l1);
/* Nothing moves any more: a fault, if a policy refuses. */
void weir_l1_blame(struct weir_l1 *l1);
/* One line about what waits here; empty if nothing does. */
void weir_l1_describe(const struct weir_l1 *l1, char *text, size_t len);
/* A hash of all that its organisation and policies remember. */
uint64_t weir_l1_parts_hash(const struct weir_l1 *l1);

/* ---- storage ---- */

/* Of a part that does not say what hardware it adds, and of every sum with it. */
#define WEIR_NOT_DECLARED UINT64_MAX

/* Bits of hardware that each part of a design says it has on a machine, by its number; those of SM
 * 0, which has what there is once for all. Numbers without a part have 0. */
enum weir_status weir_l1_storage(const struct weir_machine *m, const struct weir_design *d,
                                 uint64_t bits[WEIR_MAX_PARTS], struct weir_err *err);
uint64_t weir_l1_storage_sum(const uint64_t bits[WEIR_MAX_PARTS]);
/* Bits that they need in the lines of the L2, all slices together. */
uint64_t weir_l2_storage(const struct weir_machine *m, const struct weir_design *d);

#endif
