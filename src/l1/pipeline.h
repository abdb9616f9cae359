/* Inside of the L1: its state, and what the files of the pipeline share. */
#ifndef WEIR_L1_PIPELINE_H
#define WEIR_L1_PIPELINE_H

#include <assert.h>

#include "base/ring.h"
#include "l1/core.h"
#include "l1/l1.h"
#include "l1/mshr.h"
#include "l1/split.h"
#include "l1/tape.h"

enum { SECTOR = 32, MAX_BANKS = 64 };

struct ring {
  struct weir_msg *v;
  uint32_t head, n, cap;
  struct weir_msg packet; /* where lines are split: the first of the head */
};

/* A request on its way to the tags. */
struct piped {
  struct weir_l1_req q;
  uint64_t at; /* the cycle in which it is there */
};

/* Banks that requests have used in a cycle. */
struct bank_use {
  uint64_t cycle, used;
};

struct weir_l1 {
  struct weir_chain chain; /* first: the parts' `core` is the chain, and thereby the L1 */
  const struct weir_machine *m;
  struct weir_l1_mshrs mshr;
  struct ring miss, bypass;
  struct {
    struct piped *v;
    uint32_t head, n, cap;
  } pipe; /* in front of the tags; cap 0: none */
  struct weir_split split;
  struct weir_order order; /* queues in front of it that a policy asks for */
  struct weir_kernel kernel;
  bool bypass_turn, is_sectored, widens_first;
  bool holds;          /* a load that bypasses has the data of a line until it is answered */
  uint16_t all;        /* sectors of a line */
  unsigned sector_log; /* of their size */
  uint32_t line_shift, n_prefetches;
  uint64_t begin; /* of the kernel */
  struct {
    bool is_valid;
    uint32_t lines;
    uint64_t accepted; /* requests until then */
  } flushed;           /* what the organisation was last emptied to */
  uint64_t now;
  bool is_texture;     /* the request that is looked at */
  uint64_t hit_cyc;    /* from the probe to the data of a hit */
  uint64_t n_requests; /* paranoid: so far */
  uint64_t bank_free[MAX_BANKS];
  struct bank_use entered, probed;
  bool is_plain; /* no part but the machine's own, whose answers change with what is in the L1 alone
                  */
  struct {
    uint64_t addr, accepted, fills;
    uint32_t id, miss;
    enum weir_shortage why; /* WEIR_N_SHORTAGES: nothing */
  } blocked;                /* the load that failed last, and what there was then */
  uint64_t mshr_since;
  uint8_t *reused; /* of each way: was it hit since it was allocated? */
  uint32_t *words; /* of each way: words that stores have written; NULL: nobody asks */
  int allocated;   /* the way that was given to a line last */
  struct weir_pc_stats *pc;
  struct weir_l1_stats stats;
  struct weir_tape *tape; /* NULL: nobody wants one */
};

static inline struct weir_l1 *l1_of(const struct weir_policy *part) {
  return part->core;
}

/* ---- queues ---- */

/* `send` where a line is split: the request waits whole. */
uint32_t weir_l1_send_split(struct weir_l1 *l1, struct ring *r, struct weir_msg *msg);

/* The 32-byte sectors that parts of a line lie in. */
static inline uint8_t fold(const struct weir_l1 *l1, uint32_t parts) {
  uint32_t out = 0;
  unsigned each = SECTOR >> l1->sector_log;
  if (each == 1) return (uint8_t)parts;
  for (unsigned i = 0; parts >> i != 0; i++)
    out |= (parts >> i & 1) << i / each;
  return (uint8_t)out;
}

static inline unsigned n_sectors(const struct weir_l1 *l1, uint32_t parts) {
  return weir_n_sectors(fold(l1, parts));
}

