/* A memory channel: its L2 slices, its L3 slice if there is one, and its DRAM channel. One
 * component of the engine. */
#ifndef WEIR_SIM_MEMORY_H
#define WEIR_SIM_MEMORY_H

#include "machine/msg.h"
#include "machine/mshr.h"
#include "sim/dram.h"
#include "sim/l3.h"
#include "sim/read_group.h"

struct weir_l2_stats {
  uint64_t merged, merged_sectors, reads, read_hits, read_pending, read_misses, read_partial;
  uint64_t read_sectors, read_sectors_missed, load_sectors, load_sectors_missed, atomic_sectors;
  uint64_t writes, write_hits, write_misses, write_sectors, write_sectors_missed;
  uint64_t atomics, fills, evictions, partial_sectors, far_reads, writeback_sectors;
  uint64_t marks_set, marks_returned;
  uint64_t stall_mshr, stall_merge, stall_line, stall_pending, stall_dram, stall_writeback,
      stall_reply;
};
extern const struct weir_stat weir_l2_stat_table[];
extern const struct weir_stat_group weir_l2_stat_group;

struct weir_l2_waiter { /* a request to be answered */
  uint32_t src, id;
  uint16_t parts;
  uint8_t kind, sectors, flags;
  uint8_t place; /* sector of the line with which what it asked for begins */
};

struct weir_l2_entry {
  uint64_t addr;
  uint32_t where; /* index of its line */
};

/* What the head of a slice's input waits for. */
enum weir_l2_wait {
  WEIR_L2_NOTHING,
  WEIR_L2_MSHR,
  WEIR_L2_MERGE,
  WEIR_L2_LINE,
  WEIR_L2_PENDING,
  WEIR_L2_DRAM,
  WEIR_L2_WRITEBACK,
  WEIR_L2_REPLY
};

/* A place that an SM has freed, from cycle `at` on. */
struct weir_credit {
  uint64_t at;
  uint32_t sm, flits;
};

struct weir_slice {
  struct weir_channel *channel;
  uint32_t id;   /* of all slices */
  uint64_t wake; /* next cycle in which its input or output can move without others */
  struct weir_inbox in;
  uint64_t eject_free; /* the input port, or the data port, is busy until then */
  uint32_t eject_rest; /* and so many tenths of a cycle longer */
  struct weir_lines lines;
  struct weir_mshrs mshr;
  struct weir_l2_entry *entry;
  struct weir_l2_waiter *waiter;
  struct {
    struct weir_msg *v;
    uint32_t head, n, cap;
  } out;              /* replies; `at` = ready */
  uint64_t port_free; /* the output port */
  uint32_t port_rest; /* and so many tenths of a cycle later */
  uint32_t *credit;   /* per SM, flits; has_fifo: the first, of its queue there */
  struct {
    struct weir_credit *v;
    uint32_t head, n, cap;
  } credits;                /* on their way, in order of arrival */
  bool wants_credit;        /* the first reply waits for one */
  bool is_filled, is_poked; /* since the head was presented */
  uint8_t head_wait;        /* weir_l2_wait */
  uint32_t head_reads,
      head_writes;                /* WEIR_L2_DRAM, WRITEBACK: places of the queues that it needs */
  uint64_t head_stall_since;      /* the head waits since then */
  struct weir_read_group *groups; /* NULL: reads are not merged */
  struct weir_last_read *last;    /* NULL: stores do not wait for reads */
  struct weir_l2_stats stats;
};

struct weir_channel {
  _Alignas(64) const struct weir_machine *m; /* its neighbour may run on another core */
  uint32_t index, first_slice, n_slices, n_sms;
  unsigned line_shift;
  uint32_t turn;     /* the slice that may use the queues towards the DRAM first */
  bool is_claimed;   /* by a slice that waits and comes before the one whose cycle it is */
  uint16_t flits[9]; /* of a reply with that many sectors */
  unsigned together; /* sectors that are fetched together */
  uint32_t halves;   /* of the SMs, by what is near */
  bool has_homes;    /* lines that come are near to a half by their number, too */
  bool merges_writes;
  bool reads_partial; /* sectors that are here in part, before they are written back */
  bool has_fifo;      /* replies go through a crossbar with a queue for each slice */
  struct weir_slice *slices;
  bool has_l3, is_whole; /* is_whole: lines are one piece */
  struct weir_l3 l3;
  struct weir_dram dram;
  uint64_t dram_next;         /* DRAM cycle in which a command can be issued */
  uint64_t dram_wake;         /* the core cycle in which it begins */
  uint64_t dram_done;         /* the last DRAM cycle in which there was work */
  struct weir_outbox *outbox; /* of the thread that it belongs to */
  struct {
    struct done {
      uint64_t at;
      uint32_t token;
    } * v;
    uint32_t head, n, cap;
  } done;           /* reads on their way to the L2, in order of arrival */
  uint64_t n_reads; /* of the DRAM, so far */
  uint64_t wake;    /* next cycle in which anything can happen */
};

bool weir_channel_init(struct weir_channel *c, const struct weir_machine *m, uint32_t index);
void weir_channel_free(struct weir_channel *c);
/* A message from an SM. False: out of memory. */
bool weir_channel_put(struct weir_channel *c, const struct weir_msg *q);
/* All work of cycle `now`; sets `wake`. */
void weir_channel_cycle(struct weir_channel *c, uint64_t now);
/* Forget what need not be looked at in the next cycle: for the literal engine. */
void weir_channel_poke(struct weir_channel *c);
/* Is nothing under way but credits? */
bool weir_channel_is_idle(const struct weir_channel *c);
/* At the end of a kernel, when nothing is under way: take the credits that are. */
void weir_channel_rest(struct weir_channel *c);
/* While nothing is under way: no line is in its L2 slices and its L3 slice any more. What was dirty
 * goes without being written back. */
void weir_channel_empty(struct weir_channel *c);
/* Bring counters of waiting times up to `now`. */
void weir_channel_settle(struct weir_channel *c, uint64_t now);

/* Which slice holds a line. */
static inline uint32_t weir_slice_of(const struct weir_machine *m, uint64_t addr) {
  return weir_addr_slice(&m->map, addr);
}

#endif
