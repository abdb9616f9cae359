/* From lane addresses to memory requests: in full for the timing model, as counts for functional
 * statistics, and shared-memory passes. Addresses are taken modulo 2^64. */
#ifndef WEIR_STREAM_COALESCE_H
#define WEIR_STREAM_COALESCE_H

#include "stream/stream.h"

enum { WEIR_SECTOR_BYTES = 32, WEIR_COUNT_LINE_BYTES = 128, WEIR_MAX_ACCESS_BYTES = 32 };

struct weir_request {
  uint64_t line_addr;
  uint32_t lanes;   /* those that touch the line */
  uint32_t sectors; /* bit i: the i-th sector of the line is touched */
};

/* Each lane touches at most two lines. */
struct weir_requests {
  unsigned n;
  struct weir_request r[2 * WEIR_LANES];
};

/* The fewest requests, in the order in which lanes from lane 0 upwards first touch their lines; a
 * lane that crosses the end of a line touches the lower one first. width is 1..32 and at most
 * line_bytes, line_bytes a power of two from 32 to 1024, sector_bytes one from line_bytes / 32 up.
 */
void weir_coalesce(const uint64_t addr[WEIR_LANES], uint32_t mask, unsigned width,
                   unsigned line_bytes, unsigned sector_bytes, struct weir_requests *out);
/* The same from what the producer knows; of a list a->lane must be set. */
void weir_coalesce_addrs(const struct weir_addrs *a, uint32_t mask, unsigned width,
                         unsigned line_bytes, unsigned sector_bytes, struct weir_requests *out);

/* Work space of weir_count_lines: one for each thread, zeroed before first use. */
enum { WEIR_COUNT_SLOTS = 512 };
struct weir_line_counter {
  uint64_t key[WEIR_COUNT_SLOTS]; /* epoch above, line number below */
  uint8_t sectors[WEIR_COUNT_SLOTS];
  unsigned epoch;
};

/* The number of 128-byte lines that a warp's access touches, and of 32-byte sectors: as
 * weir_coalesce_addrs would find them. */
unsigned weir_count_lines(struct weir_line_counter *c, const struct weir_addrs *a, uint32_t mask,
                          unsigned width, unsigned *sectors);

/* Passes over 32 banks of 4 bytes: the most distinct words that one bank must give; lanes that read
 * the same word share it. Accesses of 8 bytes go half a warp at a time, of 16 bytes a quarter, each
 * part with active lanes taking its own passes. 0 only for an empty mask. */
unsigned weir_bank_passes(const uint64_t addr[WEIR_LANES], uint32_t mask, unsigned width);
unsigned weir_bank_passes_addrs(const struct weir_addrs *a, uint32_t mask, unsigned width);

#endif
