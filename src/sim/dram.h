/* One DRAM channel: banks, rows, FR-FCFS. Times are DRAM cycles; nothing happens between the cycles
 * that step() names. */
#ifndef WEIR_SIM_DRAM_H
#define WEIR_SIM_DRAM_H

#include "base/fifo.h"
#include "base/list.h"
#include "machine/machine.h"

struct weir_dram_stats {
  uint64_t reads, writes, activates, precharges, row_hits, row_misses, row_conflicts, busy_cyc;
};
extern const struct weir_stat weir_dram_stat_table[];
extern const struct weir_stat_group weir_dram_stat_group;

struct weir_dram_req {
  uint64_t row;
  uint32_t token; /* given back when a read is done */
  uint32_t seq;
  struct weir_link link; /* in its bank's list, or the free ones' */
  uint8_t bank;
  bool is_write, was_opened; /* was_opened: an activate was needed for it */
};

struct weir_dram_bank {
  uint64_t open_row; /* UINT64_MAX: closed */
  uint64_t next_act, next_pre, next_col;
  uint32_t head_seq, hit_seq; /* of the requests below: a choice looks at banks only */
  struct weir_list queue;     /* requests, the oldest first */
  uint16_t hit;               /* the oldest that wants the open row, + 1; 0: none does */
  uint8_t group;
  bool is_hit_write;
};

enum { WEIR_DRAM_MASKS = 4 }; /* 64 banks each */

struct weir_dram {
  const struct weir_dram_cfg *cfg;
  struct weir_dram_req *req;
  struct weir_dram_bank *bank;
  /* Banks that want a column command; a row command, from row_at[bank] on; one whose time has come.
   * closed: those without an open row. */
  uint64_t col[WEIR_DRAM_MASKS], wait[WEIR_DRAM_MASKS], ready[WEIR_DRAM_MASKS],
      closed[WEIR_DRAM_MASKS];
  uint64_t *row_at;
  uint64_t row_from;        /* the smallest row_at of those that wait */
  uint64_t *next_col_group; /* per bank group: t_ccdl */
  uint64_t next_col, next_act, bus_free,
      write_end; /* write_end: end of the last write's data, for t_cdlr */
  struct weir_list free;
  uint32_t n, next_seq;
  unsigned n_masks;
  struct weir_bank_map map;
  struct weir_dram_stats stats;
};

bool weir_dram_init(struct weir_dram *d, const struct weir_dram_cfg *cfg);
void weir_dram_free(struct weir_dram *d);
static inline bool weir_dram_has_room(const struct weir_dram *d, uint32_t n) {
  return d->n + n <= (uint32_t)d->cfg->queue;
}
/* A column access at byte `addr` of the channel. The caller has asked for room. */
void weir_dram_push(struct weir_dram *d, uint64_t addr, bool is_write, uint32_t token);
/* Issue what can be issued in DRAM cycle `now`. A read that was issued ends (*done_at: last data
 * cycle + 1) and gives its token; returns the number of reads issued (0 or 1). *next: the next
 * cycle in which anything can be issued, or an earlier one (WEIR_NEVER if idle). */
unsigned weir_dram_step(struct weir_dram *d, uint64_t now, uint32_t *token, uint64_t *done_at,
                        uint64_t *next);

/* Write-backs that the DRAM queue has no room for yet: bytes of the channel, one for each access.
 */
struct weir_writes {
  uint64_t *v;
  uint32_t head, n, cap, limit;
};

/* Sectors of the line at byte `base`. The caller has asked for room; false: out of memory. */
static inline bool weir_writes_put(struct weir_writes *w, uint64_t base, uint8_t sectors,
                                   unsigned atoms) {
  for (unsigned left = sectors; left != 0; left &= left - 1)
    for (unsigned a = 0; a < atoms; a++)
      if (!WEIR_FIFO_PUSH(*w, base + (unsigned)__builtin_ctz(left) * 32 + a * (32 / atoms)))
        return false;
  return true;
}

#endif
