/* The bytes of a warp's stream. Writer, reader and trace files share this page.
 *
 * A stream is one version byte, then tokens, then END. A token changes the state (position, mask,
 * space) or says that instructions were executed from that state. Numbers are little-endian.
 *
 *    7 6 5 4 3 2 1 0
 *   +-+-------------+
 *   |0| n           |  RUN       n+1 instructions without addresses, one after the other
 *   +-+-+---+-------+
 *   |1 0|k  | b     |  MEM       one instruction with addresses: kind k, base b, see below
 *   +---+-+-+-------+
 *   |1 1 0|s| hi    | lo         JUMP      position += (hi:lo)+1, or -= if s
 *   +-----+-+---+---+
 *   |1 1 1 0 0 0| h | l          RANGE     mask = lanes first..last; h:l = last<<5 | first
 *   +-----------+---+
 *   |1 1 1 0 0 1 0 0|            FULL      mask = all lanes
 *   |1 1 1 0 0 1 0 1|            SIBLING   mask = this one xor the one before
 *   |1 1 1 0 0 1 1 0|            BACK      mask = the one before
 *   |1 1 1 0 0 1 1 1| 4 bytes    MASK      any mask
 *   |1 1 1 0 1 0 0 0| 4 bytes    GOTO      position = value
 *   |1 1 1 0 1 0 0 1| 4 bytes    LONG      as RUN, value instructions (not 0)
 *   |1 1 1 0 1 0 1 0|            END
 *   +---------+-----+
 *   |1 1 1 1 1| s   |            SPACE     of the MEM that follows
 *   +---------+-----+            all others are malformed
 *
 * An instruction moves the position by one. "The one before" is the mask that was valid until the
 * last change of mask; both start as all lanes. The position starts at 0.
 *
 * MEM. The state has 64 slots, chosen by static index modulo 64; each holds base, step, stride and
 * space of the last access that used it, at first 0, 0, 4, global. It also holds the warp's last
 * base, at first 0. After the token come the bytes of the base, then those of the kind.
 *   b  0       base = slot's base + slot's step
 *      1..8    base = slot's base + signed number of b bytes
 *      9..15   base = warp's last base + signed number of b-8 bytes
 *   k  0       all lanes at base
 *      1       lane i at base + i * slot's stride
 *      2       the same with a new stride: zigzag LEB128, 10 bytes at most
 *      3       list: base is the lowest active lane's address; a head byte 0csssnnn, then for each
 *              further active lane upwards a signed number of n+1 bytes, which times 2^s is the
 *              distance from base (c = 0) or from the active lane below (c = 1)
 * Then slot's step = base - slot's base (0 if that does not fit 32 bits), slot's base = base, and
 * slot's stride = the new stride (likewise).
 *
 * A token and what belongs to it never cross the end of a span of memory, and every span is
 * followed by WEIR_STREAM_SLACK readable bytes, so that a reader need not test each byte. */
#ifndef WEIR_STREAM_CODE_H
#define WEIR_STREAM_CODE_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include "stream/stream.h"

enum { WEIR_STREAM_VERSION = 1, WEIR_STREAM_SLACK = 320 };

enum {
  WEIR_T_MEM = 0x80,
  WEIR_T_JUMP = 0xc0,
  WEIR_T_JUMP_BACK = 0xd0,
  WEIR_T_RANGE = 0xe0,
  WEIR_T_FULL = 0xe4,
  WEIR_T_SIBLING = 0xe5,
  WEIR_T_BACK = 0xe6,
  WEIR_T_MASK = 0xe7,
  WEIR_T_GOTO = 0xe8,
  WEIR_T_LONG = 0xe9,
  WEIR_T_END = 0xea,
  WEIR_T_SPACE = 0xf8,

  WEIR_RUN_MAX = 128,
  WEIR_JUMP_MAX = 4096,

  WEIR_K_UNIFORM = 0,
  WEIR_K_STRIDE = 1,
  WEIR_K_NEW_STRIDE = 2,
  WEIR_K_LIST = 3,
  WEIR_LIST_CHAINED = 0x40,
  WEIR_LIST_RESERVED = 0x80
};

enum { WEIR_ADDR_SLOTS = 64 };

/* What both sides remember about addresses. */
struct weir_addr_state {
  uint64_t last;
  struct weir_addr_slot {
    uint64_t base;
    int32_t step, stride;
  } slot[WEIR_ADDR_SLOTS];
  uint8_t space[WEIR_ADDR_SLOTS];
};

static inline void weir_addr_state_init(struct weir_addr_state *s) {
  s->last = 0;
  for (int i = 0; i < WEIR_ADDR_SLOTS; i++)
    s->slot[i] = (struct weir_addr_slot){.base = 0, .step = 0, .stride = 4};
  memset(s->space, WEIR_SP_GLOBAL, sizeof s->space);
}

static inline int32_t weir_fit32(int64_t v) {
  return v == (int32_t)v ? (int32_t)v : 0;
}

static inline void weir_addr_moved(struct weir_addr_state *s, struct weir_addr_slot *slot,
                                   uint64_t base) {
  slot->step = weir_fit32((int64_t)(base - slot->base));
  slot->base = base;
  s->last = base;
}

/* Signed number of n bytes, 1..8; reads 8. */
static inline int64_t weir_load_signed(const uint8_t *p, unsigned n) {
  uint64_t v;
  memcpy(&v, p, 8);
  unsigned drop = 64 - 8 * n;
  return (int64_t)(le64toh(v) << drop) >> drop;
}

static inline uint32_t weir_load32(const uint8_t *p) {
  uint32_t v;
  memcpy(&v, p, 4);
  return le32toh(v);
}

#endif