/* noc.request_flits: sectors. What says which bytes are meant goes before them. */
static inline uint16_t sector_flits(const struct weir_msg *msg) {
  const unsigned n = weir_n_sectors(msg->sectors);
  if (msg->kind == WEIR_MSG_READ || msg->flags & WEIR_REQ_WORD) return 1;
  return (uint16_t)(n + (msg->kind == WEIR_MSG_ATOM || msg->full != msg->sectors));
}

static inline uint16_t flits_of(const struct weir_l1 *l1, const struct weir_msg *msg) {
  unsigned bytes = weir_n_parts(msg->parts) << l1->sector_log;
  if (l1->m->noc.request_flits == WEIR_FLITS_SECTORS) return sector_flits(msg);
  if (msg->kind == WEIR_MSG_READ) return weir_read_flits(&l1->m->noc, bytes);
  return weir_flits(&l1->m->noc, msg->kind == WEIR_MSG_ATOM ? SECTOR : bytes);
}

/* A request, of which only the sectors of the L1 are known; `full` are those that a store writes
 * whole, `words` the words of each sector (l2.merge_writes). Returns the packets that it will be.
 */
static inline uint32_t send(struct weir_l1 *l1, struct ring *r, struct weir_msg msg, uint32_t full,
                            uint16_t words) {
  msg.sectors = fold(l1, msg.parts);
  msg.full = (uint8_t)(msg.sectors & ~fold(l1, l1->all & ~full));
  assert(r->n < r->cap); /* whoever sends has asked for room */
  if (l1->split.n > 1) {
    struct weir_msg whole = msg;
    return weir_l1_send_split(l1, r, &whole);
  }
  unsigned place = (unsigned)(msg.addr & l1->split.in_line) / SECTOR;
  msg.sectors = (uint8_t)(msg.sectors << place);
  msg.full = (uint8_t)(msg.full << place);
  msg.flits = flits_of(l1, &msg);
  if (msg.kind == WEIR_MSG_WRITE && weir_merges_writes(l1->m)) msg.parts = words;
  /* By fields: a struct that was written in small pieces is slow to copy in large ones. */
  *WEIR_RING_SLOT(*r) = (struct weir_msg){.at = msg.at,
                                          .addr = msg.addr,
                                          .id = msg.id,
                                          .flits = msg.flits,
                                          .parts = msg.parts,
                                          .kind = msg.kind,
                                          .sectors = msg.sectors,
                                          .full = msg.full,
                                          .flags = msg.flags};
  l1->stats.requests++;
  l1->stats.request_flits += msg.flits;
  return 1;
}

static inline uint32_t set_of(const struct weir_l1 *l1, uint64_t addr) {
  return weir_l1_set_of(l1->m->l1.index, l1->chain.geometry.sets, addr >> l1->line_shift);
}

static inline uint8_t *reused(struct weir_l1 *l1, uint32_t set, int way) {
  return &l1->reused[(size_t)set * l1->chain.geometry.ways + (size_t)way];
}

static inline uint32_t *words_in(const struct weir_l1 *l1, uint32_t set, int way) {
  return &l1->words[(size_t)set * l1->chain.geometry.ways + (size_t)way];
}

/* Of sectors of 32 bytes, their words. */
static inline uint32_t words_of(uint32_t sectors) {
  uint32_t words = 0;
  for (; sectors != 0; sectors &= sectors - 1)
    words |= UINT32_C(0xff) << 8 * (unsigned)__builtin_ctz(sectors);
  return words;
}

static inline struct weir_set view(const struct weir_l1 *l1, uint32_t set) {
  return l1->chain.org_ops->view(&l1->chain.org, set);
}

/* ---- banks ---- */

/* The banks that a request's sectors lie in. */
static inline uint64_t banks_of(const struct weir_l1 *l1, uint64_t addr, uint32_t sectors) {
  uint64_t width = (uint64_t)l1->m->l1.bank_bytes, n = (uint64_t)l1->m->l1.banks, set = 0;
  if (n == 1 || l1->m->sm.coalesce_by == WEIR_BY_BANKS) return 1;
  for (unsigned left = sectors; left != 0; left &= left - 1) {
    uint64_t at = addr + ((uint64_t)__builtin_ctz(left) << l1->sector_log);
    for (uint64_t k = at / width; k <= (at + (UINT64_C(1) << l1->sector_log) - 1) / width; k++)
      set |= UINT64_C(1) << k % n;
  }
  return set;
}

