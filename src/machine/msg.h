/* What SMs and memory slices send one another, and the queue in which it arrives.
 *
 * A message is delivered in the order (arrival, sender, order of sending): that order is the
 * definition of the model, so neither threads nor the length of a window can change it. */
#ifndef WEIR_MACHINE_MSG_H
#define WEIR_MACHINE_MSG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/fifo.h"

#include "weir/policy.h" /* WEIR_NEVER */

enum weir_msg_kind {
  WEIR_MSG_READ,  /* SM to slice: sectors wanted */
  WEIR_MSG_WRITE, /* SM to slice: sectors written; `full` those written whole */
  WEIR_MSG_ATOM,  /* SM to slice */
  WEIR_MSG_DATA,  /* slice to SM: the answer to READ and ATOM */
  WEIR_MSG_ACK,   /* slice to SM: the answer to WRITE */
  WEIR_MSG_CREDIT /* either way: `flits` places are free again */
};

/* Two in a cache line: they are most of what one core hands to another. */
struct weir_msg {
  uint64_t at; /* cycle of arrival */
  uint64_t
      addr;    /* of what the SM asks for: the start of its line, or of a line of the L2 in that */
  uint32_t id; /* what the SM calls the request */
  uint16_t src, dst; /* components: SMs first, then slices; at most 4,096 of each */
  uint16_t flits;
  uint16_t parts; /* of the L1's line, in its sectors (l1.sector). WRITE with l2.merge_writes: words
                     of each sector, four bits each */
  uint8_t kind;
  uint8_t sectors, full; /* of the L2's line, 32 bytes each; DATA: those that a read got */
  uint8_t flags;         /* WEIR_REQ_*, returned with the reply; WEIR_REP_* */
};

/* An L2 line has one mark, which means what the L1s agree on. A read that finds all its sectors
 * takes the mark away and is told of it (MARKED), and whether another SM had set it (OTHER); then,
 * and after any other read, WEIR_REQ_MARK sets it. Lines of the L1 that lie in one of the L2 share
 * its mark; a line of the L1 that is made of several is marked if one of them was. */
enum {
  WEIR_REQ_BYPASS = 1,
  WEIR_REQ_LOCAL = 2,
  WEIR_REQ_MARK = 4,
  WEIR_REP_MARKED = 8,
  WEIR_REP_OTHER = 16,
  WEIR_REQ_PART =
      32, /* a packet of a request that may have several: the answers are put together */
  WEIR_REQ_WORD = 64,   /* an atomic on one word */
  WEIR_REP_MERGED = 64, /* data that go to several SMs at once, not the first of them */
  WEIR_REP_FAR = 128    /* from the other half of the L2 */
};

static inline bool weir_msg_before(const struct weir_msg *a, const struct weir_msg *b) {
  return a->at != b->at ? a->at < b->at : a->src < b->src;
}

/* Sectors of a mask. */
static inline unsigned weir_n_sectors(uint8_t mask) {
  unsigned n = mask - (mask >> 1 & 0x55u);
  n = (n & 0x33) + (n >> 2 & 0x33);
  return (n + (n >> 4)) & 0xf;
}
static inline unsigned weir_n_parts(uint32_t mask) {
  return weir_n_sectors((uint8_t)mask) + weir_n_sectors((uint8_t)(mask >> 8));
}

/* Messages in order of delivery; those of one sender that arrive together stay as they were put,
 * which is how they were sent. What is sent later mostly arrives later, so the end is tried first.
 */
struct weir_inbox {
  struct weir_msg *v;
  uint32_t head, n, cap; /* v[head .. head + n) */
};

static inline bool weir_inbox_put(struct weir_inbox *b, const struct weir_msg *m) {
  if (!weir_fifo_room((void **)&b->v, &b->head, b->n, &b->cap, sizeof *b->v)) return false;
  struct weir_msg *v = b->v + b->head;
  uint32_t i = b->n++;
  if (i > 0 && weir_msg_before(m, &v[i - 1])) {
    uint32_t end = i - 1; /* it goes before v[end] and behind all before v[i] */
    for (i = 0; i < end;) {
      uint32_t mid = (i + end) / 2;
      if (weir_msg_before(m, &v[mid]))
        end = mid;
      else
        i = mid + 1;
    }
    memmove(v + i + 1, v + i, (b->n - 1 - i) * sizeof *v);
  }
  v[i] = *m;
  return true;
}

