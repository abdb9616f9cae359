/* A memory channel: its L2 slices and its DRAM channel. One component of the engine. */
#ifndef WEIR_SIM_MEMORY_H
#define WEIR_SIM_MEMORY_H

#include "sim/dram.h"
#include "sim/index.h"
#include "sim/msg.h"

struct weir_l2_stats {
  uint64_t reads, read_hits, read_pending, read_misses, read_partial;
  uint64_t read_sectors, read_sectors_missed;
  uint64_t writes, write_hits, write_misses, write_sectors, write_sectors_missed;
  uint64_t atomics, fills, evictions, writeback_sectors;
  uint64_t marks_set, marks_returned;
  uint64_t stall_mshr, stall_merge, stall_line, stall_dram, stall_reply;
};
extern const struct weir_stat weir_l2_stat_table[];
extern const struct weir_stat_group weir_l2_stat_group;

struct weir_l2_line {
  uint64_t line; /* line number + 1, 0 = empty */
  uint64_t used; /* for LRU */
  uint8_t valid, dirty, pending,
      partial; /* sectors; partial: written in part, the rest is not here */
  bool is_marked;
};

struct weir_l2_waiter {
  struct weir_msg msg;
  uint8_t wait; /* sectors it waits for */
  uint32_t next;
};

struct weir_l2_mshr {
  uint64_t line;
  uint32_t where;          /* index of its line */
  uint32_t first, last, n; /* waiters */
  uint32_t next_free;
};

struct weir_slice {
  struct weir_channel *channel;
  uint32_t id; /* of all slices */
  struct weir_inbox in, credits;
  uint64_t eject_free; /* the input port is busy until then */
  struct weir_l2_line *lines;
  struct weir_index index; /* of MSHRs */
  struct weir_l2_mshr *mshr;
  struct weir_l2_waiter *waiter;
  uint32_t free_mshr, free_waiter, n_mshr;
  uint64_t stamp;
  struct {
    struct weir_msg *v;
    uint32_t head, n, cap;
  } out;                     /* replies; `at` = ready */
  uint64_t port_free;        /* the output port */
  uint32_t *credit;          /* per SM, flits */
  uint64_t head_stall_since; /* the head waits since then for `head_stall` */
  uint64_t *head_stall;
  struct weir_l2_stats stats;
};

struct weir_channel {
  const struct weir_machine *m;
  uint32_t first_slice, n_slices, n_sms;
  struct weir_slice *slices;
  struct weir_dram dram;
  uint64_t dram_next; /* DRAM cycle in which a command can be issued */
  uint64_t dram_done; /* DRAM cycles up to this one are over */
  struct weir_outbox outbox;
  struct {
    struct done {
      uint64_t at;
      uint32_t token;
    } * v;
    uint32_t head, n, cap;
  } done; /* reads on their way to the L2 */
  struct {
    uint64_t *v;
    uint32_t head, n, cap;
  } writes;            /* write-backs that the DRAM queue has no room for yet */
  uint64_t wake;       /* next cycle in which anything can happen */
  uint64_t last_event; /* of this kernel */
};

bool weir_channel_init(struct weir_channel *c, const struct weir_machine *m, uint32_t index);
void weir_channel_free(struct weir_channel *c);
/* All work of cycle `now`; returns the next cycle that needs a call. */
uint64_t weir_channel_cycle(struct weir_channel *c, uint64_t now);
/* Is nothing under way? */
bool weir_channel_is_idle(const struct weir_channel *c);
/* Bring counters of waiting times up to `now`. */
void weir_channel_settle(struct weir_channel *c, uint64_t now);

/* Which slice holds a line. */
uint32_t weir_slice_of(const struct weir_machine *m, uint64_t addr);

#endif
