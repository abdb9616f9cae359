/* The L3 slice of a memory channel, between its L2 slices and its DRAM: sectors, write-back,
 * write-allocate without a fetch. A part of the channel; off unless the machine says otherwise. */
#ifndef WEIR_SIM_L3_H
#define WEIR_SIM_L3_H

#include "machine/mshr.h"
#include "sim/dram.h"
#include "sim/lines.h"

struct weir_l3_stats {
  uint64_t reads, read_hits, read_pending, read_misses, read_partial;
  uint64_t read_sectors, read_sectors_missed;
  uint64_t writes, write_hits, write_misses, write_sectors;
  uint64_t fills, evictions, writeback_sectors;
};
extern const struct weir_stat weir_l3_stat_table[];
extern const struct weir_stat_group weir_l3_stat_group;

/* A read of an L2 slice, or its write-back: sectors of the line at byte `local` of the channel. */
struct weir_l3_req {
  uint64_t local;
  uint32_t token; /* each sector is answered with it and its bit in the low eight */
  uint8_t sectors, full;
};

struct weir_l3_answer {
  uint64_t at;
  uint32_t token;
};

struct weir_l3 {
  const struct weir_machine *m;
  struct weir_dram *dram;
  struct weir_lines lines;
  struct weir_mshrs mshr;
  uint32_t *where; /* of each entry: index of its line */
  uint32_t *token; /* of each waiter */
  unsigned line_shift, set_shift;
  struct {
    struct weir_l3_req *v;
    uint32_t head, n, cap;
  } reads, writes;
  uint32_t write_sectors; /* in `writes` */
  struct {
    struct weir_l3_answer *v;
    uint32_t head, n, cap;
  } answers;          /* sectors on their way to the L2, in order */
  bool is_write_turn; /* of reads and writes: the one that was not served last */
  bool is_claimed;    /* by the one that comes first: the other may not use the DRAM's queues */
  bool is_failed;     /* out of memory */
  struct weir_l3_stats stats;
};

bool weir_l3_init(struct weir_l3 *x, const struct weir_machine *m, struct weir_dram *dram);
void weir_l3_free(struct weir_l3 *x);
/* What the L2 puts in, if there is room. */
bool weir_l3_has_read_room(const struct weir_l3 *x);
bool weir_l3_has_write_room(const struct weir_l3 *x, uint32_t sectors);
void weir_l3_read(struct weir_l3 *x, uint64_t local, uint8_t sectors, uint32_t token);
void weir_l3_write(struct weir_l3 *x, uint64_t local, uint8_t sectors, uint8_t full);
/* Take one request, if one can be taken. */
bool weir_l3_cycle(struct weir_l3 *x, uint64_t now);
/* A sector came from DRAM. */
void weir_l3_fill(struct weir_l3 *x, uint32_t token, uint64_t now);
bool weir_l3_is_idle(const struct weir_l3 *x);

#endif
