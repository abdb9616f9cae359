/* One DRAM channel: banks, rows, FR-FCFS. Times are DRAM cycles; nothing happens between the cycles
 * that step() names. */
#ifndef WEIR_SIM_DRAM_H
#define WEIR_SIM_DRAM_H

#include "base/fifo.h"
#include "base/list.h"
#include "machine/machine.h"
#include "machine/msg.h"

struct weir_dram_stats {
  uint64_t reads, writes, read_bytes, write_bytes;
  uint64_t activates, precharges, row_hits, row_misses, row_conflicts, busy_cyc;
};
extern const struct weir_stat weir_dram_stat_table[];
extern const struct weir_stat_group weir_dram_stat_group;

/* A column access: one, or one of several, of a request for sectors of a line. */
struct weir_dram_req {
  uint64_t row;
  uint32_t token; /* given back when a read is done */
  uint32_t seq;
  struct weir_link link; /* in its bank's list, or the free ones' */
  uint8_t bank;
  bool is_write, was_opened; /* was_opened: an activate was needed for it */
  bool is_last;              /* of its request */
};

/* One that the queue has no room for yet. */
struct weir_dram_item {
  uint64_t addr;
  uint32_t token;
  bool is_write, is_last;
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
  uint32_t n_requests, n_busy; /* n_busy: banks that have something to do */
  struct {
    struct weir_dram_item *v;
    uint32_t head, n, cap;
    uint32_t places, limit; /* in columns, or with dram.input_queue in requests */
  } input;
  unsigned narrow, wide;       /* columns of a sector, and sectors of a column: one of them is 1 */
  uint32_t pool, line_columns; /* pool: column accesses for which there is memory */
  unsigned n_masks;
  struct weir_bank_map map;
  struct weir_dram_stats stats;
};

/* For lines of so many bytes; `write_queue`: sectors that wait for the queue. */
bool weir_dram_init(struct weir_dram *d, const struct weir_dram_cfg *cfg, int64_t line,
                    int64_t write_queue);
void weir_dram_free(struct weir_dram *d);

/* Column accesses for which there must be memory. Requests may also be at work in each bank, and
 * are not counted then. */
static inline int64_t weir_dram_pool(const struct weir_dram_cfg *cfg, int64_t line) {
  bool by_request = cfg->queue_counts == WEIR_DRAM_REQUESTS;
  return by_request ? (cfg->queue + cfg->banks) * (line / cfg->atom_bytes) : cfg->queue;
}

/* Column accesses of a request for these sectors. */
static inline uint32_t weir_dram_columns(const struct weir_dram *d, uint8_t sectors) {
  if (d->wide == 1) return weir_n_sectors(sectors) * d->narrow;
  unsigned any = sectors;
  for (unsigned w = 1; w < d->wide; w *= 2)
    any |= any >> w;
  return weir_n_sectors((uint8_t)(any & 0xff / ((1u << d->wide) - 1)));
}

/* Places that it takes: of the queue, or, with dram.input_queue, of what is in front of it. Writes
 * are always in front of it first. */
static inline uint32_t weir_dram_read_places(const struct weir_dram *d, uint8_t sectors) {
  bool is_one = d->cfg->input_queue > 0 || d->cfg->queue_counts == WEIR_DRAM_REQUESTS;
  return is_one ? sectors != 0 : weir_dram_columns(d, sectors);
}
static inline uint32_t weir_dram_write_places(const struct weir_dram *d, uint8_t sectors) {
  return d->cfg->input_queue > 0 ? sectors != 0 : weir_dram_columns(d, sectors);
}

/* Room in the queue itself, for columns or, if it counts those, for requests. The one that a bank
 * has at work is not counted, as in GPGPU-Sim, where a bank takes it out of the queue. */
static inline bool weir_dram_has_room(const struct weir_dram *d, uint32_t n) {
  if (d->cfg->queue_counts == WEIR_DRAM_COLUMNS) return d->n + n <= (uint32_t)d->cfg->queue;
  return (int64_t)d->n_requests - d->n_busy + n <= d->cfg->queue &&
         d->n + n * d->line_columns <= d->pool;
}

/* Room for requests that take so many places. */
static inline bool weir_dram_has_write_room(const struct weir_dram *d, uint32_t writes) {
  return d->input.places + writes <= d->input.limit;
}
static inline bool weir_dram_has_read_room(const struct weir_dram *d, uint32_t reads,
                                           uint32_t writes) {
  return d->cfg->input_queue > 0 ? weir_dram_has_write_room(d, writes + reads)
                                 : weir_dram_has_room(d, reads);
}

static inline bool weir_dram_is_idle(const struct weir_dram *d) {
  return d->n + d->input.n == 0;
}

/* A request for sectors of the line at byte `base` of the channel. The caller has asked for room;
 * false: out of memory. The low eight bits of a token are free: each column that is done gives it
 * back with the sectors that it brought. */
enum { WEIR_DRAM_NO_TOKEN = UINT32_MAX };
bool weir_dram_read(struct weir_dram *d, uint64_t base, uint8_t sectors, uint32_t token);
bool weir_dram_write(struct weir_dram *d, uint64_t base, uint8_t sectors);
/* A request of one column, past everything that is in front of the queue. */
void weir_dram_push(struct weir_dram *d, uint64_t addr, bool is_write, uint32_t token);
/* Issue what can be issued in DRAM cycle `now`. A read that was issued ends (*done_at: last data
 * cycle + 1) and gives its token (WEIR_DRAM_NO_TOKEN: its sector has more columns); returns the
 * number of reads issued (0 or 1). *next: the next cycle in which anything can be issued, or an
 * earlier one (WEIR_NEVER if idle). */
unsigned weir_dram_step(struct weir_dram *d, uint64_t now, uint32_t *token, uint64_t *done_at,
                        uint64_t *next);

#endif
