/* A streaming multiprocessor: warps, schedulers, scoreboard, load/store unit. One component of the
 * engine. */
#ifndef WEIR_SIM_SM_H
#define WEIR_SIM_SM_H

#include "sched/reorder.h"
#include "sim/clocks.h"
#include "sim/collect.h"
#include "sim/ldst.h"
#include "stream/block.h"
#include "stream/coalesce.h"

/* What a scheduler's slot was used for; they add up to cycles x schedulers. */
enum weir_slot {
  WEIR_SLOT_ISSUED,
  WEIR_SLOT_NO_WARP,
  WEIR_SLOT_BARRIER,
  WEIR_SLOT_LOAD,
  WEIR_SLOT_DEPENDENCY,
  WEIR_SLOT_UNIT,
  WEIR_SLOT_FENCE,
  WEIR_SLOT_GATE,
  WEIR_SLOT_LDST,
  WEIR_N_ISSUE_SLOTS =
      WEIR_SLOT_LDST + WEIR_N_SHORTAGES + 1 /* the LD/ST unit is full: by what its head waits for */
};

struct weir_sm_stats {
  uint64_t warp_insns, insns_left_out, thread_insns, blocks, mem_insns, load_insns,
      load_insns_missed, requests, shared_passes, texture_requests, texture_hits, texture_joins;
  uint64_t slot[WEIR_N_ISSUE_SLOTS];
  uint64_t stall[WEIR_N_SHORTAGES];     /* cycles in which the LD/ST head could not advance */
  uint64_t stall_probed;                /* of these, those of heads whose tags were read */
  uint64_t resv_fail[WEIR_N_SHORTAGES]; /* requests that failed with that kind at least once */
};
extern const struct weir_stat weir_sm_stat_table[];
extern const struct weir_stat_group weir_sm_stat_group;

enum weir_warp_state {
  WEIR_W_FREE,
  WEIR_W_RUN,
  WEIR_W_BARRIER,
  WEIR_W_FENCE,
  WEIR_W_COPY, /* waits for groups of asynchronous copies */
  WEIR_W_ATOM, /* waits for its atomics (sm.atom_waits) */
  WEIR_W_DONE
};
/* So many groups are told apart; what belongs to an older one counts for the one that follows it
 * after so many. */
enum { WEIR_COPY_GROUPS = 8 };
struct weir_copies {
  uint32_t left;  /* copies under way */
  uint64_t ready; /* cycle in which the last of those that came is there */
};

struct weir_sm_warp {
  struct weir_warp_reader reader;
  struct weir_dyn next;
  uint64_t *reg;          /* cycle in which each register is ready */
  uint32_t block;         /* slot */
  uint32_t in_block;      /* number of the warp there */
  uint32_t n_requests;    /* so far */
  uint32_t loads, stores; /* under way; loads: atomics too; stores: of the slot */
  uint32_t atoms;         /* of these, atomics */
  uint32_t collecting; /* instructions on the way to a unit that will be there nobody knows when */
  uint64_t collected_at; /* cycle in which the last of the others has its unit (collect.h) */
  uint64_t not_before;   /* with collectors: cycle before which it does not issue */
  uint8_t state;
  uint8_t at_barrier; /* WEIR_W_BARRIER: which */
  uint8_t keeps;      /* WEIR_W_COPY: groups that may still be under way */
  uint32_t group;     /* of copies: the one that has not been ended */
  struct weir_copies copies[WEIR_COPY_GROUPS];
  struct weir_barrier barrier; /* of the next instruction, if that is one */
  uint32_t lanes;              /* of the last instruction that is not guarded; 0: none was yet */
  uint32_t code;               /* 1 + line of the last instruction; 0: none was yet */
  uint64_t load_at;            /* before this cycle it loads no more (sm.load_next_cyc) */
  uint8_t last_class;          /* of the last instruction; WEIR_N_CLASSES: none was yet */
};

/* Instructions of a kernel: a line of the code cache, 8 of 16 bytes in machine code. */
enum { WEIR_CODE_LINE = 128, WEIR_CODE_INSNS = 8 };
struct weir_code_line {
  uint64_t tag, ready; /* tag 0: none */
};

struct weir_sm_block {
  struct weir_block_stream *stream;
  uint64_t warps; /* their slots */
  uint32_t n_warps, n_left;
  struct {
    uint32_t arrived, warps; /* warps: how many it is for; 0: all that are left */
  } barrier[WEIR_BARRIERS];
  uint32_t pending;    /* loads, store requests and instructions being collected */
  uint64_t busy_until; /* the last result of a load; the last instruction has its unit */
  bool is_used;
  uint32_t end_cyc; /* that it takes to end, by what it has accessed */
};