static inline const struct weir_msg *weir_inbox_head(const struct weir_inbox *b) {
  return b->n > 0 ? &WEIR_FIFO_HEAD(*b) : NULL;
}

static inline void weir_inbox_pop(struct weir_inbox *b) {
  WEIR_FIFO_POP(*b);
}

/* Messages under way. */
struct weir_mail {
  struct weir_msg *v;
  uint32_t n, cap;
};

/* What the components on one thread send. Steps of the engine take turns at the sides: while one is
 * written, mail of earlier steps on others is being delivered. A box for each of the threads that
 * take the mail out (threads beyond the last share boxes): what stays on a core is not seen by
 * others, and what goes to another core lies close together. */
enum { WEIR_MAIL_SIDES = 4, WEIR_MAIL_BOXES = 8, WEIR_MAIL_AHEAD = 24 };
struct weir_outbox {
  _Alignas(64) struct weir_mail box[WEIR_MAIL_SIDES][WEIR_MAIL_BOXES];
  _Alignas(64) const uint8_t *box_of; /* by receiver; NULL: all in the first */
  uint64_t first[WEIR_MAIL_SIDES];    /* earliest arrival of the mail on each side */
  uint8_t side;
  bool is_failed; /* out of memory: seen by the exchange */
};

/* The line is going to be written: other cores are to give it up. Compilers make a prefetch for
 * reading of a prefetch for writing where the oldest x86 has only that, and the line would be asked
 * for twice; processors without this instruction take it for no operation. */
static inline void weir_claim_line(const void *p) {
#if defined __x86_64__
  __asm__ volatile("prefetchw %0" : : "m"(*(const char *)p));
#else
  __builtin_prefetch(p, 1);
#endif
}

/* Begin to write on a side, whose mail has been delivered. */
static inline void weir_outbox_turn(struct weir_outbox *o, uint8_t side) {
  o->side = side;
  o->first[side] = UINT64_MAX;
  for (unsigned i = 0; i < WEIR_MAIL_BOXES; i++)
    o->box[side][i].n = 0;
}

/* Where the next message to `dst`, which arrives in cycle `at`, is to be written; NULL: out of
 * memory. A message that is written here need not be copied. */
static inline struct weir_msg *weir_outbox_slot(struct weir_outbox *o, uint32_t dst, uint64_t at) {
  struct weir_mail *b = &o->box[o->side][o->box_of != NULL ? o->box_of[dst] : 0];
  if (b->n == b->cap) {
    uint32_t cap = b->cap ? 2 * b->cap : 256;
    struct weir_msg *v = weir_realloc(b->v, cap * sizeof *v);
    if (v == NULL) {
      o->is_failed = true;
      return NULL;
    }
    b->v = v;
    b->cap = cap;
  }
  if (at < o->first[o->side]) o->first[o->side] = at;
  /* The receiver's core has read this space some steps ago: it comes back while this one works. */
  weir_claim_line(&b->v[b->n + WEIR_MAIL_AHEAD]);
  return &b->v[b->n++];
}

static inline void weir_outbox_put(struct weir_outbox *o, const struct weir_msg *m) {
  struct weir_msg *slot = weir_outbox_slot(o, m->dst, m->at);
  if (slot != NULL) *slot = *m;
}

static inline void weir_outbox_free(struct weir_outbox *o) {
  for (unsigned i = 0; i < WEIR_MAIL_SIDES; i++)
    for (unsigned k = 0; k < WEIR_MAIL_BOXES; k++)
      free(o->box[i][k].v);
}

static inline uint64_t weir_min64(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}
static inline uint64_t weir_max64(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

#endif