static inline bool is_busy(const struct weir_l1 *l1, uint64_t banks, uint64_t now) {
  for (; banks != 0; banks &= banks - 1)
    if (l1->bank_free[__builtin_ctzll(banks)] > now) return true;
  return false;
}

/* The data port is as wide as all banks together; each bank has its share. */
static inline void use_port(struct weir_l1 *l1, uint64_t banks, uint32_t sectors, uint64_t now) {
  if (l1->m->sm.coalesce_by == WEIR_BY_BANKS) return; /* the coalescer has seen to them */
  uint32_t bytes = (weir_n_parts(sectors) << l1->sector_log) * (uint32_t)l1->m->l1.banks;
  uint32_t width = (uint32_t)l1->m->l1.port_bytes;
  if (banks != 1) width *= (uint32_t)__builtin_popcountll(banks);
  uint64_t until = now + (bytes + width - 1) / width;
  for (; banks != 0; banks &= banks - 1)
    l1->bank_free[__builtin_ctzll(banks)] = until;
}

/* All of it, for so many cycles after this one. */
static inline void hold_port(struct weir_l1 *l1, uint32_t cycles) {
  uint64_t until = l1->now + 1 + cycles;
  for (int64_t i = 0; cycles > 0 && i < l1->m->l1.banks; i++)
    if (l1->bank_free[i] < until) l1->bank_free[i] = until;
}

/* ---- MSHR occupancy, as an integral ---- */

static inline void settle_mshr(struct weir_l1 *l1, uint64_t now) {
  l1->stats.mshr_cycles += l1->mshr.table.n * (now - l1->mshr_since);
  l1->mshr_since = now;
}

/* The access as observers see it. */
static inline struct weir_access seen(const struct weir_l1 *l1, const struct weir_access *a) {
  struct weir_access x = *a;
  x.cycle = l1->now - l1->begin;
  x.kernel = l1->kernel.uid;
  x.shortage = WEIR_N_SHORTAGES;
  return x;
}

/* Must it be written back when it ends? */
static inline bool is_dirty(const struct weir_l1 *l1, uint32_t set, int way) {
  return way >= 0 && view(l1, set).line[way].dirty_mask != 0;
}

/* A request that waits for its data port is one of those whose tags are read. */
static inline struct weir_l1_result failed(enum weir_shortage why, bool is_probed) {
  return (struct weir_l1_result){
      .answer = WEIR_L1_FAILED, .why = (uint8_t)why, .is_probed = is_probed};
}

/* ---- tape.c ---- */

/* A kernel begins, with so many lines. */
void weir_l1_tape_kernel(struct weir_l1 *l1, uint32_t lines);

/* ---- load.c, store.c ---- */

/* An accepted request. */
void weir_l1_tape_add(struct weir_l1 *l1, const struct weir_access *a, enum weir_taped_as as);

/* What can be decided before a lookup. False: it goes to the tags; else *r is the answer. */
bool weir_l1_route(struct weir_l1 *l1, const struct weir_l1_req *q, uint32_t inflight,
                   struct weir_l1_result *r);
/* At the tags. */
struct weir_l1_result weir_l1_load(struct weir_l1 *l1, const struct weir_l1_req *q,
                                   uint32_t inflight);
struct weir_l1_result weir_l1_store(struct weir_l1 *l1, const struct weir_l1_req *q,
                                    uint32_t inflight);
/* A line that a policy wants, if all resources are free. */
void weir_l1_prefetch(struct weir_l1 *l1, uint64_t addr, uint32_t sectors);

#endif