/* What a part of an L1 tells the same part of the other SMs. */
struct weir_broadcast {
  uint64_t at, v[4];
  uint32_t from, part;
};
struct weir_broadcasts {
  struct weir_broadcast *v;
  size_t n, cap;
};

/* A block and the cycle in which it arrives, or has ended. */
struct weir_block_event {
  uint64_t at;
  struct weir_block_stream *stream;
};

/* The scheduler itself is a unit, too, which instructions that are several of machine code keep. */
enum { WEIR_UNIT_SCHEDULER = WEIR_N_CLASSES, WEIR_N_UNITS };

#define WEIR_NO_SLOT UINT8_MAX
struct weir_sched {
  uint64_t slots; /* that belong to it */
  struct weir_sched_view view;
  uint64_t awake;   /* running warps whose registers are ready */
  uint64_t asleep;  /* those whose registers will be ready in a known cycle */
  uint64_t soonest; /* no later than the first of these cycles */
  /* Units, by instruction class. */
  uint64_t unit_free[WEIR_N_UNITS];
  uint64_t of_unit[WEIR_N_UNITS]; /* running warps whose next instruction needs it; others too */
  uint32_t busy;                  /* a bit of each unit that may not be free */
  uint8_t label;                  /* of the slots since `since` */
  uint8_t oldest;                 /* its oldest warp that has not ended; WEIR_NO_SLOT: look */
  uint64_t since;
};
_Static_assert(WEIR_N_UNITS <= 32, "a bit of each unit");

/* Ports to the interconnect. */
struct weir_sm_port {
  struct weir_inbox replies, credits; /* credits do not wait for the port */
  struct weir_outbox *out;            /* of the thread that the SM belongs to */
  struct {
    struct weir_msg *v;
    uint32_t head, n, cap;
  } fills;           /* replies that wait for the L1's fill port */
  bool has_fifo;     /* requests go through a crossbar with a queue for each SM */
  bool wants_credit; /* what is to be sent next waits for credits; else nobody looks */
  uint32_t *credit;  /* per slice, flits; has_fifo: the first, of that queue */
  uint64_t inject_free, eject_free; /* cycles in which the ports are free again */
  uint32_t writebacks;              /* lines of the L1 under way, not acknowledged */
};

/* Broadcasts between the parts of L1s. */
struct weir_mailbox {
  struct weir_broadcasts in;  /* in order of arrival */
  struct weir_broadcasts out; /* since the last exchange */
};

struct weir_sm {
  _Alignas(64) const struct weir_machine *m; /* its neighbour may run on another core */
  uint32_t id;
  struct weir_l1 *l1;
  struct weir_ldst ldst;
  struct weir_sm_port port;
  struct weir_mailbox mail;

  /* The kernel. */
  const struct weir_kernel_info *kernel; /* with copies, if it is reordered */
  const uint8_t *tags; /* enum weir_tag of each instruction of the PTX; NULL: none has one */
  const struct weir_reordered *reordered; /* NULL: it is not */
  struct weir_reorderer *reorderer;       /* NULL: none was yet */
  const struct weir_outline *outline;     /* of the PTX; NULL: nothing is known, or asked */
  bool has_paths; /* the next instruction of a warp may be more than a cycle away */
  struct weir_code_line *code;
  uint32_t n_code;                             /* lines; 0: all code is always there */
  uint64_t code_tag;                           /* of the kernel */
  uint64_t kernel_start, last_event, last_ack; /* last_ack: that no block has waited for */
  bool has_accessed;                           /* global or local memory, in this kernel */
  uint64_t params_at; /* cycle in which the kernel's parameters are there; WEIR_NEVER: not read */

  /* Warps. */
  struct weir_sm_warp *warps;
  uint64_t *regs; /* of all warps */
  uint32_t regs_per_warp, next_age;
  uint32_t *order; /* warp slots by age, oldest first */
  uint32_t n_order;
  /* Of each warp slot: when the registers of its next instruction are ready (WEIR_NEVER: one waits
   * for memory), and its order of arrival. */
  uint64_t ready_at[WEIR_MAX_WARPS];
  uint32_t age[WEIR_MAX_WARPS];
  uint8_t unit[WEIR_MAX_WARPS];     /* of its next instruction */
  uint8_t sched_of[WEIR_MAX_WARPS]; /* the scheduler that it belongs to */

  /* Issue. */
  struct weir_sched sched[WEIR_MAX_SCHEDULERS];
  struct weir_collect *collect;     /* NULL: issue to unit without a stage between */
  struct weir_clocks *clocks;       /* NULL: nobody asks when clocks are read */
  uint64_t collect_at;              /* the next cycle in which something moves there */
  uint32_t first_sched, next_first; /* which scheduler asks first */
  bool is_ahead;                    /* the issuing warp's next instruction is fetched already */
  bool is_dirty;                    /* something changed that schedulers depend on */
  uint64_t issue_at;                /* the next cycle in which time alone lets one issue */
  /* Of the policies of its L1. asks_policies: what issues can change by what only they know. */
  bool has_gate, asks_policies, tells_views, hears_warps, hears_issue;
  struct weir_own_scheduler own;

  /* Blocks. */
  struct weir_sm_block *blocks;
  uint32_t max_blocks, n_blocks;
  uint64_t ending; /* slots of blocks whose warps have all ended */
  struct weir_block_event arriving[64], retired[64]; /* on their way here; ended in this window */
  uint32_t n_arriving, n_retired;
  uint64_t next_arrival; /* no block arrives before (sm.dispatch_interval) */

  /* Time. */
  uint64_t now, wake;
  uint64_t soft_wake; /* the next event that concerns policies only: a wake-up or a broadcast */
  bool is_literal;
  bool is_settled; /* without work, and its slots say so */
  uint64_t sample_at;

  struct weir_sm_stats stats;
  uint64_t slot_base[WEIR_N_ISSUE_SLOTS]; /* slots counted before this kernel */
  bool is_failed;
  enum weir_status status;
  struct weir_err err;
};

/* `design` NULL: the machine's own L1. */
enum weir_status weir_sm_init(struct weir_sm *sm, const struct weir_machine *m,
                              const struct weir_design *design, uint32_t id, struct weir_err *err);
void weir_sm_free(struct weir_sm *sm);
/* Prepare for a kernel, reordered if that is not NULL: blocks that fit, registers. False: out of
 * memory. */
bool weir_sm_kernel(struct weir_sm *sm, const struct weir_kernel_info *kernel,
                    const struct weir_reordered *reordered, uint32_t uid, uint32_t max_blocks,
                    uint64_t now);
/* The kernel ended: what policies have waited for until then, and that it ended. */
void weir_sm_kernel_end(struct weir_sm *sm, uint64_t end);
/* A block arrives in cycle `at` (not before the next window). */
/* Look at everything in every cycle: what the engine leaves out is compared with that. */
void weir_sm_set_literal(struct weir_sm *sm);
void weir_sm_place(struct weir_sm *sm, struct weir_block_stream *block, uint64_t at);
uint64_t weir_sm_cycle(struct weir_sm *sm, uint64_t now);
/* Run the events of policies before cycle `end` on an SM without work. */
void weir_sm_soft(struct weir_sm *sm, uint64_t end);
/* No further event here can belong to the kernel; credits may still come. */
bool weir_sm_is_over(const struct weir_sm *sm);
bool weir_sm_hear(struct weir_sm *sm, const struct weir_broadcast *c);
/* Does a policy hold the warp's next instruction back? */
bool weir_sm_is_gated(const struct weir_sm *sm, uint32_t slot);
/* The kernel has ended: what is left of its slots has no warp. */
void weir_sm_close(struct weir_sm *sm);
void weir_sm_settle(struct weir_sm *sm, uint64_t now);
/* Warps that a barrier of a block waits for, those that are there included. */
uint32_t weir_sm_barrier_wants(const struct weir_sm_block *b, uint32_t id);
/* Is nothing under way but credits? */
bool weir_sm_is_idle(const struct weir_sm *sm);
/* At the end of a kernel, when nothing is under way: take the credits that are. */
void weir_sm_rest(struct weir_sm *sm);
/* Give back the blocks of a kernel that will not be finished. */
void weir_sm_abandon(struct weir_sm *sm, struct weir_block_source *source);
/* A launch, as the parts of an L1 know it. */
struct weir_kernel weir_sm_about(const struct weir_kernel_info *k, uint32_t uid,
                                 uint32_t blocks_per_sm);
/* Registers that a thread gets: the kernel's, but no more than the machine lets a thread have, and
 * an estimate no more than lets a block fit, as a compiler would have seen to it. 0: not known. */
uint32_t weir_sm_registers(const struct weir_machine *m, const struct weir_kernel_info *k);
/* Blocks of a kernel that fit on an SM at once; 0 and a reason if not even one does. */
uint32_t weir_sm_fit(const struct weir_machine *m, const struct weir_kernel_info *k,
                     const char **why);

#endif
